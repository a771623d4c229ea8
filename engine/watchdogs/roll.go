package watchdogs

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"quaywatch/ais"
	"quaywatch/ship/watchdog"
)

// rolls are the ships on the lists that watchdogs make. Filters ask them under Watch.mu and elsewhere, so they have a lock of their own, which is
// held for a moment. Nothing of them is stored: they come from the alarms and situations.
type rolls struct {
	mu sync.RWMutex
	of map[uint64]map[ais.MMSI]int // by watchdog: how often each ship is on its list, as one ship may be in several pairs
}

// has reports whether a ship is on the list of a watchdog.
func (r *rolls) has(id uint64, m ais.MMSI) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.of[id][m] > 0
}

// countShip puts a ship on a list, or takes it off.
func (r *rolls) countShip(id uint64, m ais.MMSI, on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.of[id]
	switch {
	case !on && list[m] > 1:
		list[m]--
	case !on:
		delete(list, m)
	case list == nil:
		r.of[id] = map[ais.MMSI]int{m: 1}
	default:
		list[m]++
	}
}

// beginLists gives each of these watchdogs an empty list.
func (r *rolls) beginLists(dogs map[uint64]*dog) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.of = map[uint64]map[ais.MMSI]int{}
	for id, d := range dogs {
		if d.of.Lists() {
			r.of[id] = map[ais.MMSI]int{}
		}
	}
}

// Listed reports whether a ship is on the list that a watchdog makes. It never waits for reports.
func Listed(w *Watch, id uint64, m ais.MMSI) bool { return w.rolls.has(id, m) }

// hasMemory reports whether there is anything to remember of the ship.
func (a *alarm) hasMemory() bool { return a.memory.Kept() || a.crossed != 0 }

// enroll puts the ship on the list of its watchdog, or takes it off, as the alarm is now.
func (a *alarm) enroll(w *Watch) {
	on := !a.over && a.dog.of.Lists() && (a.memory.Active || a.crossed != 0)
	if on != a.listed {
		a.listed = on
		w.rolls.countShip(a.dog.id, a.mmsi, on)
	}
}

// expireCrossing forgets a crossing that is as old as the time-out of its list.
func (a *alarm) expireCrossing(now int64) {
	if a.crossed != 0 && now-a.crossed >= a.dog.of.Watchdog.ListTimeout().Milliseconds() {
		a.crossed = 0
	}
}

// enrollAll makes the lists anew, for other watchdogs.
func enrollAll(w *Watch) {
	w.rolls.beginLists(w.dogs)
	for m, list := range w.alarms {
		rest := list[:0]
		for _, a := range list {
			if a.listed = false; !a.dog.of.Lists() {
				a.crossed = 0
			}
			if !a.hasMemory() {
				w.forget(a)
				continue
			}
			a.enroll(w)
			rest = append(rest, a)
		}
		clear(list[len(rest):])
		w.setAlarms(m, rest)
	}
	for _, standing := range w.situations.all {
		standing.listed = false
		standing.enroll(&w.situations)
	}
}

// enroll puts both ships of a pair on the list of its watchdog, or takes them off.
func (standing *situation) enroll(s *situations) {
	d := s.watch.dogs[standing.watchdog]
	on := standing.active && s.all[standing.subject] == standing && d != nil && d.pairs != nil && d.of.Lists()
	if on == standing.listed {
		return
	}
	p, ok := pairOf(standing.about)
	if !ok {
		return
	}
	standing.listed = on
	s.watch.rolls.countShip(standing.watchdog, p.A, on)
	s.watch.rolls.countShip(standing.watchdog, p.B, on)
}

// pairOf reads what aboutPair wrote.
func pairOf(about string) (p watchdog.Pair, ok bool) {
	n, _ := fmt.Sscanf(about, "%d/%d", &p.A, &p.B)
	return p, n == 2
}

// ListedNow returns the ships on the lists that watchdogs make, as InsideNow does. A ship on the list of a line is there since it crossed.
func ListedNow(w *Watch, id uint64) []Inside {
	all := insideOf(w, id, func(a *alarm) (since int64, is bool) { return cmp.Or(a.crossed, a.memory.Since), a.listed })
	return slices.DeleteFunc(all, func(inside Inside) bool { return !w.rolls.has(inside.Watchdog, inside.MMSI) })
}
