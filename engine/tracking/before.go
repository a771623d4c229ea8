package tracking

import (
	"context"

	"quaywatch/ship"
)

// recallMotion reads how the ship of a new track sailed before. Where the whole trip before tells its speed, this one alone counts. It reads the
// store, so the caller does not hold mu.
func (t *TrackedShip) recallMotion(c *Config) {
	if t.Source.Ship == 0 || t.Before != 0 && t.InPort {
		return
	}
	begin := t.Created.Add(-meanKept)
	if t.Before != 0 {
		begin = max(begin, t.Visits[0].ATD)
	}
	past, err := c.DB.Track(context.Background(), t.Source.Ship, begin.Time(), t.Created.Time())
	if err != nil {
		c.Log.Warn("how fast a tracked ship sailed before is not known", "ship", t.Source.Ship, "error", err)
	}
	for _, fix := range past.Trusted() {
		if fix.Mark&ship.WrongClock == 0 {
			t.noteMotion(fix)
			t.fix = fix
		}
	}
	t.fix = ship.Fix{}
}
