package sim

import (
	"quaywatch/ais"
)

// craftPlan is the plan of a small craft. It leaves its berth for one or a few places and comes home. A fishing vessel
// fishes there; a yacht does not leave at night.
type craftPlan struct {
	h    *area
	s    *ship
	base *berth
	slip vec // its own place at a berth that several craft share
	left int // places still to visit
}

func (c *craftPlan) beginPlan(i int) {
	c.base = c.h.small(c.s)
	c.slip = c.h.slip(c.base, c.s)
	c.s.moor(c.base)
	c.s.place = c.slip
	c.s.waitUntil(c.h.afterSeconds(c.s.rng.Float64()*float64(3600*(2+i%6))), c.leaveBerth)
}

// slip returns a place for a craft near a berth that others may share.
func (h *area) slip(b *berth, s *ship) vec {
	along := b.off.starboard()
	for range 12 {
		at := b.placeAlongside(s.beam()).plus(along.times(float64(s.rng.IntN(140) - 70))).plus(b.off.times(float64(s.rng.IntN(5) * 9)))
		if !h.water.land(at) && !h.water.crossesShore(h.water.middleOf(b.cell), at) {
			return at
		}
	}
	return b.placeAlongside(s.beam())
}

// awake reports whether a craft of this kind leaves at this hour of local solar time.
func (c *craftPlan) awake() bool {
	hour := (c.h.clockTime().Hour() + int(c.h.water.at.Lon/15) + 24) % 24
	return c.s.role != yacht || hour >= 7 && hour < 20 || c.s.rng.IntN(40) == 0
}

func (c *craftPlan) leaveBerth() {
	s, h := c.s, c.h
	if !c.awake() {
		s.waitUntil(h.afterSeconds(1800), c.leaveBerth)
		return
	}
	h.tellBerth(Departure, s, c.base)
	c.left = 1 + s.rng.IntN(4)
	c.next()
}

// next sails the craft to another place, or home.
func (c *craftPlan) next() {
	s, h := c.s, c.h
	if c.left == 0 {
		c.sailHome()
		return
	}
	c.left--
	cell := pickOne(s.rng, h.places.grounds)
	way := h.wayTo(s, h.placeNear(cell, s), cell, 40*s.rng.Float64())
	if way == nil {
		s.waitUntil(h.afterSeconds(3600), c.next)
		return
	}
	rolling := s.speed
	s.startWay(way, -1)
	s.speed = rolling
	s.status = ais.StatusUnderWayEngine
	if s.shipType == 36 {
		s.status = ais.StatusUnderWaySail
	}
	s.waitUntil(s.arrived, c.stayAtPlace)
}

// placeNear returns a random place near the middle of a cell.
func (h *area) placeNear(cell int32, s *ship) vec {
	m := h.water.middleOf(cell)
	if at := m.plus(vec{s.rng.Float64()*100 - 50, s.rng.Float64()*100 - 50}); !h.water.crossesShore(m, at) {
		return at
	}
	return m
}

// stayAtPlace keeps the craft at its place: it fishes to and fro, or lies still for a while.
func (c *craftPlan) stayAtPlace() {
	s, h := c.s, c.h
	if s.role == fisherman {
		c.fish(3 + s.rng.IntN(6))
		return
	}
	s.lie(s.status)
	s.waitUntil(h.afterSeconds(120+900*s.rng.Float64()), c.next)
}

// fish trawls a number of legs.
func (c *craftPlan) fish(legs int) {
	s, h := c.s, c.h
	if legs == 0 {
		s.limit = s.cruise
		c.next()
		return
	}
	way := []vec{s.place}
	to := s.place.plus(toward(s.heading + 140 + 80*s.rng.Float64()).times(700 + 1500*s.rng.Float64()))
	if h.water.roomAt(to) < 3 || h.water.crossesShore(s.place, to) {
		s.waitUntil(h.afterSeconds(60), func() { c.fish(legs - 1) })
		return
	}
	s.startWay(append(way, to), -1)
	s.limit, s.status = 3.2*knot, ais.StatusFishing
	s.waitUntil(s.arrived, func() { c.fish(legs - 1) })
}

func (c *craftPlan) sailHome() {
	s, h := c.s, c.h
	way := h.wayTo(s, c.slip, c.base.cell, 20)
	if way == nil {
		s.waitUntil(h.afterSeconds(3600), c.sailHome)
		return
	}
	rolling := s.speed
	s.startWay(way, c.base.heading)
	s.speed, s.status = rolling, ais.StatusUnderWayEngine
	s.waitUntil(s.arrived, func() {
		s.lie(ais.StatusMoored)
		h.tellBerth(Berthing, s, c.base)
		s.waitUntil(h.afterSeconds(3600*(0.5+float64(2+5*s.rng.IntN(2))*s.rng.Float64())), c.leaveBerth)
	})
}
