package sim

import (
	"math"
	"math/rand/v2"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/route/passage"
)

// StaleDraughts is the share of the simulator that does not keep to the limits of passages, in percent. A ship that would be too deep for one
// on its way takes less cargo. The crews of so many of a hundred such voyages do not type that: they leave the larger draught, and sail through.
const StaleDraughts = 5

// anyDraught is the most of a way without a passage that limits the draught.
const anyDraught = ais.Decimetres(math.MaxUint8)

// narrows are the passages that limit the draught.
type narrows []passage.Passage

// newNarrows returns the passages that limit the draught and have a gate within metres of a place.
func newNarrows(at geo.Point, metres float64) (near narrows, err error) {
	all, err := passage.All()
	for _, p := range all {
		if p.Limits.Draught > 0 && p.Limits.Draught < float64(anyDraught)/10 && gateWithin(p.Gates, at, metres) {
			near = append(near, p)
		}
	}
	return near, err
}

// gateWithin reports whether a gate begins or ends within metres of a place.
func gateWithin(gates [][]geo.Point, at geo.Point, metres float64) bool {
	for _, gate := range gates {
		if geo.Distance(gate[0], at) < metres || geo.Distance(gate[len(gate)-1], at) < metres {
			return true
		}
	}
	return false
}

// draughtLimit returns the largest draught of a passage that no ship exceeds which types its draught in tenths of a metre.
func draughtLimit(p *passage.Passage) ais.Decimetres {
	return ais.Decimetres(math.Floor(p.Limits.Draught*10 + 1e-6))
}

// most returns the largest draught for a way, in legs of a few kilometres.
func (n narrows) most(way []geo.Point) ais.Decimetres {
	most := anyDraught
	for i := range n {
		for k := 1; k < len(way) && draughtLimit(&n[i]) < most; k++ {
			if n[i].CrossedBy(way[k-1], way[k]) {
				most = draughtLimit(&n[i])
			}
		}
	}
	return most
}

// shallowest returns the largest draught of small craft, which sail anywhere within 25 km of a place.
func shallowest(at geo.Point) (ais.Decimetres, error) {
	near, err := newNarrows(at, cellSize*areaCells/math.Sqrt2)
	most := anyDraught
	for i := range near {
		most = min(most, draughtLimit(&near[i]))
	}
	return most, err
}

// mostOf returns the largest draught for a way in the water of the harbour.
func (h *area) mostOf(way []vec) ais.Decimetres {
	if len(h.narrows) == 0 {
		return anyDraught
	}
	points := make([]geo.Point, len(way))
	for i, v := range way {
		points[i] = h.water.pointOf(v)
	}
	return h.narrows.most(points)
}

// mostBy returns the largest draught with which ships sail between a gate and any berth or anchorage of the harbour.
func (h *area) mostBy(gate int32) ais.Decimetres {
	if len(h.narrows) == 0 {
		return anyDraught
	}
	if most, known := h.most[gate]; known {
		return most
	}
	boarding := h.places.boarding
	most := min(h.mostOf(h.water.pathBetween(gate, boarding)), h.mostOf(h.water.pathBetween(boarding, gate)))
	for _, b := range h.places.big {
		most = min(most, h.mostOf(h.water.pathBetween(b.cell, boarding)))
	}
	for _, c := range h.places.anchors {
		most = min(most, h.mostOf(h.water.pathBetween(c, boarding)), h.mostOf(h.water.pathBetween(c, gate)))
	}
	h.most[gate] = most
	return most
}

// mostAtSea returns the largest draught between the berths of the two harbours.
func (h *Harbour) mostAtSea() ais.Decimetres {
	most := anyDraught
	for _, a := range h.areas {
		most = min(most, a.mostBy(a.gate))
		for _, part := range h.sea.stretchesFrom(a, 0) {
			var points []geo.Point
			for _, v := range part.points {
				points = append(points, part.plane.pointOf(v))
			}
			most = min(most, h.narrows.most(points))
		}
	}
	return most
}

// mostOut returns the largest draught for the voyage on which the ship leaves.
func (m *merchantPlan) mostOut() ais.Decimetres {
	if m.bound != nil {
		return m.h.mostAtSea()
	}
	return m.h.mostBy(m.gate)
}

// laden returns what the crew of a ship types, and the true draught, where the way takes no more than most. The choice draws nothing from the chances
// of the ship, which so does the same whatever it carries.
func (m *merchantPlan) laden(draught, most ais.Decimetres) (typed, loaded ais.Decimetres) {
	if draught <= most {
		return draught, draught
	}
	if rand.New(rand.NewPCG(uint64(m.s.mmsi), uint64(m.h.now))).IntN(100) < StaleDraughts {
		return draught, most
	}
	return most, most
}

// watchNarrows tells which passages the ship went through in the last minute with more than their limit, as its crew typed.
func (h *Harbour) watchNarrows(s *ship) {
	at, before := s.geoPoint(), s.minute
	s.minute = seen{h.now, at}
	if before.at != h.now-60 {
		return
	}
	for i := range h.narrows {
		if p := &h.narrows[i]; s.draught > draughtLimit(p) && p.CrossedBy(before.place, at) {
			t := h.truthOf(TooDeep, s)
			t.Passage, t.Draught, t.Typed, t.Limit = p.Name, metresOf(s.loaded), metresOf(s.draught), p.Limits.Draught
			h.truth(t)
		}
	}
}

// seen is where a ship was at a time.
type seen struct {
	at    int64
	place geo.Point
}
