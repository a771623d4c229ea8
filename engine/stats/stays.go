package stats

import (
	"cmp"
	"context"
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// stay is a time that a boat lay alongside, which bounds its outings.
type stay struct {
	call int64
	port uint64
	portcall.Stay
}

func isAlongside(s portcall.Stay) bool { return s.Kind == portcall.Berthed }

// cameTo returns when a ship came to rest in a stay, or was first seen there.
func cameTo(s *portcall.Stay) portcall.Millis { return cmp.Or(s.From, s.Seen) }

// byComing orders stays by their begin.
func byComing(a, b portcall.Stay) int { return cmp.Compare(cameTo(&a), cameTo(&b)) }

// staysOf returns the stays alongside of a call, the earliest first. Those that the call did not keep are found again in the track, as far as the period needs
// them.
func (q *outingsAsked) staysOf(ctx context.Context, c *portcalls.KeptCall) ([]portcall.Stay, error) {
	kept := slices.Clone(c.Found.Stays)
	if c.Found.Full() {
		again, err := q.missingStays(ctx, c)
		if err != nil {
			return nil, err
		}
		for _, s := range again {
			if !slices.ContainsFunc(c.Found.Stays, func(o portcall.Stay) bool { return shareTime(&s, &o) }) {
				kept = append(kept, s)
			}
		}
		slices.SortFunc(kept, byComing)
	}
	return slices.DeleteFunc(kept, func(s portcall.Stay) bool { return !isAlongside(s) }), nil
}

// shareTime reports whether two stays share a time.
func shareTime(a, b *portcall.Stay) bool { return cameTo(a) <= b.Last && cameTo(b) <= a.Last }

// missingStays finds the stays of a call in the period, and the next on each side, in the track of the ship. It looks back in steps that grow, until it has seen the
// ship come to a stay before the period.
func (q *outingsAsked) missingStays(ctx context.Context, c *portcalls.KeptCall) ([]portcall.Stay, error) {
	first, last := c.Found.Stays[0].Seen.Time(), c.Found.Stays[len(c.Found.Stays)-1].Last.Time()
	begin := q.run.Period.Begin
	if last.Before(begin) || first.After(q.run.Period.End) {
		return nil, nil
	}
	for back := 24 * time.Hour; ; back *= 4 {
		from := begin.Add(-back)
		if from.Before(first) {
			from = first
		}
		found, err := q.findStays(ctx, c, from, last)
		if err != nil || from.Equal(first) {
			return found, err
		}
		found = slices.DeleteFunc(found, func(s portcall.Stay) bool { return s.From == 0 && s.Seen.Time().Before(begin) }) // its begin may lie before from
		if slices.ContainsFunc(found, func(s portcall.Stay) bool { return isAlongside(s) && cameTo(&s).Time().Before(begin) }) {
			return found, nil
		}
	}
}

// findStays returns the stays of a ship from one time on to another, as the calls are found. It returns no more than the first alongside after the period.
func (q *outingsAsked) findStays(ctx context.Context, c *portcalls.KeptCall, from, to time.Time) (found []portcall.Stay, err error) {
	const part = 24 * time.Hour
	if q.places == nil {
		q.places = portcall.NewPorts(q.run.stats.config.Ports(), nil)
	}
	engine := portcall.NewEngine(q.places, func(now *portcall.Call) {
		latest := now.Stays[len(now.Stays)-1]
		if n := len(found); n > 0 && found[n-1].Seen == latest.Seen {
			found = found[:n-1]
		}
		if now.Port == c.Found.Port {
			found = append(found, latest)
		}
	})
	follower := portcall.Begin(ship.Fix{}, 0)
	for begin := from; begin.Before(to) && !q.passed(found); begin = begin.Add(part) {
		track, err := q.run.stats.config.DB.Track(ctx, c.MMSI, begin, begin.Add(part))
		if err != nil {
			return nil, err
		}
		for _, f := range track.Within(begin, begin.Add(part)) {
			engine.Step(follower, f)
		}
	}
	return found, nil
}

// passed reports whether the last of some stays is one alongside after the period.
func (q *outingsAsked) passed(found []portcall.Stay) bool {
	n := len(found)
	return n > 0 && isAlongside(found[n-1]) && cameTo(&found[n-1]).Time().After(q.run.Period.End)
}

// withStay returns the number of a stay in a copy of a call, and puts it in where the call did not keep it. The stay of a call that goes on may have become
// longer.
func withStay(c *portcalls.KeptCall, s portcall.Stay) int {
	if i := slices.IndexFunc(c.Found.Stays, func(o portcall.Stay) bool { return o.Seen == s.Seen }); i >= 0 {
		return i
	}
	i, _ := slices.BinarySearchFunc(c.Found.Stays, s, byComing)
	c.Found.Stays = slices.Insert(slices.Clone(c.Found.Stays), i, s)
	return i
}
