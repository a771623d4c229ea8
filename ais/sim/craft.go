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

func (c *craftPlan) begin(i int) {
	c.base = c.h.small(c.s)
	c.slip = c.h.slip(c.base, c.s)
	c.s.moor(c.base)
	c.s.place = c.slip
	c.s.until(c.h.after(c.s.rng.Float64()*float64(3600*(2+i%6))), c.leave)
}

// slip returns a place for a craft near a berth that others may share.
func (h *area) slip(b *berth, s *ship) vec {
	along := b.off.starboard()
	for range 12 {
		at := b.alongside(s.beam()).plus(along.times(float64(s.rng.IntN(140) - 70))).plus(b.off.times(float64(s.rng.IntN(5) * 9)))
		if !h.water.land(at) && !h.water.crosses(h.water.middle(b.cell), at) {
			return at
		}
	}
	return b.alongside(s.beam())
}

// awake reports whether a craft of this kind leaves at this hour of local solar time.
func (c *craftPlan) awake() bool {
	hour := (c.h.clock().Hour() + int(c.h.water.at.Lon/15) + 24) % 24
	return c.s.role != yacht || hour >= 7 && hour < 20 || c.s.rng.IntN(40) == 0
}

func (c *craftPlan) leave() {
	s, h := c.s, c.h
	if !c.awake() {
		s.until(h.after(1800), c.leave)
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
		c.home()
		return
	}
	c.left--
	cell := pick(s.rng, h.places.grounds)
	way := h.wayTo(s, h.near(cell, s), cell, 40*s.rng.Float64())
	if way == nil {
		s.until(h.after(3600), c.next)
		return
	}
	rolling := s.speed
	s.sail(way, -1)
	s.speed = rolling
	s.status = ais.StatusUnderWayEngine
	if s.shipType == 36 {
		s.status = ais.StatusUnderWaySail
	}
	s.until(s.arrived, c.stay)
}

// near returns a random place near the middle of a cell.
func (h *area) near(cell int32, s *ship) vec {
	m := h.water.middle(cell)
	if at := m.plus(vec{s.rng.Float64()*100 - 50, s.rng.Float64()*100 - 50}); !h.water.crosses(m, at) {
		return at
	}
	return m
}

// stay keeps the craft at its place: it fishes to and fro, or lies still for a while.
func (c *craftPlan) stay() {
	s, h := c.s, c.h
	if s.role == fisherman {
		c.fish(3 + s.rng.IntN(6))
		return
	}
	s.lie(s.status)
	s.until(h.after(120+900*s.rng.Float64()), c.next)
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
	if h.water.roomAt(to) < 3 || h.water.crosses(s.place, to) {
		s.until(h.after(60), func() { c.fish(legs - 1) })
		return
	}
	s.sail(append(way, to), -1)
	s.limit, s.status = 3.2*knot, ais.StatusFishing
	s.until(s.arrived, func() { c.fish(legs - 1) })
}

func (c *craftPlan) home() {
	s, h := c.s, c.h
	way := h.wayTo(s, c.slip, c.base.cell, 20)
	if way == nil {
		s.until(h.after(3600), c.home)
		return
	}
	rolling := s.speed
	s.sail(way, c.base.heading)
	s.speed, s.status = rolling, ais.StatusUnderWayEngine
	s.until(s.arrived, func() {
		s.lie(ais.StatusMoored)
		h.tellBerth(Berthing, s, c.base)
		s.until(h.after(3600*(0.5+float64(2+5*s.rng.IntN(2))*s.rng.Float64())), c.leave)
	})
}
