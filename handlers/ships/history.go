package ships

import (
	"context"
	"encoding/json"
	"time"

	"quaywatch/access/right"
	"quaywatch/handlers/call"
	"quaywatch/handlers/named"
	"quaywatch/handlers/wire"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/voyage"
)

// Bounds of the calls and trips that one answer has.
const (
	historyDefault = 20
	historyMost    = 1000
)

// endOfTime is after every call.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// history is a question about the calls of a ship, and what its caller may know.
type history struct {
	wire.Telling
	viewer     *sight.Viewer
	ship       ship.State
	warnings   []string
	begin, end time.Time
	limit      int
}

// history reads a question. Without a begin it goes back as far as the caller may look.
func (s *Server) history(c *call.Call) (*history, error) {
	f, err := c.Bind(call.MaxBody)
	if err != nil {
		return nil, err
	}
	who := c.Caller.User
	q := f.Identity()
	begin, end := f.Time("begin", time.Time{}), f.Time("end", endOfTime)
	h := &history{Telling: wire.TellingOf(who, s.deps.Ports(), s.deps.Desk.Sight.Now()), begin: begin, end: end}
	h.limit = int(f.Within("limit", historyDefault, 1, historyMost))
	if f.Err() == nil && !begin.Before(end) {
		f.Refuse("begin", rule.New("begin_before_end", "must be before end"))
	}
	if err := f.Err(); err != nil {
		return nil, err
	}
	if f.Given("begin") || f.Given("end") { // a user that sees no times must not find them by asking
		if err := call.Entitled(who, right.ViewATAATD); err != nil {
			return nil, err
		}
	}
	if begin.IsZero() {
		h.begin = h.Since
	} else if err := s.deps.Desk.LookBack(who, begin); err != nil {
		return nil, err
	}
	if h.viewer, err = s.deps.Desk.Viewer(c); err != nil {
		return nil, err
	}
	h.ship, h.warnings, err = named.Ship(c.Request.Context(), h.viewer, q, begin)
	return h, err
}

// each hands on the calls of the ship that the caller is told of, the latest first, until take wants no more. A call of which shown is false
// the caller does not see.
func (h *history) each(ctx context.Context, from *voyage.Voyages, begin, end time.Time, take func(c *voyage.Call, shown bool) bool) error {
	return h.viewer.Read(ctx, func() error {
		return from.Calls(ctx, h.ship.MMSI, begin, end, func(c *voyage.Call) bool {
			told, ok := wire.AsTold(h.viewer, &h.ship, c, h.User)
			return !ok || take(&told, h.viewer.May(wire.Sighting(&told)))
		})
	})
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
