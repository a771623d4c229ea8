package stats

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/engine/stats/past"
	"quaywatch/geo"
	"quaywatch/ship/statistic"
	"quaywatch/store/track"
)

// What an estimate looks at, at most.
const (
	weighHours  = 27 // a day that does not begin with an hour, and the hour on each side that silences may take
	weighBlocks = 20_000
	weighCalls  = 20_000
	longStay    = 31 * 24 * time.Hour // before the period a call may have begun that counts
)

// golden spreads the hours that are looked at, so that they are not always the same hour of the day.
const golden = 0.618033988749895

// legMargin is by how many metres the ways of ships may bulge beyond their reports.
const legMargin = 1500

// Weight is about what a statistic reads.
type Weight struct {
	Fixes int64 // as many as all hours would have that are like those that were looked at
	Ships int   // that the hours had that were looked at
	Hours int   // of the period
	Read  int   // of them, those that were looked at
	Calls int   // at ports, of kinds that read calls; weighCalls stands for more

	OfCalls bool // nothing but Calls is told
}

// Estimate tells about what a definition reads if it runs now. It fails with a *rule.Rule where what the definition names is gone. It looks at the heads
// of the blocks of some hours alone, or counts the calls.
func (s *Statistics) Estimate(ctx context.Context, asked *ParsedDefinition, owner string) (Weight, error) {
	job := Job{Kind: asked.kind.Name, Definition: asked.Definition}
	r := &Run{stats: s, job: job, plan: asked.body.Plan, going: &going{}, Past: past.New(ctx, s.config.DB), Period: job.period(s.config.Now())}
	if !r.Period.Begin.Before(r.Period.End) {
		return Weight{}, nil
	}
	r.Names = s.config.Names(owner)
	q, err := asked.kind.Open(r)
	if err != nil {
		return Weight{}, err
	}
	if q.Ask != nil && q.Ships == nil && q.Near == (geo.Rect{}) {
		return s.countCalls(ctx, &q, r.Period)
	}
	period := r.Period
	if q.Read != nil {
		period = *q.Read
	}
	w := weighing{area: q.Near.Expand(legMargin), seen: map[ais.MMSI]bool{}}
	if q.Ships != nil {
		w.area, w.ships = Everywhere(), some(slices.Compact(slices.Sorted(slices.Values(q.Ships))))
	}
	return s.weighPeriod(ctx, &w, period)
}

// countCalls counts the calls of a period that a question reads.
func (s *Statistics) countCalls(ctx context.Context, q *Question, period statistic.Period) (Weight, error) {
	about, err := Weight{OfCalls: true}, error(nil)
	count := func(c *portcalls.KeptCall) bool {
		if (q.Ports == nil || q.Ports[c.Found.Port]) && overlaps(c, period) {
			about.Calls++
		}
		return about.Calls < weighCalls
	}
	if q.Callers == nil {
		err = s.config.Calls.InTime(ctx, period.Begin.Add(-longStay), period.End, count)
	}
	for _, m := range q.Callers {
		err = errors.Join(err, s.config.Calls.OfShip(ctx, m, period.Begin, period.End, count))
	}
	return about, err
}

// weighPeriod looks at some hours of a period.
func (s *Statistics) weighPeriod(ctx context.Context, w *weighing, period statistic.Period) (Weight, error) {
	first := period.Begin.Truncate(time.Hour)
	about := Weight{Hours: int((period.End.Sub(first) + time.Hour - 1) / time.Hour)}
	look := func(hours []int, from int) error {
		for _, hour := range hours {
			if w.blocks >= weighBlocks {
				break
			}
			if err := s.config.DB.Heads(ctx, first.Add(time.Duration(from+hour)*time.Hour), w.ships, w.countBlock); err != nil {
				return err
			}
			about.Read++
		}
		return nil
	}
	if err := look(spreadHours(about.Hours), 0); err != nil {
		return Weight{}, err
	}
	share := float64(about.Hours) / float64(about.Read)
	if last := about.Hours - weighHours; w.fixes == 0 && last > 0 { // the record of a young box is short: it lies between the hours that are spread
		if err := look(stepped(weighHours, 1), last); err != nil {
			return Weight{}, err
		}
		share, about.Read = 1, min(about.Read, about.Hours-1)
	}
	about.Ships, about.Fixes = len(w.seen), int64(float64(w.fixes)*share)
	return about, nil
}

// weighing is what was counted.
type weighing struct {
	area   geo.Rect
	ships  []ais.MMSI // that count alone, in order; nil is all
	seen   map[ais.MMSI]bool
	fixes  int64
	blocks int
}

// countBlock counts a block, and reports whether more may be looked at.
func (w *weighing) countBlock(m ais.MMSI, head track.Head) bool {
	if w.area.Intersects(head.Touches) && head.Count > 0 {
		w.fixes += int64(head.Count)
		w.seen[m] = true
	}
	w.blocks++
	return w.blocks < weighBlocks
}

// spreadHours returns the hours to look at: all where they are few, else one of each equal part of them. The first of them are spread too.
func spreadHours(hours int) []int {
	if hours <= weighHours {
		return stepped(hours, 1)
	}
	chosen := make([]int, 0, weighHours)
	for _, i := range stepped(weighHours, 7) {
		_, within := math.Modf(float64(i) * golden)
		part, next := i*hours/weighHours, (i+1)*hours/weighHours
		chosen = append(chosen, part+int(within*float64(next-part)))
	}
	return chosen
}

// stepped returns the numbers below n, each a step behind the one before. The step and n have no divisor in common.
func stepped(n, step int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i * step % n
	}
	return all
}
