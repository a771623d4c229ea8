package traffic

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Observer is told every step of the picture, by its one goroutine and in order. It must be quick and must not call
// back into methods that change the picture; it may read it.
type Observer interface {
	// Observe takes one update, which is valid only during the call.
	Observe(u *ship.Update)
	// Tick tells the time once a second, after the updates of that second's silence.
	Tick(now time.Time)
}

// RepeatObserver is an Observer that is also told of a message that was told before when another feed hears it within the
// duplicate window, once for each feed. Nobody else is: it tells nothing new of the ship.
type RepeatObserver interface {
	Observer
	// ObserveAgain takes the report of the feed that heard it now, with the ship as she is now and with Fix, LateFix and Refused
	// as they were the first time, and the feeds that heard it before. The update is valid only during the call.
	ObserveAgain(u *ship.Update, before ais.Feeds)
}
