package geo

// Crosses finds the first place where the leg from a to b crosses the line. frac is the fraction of the leg sailed by then. along is in
// metres from the line's first point to the crossing. leftToRight is the direction seen from the line's first point towards its last. Leg
// and line are straight in degrees, the shorter way round.
//
// Half-open: an end of the leg that lies on the line counts as right of it. So a track with a fix exactly on the line crosses it once, and
// so does a leg through an inner point of the line.
func Crosses(a, b Point, line Line) (frac, along float64, leftToRight, ok bool) {
	leg := Vector{wrap(b.Lon - a.Lon), b.Lat - a.Lat}
	at := -1
	var place Point
	for i := 1; i < len(line); i++ {
		f, where, toRight, hit := crossEdge(a, leg, line[i-1], line[i])
		if hit && (!ok || f < frac) {
			frac, place, leftToRight, ok, at = f, where, toRight, true, i
		}
	}
	if ok {
		along = line[:at].Length() + Distance(line[at-1], place)
	}
	return frac, along, leftToRight, ok
}

// crossEdge tests one edge of a line, in degrees seen from the leg's first point. An edge that starts east of it and
// runs over its far side is tested in both places where it then lies.
func crossEdge(a Point, leg Vector, from, to Point) (frac float64, at Point, leftToRight, ok bool) {
	start := Vector{wrap(from.Lon - a.Lon), from.Lat - a.Lat}
	edge := Vector{wrap(to.Lon - from.Lon), to.Lat - from.Lat}
	shift := 0.0
	if end := start.X + edge.X; end >= 180 {
		shift = -360
	} else if end < -180 {
		shift = 360
	}
	frac, leftToRight, ok = crossVectors(leg, start, edge)
	if !ok && shift != 0 {
		start.X += shift
		frac, leftToRight, ok = crossVectors(leg, start, edge)
	}
	at = Point{Lon: wrap(a.Lon + frac*leg.X), Lat: a.Lat + frac*leg.Y}
	return frac, at, leftToRight, ok
}

// crossVectors is the half-open rule of both: the ends of the leg lie on different sides of the edge, and those of the edge on different
// sides of the leg. The leg starts at the origin.
func crossVectors(leg, start, edge Vector) (frac float64, leftToRight, ok bool) {
	first := edge.Cross(start.To(Vector{})) // > 0: the leg begins left of the edge
	last := edge.Cross(start.To(leg))
	if (first > 0) == (last > 0) {
		return 0, false, false
	}
	if (leg.Cross(start) > 0) == (leg.Cross(start.Along(edge, 1)) > 0) {
		return 0, false, false
	}
	return first / (first - last), first > 0, true
}

// Entry gives the share of an edge from a, which is outside of an area, to b inside, that lies before it enters the area, to a 4096th.
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
