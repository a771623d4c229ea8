package access

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Bounds of turns.
const (
	provenFor    = 24 * time.Hour // how long an address counts as one from which a user signs in
	maxProven    = 4096
	strangerTurn = 4 // each such turn goes to an address from which no user signed in lately
)

// turns gives out the hashing, which is slow, to those that wait for it. Each address has a turn after the other, however many wait there. Those
// from which a user signed in lately come first, and each fourth turn goes to another one.
type turns struct {
	mu      sync.Mutex
	free    int
	given   uint64
	waiting []*turn
	served  map[string]uint64    // when the network had its last turn; of those that wait
	proven  map[string]time.Time // when a user signed in from a network
}

// turn is one that waits.
type turn struct {
	network string
	known   bool
	come    chan struct{}
}

func newTurns(atOnce int) *turns {
	return &turns{free: atOnce, served: map[string]uint64{}, proven: map[string]time.Time{}}
}

// takeTurn waits for a turn, or until the context ends. After it comes give.
func (t *turns) takeTurn(ctx context.Context, network string, now time.Time) error {
	w := t.addTurn(network, now)
	select {
	case <-w.come:
		return nil
	case <-ctx.Done():
	}
	if !t.withdraw(w) {
		t.give() // it came in the same moment
	}
	return ctx.Err()
}

func (t *turns) addTurn(network string, now time.Time) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	at, known := t.proven[network]
	w := &turn{network, known && now.Sub(at) < provenFor, make(chan struct{})}
	t.waiting = append(t.waiting, w)
	t.next()
	return w
}

// withdraw takes one out that waits; it is false when its turn has come.
func (t *turns) withdraw(w *turn) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i >= 0 {
		t.remove(i)
	}
	return i >= 0
}

// give ends a turn.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	t.next()
}

// next gives out the turns that are free.
func (t *turns) next() {
	for t.free > 0 && len(t.waiting) > 0 {
		t.free--
		t.given++
		best := 0
		for i := range t.waiting {
			if t.comesBefore(t.waiting[i], t.waiting[best]) {
				best = i
			}
		}
		w := t.waiting[best]
		t.served[w.network] = t.given
		t.remove(best)
		close(w.come)
	}
}

// comesBefore tells which of two comes first; of equal ones it is the one that came first.
func (t *turns) comesBefore(a, b *turn) bool {
	if a.known != b.known {
		return a.known == (t.given%strangerTurn != 0)
	}
	return t.served[a.network] < t.served[b.network]
}

// remove takes one out of those that wait.
func (t *turns) remove(i int) {
	network := t.waiting[i].network
	t.waiting = slices.Delete(t.waiting, i, i+1)
	if !slices.ContainsFunc(t.waiting, func(w *turn) bool { return w.network == network }) {
		delete(t.served, network)
	}
}

// prove notes that a user signed in from a network.
func (t *turns) prove(network string, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.proven[network]; !known && len(t.proven) >= maxProven {
		clear(t.proven)
	}
	t.proven[network] = now
}
