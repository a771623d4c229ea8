package main

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/queue"
	"quaywatch/geo/route/sea"
)

// scale is a size of corners.
type scale struct {
	disc      float64 // kilometres, the radius of the disc of open water
	tolerance float64 // kilometres, of the simplified coast
	offset    float64 // kilometres from the corner to its vertex
	join      float64 // kilometres, the longest near edge
	byPort    float64 // kilometres from a port within which the scale is kept; 0 is everywhere
	byStrait  float64 // the same from a strait
}

// scales go from coarse to fine. A disc is at least 2.5 offsets, and an offset 1.5 tolerances; else neighbours on one coast may not see
// each other.
var scales = []scale{
	{disc: 30, tolerance: 2, offset: 3, join: 500},
	{disc: 8, tolerance: 0.8, offset: 2, join: 150},
	{disc: 1.5, tolerance: 0.25, offset: 0.6, join: 40, byPort: 45, byStrait: 45},
	{disc: 0.35, tolerance: 0.05, offset: 0.13, join: 8, byPort: 15, byStrait: 45},
}

// mask is a set of directions.
type mask [sea.Bins / 64]uint64

func (m *mask) setBin(bin int) { m[bin>>6&3] |= 1 << (bin & 63) }

func (m *mask) has(bin uint8) bool { return m[bin>>6]&(1<<(bin&63)) != 0 }

// setRange adds count directions from one on.
func (m *mask) setRange(from, count int) {
	for i := range min(count, sea.Bins) {
		m.setBin((from + i) & (sea.Bins - 1))
	}
}

func (m *mask) isFull() bool { return m[0]&m[1]&m[2]&m[3] == math.MaxUint64 }

func (m *mask) countBits() (n int) {
	for _, w := range m {
		n += bits.OnesCount64(w)
	}
	return n
}

// run is an arc of directions.
type run struct{ start, span int }

// shortest is the shortest run that counts, in bins.
const shortest = 4

// gaps returns the runs of directions that are not in the set.
func (m *mask) gaps() (runs []run) {
	if m.countBits() == 0 {
		return []run{{0, sea.Bins}}
	}
	first := 0
	for !m.has(uint8(first)) {
		first++
	}
	for i := 1; i <= sea.Bins; i++ {
		if m.has(uint8(first + i)) {
			continue
		}
		r := run{(first + i) % sea.Bins, 0}
		for !m.has(uint8(first + i)) {
			r.span++
			i++
		}
		if r.span >= shortest {
			runs = append(runs, r)
		}
	}
	return runs
}

// corner is a point of the coast with the directions in which no disc of open water can lie.
type corner struct {
	at      geo.Point
	blocked mask
}

// node is a vertex of the network while it is made.
type node struct {
	at    sea.UnitVector
	frame sea.LocalFrame
	scale int // of its corner; graph.PortScale and graph.CanalScale for others
	start int // of the run of its discs, in bins
	span  int // bins; 0 for a vertex that may be passed in any direction
}

// placeVertices finds the vertices of all scales, coarse to fine.
func (b *build) placeVertices() {
	var kept [][]corner
	var keptAt []*index
	for s, sc := range scales {
		found := b.corners(sc)
		found, at := spreadCorners(found, sc.offset/2)
		for i := range found {
			for coarse := range kept {
				takeAway(&found[i], kept[coarse], keptAt[coarse], scales[coarse].offset/2)
			}
		}
		for i := range found {
			b.nodesOf(&found[i], s)
		}
		kept, keptAt = append(kept, found), append(keptAt, at)
	}
	b.openByPorts()
}

// openByPorts lets ways begin in any direction at the two coarse vertices nearest to each port. From a port on a straight coast the way over the
// ocean passes no corner.
func (b *build) openByPorts() {
	const within = 80
	coarse := newIndex(within)
	var numbers []int
	for i := range b.nodes {
		if b.nodes[i].scale == 0 {
			coarse.add(b.nodes[i].at.Point())
			numbers = append(numbers, i)
		}
	}
	for _, p := range b.ports {
		at := sea.At(p.Position)
		var near queue.Queue[float64, int]
		coarse.visitNear(p.Position, within, func(i int32) bool {
			near.Push(sea.Km(at, coarse.vectors[i]), numbers[i])
			return true
		})
		for range min(2, len(near)) {
			if first := near.Pop(); first.Rank < within {
				b.nodes[first.Value].span = 0
			}
		}
	}
}

// corners returns the corners of one scale that a disc can touch.
func (b *build) corners(sc scale) []corner {
	near := b.needed(sc)
	simple := make([]ring, len(b.rings))
	parallel(len(b.rings), 256, func(from, to int) struct{} {
		for i := from; i < to; i++ {
			simple[i] = b.rings[i].simplified(sc.tolerance)
		}
		return struct{}{}
	})
	coast := newIndex(2 * sc.disc)
	for _, r := range simple {
		r.samples(sc.disc/4, func(p geo.Point) {
			if near(p, 2*sc.disc+1) {
				coast.add(p)
			}
		})
	}
	lists := parallel(len(simple), 64, func(from, to int) (found []corner) {
		for _, r := range simple[from:to] {
			for i := range r.points {
				if c, ok := touched(r, i, sc, coast, near); ok {
					found = append(found, c)
				}
			}
		}
		return found
	})
	return slices.Concat(lists...)
}

