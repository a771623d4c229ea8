package tracking

import (
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship"
)

// Observe takes a step of the picture.
func (t *TrackedShips) Observe(u *ship.Update) {
	if u.Change&(ship.ChangedFix|ship.Entered) == 0 || !u.Now.HasFix || !u.Now.Fix.Trusted() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.exceeded.observe(u, t.config.Log)
	for _, track := range t.ships[u.Now.MMSI] {
		if track.Source.Ship == u.Now.MMSI {
			t.stepped(track, u)
		} else {
			t.updateDestination(track, u.Now.Fix.Point())
		}
	}
}

// stepped takes a position of a ship that is tracked.
func (t *TrackedShips) stepped(track *TrackedShip, u *ship.Update) {
	was := track.Latest
	defer func() {
		if !track.Latest.saysSame(&was) {
			t.noteChange(track)
		}
	}()
	kind, had := track.kind, track.sizes()
	if u.Now.Static != u.Was.Static || u.Now.Voyage != u.Was.Voyage || track.kind == 0 ||
		u.Now.Voyage != nil && u.Now.Voyage.Metres() != track.draught {
		if track.noteShip(&u.Now); track.kind != kind {
			t.profileOf(track)
		}
		if track.sizes() != had && track.way != nil && track.Status.isAhead() {
			t.want(track) // other passages may be too small for it
		}
	}
	if track.addPosition(u.Now.Fix, &t.records) {
		t.want(track)
	}
}

// updateDestination takes a position of a ship that is a destination.
func (t *TrackedShips) updateDestination(track *TrackedShip, at geo.Point) {
	if !track.Status.isAhead() {
		return
	}
	moved := !track.goal.known || track.way == nil || geo.Distance(at, track.way.points[len(track.way.points)-1]) > movedMetres
	track.goal = placeGoal(at)
	if moved {
		t.want(track)
	}
}

// waitEvery is how often tracks are told the time: a ship may be silent.
const waitEvery = 10 * time.Second

// Tick takes the time of the picture.
func (t *TrackedShips) Tick(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now = now
	t.quarters()
	if now.Sub(t.waited).Abs() < waitEvery {
		return
	}
	t.waited = now
	for _, track := range t.tracks {
		was := track.Latest
		if track.passSilence(millisOf(now), &t.records); track.Status == NoRoute && track.retry(millisOf(now)) {
			t.want(track)
		}
		if !track.Latest.saysSame(&was) {
			t.noteChange(track)
		}
	}
}

// Called takes a call that is new or has changed. It is for portcalls.Config.Told.
func (t *TrackedShips) Called(c *portcalls.KeptCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := arrived{mmsi: c.MMSI, port: c.Found.Port, at: c.Found.Arrived(), seen: seenTime(c)}
	for _, ship := range t.ships[c.MMSI] {
		if ship.Source.Ship != c.MMSI {
			continue
		}
		was := ship.Status
		t.noteChange(ship)
		t.learned(ship.called(c, &t.records))
		if ship.Status == Arrived && was != Arrived {
			t.tellOf(ship)
			t.supersede(ship)
		}
		if ship.Call == c.ID {
			a.late = lateOf(ship.soundEstimates(), a.at)
		}
	}
	if a.at != 0 && len(t.arrivals) < mostArrivals && !t.knowsApproach(a) {
		t.arrivals = append(t.arrivals, a)
	}
}

// knowsApproach reports whether the approach of an arrival was read: a call changes several times after it.
func (t *TrackedShips) knowsApproach(a arrived) bool {
	return slices.ContainsFunc(t.approaches[a.port], func(k Approach) bool { return k.MMSI == a.mmsi && k.Seen == a.seen && k.At == a.at })
}

// mostArrivals bounds the arrivals whose approaches are still to be read.
const mostArrivals = 10_000

// supersede ends the tracks of a ship that are older than one that arrived: it did not go there.
func (t *TrackedShips) supersede(by *TrackedShip) {
	for _, ship := range t.ships[by.Source.Ship] {
		if ship.Source.Ship == by.Source.Ship && ship.ID < by.ID && ship.Status.isAhead() {
			t.noteChange(ship)
			ship.changeStatus(Ended, by.Visits[1].Seen)
		}
	}
}

// learned notes that records are to be stored.
func (t *TrackedShips) learned(numbers []int) {
	for _, n := range numbers {
		t.dirty.records[n] = true
	}
}
