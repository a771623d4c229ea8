// Package wake lets goroutines sleep until something changes, instead of looking now and then.
package wake

import (
	"sync"
	"sync/atomic"
)

// Signal wakes every goroutine that waits for the next change. The zero Signal is ready for use. Raise costs one lock if no
// goroutine waits.
type Signal struct {
	mu   sync.Mutex
	next chan struct{} // nil while no goroutine waits
}

// Next gives a channel that is closed when the Signal is raised next. Take it before you look at what may change: then no change
// is missed.
func (s *Signal) Next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

// Raise wakes all waiting goroutines. Call it after the change can be seen.
func (s *Signal) Raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}

// Counter counts changes, and wakes every goroutine that waits for the next. The zero Counter is ready for use.
type Counter struct {
	Signal
	count atomic.Uint64
}

// Add counts a change.
func (c *Counter) Add() {
	c.count.Add(1)
	c.Raise()
}

// Load gives how many changes were counted.
func (c *Counter) Load() uint64 { return c.count.Load() }
