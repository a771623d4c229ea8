package main

import (
	"cmp"
	"math"
	"slices"
)

// strip is a rectangle of water over a gap, in a level's units. Its sides lie half a unit north and east of its numbers, so that no point
// of the coast is on them.
type strip struct{ west, south, east, north int32 }

// stripOver lays a strip over a gap: half metres to either side, and some more at its ends.
func (g gap) stripOver(units int, half, beyond float64) strip {
	dx, dy := half, beyond
	switch g.kind {
	case alongParallel:
		dx, dy = beyond, half
	case across:
		dy = half
	}
	scale, cos := float64(units)/perDegree, math.Cos(float64(g.box[0].y)/perDegree*math.Pi/180)
	grid := func(v int32, metres float64) int32 {
		return int32(math.Round((float64(v) + metres/metresPerUnit) * scale))
	}
	return strip{grid(g.box[0].x, -dx/cos), grid(g.box[0].y, -dy), grid(g.box[1].x, dx/cos), grid(g.box[1].y, dy)}
}

const minMouth = 2 // units, some 50 m, at the place where a strip opens into a water

// stripShapes returns half the width of strips, and how far they reach beyond the gap, in metres, in the order in which they are tried.
func stripShapes() [][2]float64 {
	return [][2]float64{{75, 100}, {75, 200}, {50, 60}, {75, 300}, {50, 200}}
}

// opener lays strips of water over gaps.
type opener struct {
	units int
	edges []edge
	of    []int32            // edge by edge its ring; -1 = the edge is gone
	near  map[vertex][]int32 // edges by squares of 64 units, near gaps alone
	water []int              // ring by ring the water whose shore it is, as a forest
}

// openGaps lays a strip over each gap that parts two waters which nothing joins yet. So a strip never makes a second way between two waters,
// and none joins two seas. It returns the edges of the new coast, and how many gaps it opened.
func openGaps(edges []edge, of []int32, rings []ring, units int) ([]edge, int) {
	sea := len(rings)
	o := &opener{units: units, edges: edges, of: of, near: map[vertex][]int32{}, water: make([]int, sea+1)}
	for i := range o.water {
		o.water[i] = i
		if i < sea && ringArea(rings[i]) > 0 {
			o.water[i] = sea
		}
	}
	gaps := findGaps(rings)
	o.indexEdges(gaps)
	opened := 0
	for _, g := range gaps {
		if o.open(g) {
			opened++
		}
	}
	return o.chained(), opened
}

// indexEdges finds the edges near gaps.
func (o *opener) indexEdges(gaps []gap) {
	for _, g := range gaps {
		g.stripOver(o.units, 200, 300).cells(func(c vertex) { o.near[c] = nil })
	}
	for i := range o.edges {
		o.add(int32(i))
	}
}

func (o *opener) add(i int32) {
	e := o.edges[i]
	box := strip{min(e.a.x, e.b.x), min(e.a.y, e.b.y), max(e.a.x, e.b.x), max(e.a.y, e.b.y)}
	box.cells(func(c vertex) {
		if was, ok := o.near[c]; ok {
			o.near[c] = append(was, i)
		}
	})
}

// cells visits the squares of opener.near that a strip touches.
func (s strip) cells(visit func(vertex)) {
	for x := s.west >> 6; x <= s.east>>6; x++ {
		for y := s.south >> 6; y <= s.north>>6; y++ {
			visit(vertex{x, y})
		}
	}
}

func (o *opener) open(g gap) bool {
	if g.a != g.b && o.waterOf(g.a) == o.waterOf(g.b) {
		return false
	}
	for _, shape := range stripShapes() {
		s := g.stripOver(o.units, shape[0], shape[1])
		if cuts, under, ok := o.findCuts(s, g); ok {
			o.layStrip(s, cuts, under)
			o.water[o.waterOf(g.a)] = o.waterOf(g.b)
			return true
		}
	}
	return false
}

func (o *opener) waterOf(ring int) int {
	for o.water[ring] != ring {
		o.water[ring] = o.water[o.water[ring]]
		ring = o.water[ring]
	}
	return ring
}

// cut is where the coast passes a side of a strip.
type cut struct {
	edge  int32
	enter bool // into the strip
	at    vertex
	along float64 // round the strip from its north-west corner, clockwise
}

// findCuts finds the edges under a strip and where they pass its sides. It is ok when the strip cuts one piece of the coast of each of the two waters, and no other
// coast. Then the land under it is in one piece, and the strip is one passage.
func (o *opener) findCuts(s strip, g gap) (cuts []cut, under []int32, ok bool) {
	seen := map[int32]bool{}
	ok = true
	s.cells(func(c vertex) {
		for _, i := range o.near[c] {
			in, out, touches := s.clip(o.edges[i])
			if seen[i] || o.of[i] < 0 || !touches {
				continue
			}
			seen[i] = true
			ok = ok && (int(o.of[i]) == g.a || int(o.of[i]) == g.b)
			under = append(under, i)
			if in > 0 {
				cuts = append(cuts, s.cutAt(o.edges[i], i, in, true))
			}
			if out < 1 {
				cuts = append(cuts, s.cutAt(o.edges[i], i, out, false))
			}
		}
	})
	if !ok || len(cuts) != 4 {
		return nil, nil, false
	}
	cuts, ok = o.inTurn(cuts, g.a == g.b)
	return cuts, under, ok
}

