package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store/pages"
	"quaywatch/store/track"
)

// Verifier says of one value after the other whether it is whole: the one that was written under its key, and readable.
type Verifier struct {
	Fixes  int    // in the value that was judged last, when it is a block: without the lead
	Name   string // of the record that was judged last
	fixes  []ship.Fix
	record Record[json.RawMessage]
}

// Value judges a value by its checksum and by what it holds. The path is that of its bucket: a name, or <table>/names.
func (j *Verifier) Value(path string, key, sealed []byte) error {
	value, err := unseal(path, key, sealed)
	if err != nil {
		return err
	}
	j.Fixes, j.Name = 0, ""
	switch path {
	case bucketMeta:
	case bucketDamaged:
		if _, ok := readKey(key); !ok || !json.Valid(value) {
			err = track.ErrCorrupt
		}
	case bucketFeeds:
		_, _, err = readFeeds(key, sealed)
	case bucketBlocks:
		err = j.judgeBlock(key, sealed)
	case bucketShips:
		m, ok := readShipKey(key)
		if _, err = track.DecodeState(m, value); err == nil && !ok {
			err = errKey
		}
	case bucketStatic:
		if _, _, err = track.DecodeStatic(value); err == nil && len(key) != 16 {
			err = errKey
		}
	default:
		err = j.judgeWritten(path, key, value)
	}
	return err
}

// errKey is what judging gives for a key that no value can have.
var errKey = fmt.Errorf("%w: key", track.ErrCorrupt)

// judgeBlock judges a block: its fixes are of its hour.
func (j *Verifier) judgeBlock(key, sealed []byte) error {
	hour, _, ok := readBlockKey(key)
	if !ok {
		return errKey
	}
	fixes, lead, err := readBlock(j.fixes[:0], key, sealed)
	if err != nil {
		return err
	}
	j.fixes = fixes
	if lead {
		fixes = fixes[1:]
	}
	for _, f := range fixes {
		if track.HourOf(f.At) != hour {
			return fmt.Errorf("%w: a fix of %v", track.ErrCorrupt, f.Time())
		}
	}
	j.Fixes = len(fixes)
	return nil
}

// judgeWritten judges a value of a Table or a Series.
func (j *Verifier) judgeWritten(path string, key, value []byte) error {
	switch {
	case isSeries(path):
		if _, ok := readKey(key); !ok || !json.Valid(value) {
			return track.ErrCorrupt
		}
	case strings.HasSuffix(path, "/"+bucketNames):
		if len(value) != 8 {
			return track.ErrCorrupt
		}
	default:
		j.record = Record[json.RawMessage]{}
		if err := json.Unmarshal(value, &j.record); err != nil || len(key) != 8 {
			return track.ErrCorrupt
		}
		j.Name = j.record.Name
	}
	return nil
}

// Describe returns in words what stands under a key of the bucket with that path, as far as the key tells.
func Describe(path string, key []byte) string {
	switch path {
	case bucketBlocks:
		if hour, m, ok := readBlockKey(key); ok {
			return fmt.Sprintf("positions of ship %d in the hour from %s", m, hourText(hour))
		}
	case bucketShips:
		if m, ok := readShipKey(key); ok {
			return fmt.Sprintf("last state of ship %d", m)
		}
	case bucketStatic:
		if m, ms, ok := readStaticKey(key); ok {
			return fmt.Sprintf("static data of ship %d from %s on", m, timeText(ms))
		}
	}
	if at, ok := readKey(key); ok && isSeries(path) {
		return fmt.Sprintf("record of %s, of %s", strings.TrimPrefix(path, seriesPrefix), timeText(at.At))
	}
	if id, ok := readShipKey(key); ok && !strings.Contains(path, "/") && path != bucketMeta {
		return fmt.Sprintf("record %d of table %s", id, path)
	}
	return fmt.Sprintf("value under key %.40x of bucket %s", key, path)
}

// DescribeSuspect returns in words what a damaged value of the bucket with that path is, or between which whole ones it stands.
func DescribeSuspect(path string, s *pages.Suspect) string {
	if !s.Unsure() {
		return Describe(path, s.Key)
	}
	values := "a value whose key is damaged too"
	if s.Count > 1 {
		values = fmt.Sprintf("%d values whose keys are damaged too", s.Count)
	}
	return values + ", " + DescribeSpan(path, s.From, s.To)
}

// DescribeSpan returns in words what stands in the bucket with that path, with from <= key < to. nil is no bound.
func DescribeSpan(path string, from, to []byte) string {
	switch {
	case from == nil && to == nil:
		return "in bucket " + path
	case from == nil:
		return "before " + Describe(path, to)
	case to == nil:
		return "behind " + Describe(path, from)
	}
	return "from " + Describe(path, from) + " to " + Describe(path, to)
}

// timeText returns a time of a key. A damaged key may say any.
func timeText(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }

func hourText(hour uint32) string {
	return time.UnixMilli(track.HourStart(hour)).UTC().Format("2006-01-02T15:04Z")
}

// BlockAt returns of which hour and ship a block is, by its key. ok is false for a key that no block has.
func BlockAt(key []byte) (hour time.Time, m ais.MMSI, ok bool) {
	h, m, ok := readBlockKey(key)
	return time.UnixMilli(track.HourStart(h)).UTC(), m, ok
}
