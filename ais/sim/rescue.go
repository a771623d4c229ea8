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
	id := h.reg.localCraft(51, 18, "LIFEBOAT "+h.reg.word())
	r := &rescuePlan{h: h, boat: h.add(id, lifeboat, 26)}
	r.base = h.small(r.boat)
	r.boat.moor(r.base)
	r.boat.until(func() bool { return h.now%60 == 30 && r.alarmed() }, r.out)
	h.rescue = r
}

// addBeacons adds the beacons, which are silent until they are needed. A person falls overboard in the first two hours, and then every few hours.
func (h *area) addBeacons() {
	r := h.rescue
	r.mob = h.addBeacon(972990000, "")
	r.sart = h.addBeacon(970990000, "")
	r.mob.until(h.after(warmUp+1800+5400*r.mob.rng.Float64()), r.fall)
	r.sart.until(r.testHour, r.test)
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
		s.until(h.after(600), r.fall)
		return
	}
	s.silent, s.status, s.place, s.speed = false, ais.StatusSART, r.lost.place, 0
	s.nextFix, s.nextID = h.now, h.now
	drift := s.place.plus(toward(h.wind + 180).times(500))
	if !h.water.crosses(s.place, drift) {
		s.sail([]vec{s.place, drift}, -1)
		s.cruise = 0.25
	}
	h.tell(ManOverboard, s, r.lost)
}

// alarmed reports whether the crew of the lifeboat has noticed a beacon. It does so some minutes after the beacon begins.
func (r *rescuePlan) alarmed() bool { return r.mob != nil && !r.mob.silent && r.boat.rng.IntN(4) == 0 }

func (r *rescuePlan) out() {
	s, h := r.boat, r.h
	way := h.wayFrom(s, r.base.cell, r.mob.place)
	if way == nil {
		r.recover()
		return
	}
	h.letGo(s, r.base)
	s.sail(way, -1)
	s.status, s.destination = ais.StatusUnderWayEngine, "SAR"
	s.until(s.arrived, r.search)
}

// search brings the lifeboat from where the beacon was to where it is now.
func (r *rescuePlan) search() {
	s := r.boat
	s.sail([]vec{s.place, r.mob.place}, -1)
	s.limit = 6 * knot
	s.until(s.arrived, func() { s.until(r.h.after(180), r.recover) })
}

func (r *rescuePlan) recover() {
	s, h := r.boat, r.h
	h.tell(Recovery, r.mob, s)
	r.mob.lie(ais.StatusUndefined)
	r.mob.silent = true
	r.mob.until(h.after(3600*(5+6*r.mob.rng.Float64())), r.fall)
	way := h.wayTo(s, r.base.alongside(s.beam()), r.base.cell, 0)
	if way == nil {
		s.place, way = r.base.alongside(s.beam()), []vec{r.base.alongside(s.beam())}
	}
	s.sail(way, r.base.heading)
	s.until(s.arrived, func() {
		h.makeFast(s, r.base)
		s.destination = h.name
		rested := h.after(breather)
		s.until(func() bool { return h.now%60 == 30 && rested() && r.alarmed() }, r.out)
	})
}

// testHour reports whether it is noon, when the crew of the lifeboat tests its AIS-SART.
func (r *rescuePlan) testHour() bool { t := r.h.clock(); return t.Hour() == 12 && t.Minute() == 0 }

func (r *rescuePlan) test() {
	s := r.sart
	s.silent, s.status = false, ais.StatusUndefined
	s.place = r.base.alongside(4)
	s.nextFix, s.nextID = r.h.now, r.h.now
	s.until(r.h.after(90), func() {
		s.silent = true
		s.until(r.h.after(3600), func() { s.until(r.testHour, r.test) })
	})
}

// addAircraft adds a SAR aircraft that patrols now and then. It may cross land.
func (h *area) addAircraft() {
	s := h.add(identity{mmsi: ais.MMSI(111000000 + h.reg.local.mid*1000 + 501)}, aircraft, 105)
	s.silent, s.agility, s.gain, s.brake = true, 8, 1, 1
	var fly, land func()
	fly = func() {
		s.silent = false
		s.sail(h.patrol(s), -1)
		s.speed = s.cruise * 0.5
		s.until(s.arrived, land)
	}
	land = func() {
		s.lie(ais.StatusUndefined)
		s.silent = true
		s.until(h.after(3600*(1+3*s.rng.Float64())), fly)
	}
	s.until(h.after(warmUp-1200+2400*s.rng.Float64()), fly)
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
