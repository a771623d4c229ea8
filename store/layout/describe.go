package layout

import (
	"fmt"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/store/pages"
	"quaywatch/store/track"
)

// Describe returns in words what stands under a key of the bucket with that path, as far as the key tells.
func Describe(path string, key []byte) string {
	switch path {
	case Blocks:
		if hour, m, ok := ReadBlockKey(key); ok {
			return fmt.Sprintf("positions of ship %d in the hour from %s", m, hourText(hour))
		}
	case Ships:
		if m, ok := ReadShipKey(key); ok {
			return fmt.Sprintf("last state of ship %d", m)
		}
	case Static:
		if m, ms, ok := ReadStaticKey(key); ok {
			return fmt.Sprintf("static data of ship %d from %s on", m, timeText(ms))
		}
	}
	if at, _, ok := ReadSeriesKey(key); ok && IsSeries(path) {
		return fmt.Sprintf("record of %s, of %s", strings.TrimPrefix(path, SeriesPrefix), timeText(at))
	}
	if id, ok := ReadShipKey(key); ok && !strings.Contains(path, "/") && path != Meta {
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
	h, m, ok := ReadBlockKey(key)
	return time.UnixMilli(track.HourStart(h)).UTC(), m, ok
}

// InWords returns a time in Unix milliseconds for people.
func InWords(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC") }
