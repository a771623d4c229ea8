package watch

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// Event is something that a watchdog raised, as it is stored. Times are in Unix milliseconds.
type Event struct {
	ID        uint64 `json:"-"`
	Committed int64  `json:"-"` // the time under which it is stored; it never runs backward

	Watchdog  uint64          `json:"watchdog"`
	Name      string          `json:"name"` // of the watchdog, then
	Owner     string          `json:"owner,omitempty"`
	Type      watchdog.Type   `json:"type"`
	Severity  string          `json:"severity"`
	Kind      watchdog.Kind   `json:"kind"`
	Reason    watchdog.Reason `json:"reason,omitempty"`
	Direction string          `json:"direction,omitempty"`
	Initial   bool            `json:"initial,omitempty"`
	Active    bool            `json:"active,omitempty"` // it was when it was raised
	Time      int64           `json:"time"`
	Port      *PortOfEvent    `json:"port,omitempty"`
	Ship      ShipOfEvent     `json:"ship"`
	Fix       *ship.Fix       `json:"fix,omitempty"`   // where the ship was; nil where that is not known
	Feeds     []string        `json:"feeds,omitempty"` // that heard the ship then

	Deactivated  int64  `json:"deactivated,omitempty"`  // when what it began was over
	Acknowledged int64  `json:"acknowledged,omitempty"` // when a user acknowledged it
	By           string `json:"by,omitempty"`           // the name of that user
	Muted        int64  `json:"muted,omitempty"`        // until when the watchdog tells nothing more of the ship
}

// PortOfEvent is the port of an event.
type PortOfEvent struct {
	ID     uint64 `json:"id"`
	LOCODE string `json:"locode,omitempty"`
	Name   string `json:"name"`
}

// ShipOfEvent is the ship as it was known then.
type ShipOfEvent struct {
	MMSI        ais.MMSI `json:"mmsi"`
	IMO         uint32   `json:"imo,omitempty"`
	Name        string   `json:"name,omitempty"`
	CallSign    string   `json:"callsign,omitempty"`
	TypeCode    uint8    `json:"type,omitempty"`
	Draught     float64  `json:"draught,omitempty"` // metres
	Destination string   `json:"destination,omitempty"`
}

// At gives the time of the event.
func (e *Event) At() time.Time { return time.UnixMilli(e.Time).UTC() }

// eventOf makes the event of a watchdog.
func eventOf(d *dog, e *watchdog.Event, s *ship.State) Event {
	one := Event{Watchdog: d.id, Name: d.of.Name, Owner: d.of.Owner, Type: d.of.Watchdog.Type, Severity: d.of.Watchdog.Severity, Kind: e.Kind,
		Reason: e.Reason, Direction: e.Direction, Initial: e.Initial, Active: e.Active, Time: e.At, Ship: shipOf(s), Feeds: s.Feeds.List()}
	if p := d.port; p != nil {
		one.Port = &PortOfEvent{p.ID, p.LOCODE, p.Name}
	}
	if e.Fix.At != 0 {
		fix := e.Fix
		fix.Feeds = 0 // a number of the open store
		one.Fix = &fix
	}
	return one
}

func shipOf(s *ship.State) ShipOfEvent {
	one := ShipOfEvent{MMSI: s.MMSI}
	if t := s.Static; t != nil {
		one.IMO, one.Name, one.CallSign, one.TypeCode = uint32(t.IMO), t.Name, t.CallSign, uint8(t.Type)
	}
	if v := s.Voyage; v != nil {
		one.Draught, one.Destination = v.Metres(), v.Destination
	}
	return one
}
