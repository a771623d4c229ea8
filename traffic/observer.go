package traffic

import (
	"time"

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
