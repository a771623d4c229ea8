package sim

import (
	"math"
	"slices"
	"time"

	"quaywatch/ais"
)

// merchantPlan is the plan of a merchant ship. It comes in by a gate and anchors when no berth is free or when it has to wait. It takes a pilot, berths with a
// tug, and works its cargo, sometimes at two berths. It leaves the same way: out of range, or for the other harbour. Some ships only pass.
type merchantPlan struct {
	h     *area // where the ship is, or where it goes
	s     *ship
	berth *berth
	spot  int32 // where the ship anchors, 0 when it does not
	gate  int32
	job   *pilotage
	tow   *towage

	bound   *area          // the harbour to which the ship sails next; nil is out of range
	way     []stretch      // of the sea, still before the ship
	pace    float64        // at sea, metres a second
	shifted bool           // to a second berth of the port
	most    ais.Decimetres // the largest draught for the next voyage
	cargo   ais.Decimetres // the true draught on the next voyage
}

// beginPlan gives the ship a state in the middle of its plan: most begin at a berth, some at sea.
func (m *merchantPlan) beginPlan(i int) {
	m.gate = pickOne(m.s.rng, m.h.places.gates)
	if m.h.sea != nil && i%10 > 6 {
		m.beginAtSea()
		return
	}
	if b := m.h.freeBerth(m.s, m.h.places.big); b != nil && i%10 < 6 {
		m.berth = b
		m.s.moor(b)
		m.workCargo(m.s.rng.Float64() * 16 * 3600)
		return
	}
	m.s.silent = true
	m.s.waitUntil(m.h.afterSeconds(m.s.rng.Float64()*6*3600), m.enterArea)
}

// beginAtSea gives the ship a place on the way to the other harbour.
func (m *merchantPlan) beginAtSea() {
	s := m.s
	m.bound = m.h.sea.other(m.h)
	s.draught, s.loaded = m.laden(s.draught, m.mostOut())
	s.destination, s.eta = m.nextVoyage(m.h.clockTime())
	way := m.h.sea.stretchesFrom(m.h, m.offset())
	way = way[s.rng.IntN(len(way)):]
	s.place, s.plane = way[0].points[0], way[0].plane
	m.sea(way)
}

// enterArea brings the ship into the area.
func (m *merchantPlan) enterArea() {
	s, h := m.s, m.h
	s.silent, s.status = false, ais.StatusUnderWayEngine
	s.place = h.water.middleOf(m.gate)
	if len(h.places.gates) > 1 && s.rng.IntN(5) == 0 {
		m.passThrough()
		return
	}
	s.destination = h.name
	s.draught, s.loaded = m.laden(s.deep, h.mostBy(m.gate))
	s.entry = nil
	m.receive()
}

// receive sails a ship that has come into the area to a berth or to an anchorage.
func (m *merchantPlan) receive() {
	s, h := m.s, m.h
	h.tellPort(Arrival, s)
	m.berth = h.freeBerth(s, h.places.big)
	m.spot = h.freeAnchor(s)
	if m.spot != 0 && (m.berth == nil || s.rng.IntN(100) < m.patience()) {
		m.goToAnchor()
		return
	}
	if m.berth == nil {
		m.turnBack()
		return
	}
	m.berth.ship = m.s
	m.goIn(m.gate)
}

// patience is how many of a hundred ships of this type anchor although a berth is free.
func (m *merchantPlan) patience() int {
	if m.s.shipType >= 80 {
		return 40
	}
	return 12
}

// passThrough sails the ship through to another gate.
func (m *merchantPlan) passThrough() {
	s, h := m.s, m.h
	out := pickOne(s.rng, h.places.gates)
	if out == m.gate {
		out = h.places.gates[(s.rng.IntN(len(h.places.gates)-1)+1)%len(h.places.gates)]
	}
	if out == m.gate {
		m.turnBack()
		return
	}
	s.draught, s.loaded = m.laden(s.draught, h.mostOf(h.water.pathBetween(m.gate, out)))
	h.tellPort(Arrival, s)
	s.destination = pickOne(s.rng, outward)
	m.sailBy(out, m.gate, out)
	m.gate = out
	s.waitUntil(s.arrived, m.leaveRange)
}

