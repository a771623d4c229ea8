package sim

import (
	"quaywatch/ais"
)

// ferryPlan is the plan of a ferry: to and fro between two berths, or between a berth and a gate, by a timetable.
type ferryPlan struct {
	h            *area
	s            *ship
	line         int
	second       bool // the second ferry of its line
	home, abroad *berth
	gate         int32
	atHome       bool
	headway      int64 // seconds between departures of the line
}

func (f *ferryPlan) beginPlan() {
	h := f.h
	f.home = h.freeBerth(f.s, h.places.big)
	if f.home == nil {
		f.home = pickOne(f.s.rng, append(h.places.small, h.places.big...))
	}
	f.home.ship = f.s
	f.abroad = h.freeBerth(f.s, h.places.far)
	if f.abroad != nil && f.line%3 != 2 {
		f.abroad.ship = f.s
	} else {
		f.abroad, f.gate = nil, h.places.gates[f.line%len(h.places.gates)]
	}
	f.atHome = true
	f.s.moor(f.home)
	f.headway = 900
	f.s.destination = h.name
	f.awaitDeparture()
}

// awaitDeparture keeps the ferry at its berth until the next departure: a whole quarter of an hour, ten minutes or more after it came.
func (f *ferryPlan) awaitDeparture() {
	earliest := f.h.now + 600
	due := (f.h.start.Unix()+earliest)/f.headway*f.headway + f.headway - f.h.start.Unix()
	f.s.waitUntil(func() bool { return f.h.now >= due }, f.depart)
}

func (f *ferryPlan) depart() {
	s, h := f.s, f.h
	h.tellBerth(Departure, s, f.berthed())
	s.status = ais.StatusUnderWayEngine
	switch {
	case !f.atHome:
		s.startWay(h.route(s.place, f.home.placeAlongside(s.beam()), 100, f.abroad.cell, f.home.cell), f.home.heading)
		s.destination = h.name
	case f.abroad != nil:
		s.startWay(h.route(s.place, f.abroad.placeAlongside(s.beam()), 100, f.home.cell, f.abroad.cell), f.abroad.heading)
		s.destination = h.landing.ref()
	default:
		s.startWay(h.route(s.place, h.water.middleOf(f.gate), 100, f.home.cell, f.gate), -1)
		s.destination = outward[f.line%len(outward)]
		s.waitUntil(s.arrived, f.overseas)
		return
	}
	s.waitUntil(s.arrived, f.lieAtBerth)
}

// berthed returns the berth at which the ferry lies.
func (f *ferryPlan) berthed() *berth {
	if f.atHome {
		return f.home
	}
	return f.abroad
}

func (f *ferryPlan) lieAtBerth() {
	f.atHome = !f.atHome
	f.s.lie(ais.StatusMoored)
	f.h.tellBerth(Berthing, f.s, f.berthed())
	f.awaitDeparture()
}

// overseas keeps the ferry out of range for a while, then brings it back through the gate.
func (f *ferryPlan) overseas() {
	f.h.tellPort(Sailing, f.s)
	f.s.lie(ais.StatusUnderWayEngine)
	f.s.silent = true
	f.s.waitUntil(f.h.afterSeconds(2400+1800*f.s.rng.Float64()), func() {
		s, h := f.s, f.h
		s.silent, f.atHome = false, false
		h.tellPort(Arrival, s)
		s.startWay(h.route(h.water.middleOf(f.gate), f.home.placeAlongside(s.beam()), 100, f.gate, f.home.cell), f.home.heading)
		s.speed, s.destination = s.cruise, h.name
		s.waitUntil(s.arrived, f.lieAtBerth)
	})
}
