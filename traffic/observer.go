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

// RepeatObserver is an Observer that is also told when another feed hears a message again within the duplicate window. It is told once
// for each feed. The message tells nothing new of the ship, so other observers are not told.
type RepeatObserver interface {
	Observer
	// TakesAgain reports whether repeats of a message are wanted at all.
	TakesAgain(m ais.Message) bool
	// ObserveAgain takes the report of the feed that hears the message now, and the feeds that heard it before. The ship is as it is now;
	// Fix, LateFix and Refused are as they were the first time. The update is valid only during the call.
	ObserveAgain(u *ship.Update, before ais.Feeds)
}
