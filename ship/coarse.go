package ship

import (
	"time"

	"quaywatch/ais"
)

// Reporting intervals of ITU-R M.1371-5, annex 1, tables 1 and 2: the longest under way, and at rest.
const (
	intervalUnderWay = 10 * time.Second
	intervalClassB   = 30 * time.Second
	intervalAtRest   = 3 * time.Minute
	slowClassB       = 20 // tenths of a knot, up to which a class B craft reports as one at rest
)

// intervalsExact is for how many reporting intervals an exact place counts for more than a coarse one.
const intervalsExact = 3

// knowsBetter reports whether the ship's latest place is exact and so near a time that a coarse place of then says less. That time is at, in Unix milliseconds.
func (s *State) knowsBetter(at int64) bool {
	if !s.HasFix || s.Fix.Mark&Coarse != 0 {
		return false
	}
	return abs(at-s.Fix.At) < intervalsExact*s.reportInterval().Milliseconds()
}

// reportInterval returns the time between two position reports of the ship.
func (s *State) reportInterval() time.Duration {
	switch {
	case s.AtRest(), s.Class == ClassB && isSlow(s.Fix), s.Class == ClassAtoN:
		return intervalAtRest
	case s.Class == ClassB:
		return intervalClassB
	}
	return intervalUnderWay
}

func isSlow(f Fix) bool {
	tenths, known := f.SOG.Tenths()
	return known && tenths <= slowClassB
}

// A stored track has an exact fix at least this often where the ship was heard at its intervals: thinning leaves others out.
const (
	thinnedUnderWay = time.Minute
	thinnedAtRest   = 6 * time.Minute
)

// DropCoarse leaves out, in place, the coarse fixes that stand beside exact ones. fixes are those of one ship in the order of time. A segment
// that began with a fix that is left out begins with the next.
func DropCoarse(fixes []Fix) []Fix {
	var exact Fix // the one before
	var begun Mark
	kept, next := 0, 0
	for i, f := range fixes {
		if f.Mark&Coarse == 0 {
			exact = f
		} else {
			for next = max(next, i+1); next < len(fixes) && fixes[next].Mark&Coarse != 0; next++ {
			}
			if f.saysLess(exact, fixes[min(next, len(fixes)-1)]) {
				begun |= f.Mark & NewSegment
				continue
			}
		}
		if kept != i {
			f.Mark |= begun
			fixes[kept] = f
		}
		begun = 0
		kept++
	}
	clear(fixes[kept:])
	return fixes[:kept]
}

// saysLess reports whether a coarse fix says less than the exact fixes before and after it. A fix there that is coarse, or the zero Fix, is none.
func (f Fix) saysLess(before, after Fix) bool {
	if after.Mark&Coarse != 0 {
		return before.coversTime(f.At)
	}
	gap := time.Duration(after.At-before.At) * time.Millisecond
	return before.coversTime(f.At) || after.coversTime(f.At) || gap <= thinnedUnderWay || gap <= thinnedAtRest && isSlow(before) && isSlow(after)
}

// coversTime reports whether an exact fix is near the time at, in Unix milliseconds. A fix does not tell the class, but only class B has no status.
func (f Fix) coversTime(at int64) bool {
	s := State{Class: ClassA, HasFix: f != Fix{}, Fix: f}
	if f.Status == ais.StatusUndefined {
		s.Class = ClassB
	}
	return s.knowsBetter(at)
}

func abs(v int64) int64 { return max(v, -v) }
