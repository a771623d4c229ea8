package geo

import (
	"cmp"
	"slices"
)

// Crossing is a place where a leg crosses a line.
type Crossing struct {
	Frac        float64 // of the leg, that is sailed by then
	Along       float64 // metres along the line, from its first point
	LeftToRight bool    // seen from the line's first point towards its last, along the edge that is crossed
	Edge        int     // of the line: it leads from the point of this number to the next
	At          Point
}

// Crosses finds the first place where the leg from a to b crosses the line, and tells the same of it as Crossings.
func Crosses(a, b Point, line Line) (frac, along float64, leftToRight, ok bool) {
	var first Crossing
	eachCrossing(a, b, line, func(c Crossing) {
		if !ok || c.Frac < first.Frac {
			first, ok = c, true
		}
	})
	if ok {
		along = line.upTo(first)
	}
	return first.Frac, along, first.LeftToRight, ok
}

// Crossings returns all places where the leg from a to b crosses the line, in the order in which a ship comes to them. Leg and line are
// straight in degrees, the shorter way round.
//
// Half-open: an end of the leg that lies on the line counts as right of it. So a track with a fix exactly on the line crosses it once, and
// so does a leg through an inner point of the line. A line that touches the leg with a point is crossed twice there, to and fro, or not.
func Crossings(a, b Point, line Line) []Crossing {
	var all []Crossing
	eachCrossing(a, b, line, func(c Crossing) { all = append(all, c) })
	slices.SortStableFunc(all, func(x, y Crossing) int { return cmp.Compare(x.Frac, y.Frac) })
	for i := range all {
		all[i].Along = line.upTo(all[i])
	}
	return all
}

// CrossedBy reports whether the leg from a to b crosses the line, as Crossings says it.
func (l Line) CrossedBy(a, b Point) bool {
	leg := degreesBetween(a, b)
	south, north := min(a.Lat, b.Lat), max(a.Lat, b.Lat)
	for i := 1; i < len(l); i++ {
		from, to := l[i-1], l[i]
		if max(from.Lat, to.Lat) < south || min(from.Lat, to.Lat) > north { // most edges, and it costs next to nothing
			continue
		}
		if _, _, ok := crossEdge(a, b, leg, from, to); ok {
			return true
		}
	}
	return false
}

// upTo returns the metres along the line to a place on one of its edges.
func (l Line) upTo(c Crossing) float64 { return l[:c.Edge+1].Length() + Distance(l[c.Edge], c.At) }

// eachCrossing calls fn with each crossing in the order of the edges, without Along.
func eachCrossing(a, b Point, line Line, fn func(Crossing)) {
	leg := degreesBetween(a, b)
	for i := 1; i < len(line); i++ {
		if frac, toRight, ok := crossEdge(a, b, leg, line[i-1], line[i]); ok {
			at := Point{Lon: wrap(a.Lon + frac*leg.X), Lat: a.Lat + frac*leg.Y}
			fn(Crossing{Frac: frac, LeftToRight: toRight, Edge: i - 1, At: at})
		}
	}
}

// degreesBetween returns the way from one point to another in degrees, the shorter way round.
func degreesBetween(a, b Point) Vector { return Vector{wrap(b.Lon - a.Lon), b.Lat - a.Lat} }

// crossEdge tests one edge of a line. The side of the edge on which a fix lies is reckoned from the edge and the fix alone. So the two legs that share a fix
// agree about it, whatever is rounded. An end of the edge is seen from the leg in the same way.
func crossEdge(a, b Point, leg Vector, from, to Point) (frac float64, leftToRight, ok bool) {
	edge := degreesBetween(from, to)
	begins, ends := degreesBetween(from, a), degreesBetween(from, b) // the leg, seen from the edge
	first, last := degreesBetween(a, from), degreesBetween(a, to)    // the edge, seen from the leg
	if within180(begins.X, ends.X) && within180(first.X, last.X) {
		return crossVectors(leg, edge, begins, ends, first, last)
	}
	return crossFar(leg, edge, first)
}

func within180(a, b float64) bool { return a-b < 180 && b-a < 180 }

// crossFar tests an edge that runs over the far side of the earth, in both places where it then lies.
func crossFar(leg, edge, first Vector) (frac float64, leftToRight, ok bool) {
	for _, turn := range [...]float64{0, -360, 360} {
		start := Vector{first.X + turn, first.Y}
		begins := start.To(Vector{})
		frac, leftToRight, ok = crossVectors(leg, edge, begins, begins.Along(leg, 1), start, start.Along(edge, 1))
		if ok {
			return frac, leftToRight, ok
		}
	}
	return 0, false, false
}

// crossVectors is the half-open rule of both. The ends of the leg lie on different sides of the edge, and those of the edge on different sides of the leg.
func crossVectors(leg, edge, begins, ends, first, last Vector) (frac float64, leftToRight, ok bool) {
	from, to := edge.Cross(begins), edge.Cross(ends) // > 0: left of the edge
	if (from > 0) == (to > 0) || (leg.Cross(first) > 0) == (leg.Cross(last) > 0) {
		return 0, false, false
	}
	return from / (from - to), from > 0, true
}

// Entry returns the share of an edge that lies before it enters an area, to a 4096th. The edge leads from a, which is outside of the area, to b inside.
func Entry(a, b Point, inside func(Point) bool) float64 {
	east, north := wrap(b.Lon-a.Lon), b.Lat-a.Lat
	outside, within := 0.0, 1.0
	for range 12 {
		half := (outside + within) / 2
		if inside((Point{Lon: a.Lon + half*east, Lat: a.Lat + half*north}).Normalized()) {
			within = half
		} else {
			outside = half
		}
	}
	return within
}
