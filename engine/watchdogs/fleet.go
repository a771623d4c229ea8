package watchdogs

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs/playback"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// playAtOnce is how many reports of a fleet are handed over before others have their turn.
const playAtOnce = 1000

// fleet is the ships of a rehearsal that are heard together. Legs over the end of an hour come with the next one, so that what is longer ago than the longest
// leg is played.
type fleet struct {
	*playback.Playback
	ships  map[ais.MMSI]*sailor
	center ship.Track // of the ship that a zone moves with
	until  int64      // it was played so far, Unix milliseconds
}

// sailor is what a rehearsal knows of a ship of its fleet.
type sailor struct {
	tried
	past *ShipPast
}

// makeFleet makes the fleet of a watchdog that asks where several ships are at one moment.
func (x *Rehearsal) makeFleet() {
	x.fleet = &fleet{ships: map[ais.MMSI]*sailor{}, Playback: playback.New(func(m ais.MMSI, begin, end ship.Fix) (int64, int) {
		s := x.fleet.ships[m]
		if s.counts && x.d.zone == nil && !x.bounds.Intersects(ship.LegBounds(begin, end)) {
			return 0, 0
		}
		x.past = s.past
		return x.missingReports(begin, end)
	})}
}

// Together reports whether the watchdog asks where several ships are at one moment, so that they are played in the order of time.
func (x *Rehearsal) Together() bool { return x.fleet != nil }

// Near returns the rectangle that a ship must come into between two times to be asked; false for none. That of a zone is round the way of its center.
func (x *Rehearsal) Near(from, to time.Time) (geo.Rect, bool) {
	if x.d.zone == nil {
		return x.bounds, true
	}
	way := x.fleet.center
	before := func(f ship.Fix, at int64) int { return cmp.Compare(f.At, at) }
	first, _ := slices.BinarySearchFunc(way, from.UnixMilli(), before)
	end, _ := slices.BinarySearchFunc(way, to.UnixMilli(), before)
	first, end = max(0, first-1), min(len(way), end+1)
	if first == end || way[first].At >= to.UnixMilli() {
		x.bounds = geo.Rect{}
		return geo.Rect{}, false
	}
	x.bounds = way[first:end].Bounds().Expand(x.d.machine.Reach())
	return x.bounds, true
}

// joinFleet takes a part of the track of a ship into the fleet.
func (x *Rehearsal) joinFleet(p *ShipPast, part ship.Track) {
	m := p.Ship.MMSI
	s := x.fleet.ships[m]
	if s == nil {
		s = &sailor{}
		x.fleet.ships[m] = s
	}
	s.past = p
	if taken := x.fleet.Take(m, part); x.moves(m) && x.fleet.center == nil {
		x.fleet.center = taken.Ahead() // its track comes whole
	}
}

// moves reports whether the circle of the watchdog moves with a ship.
func (x *Rehearsal) moves(m ais.MMSI) bool { return x.d.zone != nil && m == x.Ship() }

// playReports hands over some of the reports that came before a time, and reports whether those were all.
func (x *Rehearsal) playReports(until int64) (done bool) {
	for range playAtOnce {
		s := x.fleet.First()
		if s == nil || s.Next.At >= until {
			x.fleet.until = max(x.fleet.until, until)
			return true
		}
		x.sendNext(x.fleet.ships[s.MMSI], s)
		x.fleet.Advance()
	}
	return false
}

// sendNext hands over the next report of a ship. One that comes too late counts for nothing, as those before the rehearsal do.
func (x *Rehearsal) sendNext(s *sailor, on *playback.PlayedShip) {
	f := on.Next
	x.past, x.state = s.past, stateOf(s.past)
	counts := x.believe(&s.tried, f.At)
	if f.At < x.from || f.At < x.fleet.until {
		return
	}
	if now := ship.Time(f.At); now.Sub(x.w.ticked) >= tickEvery {
		x.w.Tick(now)
		x.drainEvents()
	}
	if !on.Filled && x.why != nil && on.MMSI == x.asked {
		x.noteApproach(f)
	}
	if !counts || !x.meetsNow(on) {
		return
	}
	if !s.near {
		s.near = true
		x.result.Ships++
	}
	if on.Filled {
		x.result.Filled++
	}
	x.sendReport(on.Before, f)
}

// meetsNow reports whether the watchdog asks for the next report of a ship, where the circle of a zone is by now.
func (x *Rehearsal) meetsNow(s *playback.PlayedShip) bool {
	if x.d.zone == nil {
		return x.bounds.Intersects(ship.LegBounds(s.Before, s.Next))
	}
	return x.moves(s.MMSI) || len(x.w.alarms[s.MMSI]) > 0 || x.d.indexed && x.d.bounds.Intersects(ship.LegBounds(s.Before, s.Next))
}

// partner reports whether an event is about the ship that is asked for.
func (x *Rehearsal) partner(e *Event) bool {
	return x.why == nil || x.fleet == nil || e.Ship.MMSI == x.asked || e.Other != nil && e.Other.MMSI == x.asked
}

// meetsOthers reports whether ships of a class meet others in watchdogs of several ships.
func meetsOthers(t watchdog.Type, c ship.Class) bool {
	return c == ship.ClassA || c == ship.ClassB || c == ship.ClassUnknown && t == watchdog.Around
}
