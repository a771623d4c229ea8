package watchdog

import (
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// The numbers of a zone, a circle that moves with a ship.
const (
	zoneSilence  = 15 * time.Minute // of either ship, after which it is over
	restKnots    = 1.0              // a ship that is no faster stays where it was
	restFor      = 390_000          // milliseconds: twice the three minutes between two reports of a ship at rest, and some more
	mostZone     = 20_000           // metres of a radius
	zoneMargin   = 4000.0           // metres: ships are followed so far outside of the circle
	zoneLeap     = zoneMargin / 2   // metres that the center may sail before others are looked for elsewhere
	mostInZone   = 1000             // ships that are followed
	nearInZone   = 900              // that stay when there are too many
	zoneLookEach = 2000             // milliseconds between two looks round the center
)

// Zone is a circle that moves with the ship that a definition of type Around names, and the ships near it. The same reports in the same order give the same
// events. One goroutine at a time may use it.
type Zone struct {
	m       *Machine
	center  ship.State
	there   bool // the center was heard
	looked  int64
	index   geo.Point // where the center was when the rectangle of the zone was made
	indexed bool
	ships   []neighbour
	places  map[ais.MMSI]int // in ships
	crowded uint64
	reach   float64 // metres from the center within which another ship is followed, while there are very many; 0 for all
}

// neighbour is a ship near the center.
type neighbour struct {
	state   ship.State
	outside bool // it was seen outside of the circle
}

// NewZone makes the memory of a machine of type Around.
func NewZone(m *Machine) *Zone { return &Zone{m: m, places: map[ais.MMSI]int{}} }

// Use goes on with another machine: the definition was changed.
func (z *Zone) Use(m *Machine) {
	z.m, z.indexed = m, false
}

// Center returns the ship that the zone moves with, as it was heard last; nil before.
func (z *Zone) Center() *ship.State {
	if !z.there {
		return nil
	}
	return &z.center
}

// Bounds returns the rectangle in which reports of other ships concern the zone; false while nobody knows where it is.
func (z *Zone) Bounds() (geo.Rect, bool) {
	if !z.indexed {
		return geo.Rect{}, false
	}
	at := geo.Rect{West: z.index.Lon, South: z.index.Lat, East: z.index.Lon, North: z.index.Lat}
	return at.Expand(z.m.zoneOut() + zoneMargin), true
}

// Reach returns how far from the way of its center a machine of type Around follows other ships, in metres.
func (m *Machine) Reach() float64 { return m.zoneOut() + zoneMargin + zoneLeap }

// Distance returns how far outside of the circle a place is at a time, in Unix milliseconds; false while nobody knows where the center is.
func (z *Zone) Distance(p geo.Point, at int64) (metres float64, ok bool) {
	if !z.there {
		return 0, false
	}
	center, ok := placeAt(&z.center, at)
	return max(0, metresBetween(center, p)-z.m.d.Radius), ok
}

// Crowded returns how many reports counted for nothing, because there were too many ships near the center.
func (z *Zone) Crowded() uint64 { return z.crowded }

// Len returns how many ships are followed.
func (z *Zone) Len() int { return len(z.ships) }

// Ship returns a ship that is followed, by its place. It is valid until the next call.
func (z *Zone) Ship(i int) *ship.State { return &z.ships[i].state }

// Move takes a report of the center. It reports whether Bounds changed, and whether each ship that is followed is to be looked at.
func (z *Zone) Move(r Position) (moved, look bool) {
	s := r.State
	if r.Before.At != 0 && s.Fix.At <= r.Before.At || z.there && s.Fix.At <= z.center.Fix.At {
		return false, false
	}
	z.center, z.there = *s, true
	if at := s.Fix.Point(); !z.indexed || metresBetween(z.index, at) > zoneLeap {
		z.index, z.indexed, moved = at, true, true
	}
	if look = s.Fix.At-z.looked >= zoneLookEach; look {
		z.looked = s.Fix.At
	}
	return moved, look
}

// Look judges a ship that is followed at the time of the latest report of the center.
func (z *Zone) Look(i int, a *ShipMemory, dst []Occurrence) []Occurrence {
	n, now := &z.ships[i], z.center.Fix.At
	if a.Kept() {
		dst = z.m.passTime(a, now, ship.Fix{}, dst)
	}
	dst = z.checkNeighbour(a, n, &n.state, now, dst)
	a.countBetween()
	return dst
}

// Report takes a position of another ship, and judges it at that time.
func (z *Zone) Report(a *ShipMemory, r Position, dst []Occurrence) []Occurrence {
	s := r.State
	if s.MMSI == z.m.d.Ships.MMSI || r.Before.At != 0 && s.Fix.At <= r.Before.At {
		return dst
	}
	if s.Class != ship.ClassA && s.Class != ship.ClassB && s.Class != ship.ClassUnknown {
		return dst
	}
	if a.Kept() {
		dst = z.m.passTime(a, s.Fix.At, r.Before, dst)
	}
	n := z.followShip(s)
	if n == nil && !a.Kept() {
		z.crowded++
		return dst
	}
	dst = z.checkNeighbour(a, n, s, s.Fix.At, dst)
	a.Silent = s.Fix.At
	a.countBetween()
	return dst
}

// followShip remembers a ship, nil where there is no room for one so far away.
func (z *Zone) followShip(s *ship.State) *neighbour {
	i, known := z.places[s.MMSI]
	if !known {
		if !z.admits(s) {
			return nil
		}
		i = len(z.ships)
		z.ships = append(z.ships, neighbour{})
		z.places[s.MMSI] = i
	}
	z.ships[i].state = *s
	return &z.ships[i]
}

// admits reports whether a ship that is not followed is to be. Where there are too many it forgets the farthest tenth first. The ships in the circle are the
// nearest, so it does not go blind.
func (z *Zone) admits(s *ship.State) bool {
	if len(z.ships) < mostInZone*3/4 {
		z.reach = 0
	}
	if len(z.ships) < mostInZone && z.reach == 0 || !z.there {
		return len(z.ships) < mostInZone
	}
	center := z.center.Fix.Point()
	if len(z.ships) >= mostInZone {
		far := make([]float64, len(z.ships))
		for i := range z.ships {
			far[i] = metresBetween(center, z.ships[i].state.Fix.Point())
		}
		sorted := slices.Sorted(slices.Values(far))
		z.reach = sorted[nearInZone]
		for i := len(z.ships) - 1; i >= 0; i-- {
			if far[i] >= z.reach && len(z.ships) > nearInZone {
				z.dropShip(i)
				far[i] = far[len(far)-1]
				far = far[:len(far)-1]
			}
		}
	}
	return metresBetween(center, s.Fix.Point()) < z.reach
}

// dropShip follows a ship no more. The last one takes its place.
func (z *Zone) dropShip(i int) {
	last := len(z.ships) - 1
	delete(z.places, z.ships[i].state.MMSI)
	if i != last {
		z.ships[i] = z.ships[last]
		z.places[z.ships[i].state.MMSI] = i
	}
	z.ships[last] = neighbour{}
	z.ships = z.ships[:last]
}

// Tick forgets the ships that are silent, and those that are out of reach.
func (z *Zone) Tick(now int64) {
	bounds, placed := z.Bounds()
	for i := len(z.ships) - 1; i >= 0; i-- {
		s := &z.ships[i].state
		if now-s.Fix.At <= zoneSilence.Milliseconds() && (!placed || bounds.Contains(s.Fix.Point())) {
			continue
		}
		z.dropShip(i)
	}
}

// zoneOut returns the metres beyond which a ship has left. The way out is longer than the way in, by a tenth. So a ship that dances on the border raises one
// event, and none is told late that it came.
func (m *Machine) zoneOut() float64 { return m.d.Radius + max(m.d.Radius/10, leastMargin) }

// placeAt returns where a ship is at a time, in Unix milliseconds. It reckons on from its last report along its course, for some of the intervals at which it
// should report. A ship at rest stays where it was, for longer. It is false where nobody knows.
func placeAt(s *ship.State, now int64) (geo.Point, bool) {
	late, at := now-s.Fix.At, s.Fix.Point()
	knots, moves := s.Fix.SOG.Knots()
	course, steers := s.Fix.COG.Degrees()
	switch {
	case moves && knots <= restKnots:
		return at, late <= restFor && late >= -restFor
	case late > reckoned(s) || late < -reckoned(s):
		return at, false
	case !moves || !steers || late == 0:
		return at, true
	}
	sin, cos := math.Sincos(course * math.Pi / 180)
	metres := knots * 1852 / 3600 * float64(late) / 1000
	return geo.PlaneAt(at).Point(geo.Vector{X: metres * sin, Y: metres * cos}), true
}

// checkNeighbour takes where a ship is at a time. Nothing begins and nothing ends while nobody knows where the two are.
func (z *Zone) checkNeighbour(a *ShipMemory, n *neighbour, s *ship.State, now int64, dst []Occurrence) []Occurrence {
	if !z.there {
		return dst
	}
	if a.Active {
		a.Center = max(a.Center, z.center.Fix.At)
	}
	center, known := placeAt(&z.center, now)
	at, also := placeAt(s, now)
	if !known || !also {
		return dst
	}
	fix := s.Fix
	fix.At, fix.Lon, fix.Lat = now, int32(math.Round(at.Lon/ais.PlaceUnit)), int32(math.Round(at.Lat/ais.PlaceUnit))
	l, limit := leg{to: at, fix: &fix}, z.m.d.Radius
	if a.Inside || a.Active {
		limit = z.m.zoneOut()
	}
	if metresBetween(center, at) > limit {
		if n != nil {
			n.outside = true
		}
		a.Inside, a.Initial, a.Count = false, false, 0
		if !a.Active {
			return dst
		}
		return z.m.countOutside(a, &l, 1, dst)
	}
	if !a.Inside {
		a.Inside, a.Initial = true, !a.Active && (n == nil || !n.outside)
	}
	if a.Off = 0; !a.Active && z.m.picks(s) && z.m.enough(a, &l) && z.m.mayActivate(a, now) {
		e := l.here(Enter)
		e.Initial, a.Center = a.Initial, z.center.Fix.At
		dst = z.m.activate(a, e, dst)
	}
	if !z.m.d.Hours.Open(now) {
		a.dropState()
	}
	return dst
}

// quietSince returns since when one of the ships of an alarm is silent: of a zone its center may be that.
func (m *Machine) quietSince(a *ShipMemory) int64 {
	since := max(a.Silent, a.Since)
	if m.d.Type == Around && a.Center != 0 {
		since = min(since, a.Center)
	}
	return since
}

// checkZone checks what only a zone has.
func (d *Spec) checkZone() error {
	switch {
	case d.Type != Around:
	case !(d.Radius >= leastRadius && d.Radius <= mostZone):
		return outOfRange("/zone/radius", leastRadius, mostZone)
	case d.BetweenTriggers != 0:
		return &FieldError{"/samples_between_trigger", rule.New("no_pair", "is not for pairs of ships; use time_between_triggers")}
	}
	return nil
}
