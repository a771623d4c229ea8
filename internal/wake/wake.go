// Package wake lets goroutines sleep until something changes, instead of looking now and then.
package wake

import "sync/atomic"

// Signal wakes every goroutine that waits for the next change. The zero Signal is ready for use. Raise costs one atomic read if no
// goroutine waits. What changes must be guarded by a lock, or be atomic itself.
type Signal struct {
	next atomic.Pointer[chan struct{}] // nil while no goroutine waits
}

// Next returns a channel that is closed when the Signal is raised next. Take it before you look at what may change: then no change
// is missed.
func (s *Signal) Next() <-chan struct{} {
	for {
		if next := s.next.Load(); next != nil {
			return *next
		}
		next := make(chan struct{})
		if s.next.CompareAndSwap(nil, &next) {
			return next
		}
	}
}

// Raise wakes all waiting goroutines. Call it after the change can be seen.
func (s *Signal) Raise() {
	if s.next.Load() == nil {
		return
	}
	if next := s.next.Swap(nil); next != nil {
		close(*next)
	}
}

// Kick wakes one goroutine, which receives from it. Kicks that come before it does so are one. Make it with NewKick.
type Kick chan struct{}

// NewKick makes a Kick.
func NewKick() Kick { return make(Kick, 1) }

// Wake wakes the goroutine, or lets it go on at once when it waits next.
func (k Kick) Wake() {
	select {
	case k <- struct{}{}:
	default:
	}
}

// ChangeCount counts changes, and wakes every goroutine that waits for the next. The zero ChangeCount is ready for use.
type ChangeCount struct {
	Signal
	count atomic.Uint64
}

// Add counts a change.
func (c *ChangeCount) Add() {
	c.count.Add(1)
	c.Raise()
}

// Load returns how many changes were counted.
func (c *ChangeCount) Load() uint64 { return c.count.Load() }
