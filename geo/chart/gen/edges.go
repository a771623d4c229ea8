package main

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"quaywatch/geo/chart/land"
)

// edge is a piece of coast in a level's units, land on its left.
type edge struct{ a, b vertex }

// edgesOf returns the coast of a level: the edges of the rings in order. It leaves out the southern rim of the map and edges that two lands
// share. Most of those lie on the 180° meridian, where the source cuts.
func edgesOf(rings []ring, l level) []edge {
	half, bottom := int32(180*l.units), int32(-90*l.units)
	var edges []edge
	var of []int32         // edge by edge its ring
	rim := map[int32]int{} // change of the count of edges along 180°, northward positive
	for n, source := range rings {
		r := resample(source, l)
		for i, a := range r {
			e := edge{a, r[(i+1)%len(r)]}
			switch {
			case e.a.y == bottom && e.b.y == bottom:
			case (e.a.x == half || e.a.x == -half) && (e.b.x == half || e.b.x == -half) && e.a.x == e.b.x:
				addRim(rim, e)
			default:
				edges, of = append(edges, e), append(of, int32(n))
			}
		}
	}
	if l.tolerance == 0 {
		edges, _ = openGaps(edges, of, rings, l.units)
	}
	return append(cancel(edges), rimEdges(rim, half)...)
}

// cancel drops pairs of edges that run the same way in both directions.
func cancel(edges []edge) []edge {
	count := map[edge]int{}
	for _, e := range edges {
		count[e]++
	}
	drop := map[edge]int{}
	for e, n := range count {
		if m := count[edge{e.b, e.a}]; m > 0 {
			drop[e] = min(n, m)
		}
	}
	return slices.DeleteFunc(edges, func(e edge) bool {
		if drop[e] == 0 {
			return false
		}
		drop[e]--
		return true
	})
}

func addRim(rim map[int32]int, e edge) {
	if e.a.y < e.b.y {
		rim[e.a.y]++
		rim[e.b.y]--
	} else {
		rim[e.b.y]--
		rim[e.a.y]++
	}
}

// rimEdges returns what remains on the 180° meridian: coast that ends there in truth.
func rimEdges(rim map[int32]int, half int32) []edge {
	ys := make([]int32, 0, len(rim))
	for y := range rim {
		ys = append(ys, y)
	}
	slices.Sort(ys)
	var edges []edge
	n := 0
	for i, y := range ys {
		if n > 0 {
			edges = append(edges, edge{vertex{-half, ys[i-1]}, vertex{-half, y}})
		}
		if n < 0 {
			edges = append(edges, edge{vertex{-half, y}, vertex{-half, ys[i-1]}})
		}
		n += rim[y]
	}
	return edges
}

// windings answers for the reference points of all sub-cells how often the coast goes round them.
type windings struct {
	side    int64 // units of the finest sub-cell
	half    int64
	columns []column
}

// column holds where the coast passes the meridian of a column's reference points, from south to north.
type column struct {
	y    []float64 // units
	turn []int     // sum of the turns of this passage and of those north of it
}

func newWindings(edges []edge, l level) *windings {
	w := &windings{side: int64(l.units*l.degrees) >> land.MaxSplit, half: int64(180 * l.units)}
	w.columns = make([]column, 2*w.half/w.side)
	for _, e := range edges {
		west, east := int64(min(e.a.x, e.b.x)), int64(max(e.a.x, e.b.x))
		first := (west + w.half) / w.side
		for i := max(first, 0); i < int64(len(w.columns)); i++ {
			x := float64(i*w.side-w.half) + float64(land.RefX)/land.Fine
			if x > float64(east) {
				break
			}
			if x > float64(west) {
				w.columns[i].add(e, x)
			}
		}
	}
	for i := range w.columns {
		w.columns[i].sum()
	}
	return w
}

func (c *column) add(e edge, x float64) {
	t := (x - float64(e.a.x)) / float64(e.b.x-e.a.x)
	c.y = append(c.y, float64(e.a.y)+t*float64(e.b.y-e.a.y))
	turn := 1 // sailing west with land on the left: land is south
	if e.b.x > e.a.x {
		turn = -1
	}
	c.turn = append(c.turn, turn)
}

func (c *column) sum() {
	sort.Sort(c)
	for i := len(c.turn) - 2; i >= 0; i-- {
		c.turn[i] += c.turn[i+1]
	}
}

func (c *column) Len() int           { return len(c.y) }
func (c *column) Less(i, j int) bool { return c.y[i] < c.y[j] }
func (c *column) Swap(i, j int) {
	c.y[i], c.y[j] = c.y[j], c.y[i]
	c.turn[i], c.turn[j] = c.turn[j], c.turn[i]
}

// windingAt returns the winding number of the reference point of the sub-cell with a south-west corner. It is the sum of the turns on the way to
// the north pole, which is sea.
func (w *windings) windingAt(x, y int64) (int, error) {
	c := &w.columns[(x+w.half)/w.side]
	ref := float64(y) + float64(land.RefY)/land.Fine
	i := sort.SearchFloat64s(c.y, ref)
	for _, j := range []int{i - 1, i} {
		if j >= 0 && j < len(c.y) && math.Abs(c.y[j]-ref) < 1e-7 {
			return 0, fmt.Errorf("reference point %d,%d lies on the coast", x, y)
		}
	}
	if i == len(c.turn) {
		return 0, nil
	}
	return c.turn[i], nil
}
