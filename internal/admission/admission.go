// Package admission shares out a bounded number of places among callers, so that the silence of some does not shut out others.
//
// A caller is an address, an IPv6 network or a user. A guest that has proven itself keeps its place, however long it is silent: at night a small port has no
// traffic. So does a guest of a caller that has proven itself lately. A place is taken away only when somebody wants it. It is taken first from the caller with
// the most guests, and there from the guest that was silent for longest. The package opens nothing.
//
// Locks: a table has one, and calls nothing under it.
package admission

import (
	"sync"
	"time"
)

// Limits are what a table gives.
type Limits struct {
	All     int           // places
	Each    int           // of one caller; 0 is all
	Reserve int           // of all places, those that no stranger takes
	Lately  time.Duration // how long a caller counts as known after a guest of it has proven itself
}

// mostKnown bounds the callers that a table remembers.
const mostKnown = 4096

// Guests holds the guests.
type Guests struct {
	limits Limits

	mu        sync.Mutex
	guests    map[*Guest]struct{}
	count     map[string]int       // of guests, by caller
	known     map[string]time.Time // when a caller proved itself last
	strangers int
	shed      uint64
}

// New makes an empty table.
func New(l Limits) *Guests {
	if l.Each == 0 {
		l.Each = l.All
	}
	return &Guests{limits: l, guests: map[*Guest]struct{}{}, count: map[string]int{}, known: map[string]time.Time{}}
}

// rank says how hard it is to take a guest's place away.
type rank uint8

const (
	stranger rank = iota
	ofKnown       // its caller has proven itself lately
	proven
	steady // nobody takes its place
)

// Guest has a place. A nil Guest has none, and its methods do nothing.
type Guest struct {
	table  *Guests
	caller string
	leave  func()

	// Under the lock of the table.
	rank rank
	busy int       // what it does just now; meanwhile nobody takes its place
	used time.Time // when it did something last
}

// Enter returns a guest of a caller a place, if there is one for it. Another guest may have to go for it: its function leave is called once,
// and must not call the table before it returns.
func (t *Guests) Enter(caller string, now time.Time, leave func()) (*Guest, bool) {
	return t.enterGuest(&Guest{table: t, caller: caller, leave: leave, used: now}, now)
}

// EnterSteady is Enter of a guest whose place nobody takes, and for which the bound of one caller does not count.
func (t *Guests) EnterSteady(caller string, now time.Time) (*Guest, bool) {
	return t.enterGuest(&Guest{table: t, caller: caller, rank: steady, used: now}, now)
}

// enterGuest has the guest that goes for g leave after the lock.
func (t *Guests) enterGuest(g *Guest, now time.Time) (*Guest, bool) {
	gone, ok := t.seat(g, now)
	if gone != nil {
		gone.leave()
	}
	if !ok {
		return nil, false
	}
	return g, true
}

// seat takes a place for g, and returns the guest that goes for it.
func (t *Guests) seat(g *Guest, now time.Time) (gone *Guest, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at, known := t.known[g.caller]; known && now.Sub(at) < t.limits.Lately {
		g.rank = max(g.rank, ofKnown)
	}
	if !t.hasRoom(g) {
		if gone = t.quietest(g); gone == nil {
			return nil, false
		}
		t.remove(gone)
		t.shed++
	}
	t.guests[g] = struct{}{}
	t.count[g.caller]++
	if g.rank == stranger {
		t.strangers++
	}
	return gone, true
}

// hasRoom reports whether there is a place without another guest going.
func (t *Guests) hasRoom(g *Guest) bool {
	return len(t.guests) < t.limits.All && (g.rank == steady || t.count[g.caller] < t.limits.Each) && !t.reserved(g)
}

// reserved reports whether the places that are left are not for this guest.
func (t *Guests) reserved(g *Guest) bool {
	return g.rank == stranger && t.strangers >= t.limits.All-t.limits.Reserve
}

// quietest returns the guest that goes for a new one, nil if none does.
func (t *Guests) quietest(newcomer *Guest) (gone *Guest) {
	own := newcomer.rank != steady && t.count[newcomer.caller] >= t.limits.Each
	for g := range t.guests {
		switch {
		case g.busy > 0 || g.rank >= steady || own && g.caller != newcomer.caller:
		case t.reserved(newcomer) && g.rank != stranger:
		case t.mayYield(g, newcomer) && (gone == nil || t.goesBefore(g, gone)):
			gone = g
		}
	}
	return gone
}

// mayYield reports whether a guest may have to go for a newcomer. Of a caller that holds more than half of all places even proven ones do.
func (t *Guests) mayYield(g, newcomer *Guest) bool {
	has, wants := t.count[g.caller], t.count[newcomer.caller]
	switch {
	case g.rank == proven:
		return has > t.limits.All/2 && g.caller != newcomer.caller && wants < has
	case g.rank > newcomer.rank:
		return false
	}
	return g.caller == newcomer.caller || g.rank < newcomer.rank || has > wants
}

// goesBefore tells which of two guests goes first.
func (t *Guests) goesBefore(a, b *Guest) bool {
	switch has, other := t.count[a.caller], t.count[b.caller]; {
	case a.rank != b.rank:
		return a.rank < b.rank
	case has != other:
		return has > other
	}
	return a.used.Before(b.used)
}

// remove takes a guest out, if it is still there.
func (t *Guests) remove(g *Guest) {
	if _, there := t.guests[g]; !there {
		return
	}
	delete(t.guests, g)
	if g.rank == stranger {
		t.strangers--
	}
	if t.count[g.caller]--; t.count[g.caller] == 0 {
		delete(t.count, g.caller)
	}
}

// Figures returns how many guests there are, and how many had to go for others so far.
func (t *Guests) Figures() (guests int, shed uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.guests), t.shed
}

// Leave gives the place back. A guest that had to go may call it too.
func (g *Guest) Leave() {
	if g == nil {
		return
	}
	g.table.mu.Lock()
	defer g.table.mu.Unlock()
	g.table.remove(g)
}

// Begin says that the guest is busy, until End.
func (g *Guest) Begin() {
	if g == nil {
		return
	}
	g.table.mu.Lock()
	defer g.table.mu.Unlock()
	g.busy++
}

// End says that the guest is no longer busy.
func (g *Guest) End(now time.Time) {
	if g == nil {
		return
	}
	g.table.mu.Lock()
	defer g.table.mu.Unlock()
	g.busy--
	g.used = now
}

// Use says that the guest did something just now.
func (g *Guest) Use(now time.Time) {
	if g == nil {
		return
	}
	g.table.mu.Lock()
	defer g.table.mu.Unlock()
	g.used = now
}

// Prove says that the guest did what no stranger does: it signed in, or it sent valid data.
func (g *Guest) Prove(now time.Time) {
	if g == nil {
		return
	}
	t := g.table
	t.mu.Lock()
	defer t.mu.Unlock()
	g.used = now
	if _, there := t.guests[g]; there && g.rank == stranger {
		t.strangers--
	}
	g.rank = max(g.rank, proven)
	if _, known := t.known[g.caller]; !known && len(t.known) >= mostKnown {
		t.forgetCallers(now)
	}
	t.known[g.caller] = now
}

// forgetCallers makes room among the known callers: those of long ago go, else any.
func (t *Guests) forgetCallers(now time.Time) {
	for caller, at := range t.known {
		if now.Sub(at) >= t.limits.Lately {
			delete(t.known, caller)
		}
	}
	for caller := range t.known {
		if len(t.known) < mostKnown {
			return
		}
		delete(t.known, caller)
	}
}
