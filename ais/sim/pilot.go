package sim

import (
	"fmt"
	"math"
	"time"

	"quaywatch/ais"
)

// pilotage is the transfer of a pilot between a pilot boat and a ship, at a distance on the ship's rail.
type pilotage struct {
	ship  *ship
	rail  *rail
	at    float64
	boat  *ship // the boat that serves it, nil before one is found
	begun bool  // the boat is closing in
	done  bool
}

// askPilot orders a pilot boat to a ship's boarding place.
func (h *area) askPilot(s *ship, at float64) *pilotage {
	job := &pilotage{ship: s, rail: s.rail, at: at}
	h.pilotJobs = append(h.pilotJobs, job)
	return job
}

// isDue reports whether it is time for the boat to leave.
func (j *pilotage) isDue() bool { return j.boat == nil && j.at-j.ship.along < 9000 }

// pilotPlan is the plan of a pilot boat: from its base to the ships that need a pilot.
type pilotPlan struct {
	h    *area
	s    *ship
	base *berth
	job  *pilotage
}

func (h *area) addPilotBoat(i int) {
	id := h.reg.localCraft(50, 13+h.rng.IntN(6), fmt.Sprintf("PILOT %d", i+1))
	p := &pilotPlan{h: h, s: h.add(id, pilotBoat, 21)}
	p.base = h.small(p.s)
	p.s.moor(p.base)
	p.waitForJob()
}

// small returns a berth for a small craft: a free one, or a shared one when none is free.
func (h *area) small(s *ship) *berth {
	if b := h.freeBerth(s, h.places.small); b != nil {
		return b
	}
	return pickOne(s.rng, append(append([]*berth(nil), h.places.small...), h.places.big...))
}

func (p *pilotPlan) waitForJob() {
	p.s.destination = "PILOT STATION"
	p.s.waitUntil(func() bool { return p.h.now%10 == 0 && p.takeJob() }, p.sailOut)
}

// takeJob has the boat take the first job that is due.
func (p *pilotPlan) takeJob() bool {
	for i, job := range p.h.pilotJobs {
		if job.isDue() {
			job.boat, p.job = p.s, job
			p.h.pilotJobs = append(p.h.pilotJobs[:i:i], p.h.pilotJobs[i+1:]...)
			return true
		}
	}
	return false
}

// sailOut sails the boat to the boarding place. When there is no way, the job goes back to the list.
func (p *pilotPlan) sailOut() {
	h := p.h
	way := h.wayTo(p.s, h.water.middleOf(h.places.boarding), h.places.boarding, 0)
	if way == nil {
		p.job.boat = nil
		h.pilotJobs = append(h.pilotJobs, p.job)
		p.waitForJob()
		return
	}
	h.letGo(p.s, p.base)
	p.s.status, p.s.destination = ais.StatusUnderWayEngine, "PILOT BOARDING"
	rolling := p.s.speed
	p.s.startWay(way, -1)
	p.s.speed = rolling
	p.s.waitUntil(p.s.arrived, p.waitForShip)
}

func (p *pilotPlan) waitForShip() {
	p.s.lie(ais.StatusUnderWayEngine)
	p.s.waitUntil(p.isNear, p.comeAlongside)
}

// isNear reports whether the ship is near enough to go alongside: within 600 m, or 2 km where it has stopped and waits.
func (p *pilotPlan) isNear() bool {
	s, ship := p.s, p.job.ship
	if ship.in != s.in {
		return false
	}
	d := ship.place.distance(s.place)
	return (d < 600 || d < 2000 && ship.speed < 0.5*knot) && !p.h.water.crossesShore(ship.place, s.place)
}

// comeAlongside takes the boat alongside the ship: three minutes to come, four to seven to stay.
func (p *pilotPlan) comeAlongside() {
	s, ship := p.s, p.job.ship
	p.job.begun = true
	s.partner = &partner{of: ship, from: s.place.minus(ship.place), since: float64(p.h.now), take: 180}
	s.partner.beam = p.lee() * (ship.beam()/2 + s.beam()/2 + 3)
	s.waitUntil(p.h.afterSeconds(180), p.transferPilot)
}

// lee returns the side of the ship that has water along its way: 1 for starboard, -1 for port.
func (p *pilotPlan) lee() float64 {
	ship := p.job.ship
	for ahead := 0.0; ahead < 1500; ahead += 100 {
		at, direction, _ := p.job.rail.placeAt(min(p.job.rail.endLength(), ship.along+ahead), 0)
		if p.h.water.land(at.plus(direction.starboard().times(120))) {
			return -1
		}
	}
	return 1
}

func (p *pilotPlan) transferPilot() {
	t := p.h.truthOf(PilotTransfer, p.job.ship)
	t.Port, t.Draught = p.h.home.ref(), metresOf(p.job.ship.loaded)
	if t.Time.Before(p.h.start) {
		t.Time = p.h.start
	}
	stay := 240 + p.s.rng.IntN(180)
	p.s.waitUntil(p.h.afterSeconds(float64(stay)), func() {
		until := t.Time.Add(time.Duration(stay) * time.Second)
		t.Other, t.Until = p.s.mmsi, &until
		p.h.truth(t)
		p.leaveShip()
	})
}

