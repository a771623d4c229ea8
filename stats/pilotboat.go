package stats

import (
	"context"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship/statistic"
	"quaywatch/voyage"
)

// pilotBoats are the outings of pilot boats on which they served ships.
func pilotBoats() Kind {
	return Kind{Name: "pilotboat", Keys: []string{"shape", "a_team"}, Check: checkSailed, Open: openPilotBoats}
}

// outingsAsked is a question about the outings of pilot boats.
type outingsAsked struct {
	run    *Run
	boats  []ais.MMSI
	ports  map[uint64]bool      // to which an outing must belong; nil for all
	calls  map[ais.MMSI][]visit // of the boats, the earliest first
	open   map[ais.MMSI]*outing
	pilots statistic.Aboard
}

// visit is a call of a boat, as far as it bounds its outings.
type visit struct {
	id   int64
	came int64 // Unix milliseconds
	port uint64
}

// outing is the way of a boat from a port and back, while its transfers come.
type outing struct {
	number int // of the boat's calls that began before
	served []statistic.Transfer
	kinds  []string
}

func openPilotBoats(r *Run) (Question, error) {
	var p sailedPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	q := &outingsAsked{run: r, boats: p.Ships, calls: map[ais.MMSI][]visit{}, open: map[ais.MMSI]*outing{}}
	if q.boats == nil {
		var err error
		if q.ports, err = r.portsIn(p.Shape); err != nil {
			return Question{}, err
		}
	}
	return Question{Ask: q.ask}, nil
}

// ask finds the boats and their calls, and where they were, then their transfers.
func (q *outingsAsked) ask(ctx context.Context) error {
	candidates := q.boats
	if q.boats == nil {
		candidates = q.run.stats.config.Voyages.Callers()
	}
	var boats []ais.MMSI
	for _, m := range candidates {
		ours, err := q.visits(ctx, m)
		if err != nil {
			return err
		}
		if ours || q.boats != nil {
			boats = append(boats, m)
		} else {
			delete(q.calls, m)
		}
	}
	if q.boats = boats; len(boats) == 0 {
		return nil
	}
	of := q.run.transfersOf(boats)
	of.Period.Begin = of.Period.Begin.Add(-statistic.PilotAboard) // those before the period tell whether pilots were aboard then
	asked := q.run.askTransfers(&of, &outingCount{statistic.NewTransfers(of, q.take), q})
	bounds, err := q.bounds(ctx, *asked.Read)
	if err != nil || !bounds.Valid() {
		return err
	}
	asked.Near = bounds.Expand(statistic.TransferWay)
	return q.run.scan(ctx, asked)
}

// outingCount counts transfers, and tells the outings that are open at the end.
type outingCount struct {
	*statistic.Transfers
	asked *outingsAsked
}

// End ends the count.
func (c *outingCount) End() {
	c.Transfers.End()
	for _, m := range c.asked.boats {
		c.asked.tell(m)
	}
}

// visits notes the calls of a ship that bound its outings in the period. It tells whether the ship is a pilot vessel that called at a port that is asked for.
func (q *outingsAsked) visits(ctx context.Context, m ais.MMSI) (ours bool, err error) {
	var all []visit
	begin := q.run.Period.Begin
	wrong := q.run.stats.config.Voyages.Calls(ctx, m, time.Time{}, endOfTime(), func(c *voyage.Call) bool {
		if !c.Found.Alongside() {
			return true
		}
		came := came(c)
		all = append(all, visit{c.ID, came.UnixMilli(), c.Found.Port})
		if q.ports[c.Found.Port] && !ours {
			ours, err = q.isPilot(c)
		}
		return err == nil && came.After(begin)
	})
	slices.Reverse(all)
	q.calls[m] = all
	if err == nil {
		err = wrong
	}
	return ours, err
}

// came gives when a call began, as well as it is known.
func came(c *voyage.Call) time.Time {
	if at := c.Arrived(); !at.IsZero() {
		return at
	}
	return c.Found.Stays[0].Seen.Time()
}

// isPilot tells whether the ship of a call was a pilot vessel then.
func (q *outingsAsked) isPilot(c *voyage.Call) (bool, error) {
	first := &c.Found.Stays[0]
	then, err := q.run.Past.At(c.MMSI, fixOf(first, int64(first.Seen)))
	return err == nil && then.Static != nil && then.Static.Type == pilotVessel, err
}

