package ports

import (
	"cmp"
	"context"
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Bounds of a question about the calls at a port, and of its answer.
const (
	usualSpan  = 24 * time.Hour
	mostSpan   = 31 * 24 * time.Hour
	mostVisits = 2000
	visitBytes = 1 << 10             // of memory, for one with its stays and times
	mostRead   = 100_000             // calls at any port that are read
	lead       = 30 * 24 * time.Hour // a ship that left in the time of the question came at most so long before it
	readSpan   = 6 * time.Hour       // calls that are read at once
)

// visit is a call at the port.
type visit struct {
	Ship visitor `json:"ship"`
	wire.CallRecord
	Previous *wire.PortName `json:"previous,omitempty"` // at which the ship lay before
	Next     *wire.PortName `json:"next,omitempty"`     // and after
	at       time.Time      // when it began; zero when the caller is not told
}

// visitor is the ship of a call.
type visitor struct {
	wire.Vessel
	Destination string `json:"destination,omitempty"` // as the crew typed it, while the ship is in port
}

// visits is the answer about a port.
type visits struct {
	Records []visit `json:"records"`
	More    bool    `json:"more,omitempty"` // there are more calls
}

// visiting is a question about the calls at a port, and what was found so far.
type visiting struct {
	visits
	wire.Telling
	calls      *telling.CallReader
	port       *chart.Port
	filter     *ship.Filter // nil for all ships
	open       bool         // the ships that are in port; else those that came or left in the time
	begin, end time.Time
	now        time.Time
	around     int // calls that were read to find the ports before and after
}

// calls returns the calls of all ships at a port.
func (s *Server) calls(c *request.Request) error {
	layout, err := c.Choose(request.TableLayouts())
	if err != nil {
		return err
	}
	q, err := s.visiting(c)
	if err != nil {
		return err
	}
	if err := c.HoldResult(mostVisits * visitBytes); err != nil {
		return err
	}
	ctx := c.HTTP.Context()
	if q.open || !q.begin.Before(q.now.Add(-portcalls.VisitorsKept)) {
		err = q.recent(ctx)
	} else {
		err = q.past(ctx)
	}
	if err != nil {
		return err
	}
	slices.SortFunc(q.Records, func(a, b visit) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(a.Ship.MMSI, b.Ship.MMSI)) })
	return q.sendCalls(c, layout)
}

// visiting reads a question.
func (s *Server) visiting(c *request.Request) (*visiting, error) {
	who := c.Caller.User
	if err := request.Entitled(who, right.ViewHistory); err != nil {
		return nil, err
	}
	port, err := s.pathPort(c)
	if err != nil {
		return nil, err
	}
	q := &visiting{calls: s.deps.Calls, port: port, now: s.deps.Desk.Sight.Now(), visits: visits{Records: []visit{}}}
	if q.open, err = c.QueryTruth("open", false); err != nil {
		return nil, err
	}
	if err := s.time(c, q); err != nil {
		return nil, err
	}
	if text := c.Query("filter"); text != "" {
		if q.filter, err = ship.ParseFilter(text, s.deps.Lookup(who)); err != nil {
			return nil, request.BadFilter("filter", err)
		}
	}
	l, err := s.deps.Desk.Listener(c)
	q.Telling = wire.TellingTo(l, s.deps.Ports.Current())
	return q, err
}

// time reads the time of a question. A caller that is told no times must not find them by asking.
func (s *Server) time(c *request.Request, q *visiting) (err error) {
	if q.begin, err = c.QueryTime("begin"); err != nil {
		return err
	}
	if q.end, err = c.QueryTime("end"); err != nil {
		return err
	}
	given := !q.begin.IsZero() || !q.end.IsZero()
	if q.open {
		if given {
			return request.BadField("open", rule.New("open_beside_time", "cannot be given beside begin and end"))
		}
		return nil
	}
	who := c.Caller.User
	if err := request.Entitled(who, right.ViewATAATD); err != nil {
		return err
	}
	begins, ends := !q.begin.IsZero(), !q.end.IsZero()
	if !ends {
		q.end = q.now.Add(time.Second)
	}
	if !begins {
		q.begin = ship.Later(q.end.Add(-usualSpan), who.Earliest(q.now))
	}
	switch {
	case !q.begin.Before(q.end):
		return request.BadField(request.TimeOrder(q.begin, q.end, begins, ends))
	case q.end.Sub(q.begin) > mostSpan:
		return request.BadField("begin", rule.New("span_long", "must be at most {days} days before end", "days", int64(mostSpan/(24*time.Hour))))
	}
	return s.deps.Desk.LookBack(who, q.begin)
}

