package sim

import (
	"quaywatch/ais"
)

// rescuePlan is the plan of the lifeboat and the beacons.
type rescuePlan struct {
	h    *area
	boat *ship
	base *berth
	mob  *ship // the beacon of the man overboard
	sart *ship // tested once a day
	lost *ship // the ship that lost the person
}

func (h *area) addLifeboat() {
	id := h.reg.localCraft(51, 18, "LIFEBOAT "+h.reg.makeWord())
	r := &rescuePlan{h: h, boat: h.add(id, lifeboat, 26)}
	r.base = h.small(r.boat)
	r.boat.moor(r.base)
	r.boat.waitUntil(func() bool { return h.now%60 == 30 && r.alarmed() }, r.sailOut)
	h.rescue = r
}

// addBeacons adds the beacons, which are silent until they are needed. A person falls overboard in the first two hours, and then every few hours.
func (h *area) addBeacons() {
	r := h.rescue
	r.mob = h.addBeacon(972990000, "")
	r.sart = h.addBeacon(970990000, "")
	r.mob.waitUntil(h.afterSeconds(warmUp+1800+5400*r.mob.rng.Float64()), r.fall)
	r.sart.waitUntil(r.testHour, r.test)
}

func (h *area) addBeacon(first ais.MMSI, name string) *ship {
	s := h.add(identity{mmsi: first + ais.MMSI(h.rng.IntN(9999)), name: name}, beacon, 0.6)
	s.silent = true
	return s
}

// fall lets a person fall overboard from a ship in open water.
func (r *rescuePlan) fall() {
	h, s := r.h, r.mob
	r.lost = nil
	for _, ship := range h.ships {
		open := !ship.silent && ship.in == h && ship.speed > 2 && ship.role <= yacht && h.water.roomAt(ship.place) > 6
		if open && (r.lost == nil || s.rng.IntN(6) == 0) {
			r.lost = ship
		}
	}
	if r.lost == nil {
		s.waitUntil(h.afterSeconds(600), r.fall)
		return
	}
	s.silent, s.status, s.place, s.speed = false, ais.StatusSART, r.lost.place, 0
	s.nextFix, s.nextID = h.now, h.now
	drift := s.place.plus(toward(h.wind + 180).times(500))
	if !h.water.crossesShore(s.place, drift) {
		s.startWay([]vec{s.place, drift}, -1)
		s.cruise = 0.25
	}
	h.tellEvent(ManOverboard, s, r.lost)
}

// alarmed reports whether the crew of the lifeboat has noticed a beacon. It does so some minutes after the beacon begins.
func (r *rescuePlan) alarmed() bool { return r.mob != nil && !r.mob.silent && r.boat.rng.IntN(4) == 0 }

func (r *rescuePlan) sailOut() {
	s, h := r.boat, r.h
	way := h.wayFrom(s, r.base.cell, r.mob.place)
	if way == nil {
		r.recover()
		return
	}
	h.letGo(s, r.base)
	s.startWay(way, -1)
	s.status, s.destination = ais.StatusUnderWayEngine, "SAR"
	s.waitUntil(s.arrived, r.searchForBeacon)
}

// searchForBeacon brings the lifeboat from where the beacon was to where it is now.
func (r *rescuePlan) searchForBeacon() {
	s := r.boat
	s.startWay([]vec{s.place, r.mob.place}, -1)
	s.limit = 6 * knot
	s.waitUntil(s.arrived, func() { s.waitUntil(r.h.afterSeconds(180), r.recover) })
}

func (r *rescuePlan) recover() {
	s, h := r.boat, r.h
	h.tellEvent(Recovery, r.mob, s)
	r.mob.lie(ais.StatusUndefined)
	r.mob.silent = true
	r.mob.waitUntil(h.afterSeconds(3600*(5+6*r.mob.rng.Float64())), r.fall)
	way := h.wayTo(s, r.base.placeAlongside(s.beam()), r.base.cell, 0)
	if way == nil {
		s.place, way = r.base.placeAlongside(s.beam()), []vec{r.base.placeAlongside(s.beam())}
	}
	s.startWay(way, r.base.heading)
	s.waitUntil(s.arrived, func() {
		h.makeFast(s, r.base)
		s.destination = h.name
		rested := h.afterSeconds(breather)
		s.waitUntil(func() bool { return h.now%60 == 30 && rested() && r.alarmed() }, r.sailOut)
	})
}

// testHour reports whether it is noon, when the crew of the lifeboat tests its AIS-SART.
func (r *rescuePlan) testHour() bool { t := r.h.clockTime(); return t.Hour() == 12 && t.Minute() == 0 }

func (r *rescuePlan) test() {
	s := r.sart
	s.silent, s.status = false, ais.StatusUndefined
	s.place = r.base.placeAlongside(4)
	s.nextFix, s.nextID = r.h.now, r.h.now
	s.waitUntil(r.h.afterSeconds(90), func() {
		s.silent = true
		s.waitUntil(r.h.afterSeconds(3600), func() { s.waitUntil(r.testHour, r.test) })
	})
}

// addAircraft adds a SAR aircraft that patrols now and then. It may cross land.
func (h *area) addAircraft() {
	s := h.add(identity{mmsi: ais.MMSI(111000000 + h.reg.local.mid*1000 + 501)}, aircraft, 105)
	s.silent, s.agility, s.gain, s.brake = true, 8, 1, 1
	var fly, land func()
	fly = func() {
		s.silent = false
		s.startWay(h.patrol(s), -1)
		s.speed = s.cruise * 0.5
		s.waitUntil(s.arrived, land)
	}
	land = func() {
		s.lie(ais.StatusUndefined)
		s.silent = true
		s.waitUntil(h.afterSeconds(3600*(1+3*s.rng.Float64())), fly)
	}
	s.waitUntil(h.afterSeconds(warmUp-1200+2400*s.rng.Float64()), fly)
}

// patrol returns a round trip over the area, with corners rounded for an aircraft.
func (h *area) patrol(s *ship) []vec {
	home := toward(s.rng.Float64() * 360).times(20000)
	points := []vec{home}
	for range 7 {
		points = append(points, toward(s.rng.Float64()*360).times(16000*s.rng.Float64()))
	}
	points = append(points, home)
	for range 3 {
		points = chamfer(points)
	}
	return points
}

// chamfer cuts off every corner at a quarter of its legs.
func chamfer(points []vec) []vec {
	out := points[:1:1]
	for i := 1; i < len(points); i++ {
		out = append(out, points[i-1].mix(points[i], 0.25), points[i-1].mix(points[i], 0.75))
	}
	return append(out, points[len(points)-1])
}
