package tracking

import (
	"log/slog"
	"maps"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/route/passage"
	"quaywatch/ship/portcall"
)

// exceeding is a ship that sails through a passage with more than its limit.
type exceeding struct {
	ship    ais.MMSI
	passage string
}

// exceeded are the ships that sailed through passages with more than their limits: the limit may be old, or what the crew typed.
type exceeded struct {
	last  map[exceeding]portcall.Millis // when it was last counted
	count uint64
}

// Each ship counts once in so long a time at a passage. Beyond so many that are remembered the ones that are over are forgotten, and then no more are taken.
const (
	exceededAgain = 24 * time.Hour
	mostExceeded  = 10_000
)

// take tells whether a ship is to be counted now.
func (e *exceeded) take(one exceeding, now portcall.Millis) bool {
	if at, known := e.last[one]; known && now.Since(at) < exceededAgain {
		return false
	}
	if len(e.last) >= mostExceeded {
		maps.DeleteFunc(e.last, func(_ exceeding, at portcall.Millis) bool { return now.Since(at) >= exceededAgain })
	}
	if len(e.last) >= mostExceeded {
		return false
	}
	if e.last == nil {
		e.last = map[exceeding]portcall.Millis{}
	}
	e.last[one] = now
	e.count++
	return true
}

// through takes the passages that a ship has just gone through.
func (e *exceeded) through(one *Track, log *slog.Logger) {
	for _, d := range one.gone {
		if d.Fit == passage.Unsure || !e.take(exceeding{one.Source.Ship, d.Passage}, one.Heard) {
			continue
		}
		log.Info("a ship sailed through a passage that takes less", "ship", one.Source.Ship, "passage", d.Passage, "metres", d.Has, "limit", d.Most)
	}
	one.gone = nil
}

// Exceeded tells how often a tracked ship sailed through a passage with more than its limit since the start, each once a day and passage.
func (t *Tracks) Exceeded() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.exceeded.count
}