// inTurn puts four cuts in their order round the strip, the first one an entry. A way along the strip's side, from an entry to an exit, must lead from one
// coast to the other, else it is not ok. A pinch has no such way. Nor is it ok when a mouth, from an exit to an entry, is too narrow.
func (o *opener) inTurn(cuts []cut, pinch bool) (turned []cut, ok bool) {
	slices.SortFunc(cuts, func(a, b cut) int { return cmp.Compare(a.along, b.along) })
	if !cuts[0].enter {
		cuts = append(cuts[1:], cuts[0])
	}
	for i, c := range cuts {
		next := cuts[(i+1)%4]
		if c.enter != (i%2 == 0) || c.enter && !pinch && o.of[c.edge] == o.of[next.edge] {
			return nil, false
		}
		if !c.enter && max(c.at.x-next.at.x, next.at.x-c.at.x, c.at.y-next.at.y, next.at.y-c.at.y) < minMouth {
			return nil, false
		}
	}
	return cuts, true
}

// clip returns the part of an edge within the strip as shares of the edge's length.
func (s strip) clip(e edge) (in, out float64, touches bool) {
	in, out = 0, 1
	for _, side := range [4][2]float64{ // the edge's step towards a side, and the way of its first point to the side
		{float64(e.a.x - e.b.x), float64(e.a.x) - float64(s.west) - 0.5},
		{float64(e.b.x - e.a.x), float64(s.east) + 0.5 - float64(e.a.x)},
		{float64(e.a.y - e.b.y), float64(e.a.y) - float64(s.south) - 0.5},
		{float64(e.b.y - e.a.y), float64(s.north) + 0.5 - float64(e.a.y)},
	} {
		step, room := side[0], side[1]
		switch {
		case step == 0 && room < 0:
			return 0, 0, false
		case step < 0:
			in = max(in, room/step)
		case step > 0:
			out = min(out, room/step)
		}
	}
	return in, out, in < out
}

// stripSize returns the width and the height of a strip.
func (s strip) stripSize() (w, h float64) {
	return float64(s.east - s.west), float64(s.north - s.south)
}

// cutAt returns the point at a share of an edge, on the side of the strip.
func (s strip) cutAt(e edge, i int32, share float64, enter bool) cut {
	x, y := float64(e.a.x)+share*float64(e.b.x-e.a.x), float64(e.a.y)+share*float64(e.b.y-e.a.y)
	w, h := s.stripSize()
	west, south := math.Abs(x-float64(s.west)-0.5), math.Abs(y-float64(s.south)-0.5)
	east, north := math.Abs(x-float64(s.east)-0.5), math.Abs(y-float64(s.north)-0.5)
	px, py := min(max(int32(math.Round(x)), s.west), s.east), min(max(int32(math.Round(y)), s.south), s.north)
	c := cut{edge: i, enter: enter}
	switch min(west, south, east, north) {
	case north:
		c.at, c.along = vertex{px, s.north}, x-float64(s.west)
	case east:
		c.at, c.along = vertex{s.east, py}, w+float64(s.north)-y
	case south:
		c.at, c.along = vertex{px, s.south}, w+h+float64(s.east)-x
	default:
		c.at, c.along = vertex{s.west, py}, 2*w+h+y-float64(s.south)
	}
	return c
}

// layStrip takes the coast under a strip away, and draws the new coast along the strip's sides: clockwise, so with land on the left.
func (o *opener) layStrip(s strip, cuts []cut, under []int32) {
	ring := o.of[cuts[0].edge]
	for _, i := range under {
		e, of := o.edges[i], o.of[i]
		o.of[i] = -1
		for _, c := range cuts {
			switch {
			case c.edge == i && c.enter:
				o.putEdge(edge{e.a, c.at}, of)
			case c.edge == i:
				o.putEdge(edge{c.at, e.b}, of)
			}
		}
	}
	for k := 0; k < len(cuts); k += 2 {
		o.bank(s, cuts[k], cuts[k+1], ring)
	}
}

// bank draws the coast along a strip's sides from one cut to the next.
func (o *opener) bank(s strip, from, to cut, ring int32) {
	w, h := s.stripSize()
	round := 2 * (w + h)
	if to.along < from.along {
		to.along += round
	}
	at := from.at
	for turn := range 2 {
		for i, corner := range []vertex{{s.east, s.north}, {s.east, s.south}, {s.west, s.south}, {s.west, s.north}} {
			along := []float64{w, w + h, 2*w + h, round}[i] + float64(turn)*round
			if along > from.along && along < to.along {
				o.putEdge(edge{at, corner}, ring)
				at = corner
			}
		}
	}
	o.putEdge(edge{at, to.at}, ring)
}

func (o *opener) putEdge(e edge, ring int32) {
	if e.a == e.b {
		return
	}
	o.edges, o.of = append(o.edges, e), append(o.of, ring)
	o.add(int32(len(o.edges) - 1))
}

// chained returns the edges that are left, each after one that leads to it, as far as that goes.
func (o *opener) chained() []edge {
	begins := make(map[vertex][]int32, len(o.edges))
	for i, e := range o.edges {
		if o.of[i] >= 0 {
			begins[e.a] = append(begins[e.a], int32(i))
		}
	}
	chained := make([]edge, 0, len(o.edges))
	for i := range o.edges {
		for next := int32(i); o.of[next] >= 0; {
			o.of[next] = -1
			at := o.edges[next].b
			chained = append(chained, o.edges[next])
			for _, n := range begins[at] {
				if o.of[n] >= 0 {
					next = n
					break
				}
			}
		}
	}
	return chained
}
