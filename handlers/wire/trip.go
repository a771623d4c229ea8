package wire

import (
	"math"

	"quaywatch/engine/portcalls"
	"quaywatch/form"
)

// TripRecord is the way of a ship from one call to the next. The open last trip has no To.
type TripRecord struct {
	ID       int64    `json:"id,omitempty"`
	From     TripEnd  `json:"from"`
	To       *TripEnd `json:"to,omitempty"`
	Distance *float64 `json:"distance,omitempty"` // metres
	Duration string   `json:"duration,omitempty"`
	MaxSOG   *float64 `json:"max_sog,omitempty"` // knots
	AvgSOG   *float64 `json:"avg_sog,omitempty"`
	Gap      string   `json:"gap,omitempty"` // without a position, in all
}

// TripEnd is a port and when the ship left it or came to it.
type TripEnd struct {
	Port PortName `json:"port"`
	ATD  string   `json:"atd,omitempty"`
	ATA  string   `json:"ata,omitempty"`
}

// TripTo returns the trip from one call to the next; false when there is none, or when it is not known. How far a ship sailed that changed its number on
// the way nobody knows.
func (t *Telling) TripTo(from, to *portcalls.KeptCall) (TripRecord, bool) {
	r, ok := t.tripFrom(from)
	way := to.Trip
	if renumbered := from.MMSI != to.MMSI; renumbered {
		way = nil
	} else if way == nil || way.Shift {
		return r, false
	}
	if !ok || to.Arrived().IsZero() {
		return r, false
	}
	r.To = &TripEnd{Port: t.Port(to.Found.Port), ATA: t.Text(to.Arrived())}
	r.Duration = t.Span(from.Departed(), to.Arrived())
	if way == nil {
		return r, true
	}
	metres := math.Round(way.Metres)
	r.Distance = &metres
	if way.MaxSOG > 0 {
		r.MaxSOG = roundTenth(way.MaxSOG)
	}
	if r.Duration != "" {
		r.AvgSOG, r.Gap = roundTenth(way.AvgSOG), form.DurationText(way.Gap)
	}
	return r, true
}

// OpenTrip returns the trip that a ship is on since its last call; false when it is on none. How long it takes nobody knows yet.
func (t *Telling) OpenTrip(from *portcalls.KeptCall) (TripRecord, bool) {
	r, ok := t.tripFrom(from)
	return r, ok && !from.Found.Open()
}

// tripFrom begins the trip from a call; false when nobody knows when the ship left.
func (t *Telling) tripFrom(from *portcalls.KeptCall) (TripRecord, bool) {
	left := from.Departed()
	return TripRecord{ID: t.Number(from.ID, from.Found.Stays[0].Seen.Time()), From: TripEnd{Port: t.Port(from.Found.Port), ATD: t.Text(left)}}, !left.IsZero()
}

func roundTenth(v float64) *float64 {
	v = math.Round(v*10) / 10
	return &v
}
