// Package fairshare shares a few places between many callers. Work that may take long is done in turns of a few milliseconds. Between two turns of
// one caller each other caller that waits has one. Of one caller no more pieces of work are under way than there are places. The others have
// not begun and hold nothing yet, however many they are.
//
// Dangerous: whoever holds a place may not take a second one, nor wait for anything else but in Away.
package fairshare

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Length is how long a turn is while others wait.
const Length = 2 * time.Millisecond

// Places are what callers share.
type Places struct {
	mu      sync.Mutex
	count   int
	free    int
	callers map[string]*caller // that have work
	waiting []*caller          // of them, those that want a place, the next one first
}

// caller is one that has work.
type caller struct {
	name   string
	begun  int             // pieces of work that have begun and have not ended
	rested []chan struct{} // of them, those that want their next turn, the oldest first
	coming []chan struct{} // work that has not begun, the oldest first
}

// New makes so many places.
func New(count int) *Places { return &Places{count: count, free: count, callers: map[string]*caller{}} }

// Turn is a piece of work that has begun. It is for one goroutine at a time.
type Turn struct {
	places *Places
	caller *caller
	since  time.Time // when it got its place
	held   bool      // it has a place
	ended  bool
}

// Take begins a piece of work when the caller has a place for it. It fails when ctx ends first.
func (p *Places) Take(ctx context.Context, name string) (*Turn, error) {
	t := &Turn{places: p}
	granted := t.come(name)
	return t, t.waitForPlace(ctx, granted)
}

// Rest lets others have the place when the turn has been long enough, and waits for the next turn. When it fails, the work has ended.
func (t *Turn) Rest(ctx context.Context) error {
	if time.Since(t.since) < Length {
		return nil
	}
	return t.waitForPlace(ctx, t.passPlace())
}

// Away does what may wait for something else, without a place, and waits for the next turn. When it fails, the work has ended: because fn
// failed, or ctx ended.
func (t *Turn) Away(ctx context.Context, fn func() error) error {
	t.leavePlace()
	if err := fn(); err != nil {
		t.End()
		return err
	}
	return t.waitForPlace(ctx, t.restWork())
}

// End ends the work. It may be ended twice.
func (t *Turn) End() {
	t.places.mu.Lock()
	defer t.places.mu.Unlock()
	t.endWork()
}

// waitForPlace waits until the turn has a place.
func (t *Turn) waitForPlace(ctx context.Context, granted chan struct{}) error {
	select {
	case <-granted:
		t.since = time.Now()
		return nil
	case <-ctx.Done():
	}
	p, c := t.places, t.caller
	p.mu.Lock()
	defer p.mu.Unlock()
	other := func(o chan struct{}) bool { return o == granted }
	before := len(c.coming)
	if c.coming = slices.DeleteFunc(c.coming, other); len(c.coming) < before {
		t.ended = true // it has not begun
		p.settleCaller(c)
		return ctx.Err()
	}
	before = len(c.rested)
	c.rested = slices.DeleteFunc(c.rested, other)
	t.held = len(c.rested) == before // else it got the place meanwhile
	t.endWork()
	return ctx.Err()
}

// come returns a channel that is closed when the work may begin.
func (t *Turn) come(name string) (granted chan struct{}) {
	p := t.places
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.caller = p.callers[name]; t.caller == nil {
		t.caller = &caller{name: name}
		p.callers[name] = t.caller
	}
	granted = make(chan struct{})
	t.held = true // from when it is closed on
	t.caller.coming = append(t.caller.coming, granted)
	p.settleCaller(t.caller)
	return granted
}

// leavePlace gives the place back while the work goes on.
func (t *Turn) leavePlace() {
	t.places.mu.Lock()
	defer t.places.mu.Unlock()
	t.held = false
	t.places.free++
	t.places.givePlaces()
}

// passPlace hands the place to the next caller and returns a channel that is closed when the work has a place again. Both are done under one lock:
// between them another caller could have all its turns.
func (t *Turn) passPlace() (granted chan struct{}) {
	t.places.mu.Lock()
	defer t.places.mu.Unlock()
	t.places.free++
	return t.queueWork()
}

// restWork returns a channel that is closed when the work has a place again.
func (t *Turn) restWork() (granted chan struct{}) {
	t.places.mu.Lock()
	defer t.places.mu.Unlock()
	return t.queueWork()
}

// queueWork lets the work wait for its next turn. The lock is held.
func (t *Turn) queueWork() (granted chan struct{}) {
	granted = make(chan struct{})
	t.held = true // from when it is closed on
	t.caller.rested = append(t.caller.rested, granted)
	t.places.settleCaller(t.caller)
	return granted
}

// endWork gives back what the work has. The lock is held.
func (t *Turn) endWork() {
	if t.ended {
		return
	}
	if t.ended = true; t.held {
		t.held = false
		t.places.free++
	}
	t.caller.begun--
	t.places.settleCaller(t.caller)
}

// settleCaller puts a caller into the queue or takes it out, whichever it wants now, and gives free places to those whose turn it is.
func (p *Places) settleCaller(c *caller) {
	at := slices.Index(p.waiting, c)
	switch wants := p.wantsPlace(c); {
	case wants && at < 0:
		p.waiting = append(p.waiting, c)
	case !wants && at >= 0:
		p.waiting = slices.Delete(p.waiting, at, at+1)
	}
	if c.begun == 0 && len(c.coming) == 0 {
		delete(p.callers, c.name)
	}
	p.givePlaces()
}

// wantsPlace reports whether a caller has work that may have a place.
func (p *Places) wantsPlace(c *caller) bool {
	return len(c.rested) > 0 || len(c.coming) > 0 && c.begun < p.count
}

// givePlaces gives the free places to the callers whose turn it is. Work that has begun goes before work that has not.
func (p *Places) givePlaces() {
	for p.free > 0 && len(p.waiting) > 0 {
		c := p.waiting[0]
		p.waiting = slices.Delete(p.waiting, 0, 1)
		p.free--
		if len(c.rested) > 0 {
			close(c.rested[0])
			c.rested = c.rested[1:]
		} else {
			close(c.coming[0])
			c.coming = c.coming[1:]
			c.begun++
		}
		if p.wantsPlace(c) {
			p.waiting = append(p.waiting, c)
		}
	}
}
