package ports

import (
	"context"
	"time"

	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight/telling"
)

// Bounds of the search for the calls before and after those of an answer: calls of one ship that are read, and of all.
const (
	mostAround    = 500
	mostAroundAll = 20_000
)

// addPorts adds to calls of a ship at which port it was before and after. It does so as far as the caller is told of the calls there. Those at which it only
// anchored do not count.
func (q *visiting) addPorts(ctx context.Context, of *ship.State, calls []lying) error {
	left, read := map[int64]*lying{}, 0
	for i := range calls {
		left[calls[i].call.ID] = &calls[i]
	}
	var later *telling.ToldCall // alongside
	var begun []*lying          // whose port before is not found yet
	var unread error
	err := q.calls.OfShip(ctx, q.Listener, of, time.Time{}, q.now.Add(time.Second), func(c *telling.ToldCall) bool {
		read++
		q.around++
		if c.Found.Alongside() {
			for _, lies := range begun {
				if unread == nil {
					lies.previous, unread = q.portAround(ctx, of, lies, c)
				}
			}
			begun = nil
		}
		if lies := left[c.ID]; lies != nil && unread == nil {
			if later != nil {
				lies.next, unread = q.portAround(ctx, of, lies, later)
			}
			begun = append(begun, lies)
			delete(left, c.ID)
		}
		if c.Found.Alongside() {
			later = c
		}
		return unread == nil && len(left)+len(begun) > 0 && read < mostAround && q.around < mostAroundAll
	})
	if err == nil {
		err = unread
	}
	return err
}

// portAround returns the port of a call before or after another. It returns nil where the caller does not see the call, or may not look back to it. It does so
// too where another ship had the number then.
func (q *visiting) portAround(ctx context.Context, of *ship.State, lies *lying, told *telling.ToldCall) (*wire.PortName, error) {
	if _, over := told.Lay(); !told.Shown() || !over.IsZero() && over.Before(q.Since) {
		return nil, nil
	}
	then, err := q.ShipAt(ctx, of, &told.KeptCall)
	if err != nil || imo(&then) != 0 && imo(&lies.ship) != 0 && imo(&then) != imo(&lies.ship) {
		return nil, err
	}
	port := q.Port(told.Found.Port)
	return &port, nil
}

// imo returns the IMO number of a ship, 0 where it is not known.
func imo(s *ship.State) uint32 {
	if s.Static == nil {
		return 0
	}
	return s.Static.IMO
}