// sailBy puts the ship on a way over cells that ends in the middle of a cell.
func (m *merchantPlan) sailBy(end int32, cells ...int32) {
	s := m.s
	s.startWay(m.h.route(s.place, m.h.water.middleOf(end), 60+90*s.rng.Float64(), cells...), -1)
	s.speed = s.cruise
	m.setETA()
}

// setETA sets the ETA to the time when the ship comes to the end of its rail.
func (m *merchantPlan) setETA() {
	s := m.s
	t := m.h.clockTime().Add(time.Duration(s.rail.endLength()/s.cruise*1.15) * time.Second)
	s.eta = ais.ETA{Month: uint8(t.Month()), Day: uint8(t.Day()), Hour: uint8(t.Hour()), Minute: uint8(t.Minute() / 5 * 5)}
}

// turnBack takes the ship out of range; it tries again later. It serves ships that find neither berth nor anchorage.
func (m *merchantPlan) turnBack() {
	m.s.silent = true
	m.s.waitUntil(m.h.afterSeconds(3600*(1+m.s.rng.Float64())), m.enterArea)
}

func (m *merchantPlan) goToAnchor() {
	m.berth = nil
	m.sailBy(m.spot, m.gate, m.spot)
	m.s.waitUntil(m.s.arrived, m.anchor)
}

func (m *merchantPlan) anchor() {
	s, h := m.s, m.h
	s.lie(ais.StatusAtAnchor)
	s.swing = &swing{anchor: s.place, since: float64(h.now), phase: s.rng.Float64() * 6, wind: h.wind}
	h.tellPort(Anchoring, s)
	earliest := h.afterSeconds(3600 * (1 + 5*s.rng.Float64()))
	s.waitUntil(func() bool { return h.now%60 == 0 && earliest() && m.takeBerth() }, m.weighAnchor)
}

// takeBerth reserves a berth when one is free.
func (m *merchantPlan) takeBerth() bool {
	m.berth = m.h.freeBerth(m.s, m.h.places.big)
	if m.berth != nil {
		m.berth.ship = m.s
	}
	return m.berth != nil
}

func (m *merchantPlan) weighAnchor() {
	s := m.s
	m.h.tellPort(Weighing, s)
	s.swing, s.status = nil, ais.StatusUnderWayEngine
	from := m.spot
	m.spot = 0
	m.goIn(from)
}

// goIn sails the ship from a cell over the boarding place to its berth.
func (m *merchantPlan) goIn(from int32) {
	s, h := m.s, m.h
	keep := 60 + 60*s.rng.Float64()
	rolling := s.speed
	s.startWay(h.route(s.place, m.berth.placeAlongside(s.beam()), keep, from, h.places.boarding, m.berth.cell), m.berthHeading())
	s.speed = rolling
	m.setETA()
	m.meetPilot(m.callTugIn)
}

// berthHeading returns the heading at the berth: one of the two directions along the quay, at random.
func (m *merchantPlan) berthHeading() float64 {
	if m.s.rng.IntN(2) == 0 {
		return m.berth.heading
	}
	return wrapAngle(m.berth.heading + 180)
}

// meetPilot slows the ship down for the boarding place on its way. The ship goes on when the pilot has come or gone.
func (m *merchantPlan) meetPilot(then func()) {
	s := m.s
	at := s.rail.nearestAlong(m.h.water.middleOf(m.h.places.boarding))
	if at > s.rail.endLength()-1200 || at < 1200 {
		then()
		return
	}
	m.job = m.h.askPilot(s, at)
	s.waitUntil(func() bool { return at-s.along < 5000 }, func() {
		s.stop = at + 300
		s.waitUntil(func() bool { return m.job.begun }, func() {
			s.stop, s.limit = s.rail.endLength(), 7*knot
			s.waitUntil(func() bool { return m.job.done }, func() {
				s.limit = math.Inf(1)
				then()
			})
		})
	})
}

