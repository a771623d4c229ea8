package traffic

import (
	"sync/atomic"
	"time"
)

// Pulse is what a Picture tells of itself while it runs, and what is told to it of our clock. It has no lock.
type Pulse struct {
	moved      atomic.Pointer[time.Time] // with a monotonic reading
	doubtClock atomic.Bool
}

// Moved gives when Run came to its second last, zero before the first. A picture that is stuck falls behind.
func (p *Pulse) Moved() time.Time {
	if at := p.moved.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// DoubtClock says whether our clock is known to be wrong. While it is, new fixes are marked ship.WrongClock.
func (p *Pulse) DoubtClock(wrong bool) { p.doubtClock.Store(wrong) }
