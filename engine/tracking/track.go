// Package tracking follows ships to their destinations: how far each still has to sail, when it will arrive, and when it did. It reads no
// clock: time comes with the reports and the ticks.
//
// A TrackedShip is the specification's track: a ship that is tracked. What a ship sailed is a ship.Track.
package tracking

import (
	"encoding/json"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// Status tells how far a tracked ship is. Its numbers are those of the interface.
type Status int

// The statuses.
const (
	Pending         Status = iota // the ship has no position yet, or the source is no ship
	Calculating                   // the way is looked for
	InDeparturePort               // the ship has not left the port where it was when it was first tracked
	UnderWay
	OffRoute     // the ship left the way, and another one is looked for
	Stopped      // outside of a port for more than a quarter of an hour
	Approaching  // inside the arriving area of the destination
	Arrived      // moored in the port, or inside the destination
	Departed     // the ship left the destination after it had arrived
	PositionLost // nothing was heard for more than an hour; the ETA stands still
	NoRoute      // no way leads there, so there is no ETA
	Ended        // the service ended it: another track of the ship took its place, or its ship or port is gone
)

// String returns the word of the interface.
func (s Status) String() string {
	words := [...]string{"pending", "calculating", "in_departure_port", "under_way", "off_route", "stopped", "approaching", "arrived", "departed",
		"position_lost", "no_route", "ended"}
	if s < 0 || int(s) >= len(words) {
		return "unknown"
	}
	return words[s]
}

// sailing reports whether the ship is on its way, so that its ETA is told anew.
func (s Status) sailing() bool { return s >= UnderWay && s <= Approaching }

// isAhead reports whether the ship has still to arrive.
func (s Status) isAhead() bool { return s != Arrived && !s.Over() }

// Over reports whether the track goes on no more, but for being kept.
func (s Status) Over() bool { return s == Departed || s == Ended }

// End is the source or the destination of a track: exactly one of a ship, a port, a position and a location.
type End struct {
	Ship     ais.MMSI       `json:"ship,omitempty"`
	Port     uint64         `json:"port,omitempty"` // chart.Port.ID
	Position *geo.Point     `json:"position,omitempty"`
	Location []LocationPart `json:"location,omitempty"` // arrived, arriving, departed; the last two may be missing
	Draught  float64        `json:"draught,omitempty"`  // metres; 0 takes that of the ship
}

// LocationPart is an element of a location: a position, or an area.
type LocationPart struct {
	Position *geo.Point    `json:"position,omitempty"`
	Area     [][]geo.Point `json:"area,omitempty"` // a geo.Polygon
}

// Waypoint is a place that the way passes.
type Waypoint struct {
	Position geo.Point       `json:"position"`
	ETA      portcall.Millis `json:"eta,omitempty"`     // 0 when it is not known, and when the ship passed it
	ATA      portcall.Millis `json:"ata,omitempty"`     // when the ship passed it
	Skipped  bool            `json:"skipped,omitempty"` // the ship left it out

	unsaved bool // the ATA is not stored yet
}

// Basis tells what an ETA rests on.
type Basis string

// The bases of an ETA.
const (
	RouteSpeed Basis = "route_speed" // the way ahead by the speed of the ship
	History    Basis = "history"     // also what ships of the type took for the last miles into this port
)

// Estimate is when the ship will arrive, as it was thought at a time.
type Estimate struct {
	At       portcall.Millis `json:"at"` // of the positions that it rests on
	ETA      portcall.Millis `json:"eta,omitempty"`
	Low      portcall.Millis `json:"low,omitempty"`   // of ten ships one comes before it
	High     portcall.Millis `json:"high,omitempty"`  // of ten ships one comes after it
	After    int             `json:"after,omitempty"` // seconds to the arrival from when a ship sails on that lies still now; it has no ETA. 0 for all others
	Plain    int             `json:"plain,omitempty"` // seconds to the ETA, before what earlier arrivals missed was put to it
	Basis    Basis           `json:"basis,omitempty"`
	Status   Status          `json:"status"`
	Distance float64         `json:"distance,omitempty"` // metres of the way ahead
	Parts    bool            `json:"parts,omitempty"`    // the interval covers another way too
	Doubts   []Doubt         `json:"doubts,omitempty"`   // passages ahead that the ship may not fit through, as they were then
}

// saysSame reports whether two estimates say the same. The doubts change with what they come from.
func (e *Estimate) saysSame(o *Estimate) bool {
	return e.At == o.At && e.Status == o.Status && e.ETA == o.ETA && e.Low == o.Low && e.High == o.High && e.After == o.After && e.Distance == o.Distance && e.Basis == o.Basis &&
		e.Parts == o.Parts
}

// plainTime returns the time to the ETA before what earlier arrivals missed was put to it. An estimate of an older build does not know it.
func (e *Estimate) plainTime() time.Duration {
	if e.Plain == 0 {
		return e.ETA.Since(e.At)
	}
	return time.Duration(e.Plain) * time.Second
}

// PortVisit is what a track knows of the departure port or the destination.
type PortVisit struct {
	Port uint64          `json:"port,omitempty"` // 0 for a destination that is no port
	Seen portcall.Millis `json:"seen,omitempty"` // when the call began that tells it; 0 for none
	ATA  portcall.Millis `json:"ata,omitempty"`
	ATD  portcall.Millis `json:"atd,omitempty"`
}

// TrackedShip is a ship that is tracked to its destination.
type TrackedShip struct {
	ID          int64            `json:"-"`
	Owner       string           `json:"owner"` // uid of a user
	Source      End              `json:"source"`
	Destination End              `json:"destination"`
	Waypoints   []Waypoint       `json:"waypoints,omitempty"`
	ERP         json.RawMessage  `json:"erp,omitempty"`      // as it was given
	Plans       []portcalls.Time `json:"plans,omitempty"`    // what the ERP information said of the arrival and the departure, and when
	Requests    []Requested      `json:"requests,omitempty"` // what the port asked the ship for, as it was entered
	Call        int64            `json:"call,omitempty"`     // in which it arrived at its destination; 0 before, and for no port
	Created     portcall.Millis  `json:"created"`
	Updated     portcall.Millis  `json:"updated"` // by a user

	Status   Status          `json:"status"`
	Latest   Estimate        `json:"latest"`
	Stale    bool            `json:"stale,omitempty"`  // the ETA stands still, because nothing is heard
	Length   float64         `json:"length,omitempty"` // metres of the whole way when it began, or was given other waypoints
	Visits   [2]PortVisit    `json:"visits"`           // departure and destination
	History  []Estimate      `json:"history,omitempty"`
	Sailing  sailing         `json:"sailing"`
	Before   float64         `json:"before,omitempty"`   // knots of the trip before; 0 when it is not known
	Finished portcall.Millis `json:"finished,omitempty"` // when it departed or ended; 0 before

	Heard  portcall.Millis `json:"heard,omitempty"`   // the latest position that was taken
	Slow   portcall.Millis `json:"slow,omitempty"`    // since when the ship makes no way; 0 while it does
	InPort bool            `json:"in_port,omitempty"` // the ship lies in the departure port

	Choices []Choice        `json:"choices,omitempty"` // what it does at passages that it may not fit through
	Wrong   portcall.Millis `json:"wrong,omitempty"`   // up to when the estimates are of a way that it did not sail; 0 for none

	// What follows is found anew after a start.
	Doubts  []Doubt `json:"-"` // passages ahead that the ship may not fit through
	parting *parting
	goal    goal
	way     *way            // ahead; nil until it was found
	left    *geo.Point      // the position of the departure port; nil when it is not known
	profile *profile        // nil for none
	fix     ship.Fix        // the latest
	behind  float64         // metres of the way
	near    bool            // the ship is in the arriving area
	off     int             // positions beside the way, one after the other
	away    bool            // the ship left the way, and sails away from its next waypoint
	tried   portcall.Millis // when a way was last looked for
	kind    int             // group of the ship's type
	draught float64         // metres, as the crew typed it; 0 when it is not known
	length  float64         // metres, 0 when it is not known
	beam    float64         // the same
	usual   float64         // knots that ships of its type make
	change  uint64          // of Tracks.change
	quarter *Quarter        // nil before the way was found
	lay     bool            // in the departure port, as it was known a quarter before the track was made
	changed bool            // it is to be stored
	unsaved bool            // the times at a destination that is no port are not stored yet
	stored  PortVisit       // at the destination
}

// Route returns the way from where it was last looked for, nil when there is none. It must not be changed.
func (t *TrackedShip) Route() []geo.Point {
	if t.way == nil {
		return nil
	}
	return t.way.points
}

// clone returns a copy that a reader may keep.
func (t *TrackedShip) clone() TrackedShip {
	c := *t
	c.Waypoints = slices.Clone(t.Waypoints)
	c.History = slices.Clip(t.History)
	return c
}

// toldCopy returns the copy that readers get. A time of arrival or departure is told when it is stored: after a kill it would be found anew, at another position.
func (t *TrackedShip) toldCopy() TrackedShip {
	c := t.clone()
	for i := range c.Waypoints {
		if w := &c.Waypoints[i]; w.unsaved {
			w.ATA = 0
		}
	}
	if t.unsaved {
		c.Visits[1].ATA, c.Visits[1].ATD = t.stored.ATA, t.stored.ATD
	}
	return c
}

// markStored notes that what a copy has is stored.
func (t *TrackedShip) markStored(copied *TrackedShip) {
	for i := range t.Waypoints {
		if w := &t.Waypoints[i]; i < len(copied.Waypoints) && w.ATA == copied.Waypoints[i].ATA {
			w.unsaved = false
		}
	}
	t.stored = copied.Visits[1]
	t.unsaved = t.unsaved && t.stored != t.Visits[1]
}

// mostHistory bounds the history of a track. Beyond it every other of the older half goes.
const mostHistory = 500

// addToHistory appends the latest estimate to the history.
func (t *TrackedShip) addToHistory() {
	if len(t.History) >= mostHistory {
		kept := make([]Estimate, 0, mostHistory)
		for i := range t.History {
			if i >= mostHistory/2 || i%2 == 0 {
				kept = append(kept, t.History[i])
			}
		}
		t.History = kept
	}
	t.History = append(t.History, t.Latest)
}
