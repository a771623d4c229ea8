package stats

import (
	"context"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats/scan"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// scanTracks hands the tracks of a question to its Counter.
func (r *Run) scanTracks(ctx context.Context, q Question) error {
	c := &counting{run: r, counter: q.Counter, only: q.Only, aside: map[ais.MMSI]bool{}, listed: q.Ships != nil}
	for _, m := range q.Aside {
		c.aside[m] = true
	}
	asked := scan.Extent{Period: r.Period, Ships: q.Ships, Near: q.Near, Where: q.Where}
	if q.Read != nil {
		asked.Period = *q.Read
	}
	err := scan.Each(ctx, r.stats.config.DB, asked, c.addHour)
	if err == nil {
		q.Counter.Over(asked.End)
		q.Counter.End()
		err = r.out.failed
	}
	return err
}

// counting is a Counter at work.
type counting struct {
	run     *Run
	counter statistic.Counter
	only    func(*ship.State) bool // of the question; nil for all
	aside   map[ais.MMSI]bool      // of the question
	listed  bool                   // the question names its ships: each hour of them ends with a piece that says so
	hour    int64                  // of the parts that come, in Unix milliseconds
}

const hourMillis = int64(time.Hour / time.Millisecond)

// addHour hands an hour of a ship on, as far as the filter lets it pass.
func (c *counting) addHour(p scan.Piece) error {
	if len(p.Track) == 0 {
		if c.listed {
			c.counter.Over(p.Read)
		}
		c.run.Tell(p.Read)
		return c.run.out.failed
	}
	if hour := p.Track[len(p.Track)-1].At / hourMillis * hourMillis; hour > c.hour && !c.listed {
		c.hour = hour
		at := time.UnixMilli(hour).UTC()
		c.counter.Over(at)
		c.run.Tell(at)
	}
	passed, err := c.filtered(p.MMSI, p.Track)
	if err == nil && len(passed) > 0 {
		c.counter.Take(p.MMSI, passed)
	}
	if err == nil {
		err = c.run.out.failed
	}
	return err
}

// filtered returns the fixes at which the question and the filter pick the ship. What the question means is looked at, whether it passes the filter or not.
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

// picked returns the fixes at which a test picks the ship, with the data of that time. No leg leads over one at which it does not.
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
