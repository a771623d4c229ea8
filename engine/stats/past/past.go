// Package past tells what was known of ships at a time that is over.
//
// It promises that what was told later does not count, and that it holds a day of some ships alone. Of the class of a ship it knows only the last one.
package past

import (
	"context"
	"errors"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/records"
)

// mostKnown is how many ships are remembered at once.
const mostKnown = 20_000

// Past tells what was known of ships at a time. It is for one goroutine, and remembers a day of each ship.
type Past struct {
	ctx   context.Context
	db    *store.DB
	ships map[ais.MMSI]*known
}

// known is what was known of a ship on a day.
type known struct {
	state   ship.State
	begin   int64 // of the day, in Unix milliseconds
	end     int64
	changes []store.StaticChange
}

// New looks into a store. It ends with ctx.
func New(ctx context.Context, db *store.DB) *Past {
	return &Past{ctx: ctx, db: db, ships: map[ais.MMSI]*known{}}
}

// At returns a ship as it was at a fix of its track, with the static and voyage data of that time. It is valid until the next call.
func (p *Past) At(m ais.MMSI, f ship.Fix) (*ship.State, error) {
	k, err := p.knownOnDay(m, f.At)
	if err != nil {
		return nil, err
	}
	s := &k.state
	s.Static, s.Voyage = nil, nil
	for i := range k.changes {
		if c := &k.changes[i]; c.At.UnixMilli() <= f.At {
			s.Static, s.Voyage = c.Static, c.Voyage
		}
	}
	if s.Fix.Feeds != f.Feeds || !s.HasFix {
		s.Feeds, s.Feed = p.db.Feeds(f.Feeds), ""
		s.Feeds.Any(func(feed string) bool { s.Feed = feed; return true })
	}
	s.HasFix, s.Fix, s.Heard = true, f, f.At
	return s, nil
}

// knownOnDay returns what is known of a ship on the day of a time.
func (p *Past) knownOnDay(m ais.MMSI, ms int64) (*known, error) {
	if k := p.ships[m]; k != nil && ms >= k.begin && ms < k.end {
		return k, nil
	}
	if len(p.ships) >= mostKnown {
		clear(p.ships)
	}
	begin := time.UnixMilli(ms).UTC().Truncate(24 * time.Hour)
	end := begin.Add(24 * time.Hour)
	k := &known{begin: begin.UnixMilli(), end: end.UnixMilli()}
	class, err := p.Class(m)
	if err != nil {
		return nil, err
	}
	k.state = ship.State{MMSI: m, Class: class}
	if k.changes, err = p.db.StaticChanges(p.ctx, m, begin, end); err != nil {
		return nil, err
	}
	p.ships[m] = k
	return k, nil
}

// Context returns that of the run, with which it ends.
func (p *Past) Context() context.Context { return p.ctx }

// Class returns the class of a ship as it is now; what it was then is not kept.
func (p *Past) Class(m ais.MMSI) (ship.Class, error) {
	last, err := p.db.Ship(m)
	if errors.Is(err, records.ErrNotFound) {
		err = nil
	}
	return last.Class, err
}

// LastBefore returns the last trusted fix of a ship before a time; false for none. It looks back in steps that double, so it reads little of a ship that was
// heard lately.
func (p *Past) LastBefore(m ais.MMSI, at time.Time) (f ship.Fix, ok bool, err error) {
	first, _, err := p.db.Recorded(m)
	for step := time.Hour; err == nil && at.After(first); step *= 2 {
		from := at.Add(-step)
		track, wrong := p.db.Track(p.ctx, m, from, at)
		if track = track.Within(time.Time{}, at).Trusted(); wrong != nil || len(track) > 0 {
			if len(track) > 0 {
				f, ok = track[len(track)-1], true
			}
			return f, ok, wrong
		}
		at = from
	}
	return f, false, err
}
