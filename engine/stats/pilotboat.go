package stats

import (
	"cmp"
	"context"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/statistic"
)

// pilotBoats are the outings of pilot boats on which they served ships.
func pilotBoats() Kind {
	return Kind{Name: "pilotboat", Keys: []string{"shape", "a_team"}, Check: checkSailed, Open: openPilotBoats}
}

// outingsAsked is a question about the outings of pilot boats.
type outingsAsked struct {
	run    *Run
	boats  []ais.MMSI
	ports  map[uint64]bool     // to which an outing must belong; nil for all
	stays  map[ais.MMSI][]stay // of the boats, the earliest first
	open   map[ais.MMSI]*outing
	pilots statistic.Aboard
	places *portcall.PortAreas // where ships lie; nil before they are needed
}

// mostServed bounds the transfers of one record: a boat whose stays are not known is on one outing for years.
const mostServed = 1000

// outing is the way of a boat from a berth to the next, while its transfers come.
type outing struct {
	number int // of the boat's stays that began before
	served []statistic.Transfer
	kinds  []string
}

func openPilotBoats(r *Run) (Question, error) {
	var p sailedPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	q := &outingsAsked{run: r, boats: p.Ships, stays: map[ais.MMSI][]stay{}, open: map[ais.MMSI]*outing{}}
	if q.boats == nil {
		var err error
		if q.ports, err = r.portsIn(p.Shape); err != nil {
			return Question{}, err
		}
	}
	return Question{Ask: q.findOutings, Callers: q.boats, Ports: q.ports}, nil
}

// findOutings finds the boats and their calls, and where they were, then their transfers.
func (q *outingsAsked) findOutings(ctx context.Context) error {
	candidates := q.boats
	if q.boats == nil {
		candidates = q.run.stats.config.Calls.Callers()
	}
	var boats []ais.MMSI
	for _, m := range candidates {
		ours, err := q.noteStays(ctx, m)
		if err != nil {
			return err
		}
		if ours || q.boats != nil {
			boats = append(boats, m)
		}
	}
	if q.boats = boats; len(boats) == 0 {
		return nil
	}
	of := q.run.transfersOf(boats)
	of.Period.Begin = of.Period.Begin.Add(-statistic.PilotAboard) // those before the period tell whether pilots were aboard then
	asked := q.run.askTransfers(&of, &outingCount{statistic.NewTransfers(of, q.addTransfer), q})
	asked.Where = q.where
	return q.run.scanTracks(ctx, asked)
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
		c.asked.endOuting(m)
	}
}

// noteStays notes the stays of a ship that bound its outings in the period. It reports whether the ship is a pilot vessel that called at a port that is asked for.
func (q *outingsAsked) noteStays(ctx context.Context, m ais.MMSI) (ours bool, err error) {
	var calls []*portcalls.KeptCall // the latest first
	begin := q.run.Period.Begin
	wrong := q.run.stats.config.Calls.OfShip(ctx, m, time.Time{}, endOfTime(), func(c *portcalls.KeptCall) bool {
		if q.ports[c.Found.Port] && !ours {
			ours, err = q.isPilot(c)
		}
		if c.Found.Alongside() {
			calls = append(calls, c)
		}
		return err == nil && (len(calls) == 0 || !cameBefore(calls[len(calls)-1], begin))
	})
	if err == nil {
		err = wrong
	}
	if err != nil || !ours && q.boats == nil {
		return false, err
	}
	for _, c := range slices.Backward(calls) {
		lay, err := q.staysOf(ctx, c)
		if err != nil {
			return false, err
		}
		for i := range lay {
			q.stays[m] = append(q.stays[m], stay{c.ID, c.Found.Port, lay[i]})
		}
	}
	return ours, nil
}

// cameBefore reports whether a ship was alongside in a call before a time, or then.
func cameBefore(c *portcalls.KeptCall, at time.Time) bool {
	i := slices.IndexFunc(c.Found.Stays, isAlongside)
	return !cameTo(&c.Found.Stays[i]).Time().After(at)
}

// isPilot reports whether the ship of a call was a pilot vessel then, at its beginning or its end. A crew tells the type of its ship every few minutes.
func (q *outingsAsked) isPilot(c *portcalls.KeptCall) (bool, error) {
	first, last := &c.Found.Stays[0], &c.Found.Stays[len(c.Found.Stays)-1]
	for _, at := range []ship.Fix{fixOf(first, int64(first.Seen)), fixOf(last, int64(last.Last))} {
		then, err := q.run.Past.At(c.MMSI, at)
		if err != nil || then.Static != nil && then.Static.Type == pilotVessel {
			return err == nil, err
		}
	}
	return false, nil
}

