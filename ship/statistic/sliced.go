package statistic

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// nearSlice is the length of the slices of time in which ships are compared (design, near miss).
const nearSlice = 5 * time.Minute

// sliced holds legs by the slice in which they begin. None is longer than nearGap. Make it with newSliced.
type sliced struct {
	bySlice map[int64]*run
	latest  *run    // to which a leg was added last, as the next one of the ship goes there too
	rooms   [][]leg // of slices that were dropped
	legs    []leg   // of the crafts
	found   []craft
}

// run has the legs that begin in a slice.
type run struct {
	slice int64
	legs  []leg
}

func newSliced() sliced { return sliced{bySlice: map[int64]*run{}} }

// addLeg holds one leg more.
func (s *sliced) addLeg(l *leg) {
	if slice := sliceOf(l.From.At); s.latest == nil || s.latest.slice != slice {
		s.latest = s.runOf(slice)
	}
	s.latest.legs = append(s.latest.legs, *l)
}

// runOf returns the run of a slice, a new one where there is none.
func (s *sliced) runOf(slice int64) *run {
	r := s.bySlice[slice]
	if r == nil {
		r = &run{slice: slice}
		if last := len(s.rooms) - 1; last >= 0 {
			r.legs, s.rooms = s.rooms[last], s.rooms[:last]
		}
		s.bySlice[slice] = r
	}
	return r
}

// firstSlice returns the first slice in which a leg begins. It is false where there is no leg.
func (s *sliced) firstSlice() (slice int64, ok bool) {
	if len(s.bySlice) == 0 {
		return 0, false
	}
	return slices.Min(slices.Collect(maps.Keys(s.bySlice))), true
}

// dropLegs drops the legs that no later slice needs.
func (s *sliced) dropLegs(slice int64) {
	slice -= int64(nearGap / nearSlice)
	if r := s.bySlice[slice]; r != nil {
		s.rooms, s.latest = append(s.rooms, r.legs[:0]), nil
		delete(s.bySlice, slice)
	}
}

// sliceOf returns the number of the slice of a time, counted from the Unix epoch.
func sliceOf(ms int64) int64 { return floorDiv(ms, nearSlice.Milliseconds()) }

// craft is a ship in one slice.
type craft struct {
	mmsi  ais.MMSI
	legs  []leg // in order
	reach reach
}

// crafts returns the ships of a slice by number, with the legs that end in it or later. They are valid until the next call.
func (s *sliced) crafts(slice int64) []craft {
	var runs [nearGap/nearSlice + 1][]leg // the legs of each slice, in the order of ships
	room := 0
	for i := range runs {
		if r := s.bySlice[slice-int64(nearGap/nearSlice)+int64(i)]; r != nil {
			runs[i] = r.legs
			sortLegs(runs[i])
		}
		room += len(runs[i])
	}
	s.legs, s.found = slices.Grow(s.legs[:0], room), s.found[:0]
	for next, more := nextShip(runs[:]); more; next, more = nextShip(runs[:]) {
		first := len(s.legs)
		for i := range runs {
			s.takeLegs(&runs[i], next, slice*nearSlice.Milliseconds())
		}
		if len(s.legs) > first {
			s.found = append(s.found, craft{mmsi: next, legs: s.legs[first:]})
		}
	}
	return s.found
}

// takeLegs takes the legs of a ship from the begin of a list. The crafts get those that end after a time, Unix milliseconds.
func (s *sliced) takeLegs(from *[]leg, m ais.MMSI, after int64) {
	legs := *from
	for len(legs) > 0 && legs[0].mmsi == m {
		if legs[0].To.At > after {
			s.legs = append(s.legs, legs[0])
		}
		legs = legs[1:]
	}
	*from = legs
}

// nextShip returns the least number with which a list begins.
func nextShip(runs [][]leg) (least ais.MMSI, ok bool) {
	for _, legs := range runs {
		if len(legs) > 0 && (!ok || legs[0].mmsi < least) {
			least, ok = legs[0].mmsi, true
		}
	}
	return least, ok
}

// sortLegs sorts legs by ship and time. Nearly always they are: the ships of an hour come in this order.
func sortLegs(legs []leg) {
	for i := 1; i < len(legs); i++ {
		a, b := &legs[i-1], &legs[i]
		if a.mmsi > b.mmsi || a.mmsi == b.mmsi && a.From.At > b.From.At {
			slices.SortFunc(legs, func(a, b leg) int { return cmp.Or(cmp.Compare(a.mmsi, b.mmsi), cmp.Compare(a.From.At, b.From.At)) })
			return
		}
	}
}

// craftOf returns the place of a ship in a list in the order of numbers.
func craftOf(crafts []craft, m ais.MMSI) (int, bool) {
	return slices.BinarySearchFunc(crafts, m, func(c craft, m ais.MMSI) int { return cmp.Compare(c.mmsi, m) })
}

// legBounds returns the rectangle of the legs. It allocates nothing but for a ship that crosses 180°.
func (c craft) legBounds() geo.Rect {
	around := extentOf(&c.legs[0].From)
	for i := range c.legs {
		around.extend(&c.legs[i].From)
		around.extend(&c.legs[i].To)
	}
	if box, ok := around.bounds(); ok {
		return box
	}
	line := make(geo.Line, 0, 2*len(c.legs))
	for i := range c.legs {
		line = append(line, c.legs[i].From.Point(), c.legs[i].To.Point())
	}
	return line.Bounds()
}
