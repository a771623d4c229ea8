package watchdogs

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// tickEvery is how often silence is looked for. What it raises has the time at which it was due, so that it does not depend on it.
const tickEvery = 5 * time.Second

// silentInPort is how long after the start nothing is known of ships that are silent in a port: so long portcall waits for one.
const silentInPort = 4 * time.Hour

// Observe takes a step of the picture. A ship that was heard once or twice may be no ship: it raises nothing. Base stations raise nothing either.
func (w *Watch) Observe(u *ship.Update) {
	if u.Report == nil || !u.Now.HasFix || !u.Now.Confirmed() || u.Now.Class == ship.ClassBase {
		return
	}
	if u.Change&ship.ChangedFix == 0 || !u.Now.Fix.Trusted() {
		if w.Alarmed(u.Now.MMSI) {
			w.hears(u)
		}
		return
	}
	if u.Now.Fix.Mark&ship.WrongClock != 0 {
		return
	}
	r := watchdog.Position{State: &u.Now}
	if u.Now.Class == ship.ClassAtoN {
		r.Charted = w.charted(u.Now.MMSI) // before the lock
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.dogs) == 0 {
		return
	}
	if u.Was.HasFix && u.Was.Fix.Mark&ship.WrongClock == 0 && u.Was.Fix.Trusted() {
		r.Before = u.Was.Fix
	}
	first := len(w.pending)
	if w.engine != nil {
		w.followShip(u, r)
	}
	w.hits = w.hits[:0]
	w.findNear(&u.Now, ship.LegBounds(r.Before, r.State.Fix)) // a long leg is none to the machine, and costs nothing there
	w.pauses.looks(u.Now.MMSI)
	w.step++
	if list := w.alarms[u.Now.MMSI]; len(list) > 0 {
		for _, a := range list {
			a.dog.step = w.step
		}
		w.reportKnown(u, r, list)
	}
	for _, d := range w.hits {
		if d.step == w.step {
			continue // it has an alarm, or came before
		}
		d.step = w.step
		switch {
		case d.pairs != nil:
			w.guards.addReport(d, r)
		case d.zone != nil && d.machine.Ship() == u.Now.MMSI:
			w.zones.move(d, r)
		default:
			w.meetShip(u, r, d)
		}
	}
	if fresh := w.pending[first:]; len(fresh) > 1 {
		slices.SortStableFunc(fresh, func(a, b raised) int {
			return watchdog.Compare(watchdog.Occurrence{Kind: a.event.Kind, At: a.event.Time}, watchdog.Occurrence{Kind: b.event.Kind, At: b.event.Time})
		})
	}
}

// reportKnown hands a report to the alarms that a ship has.
func (w *Watch) reportKnown(u *ship.Update, r watchdog.Position, list []*alarm) {
	rest := list[:0]
	for _, a := range list {
		w.events = a.dog.reportShip(&a.memory, r, w.events[:0])
		a.last = u.Now.Fix
		w.raise(a, &u.Now)
		if a.hasMemory() && !w.pauses.holdsBack(a) {
			a.enroll(w)
			rest = append(rest, a)
		} else {
			w.forget(a)
		}
	}
	clear(list[len(rest):])
	w.setAlarms(u.Now.MMSI, rest)
}

// meetShip hands a report to a watchdog that remembers nothing of the ship.
func (w *Watch) meetShip(u *ship.Update, r watchdog.Position, d *dog) {
	paused := d.meter.Paused()
	if paused && d.meter.Counted(w.pauses.numberOfShip()) {
		return
	}
	w.scratch = watchdog.ShipMemory{}
	w.events = d.reportShip(&w.scratch, r, w.events[:0])
	switch {
	case paused:
		if len(w.events) > 0 {
			w.pauses.holdShip(d)
		}
		return
	case len(w.events) == 0 && !w.scratch.Kept():
		return
	}
	a := &alarm{dog: d, mmsi: u.Now.MMSI, memory: w.scratch, last: u.Now.Fix}
	if w.raise(a, &u.Now); !w.pauses.holdsBack(a) {
		a.retain(w, true)
	}
}

// retain keeps an alarm that has something to remember, and drops it when it has no more. A fresh one was not kept before.
func (a *alarm) retain(w *Watch, fresh bool) {
	switch kept := a.hasMemory(); {
	case fresh && kept:
		w.addAlarm(a)
		a.enroll(w)
		w.boundAlarms()
	case kept:
		a.enroll(w)
	case !fresh:
		w.dropAlarm(a)
	}
}

// Tick takes the time of the picture.
func (w *Watch) Tick(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now = now; w.heard.IsZero() {
		w.heard = now
		w.guards.deaf(now)
		for _, list := range w.alarms {
			for _, a := range list {
				a.memory.Deaf(now.UnixMilli())
			}
		}
	}
	if now.Sub(w.ticked).Abs() < tickEvery {
		return
	}
	w.ticked = now
	w.pauses.endPauses(now)
	w.guards.tickPairs(now)
	w.zones.tickZones(now)
	if w.engine != nil && now.Sub(w.heard) >= silentInPort {
		w.passVisits(now)
	}
	for m, list := range w.alarms {
		passAlarms(w, m, list, now.UnixMilli())
	}
}

