package app

import (
	"log/slog"
	"time"

	"quaywatch/ship"
	"quaywatch/store"
)

// stepsAhead is how many steps a source that can wait runs ahead of the disk.
const stepsAhead = 20000

// Backpressure is the observer that makes the source wait for the disk, so that the store drops nothing. It is for sources that can wait.
type Backpressure struct {
	DB    *store.DB
	Log   *slog.Logger // may be nil
	steps int
	err   error
}

// Err returns the error of the last wait; nil when the store has kept up.
func (b *Backpressure) Err() error { return b.err }

// Observe counts steps, and waits for the disk once in a while.
func (b *Backpressure) Observe(*ship.Update) {
	if b.steps++; b.steps%stepsAhead == 0 {
		if b.err = b.DB.KeepPace(); b.err != nil && b.Log != nil {
			b.Log.Warn("the store lags behind the recording", "error", b.err)
		}
	}
}

// Tick does nothing: only steps fill the store.
func (b *Backpressure) Tick(time.Time) {}
