package sim

import (
	"errors"
	"fmt"
	"math"

	"quaywatch/geo"
)

// seaWay is the way over the sea between two harbours. It runs from the gate of one to the gate of the other.
type seaWay struct {
	water   *water // in coarse cells
	areas   [2]*area
	ways    [2][]vec   // from each harbour to the other, in straight legs
	lengths [2]float64 // metres from berth to berth
}

const (
	mostSpan    = 600_000.0 // metres of coarse grid
	besides     = 40_000.0  // metres of the grid around the two harbours
	stretchMost = 40_000.0  // metres of a way within one plane
	edgeOfArea  = 24_000.0  // metres from the middle of a harbour, east and north, to where the way over the sea begins
)

var errNoSeaWay = errors.New("build two harbours: no way over water joins them")

// newSeaWay finds the way and sets the gates of both harbours.
func newSeaWay(a, b *area, o Options) (*seaWay, error) {
	apart := a.water.vec(b.water.at)
	span := max(math.Abs(apart.x), math.Abs(apart.y)) + 2*besides
	if span > mostSpan {
		return nil, fmt.Errorf("build two harbours: they are %.0f km apart", apart.length()/1000)
	}
	if max(math.Abs(apart.x), math.Abs(apart.y)) < 2*edgeOfArea {
		return nil, fmt.Errorf("build two harbours: they are only %.0f km apart", apart.length()/1000)
	}
	size := span / areaCells
	s := &seaWay{water: newGrid(a.water.pointOf(apart.times(0.5)), size, o.Land, o.Crosses), areas: [2]*area{a, b}}
	from, to := s.cellNear(a), s.cellNear(b)
	if from < 0 || to < 0 {
		return nil, errNoSeaWay
	}
	way := s.water.pathBetween(from, to)
	first, last := s.findGate(a, way), len(way)-1-s.findGate(b, reversed(way))
	if a.gate == 0 || b.gate == 0 || first >= last {
		return nil, errNoSeaWay
	}
	way = append([]vec{s.gate(a)}, append(way[first+1:last:last], s.gate(b))...)
	s.ways = [2][]vec{s.water.straighten(way), s.water.straighten(reversed(way))}
	for i := range s.areas {
		s.lengths[i] = newRail(s.ways[i]).endLength() + a.fairway() + b.fairway()
	}
	return s, nil
}

// cellNear returns the coarse cell from which ships come to the boarding place of a harbour, -1 for none.
func (s *seaWay) cellNear(a *area) int32 {
	at := s.water.vec(a.water.pointOf(a.water.middleOf(a.places.boarding)))
	best, bestDistance := int32(-1), 12_000.0
	for c := range s.water.open {
		d := s.water.middleOf(int32(c)).distance(at)
		if s.water.links[c] != 0 && d < bestDistance && !s.water.crossesShore(s.water.middleOf(int32(c)), at) {
			best, bestDistance = int32(c), d
		}
	}
	return best
}

// findGate finds where a way leaves the area of a harbour, and sets the gate of the harbour there. The gate is in water of the harbour, from which the next step
// over the sea crosses no land.
func (s *seaWay) findGate(a *area, way []vec) (last int) {
	for i := range max(0, len(way)-1) {
		v := a.water.vec(s.water.pointOf(way[i]))
		if math.Abs(v.x) > edgeOfArea || math.Abs(v.y) > edgeOfArea {
			break
		}
		c := a.water.cellAt(v)
		if !a.isJoined(c) || a.water.room[c] < 3 {
			continue
		}
		if !s.water.crossesShore(s.water.vec(a.water.pointOf(a.water.middleOf(c))), way[i+1]) {
			a.gate, last = c, i
		}
	}
	return last
}

// isJoined reports whether ships come from a cell to the boarding place.
func (a *area) isJoined(c int32) bool {
	return c >= 0 && a.water.to(a.places.boarding).next[c] != noWay
}

// gate returns the place of a harbour's gate in the coarse grid.
func (s *seaWay) gate(a *area) vec { return s.water.vec(a.water.pointOf(a.water.middleOf(a.gate))) }

// fairway returns the metres from the gate over the boarding place to the first berth.
func (a *area) fairway() float64 {
	b := a.water.middleOf(a.places.boarding)
	inner := vec{}
	if len(a.places.big) > 0 {
		inner = a.places.big[0].wall
	}
	return 1.1 * (a.water.middleOf(a.gate).distance(b) + b.distance(inner))
}

// other returns the harbour at the other end of the way.
func (s *seaWay) other(a *area) *area {
	if a == s.areas[0] {
		return s.areas[1]
	}
	return s.areas[0]
}

// wayLength returns the metres from berth to berth for a ship from a harbour.
func (s *seaWay) wayLength(from *area) float64 {
	if from == s.areas[0] {
		return s.lengths[0]
	}
	return s.lengths[1]
}

// stretch is a part of a way over the sea. Its plane is that of its surroundings, so that metres are true.
type stretch struct {
	plane  *plane
	points []vec
}

// stretchesFrom returns the way of a ship from a harbour to the other one. The ship keeps up to so many metres to starboard.
func (s *seaWay) stretchesFrom(a *area, keep float64) []stretch {
	way := s.ways[0]
	if a != s.areas[0] {
		way = s.ways[1]
	}
	way = s.water.keepStarboard(way, keep)
	for _, cut := range []float64{2000, 700, 250} {
		way = s.water.roundCorners(way, cut)
	}
	var out []stretch
	part, length := way[:1:1], 0.0
	for i := 1; i < len(way); i++ {
		leg := way[i].minus(way[i-1])
		pieces := math.Ceil(leg.length() / (stretchMost / 2))
		for n := 1.0; n <= pieces; n++ {
			part = append(part, way[i-1].plus(leg.times(n/pieces)))
			if length += leg.length() / pieces; length > stretchMost/2 || i == len(way)-1 && n == pieces {
				out = append(out, s.stretch(part))
				part, length = part[len(part)-1:len(part):len(part)], 0
			}
		}
	}
	return out
}

// stretch puts a part of a way into a plane of its own.
func (s *seaWay) stretch(part []vec) stretch {
	p := newPlane(s.water.pointOf(part[0].mix(part[len(part)-1], 0.5)))
	out := stretch{plane: &p}
	for _, v := range part {
		out.points = append(out.points, p.vec(s.water.pointOf(v)))
	}
	return out
}

// geoPoint returns the geographic place of a ship.
func (s *ship) geoPoint() geo.Point { return s.plane.pointOf(s.place) }

// distanceTo returns the metres to another ship.
func (s *ship) distanceTo(other *ship) float64 {
	if s.plane == other.plane {
		return s.place.distance(other.place)
	}
	return geo.Distance(s.geoPoint(), other.geoPoint())
}

// into brings the ship into another plane, where it is.
func (s *ship) into(p *plane) { s.place, s.plane = p.vec(s.geoPoint()), p }

// goOn puts the ship on the next stretch of its way without a stop.
func (s *ship) goOn(next stretch, pace float64, then func()) {
	over := 0.0
	if s.rail != nil {
		over = max(0, s.along-s.rail.endLength())
	}
	s.into(next.plane)
	s.startWay(next.points, -1)
	s.along, s.limit = over, pace
	s.passRailEnd(then)
}

// passRailEnd lets the ship pass the end of its rail without slowing down.
func (s *ship) passRailEnd(then func()) {
	s.stop = s.rail.endLength() + 10_000
	s.waitUntil(func() bool { return s.along >= s.rail.endLength() }, then)
}
