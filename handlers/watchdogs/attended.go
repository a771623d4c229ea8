package watchdogs

import (
	"slices"
	"sync"
	"time"

	"quaywatch/access/right"
)

// attendedFor is how long it is taken for granted who is there: a user may expire while nothing else changes.
const attendedFor = time.Minute

// watches remembers which users and groups have somebody who watches.
type watches struct {
	mu         sync.Mutex
	generation uint64 // of the users
	until      time.Time
	known      map[string]bool // by uid
}

// get gives what is known of a uid.
func (w *watches) get(uid string, generation uint64, now time.Time) (attended, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil || w.generation != generation || !now.Before(w.until) || w.until.Sub(now) > attendedFor {
		w.generation, w.until, w.known = generation, now.Add(attendedFor), map[string]bool{}
	}
	attended, known = w.known[uid]
	return attended, known
}

// note notes what was found of a uid, unless users have changed since.
func (w *watches) note(uid string, generation uint64, attended bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.generation == generation {
		w.known[uid] = attended
	}
}

// attended reports whether a user, or some user of a group, is active and may see events.
func (s *Server) attended(uid string) bool {
	users, now := s.deps.Base.Users, s.deps.Desk.Sight.Now()
	generation := users.Generation()
	attended, known := s.watches.get(uid, generation, now)
	if known {
		return attended
	}
	for _, u := range users.List() {
		if u.Active(now) && (u.UID == uid || slices.Contains(u.Groups, uid)) && u.May(right.ViewWatchdog) {
			attended = true
			break
		}
	}
	s.watches.note(uid, generation, attended)
	return attended
}
