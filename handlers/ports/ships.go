package ports

import (
	"context"
	"math"
	"net/http"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
)

// Bounds of one answer about the ships that are in port.
const (
	mostInPort  = 20_000
	inPortBytes = 1 << 8 // of memory, for one ship
)

// shipsInPort is a part of the ships that are in port.
type shipsInPort struct {
	Records []wire.InPort `json:"records"`
	Total   int           `json:"total"` // of all pages
	Offset  int           `json:"offset"`
	Limit   int           `json:"limit"`
}

// lookingAround is a question about the ships that are in any port, and what was found so far.
type lookingAround struct {
	shipsInPort
	wire.Telling
	calls *telling.CallReader
	now   time.Time
}

// sendShips returns the ships that are in a port, by number, and at which berth they lie. It reads the latest call of each alone.
func (s *Server) sendShips(c *request.Request) error {
	q, err := s.lookingAround(c)
	if err != nil {
		return err
	}
	visitors := q.calls.InPort(q.Listener, q.now)
	if err := c.HoldResult(int64(min(visitors.Len(), q.Limit)) * inPortBytes); err != nil {
		return err
	}
	ctx := c.HTTP.Context()
	for ships, err := range visitors.Seen(ctx, q.Listener) {
		if err == nil {
			err = q.addShips(ctx, ships)
		}
		if err != nil {
			return err
		}
	}
	return c.SendJSON(http.StatusOK, q.shipsInPort)
}

// lookingAround reads a question.
func (s *Server) lookingAround(c *request.Request) (*lookingAround, error) {
	if err := request.Entitled(c.Caller.User, right.ViewHistory); err != nil {
		return nil, err
	}
	q := &lookingAround{calls: s.deps.Calls, now: s.deps.Desk.Sight.Now()}
	q.Records = []wire.InPort{}
	var err error
	if q.Offset, q.Limit, err = c.QueryPage(request.Page{Most: mostInPort, Usual: mostInPort, Farthest: math.MaxInt32}); err != nil {
		return nil, err
	}
	l, err := s.deps.Desk.Listener(c)
	q.Telling = wire.TellingTo(l, s.deps.Ports.Current())
	return q, err
}

// addShips adds those of some ships that are in port, as far as the caller is told of them.
func (q *lookingAround) addShips(ctx context.Context, ships []ship.State) error {
	return q.Viewer.Read(ctx, func() error {
		for i := range ships {
			if err := q.lookAt(ctx, &ships[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// lookAt adds a ship when the latest of its calls that the caller is told of goes on.
func (q *lookingAround) lookAt(ctx context.Context, of *ship.State) error {
	return q.calls.OfShip(ctx, q.Listener, of, time.Time{}, q.now.Add(time.Second), func(told *telling.ToldCall) (more bool) {
		if told.Found.Open() && told.Shown() {
			q.add(&told.KeptCall)
		}
		return false
	})
}

func (q *lookingAround) add(told *portcalls.KeptCall) {
	if q.Total++; q.Total > q.Offset && len(q.Records) < q.Limit {
		q.Records = append(q.Records, q.InPort(told, cameAt(told)))
	}
}
