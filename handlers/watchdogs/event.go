package watchdogs

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/handlers/wire"
	"quaywatch/library"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/watch"
)

// verdict is what a caller is told of an event.
type verdict uint8

// The verdicts.
const (
	hidden verdict = iota
	shown
	later // the caller may be told of it in a while
)

// longestLater is how much later than by its delay a caller may be told, because its positions come seldom. After it a ship that is heard no more
// holds up no other events.
const longestLater = time.Hour

// tell decides what a caller is told of an event.
func (s *Server) tell(v *sight.Viewer, who *access.User, e *watch.Event) verdict {
	if !s.mayUse(who, e) || e.Type == watchdog.Port && !(who.May(right.ViewPort) && who.May(right.ViewATAATD)) {
		return hidden
	}
	committed := time.UnixMilli(e.Committed)
	if committed.After(s.deps.Desk.Sight.Now()) { // the clock was wrong for a while, and these times do not run backward
		committed = e.At()
	}
	if v.Late() && committed.After(v.Now()) {
		return later
	}
	if v.Everything() && !v.Late() {
		return shown
	}
	now, err := v.Ship(e.Ship.MMSI)
	if err != nil {
		return hidden
	}
	if until, late := v.ToldUntil(&now); late && e.At().After(until) {
		if v.Now().Sub(committed) < longestLater {
			return later
		}
		return hidden
	}
	seen := sight.Sighting{MMSI: e.Ship.MMSI, Time: e.At(), Feeds: e.Feeds}
	if e.Fix == nil {
		return hidden // a filter may ask for the place
	}
	if seen.Place = e.Fix.Point(); !v.May(seen) {
		return hidden
	}
	return shown
}

// mayUse tells whether a caller may use the watchdog of an event. One that was deleted is that of its owner.
func (s *Server) mayUse(who *access.User, e *watch.Event) bool {
	const admin = right.AdminWatchdogDefinitions
	r, ok := s.deps.Library.Get(library.Watchdogs, strconv.FormatUint(e.Watchdog, 10))
	if !ok || r.ID != e.Watchdog {
		return who.MayUse(form.Owned{Owner: e.Owner}, admin)
	}
	return who.MayUse(r.Owned, admin)
}

// page is a part of the events as a caller is told of them.
type page struct {
	records []record
	last    uint64 // the event up to which all is told or hidden
	more    bool   // there are others
}

// atOnce is how many events are read at once.
const atOnce = 500

// page gives the events after a number that a caller is told of, at most so many.
func (s *Server) page(ctx context.Context, v *sight.Viewer, user *access.User, after uint64, most int) (p page, err error) {
	p.records, p.last = []record{}, after
	for len(p.records) < most {
		part, end, err := s.read(ctx, v, p.last)
		if err != nil {
			return p, err
		}
		stopped := false
		err = v.InTurns(ctx, len(part), func(i int) {
			if stopped = stopped || len(p.records) == most; stopped {
				return
			}
			switch s.tell(v, user, &part[i]) {
			case later:
				stopped = true
				return
			case shown:
				p.records = append(p.records, recordOf(v, &part[i], user.UID != ""))
			}
			p.last = part[i].ID
		})
		if err != nil || stopped || end {
			p.more = stopped
			return p, err
		}
	}
	p.more = true
	return p, nil
}

// read reads the next events; end tells that there are no others.
func (s *Server) read(ctx context.Context, v *sight.Viewer, after uint64) (part []watch.Event, end bool, err error) {
	if after >= s.deps.Watch.Last() {
		return nil, true, nil
	}
	end = true
	err = v.Read(ctx, func() error {
		for e, err := range s.deps.Watch.After(after) {
			if e.ID == 0 {
				return err
			}
			if err == nil { // one that is damaged is passed over
				part = append(part, e)
			}
			if len(part) == atOnce {
				end = false
				break
			}
		}
		return nil
	})
	return part, end, err
}

// record is an event as it is written.
type record struct {
	ID           uint64          `json:"id"`
	Definition   uint64          `json:"definition_id"`
	Watchdog     string          `json:"watchdog"`
	Type         string          `json:"type"`
	Event        string          `json:"event"`
	State        string          `json:"state"`
	Severity     string          `json:"severity"`
	Time         string          `json:"time"`
	Initial      bool            `json:"initial"`
	Direction    string          `json:"direction,omitempty"`
	Reason       string          `json:"reason,omitempty"`
	Ship         shipRecord      `json:"ship"`
	Position     json.RawMessage `json:"position,omitempty"`
	Port         *portRecord     `json:"port,omitempty"`
	Deactivated  string          `json:"deactivated,omitempty"`
	Acknowledged *acknowledged   `json:"acknowledged,omitempty"`
	Muted        string          `json:"muted_until,omitempty"`
	Message      string          `json:"message"`
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

type acknowledged struct {
	User string `json:"user,omitempty"`
	Time string `json:"time"`
}

func timeText(at time.Time) string { return wire.TimeText(at.UnixMilli()) }

// recordOf gives an event as a viewer is told of it. A caller without a name is not told which user acknowledged it.
func recordOf(v *sight.Viewer, e *watch.Event, named bool) record {
	t := &e.Ship
	r := record{ID: e.ID, Definition: e.Watchdog, Watchdog: e.Name, Type: string(e.Type), Event: string(e.Kind), State: "inactive", Severity: e.Severity,
		Time: timeText(e.At()), Initial: e.Initial, Direction: e.Direction, Reason: string(e.Reason), Message: message(e),
		Ship: shipRecord{t.MMSI, t.IMO, t.Name, t.CallSign, t.Draught, ais.ShipType(t.TypeCode).String(), t.Destination}}
	ended := time.UnixMilli(e.Deactivated)
	if told := e.Deactivated != 0 && !(v.Late() && ended.After(v.Now())); told {
		r.Deactivated = timeText(ended)
	} else if e.Active && e.Kind != watchdog.Cross {
		r.State = "active"
	}
	if e.Fix != nil {
		r.Position = wire.Extended(*e.Fix)
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

// message says in a sentence what happened.
func message(e *watch.Event) string {
	of, place := cmp.Or(e.Ship.Name, strconv.FormatInt(int64(e.Ship.MMSI), 10)), e.Name
	if e.Port != nil {
		place = e.Port.Name
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
	case watchdog.Risk:
		return of + " is a risk to " + place + ": " + string(e.Reason)
	}
	return of + " is silent since its last report in " + place
}
