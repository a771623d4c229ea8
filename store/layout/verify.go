package layout

import (
	"encoding/json"
	"fmt"
	"strings"

	"quaywatch/ship"
	"quaywatch/store/track"
)

// Verifier says of one value after the other whether it is whole: the one that was written under its key, and readable.
type Verifier struct {
	Fixes  int    // in the value that was judged last, when it is a block: without the lead
	Name   string // of the record that was judged last
	fixes  []ship.Fix
	record struct{ Name string }
}

// Value judges a value by its checksum and by what it holds. The path is that of its bucket: a name, or <table>/names.
func (j *Verifier) Value(path string, key, sealed []byte) error {
	value, err := Unseal(path, key, sealed)
	if err != nil {
		return err
	}
	j.Fixes, j.Name = 0, ""
	switch path {
	case Meta:
	case Damaged:
		if _, _, ok := ReadSeriesKey(key); !ok || !json.Valid(value) {
			err = track.ErrCorrupt
		}
	case Feeds:
		_, _, err = ReadFeeds(key, sealed)
	case Blocks:
		err = j.judgeBlock(key, sealed)
	case Ships:
		m, ok := ReadShipKey(key)
		if _, err = track.DecodeState(m, value); err == nil && !ok {
			err = errKey
		}
	case Static:
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
	hour, _, ok := ReadBlockKey(key)
	if !ok {
		return errKey
	}
	fixes, lead, err := ReadBlock(j.fixes[:0], key, sealed)
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
	case IsSeries(path):
		if _, _, ok := ReadSeriesKey(key); !ok || !json.Valid(value) {
			return track.ErrCorrupt
		}
	case strings.HasSuffix(path, "/"+Names):
		if len(value) != 8 {
			return track.ErrCorrupt
		}
	default:
		j.record.Name = ""
		if err := json.Unmarshal(value, &j.record); err != nil || len(key) != 8 {
			return track.ErrCorrupt
		}
		j.Name = j.record.Name
	}
	return nil
}
