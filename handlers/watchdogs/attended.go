package watchdogs

import (
	"slices"
	"sync"
	"time"

	"quaywatch/engine/alert"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// What is remembered of those that alerts are with, and how long: a user may expire, or be told at last, while nothing else changes.
const (
	attendedFor  = time.Minute
	mostAttended = 100_000 // events, for each user or group
	mostTakers   = 200     // users of one uid that are asked. An alert that only others see is everybody's
)

// taking is an event for a user or group.
type taking struct {
	uid   string
	event uint64
}

// taker is a user that watches.
type taker struct {
	user *access.User
	sees *sight.Onlooker
}

// watches remembers which users and groups have somebody who is told of an event.
type watches struct {
	mu         sync.Mutex
	generation uint64 // of the users
	until      time.Time
	takers     map[string][]taker // by uid; they never change
	known      map[taking]bool
}

// forgetOld forgets what is too old, or of other users. The caller holds mu.
func (w *watches) forgetOld(generation uint64, now time.Time) {
	if w.known == nil || w.generation != generation || !now.Before(w.until) || w.until.Sub(now) > attendedFor || len(w.known) >= mostAttended {
		w.generation, w.until, w.takers, w.known = generation, now.Add(attendedFor), map[string][]taker{}, map[taking]bool{}
	}
}

// get returns what is known of an event for a uid, and of the users of the uid.
func (w *watches) get(of taking, generation uint64, now time.Time) (told, known bool, takers []taker, listed bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forgetOld(generation, now)
	told, known = w.known[of]
	takers, listed = w.takers[of.uid]
	return told, known, takers, listed
}

// noteTakers notes what was found, unless users have changed since.
func (w *watches) noteTakers(of taking, generation uint64, told bool, takers []taker) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.generation == generation {
		w.known[of], w.takers[of.uid] = told, takers
	}
}

// isTold reports whether a user, or some user of a group, is active and is told of an event by now.
func (s *Server) isTold(uid string, e *watchdogs.Event) bool {
	of, generation := taking{uid, e.ID}, s.deps.Base.Users.Generation()
	told, known, takers, listed := s.watches.get(of, generation, s.deps.Desk.Sight.Now())
	if known {
		return told
	}
	if !listed {
		takers = s.takersOf(uid)
	}
	told = slices.ContainsFunc(takers, func(other taker) bool { return s.deps.Events.Told(other.sees, other.user, e) })
	s.watches.noteTakers(of, generation, told, takers)
	return told
}

// takersOf returns the users that are active and may see events: a user, or those of a group. From whom nothing is hidden come first.
func (s *Server) takersOf(uid string) []taker {
	var all, others []taker
	now := s.deps.Desk.Sight.Now()
	for _, u := range s.deps.Base.Users.List() {
		if !u.Active(now) || !u.MayUse(form.Owned{ACL: []string{uid}}, "") || !u.May(right.ViewWatchdog) {
			continue
		}
		if takes := (taker{&u, s.deps.Desk.Sight.Onlooker(&u)}); takes.sees.Everything() {
			all = append(all, takes)
		} else {
			others = append(others, takes)
		}
	}
	all = append(all, others...)
	return all[:min(len(all), mostTakers)]
}

// attended reports whether, of each event that a reader sees of an alert, somebody is told that the alert is with. An event that somebody has acknowledged does
// not count.
func (s *Server) attended(a alert.Standing, seen []int) bool {
	return !slices.ContainsFunc(seen, func(i int) bool {
		return a.Parts[i].Seen == 0 && !slices.ContainsFunc(a.With, func(uid string) bool { return s.isTold(uid, a.Events[i]) })
	})
}

// takesAlert reports whether a user, or some user of a group, is told of an event that the reader sees of an alert.
func (s *Server) takesAlert(uid string, a *seenAlert) bool {
	return slices.ContainsFunc(a.Seen, func(i int) bool { return s.isTold(uid, a.Events[i]) })
}
