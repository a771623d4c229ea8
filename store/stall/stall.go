// Package stall measures how long a store waits for its disk. Whoever reads it takes no lock, so a disk that hangs holds no reader up. Its
// times are monotonic: a clock that is set is no stall.
package stall

import (
	"sync/atomic"
	"time"
)

// Stopwatch counts from the moment at which it was made. Its times are nanoseconds, never 0.
type Stopwatch struct{ Made time.Time }

// Start returns a stopwatch that counts from now on.
func Start() Stopwatch { return Stopwatch{time.Now()} }

// Now returns the time of the stopwatch.
func (w Stopwatch) Now() int64 { return max(1, int64(time.Since(w.Made))) }

// Begin notes that a wait begins, until done is called.
func (w Stopwatch) Begin(under *atomic.Int64) (done func()) {
	under.Store(w.Now())
	return func() { under.Store(0) }
}

// Since returns how long ago a time was noted, 0 when none is.
func (w Stopwatch) Since(noted *atomic.Int64) time.Duration {
	at := noted.Load()
	if at == 0 {
		return 0
	}
	return time.Duration(max(0, w.Now()-at))
}
