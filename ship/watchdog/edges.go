package watchdog

import "quaywatch/geo"

// perRun is how many edges stand in one run.
const perRun = 16

// run is a few edges of a line or ring that follow each other.
type run struct {
	line   geo.Line
	bounds geo.Rect // with the buffer
}

// edges are those of lines and rings, so that a leg and a place are compared with the near ones alone.
type edges []run

// newEdges makes runs of lines; the rings of a polygon are lines.
func newEdges[L ~[]geo.Point](buffer float64, lines ...L) (e edges) {
	for _, line := range lines {
		for from := 0; from+1 < len(line); from += perRun {
			r := run{line: geo.Line(line[from:min(len(line), from+perRun+1)])}
			if r.bounds = r.line.Bounds(); buffer > 0 {
				r.bounds = r.bounds.Expand(buffer)
			}
			e = append(e, r)
		}
	}
	return e
}

// crossing is where a leg crosses an edge.
type crossing struct {
	share    float64 // of the leg
	right    bool    // from the left of the edge to its right
	from, to geo.Point
}

// mostCrossings bounds the crossings that are taken of one leg.
const mostCrossings = 16

// crossings are those of one leg, in its order.
type crossings struct {
	list [mostCrossings]crossing
	n    int
}

// add takes a crossing. Of too many the last on the leg are left out.
func (c *crossings) add(x crossing) {
	i := c.n
	if i == mostCrossings {
		if i--; c.list[i].share <= x.share {
			return
		}
	} else {
		c.n++
	}
	for ; i > 0 && c.list[i-1].share > x.share; i-- {
		c.list[i] = c.list[i-1]
	}
	c.list[i] = x
}

// each calls fn with each crossing of a leg, in no order.
func (e edges) each(l *leg, fn func(crossing)) {
	box := l.legBounds()
	for i := range e {
		if !e[i].bounds.Intersects(box) {
			continue
		}
		for k, line := 1, e[i].line; k < len(line); k++ {
			if share, _, right, ok := geo.Crosses(l.from, l.to, line[k-1:k+1]); ok {
				fn(crossing{share, right, line[k-1], line[k]})
			}
		}
	}
}

// meetsRect reports whether the rectangle of an edge meets another one.
func (e edges) meetsRect(box geo.Rect) bool {
	for i := range e {
		if !e[i].bounds.Intersects(box) {
			continue
		}
		for k, line := 1, e[i].line; k < len(line); k++ {
			if line[k-1 : k+1].Bounds().Intersects(box) {
				return true
			}
		}
	}
	return false
}

// crossingEnds returns the shares of a leg at which it crosses the first edge and the last; false where it crosses none.
func (e edges) crossingEnds(l *leg) (first, last float64, ok bool) {
	first, last = 1, 0
	e.each(l, func(c crossing) {
		first, last, ok = min(first, c.share), max(last, c.share), true
	})
	return first, last, ok
}

// isNear reports whether a place lies within so many metres of an edge.
func (e edges) isNear(p geo.Point, metres float64) bool {
	var plane geo.Plane
	ready := false
	for i := range e {
		if !e[i].bounds.Contains(p) {
			continue
		}
		if !ready {
			plane, ready = geo.PlaneAt(p), true
		}
		for k, line := 1, e[i].line; k < len(line); k++ {
			if (geo.Vector{}).EdgeDistance(plane.Vector(line[k-1]), plane.Vector(line[k])) <= metres {
				return true
			}
		}
	}
	return false
}
