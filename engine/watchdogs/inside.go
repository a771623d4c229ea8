package watchdogs

import (
	"cmp"
	"slices"
	"sync"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Inside is a ship of which the event of a watchdog goes on.
type Inside struct {
	Watchdog uint64
	MMSI     ais.MMSI
	Since    int64    // Unix milliseconds
	Other    ais.MMSI // the second ship of a pair, or the one that a zone moves with; 0 for none
	Last     ship.Fix // its last report; of a pair it is not known
}

// insideAtOnce is how many ships are looked at before reports may go on.
const insideAtOnce = 256

// InsideNow returns the ships of which events go on now, of one watchdog or of all where id is 0. It comes from what is in memory, and reports wait for a
// part of it at most.
func InsideNow(w *Watch, id uint64) []Inside {
	return insideOf(w, id, func(a *alarm) (since int64, is bool) { return a.memory.Since, a.memory.Active })
}

// insideOf returns the ships of alarms that is tells of, and those of pairs.
func insideOf(w *Watch, id uint64, is func(*alarm) (since int64, is bool)) (all []Inside) {
	ships := make([]ais.MMSI, 0, insideAtOnce)
	take := func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, m := range ships {
			for _, a := range w.alarms[m] {
				if since, is := is(a); is && (id == 0 || a.dog.id == id) {
					all = append(all, Inside{Watchdog: a.dog.id, MMSI: m, Since: since, Other: a.dog.movesWith(), Last: a.last})
				}
			}
		}
		ships = ships[:0]
	}
	w.alarmed.Range(func(m, _ any) bool {
		if ships = append(ships, m.(ais.MMSI)); len(ships) == insideAtOnce {
			take()
		}
		return true
	})
	take()
	all = append(all, w.situations.shipsInside(id)...)
	slices.SortFunc(all, func(a, b Inside) int { return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.MMSI, b.MMSI)) })
	return all
}

// shipsInside returns both ships of each pair that comes too close.
func (s *situations) shipsInside(id uint64) (all []Inside) {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	if len(s.watch.guards.list) == 0 {
		return nil
	}
	for of, standing := range s.all {
		d := s.watch.dogs[of.watchdog]
		if !standing.active || d == nil || d.pairs == nil || id != 0 && of.watchdog != id {
			continue
		}
		if p, ok := pairOf(of.about); ok {
			all = append(all, Inside{Watchdog: d.id, MMSI: p.A, Since: standing.since, Other: p.B}, Inside{Watchdog: d.id, MMSI: p.B, Since: standing.since, Other: p.A})
		}
	}
	return all
}

// keptLast is how many events of each watchdog are held in memory.
const keptLast = 4

// lasts are the last events of each watchdog.
type lasts struct {
	mu sync.Mutex
	of map[uint64][]*Event // the latest last; they never change
}

// add takes the next event.
func (l *lasts) add(e Event) {
	if e.Watchdog == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[uint64][]*Event{}
	}
	list := append(l.of[e.Watchdog], &e)
	l.of[e.Watchdog] = slices.Clone(list[max(0, len(list)-keptLast):])
}

// remove takes out an event.
func (l *lasts) remove(e *Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.DeleteFunc(slices.Clone(l.of[e.Watchdog]), func(event *Event) bool { return event.ID == e.ID })
	if len(list) == 0 {
		delete(l.of, e.Watchdog)
		return
	}
	l.of[e.Watchdog] = list
}

// dropGone forgets those of watchdogs that are gone.
func (l *lasts) dropGone(is func(id uint64) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.of {
		if !is(id) {
			delete(l.of, id)
		}
	}
}

// LastEvents returns the last events of a watchdog, the latest first, as they were when they were raised. They are from memory, and four at most.
func LastEvents(w *Watch, id uint64) []*Event {
	w.lasts.mu.Lock()
	defer w.lasts.mu.Unlock()
	list := slices.Clone(w.lasts.of[id])
	slices.Reverse(list)
	return list
}
