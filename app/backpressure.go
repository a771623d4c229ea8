package app

import (
	"log/slog"
	"time"

	"quaywatch/ship"
	"quaywatch/store"
)

// settleEvery is how many steps a source that can wait runs ahead of the disk.
const settleEvery = 20000

// Backpressure is the observer that makes a source wait for the store, so that the store drops nothing. It is for sources that can wait.
type Backpressure struct {
	DB    *store.DB
	Log   *slog.Logger // may be nil
	steps int
	err   error
}

// Err gives the error of the last wait; nil when the store has kept up.
func (s *Backpressure) Err() error { return s.err }

// Observe counts steps and settles the store now and then.
func (s *Backpressure) Observe(*ship.Update) {
	if s.steps++; s.steps%settleEvery == 0 {
		if s.err = s.DB.Settle(); s.err != nil && s.Log != nil {
			s.Log.Warn("the store lags behind the recording", "error", s.err)
		}
	}
}

// Tick does nothing: only steps fill the store.
func (s *Backpressure) Tick(time.Time) {}
