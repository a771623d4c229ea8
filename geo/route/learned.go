package route

import (
	"quaywatch/geo"
	"quaywatch/geo/chart/water"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/sea"
)

// Bounds of a way over learned water.
const (
	mostSteps   = 350    // cells of some 28 m: 10 km
	mostVisited = 50_000 // cells
	mostOutlets = 3      // places where it leads to water of the chart that are tried
	outletsOff  = 500    // metres between two of them
	besideCells = 10     // cells from a place to learned water, at most
)

// Learn has the ways from now on use water that ships taught, in their first and last 10 km. nil is none. What was asked before is found anew.
func (n *Network) Learn(o *water.Overlay) {
	n.learned.Store(o)
	n.asked.clearWays()
	if f := n.fairways.Load(); f != nil {
		f.asked.clearWays()
	}
}

// overLearned finds how a place ashore is joined over learned water, and leaves less land than an approach without it; nil where it is not. The
// places where learned water meets that of the chart are tried from the nearest on.
func (n *Network) overLearned(p geo.Point, targets []sea.UnitVector, least float64) (e *end, target int) {
	o := n.learned.Load()
	first, ok := nearestLearned(o, p)
	if !ok {
		return nil, 0
	}
	ashore := geo.Distance(p, first.Center()) / 1000
	if o.Learned(water.CellAt(p)) {
		ashore = 0
	}
	for _, way := range n.outlets(o, first) {
		outlet := way[len(way)-1]
		a, ok := n.water.Approach(outlet, targets)
		if !ok || a.OnLand+ashore >= least || a.OnLand+ashore > graph.MostOnLand {
			continue
		}
		least, target = a.OnLand+ashore, a.Target
		points := append([]geo.Point{p}, n.straight(o, way)...)
		e = &end{way: append(points, a.Way[1:]...), onLand: least, marked: none}
		e.at = sea.At(e.way[len(e.way)-1])
	}
	return e, target
}

// nearestLearned returns the learned cell that is nearest to a place.
func nearestLearned(o *water.Overlay, p geo.Point) (nearest water.Square, ok bool) {
	at, least := water.CellAt(p), 0.0
	for dy := int32(-besideCells); dy <= besideCells; dy++ {
		for dx := int32(-besideCells); dx <= besideCells; dx++ {
			c := water.Square{Row: at.Row + dy, Col: at.Col + dx}
			if !o.Learned(c) {
				continue
			}
			if metres := geo.Distance(p, c.Center()); !ok || metres < least {
				nearest, least, ok = c, metres, true
			}
		}
	}
	return nearest, ok
}

// outlets returns the shortest ways over learned cells to the places where they lead to water of the chart, the nearest first.
func (n *Network) outlets(o *water.Overlay, first water.Square) (ways [][]geo.Point) {
	type step struct {
		from  water.Square
		count int
	}
	steps := map[water.Square]step{first: {first, 0}}
	for queue := []water.Square{first}; len(queue) > 0 && len(ways) < mostOutlets; queue = queue[1:] {
		c := queue[0]
		for _, next := range c.Beside() {
			if _, seen := steps[next]; seen || steps[c].count == mostSteps || len(steps) == mostVisited {
				continue
			}
			learned := o.Learned(next)
			if !learned && (!n.water.Afloat(next.Center()) || n.overLand(o, c.Center(), next.Center())) {
				continue
			}
			steps[next] = step{c, steps[c].count + 1}
			if learned {
				queue = append(queue, next)
				continue
			}
			if n := len(ways); n > 0 && geo.Distance(ways[n-1][len(ways[n-1])-1], next.Center()) < outletsOff {
				continue
			}
			way := []geo.Point{next.Center()}
			for at := c; ; at = steps[at].from {
				way = append([]geo.Point{at.Center()}, way...)
				if at == first {
					break
				}
			}
			ways = append(ways, way)
		}
	}
	return ways
}

// overLand reports whether a leg goes over land that no ship taught to be water.
func (n *Network) overLand(o *water.Overlay, a, b geo.Point) bool {
	return n.coast.LegCrossesLand(a, b) && o.Unlearned(a, b, n.coast.LegCrossesLand)
}

// straight leaves out the places of a way whose neighbours are joined by water.
func (n *Network) straight(o *water.Overlay, way []geo.Point) []geo.Point {
	points := way[:1:1]
	for at := 0; at < len(way)-1; {
		next := at + 1
		for last := at + 2; last < len(way) && last < at+100 && !n.overLand(o, way[at], way[last]); last++ {
			next = last
		}
		points = append(points, way[next])
		at = next
	}
	return points
}
