// Package scan reads the tracks that a statistic asks for, ahead of who counts them.
//
// It promises that they come in the order of the hours, and that each leg lies whole in one piece. It also promises that no piece has a fix of a receiver that
// lied.
package scan

import (
	"context"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/internal/ahead"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store"
)

// Extent is which tracks are asked for: those of Ships where it is not nil, else those in Where, else those in Near.
type Extent struct {
	statistic.Period
	Ships []ais.MMSI // wherever they are
	Near  geo.Rect   // what lies outside is not read, but perhaps some of it
	Where Where      // nil for Near
}

// Where returns rectangles for a time, some hours: what lies outside of all is not read.
type Where = func(ctx context.Context, from, to time.Time) ([]geo.Rect, error)

// Piece is what the store has of a ship in an hour, from the last fix of the hour before on. A piece without a track says up to what time everything was handed on.
type Piece struct {
	MMSI  ais.MMSI
	Track ship.Track // valid until the piece was taken
	Read  time.Time

	room *ship.Track // in which the track lies; nil for one of its own
}

// rooms are where the tracks of pieces lie that are not taken yet. A day of a port has some hundred megabytes of tracks, and to allocate them costs more than to read
// them.
var rooms = sync.Pool{New: func() any { return new(ship.Track) }}

// Each hands what is asked for to take, while a goroutine reads what comes next. The store is read in short parts, so take may take its time. It returns the error
// of take, else that of the store.
func Each(ctx context.Context, db *store.DB, asked Extent, take func(Piece) error) error {
	return ahead.Each(ctx, func(ctx context.Context, hand func(Piece) error) error {
		r := &reader{Extent: asked, db: db, hand: hand}
		switch {
		case asked.Ships != nil:
			return r.readShips(ctx)
		case asked.Where != nil:
			return r.readMoving(ctx)
		default:
			return r.readPassing(ctx, asked.Near, asked.Begin, asked.End, func(ship.Track) bool { return true })
		}
	}, func(p Piece) error {
		if p.room != nil {
			defer rooms.Put(p.room)
		}
		return take(p)
	})
}

// reader reads what is asked for.
type reader struct {
	Extent
	db   *store.DB
	hand func(Piece) error
}

// readPassing hands on what passes an area, of that the tracks that are wanted.
func (r *reader) readPassing(ctx context.Context, area geo.Rect, from, to time.Time, wanted func(ship.Track) bool) error {
	return r.db.Passing(ctx, area, from, to, func(m ais.MMSI, part ship.Track) error {
		if part = part.Trusted(); len(part) == 0 || !wanted(part) {
			return ctx.Err()
		}
		room := rooms.Get().(*ship.Track)
		*room = append((*room)[:0], part...)
		return r.hand(Piece{MMSI: m, Track: *room, room: room})
	})
}

// readMoving hands on what lies in rectangles that change with the time. The store is asked with a rectangle round all of them.
func (r *reader) readMoving(ctx context.Context) error {
	return r.steps(6*time.Hour, func(from, to time.Time) error {
		near, err := r.Where(ctx, from, to)
		if err != nil {
			return err
		}
		all := geo.RectOf()
		for _, rect := range near {
			all = all.Union(rect)
		}
		return r.readPassing(ctx, all, from, to, func(part ship.Track) bool { return slices.ContainsFunc(near, part.Bounds().Intersects) })
	})
}

// readShips hands on the tracks of the ships hour by hour.
func (r *reader) readShips(ctx context.Context) error {
	ships := slices.Compact(slices.Sorted(slices.Values(r.Ships)))
	last := map[ais.MMSI]ship.Fix{}
	return r.steps(time.Hour, func(from, to time.Time) error {
		for _, m := range ships {
			if err := r.hourOf(ctx, m, from, to, last); err != nil {
				return err
			}
		}
		return nil
	})
}

// hourOf hands on an hour of a ship, from the last fix of the piece before on.
func (r *reader) hourOf(ctx context.Context, m ais.MMSI, from, to time.Time, last map[ais.MMSI]ship.Fix) error {
	track, err := r.db.Track(ctx, m, from, to)
	if err != nil {
		return err
	}
	before, had := last[m]
	if had {
		track = slices.Insert(track.Within(time.UnixMilli(before.At+1), to.Add(ship.GapLimit)), 0, before)
	}
	track = track.Trusted()
	if to.Before(r.End) { // the leg over the border comes with the next hour
		track = track.Within(time.Time{}, to)
	}
	if len(track) == 0 {
		return nil
	}
	last[m] = track[len(track)-1]
	if had && len(track) == 1 {
		return nil
	}
	return r.hand(Piece{MMSI: m, Track: track})
}

// steps calls read for the period in parts that end at whole steps, and says after each how far it is.
func (r *reader) steps(step time.Duration, read func(from, to time.Time) error) error {
	for from := r.Begin; from.Before(r.End); {
		to := from.Truncate(step).Add(step)
		if to.After(r.End) {
			to = r.End
		}
		if err := read(from, to); err != nil {
			return err
		}
		if err := r.hand(Piece{Read: to}); err != nil {
			return err
		}
		from = to
	}
	return nil
}