// needed tells where a scale is kept, widened by some kilometres.
func (b *build) needed(sc scale) func(p geo.Point, margin float64) bool {
	if sc.byPort == 0 {
		return func(geo.Point, float64) bool { return true }
	}
	x := newIndex(60)
	var radius []float64
	for _, p := range b.ports {
		x.add(p.Position)
		radius = append(radius, sc.byPort)
	}
	for _, p := range b.straits() {
		x.add(p)
		radius = append(radius, sc.byStrait)
	}
	return func(p geo.Point, margin float64) (inside bool) {
		x.visitNear(p, 45+margin, func(i int32) bool {
			dx, dy := flat(p, x.points[i])
			inside = math.Hypot(dx, dy) <= radius[i]+margin
			return !inside
		})
		return inside
	}
}

// touched returns a corner with the directions in which the middle of a disc may not lie; false where none is left.
func touched(r ring, i int, sc scale, coast *index, near func(geo.Point, float64) bool) (corner, bool) {
	n := len(r.points)
	if n < 2 || !r.closed && (i == 0 || i == n-1) {
		return corner{}, false
	}
	c := corner{at: r.points[i]}
	px, py := flat(c.at, r.points[(i+n-1)%n])
	qx, qy := flat(c.at, r.points[(i+1)%n])
	if n > 2 && px*qy-py*qx >= 0 || !near(c.at, 0) { // land is on the left of both edges: a left turn is a cape
		return corner{}, false
	}
	c.blockAround(px, py, math.Pi/2)
	c.blockAround(qx, qy, math.Pi/2)
	coast.visitNear(c.at, 2*sc.disc, func(at int32) bool {
		x, y := flat(c.at, coast.points[at])
		if d := math.Hypot(x, y); d > 1e-3 && d < 2*sc.disc {
			c.blockAround(x, y, math.Acos(d/(2*sc.disc)))
		}
		return !c.blocked.isFull()
	})
	return c, len(c.blocked.gaps()) > 0
}

// blockAround takes away the directions within an angle of that to x (east), y (north).
func (c *corner) blockAround(x, y, within float64) {
	const perRadian = sea.Bins / (2 * math.Pi)
	to := math.Atan2(x, y)
	first, last := int(math.Floor((to-within)*perRadian)), int(math.Floor((to+within)*perRadian))
	c.blocked.setRange(first, last-first+1)
}

// spreadCorners keeps the corners with the widest arcs, of those nearer than some kilometres to each other.
func spreadCorners(found []corner, apart float64) ([]corner, *index) {
	slices.SortStableFunc(found, func(a, b corner) int {
		return cmp.Or(cmp.Compare(a.blocked.countBits(), b.blocked.countBits()), cmp.Compare(a.at.Lon, b.at.Lon), cmp.Compare(a.at.Lat, b.at.Lat))
	})
	at := newIndex(2 * apart)
	var kept []corner
	for _, c := range found {
		free := true
		at.visitNear(c.at, apart, func(i int32) bool {
			x, y := flat(c.at, at.points[i])
			free = math.Hypot(x, y) >= apart
			return free
		})
		if free {
			at.add(c.at)
			kept = append(kept, c)
		}
	}
	return kept, at
}

// takeAway leaves to coarser corners close by what they have.
func takeAway(c *corner, coarse []corner, at *index, within float64) {
	const wider = 16
	at.visitNear(c.at, within, func(i int32) bool {
		if x, y := flat(c.at, at.points[i]); math.Hypot(x, y) < within {
			for _, r := range coarse[i].blocked.gaps() {
				c.blocked.setRange(r.start-wider+sea.Bins, r.span+2*wider)
			}
		}
		return true
	})
}

// nodesOf makes the vertices of a corner: one for each run, two or more for a wide one.
func (b *build) nodesOf(c *corner, s int) {
	const widest = 90
	v := sea.At(c.at)
	frame := sea.HeadingAt(v)
	for _, r := range c.blocked.gaps() {
		pieces := (r.span + widest - 1) / widest
		for i := range pieces {
			from, to := r.start+r.span*i/pieces, r.start+r.span*(i+1)/pieces
			at := graph.Rounded(frame.Toward(v, float64(from+to)/2, scales[s].offset))
			if b.water.Afloat(at.Point()) {
				b.nodes = append(b.nodes, node{at: at, frame: sea.HeadingAt(at), scale: s, start: from & (sea.Bins - 1), span: to - from})
			}
		}
	}
}
