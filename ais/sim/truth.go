package sim

import (
	"cmp"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// The kinds of Truth.
const (
	Arrival       = "arrival"        // a ship comes into the area
	Sailing       = "sailing"        // a ship leaves the area
	Anchoring     = "anchoring"      // the ship has anchored
	Weighing      = "weighing"       // the ship has its anchor up
	Berthing      = "berthing"       // the ship is made fast: its first line is ashore
	Departure     = "departure"      // the ship has let go: it is unmoored
	PilotTransfer = "pilot_transfer" // Other, a pilot boat, was alongside from Time to Until
	Towage        = "towage"         // Other, a tug, begins to escort the ship
	Encounter     = "encounter"      // the ship and Other, both under way, were at their closest, less than 463 m (0.25 nautical miles)
	ManOverboard  = "mob"            // a beacon begins to send, with the ship that lost it as Other
	Recovery      = "recovery"       // the beacon is on board of Other
	TooDeep       = "too_deep"       // the ship went through a passage with more draught than its limit, as its crew typed: one of StaleDraughts
	Position      = "position"       // the place of a moving ship, once a minute; a straight line between two of them may cut a headland
)

// Truth is one thing that happened in the harbour, as one line of JSON.
type Truth struct {
	Time     time.Time  `json:"time"`
	Kind     string     `json:"kind"`
	MMSI     ais.MMSI   `json:"mmsi"`
	Other    ais.MMSI   `json:"other,omitempty"`
	Lon      float64    `json:"lon"`
	Lat      float64    `json:"lat"`
	Distance float64    `json:"distance,omitempty"` // metres
	Until    *time.Time `json:"until,omitempty"`
	Port     string     `json:"port,omitempty"`    // of arrivals to departures and of transfers of pilots: LOCODE, or the name of a port that has none
	Berth    string     `json:"berth,omitempty"`   // of a berthing or departure
	Draught  float64    `json:"draught,omitempty"` // metres, where there is a port: the true one, which the crew may not have entered yet
	Passage  string     `json:"passage,omitempty"` // of too_deep
	Typed    float64    `json:"typed,omitempty"`   // metres of draught, as the crew typed
	Limit    float64    `json:"limit,omitempty"`   // metres of draught, of the passage
	Since    *time.Time `json:"since,omitempty"`   // of a departure or weighing: when the ship was made fast or had anchored
	Shift    bool       `json:"shift,omitempty"`   // of a berthing: the ship has not left the port since it last let go there
}

// tellEvent reports something that happens to s now.
func (h *Harbour) tellEvent(kind string, s, other *ship) {
	t := h.truthOf(kind, s)
	if other != nil {
		t.Other = other.mmsi
	}
	h.truth(t)
}

// tellPort reports something that happens to s now in the surroundings of its harbour.
func (h *Harbour) tellPort(kind string, s *ship) {
	t := h.truthOf(kind, s)
	t.Port, t.Draught = s.in.home.ref(), metresOf(s.loaded)
	switch kind {
	case Anchoring:
		s.stay.since = h.now
	case Weighing:
		t.Since = h.staySince(s)
	case Sailing:
		s.stay.left = true
	}
	h.truth(t)
}

// tellBerth reports that s is made fast at a berth now, or lets go of it.
func (h *Harbour) tellBerth(kind string, s *ship, b *berth) {
	t := h.truthOf(kind, s)
	t.Port, t.Berth, t.Draught = b.port.ref(), b.name, metresOf(s.loaded)
	switch kind {
	case Berthing:
		t.Shift = s.stay.from == b.port && !s.stay.left
		s.stay = stay{since: h.now}
	case Departure:
		t.Since = h.staySince(s)
		s.stay = stay{from: b.port}
	}
	h.truth(t)
}

// staySince returns when a ship was made fast, or had anchored.
func (h *Harbour) staySince(s *ship) *time.Time {
	t := h.start.Add(time.Duration(s.stay.since) * time.Second)
	return &t
}

func metresOf(d ais.Decimetres) float64 { return float64(d) / 10 }

func (h *Harbour) truthOf(kind string, s *ship) Truth {
	p := s.geoPoint()
	return Truth{Time: h.clockTime(), Kind: kind, MMSI: s.mmsi, Lon: p.Lon, Lat: p.Lat}
}

// tellPlaces reports where the moving ships are.
func (h *Harbour) tellPlaces() {
	for _, s := range h.ships {
		if !s.silent && s.speed > 0.1 {
			h.tellEvent(Position, s, nil)
			s.stay.noteLeaving(s)
			h.watchNarrows(s)
		}
	}
}

// noteLeaving notes that a ship has left the port of its last berth.
func (t *stay) noteLeaving(s *ship) {
	if t.from != nil && !t.left {
		t.left = s.in != t.from.area || t.from.isBeyond(s.place, farOut)
	}
}

const (
	closeQuarters = 463.0 // metres: 0.25 nautical miles
	wellClear     = 926.0 // metres: an encounter has ended
)

// encounter is two ships near each other, with the closest moment so far.
type encounter struct {
	a, b    *ship
	closest Truth
	seen    int64
}

type pair struct{ a, b ais.MMSI }

// mover is a ship under way, and where it is.
type mover struct {
	ship *ship
	at   geo.Point
}

// closeLatitude is a little more than closeQuarters in degrees of latitude.
const closeLatitude = 0.0045

// watchEncounters keeps the encounters of ships under way, without the craft that work beside others.
func (h *Harbour) watchEncounters() {
	moving := h.moving[:0]
	for _, s := range h.ships {
		if !s.silent && s.speed > 1 && s.role < aircraft && s.role != pilotBoat && s.role != tugBoat && s.role != lifeboat {
			moving = append(moving, mover{s, s.geoPoint()})
		}
	}
	for i, a := range moving {
		for _, b := range moving[i+1:] {
			if math.Abs(a.at.Lat-b.at.Lat) > closeLatitude {
				continue
			}
			if d := a.ship.distanceTo(b.ship); d < closeQuarters {
				h.noteApproach(a.ship, b.ship, d)
			}
		}
	}
	h.moving = moving
	h.endEncounters()
}

// noteApproach notes that a and b are metres apart.
func (h *Harbour) noteApproach(a, b *ship, metres float64) {
	key := pair{a.mmsi, b.mmsi}
	e := h.encounters[key]
	if e == nil {
		e = &encounter{a: a, b: b}
		e.closest.Distance = wellClear
		h.encounters[key] = e
	}
	e.seen = h.now
	if metres < e.closest.Distance {
		e.closest = h.truthOf(Encounter, a)
		e.closest.Other, e.closest.Distance = b.mmsi, metres
	}
}

// endEncounters reports the encounters that are over: the ships are well clear, or are no longer both under way.
func (h *Harbour) endEncounters() {
	var over []*encounter
	for key, e := range h.encounters {
		if h.now-e.seen > 30 && (e.a.distanceTo(e.b) > wellClear || h.now-e.seen > 300) {
			over = append(over, e)
			delete(h.encounters, key)
		}
	}
	slices.SortFunc(over, func(x, y *encounter) int {
		return cmp.Or(x.closest.Time.Compare(y.closest.Time), cmp.Compare(x.a.mmsi, y.a.mmsi), cmp.Compare(x.b.mmsi, y.b.mmsi))
	})
	for _, e := range over {
		h.truth(e.closest)
	}
}
