package telling

import (
	"context"
	"errors"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Listener is a user that is told of things, with what it sees of ships.
type Listener struct {
	User   *access.User
	Viewer *sight.Viewer
	Since  time.Time // times before it are not told; zero for all
	times  bool      // it may know when ships come and leave
}

// ListenerOf returns the listener that a user is, whose Viewer it is. now is the time of the picture, also for a user that is told late.
func ListenerOf(user *access.User, v *sight.Viewer, now time.Time) *Listener {
	return &Listener{User: user, Viewer: v, Since: user.Earliest(now), times: user.May(right.ViewATAATD)}
}

// SeesAll reports whether no ship is hidden from the listener, and it is told all at once.
func (l *Listener) SeesAll() bool { return l.Viewer.Everything() && !l.Viewer.Late() }

// KnowsTimes reports whether the listener may know when ships come and leave. Else it is told what was known at the last quarter of an hour.
func (l *Listener) KnowsTimes() bool { return l.times }

// KnowsCalls reports whether the listener may know of all calls of all ships, though it may be told of them late.
func (l *Listener) KnowsCalls() bool {
	return l.Viewer.Everything() && l.User.Lookback() == 0 && l.User.May(right.ViewHistory) && l.KnowsTimes()
}

// MayKnow reports whether the listener may know a time at which a ship came or left.
func (l *Listener) MayKnow(at time.Time) bool {
	return l.KnowsTimes() && !at.IsZero() && !at.Before(l.Since)
}

// Ship returns a ship that the listener sees. Calls, tracks and texts outlive what else is known of a ship. It is then its number alone, for a listener that
// sees all. It fails with sight.ErrUnknown for a ship that is hidden or not known.
func (l *Listener) Ship(m ais.MMSI) (ship.State, error) {
	found, err := l.Viewer.Ship(m)
	if errors.Is(err, sight.ErrUnknown) && l.SeesAll() {
		return ship.State{MMSI: m}, nil
	}
	return found, err
}

// ShipAt returns a ship as it was when it left in a call, or as it is now while it lies there.
func (l *Listener) ShipAt(ctx context.Context, of *ship.State, c *portcalls.KeptCall) (ship.State, error) {
	_, left := c.Lay()
	if left.IsZero() {
		return *of, nil
	}
	return sight.AsAt(ctx, l.Viewer, of, left)
}

// toldUntil returns the time up to which the listener is told of the calls of a ship. It returns false where it is told of all at once.
func (l *Listener) toldUntil(of *ship.State) (until time.Time, late bool) {
	until, late = l.Viewer.ToldUntil(of)
	if l.KnowsTimes() {
		return until, late
	}
	if !late {
		until = l.Viewer.Now()
	}
	return portcalls.AtQuarter(until), true
}

// AwaitsCalls returns how long the listener still waits until it is told all that was known of calls at a time, of whatever ship. It returns 0 where it is
// told. With draughts it is told those too, which are known later.
func (l *Listener) AwaitsCalls(known time.Time, draughts bool) time.Duration {
	if draughts && (!l.KnowsTimes() || l.Viewer.Late()) {
		known = portcalls.DraughtsTold(known)
	}
	if l.KnowsTimes() {
		return sight.Awaits(l.Viewer, known)
	}
	if quarter := portcalls.AtQuarter(known); quarter.Before(known) {
		known = quarter.Add(portcalls.Quarter)
	}
	return max(sight.Awaits(l.Viewer, known), known.Sub(l.Viewer.Now()))
}
