// Package turns shares a few places between many callers. Work that may take long is done in turns of a few milliseconds. Between two turns of
// one caller each other caller that waits has one.
//
// Dangerous: whoever holds a place may not take a second one, nor wait for anything else.
package turns

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
	free    int
	callers []string                   // that wait, the next one first
	waiting map[string][]chan struct{} // by caller, the oldest first
}

// New makes so many places.
func New(count int) *Places { return &Places{free: count, waiting: map[string][]chan struct{}{}} }

// Turn is a place that a caller holds.
type Turn struct {
	places *Places
	caller string
	began  time.Time
	held   bool
}

// Take waits for a place. It fails when ctx ends first.
func (p *Places) Take(ctx context.Context, caller string) (*Turn, error) {
	t := &Turn{places: p, caller: caller}
	return t, t.wait(ctx)
}

// Rest lets others have the place when the turn has been long enough and somebody waits, and waits for the next turn. When it fails, the
// place is gone and the work should end.
func (t *Turn) Rest(ctx context.Context) error {
	if time.Since(t.began) < Length {
		return nil
	}
	t.End()
	return t.wait(ctx)
}

// End gives the place back. A turn may be ended twice.
func (t *Turn) End() {
	if t.held {
		t.held = false
		t.places.leave()
	}
}

// wait takes a place, in the order of the callers.
func (t *Turn) wait(ctx context.Context) error {
	granted := t.places.enter(t.caller)
	select {
	case <-granted:
	case <-ctx.Done():
		if !t.places.withdraw(t.caller, granted) {
			t.places.leave()
		}
		return ctx.Err()
	}
	t.began, t.held = time.Now(), true
	return nil
}

// enter gives a channel that is closed when the caller has a place.
func (p *Places) enter(caller string) chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	granted := make(chan struct{})
	if p.free > 0 {
		p.free--
		close(granted)
		return granted
	}
	if len(p.waiting[caller]) == 0 {
		p.callers = append(p.callers, caller)
	}
	p.waiting[caller] = append(p.waiting[caller], granted)
	return granted
}

// leave gives a place to the caller whose turn it is.
func (p *Places) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.callers) == 0 {
		p.free++
		return
	}
	caller := p.callers[0]
	p.callers = slices.Delete(p.callers, 0, 1)
	close(p.waiting[caller][0])
	if p.waiting[caller] = p.waiting[caller][1:]; len(p.waiting[caller]) > 0 {
		p.callers = append(p.callers, caller)
	} else {
		delete(p.waiting, caller)
	}
}

// withdraw takes a caller out that no longer waits. It is false when the caller has a place by now.
func (p *Places) withdraw(caller string, granted chan struct{}) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.waiting[caller], granted)
	if at < 0 {
		return false
	}
	if p.waiting[caller] = slices.Delete(p.waiting[caller], at, at+1); len(p.waiting[caller]) == 0 {
		delete(p.waiting, caller)
		p.callers = slices.DeleteFunc(p.callers, func(c string) bool { return c == caller })
	}
	return true
}
