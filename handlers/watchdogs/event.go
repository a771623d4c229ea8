package watchdogs

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/handlers/wire"
	"quaywatch/notify/hail"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/sight/telling"
)

// page is a part of the events as a caller is told of them.
type page struct {
	telling.Progress
	records []record
}

// page returns the events after a number that a caller is told of, at most so many.
func (s *Server) page(ctx context.Context, l *telling.Listener, after uint64, most int) (p page, err error) {
	p.records = []record{}
	p.Progress, err = s.deps.Events.After(ctx, l, after, most, func(e *watchdogs.Event) { p.records = append(p.records, s.eventRecord(l, e)) })
	return p, err
}

// latestEvents returns the last events that a caller is told of, at most so many, the earliest first.
func (s *Server) latestEvents(ctx context.Context, l *telling.Listener, most int) ([]record, error) {
	found := []record{}
	err := s.deps.Events.Latest(ctx, l, most, func(e *watchdogs.Event) { found = append(found, s.eventRecord(l, e)) })
	slices.Reverse(found)
	return found, err
}

// record is an event as it is written.
type record struct {
	ID           uint64                   `json:"id,omitempty"`            // not of a dry run
	Definition   uint64                   `json:"definition_id,omitempty"` // the same
	Watchdog     string                   `json:"watchdog"`
	Type         string                   `json:"type"`
	Event        string                   `json:"event"`
	State        string                   `json:"state"`
	Severity     string                   `json:"severity"`
	Time         string                   `json:"time"`
	Initial      bool                     `json:"initial"`
	Direction    string                   `json:"direction,omitempty"`
	Reason       string                   `json:"reason,omitempty"`
	Ship         *shipRecord              `json:"ship,omitempty"`
	Position     json.RawMessage          `json:"position,omitempty"`
	Port         *portRecord              `json:"port,omitempty"`
	Feed         *watchdogs.FeedOfEvent   `json:"feed,omitempty"`
	Notice       *watchdogs.NoticeOfEvent `json:"notice,omitempty"`
	Pause        *pauseRecord             `json:"pause,omitempty"`
	Other        *shipRecord              `json:"other,omitempty"`
	OtherAt      json.RawMessage          `json:"other_position,omitempty"`
	CPA          *float64                 `json:"cpa,omitempty"`  // metres
	TCPA         *int                     `json:"tcpa,omitempty"` // seconds
	Deactivated  string                   `json:"deactivated,omitempty"`
	Evicted      bool                     `json:"evicted,omitempty"`
	Acknowledged *acknowledged            `json:"acknowledged,omitempty"`
	Muted        string                   `json:"muted_until,omitempty"`
	Message      string                   `json:"message"`
	MadeBy       string                   `json:"made_by,omitempty"` // of one that a user made
	Notices      []noticeRecord           `json:"notices,omitempty"`

	ShipNotification string `json:"ship_notification,omitempty"`
}

type shipRecord struct {
	MMSI        ais.MMSI `json:"mmsi"`
	IMO         uint32   `json:"imo,omitempty"`
	Name        string   `json:"name,omitempty"`
	CallSign    string   `json:"callsign,omitempty"`
	Draught     float64  `json:"draught,omitempty"`
	Type        string   `json:"type,omitempty"`
	Destination string   `json:"destination,omitempty"`
}

type portRecord struct {
	ID     uint64 `json:"id"`
	LOCODE string `json:"locode,omitempty"`
	Name   string `json:"name"`
}

// pauseRecord is what an event says of the pause of its watchdog.
type pauseRecord struct {
	Until string `json:"until,omitempty"`
	Held  uint64 `json:"held,omitempty"`
}

// noticeRecord is what became of a notice of an event.
type noticeRecord struct {
	Channel string `json:"channel"`
	To      string `json:"to,omitempty"`
	State   string `json:"state"`
	Time    string `json:"time"`
	Error   string `json:"error,omitempty"`
}

type acknowledged struct {
	User string `json:"user,omitempty"`
	Time string `json:"time"`
}