// where returns a rectangle round the way of each boat in a time, in which its transfers lie.
func (q *outingsAsked) where(ctx context.Context, from, to time.Time) (near []geo.Rect, err error) {
	for _, m := range q.boats {
		track, err := q.run.stats.config.DB.Track(ctx, m, from.Add(-statistic.TransferMargin), to.Add(statistic.TransferMargin))
		if err != nil {
			return nil, err
		}
		if track = track.Trusted(); len(track) > 0 {
			near = append(near, track.Bounds().Expand(statistic.TransferWay))
		}
	}
	return near, nil
}

// addTransfer takes a transfer. Those of a boat come in the order of their times.
func (q *outingsAsked) addTransfer(t statistic.Transfer) {
	boat := t.Boat.MMSI
	stays := q.stays[boat]
	number, _ := slices.BinarySearchFunc(stays, portcall.Millis(t.At()+1), func(s stay, at portcall.Millis) int { return cmp.Compare(cameTo(&s.Stay), at) })
	if o := q.open[boat]; o != nil && (o.number != number || len(o.served) == mostServed) {
		q.endOuting(boat)
	}
	kind, err := q.transferKind(&t)
	if err != nil {
		q.run.failRun(err)
		return
	}
	if !q.run.Period.Holds(t.At()) || q.ports != nil && !q.isAsked(stays, number) {
		return
	}
	o := q.open[boat]
	if o == nil {
		o = &outing{number: number}
		q.open[boat] = o
	}
	o.served, o.kinds = append(o.served, t), append(o.kinds, kind)
}

// isAsked reports whether an outing belongs to a port that is asked for. That is the port which the boat left, or where that is not known the port to which it
// came.
func (q *outingsAsked) isAsked(stays []stay, number int) bool {
	switch {
	case number > 0:
		return q.ports[stays[number-1].port]
	case number < len(stays):
		return q.ports[stays[number].port]
	}
	return false
}

// transferKind tells what a transfer was, by where the ship lay alongside: board or disembark.
func (q *outingsAsked) transferKind(t *statistic.Transfer) (string, error) {
	at := portcall.Millis(t.At())
	var left, next time.Time
	begin, end := at.Time().Add(-statistic.PilotAboard), at.Time().Add(statistic.PilotAboard)
	err := q.run.stats.config.Calls.OfShip(q.run.Past.Context(), t.Ship.MMSI, begin, end, func(c *portcalls.KeptCall) bool {
		for _, s := range slices.Backward(c.Found.Stays) {
			switch came := cameTo(&s); {
			case s.Kind != portcall.Berthed:
			case came > at:
				next = came.Time()
			default:
				left = cmp.Or(s.To, s.Last).Time() // where its departure was not seen it was there until then all the same
				return false
			}
		}
		return true
	})
	return q.pilots.Kind(t, left, next), err
}

// operation is a transfer as a result tells it.
type operation struct {
	Ship     ResultShip `json:"ship"`
	At       string     `json:"timestamp"`
	Position placeText  `json:"position"`
	Kind     string     `json:"kind"`
}

// endOuting keeps the outing of a boat that is over, or the last.
func (q *outingsAsked) endOuting(boat ais.MMSI) {
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
			q.run.failRun(err)
			return
		}
		served = append(served, operation{ShipAt(then), timeText(t.At()), placeOf(t.Boat.Fix), o.kinds[i]})
		moments = append(moments, t.Moments()...)
	}
	record := Record{Moments: moments}
	record.Call, record.Stay = q.callAtEnd(boat, o.number-1)
	record.Next, record.Berth = q.callAtEnd(boat, o.number)
	q.keepRecord(record, o.served[0].Boat.Moment, served)
}

// callAtEnd returns the call and the stay that end an outing on one side. It returns nil for none, and where a user has deleted the call since.
func (q *outingsAsked) callAtEnd(boat ais.MMSI, number int) (*portcalls.KeptCall, int) {
	stays := q.stays[boat]
	if number < 0 || number >= len(stays) {
		return nil, 0
	}
	s := &stays[number]
	c, err := q.run.stats.config.Calls.Call(s.call)
	if err != nil {
		return nil, 0
	}
	return &c, withStay(&c, s.Stay)
}

// keepRecord keeps the record of an outing, with the boat as it was at its first transfer.
func (q *outingsAsked) keepRecord(record Record, at statistic.Moment, served []operation) {
	then, err := q.run.Past.At(at.MMSI, at.Fix)
	if err != nil {
		q.run.failRun(err)
		return
	}
	q.run.keepRecord(record, struct {
		Ship       ResultShip  `json:"ship"`
		Operations []operation `json:"operations"`
	}{Described(then), served})
}
