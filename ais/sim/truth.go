package sim

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/ais"
)

// The kinds of Truth.
const (
	Arrival       = "arrival"        // a ship comes into the area
	Sailing       = "sailing"        // a ship leaves the area
	Anchoring     = "anchoring"      // the ship has anchored
	Weighing      = "weighing"       // the ship has its anchor up
	Berthing      = "berthing"       // the ship is made fast
	Departure     = "departure"      // the ship has let go
	PilotTransfer = "pilot_transfer" // Other, a pilot boat, was alongside from Time to Until
	Towage        = "towage"         // Other, a tug, begins to escort the ship
	Encounter     = "encounter"      // the ship and Other, both under way, were at their closest, less than 463 m (0.25 nautical miles)
	ManOverboard  = "mob"            // a beacon begins to send, with the ship that lost it as Other
	Recovery      = "recovery"       // the beacon is on board of Other
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
}

// tell reports something that happens to s now.
func (h *Harbour) tell(kind string, s, other *ship) {
	t := h.truthOf(kind, s)
	if other != nil {
		t.Other = other.mmsi
	}
	h.truth(t)
}

func (h *Harbour) truthOf(kind string, s *ship) Truth {
	p := h.water.point(s.place)
	return Truth{Time: h.clock(), Kind: kind, MMSI: s.mmsi, Lon: p.Lon, Lat: p.Lat}
}

// tellPlaces reports where the moving ships are.
func (h *Harbour) tellPlaces() {
	for _, s := range h.ships {
		if !s.silent && s.speed > 0.1 {
			h.tell(Position, s, nil)
		}
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

// watchEncounters keeps the encounters of ships under way, without the craft that work beside others.
func (h *Harbour) watchEncounters() {
	moving := h.moving[:0]
	for _, s := range h.ships {
		if !s.silent && s.speed > 1 && s.role < aircraft && s.role != pilotBoat && s.role != tugBoat && s.role != lifeboat {
			moving = append(moving, s)
		}
	}
	for i, a := range moving {
		for _, b := range moving[i+1:] {
			if d := a.place.distance(b.place); d < closeQuarters {
				h.approach(a, b, d)
			}
		}
	}
	h.moving = moving
	h.endEncounters()
}

// approach notes that a and b are metres apart.
func (h *Harbour) approach(a, b *ship, metres float64) {
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
		if h.now-e.seen > 30 && (e.a.place.distance(e.b.place) > wellClear || h.now-e.seen > 300) {
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
