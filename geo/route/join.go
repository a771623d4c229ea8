package route

import (
	"cmp"
	"context"
	"math"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/sea"
)

// end is a stop with its way to the network.
type end struct {
	at     sea.UnitVector // the point afloat
	way    []geo.Point    // from the stop to that point; the stop alone where it is afloat
	onLand float64        // kilometres of it
	port   bool           // at is the place of vertex
	vertex uint32         // of a port; else the nearest that is seen
	off    float64        // kilometres to vertex
	near   bool           // vertex is known
	marked uint32         // the nearest vertex with marks that is seen; none where there is none
	away   float64        // kilometres to marked
	joins  []join         // of a stop that is no port
}

// coastal reports whether an end sees a vertex nearby, so that what the file says of vertices says something of the end.
func (e *end) coastal() bool { return e.near && e.off < freeRay }

// join is a leg between an end and a vertex, not yet tested against the land.
type join struct {
	vertex uint32
	km     float64
}

// How a stop is joined.
const (
	approachKm = 150   // vertices that an approach may lead to
	mostTests  = 96    // legs to near vertices that are tested before a stop counts as shut in
	farthest   = 19000 // kilometres of a leg
	freeRay    = 80    // kilometres of open water that a far leg begins with
	slack      = 8     // bins that a leg may be off the tangent
)

// joinKm are the longest legs to near vertices, by scale.
var joinKm = [...]float64{500, 375, 100, 20}

// askedKm are the legs by scale from which on their direction is asked.
var askedKm = [...]float64{18, 12, 3.6, 0.78}

// joinStop finds how a stop is joined to the network.
func (n *Network) joinStop(ctx context.Context, p geo.Point) (*end, error) {
	if a, ok := n.file.ApproachAt(p); ok {
		if e := n.joinLearned(p, a.OnLand); e != nil {
			return e, nil
		}
		e := &end{at: n.file.At(a.Vertex), way: a.Way, onLand: a.OnLand, port: true, near: true, vertex: a.Vertex, marked: none}
		if n.file.Marked(a.Vertex) {
			e.marked = a.Vertex
		}
		return e, nil
	}
	e := &end{at: sea.At(p), way: []geo.Point{p}, marked: none}
	if n.water.Afloat(p) && n.see(e) {
		return e, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	canal, beside := n.canalBeside(p)
	if canal != nil && beside < 3 {
		return canal, nil
	}
	targets, vertices := n.targetsNear(p)
	a, ok := n.water.Approach(p, targets)
	if !ok {
		a.OnLand = math.Inf(1)
	}
	if e := n.joinLearned(p, a.OnLand); e != nil {
		return e, nil
	}
	if canal != nil && (!ok || a.OnLand > beside) {
		return canal, nil
	}
	if !ok || a.OnLand > graph.MostOnLand {
		return nil, &OnLand{place: p}
	}
	e.way, e.onLand = a.Way, a.OnLand
	e.at = sea.At(a.Way[len(a.Way)-1])
	n.see(e)
	if !e.near {
		e.near, e.vertex, e.off = true, vertices[a.Target], sea.Km(e.at, targets[a.Target])
	}
	return e, nil
}

// joinLearned joins a place over learned water where that leaves less land than so many kilometres; nil where it does not.
func (n *Network) joinLearned(p geo.Point, least float64) *end {
	if least == 0 || n.learned.Load() == nil {
		return nil
	}
	targets, vertices := n.targetsNear(p)
	e, target := n.overLearned(p, targets, least)
	if e != nil && !n.see(e) {
		e.near, e.vertex, e.off = true, vertices[target], sea.Km(e.at, targets[target])
	}
	return e
}

// canalBeside returns the point of a canal nearest to a place as its end; nil when there is none within graph.BesideCanal.
func (n *Network) canalBeside(p geo.Point) (e *end, km float64) {
	here := sea.At(p)
	km = graph.BesideCanal
	n.file.Near(p, km, graph.CanalScale, func(v uint32) {
		if scale, _, _ := n.file.Shape(v); scale != graph.CanalScale {
			return
		}
		if at := n.file.At(v); sea.Km(here, at) < km {
			km = sea.Km(here, at)
			e = &end{at: at, way: []geo.Point{p, at.Point()}, onLand: km, port: true, near: true, vertex: v, marked: v}
		}
	})
	return e, km
}

// targetsNear returns the vertices near a place.
func (n *Network) targetsNear(p geo.Point) (at []sea.UnitVector, vertices []uint32) {
	here := sea.At(p)
	n.file.Near(p, approachKm, len(joinKm)-1, func(v uint32) {
		if w := n.file.At(v); sea.Km(here, w) < approachKm {
			at, vertices = append(at, w), append(vertices, v)
		}
	})
	return at, vertices
}

// see finds the vertices that may be seen from an end, and whether one is.
func (n *Network) see(e *end) bool {
	heading := sea.HeadingAt(e.at)
	e.joins = n.joinsSeen(e.at, joinKm)
	for _, j := range e.joins[:min(len(e.joins), mostTests)] {
		if e.near && !n.file.Marked(j.vertex) || !n.water.Clear(e.at, n.file.At(j.vertex), sea.Exact) {
			continue
		}
		if !e.near {
			e.near, e.vertex, e.off = true, j.vertex, j.km
		}
		if n.file.Marked(j.vertex) {
			e.marked, e.away = j.vertex, j.km
			break
		}
	}
	n.seeFar(e, heading)
	return e.near || len(e.joins) > 0 && e.joins[0].km > joinKm[1]
}

// joinsSeen returns the legs to near vertices that a place may see, by the longest of each scale in kilometres, the shortest first. None is tested.
func (n *Network) joinsSeen(from sea.UnitVector, longest [len(joinKm)]float64) (joins []join) {
	p := from.Point()
	for s, reach := range longest {
		n.file.Near(p, reach, s, func(v uint32) {
			scale, start, span := n.file.Shape(v)
			if int(scale) != s {
				return
			}
			at := n.file.At(v)
			if km := sea.Km(from, at); km <= reach && (km < askedKm[s] || passesVertex(at, from, start, span)) {
				joins = append(joins, join{v, km})
			}
		})
	}
	slices.SortFunc(joins, func(a, b join) int { return cmp.Or(cmp.Compare(a.km, b.km), cmp.Compare(a.vertex, b.vertex)) })
	return joins
}

// seeFar adds the legs over more than the longest near one, in directions that are open.
func (n *Network) seeFar(e *end, heading sea.LocalFrame) {
	var open [sea.Bins]bool
	some := false
	for bin := range open {
		open[bin] = n.water.Clear(e.at, heading.Toward(e.at, float64(bin)+0.5, freeRay), sea.Quick)
		some = some || open[bin]
	}
	if !some {
		return
	}
	n.file.Near(geo.Point{}, math.Inf(1), 0, func(v uint32) {
		at := n.file.At(v)
		km := sea.Km(e.at, at)
		if km <= joinKm[0] || km > farthest || !open[heading.Bin(at)] {
			return
		}
		if _, start, span := n.file.Shape(v); passesVertex(at, e.at, start, span) {
			e.joins = append(e.joins, join{v, km})
		}
	})
}

// passesVertex reports whether a leg that ends at a vertex can pass it.
func passesVertex(vertex, other sea.UnitVector, start, span uint8) bool {
	if span == 0 {
		return true
	}
	bin := sea.HeadingAt(vertex).Bin(other)
	return bin-(start+sea.Bins/4-slack) < span+2*slack || bin-(start-sea.Bins/4-slack) < span+2*slack
}
