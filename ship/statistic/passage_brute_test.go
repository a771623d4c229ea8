package statistic_test

import (
	"cmp"
	"math"
	"slices"

	"quaywatch/geo"
	"quaywatch/ship"
)

// hit is a crossing of an edge of a line by a leg, found with whole numbers: so nothing is rounded but the fraction.
type hit struct {
	leg   int // it ends with the fix of this number
	frac  float64
	at    int64
	place geo.Point
	edge  int
	right bool
}

// grid returns a place in units of AIS from a base.
func grid(base, p geo.Point) (x, y int64) {
	return int64(math.Round(math.Remainder(p.Lon-base.Lon, 360) * 600000)), int64(math.Round((p.Lat - base.Lat) * 600000))
}

// hits returns all crossings of a track, in their order.
func hits(base geo.Point, track ship.Track, line geo.Line) (all []hit) {
	for k := 1; k < len(track); k++ {
		f, g := track[k-1], track[k]
		if !leadsOn(f, g) || geo.Distance(f.Point(), g.Point()) > 18520 && !(beside(base, line, f.Point()) && beside(base, line, g.Point())) {
			continue
		}
		x1, y1 := grid(base, f.Point())
		x2, y2 := grid(base, g.Point())
		for i := 1; i < len(line); i++ {
			ax, ay := grid(base, line[i-1])
			bx, by := grid(base, line[i])
			side := func(x, y int64) int64 { return (bx-ax)*(y-ay) - (by-ay)*(x-ax) }
			across := func(x, y int64) int64 { return (x2-x1)*(y-y1) - (y2-y1)*(x-x1) }
			from, to := side(x1, y1), side(x2, y2)
			if (from > 0) == (to > 0) || (across(ax, ay) > 0) == (across(bx, by) > 0) {
				continue
			}
			h := hit{leg: k, edge: i - 1, right: from > 0, frac: float64(from) / float64(from-to)}
			h.at = f.At + int64(math.Round(h.frac*float64(g.At-f.At)))
			h.place = geo.Point{Lon: base.Lon + (float64(x1)+h.frac*float64(x2-x1))/600000, Lat: base.Lat + (float64(y1)+h.frac*float64(y2-y1))/600000}.Normalized()
			all = append(all, h)
		}
	}
	slices.SortStableFunc(all, func(a, b hit) int { return cmp.Or(cmp.Compare(a.leg, b.leg), cmp.Compare(a.frac, b.frac)) })
	return all
}

// beside reports whether a place is within a mile of a line, by many places on it.
func beside(base geo.Point, line geo.Line, p geo.Point) bool {
	for i := 1; i < len(line); i++ {
		ax, ay := xy(base, line[i-1])
		bx, by := xy(base, line[i])
		for k := range 201 {
			s := float64(k) / 200
			if geo.Distance(p, geo.Point{Lon: base.Lon + ax + s*(bx-ax), Lat: base.Lat + ay + s*(by-ay)}) <= 1852 {
				return true
			}
		}
	}
	return false
}

// steady leaves out the crossings of a ship that sways on the line: that less than five minutes after the crossing before, and less than
// 200 m away all the time from the last one that was not left out.
func steady(track ship.Track, all []hit) (kept []hit) {
	lastHit := 0
	for i, h := range all {
		if len(kept) > 0 && h.at-all[i-1].at < 300_000 {
			ref := all[lastHit]
			far := 0.0
			for _, between := range all[lastHit : i+1] {
				far = max(far, geo.Distance(ref.place, between.place))
			}
			for k := ref.leg; k < h.leg; k++ {
				far = max(far, geo.Distance(ref.place, track[k].Point()))
			}
			if far < 200 {
				continue
			}
		}
		kept, lastHit = append(kept, h), i
	}
	return kept
}

// chains returns the passages over the lines in their order: for each crossing of the first line the next one of the second and so on.
// Of those that share the last crossing the latest counts, and of these the ones that begin in the period.
func chains(lines [][]hit, begin, end, until int64) (found [][]hit) {
	for _, first := range lines[0] {
		if first.at < begin {
			continue
		}
		chain := []hit{first}
		for _, line := range lines[1:] {
			last := chain[len(chain)-1]
			i := slices.IndexFunc(line, func(h hit) bool { return h.leg > last.leg || h.leg == last.leg && h.frac > last.frac })
			if i < 0 {
				break
			}
			chain = append(chain, line[i])
		}
		last := chain[len(chain)-1]
		if len(chain) < len(lines) || last.at >= until {
			continue
		}
		if n := len(found); n > 0 && found[n-1][len(lines)-1] == last {
			found[n-1] = chain
			continue
		}
		found = append(found, chain)
	}
	return slices.DeleteFunc(found, func(chain []hit) bool { return chain[0].at >= end })
}
