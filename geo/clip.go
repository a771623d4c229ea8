package geo

import (
	"math"
	"slices"
)

// Span is a part of a leg in fractions of it: 0 <= From < To <= 1.
type Span struct{ From, To float64 }

// The numbers of the clipping.
const (
	leastSpan   = 1e-9      // of a leg: what is shorter is rounding. Of a leg of 100 km it is a tenth of a millimetre
	circleStep  = 0.25      // degrees: of so short a piece, the distance from a place falls and then rises
	circleLooks = 45        // halvings of a piece; then it is shorter than leastSpan
	degreeAtMax = 111_700.0 // metres: no degree of WGS 84 is longer (111,694 m of latitude at the poles)
)

// Inside appends the parts of the leg from one point to another that lie in the shape, in order and apart from each other. Leg and edges
// are straight in degrees, the shorter way round. What lies inside is what Contains says: even-odd for a ring that crosses itself,
// without the holes, and with the border.
//
// Along an edge that leads out and back over the same places, rounding decides.
//
// A part has a length: a leg that touches the shape in one point is not in it. So a track through a corner enters once. A leg without
// length is inside as a whole or not at all. A place that is not Valid is nowhere.
func (a *Area) Inside(from, to Point, spans []Span) []Span {
	if !from.Valid() || !to.Valid() {
		return spans
	}
	l := clipped{from: from, way: degreesBetween(from, to)}
	if !a.bounds.Intersects(l.legBounds()) {
		return spans
	}
	var room [32]float64
	l.cuts = room[:0]
	a.cutLeg(&l)
	slices.Sort(l.cuts)
	before, begun := 0.0, len(spans)
	for _, cut := range append(l.cuts, 1) {
		if cut-before < leastSpan || cut < 1 && 1-cut < leastSpan {
			continue
		}
		if a.Contains(l.pointAt((before + cut) / 2)) {
			spans = joinSpan(spans, begun, Span{before, cut})
		}
		before = cut
	}
	return spans
}

// Inside is that of the area of the polygon. Who clips many legs makes the area once.
func (g Polygon) Inside(from, to Point) []Span { return NewArea(g).Inside(from, to, nil) }

// joinSpan appends a part, or lengthens the last one up to it.
func joinSpan(spans []Span, begun int, s Span) []Span {
	if last := len(spans) - 1; last >= begun && spans[last].To == s.From {
		spans[last].To = s.To
		return spans
	}
	return append(spans, s)
}

// clipped is a leg with the fractions at which it may come in or go out.
type clipped struct {
	from Point
	way  Vector // degrees
	cuts []float64
}

// pointAt returns the place on the leg after a fraction of it.
func (l *clipped) pointAt(frac float64) Point {
	return Point{Lon: wrap(l.from.Lon + frac*l.way.X), Lat: l.from.Lat + frac*l.way.Y}
}

// legBounds returns the rectangle of the leg.
func (l *clipped) legBounds() Rect {
	east, west := max(l.way.X, 0), min(l.way.X, 0)
	return Rect{
		West: edgeLon(l.from.Lon + west), East: edgeLon(l.from.Lon + east),
		South: l.from.Lat + min(l.way.Y, 0), North: l.from.Lat + max(l.way.Y, 0),
	}
}

// cutLeg finds the fractions at which a leg may come in or go out. It may find too many.
func (a *Area) cutLeg(l *clipped) {
	switch {
	case a.lone != nil:
		for i := 1; i < len(a.lone); i++ {
			l.edge(a.lone[i-1], a.lone[i])
		}
	case a.polygon != nil:
		a.eachBand(l, func(e edgeOf) { l.edge(a.polygon[e.ring][e.end-1], a.polygon[e.ring][e.end]) })
	default:
		if c, ok := a.shape.(Circle); ok {
			l.cutCircle(c)
		}
	}
}

// eachBand calls fn with the edges in the bands that a leg touches. An edge comes once for each of its bands.
func (a *Area) eachBand(l *clipped, fn func(edgeOf)) {
	bands := len(a.first) - 1
	if bands < 1 { // a ring without points
		return
	}
	perBand := a.width / float64(bands)
	west := eastward(l.from.Lon+min(l.way.X, 0)-a.anchor) - bandSlack
	for _, round := range [...]float64{-360, 0} {
		low, high := west+round, west+round+math.Abs(l.way.X)+2*bandSlack
		if high < 0 || low > a.width {
			continue
		}
		from, to := min(bands-1, int(max(0, low)/perBand)), min(bands-1, int(high/perBand))
		for _, e := range a.edges[a.first[from]:a.first[to+1]] {
			fn(e)
		}
	}
}

// edge cuts the leg at an edge. One that runs over the far side of the leg's first point is tested in both places where it then lies.
func (l *clipped) edge(from, to Point) {
	start, edge := degreesBetween(l.from, from), degreesBetween(from, to)
	l.meetEdge(start, edge)
	if end := start.X + edge.X; end >= 180 {
		l.meetEdge(Vector{start.X - 360, start.Y}, edge)
	} else if end < -180 {
		l.meetEdge(Vector{start.X + 360, start.Y}, edge)
	}
}

// meetEdge cuts the leg where it meets an edge. A leg along an edge is cut by the edges beside that.
func (l *clipped) meetEdge(start, edge Vector) {
	if turn := l.way.Cross(edge); turn != 0 {
		if share := start.Cross(l.way) / turn; share >= -leastSpan && share <= 1+leastSpan {
			l.add(start.Cross(edge) / turn)
		}
	}
}

// add takes a cut that lies on the leg.
func (l *clipped) add(frac float64) {
	if frac > 0 && frac < 1 {
		l.cuts = append(l.cuts, frac)
	}
}

// cutCircle cuts the leg at a circle, in pieces so short that each meets the circle twice at the most.
func (l *clipped) cutCircle(c Circle) {
	pieces := max(1, math.Ceil(max(math.Abs(l.way.X), math.Abs(l.way.Y))/circleStep))
	reach := c.Radius + l.way.Length()/pieces*degreeAtMax
	for i := range int(pieces) {
		from, to := float64(i)/pieces, float64(i+1)/pieces
		near := Distance(c.Center, l.pointAt(from))
		switch begins, ends := near <= c.Radius, c.Contains(l.pointAt(to)); {
		case begins != ends:
			l.add(l.circleBorder(c, from, to))
		case !begins && near <= reach:
			if middle := l.nearestShare(c.Center, from, to); c.Contains(l.pointAt(middle)) {
				l.add(l.circleBorder(c, from, middle))
				l.add(l.circleBorder(c, middle, to))
			}
		}
	}
}

// circleBorder halves a piece until it knows where the leg meets the circle.
func (l *clipped) circleBorder(c Circle, from, to float64) float64 {
	begins := c.Contains(l.pointAt(from))
	for range circleLooks {
		if half := (from + to) / 2; c.Contains(l.pointAt(half)) == begins {
			from = half
		} else {
			to = half
		}
	}
	return to
}

// nearestShare returns the fraction of the leg, in a piece of it, that is nearest to a place.
func (l *clipped) nearestShare(p Point, from, to float64) float64 {
	for range 2 * circleLooks {
		a, b := from+(to-from)/3, to-(to-from)/3
		if Distance(p, l.pointAt(a)) <= Distance(p, l.pointAt(b)) {
			to = b
		} else {
			from = a
		}
	}
	return (from + to) / 2
}