// recent finds the calls of the last day by the ships that are in port or left it since.
func (q *visiting) recent(ctx context.Context) error {
	begin, end := q.begin, q.end
	if q.open {
		begin, end = time.Time{}, q.now.Add(time.Second)
	}
	return q.addCalls(ctx, q.calls.Visitors(q.port.ID), func(of *ship.State, take takeCall) error {
		return q.calls.OfShip(ctx, q.Listener, of, begin, end, take)
	})
}

// past finds the calls of an earlier time among those of all ports, the latest first.
func (q *visiting) past(ctx context.Context) error {
	read := 0
	for to := q.end; to.After(q.begin.Add(-lead)) && !q.More; to = to.Add(-readSpan) {
		found, some, err := q.calls.AtPort(ctx, q.Listener, q.port.ID, to.Add(-readSpan), to, mostRead-read)
		if err == nil {
			err = q.addCalls(ctx, found.Ships(), func(of *ship.State, take takeCall) error {
				found.OfShip(q.Listener, of, take)
				return nil
			})
		}
		if err != nil {
			return err
		}
		read += some
		q.More = q.More || read >= mostRead
	}
	return nil
}

// takeCall takes a call as the caller is told of it. It reports whether it wants more.
type takeCall func(told *telling.ToldCall) (more bool)

// addCalls adds the calls of some ships, as far as the caller is told of them. each hands on the calls of a ship that come into question.
func (q *visiting) addCalls(ctx context.Context, visitors telling.Visitors, each func(of *ship.State, take takeCall) error) error {
	for ships, err := range visitors.Seen(ctx, q.Listener) {
		if err == nil {
			err = q.addCallsOf(ctx, ships, each)
		}
		if err != nil || q.More {
			return err
		}
	}
	return nil
}

// addCallsOf is addCalls for ships that the caller sees.
func (q *visiting) addCallsOf(ctx context.Context, ships []ship.State, each func(of *ship.State, take takeCall) error) error {
	var found []lying
	err := q.Viewer.Read(ctx, func() error {
		for i := range ships {
			var unread error
			before := len(found)
			err := each(&ships[i], func(told *telling.ToldCall) bool {
				if q.wantsCall(&told.KeptCall) && told.Shown() {
					var then ship.State
					if then, unread = q.ShipAt(ctx, &ships[i], &told.KeptCall); unread == nil {
						found = append(found, lying{ship: then, call: told.KeptCall})
					}
				}
				return !q.open && unread == nil // of the calls of a ship the latest alone is open
			})
			if err := cmp.Or(err, unread); err != nil {
				return err
			}
			if err := q.addPorts(ctx, &ships[i], found[before:]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return q.addPassed(ctx, found)
}

// lying is a call with its ship, as it was then.
type lying struct {
	ship           ship.State
	call           portcalls.KeptCall
	previous, next *wire.PortName // nil where they are not known, or not told
}

// addPassed adds the calls whose ship the filter lets pass as it was then.
func (q *visiting) addPassed(ctx context.Context, found []lying) error {
	return q.Viewer.InTurns(ctx, len(found), func(i int) {
		if q.filter == nil || q.filter.Match(&found[i].ship, q.Viewer.Now()) {
			q.add(&found[i])
		}
	})
}

// wantsCall reports whether a call, as the caller is told of it, is one that the question asks for.
func (q *visiting) wantsCall(c *portcalls.KeptCall) bool {
	if c.Found.Port != q.port.ID {
		return false
	}
	if q.open {
		return c.Found.Open()
	}
	left := c.Departed()
	if left.IsZero() {
		left = c.Found.Left.Time()
	}
	return q.isWithin(cameAt(c)) || q.isWithin(left)
}

func (q *visiting) isWithin(at time.Time) bool {
	return !at.IsZero() && !at.Before(q.begin) && at.Before(q.end)
}

// cameAt returns when the ship came: to its berth, else to the anchorage, else when it was first seen at rest.
func cameAt(c *portcalls.KeptCall) time.Time {
	for _, at := range []time.Time{c.Arrived(), c.AnchoredAt()} {
		if !at.IsZero() {
			return at
		}
	}
	return c.Found.Stays[0].Seen.Time()
}

func (q *visiting) add(l *lying) {
	if len(q.Records) >= mostVisits {
		q.More = true
		return
	}
	c := &l.call
	record := visit{Ship: visitor{Vessel: wire.VesselOf(&l.ship)}, CallRecord: q.Record(c), Previous: l.previous, Next: l.next}
	if l.ship.Voyage != nil && c.Found.Open() {
		record.Ship.Destination = l.ship.Voyage.Destination
	}
	if at := cameAt(c); q.MayKnow(at) {
		record.at = at
	}
	q.Records = append(q.Records, record)
}

// FilterNames returns the names that a user may use in a filter.
type FilterNames func(*access.User) ship.Lookup
