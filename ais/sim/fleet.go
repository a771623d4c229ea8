package sim

import (
	"fmt"
	"math/rand/v2"

	"quaywatch/ais"
)

// populate makes n ships: merchant ships, ferries, fishing vessels, yachts, and the craft that serve the harbours. A second harbour has a fifth
// of them.
func (h *Harbour) populate(n int) {
	counts := []int{n}
	if len(h.areas) > 1 {
		counts = []int{n - n/5, n / 5}
	}
	for i, a := range h.areas {
		a.addTraffic(counts[i])
	}
	for i, a := range h.areas {
		a.addServices(counts[i])
	}
	a := h.areas[0]
	a.addLifeboat()
	a.addAircraft()
	a.addBeacons()
}

// shareOf returns so many of a hundred ships, at least one.
func shareOf(n, percent int) int { return max(1, n*percent/100) }

// addTraffic adds the ships that are served, n together with those that serve.
func (h *area) addTraffic(n int) {
	before := len(h.ships)
	if h == h.areas[0] {
		for i := range shareOf(n, 5) {
			h.addFerry(i)
		}
	}
	for i := range shareOf(n, 38) {
		h.addMerchant(i)
	}
	for i := range shareOf(n, 9) {
		h.addFisherman(i)
	}
	for i := range shareOf(n, 8) {
		h.addWorkboat(i)
	}
	services := shareOf(n, 2) + shareOf(n, 4) + 1
	for len(h.ships)-before < n-services {
		h.addYacht()
	}
}

// addServices adds pilot boats and tugs.
func (h *area) addServices(n int) {
	for i := range shareOf(n, 2) {
		h.addPilotBoat(i)
	}
	for i := range shareOf(n, 4) {
		h.addTug(i)
	}
}

// add puts a ship into the harbour. How fast it turns, speeds up and slows down follows from its length.
func (h *area) add(id identity, r role, knots float64) *ship {
	if r != merchant {
		id.draught = min(id.draught, h.craft)
	}
	s := &ship{identity: id, role: r, rng: rand.New(rand.NewPCG(h.rng.Uint64(), uint64(id.mmsi))), cruise: knots * knot, final: -1}
	big := min(1, id.length()/150)
	s.gain, s.brake = 0.25-0.2*big, 0.25-0.2*big
	s.agility = 6 - 4.8*big
	s.heading = float64(s.rng.IntN(360))
	s.nextFix, s.nextID = int64(s.rng.IntN(180)), int64(s.rng.IntN(360))
	s.in, s.plane, s.loaded = h, &h.water.plane, id.draught
	s.destination = h.name
	s.eta = ais.ETA{Hour: 24, Minute: 60}
	h.ships = append(h.ships, s)
	return s
}

// moor makes a ship fast at a berth.
func (s *ship) moor(b *berth) {
	s.lie(ais.StatusMoored)
	s.place, s.heading = b.placeAlongside(s.beam()), b.heading
	b.ship = s
	s.stay = stay{since: s.in.now}
}

// breather is the seconds that a crew stays at its berth before its next job.
const breather = 1200

// letGo reports that a craft leaves its berth, unless it is out already.
func (h *area) letGo(s *ship, b *berth) {
	if s.status == ais.StatusMoored {
		h.tellBerth(Departure, s, b)
	}
}

// makeFast reports that a craft is back at its berth, and moors it there.
func (h *area) makeFast(s *ship, b *berth) {
	if s.status != ais.StatusMoored {
		h.tellBerth(Berthing, s, b)
	}
	s.moor(b)
}

// freeBerth finds a berth for a ship: a random one that is free, has room between its neighbours, and has a quay long enough.
// If no quay is long enough it returns the longest; nil means that all berths are taken.
func (h *area) freeBerth(s *ship, berths []*berth) *berth {
	var fits, longest *berth
	seen := 0
	for _, b := range berths {
		switch {
		case b.ship != nil || h.crowded(b, s):
		case b.reach >= s.length()/2:
			if seen++; s.rng.IntN(seen) == 0 {
				fits = b
			}
		case longest == nil || b.reach > longest.reach:
			longest = b
		}
	}
	if fits == nil {
		return longest
	}
	return fits
}

// crowded reports whether a ship at this berth would overlap a ship at another.
func (h *area) crowded(b *berth, s *ship) bool {
	for _, list := range [][]*berth{h.places.big, h.places.small, h.places.far} {
		for _, other := range list {
			if other.ship != nil && other.wall.distance(b.wall) < (s.length()+other.ship.length())/2 {
				return true
			}
		}
	}
	return false
}

