package tracking

import (
	"time"

	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// Announced is a ship that is on its way to a port and is not tracked.
type Announced struct {
	Port, From uint64        // its destination, and where it lay alongside before; 0 where that is not known
	Ship       *ship.State   // with a position
	Metres     float64       // of its way
	Sails      time.Duration // how long it sails them at its speed at sea
}

// ArrivalOf returns when a ship will be alongside, as its track would tell: the last miles into the port count.
func (t *TrackedShips) ArrivalOf(a *Announced) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	track := TrackedShip{Destination: End{Port: a.Port}, Visits: [2]PortVisit{{Port: a.From}}, kind: typeGroup(a.Ship.Static)}
	t.profileOf(&track)
	e := estimate{remaining: a.Metres, knots: 1, berth: true, profile: track.profile}
	if hours := a.Sails.Hours(); hours > 0 {
		e.knots = a.Metres / 1852 / hours
	}
	return e.estimateAt(portcall.Millis(a.Ship.Fix.At), &t.records).ETA.Time()
}