func timeText(at time.Time) string { return wire.TimeText(at.UnixMilli()) }

// farFuture is when all is known.
var farFuture = time.Unix(1<<40, 0)

// eventRecord returns an event as a listener is told of it, with its notices. A user without a name is told neither these nor which user acknowledged it.
func (s *Server) eventRecord(l *telling.Listener, e *watchdogs.Event) record {
	v, named := l.Viewer, l.User.UID != ""
	r := s.keptRecord(v, e, named)
	if !named {
		return r
	}
	notices, until := s.deps.Notices.Of(e.ID), farFuture
	if v.Late() {
		until = v.Now()
	}
	r.ShipNotification = hail.State(s.deps.Safety, notices, e.ID, until)
	for _, n := range notices {
		if !v.Late() || !n.Time.After(v.Now()) {
			r.Notices = append(r.Notices, noticeRecord{n.Channel, n.To, string(n.State), timeText(n.Time), n.Error})
		}
	}
	return r
}

// keptRecord is recordOf of an event that is stored. It shows the mute of the ship, though that came with another event.
func (s *Server) keptRecord(v *sight.Viewer, e *watchdogs.Event, named bool) record {
	event := *e
	event.Muted = watchdogs.MutedUntil(s.deps.Watch, e, s.deps.Desk.Sight.Now().UnixMilli())
	return recordOf(v, &event, named)
}

// Record returns an event as other programs get it that a viewer tells.
func Record(v *sight.Viewer, e *watchdogs.Event) any { return recordOf(v, e, false) }

func shipRecordOf(t *watchdogs.ShipOfEvent) *shipRecord {
	return &shipRecord{t.MMSI, t.IMO, t.Name, t.CallSign, t.Draught, ais.ShipType(t.TypeCode).String(), t.Destination}
}

// recordOf returns an event as a viewer is told of it. A caller without a name is not told which user acknowledged it.
func recordOf(v *sight.Viewer, e *watchdogs.Event, named bool) record {
	r := record{ID: e.ID, Definition: e.Watchdog, Watchdog: e.Name, Type: string(e.Type), Event: string(e.Kind), State: "inactive", Severity: e.Severity,
		Time: timeText(e.At()), Initial: e.Initial, Direction: e.Direction, Reason: string(e.Reason), Message: e.Sentence(),
		Feed: e.Feed, Notice: e.Notice}
	if e.Ship.MMSI != 0 {
		r.Ship = shipRecordOf(&e.Ship)
	}
	ended := time.UnixMilli(e.Deactivated)
	if told := e.Deactivated != 0 && !(v.Late() && ended.After(v.Now())); told {
		r.Deactivated, r.Evicted = timeText(ended), e.Evicted
	} else if e.Active && e.Kind != watchdog.Cross {
		r.State = "active"
	}
	if e.Fix != nil {
		r.Position = wire.Extended(*e.Fix)
	}
	if p := e.Pause; p != nil {
		if r.Pause = (&pauseRecord{Held: p.Held}); p.Until != 0 {
			r.Pause.Until = timeText(time.UnixMilli(p.Until))
		}
	}
	if m := e.Manual; m != nil {
		r.manual(m, e, named)
	}
	if o := e.Other; o != nil {
		r.Other = shipRecordOf(&o.ShipOfEvent)
		if o.Fix != nil {
			r.OtherAt = wire.Extended(*o.Fix)
		}
		if metres := math.Round(e.CPA); e.Type == watchdog.CPA {
			r.CPA, r.TCPA = &metres, &e.TCPA
		}
	}
	if p := e.Port; p != nil {
		r.Port = &portRecord{p.ID, p.LOCODE, p.Name}
	}
	if e.Muted != 0 {
		r.Muted = timeText(time.UnixMilli(e.Muted))
	}
	if e.Acknowledged != 0 {
		r.Acknowledged = &acknowledged{Time: timeText(time.UnixMilli(e.Acknowledged))}
		if named {
			r.Acknowledged.User = e.By
		}
	}
	return r
}
