package main

import "math"

// Which inland waters stay.
const (
	minWater = 20.0 // km²; an inland water of this size stays wherever it lies
	joinGap  = 60   // source units of latitude, 670 m. A water stays if a point of it is nearer than that to the sea, or to a water that joins the sea
	reachGap = 135  // source units of latitude, 1.5 km: from part to part of a river
	minPart  = 0.3  // km²; smaller waters are no part of a river
	minReach = 4.0  // km² that a part of a river must lead to, itself included
	sampling = 20   // source units between the points by which the banks of rivers are compared
)

// keepWaters chooses inland waters: large ones, those that lie at the sea or at a water that joins it, and the parts of rivers. The source
// simplified each tile of a river by itself, and its pieces no longer meet; so waters that are near count as joined.
func keepWaters(outers, waters []ring) []ring {
	kept := joinedWaters(outers, waters)
	for i, r := range waters {
		kept[i] = len(r) >= 3 && (kept[i] || squareKilometres(r) > minWater)
	}
	rivers := riverParts(outers, waters, kept)
	var left []ring
	for i, r := range waters {
		if kept[i] || rivers[i] {
			left = append(left, r)
		}
	}
	return left
}

// joinedWaters tells the waters at the sea, and those at a water that joins it.
func joinedWaters(outers, waters []ring) []bool {
	n := newNeighbours(waters, joinGap)
	n.spreadSea(outers, waters)
	return n.joined
}

// riverParts tells the waters of chains that begin at the sea. A part stays when it leads to enough water that would else be dropped, so
// that rivers stay and ponds beside them go.
func riverParts(outers, waters []ring, kept []bool) []bool {
	banks := make([]ring, len(waters))
	for i, r := range waters {
		if len(r) >= 3 && squareKilometres(r) >= minPart {
			banks[i] = sampled(r)
		}
	}
	shores := make([]ring, len(outers))
	for i, r := range outers {
		shores[i] = sampled(r)
	}
	n := newNeighbours(banks, reachGap)
	n.spreadSea(shores, banks)
	leads := make([]float64, len(waters)) // km²
	stays := make([]bool, len(waters))
	for i := len(n.found) - 1; i >= 0; i-- {
		w := n.found[i]
		if !kept[w] {
			leads[w] += squareKilometres(waters[w])
		}
		stays[w] = leads[w] >= minReach
		if from := n.from[w]; from >= 0 {
			leads[from] += leads[w]
		}
	}
	return stays
}

// sampled puts points on the long edges of a ring.
func sampled(r ring) ring {
	var out ring
	for i, a := range r {
		b := r[(i+1)%len(r)]
		scale := math.Cos(float64(a.y) / perDegree * math.Pi / 180)
		n := int(math.Hypot(float64(b.x-a.x)*scale, float64(b.y-a.y))/sampling) + 1
		for k := range n {
			t := float64(k) / float64(n)
			out = append(out, vertex{a.x + int32(float64(b.x-a.x)*t), a.y + int32(float64(b.y-a.y)*t)})
		}
	}
	return out
}

// neighbours finds waters by their points.
type neighbours struct {
	gap    float64             // source units of latitude
	cells  map[vertex][]corner // by squares of gap a side
	joined []bool              // water by water
	from   []int               // water by water the one from which it was found; -1 = the sea
	found  []int               // the waters that joined, in their order from the sea
}

// corner is a point of a water.
type corner struct {
	water int
	at    vertex
}

func newNeighbours(waters []ring, gap float64) *neighbours {
	n := &neighbours{gap: gap, cells: map[vertex][]corner{}, joined: make([]bool, len(waters)), from: make([]int, len(waters))}
	for i, r := range waters {
		for _, v := range r {
			c := n.cellOf(v)
			n.cells[c] = append(n.cells[c], corner{i, v})
		}
	}
	return n
}

// spreadSea joins waters to the sea, and then waters to these.
func (n *neighbours) spreadSea(outers, waters []ring) {
	for _, r := range outers {
		n.joinAround(r, -1)
	}
	for i := 0; i < len(n.found); i++ {
		n.joinAround(waters[n.found[i]], n.found[i])
	}
}

func (n *neighbours) cellOf(v vertex) vertex {
	return vertex{int32(math.Floor(float64(v.x) / n.gap)), int32(math.Floor(float64(v.y) / n.gap))}
}

// joinAround joins all waters with a point within the gap of one of a ring's.
func (n *neighbours) joinAround(r ring, from int) {
	for _, v := range r {
		n.visitNear(v, func(c corner) {
			if !n.joined[c.water] && metresApart(v, c.at) <= n.gap*metresPerUnit {
				n.joined[c.water], n.from[c.water] = true, from
				n.found = append(n.found, c.water)
			}
		})
	}
}

// visitNear visits all points within the gap of one, and some more.
func (n *neighbours) visitNear(v vertex, visit func(corner)) {
	c := n.cellOf(v)
	wide := int32(math.Ceil(1 / max(math.Cos(float64(v.y)/perDegree*math.Pi/180), 0.1)))
	for dx := -wide; dx <= wide; dx++ {
		for dy := int32(-1); dy <= 1; dy++ {
			for _, at := range n.cells[vertex{c.x + dx, c.y + dy}] {
				visit(at)
			}
		}
	}
}
