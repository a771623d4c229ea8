package statistic

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// seenEvery is how often a day keeps what a reader must have seen.
const seenEvery = 15 * time.Minute

// quarters are the moments of a day that a reader must be allowed to have seen. They are the first report of each quarter of an hour, set of feeds and kind of
// source.
type quarters []Moment

// addReport takes a report.
func (q *quarters) addReport(m ais.MMSI, f ship.Fix) {
	if q.isNew(f) {
		*q = append(*q, Moment{m, f})
	}
}

// isNew reports whether a reader could have seen what the day has so far, and not this fix.
func (q quarters) isNew(f ship.Fix) bool {
	quarter := floorDiv(f.At, seenEvery.Milliseconds())
	for i := len(q) - 1; i >= 0; i-- {
		was := q[i].Fix
		if floorDiv(was.At, seenEvery.Milliseconds()) != quarter {
			return true
		}
		if was.Feeds == f.Feeds && (was.Mark^f.Mark)&ship.BySatellite == 0 {
			return false
		}
	}
	return true
}
