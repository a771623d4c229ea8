// Package statistic answers questions to the past: who was in an area, who crossed a line, who came near whom. Each kind of question is a Counter
// in a file of its own. It is handed the tracks of ships hour by hour and tells its records as soon as they are certain.
//
// It promises that a question that is asked in hours gives what the whole period gives. What it holds is bounded by the ships at one time, not by the length of
// the period. No leg leads over a gap or to a new segment (ship.Joins). It opens nothing and reads no clock.
//
// Dangerous: records are told in the order in which they become certain, which is not that of their times.
package statistic

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Period is the time that is asked: Begin <= t < End.
type Period struct {
	Begin, End time.Time
}

// Holds reports whether a time in Unix milliseconds lies in the period.
func (p Period) Holds(ms int64) bool { return ms >= p.Begin.UnixMilli() && ms < p.End.UnixMilli() }

// Counter is a question while it is answered. Its calls come from one goroutine.
type Counter interface {
	// Take takes the fixes of a ship in one hour, in order. The first may be the last of the part before, so that each leg lies whole in one
	// part. Legs that begin before the period or end after it come too. The part is valid until Take returns.
	Take(m ais.MMSI, part ship.Track)
	// Over tells that all parts with fixes before now were taken: who was not among them was silent.
	Over(now time.Time)
	// End tells that no more comes. What is open is told.
	End()
}

// Moment is a ship at a time and a place. A reader that might not have seen it gets no record that is made of it.
type Moment struct {
	MMSI ais.MMSI
	Fix  ship.Fix // a place between two fixes has the speed, course and feeds of the fix before
}
