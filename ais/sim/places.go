package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// berth is a place at a quay, or at a buoy where the water has no shore.
type berth struct {
	cell    int32
	wall    vec     // the nearest water of the quay
	off     vec     // away from the quay, length 1
	heading float64 // along the quay
	reach   float64 // how far the water at the quay goes both ways, at most 180 m: half the ship that fits
	ship    *ship   // the ship that lies there or is bound for it, or nil
	name    string
	port    *port
}

// placeAlongside returns the place of a ship of that beam at the berth: 6 m off the wall.
func (b *berth) placeAlongside(beam float64) vec { return b.wall.plus(b.off.times(beam/2 + 6)) }

// places are where ships go. All lie in one water, so there is a way between any two.
type places struct {
	big      []*berth // nearest to the middle first
	small    []*berth // for tugs, pilot boats, fishing vessels and yachts
	far      []*berth // at the landing of the ferries, on another shore
	gates    []int32  // where ships come into the area and leave it
	grounds  []int32  // open water where fishing vessels and yachts go
	anchors  []int32  // where ships anchor, well apart
	boarding int32    // where pilots board
}

const (
	portReach    = 6000  // metres from the middle of a harbour to its farthest berths
	landingReach = 2000  // metres from the middle of a landing to its farthest berths
	shortest     = 40    // metres of quay of a berth, at least
	abroad       = 10000 // metres, at least, from the middle of the harbour to a landing that nobody named
)

// findPlaces chooses the places of the harbour.
func (w *water) findPlaces(rng *rand.Rand) *places {
	p := &places{gates: w.findGates()}
	berths := w.findBerths(rng, vec{}, math.Inf(1))
	for i, b := range berths {
		near := b.wall.length() < portReach || i < 40
		switch {
		case near && (i%5 == 2 || i%5 == 4):
			p.small = append(p.small, b)
		case near && len(p.big) < 60:
			p.big = append(p.big, b)
		case b.wall.length() > abroad:
			p.far = append(p.far, b)
		}
	}
	p.boarding = w.findBoarding(p)
	p.grounds = w.scatter(rng, 24, 1500, 5)
	p.anchors = w.findAnchors(p.boarding)
	return p
}

// findLanding returns the berths around a place on another shore, none when that is too near to the harbour.
func (w *water) findLanding(rng *rand.Rand, around vec) []*berth {
	if around.length() < portReach+2*landingReach {
		return nil
	}
	return w.findBerths(rng, around, landingReach)
}

// findGates returns a far cell that ships can reach in each of eight directions from the middle, where there is one.
func (w *water) findGates() []int32 {
	best := map[int]int32{}
	farthest := 0.0
	for _, c := range w.harbour {
		m := w.middleOf(c)
		sector := int(m.bearing()) / 45
		if b, ok := best[sector]; !ok || w.gateScore(c) > w.gateScore(b) {
			best[sector] = c
		}
	}
	for _, c := range best {
		farthest = max(farthest, w.middleOf(c).length())
	}
	var gates []int32
	for sector := range 8 {
		if c, ok := best[sector]; ok && w.middleOf(c).length() > 0.75*farthest {
			gates = append(gates, c)
		}
	}
	return gates
}

// gateScore is higher for cells that are far from the middle and far from the shore.
func (w *water) gateScore(c int32) float64 {
	return min(w.middleOf(c).length(), 24000) + 300*float64(min(w.room[c], 12))
}

// findBerths returns places along the shores, at least 170 m apart, the nearest to a place first. A place on an open shore
// counts as three times as far as a sheltered one. None is farther than most metres.
func (w *water) findBerths(rng *rand.Rand, from vec, most float64) []*berth {
	type shore struct {
		cell  int32
		score float64
	}
	var shores []shore
	for _, c := range w.harbour {
		if w.room[c] <= 2 && w.middleOf(c).distance(from) < most {
			shores = append(shores, shore{c, w.middleOf(c).distance(from) + 1})
		}
	}
	byScore := func(a, b shore) int { return cmp.Or(cmp.Compare(a.score, b.score), cmp.Compare(a.cell, b.cell)) }
	slices.SortFunc(shores, byScore)
	for i := range shores {
		if i < 1500 {
			shores[i].score *= 1 + 2*w.exposure(shores[i].cell)
		} else {
			shores[i].score *= 3
		}
	}
	slices.SortFunc(shores, byScore)
	var out []*berth
	for _, s := range shores {
		if len(out) < 400 && !w.tooNear(out, s.cell, 170) {
			if b := w.quay(s.cell); b != nil && !w.tooNear(out, w.cellAt(b.wall), 100) {
				out = append(out, b)
			}
		}
	}
	if len(out) > 0 || !math.IsInf(most, 1) {
		return out
	}
	for _, c := range w.scatter(rng, 60, 700, 2) {
		out = append(out, &berth{cell: c, wall: w.middleOf(c), off: vec{1, 0}, reach: 180})
	}
	return out
}

