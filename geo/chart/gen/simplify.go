package main

import (
	"math"

	"quaywatch/geo"
)

// level describes one resolution to make.
type level struct {
	units     int     // per degree
	degrees   int     // per cell
	tolerance float64 // metres
	target    int     // edges a sub-cell should not exceed
}

// levels are the resolutions of land.bin: the exact one, and three for drawing small scales.
func levels() []level {
	return []level{
		{units: 4000, degrees: 1, tolerance: 0, target: 128},
		{units: 1000, degrees: 4, tolerance: 400, target: 1000},
		{units: 200, degrees: 20, tolerance: 1500, target: 2000},
		{units: 64, degrees: 45, tolerance: 6000, target: 4000},
	}
}

const metresPerUnit = 111195.0 / perDegree // of latitude, in source units

// resample thins a ring (Douglas and Peucker) and puts it on a level's grid. Points on the 180° meridian stay, so
// that the two halves of a land still meet there. It may vanish, and a water that is small for the level does.
func resample(r ring, l level) ring {
	if side := 2 * l.tolerance / 1000; ringArea(r) < 0 && squareKilometres(r) < side*side {
		return nil
	}
	if l.tolerance > 0 {
		r = thinRing(r, l.tolerance/metresPerUnit)
	}
	out := make(ring, len(r))
	for i, v := range r {
		out[i] = vertex{onGrid(v.x, l.units), onGrid(v.y, l.units)}
	}
	if out = straighten(tidyRing(out)); len(out) < 3 {
		return nil
	}
	return out
}

func onGrid(v int32, units int) int32 {
	return int32(math.Round(float64(v) * float64(units) / perDegree))
}

// straighten takes out points on a straight way between their neighbours, but for those on the 180° meridian.
func straighten(r ring) ring {
	out := r[:0:0]
	for i, v := range r {
		prev, next := r[(i+len(r)-1)%len(r)], r[(i+1)%len(r)]
		ax, ay := int64(v.x-prev.x), int64(v.y-prev.y)
		bx, by := int64(next.x-v.x), int64(next.y-v.y)
		if ax*by == ay*bx && ax*bx+ay*by > 0 && (prev.x != v.x || prev.x != next.x) {
			continue
		}
		out = append(out, v)
	}
	return out
}

func thinRing(r ring, tolerance float64) ring {
	if len(r) < 4 {
		return r
	}
	keep := make([]bool, len(r)+1) // the last is the first again
	keep[0], keep[len(r)] = true, true
	keep[opposite(r)] = true
	for i, v := range r {
		if v.x == halfWorld || v.x == -halfWorld {
			keep[i] = true
		}
	}
	first := 0
	for i := 1; i <= len(r); i++ {
		if keep[i] {
			geo.Thin(keep, first, i, tolerance, func(at, first, last int) float64 {
				return edgeDistance(r[at], r[first], r[last%len(r)])
			})
			first = i
		}
	}
	var out ring
	for i, v := range r {
		if keep[i] {
			out = append(out, v)
		}
	}
	return out
}

// opposite returns the point farthest from the first.
func opposite(r ring) (at int) {
	var far float64
	for i, v := range r {
		if d := math.Hypot(float64(v.x-r[0].x), float64(v.y-r[0].y)); d > far {
			at, far = i, d
		}
	}
	return at
}

// edgeDistance returns source units of latitude from p to the edge a-b.
func edgeDistance(p, a, b vertex) float64 {
	scale := math.Cos(float64(a.y) / perDegree * math.Pi / 180)
	from := func(v vertex) geo.Vector { return geo.Vector{X: float64(v.x-a.x) * scale, Y: float64(v.y - a.y)} }
	return from(p).EdgeDistance(geo.Vector{}, from(b))
}
