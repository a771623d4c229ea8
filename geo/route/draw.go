package route

import (
	"quaywatch/geo"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// isFreeLeg reports whether a leg between two places afloat goes over no land and through no closed passage.
func (n *Network) isFreeLeg(a, b sea.UnitVector, closed passage.PassageSet, step float64) bool {
	return n.water.Clear(a, b, step) && n.gates.Of(a, b)&closed == 0
}

// sight reports whether a leg may be sailed. It is walked in steps of so many kilometres.
type sight func(a, b sea.UnitVector, step float64) bool

// open returns the sight of a search with closed passages.
func (n *Network) open(closed passage.PassageSet) sight {
	return func(a, b sea.UnitVector, step float64) bool { return n.isFreeLeg(a, b, closed, step) }
}

// line is a way while it is drawn.
type line struct {
	points []geo.Point
	at     []sea.UnitVector
	fixed  []bool // by leg
}

func (l *line) add(p geo.Point, at sea.UnitVector, fixed bool) {
	if n := len(l.points); n > 0 {
		if l.points[n-1] == p {
			return
		}
		l.fixed = append(l.fixed, fixed)
	}
	l.points, l.at = append(l.points, p), append(l.at, at)
}

// draw makes a line of the vertices that a search found.
func (n *Network) draw(from, to *end, path []uint32, closed passage.PassageSet) *line {
	raw, free := n.raw(from, to, path), n.open(closed)
	raw.dropLoops(free)
	return tighten(smooth(raw, free), free, n.water)
}

// makeWay makes a way of a line, with kilometres on land at both ends.
func (n *Network) makeWay(l *line, snapFrom, snapTo float64) *Way {
	w := &Way{Points: l.points, fixed: l.fixed, SnapFrom: 1000 * snapFrom, SnapTo: 1000 * snapTo}
	for i := 1; i < len(w.Points); i++ {
		w.Distance += geo.Distance(w.Points[i-1], w.Points[i])
		w.gates |= n.gates.Of(l.at[i-1], l.at[i])
	}
	return w
}

// raw joins approach, vertices and approach.
func (n *Network) raw(from, to *end, path []uint32) *line {
	l := &line{}
	for i, p := range from.way {
		at := sea.At(p)
		l.add(p, at, i > 0 && !n.afloat(from.way[i-1], p))
	}
	for i, v := range path {
		if from.port && i == 0 || to.port && i == len(path)-1 {
			continue // the last point of its way
		}
		at := n.file.At(v)
		l.add(at.Point(), at, i > 0 && n.forced(path[i-1], v))
	}
	for i := len(to.way) - 1; i >= 0; i-- {
		p, fixed := to.way[i], false
		switch last := len(path) - 1; {
		case i < len(to.way)-1:
			fixed = !n.afloat(to.way[i+1], p)
		case to.port && last > 0:
			fixed = n.forced(path[last-1], path[last])
		}
		l.add(p, sea.At(p), fixed)
	}
	return l
}

// afloat reports whether a leg of an approach is on water. In a narrow river the coast may lie a few centimetres off, so it is asked in both directions
// and in steps of several lengths.
func (n *Network) afloat(a, b geo.Point) bool {
	if !n.water.Afloat(a) || !n.water.Afloat(b) {
		return false
	}
	u, v := sea.At(a), sea.At(b)
	for _, step := range []float64{sea.Exact, sea.Exact / 3, sea.Quick} {
		if !n.water.Clear(u, v, step) || !n.water.Clear(v, u, step) {
			return false
		}
	}
	return true
}

// forced reports whether an edge is part of a canal.
func (n *Network) forced(a, b uint32) bool {
	first, last := n.file.Row(a)
	for e := first; e < last; e++ {
		if to, flags := n.file.Half(e); to == b {
			return flags&graph.Forced != 0
		}
	}
	return false
}

// smooth leaves out points whose neighbours see each other.
func smooth(l *line, free sight) *line {
	s := &line{}
	if len(l.points) == 0 {
		return s
	}
	s.add(l.points[0], l.at[0], false)
	for i := 0; i < len(l.fixed); {
		if l.fixed[i] {
			i++
			s.add(l.points[i], l.at[i], true)
			continue
		}
		last := i + 1
		for last < len(l.fixed) && !l.fixed[last] {
			last++
		}
		next := farthestSeen(l, i, last, free, sea.Quick)
		if next > i+1 && !free(l.at[i], l.at[next], sea.Exact) { // the long steps passed a sliver of land
			next = farthestSeen(l, i, next-1, free, sea.Exact)
		}
		i = next
		s.add(l.points[i], l.at[i], false)
	}
	return s
}

// farthestSeen returns a point up to last that is seen from the point from, in steps of some kilometres. It is found by doubling the count of points, then by
// halving it. The next point is always seen.
func farthestSeen(l *line, from, last int, free sight, km float64) int {
	seen, hidden := from+1, last+1
	for step := 2; from+step <= last; step *= 2 {
		if !free(l.at[from], l.at[from+step], km) {
			hidden = from + step
			break
		}
		seen = from + step
	}
	if hidden > last && seen < last && free(l.at[from], l.at[last], km) {
		return last
	}
	hidden = min(hidden, last+1)
	for hidden-seen > 1 {
		middle := (seen + hidden) / 2
		if middle <= last && free(l.at[from], l.at[middle], km) {
			seen = middle
		} else {
			hidden = middle
		}
	}
	return seen
}