func (m *merchantPlan) callTugIn() {
	s := m.s
	if s.length() > 100 {
		m.h.askTug(s, max(s.along+400, s.rail.endLength()-2500), s.rail.endLength()-s.length()/2-120)
	}
	s.waitUntil(s.arrived, m.moored)
}

func (m *merchantPlan) moored() {
	s, h := m.s, m.h
	heading := s.heading
	h.tellBerth(Berthing, s, m.berth)
	s.moor(m.berth)
	s.heading = heading
	stay := 3600 * (5 + 13*s.rng.Float64())
	if !m.shifted && s.rng.IntN(6) == 0 {
		s.waitUntil(h.afterSeconds(stay), m.shiftBerth)
		return
	}
	m.workCargo(stay)
}

// shiftBerth takes the ship to another berth of the port, by a way within the border of the port. Where there is none, it works its cargo where it is.
func (m *merchantPlan) shiftBerth() {
	s, h := m.s, m.h
	m.shifted = true
	to := h.freeBerth(s, h.places.big)
	if to == nil || to.reach < s.length()/2 {
		m.workCargo(3600)
		return
	}
	way := h.route(s.place, to.placeAlongside(s.beam()), 30, m.berth.cell, to.cell)
	if slices.ContainsFunc(way, func(v vec) bool { return h.home.isBeyond(v, 0) }) {
		m.workCargo(3600)
		return
	}
	h.tellBerth(Departure, s, m.berth)
	m.berth.ship, to.ship = nil, s
	m.berth = to
	s.startWay(way, m.berthHeading())
	s.status, s.limit = ais.StatusUnderWayEngine, 7*knot
	s.waitUntil(s.arrived, m.moored)
}

// workCargo works the cargo: the draught is another one when the ship leaves, in so many seconds. The crew enters it an hour before that, up to half
// an hour after it, with the next port and the time of arrival there.
func (m *merchantPlan) workCargo(stay float64) {
	s := m.s
	m.bound, m.gate, m.shifted = nil, pickOne(s.rng, m.h.places.gates), false
	if m.h.sea != nil && s.rng.IntN(100) < 60 {
		m.bound, m.gate = m.h.sea.other(m.h), m.h.gate
	}
	due := m.h.now + int64(stay)
	s.entry = &entry{at: due - 3600 + int64(s.rng.IntN(5400)), draught: ais.Decimetres(int(s.deep) * (55 + s.rng.IntN(46)) / 100)}
	m.most = m.mostOut()
	s.entry.draught, m.cargo = m.laden(s.entry.draught, m.most)
	s.entry.destination, s.entry.eta = m.nextVoyage(m.h.clockTime().Add(time.Duration(stay) * time.Second))
	s.waitUntil(m.h.afterSeconds(stay), m.callTug)
}

// nextVoyage returns what a crew that leaves at a time writes as its destination and ETA. It is up to a twentieth wrong about the time at sea.
func (m *merchantPlan) nextVoyage(from time.Time) (destination string, eta ais.ETA) {
	s := m.s
	m.pace = s.cruise * (0.9 + 0.1*s.rng.Float64())
	if m.bound == nil {
		t := from.Add(time.Duration(20+s.rng.IntN(60)) * time.Hour)
		return pickOne(s.rng, outward), ais.ETA{Month: uint8(t.Month()), Day: uint8(t.Day()), Hour: uint8(t.Hour())}
	}
	sailing := m.h.sea.wayLength(m.h) / m.pace * (0.95 + 0.1*s.rng.Float64())
	t := from.Add(time.Duration(sailing+1800) * time.Second).Round(15 * time.Minute)
	return m.bound.home.destinationText(s.rng, m.h.home), ais.ETA{Month: uint8(t.Month()), Day: uint8(t.Day()), Hour: uint8(t.Hour()), Minute: uint8(t.Minute())}
}

