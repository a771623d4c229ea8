package ports

import (
	"context"
	"math"
	"net/http"
	"slices"
	"time"

	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/voyage"
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
	voyages *voyage.Voyages
	viewer  *sight.Viewer
	now     time.Time
}

// sendShips returns the ships that are in a port, by number, and at which berth they lie. It reads the latest call of each alone.
func (s *Server) sendShips(c *call.Call) error {
	q, err := s.lookingAround(c)
	if err != nil {
		return err
	}
	numbers := voyage.InPort(q.voyages, q.overSince())
	if err := c.HoldResult(int64(min(len(numbers), q.Limit)) * inPortBytes); err != nil {
		return err
	}
	ctx := c.Request.Context()
	for some := range slices.Chunk(numbers, readShips) {
		if err := q.addShips(ctx, some); err != nil {
			return err
		}
	}
	return c.SendJSON(http.StatusOK, q.shipsInPort)
}

// lookingAround reads a question.
func (s *Server) lookingAround(c *call.Call) (*lookingAround, error) {
	who, now := c.Caller.User, s.deps.Desk.Sight.Now()
	if err := call.Entitled(who, right.ViewHistory); err != nil {
		return nil, err
	}
	q := &lookingAround{voyages: s.deps.Voyages, now: now, Telling: wire.TellingOf(who, s.deps.Ports.Current(), now)}
	q.Records = []wire.InPort{}
	var err error
	if q.Offset, q.Limit, err = c.QueryPage(call.Page{Most: mostInPort, Usual: mostInPort, Farthest: math.MaxInt32}); err != nil {
		return nil, err
	}
	q.viewer, err = s.deps.Desk.Viewer(c)
	return q, err
}

// overSince returns a time before which a call was over for this caller too. What is stored may be a few minutes older than what filters know.
func (q *lookingAround) overSince() time.Time {
	return q.now.Add(-sight.Awaits(q.viewer, q.now) - 2*voyage.Quarter)
}

// addShips adds those of some ships that are in port, as far as the caller is told of them.
func (q *lookingAround) addShips(ctx context.Context, numbers []ais.MMSI) error {
	ships, err := seenOf(ctx, q.viewer, numbers)
	if err != nil {
		return err
	}
	return q.viewer.Read(ctx, func() error {
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
	return q.voyages.Calls(ctx, of.MMSI, time.Time{}, q.now.Add(time.Second), func(c *voyage.Call) (more bool) {
		told, ok := wire.AsTold(q.viewer, of, c, q.User)
		if ok && told.Found.Open() && q.viewer.May(wire.Sighting(&told)) {
			q.add(&told)
		}
		return !ok
	})
}

func (q *lookingAround) add(told *voyage.Call) {
	if q.Total++; q.Total > q.Offset && len(q.Records) < q.Limit {
		q.Records = append(q.Records, q.InPort(told, cameAt(told)))
	}
}