// route returns a sailable way from a place in the first cell over the others to a place in the last one.
func (h *area) route(from vec, to vec, keep float64, cells ...int32) []vec {
	var parts [][]vec
	for i := 1; i < len(cells); i++ {
		parts = append(parts, h.water.pathBetween(cells[i-1], cells[i]))
	}
	parts[0] = append([]vec{from}, parts[0]...)
	last := len(parts) - 1
	parts[last] = h.approachEnd(parts[last], to)
	return h.water.smooth(keep, parts...)
}

// approachEnd ends a way at a place within its last cell.
func (h *area) approachEnd(part []vec, to vec) []vec {
	if to.distance(part[len(part)-1]) > 1 {
		part = append(part, to)
	}
	return part
}

// cellOf returns the cell from which a ship at a place can go on: the nearest one that a straight leg over water reaches.
func (h *area) cellOf(place vec) int32 {
	w := h.water
	best, bestDistance := int32(-1), 1e9
	for dx := -2.0; dx <= 2; dx++ {
		for dy := -2.0; dy <= 2; dy++ {
			c := w.cellAt(place.plus(vec{dx * cellSize, dy * cellSize}))
			if c < 0 || w.links[c] == 0 || w.middleOf(c).distance(place) >= bestDistance {
				continue
			}
			if w.fields[h.places.boarding] != nil && w.fields[h.places.boarding].next[c] == noWay && c != h.places.boarding {
				continue
			}
			if !w.crossesShore(place, w.middleOf(c)) {
				best, bestDistance = c, w.middleOf(c).distance(place)
			}
		}
	}
	return best
}

// wayTo returns a way from the place of a ship, anywhere on the water, to a place in a cell. It returns nil when there is no way.
func (h *area) wayTo(s *ship, to vec, cell int32, keep float64) []vec {
	from := h.cellOf(s.place)
	if from < 0 {
		return nil
	}
	way := append([]vec{s.place}, h.water.pathBetween(from, cell)...)
	return h.water.smooth(keep, h.approachEnd(way, to))
}

// wayFrom returns a way for a ship from its home cell to any place on the water.
func (h *area) wayFrom(s *ship, home int32, to vec) []vec {
	cell := h.cellOf(to)
	if cell < 0 {
		return nil
	}
	way := append([]vec{to}, h.water.pathBetween(cell, home)...)
	return h.water.smooth(0, reversed(h.approachEnd(way, s.place)))
}

func (h *area) addFerry(i int) {
	length := 70 + h.rng.IntN(90)
	name := h.reg.unique(func() string { return fitName(h.reg.makeWord()+" LINE", 20) })
	id := h.reg.makeIdentity(h.reg.local, 60+ais.ShipType(h.rng.IntN(2)*9), length, length/5, name)
	id.draught, id.deep = 48, 48
	f := &ferryPlan{h: h, s: h.add(id, ferry, float64(16+h.rng.IntN(8))), line: i / 2, second: i%2 == 1}
	f.s.gain, f.s.brake = 0.12, 0.12
	f.beginPlan()
}

func (h *area) addMerchant(i int) {
	id := h.reg.merchantShip()
	m := &merchantPlan{h: h, s: h.add(id, merchant, 10+h.rng.Float64()*6)}
	m.beginPlan(i)
}

func (h *area) addFisherman(i int) {
	id := h.reg.localCraft(30, 14+h.rng.IntN(16), h.reg.makeWord())
	id.classB = id.length() < 17
	c := &craftPlan{h: h, s: h.add(id, fisherman, 9)}
	c.beginPlan(i)
}

func (h *area) addWorkboat(i int) {
	types := []ais.ShipType{33, 53, 55, 54, 60, 59}
	names := []string{"DREDGER", "TENDER", "HARBOUR PATROL", "CLEAN SEA", "ROUND TRIP", "SURVEYOR"}
	kind := i % len(types)
	id := h.reg.localCraft(types[kind], 15+h.rng.IntN(25), fmt.Sprintf("%s %s", names[kind], pickOne(h.rng, beginnings)))
	c := &craftPlan{h: h, s: h.add(id, workboat, 8+float64(h.rng.IntN(6)))}
	c.beginPlan(i)
}

func (h *area) addYacht() {
	c := &craftPlan{h: h, s: h.add(h.reg.yacht(), yacht, 4.5+3*h.rng.Float64())}
	c.beginPlan(len(h.ships))
}
