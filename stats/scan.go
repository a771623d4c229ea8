package stats

import (
	"context"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// scan hands the tracks of a question to its Counter. The store is read in short parts, so the Counter may take its time.
func (r *Run) scan(ctx context.Context, q Question) error {
	period := r.Period
	if q.Read != nil {
		period = *q.Read
	}
	c := &counting{run: r, counter: q.Counter, only: q.Only, aside: map[ais.MMSI]bool{}}
	for _, m := range q.Aside {
		c.aside[m] = true
	}
	var err error
	switch {
	case q.Ships != nil:
		err = c.ships(ctx, q.Ships, period)
	case q.Where != nil:
		err = c.moving(ctx, q.Where, period)
	default:
		err = r.stats.config.DB.Passing(ctx, q.Near, period.Begin, period.End, func(m ais.MMSI, part ship.Track) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return c.take(m, part)
		})
	}
	if err == nil {
		q.Counter.Over(period.End)
		q.Counter.End()
		err = r.out.failed
	}
	return err
}

// moving hands on what lies in rectangles that change with the time. The store is asked with one round all of them.
func (c *counting) moving(ctx context.Context, where func(context.Context, time.Time, time.Time) ([]geo.Rect, error), period statistic.Period) error {
	const step = 6 * time.Hour
	for from := period.Begin; from.Before(period.End); {
		to := from.Truncate(step).Add(step)
		if to.After(period.End) {
			to = period.End
		}
		near, err := where(ctx, from, to)
		if err != nil {
			return err
		}
		all := geo.RectOf()
		for _, one := range near {
			all = all.Union(one)
		}
		err = c.run.stats.config.DB.Passing(ctx, all, from, to, func(m ais.MMSI, part ship.Track) error {
			bounds := part.Bounds()
			if !slices.ContainsFunc(near, bounds.Intersects) {
				return ctx.Err()
			}
			return c.take(m, part)
		})
		if err != nil {
			return err
		}
		c.run.Tell(to)
		from = to
	}
	return nil
}

// counting is a Counter at work.
type counting struct {
	run     *Run
	counter statistic.Counter
	only    func(*ship.State) bool // of the question; nil for all
	aside   map[ais.MMSI]bool      // of the question
	hour    int64                  // of the parts that come, in Unix milliseconds
}

const hourMillis = int64(time.Hour / time.Millisecond)

// take hands an hour of a ship on, as far as the filter lets it pass.
func (c *counting) take(m ais.MMSI, part ship.Track) error {
	if hour := part[len(part)-1].At / hourMillis * hourMillis; hour > c.hour {
		c.hour = hour
		at := time.UnixMilli(hour).UTC()
		c.counter.Over(at)
		c.run.Tell(at)
	}
	passed, err := c.filtered(m, part.Trusted())
	if err == nil && len(passed) > 0 {
		c.counter.Take(m, passed)
	}
	if err == nil {
		err = c.run.out.failed
	}
	return err
}

// filtered gives the fixes at which the question and the filter pick the ship. What the question means is looked at, whether it passes the filter or not.
func (c *counting) filtered(m ais.MMSI, part ship.Track) (ship.Track, error) {
	if c.only != nil {
		var err error
		if part, err = c.picked(m, part, func(s *ship.State, _ ship.Fix) bool { return c.only(s) }); err != nil || len(part) == 0 {
			return nil, err
		}
	}
	if c.aside[m] {
		return part, nil
	}
	r := c.run
	if r.Filter != nil {
		var err error
		if part, err = c.picked(m, part, func(s *ship.State, f ship.Fix) bool { return r.Filter.Match(s, f.Time()) }); err != nil {
			return nil, err
		}
	}
	r.Looked(len(part) > 0)
	return part, nil
}

// picked gives the fixes at which a test picks the ship, with the data of that time. No leg leads over one at which it does not.
func (c *counting) picked(m ais.MMSI, part ship.Track, test func(*ship.State, ship.Fix) bool) (ship.Track, error) {
	kept, broken := part[:0:0], false
	for _, f := range part {
		state, err := c.run.Past.At(m, f)
		if err != nil {
			return nil, err
		}
		if !test(state, f) {
			broken = true
			continue
		}
		if broken {
			f.Mark |= ship.NewSegment
		}
		kept, broken = append(kept, f), false
	}
	return kept, nil
}

// ships hands on the tracks of some ships hour by hour, wherever they are. A part begins with the last fix of the part before.
func (c *counting) ships(ctx context.Context, ships []ais.MMSI, period statistic.Period) error {
	ships = slices.Compact(slices.Sorted(slices.Values(ships)))
	last := map[ais.MMSI]ship.Fix{}
	for from := period.Begin; from.Before(period.End); {
		to := from.Truncate(time.Hour).Add(time.Hour)
		if to.After(period.End) {
			to = period.End
		}
		for _, m := range ships {
			if err := c.hourOf(ctx, m, from, to, to.Equal(period.End), last); err != nil {
				return err
			}
		}
		c.counter.Over(to)
		c.run.Tell(to)
		from = to
	}
	return nil
}

// hourOf hands on an hour of one ship.
func (c *counting) hourOf(ctx context.Context, m ais.MMSI, from, to time.Time, ends bool, last map[ais.MMSI]ship.Fix) error {
	track, err := c.run.stats.config.DB.Track(ctx, m, from, to)
	if err != nil {
		return err
	}
	if before, had := last[m]; had {
		track = slices.Insert(track.Within(time.UnixMilli(before.At+1), to.Add(ship.GapLimit)), 0, before)
	}
	track = track.Trusted()
	if !ends { // the leg over the border comes with the next hour
		track = track.Within(time.Time{}, to)
	}
	if len(track) == 0 {
		return nil
	}
	_, had := last[m]
	last[m] = track[len(track)-1]
	if had && len(track) == 1 {
		return nil
	}
	passed, err := c.filtered(m, track)
	if err == nil && len(passed) > 0 {
		c.counter.Take(m, passed)
	}
	if err == nil {
		err = c.run.out.failed
	}
	return err
}
