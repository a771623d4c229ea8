package ships

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/handlers/request"
	"quaywatch/handlers/resolve"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
)

// Bounds of the calls and trips that one answer has.
const (
	historyDefault = 20
	historyMost    = 1000
)

// beginOfTime is before every call, and endOfTime after it.
var (
	beginOfTime = time.Unix(0, 0).UTC()
	endOfTime   = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)
)

// history is a question about the calls of a ship, and what its caller may know.
type history struct {
	wire.Telling
	ship       ship.State
	had        []sight.Tenure // the transmitters that the ship had
	warnings   []string
	begin, end time.Time
	limit      int
}

// history reads a question. Without a begin it goes back as far as the caller may look.
func (s *Server) history(c *request.Request) (*history, error) {
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return nil, err
	}
	who := c.Caller.User
	q := f.Identity()
	begin, end := f.Time("begin", time.Time{}), f.Time("end", endOfTime)
	h := &history{begin: begin, end: end}
	h.limit = int(f.Within("limit", historyDefault, 1, historyMost))
	if f.Err() == nil && !begin.Before(end) {
		f.Refuse("begin", rule.New("begin_before_end", "must be before end"))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if f.Given("begin") || f.Given("end") { // a user that sees no times must not find them by asking
		if err := request.Entitled(who, right.ViewATAATD); err != nil {
			return nil, err
		}
	}
	if begin.IsZero() {
		h.begin = who.Earliest(s.deps.Desk.Sight.Now())
	} else if err := s.deps.Desk.LookBack(who, begin); err != nil {
		return nil, err
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return nil, err
	}
	h.Telling = wire.TellingTo(l, s.deps.Ports())
	h.ship, h.had, h.warnings, err = resolve.Hull(c.HTTP.Context(), l.Viewer, q, begin, beginOfTime, endOfTime)
	return h, err
}

// each hands on the calls of the ship that the caller is told of, the latest first, until take wants no more. A call of which shown is false
// the caller does not see.
func (h *history) each(ctx context.Context, from *telling.CallReader, begin, end time.Time, take func(c *portcalls.KeptCall, shown bool) bool) error {
	return h.Viewer.Read(ctx, func() error {
		var all []*courseOf
		for i := range h.had {
			calls := newCourse(h.callsOf(ctx, from, &h.had[i], begin, end))
			defer calls.stop()
			all = append(all, calls)
		}
		for {
			newest := latestOf(all)
			if newest == nil {
				return nil
			}
			if newest.err != nil {
				return newest.err
			}
			if !take(&newest.call.KeptCall, newest.call.Shown()) {
				return nil
			}
			newest.readCall()
		}
	})
}

// shipOf returns the transmitter of a call.
func (h *history) shipOf(c *portcalls.KeptCall) *ship.State {
	for i := range h.had {
		if h.had[i].Ship.MMSI == c.MMSI {
			return &h.had[i].Ship
		}
	}
	return &h.ship
}

// callsOf returns the calls of a transmitter while it was that of the ship, as the caller is told of them, the latest first.
func (h *history) callsOf(ctx context.Context, from *telling.CallReader, had *sight.Tenure, begin, end time.Time) iter.Seq2[*telling.ToldCall, error] {
	return func(yield func(*telling.ToldCall, error) bool) {
		err := from.OfShip(ctx, h.Listener, &had.Ship, begin, end, func(told *telling.ToldCall) bool {
			return !had.Meets(told.Lay()) || yield(told, nil)
		})
		if err != nil {
			yield(nil, err)
		}
	}
}

// courseOf is a reading of the calls of a transmitter.
type courseOf struct {
	next func() (*telling.ToldCall, error, bool)
	stop func()
	call *telling.ToldCall // nil at the end
	err  error
}

func newCourse(calls iter.Seq2[*telling.ToldCall, error]) *courseOf {
	c := &courseOf{}
	c.next, c.stop = iter.Pull2(calls)
	c.readCall()
	return c
}

func (c *courseOf) readCall() { c.call, c.err, _ = c.next() }

// latestOf returns the reading whose next call is the latest, or that failed; nil when all are at their ends.
func latestOf(all []*courseOf) (latest *courseOf) {
	for _, c := range all {
		if c.err != nil {
			return c
		}
		if c.call != nil && (latest == nil || c.call.Found.Stays[0].Seen > latest.call.Found.Stays[0].Seen) {
			latest = c
		}
	}
	return latest
}

// answer is a list about one ship.
type answer[T any] struct {
	Records []T             `json:"records"`
	Ship    json.RawMessage `json:"ship"`
}

// answerOf makes the answer about the ship that was asked for.
func answerOf[T any](s *Server, h *history, records []T) answer[T] {
	return answer[T]{records, wire.Ship(&h.ship, h.warnings, s.deps.Register.Get, nil)}
}
