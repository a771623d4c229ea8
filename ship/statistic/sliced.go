package statistic

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// nearSlice is the length of the slices of time in which ships are compared (design, near miss).
const nearSlice = 5 * time.Minute

// sliced holds legs by the slice in which they begin. None is longer than nearGap.
type sliced map[int64][]leg

// add holds one leg more.
func (s sliced) add(l leg) {
	slice := sliceOf(l.From.At)
	s[slice] = append(s[slice], l)
}

// dropLegs drops the legs that no later slice needs.
func (s sliced) dropLegs(slice int64) { delete(s, slice-int64(nearGap/nearSlice)) }

// sliceOf returns the number of the slice of a time, counted from the Unix epoch.
func sliceOf(ms int64) int64 { return floorDiv(ms, nearSlice.Milliseconds()) }

// craft is a ship in one slice.
type craft struct {
	mmsi  ais.MMSI
	legs  []leg // in order
	reach reach
}

// crafts returns the ships of a slice by number, with the legs that end in it or later.
func (s sliced) crafts(slice int64) (all []craft) {
	var legs []leg
	for from := slice - int64(nearGap/nearSlice); from <= slice; from++ {
		for _, l := range s[from] {
			if l.To.At > slice*nearSlice.Milliseconds() {
				legs = append(legs, l)
			}
		}
	}
	slices.SortFunc(legs, func(a, b leg) int { return cmp.Or(cmp.Compare(a.mmsi, b.mmsi), cmp.Compare(a.From.At, b.From.At)) })
	for first, i := 0, 1; i <= len(legs); i++ {
		if i == len(legs) || legs[i].mmsi != legs[first].mmsi {
			all = append(all, craft{mmsi: legs[first].mmsi, legs: legs[first:i]})
			first = i
		}
	}
	return all
}

// craftOf returns the place of a ship in a list in the order of numbers.
func craftOf(crafts []craft, m ais.MMSI) (int, bool) {
	return slices.BinarySearchFunc(crafts, m, func(c craft, m ais.MMSI) int { return cmp.Compare(c.mmsi, m) })
}

func (c craft) legBounds() geo.Rect {
	line := make(geo.Line, 0, len(c.legs)+1)
	for i := range c.legs {
		line = append(line, c.legs[i].From.Point(), c.legs[i].To.Point())
	}
	return line.Bounds()
}
