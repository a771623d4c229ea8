package telling

import (
	"context"
	"errors"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/ship"
	"quaywatch/sight"
)

// KnownPlaces are the places of a port where ships lay again and again, as a listener may know them.
type KnownPlaces struct {
	All   portcalls.LyingPlaces // that three ships or more used: they tell of none
	Found time.Time             // by the picture; another time means other places
	kept  *portcalls.Lain
}

// LainAt returns where ships lay at a port. A listener that may not know at once of all calls is told the places of a day that is over.
func (c *CallReader) LainAt(ctx context.Context, l *Listener, port uint64) (KnownPlaces, error) {
	kept, err := c.calls.LainAt(ctx, port, !l.KnowsCalls() || l.Viewer.Late())
	if err != nil {
		return KnownPlaces{}, err
	}
	return KnownPlaces{All: kept.All, Found: kept.Found, kept: kept}, nil
}

// Few returns the places that fewer than three ships used, in the calls that the listener may know of.
func (x KnownPlaces) Few(ctx context.Context, l *Listener) (few portcalls.LyingPlaces, err error) {
	if l.KnowsCalls() && !l.Viewer.Late() {
		return x.kept.Few(func(*portcalls.LainCall) bool { return true }), nil
	}
	j := lainJudge{listener: l, ships: map[ais.MMSI]*ship.State{}}
	err = l.Viewer.Read(ctx, func() error {
		few = x.kept.Few(func(c *portcalls.LainCall) bool { return j.err == nil && ctx.Err() == nil && j.mayKnow(c) })
		return errors.Join(j.err, ctx.Err())
	})
	return few, err
}

// lainJudge decides which calls places may be found in, and remembers the ships that it was asked of so far.
type lainJudge struct {
	listener *Listener
	ships    map[ais.MMSI]*ship.State // nil for a ship that is not seen
	err      error                    // of the store
}

// mayKnow reports whether the listener may know of a call, and of all of it.
func (j *lainJudge) mayKnow(c *portcalls.LainCall) bool {
	l := j.listener
	of, asked := j.ships[c.MMSI]
	if !asked {
		found, err := l.Ship(c.MMSI)
		if err == nil {
			of = &found
		} else if !errors.Is(err, sight.ErrUnknown) {
			j.err = err
		}
		j.ships[c.MMSI] = of
	}
	if of == nil || c.First.Before(l.Since) {
		return false
	}
	if until, late := l.Viewer.ToldUntil(of); late && c.Last.After(until) {
		return false
	}
	return l.Viewer.May(sight.Sighting{MMSI: c.MMSI, Time: c.First, Place: c.Place, Feeds: c.Feeds})
}
