package ships

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/voyage"
)

// tripRecord is the way of a ship from one call to the next. The open last trip has no To.
type tripRecord struct {
	ID       int64    `json:"id,omitempty"`
	From     tripEnd  `json:"from"`
	To       *tripEnd `json:"to,omitempty"`
	Distance *float64 `json:"distance,omitempty"` // metres
	Duration string   `json:"duration,omitempty"`
	MaxSOG   *float64 `json:"max_sog,omitempty"` // knots
	AvgSOG   *float64 `json:"avg_sog,omitempty"`
	Gap      string   `json:"gap,omitempty"` // without a position, in all
}

// tripEnd is a port and when the ship left it or came to it.
type tripEnd struct {
	Port wire.PortName `json:"port"`
	ATD  string        `json:"atd,omitempty"`
	ATA  string        `json:"ata,omitempty"`
}

// tripTo gives the trip from one call to the next; false when there is none, or when it is not known.
func (h *history) tripTo(from, to *voyage.Call) (tripRecord, bool) {
	r, ok := h.tripFrom(from)
	if !ok || to.Trip == nil || to.Trip.Shift || to.Arrived().IsZero() || !h.covers(from.Departed(), to.Arrived()) {
		return r, false
	}
	way := to.Trip
	r.To = &tripEnd{Port: h.Port(to.Found.Port), ATA: h.Text(to.Arrived())}
	metres := math.Round(way.Metres)
	r.Distance = &metres
	if way.MaxSOG > 0 {
		r.MaxSOG = tenth(way.MaxSOG)
	}
	if r.Duration = h.Span(from.Departed(), to.Arrived()); r.Duration != "" {
		r.AvgSOG, r.Gap = tenth(way.AvgSOG), form.DurationText(way.Gap)
	}
	return r, true
}

// openTrip gives the trip that a ship is on since its last call; false when it is on none.
func (h *history) openTrip(from *voyage.Call) (tripRecord, bool) {
	r, ok := h.tripFrom(from)
	if !ok || from.Found.Open() || !h.covers(from.Departed(), endOfTime) {
		return r, false
	}
	r.Duration = h.Span(from.Departed(), h.viewer.Now())
	return r, true
}

// tripFrom begins the trip from a call; false when nobody knows when the ship left.
func (h *history) tripFrom(from *voyage.Call) (tripRecord, bool) {
	left := from.Departed()
	return tripRecord{ID: h.Number(from.ID, from.Found.Stays[0].Seen.Time()), From: tripEnd{Port: h.Port(from.Found.Port), ATD: h.Text(left)}}, !left.IsZero()
}

// covers tells whether a trip lies in the time that the question is about, at least in part.
func (h *history) covers(from, to time.Time) bool { return from.Before(h.end) && !to.Before(h.begin) }

func tenth(v float64) *float64 {
	v = math.Round(v*10) / 10
	return &v
}

// pastTrips answers from where to where a ship sailed, the latest first. Of trips from or to a call that the caller does not see there are none.
func (s *Server) pastTrips(c *call.Call) error {
	h, err := s.history(c)
	if err != nil {
		return err
	}
	records := []tripRecord{}
	var next *voyage.Call // nil where the caller does not see it
	last := true          // the caller saw no later call
	err = h.each(c.Request.Context(), s.deps.Voyages, time.Time{}, endOfTime, func(one *voyage.Call, shown bool) bool {
		if !one.Found.Alongside() { // an anchorage on the way ends no trip
			return true
		}
		if !shown {
			next = nil
			return true
		}
		var trip tripRecord
		var ok bool
		if last {
			trip, ok = h.openTrip(one)
		} else if next != nil {
			trip, ok = h.tripTo(one, next)
		}
		if ok {
			records = append(records, trip)
		}
		next, last = one, false
		left := one.Departed()
		return len(records) < h.limit && (left.IsZero() || !left.Before(h.begin))
	})
	if err != nil {
		return fmt.Errorf("trips of %d: %w", h.ship.MMSI, err)
	}
	return c.SendJSON(http.StatusOK, answerOf(s, h, records))
}
