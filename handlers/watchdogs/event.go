package watchdogs

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/hail"
	"quaywatch/handlers/wire"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/telling"
	"quaywatch/watch"
)

// page is a part of the events as a caller is told of them.
type page struct {
	records []record
	last    uint64 // the event up to which all is told or hidden
	more    bool   // there are others
	waits   wait
}

// wait is until when a user that is told late is told of no more events. It holds for one Viewer's key.
type wait struct {
	key   sight.Key
	until time.Time // as the user's time is; zero where only a look tells
}

// isOver reports whether it is time to look for events.
func (w *wait) isOver(v *sight.Viewer) bool { return v.Key() != w.key || !v.Now().Before(w.until) }

// atOnce is how many events are read at once.
const atOnce = 500

// page returns the events after a number that a caller is told of, at most so many.
func (s *Server) page(ctx context.Context, v *sight.Viewer, user *access.User, after uint64, most int) (p page, err error) {
	p.records, p.last = []record{}, after
	wanted := s.wantedBy(user)
	for len(p.records) < most {
		part, upTo, end, err := s.read(ctx, v, wanted, p.last)
		if err != nil {
			return p, err
		}
		full, later := false, false
		err = v.InTurns(ctx, len(part), func(i int) {
			if full = full || !later && len(p.records) == most; full || later {
				return
			}
			switch s.eventJudge().Of(v, user, &part[i]) {
			case telling.Later:
				later = true
				p.waits = wait{v.Key(), part[i].Known(s.deps.Desk.Sight.Now())}
				return
			case telling.Shown:
				p.records = append(p.records, s.eventRecord(v, &part[i], user.UID != ""))
			}
			p.last = part[i].ID
		})
		if err == nil && !full && !later {
			p.last = max(p.last, upTo)
		}
		if err != nil || full || later || end {
			p.more = full // what comes later is not told of now, not even that there is something
			return p, err
		}
	}
	p.more = true
	return p, nil
}

// latestEvents returns the last events that a caller is told of, at most so many, the earliest first.
func (s *Server) latestEvents(ctx context.Context, v *sight.Viewer, user *access.User, most int) ([]record, error) {
	found := []record{}
	wanted := s.wantedBy(user)
	for before, more := s.deps.Watch.Last()+1, true; more && len(found) < most; {
		part, first, err := s.readBefore(ctx, v, wanted, before)
		if err != nil {
			return nil, err
		}
		before, more = first, first < before
		err = v.InTurns(ctx, len(part), func(i int) {
			if len(found) < most && s.eventJudge().Of(v, user, &part[i]) == telling.Shown {
				found = append(found, s.eventRecord(v, &part[i], user.UID != ""))
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Reverse(found)
	return found, nil
}

// wantedBy picks the events that a user may know of, whatever the ships. So those of others are not read.
func (s *Server) wantedBy(user *access.User) watch.Wanted {
	judge := s.eventJudge()
	return watch.WantedBy(s.deps.Watch, func(o watch.Origin) bool { return judge.MayKnow(user, o) })
}

// readBefore reads the last events before a number, the latest first. first is the number of the first event that it looked at, before itself for none.
func (s *Server) readBefore(ctx context.Context, v *sight.Viewer, wanted watch.Wanted, before uint64) (part []watch.Event, first uint64, err error) {
	first = before
	err = v.Read(ctx, func() error {
		count := 0
		for e, err := range wanted.Before(s.deps.Watch, before) {
			if e.ID == 0 {
				return err
			}
			if first = e.ID; err == nil { // one that is damaged is passed over
				part = append(part, e)
			}
			if count++; count == atOnce {
				break
			}
		}
		return nil
	})
	return part, first, err
}

// read reads the next events that are wanted, up to the event upTo; end reports that there are no others.
func (s *Server) read(ctx context.Context, v *sight.Viewer, wanted watch.Wanted, after uint64) (part []watch.Event, upTo uint64, end bool, err error) {
	if upTo, end = s.deps.Watch.Last(), true; after >= upTo {
		return nil, upTo, true, nil
	}
	err = v.Read(ctx, func() error {
		for e, err := range wanted.After(s.deps.Watch, after) {
			if e.ID == 0 {
				return err
			}
			if err == nil { // one that is damaged is passed over
				part = append(part, e)
			}
			if len(part) == atOnce {
				upTo, end = e.ID, false
				break
			}
		}
		return nil
	})
	return part, upTo, end, err
}

// record is an event as it is written.
type record struct {
	ID           uint64               `json:"id,omitempty"`            // not of a dry run
	Definition   uint64               `json:"definition_id,omitempty"` // the same
	Watchdog     string               `json:"watchdog"`
	Type         string               `json:"type"`
	Event        string               `json:"event"`
	State        string               `json:"state"`
	Severity     string               `json:"severity"`
	Time         string               `json:"time"`
	Initial      bool                 `json:"initial"`
	Direction    string               `json:"direction,omitempty"`
	Reason       string               `json:"reason,omitempty"`
	Ship         *shipRecord          `json:"ship,omitempty"`
	Position     json.RawMessage      `json:"position,omitempty"`
	Port         *portRecord          `json:"port,omitempty"`
	Feed         *watch.FeedOfEvent   `json:"feed,omitempty"`
	Notice       *watch.NoticeOfEvent `json:"notice,omitempty"`
	Pause        *pauseRecord         `json:"pause,omitempty"`
	Other        *shipRecord          `json:"other,omitempty"`
	OtherAt      json.RawMessage      `json:"other_position,omitempty"`
	CPA          *float64             `json:"cpa,omitempty"`  // metres
	TCPA         *int                 `json:"tcpa,omitempty"` // seconds
	Deactivated  string               `json:"deactivated,omitempty"`
	Evicted      bool                 `json:"evicted,omitempty"`
	Acknowledged *acknowledged        `json:"acknowledged,omitempty"`
	Muted        string               `json:"muted_until,omitempty"`
	Message      string               `json:"message"`
	MadeBy       string               `json:"made_by,omitempty"` // of one that a user made
	Notices      []noticeRecord       `json:"notices,omitempty"`

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

// eventRecord returns an event as a viewer is told of it, with its notices. A caller without a name is told neither these nor which user acknowledged it.
func (s *Server) eventRecord(v *sight.Viewer, e *watch.Event, named bool) record {
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
func (s *Server) keptRecord(v *sight.Viewer, e *watch.Event, named bool) record {
	event := *e
	event.Muted = watch.MutedUntil(s.deps.Watch, e, s.deps.Desk.Sight.Now().UnixMilli())
	return recordOf(v, &event, named)
}

// Record returns an event as other programs get it that a viewer tells.
func Record(v *sight.Viewer, e *watch.Event) any { return recordOf(v, e, false) }

func shipRecordOf(t *watch.ShipOfEvent) *shipRecord {
	return &shipRecord{t.MMSI, t.IMO, t.Name, t.CallSign, t.Draught, ais.ShipType(t.TypeCode).String(), t.Destination}
}

// recordOf returns an event as a viewer is told of it. A caller without a name is not told which user acknowledged it.
func recordOf(v *sight.Viewer, e *watch.Event, named bool) record {
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