// exposure is the share of directions without land within 1.5 km: about a half on an open beach, none in a dock.
func (w *water) exposure(c int32) float64 {
	open := 0
	for a := 0.0; a < 360; a += 30 {
		if end := w.middleOf(c).plus(toward(a).times(1500)); !w.crossesShore(w.middleOf(c), end) {
			open++
		}
	}
	return float64(open) / 12
}

// tooNear reports whether a berth lies within metres of the cell.
func (w *water) tooNear(berths []*berth, c int32, metres float64) bool {
	for _, b := range berths {
		if b.wall.distance(w.middleOf(c)) < metres {
			return true
		}
	}
	return false
}

// quay finds the nearest shore beside a cell and the direction in which it runs.
func (w *water) quay(c int32) *berth {
	m := w.middleOf(c)
	best, bearing := 260.0, 0.0
	for a := 0.0; a < 360; a += 15 {
		if d := w.shore(m, toward(a), best); d < best {
			best, bearing = d, a
		}
	}
	if best >= 260 {
		return nil
	}
	in := toward(bearing)
	along := in.starboard()
	before := w.shore(m.minus(along.times(40)), in, 300)
	after := w.shore(m.plus(along.times(40)), in, 300)
	run := along.times(80).plus(in.times(after - before))
	if before >= 300 || after >= 300 {
		run = along
	}
	off := run.unit().starboard()
	if off.x*in.x+off.y*in.y > 0 {
		off = off.times(-1)
	}
	b := &berth{cell: c, wall: m.plus(in.times(best - 4)), off: off, heading: run.bearing()}
	for _, beam := range []float64{0, 20, 50} {
		if at := b.placeAlongside(beam); w.land(at) || w.crossesShore(m, at) {
			return nil
		}
	}
	if b.reach = w.measureReach(b); b.reach < shortest/2 {
		return nil
	}
	return b
}

// measureReach measures the water along the quay, 16 m off the wall.
func (w *water) measureReach(b *berth) float64 {
	along, from := b.off.starboard(), b.placeAlongside(16)
	for d := 10.0; d < 180; d += 10 {
		if w.land(from.plus(along.times(d))) || w.land(from.minus(along.times(d))) {
			return d - 10
		}
	}
	return 180
}

// shore returns the distance from a place to land in a direction, up to a limit.
func (w *water) shore(from, direction vec, most float64) float64 {
	for d := 8.0; d < most; d += 8 {
		if w.land(from.plus(direction.times(d))) {
			return d - 8
		}
	}
	return most
}

// findBoarding returns where pilots board, on the way in from the gate that is farthest from the shore. It is the first place outside the
// harbour that is 1.2 km from the shore. If there is none, it is the place of that way that is farthest from the shore.
func (w *water) findBoarding(p *places) int32 {
	inner := slices.MinFunc(w.harbour, func(a, b int32) int { return cmp.Compare(w.middleOf(a).length(), w.middleOf(b).length()) })
	if len(p.big) > 0 {
		inner = p.big[0].cell
	}
	gate := slices.MinFunc(p.gates, func(a, b int32) int {
		return cmp.Or(-cmp.Compare(min(w.room[a], 30), min(w.room[b], 30)), cmp.Compare(len(w.pathBetween(a, inner)), len(w.pathBetween(b, inner))))
	})
	way := w.pathBetween(inner, gate)
	best := w.cellAt(way[len(way)/2])
	for _, v := range way {
		c := w.cellAt(v)
		if v.distance(w.middleOf(inner)) < 3000 || v.distance(w.middleOf(gate)) < 3000 {
			continue
		}
		if w.room[c] >= 8 {
			return c
		}
		if w.room[c] > w.room[best] {
			best = c
		}
	}
	return best
}

// findAnchors returns up to 14 places with room for a ship at anchor, 800 m or more apart, the nearest to the boarding place first.
func (w *water) findAnchors(boarding int32) []int32 {
	from := w.middleOf(boarding)
	cells := slices.DeleteFunc(slices.Clone(w.harbour), func(c int32) bool {
		return w.room[c] < 4 || w.middleOf(c).distance(from) < 1200
	})
	slices.SortFunc(cells, func(a, b int32) int {
		return cmp.Compare(w.middleOf(a).distance(from), w.middleOf(b).distance(from))
	})
	var out []int32
	for _, c := range cells {
		if len(out) < 14 && w.areApart(out, c, 800) {
			out = append(out, c)
		}
	}
	return out
}

func (w *water) areApart(others []int32, c int32, metres float64) bool {
	for _, o := range others {
		if w.middleOf(o).distance(w.middleOf(c)) < metres {
			return false
		}
	}
	return true
}

// scatter returns up to n random cells, at least so many metres apart. They are off the shore where there is such water.
func (w *water) scatter(rng *rand.Rand, n int, metres float64, room uint8) []int32 {
	var out []int32
	for try := 0; try < 80*n && len(out) < n; try++ {
		c := w.harbour[rng.IntN(len(w.harbour))]
		if w.room[c] < room && try < 60*n || w.middleOf(c).length() > 22000 {
			continue
		}
		if w.areApart(out, c, metres*math.Max(0.1, 1-float64(try)/float64(60*n))) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		out = append(out, w.harbour[0])
	}
	return out
}