// passAlarms hands a time to the alarms of a ship of which nothing was heard.
func passAlarms(w *Watch, m ais.MMSI, list []*alarm, now int64) {
	rest := list[:0]
	for _, a := range list {
		if w.events = a.dog.machine.Tick(&a.memory, now, w.events[:0]); len(w.events) > 0 {
			w.raiseSilence(a)
		}
		if a.expireCrossing(now); a.hasMemory() {
			a.enroll(w)
			rest = append(rest, a)
		} else {
			w.forget(a)
		}
	}
	if len(rest) < len(list) {
		clear(list[len(rest):])
		w.setAlarms(m, rest)
	}
}

// raiseSilence raises what the silence of a ship raises. The place is that of its last report.
func (w *Watch) raiseSilence(a *alarm) {
	s, ok := w.config.Ship(a.mmsi)
	if !ok {
		s = ship.State{MMSI: a.mmsi}
	}
	for i := range w.events {
		if w.events[i].Fix.At == 0 {
			w.events[i].Fix = a.last
		}
	}
	w.raise(a, &s)
}

// raise takes the events of one step of an alarm.
func (w *Watch) raise(a *alarm, s *ship.State) {
	for i := range w.events {
		e := &w.events[i]
		if e.Kind == watchdog.Cross && a.dog.of.Lists() {
			a.crossed = e.At
		}
		untold := w.silenced(a, e.At)
		if !untold {
			w.raised++
			untold = !w.pauses.tells(a.dog, e.At)
		}
		if isPendingFull(w) {
			lose(w)
			continue
		}
		r := raised{event: eventOf(a.dog, e, s), begins: e.Activated && e.Kind != watchdog.Cross, ends: !e.Active, untold: untold}
		r.event.Other = a.dog.centerOf()
		switch {
		case r.begins:
			a.beginEvent(w, &r)
		case e.Kind == watchdog.Moored, e.Kind == watchdog.Unmoored:
			if r.begins = !untold; r.begins {
				r.began = &began{owner: r.event.Owner}
				a.overWith(w, r.began)
			}
		case r.ends:
			r.began = a.began
			a.endAll(w, r.event.Time, false)
		}
		w.pending = append(w.pending, r)
	}
	if len(w.events) > 0 {
		w.hurryAlarm(a)
		w.kick.Wake()
	}
}

// hurryAlarm has an alarm stored with the next commit.
func (w *Watch) hurryAlarm(a *alarm) {
	if !a.urgent {
		a.urgent = true
		w.urgent = append(w.urgent, a)
	}
}

// boundAlarms keeps the alarms below what there is place for. The owner that has most gives way: first those of ships without static data that were silent
// longest; without any, the others.
func (w *Watch) boundAlarms() {
	if w.count <= w.config.Most {
		return
	}
	type candidate struct {
		a     *alarm
		named bool
	}
	owner := largestOwner(w)
	all := make([]candidate, 0, w.count)
	for m, list := range w.alarms {
		s, known := w.config.Ship(m)
		for _, a := range list {
			if a.dog.of.Owner == owner {
				all = append(all, candidate{a, known && s.Static != nil})
			}
		}
	}
	slices.SortFunc(all, func(x, y candidate) int {
		if x.named != y.named {
			if y.named {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.a.last.At, y.a.last.At), cmp.Compare(x.a.mmsi, y.a.mmsi))
	})
	for _, c := range all[:min(len(all), max(1, w.count/20))] {
		w.evict(c.a)
	}
}

// largestOwner returns the owner with most alarms; of equal ones the first by name.
func largestOwner(w *Watch) (owner string) {
	count := map[string]int{}
	for _, list := range w.alarms {
		for _, a := range list {
			count[a.dog.of.Owner]++
		}
	}
	most := 0
	for name, n := range count {
		if n > most || n == most && name < owner {
			owner, most = name, n
		}
	}
	return owner
}

// evict forgets an alarm for want of room. The event that it began says so, and is over: one event more for each would be a flood.
func (w *Watch) evict(a *alarm) {
	w.evicted++
	a.endAlarmEvent(w, true)
	w.dropAlarm(a)
}

// endAlarmEvent has the event that an alarm began be over, without an event of its own.
func (a *alarm) endAlarmEvent(w *Watch, evicted bool) {
	if !a.memory.Active {
		return
	}
	at := max(w.now.UnixMilli(), a.last.At)
	if a.began != nil {
		endEvent(w, a.began, at, evicted)
	}
	a.endAll(w, at, evicted)
	w.kick.Wake()
}

// dropAlarm forgets one alarm of a ship.
func (w *Watch) dropAlarm(a *alarm) {
	w.forget(a)
	w.setAlarms(a.mmsi, slices.DeleteFunc(w.alarms[a.mmsi], func(o *alarm) bool { return o == a }))
}
