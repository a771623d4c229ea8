package traffic

import (
	"sync/atomic"
	"time"

	"quaywatch/ais"
)

// Pulse is what a Picture tells of itself while it runs, and what is told to it of our clock. It has no lock.
type Pulse struct {
	moved      atomic.Pointer[time.Time] // with a monotonic reading
	behind     atomic.Int64              // nanoseconds
	doubtClock atomic.Bool
}

// Moved returns when Run came to its second last, zero before the first. A picture that is stuck falls behind.
func (p *Pulse) Moved() time.Time {
	if at := p.moved.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// Behind returns how long the last report waited between its feed and the picture; 0 while none waits, and where recorded logs rule the clock. A picture
// that takes less than is heard falls behind more and more.
func (p *Pulse) Behind() time.Duration { return time.Duration(p.behind.Load()) }

// waited notes how long a batch waited that is taken now.
func (p *Pulse) waited(b *ais.Batch) {
	if len(b.Reports) > 0 && !b.Reports[0].Received.IsZero() {
		p.behind.Store(int64(max(0, time.Since(b.Reports[0].Received))))
	}
}

// DoubtClock reports whether our clock is known to be wrong. While it is, new fixes are marked ship.WrongClock.
func (p *Pulse) DoubtClock(wrong bool) { p.doubtClock.Store(wrong) }