// leaveShip takes the boat off again, and on to the next job or home.
func (p *pilotPlan) leaveShip() {
	s, ship := p.s, p.job.ship
	p.job.done = true
	s.partner = &partner{of: ship, from: s.place.minus(ship.place), since: float64(p.h.now), take: 60, beam: 60 * p.lee()}
	s.waitUntil(p.h.afterSeconds(60), func() {
		s.partner = nil
		s.speed = min(s.speed, s.cruise)
		if p.takeJob() {
			p.sailOut()
			return
		}
		p.sailHome()
	})
}

func (p *pilotPlan) sailHome() {
	s := p.s
	way := p.h.wayTo(s, p.base.placeAlongside(s.beam()), p.base.cell, 0)
	if way == nil {
		s.lie(ais.StatusUnderWayEngine)
		p.waitForJob()
		return
	}
	rolling := s.speed
	s.startWay(way, p.base.heading)
	s.speed, s.destination = rolling, "PILOT STATION"
	s.waitUntil(s.arrived, func() {
		p.h.makeFast(s, p.base)
		s.waitUntil(p.h.afterSeconds(breather), p.waitForJob)
	})
}

// towage is a job for a tug: it leads a ship along the ship's rail, from one distance on it to another.
type towage struct {
	ship     *ship
	rail     *rail
	from, to float64
	gap      float64 // metres that the tug is ahead of the ship's antenna
	tug      *ship
	ready    bool // the tug waits for the ship
	sailed   bool // the ship is on the rail, or has been
}

// askTug orders a tug for a ship that is under way.
func (h *area) askTug(s *ship, from, to float64) {
	if to > from+200 {
		h.towJobs = append(h.towJobs, &towage{ship: s, rail: s.rail, from: from, to: to, gap: s.length()/2 + 60, sailed: true})
	}
}

// askTugFor orders a tug for a ship that will sail on a rail.
func (h *area) askTugFor(s *ship, r *rail, from, to float64) *towage {
	job := &towage{ship: s, rail: r, from: from, to: min(to, r.endLength()), gap: from}
	h.towJobs = append(h.towJobs, job)
	return job
}

// isOver reports whether the ship needs no tug any more.
func (t *towage) isOver() bool {
	return t.sailed && (t.ship.rail != t.rail || t.ship.along+t.gap >= t.to)
}

// lead keeps a tug ahead of its ship on the ship's own rail.
func (s *ship) lead() {
	t := s.escort
	along := max(t.from, min(t.to, t.ship.along+t.gap))
	place, direction, _ := t.rail.placeAt(along, 0)
	s.moveTo(place, direction.bearing())
}

// tugPlan is the plan of a tug.
type tugPlan struct {
	h    *area
	s    *ship
	base *berth
	job  *towage
}

func (h *area) addTug(i int) {
	id := h.reg.localCraft(52, 24+h.rng.IntN(10), fmt.Sprintf("%s TUG", pickOne(h.rng, beginnings)))
	t := &tugPlan{h: h, s: h.add(id, tugBoat, 11)}
	t.base = h.small(t.s)
	t.s.moor(t.base)
	t.waitForJob()
}

func (t *tugPlan) waitForJob() {
	t.s.waitUntil(func() bool { return t.h.now%10 == 5 && t.takeJob() }, t.sailOut)
}

// takeJob has the tug take the first job that is not over.
func (t *tugPlan) takeJob() bool {
	for len(t.h.towJobs) > 0 {
		job := t.h.towJobs[0]
		t.h.towJobs = t.h.towJobs[1:]
		if !job.isOver() {
			t.job, job.tug = job, t.s
			return true
		}
	}
	return false
}

func (t *tugPlan) sailOut() {
	s := t.s
	place, _, _ := t.job.rail.placeAt(t.job.from, 0)
	way := t.h.wayFrom(s, t.base.cell, place)
	if way == nil {
		t.job.ready = true
		t.waitForJob()
		return
	}
	t.h.letGo(s, t.base)
	s.startWay(way, -1)
	s.status = ais.StatusUnderWayEngine
	s.waitUntil(func() bool { return s.arrived() || t.job.isOver() }, t.waitForShip)
}

func (t *tugPlan) waitForShip() {
	t.job.ready = true
	job := t.job
	t.s.waitUntil(func() bool {
		return job.isOver() || job.sailed && job.ship.along+job.gap >= job.from
	}, t.escort)
}

// escort begins to lead the ship, unless the ship has gone past already.
func (t *tugPlan) escort() {
	if t.job.isOver() || t.job.ship.along+t.job.gap > t.job.from+40 {
		t.sailHome()
		return
	}
	t.h.tellEvent(Towage, t.job.ship, t.s)
	t.s.rail, t.s.escort = nil, t.job
	t.s.waitUntil(func() bool { return t.job.isOver() || t.job.ship.arrived() }, t.sailHome)
}

func (t *tugPlan) sailHome() {
	s := t.s
	s.escort = nil
	s.speed = min(s.speed, s.cruise)
	way := t.h.wayTo(s, t.base.placeAlongside(s.beam()), t.base.cell, 0)
	if way == nil {
		s.lie(ais.StatusUnderWayEngine)
		s.waitUntil(t.h.afterSeconds(math.Inf(1)), t.waitForJob)
		return
	}
	rolling := s.speed
	s.startWay(way, t.base.heading)
	s.speed = rolling
	s.waitUntil(s.arrived, func() {
		t.h.makeFast(s, t.base)
		s.waitUntil(t.h.afterSeconds(breather), t.waitForJob)
	})
}