// bounds gives where the boats were in a time. It is not Valid where none was heard.
func (q *outingsAsked) bounds(ctx context.Context, in statistic.Period) (geo.Rect, error) {
	const part = 24 * time.Hour
	all := geo.RectOf()
	for _, m := range q.boats {
		for from := in.Begin; from.Before(in.End); from = from.Add(part) {
			track, err := q.run.stats.config.DB.Track(ctx, m, from, from.Add(part))
			if err != nil {
				return all, err
			}
			for _, f := range track {
				all = all.Extend(f.Point())
			}
		}
	}
	return all, nil
}

// take takes a transfer. Those of a boat come in the order of their times.
func (q *outingsAsked) take(t statistic.Transfer) {
	boat := t.Boat.MMSI
	calls := q.calls[boat]
	number, _ := slices.BinarySearchFunc(calls, t.At()+1, func(v visit, ms int64) int { return int(max(-1, min(1, v.came-ms))) })
	if o := q.open[boat]; o != nil && o.number != number {
		q.tell(boat)
	}
	kind, err := q.kind(&t)
	if err != nil {
		q.run.fail(err)
		return
	}
	if !q.run.Period.Holds(t.At()) || q.ports != nil && !q.asked(calls, number) {
		return
	}
	o := q.open[boat]
	if o == nil {
		o = &outing{number: number}
		q.open[boat] = o
	}
	o.served, o.kinds = append(o.served, t), append(o.kinds, kind)
}

// asked tells whether an outing belongs to a port that is asked for: that which the boat left, or where that is not known the one to which it came.
func (q *outingsAsked) asked(calls []visit, number int) bool {
	switch {
	case number > 0:
		return q.ports[calls[number-1].port]
	case number < len(calls):
		return q.ports[calls[number].port]
	}
	return false
}

// kind tells what a transfer was, by the calls of the ship: board or disembark.
func (q *outingsAsked) kind(t *statistic.Transfer) (string, error) {
	at := time.UnixMilli(t.At())
	var left, next time.Time
	err := q.run.stats.config.Voyages.Calls(q.run.Past.ctx, t.Ship.MMSI, at.Add(-statistic.PilotAboard), at.Add(statistic.PilotAboard), func(c *voyage.Call) bool {
		if !c.Found.Alongside() {
			return true
		}
		if came := came(c); came.After(at) {
			next = came
			return true
		}
		left = c.Departed()
		return false
	})
	return q.pilots.Kind(t, left, next), err
}

// operation is a transfer as a result tells it.
type operation struct {
	Ship     Ship      `json:"ship"`
	At       string    `json:"timestamp"`
	Position placeText `json:"position"`
	Kind     string    `json:"kind"`
}

// tell keeps the outing of a boat that is over, or the last.
func (q *outingsAsked) tell(boat ais.MMSI) {
	o := q.open[boat]
	if delete(q.open, boat); o == nil || q.run.out.failed != nil {
		return
	}
	var moments []statistic.Moment
	var served []operation
	for i := range o.served {
		t := &o.served[i]
		then, err := q.run.Past.At(t.Ship.MMSI, t.Ship.Fix)
		if err != nil {
			q.run.fail(err)
			return
		}
		served = append(served, operation{ShipAt(then), timeText(t.At()), placeOf(t.Boat.Fix), o.kinds[i]})
		moments = append(moments, t.Moments()...)
	}
	one := Record{Moments: moments}
	calls := q.calls[boat]
	for _, end := range []struct {
		number int
		to     **voyage.Call
	}{{o.number - 1, &one.Call}, {o.number, &one.Next}} {
		if end.number < 0 || end.number >= len(calls) {
			continue
		}
		if c, err := q.run.stats.config.Voyages.Call(calls[end.number].id); err == nil { // else a user has deleted it since
			*end.to = &c
		}
	}
	q.keep(one, o.served[0].Boat.Moment, served)
}

// keep keeps the record of an outing, with the boat as it was at its first transfer.
func (q *outingsAsked) keep(one Record, at statistic.Moment, served []operation) {
	then, err := q.run.Past.At(at.MMSI, at.Fix)
	if err != nil {
		q.run.fail(err)
		return
	}
	q.run.keep(one, struct {
		Ship       Ship        `json:"ship"`
		Operations []operation `json:"operations"`
	}{Described(then), served})
}
