package ships

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
)

// coversTrip reports whether a trip lies in the time that the question is about, at least in part.
func (h *history) coversTrip(from, to time.Time) bool {
	return from.Before(h.end) && !to.Before(h.begin)
}

// sailedOn reports whether the ship of one call is that of the next, or that of now for nil. An MMSI may have gone to another ship since.
func (h *history) sailedOn(ctx context.Context, from, to *portcalls.KeptCall) (bool, error) {
	then, err := h.ShipAt(ctx, h.shipOf(from), from)
	if err != nil {
		return false, err
	}
	next := *h.shipOf(from)
	if to != nil {
		next, err = h.ShipAt(ctx, h.shipOf(to), to)
	}
	return !ship.IdentityOf(then.Static).Another(next.Static), err
}

// pastTrips answers from where to where a ship sailed, the latest first. Of trips from or to a call that the caller does not see there are none.
func (s *Server) pastTrips(c *request.Request) error {
	h, err := s.history(c)
	if err != nil {
		return err
	}
	records := []wire.TripRecord{}
	var next *portcalls.KeptCall // nil where the caller does not see it
	last := true                 // the caller saw no later call
	var unread error
	err = h.each(c.HTTP.Context(), s.deps.Calls, time.Time{}, endOfTime, func(made *portcalls.KeptCall, shown bool) bool {
		if !made.Found.Alongside() { // an anchorage on the way ends no trip
			return true
		}
		if !shown {
			next = nil
			return true
		}
		var trip wire.TripRecord
		var ok bool
		if last {
			trip, ok = h.OpenTrip(made)
			if ok = ok && h.coversTrip(made.Departed(), endOfTime); ok {
				ok, unread = h.sailedOn(c.HTTP.Context(), made, nil)
			}
		} else if next != nil {
			trip, ok = h.TripTo(made, next)
			if ok = ok && h.coversTrip(made.Departed(), next.Arrived()); ok {
				ok, unread = h.sailedOn(c.HTTP.Context(), made, next)
			}
		}
		if ok {
			records = append(records, trip)
		}
		next, last = made, false
		left := made.Departed()
		return unread == nil && len(records) < h.limit && (left.IsZero() || !left.Before(h.begin))
	})
	if err := cmp.Or(err, unread); err != nil {
		return fmt.Errorf("trips of %d: %w", h.ship.MMSI, err)
	}
	return c.SendJSON(http.StatusOK, answerOf(s, h, records))
}
