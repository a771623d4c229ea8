package watchdogs

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// Event is something that a watchdog raised, as it is stored. Times are in Unix milliseconds.
type Event struct {
	ID        uint64 `json:"-"`
	Committed int64  `json:"-"` // the time under which it is stored; it never runs backward

	Watchdog  uint64             `json:"watchdog"`
	Name      string             `json:"name"` // of the watchdog, then
	Owner     string             `json:"owner,omitempty"`
	Type      watchdog.Type      `json:"type"`
	Severity  string             `json:"severity"`
	Kind      watchdog.Kind      `json:"kind"`
	Reason    watchdog.CableRisk `json:"reason,omitempty"`
	Direction string             `json:"direction,omitempty"`
	Initial   bool               `json:"initial,omitempty"`
	Active    bool               `json:"active,omitempty"`    // it was when it was raised
	Activated bool               `json:"activated,omitempty"` // it began something: what an activation sends is sent
	Time      int64              `json:"time"`
	Port      *PortOfEvent       `json:"port,omitempty"`
	Ship      ShipOfEvent        `json:"ship"`
	Fix       *ship.Fix          `json:"fix,omitempty"`   // where the ship was; nil where that is not known
	Feeds     []string           `json:"feeds,omitempty"` // that heard the ship then

	Manual *ManualEvent   `json:"manual,omitempty"` // what a user says of an event that the user made
	About  string         `json:"about,omitempty"`  // what an event without a ship is about
	Feed   *FeedOfEvent   `json:"feed,omitempty"`
	Notice *NoticeOfEvent `json:"notice,omitempty"`
	Other  *OtherShip     `json:"other,omitempty"` // the second ship of a pair
	CPA    float64        `json:"cpa,omitempty"`   // metres between the two at their closest
	TCPA   int            `json:"tcpa,omitempty"`  // seconds until then
	Pause  *PauseOfEvent  `json:"pause,omitempty"` // of the watchdog itself

	Deactivated  int64  `json:"deactivated,omitempty"`  // when what it began was over
	Evicted      bool   `json:"evicted,omitempty"`      // it was forgotten then, for want of room
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

// OtherShip is the second ship of a pair, where it was and which feeds heard it then.
type OtherShip struct {
	ShipOfEvent
	Fix   *ship.Fix `json:"fix"`
	Feeds []string  `json:"feeds,omitempty"`
}

// Called returns the name of the ship, or else its number.
func (s *ShipOfEvent) Called() string { return cmp.Or(s.Name, strconv.FormatInt(int64(s.MMSI), 10)) }

// At returns the time of the event.
func (e *Event) At() time.Time { return time.UnixMilli(e.Time).UTC() }

// Known returns since when the event is known. Committed is later than now where the clock was ahead for a while; then it is the time of the event.
func (e *Event) Known(now time.Time) time.Time {
	if committed := time.UnixMilli(e.Committed); !committed.After(now) {
		return committed
	}
	return e.At()
}

// eventOf makes the event of a watchdog.
func eventOf(d *dog, e *watchdog.Occurrence, s *ship.State) Event {
	event := Event{Watchdog: d.id, Name: d.of.Name, Owner: d.of.Owner, Type: d.of.Watchdog.Type, Severity: d.of.Watchdog.Severity, Kind: e.Kind,
		Reason: e.Reason, Direction: e.Direction, Initial: e.Initial, Active: e.Active, Activated: e.Activated, Time: e.At, Ship: ShipOf(s), Feeds: s.Feeds.List()}
	if p := d.port; p != nil {
		event.Port = &PortOfEvent{p.ID, p.LOCODE, p.Name}
	}
	if e.Fix.At != 0 {
		fix := e.Fix
		fix.Feeds = 0 // a number of the open store
		event.Fix = &fix
	}
	return event
}

// ShipOf returns a ship as an event tells it.
func ShipOf(s *ship.State) ShipOfEvent {
	shipOfEvent := ShipOfEvent{MMSI: s.MMSI}
	if t := s.Static; t != nil {
		shipOfEvent.IMO, shipOfEvent.Name, shipOfEvent.CallSign, shipOfEvent.TypeCode = uint32(t.IMO), t.Name, t.CallSign, uint8(t.Type)
	}
	if v := s.Voyage; v != nil {
		shipOfEvent.Draught, shipOfEvent.Destination = v.Metres(), v.Destination
	}
	return shipOfEvent
}

// Sentence says what happened.
func (e *Event) Sentence() string {
	of, place := e.Ship.Called(), e.Name
	if e.Port != nil {
		place = e.Port.Name
	}
	if text := kindSentence(e, of, place); text != "" {
		return text
	}
	switch e.Kind {
	case watchdog.Enter:
		if e.Initial {
			return of + " is in " + place
		}
		return of + " entered " + place
	case watchdog.Leave:
		return of + " left " + place
	case watchdog.Cross:
		return of + " crossed " + place + " to " + e.Direction
	case watchdog.Moored:
		return of + " moored at " + place
	case watchdog.Unmoored:
		return of + " unmoored at " + place
	case watchdog.FeedSilent:
		return fmt.Sprintf("%s has heard nothing for %d min", e.Feed.Name, e.Feed.Silence/60)
	case watchdog.FeedFew:
		return fmt.Sprintf("%s hears %d ships; at this hour it usually hears %d", e.Feed.Name, e.Feed.Ships, e.Feed.Usual)
	case watchdog.Told:
		return e.Notice.Text
	case watchdog.Manual:
		return e.Manual.Text
	case watchdog.Paused, watchdog.More:
		return pauseSentence(e)
	case watchdog.TooClose:
		return fmt.Sprintf("%s and %s will come as near as %.0f m in %d min in %s", of, e.Other.Called(), e.CPA, (e.TCPA+30)/60, place)
	case watchdog.Risk:
		return of + " is a risk to " + place + ": " + string(e.Reason)
	}
	return of + " is silent since its last report in " + place
}