// callTug plans the way out. The ship lets go when a tug is there, or after twenty minutes without one.
func (m *merchantPlan) callTug() {
	s, h := m.s, m.h
	keep := 60 + 60*s.rng.Float64()
	way := h.route(s.place, h.water.middleOf(m.gate), keep, m.berth.cell, h.places.boarding, m.gate)
	m.tow = nil
	if s.length() > 100 {
		m.tow = h.askTugFor(s, newRail(way), s.length()/2+60, 1500)
	}
	late := h.afterSeconds(1200)
	s.waitUntil(func() bool { return m.tow == nil || m.tow.ready || late() }, func() { m.letGo(way) })
}

func (m *merchantPlan) letGo(way []vec) {
	s, h := m.s, m.h
	s.loaded = m.cargo
	if s.entry != nil && s.entry.draught <= m.most {
		s.draught = min(s.draught, m.most) // what is typed late is no deeper than the way
	}
	h.tellBerth(Departure, s, m.berth)
	s.startWay(way, -1)
	if m.tow != nil {
		m.tow.rail, m.tow.sailed = s.rail, true
	}
	s.status = ais.StatusUnderWayEngine
	m.berth.ship = nil
	m.berth = nil
	m.meetPilot(func() {
		if m.bound != nil {
			s.passRailEnd(m.putToSea)
			return
		}
		s.waitUntil(s.arrived, m.leaveRange)
	})
}

// putToSea takes the ship from the gate on to the other harbour.
func (m *merchantPlan) putToSea() {
	m.h.tellPort(Sailing, m.s)
	m.sea(m.h.sea.stretchesFrom(m.h, m.offset()))
}

// offset returns the metres that the ship keeps to starboard of the middle of its way at sea.
func (m *merchantPlan) offset() float64 { return 300 + 1200*m.s.rng.Float64() }

// sea puts the ship on a way to the other harbour.
func (m *merchantPlan) sea(way []stretch) {
	m.way, m.job, m.h, m.s.in, m.s.status = way, nil, m.bound, nil, ais.StatusUnderWayEngine
	m.goOn()
}

// goOn sails the next stretch of the sea. After the last one the ship comes into the area of the other harbour.
func (m *merchantPlan) goOn() {
	s := m.s
	if len(m.way) > 0 {
		next := m.way[0]
		m.way = m.way[1:]
		s.goOn(next, m.pace, m.goOn)
		return
	}
	m.bound, m.gate, s.in = nil, m.h.gate, m.h
	s.into(&m.h.water.plane)
	m.receive()
}

// leaveRange takes the ship out of range.
func (m *merchantPlan) leaveRange() {
	s := m.s
	m.h.tellPort(Sailing, s)
	s.lie(ais.StatusUnderWayEngine)
	s.silent = true
	m.job = nil
	s.waitUntil(m.h.afterSeconds(3600*(0.5+2.5*s.rng.Float64())), m.enterArea)
}

// freeAnchor returns an anchoring place that no ship lies at or is bound for; 0 when there is none.
func (h *area) freeAnchor(s *ship) int32 {
	for _, c := range h.places.anchors {
		if h.anchorFree(c) && s.rng.IntN(3) > 0 {
			return c
		}
	}
	return 0
}

// anchorFree reports whether no ship has its anchor, or the end of its way, near the cell.
func (h *area) anchorFree(c int32) bool {
	m := h.water.middleOf(c)
	for _, s := range h.ships {
		if s.in != h {
			continue
		}
		if s.swing != nil && s.swing.anchor.distance(m) < 600 {
			return false
		}
		if s.rail != nil && s.rail.points[len(s.rail.points)-1].distance(m) < 600 {
			return false
		}
	}
	return true
}
