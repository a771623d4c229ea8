package watchdogs

import (
	"encoding/json"
	"net/http"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// Watching returns what the definitions of an answer say besides. That is how many ships are inside now, and the last event, as far as the caller is told. A
// caller that is told late is told of no ship that is inside now: it would learn too early which one left.
func (s *Server) Watching(c *request.Request, id uint64) (func(*library.Resource) (active *int, last *library.LastEvent), error) {
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return nil, err
	}
	counts := map[uint64]map[ais.MMSI]struct{}{}
	err = s.deps.Events.Inside(c.HTTP.Context(), l, id, func(ship *watchdogs.Inside) {
		if counts[ship.Watchdog] == nil {
			counts[ship.Watchdog] = map[ais.MMSI]struct{}{}
		}
		counts[ship.Watchdog][ship.MMSI] = struct{}{}
	})
	return func(r *library.Resource) (active *int, last *library.LastEvent) {
		if !l.Viewer.Late() && countsShips(l.User, r) {
			n := len(counts[r.ID])
			active = &n
		}
		if e := s.deps.Events.LastOf(l, r.ID); e != nil {
			last = &library.LastEvent{ID: e.ID, Event: string(e.Kind), Time: timeText(e.At())}
		}
		return active, last
	}, err
}

// countsShips reports whether a watchdog has ships inside of which the user may know.
func countsShips(user *access.User, r *library.Resource) bool {
	t := r.Watchdog.Type
	return !t.Shipless() && (t != watchdog.Port || user.May(right.ViewPort) && user.May(right.ViewATAATD))
}

// insideRecord is a ship that is inside now.
type insideRecord struct {
	Ship     *shipRecord     `json:"ship"`
	Since    string          `json:"since"`
	Position json.RawMessage `json:"position,omitempty"` // of the last report
	Other    ais.MMSI        `json:"other,omitempty"`    // the second ship of a pair, or the one that a zone moves with
}

// insideAnswer is the ships that are inside now, those that came first being first.
type insideAnswer struct {
	Records []insideRecord `json:"records"`
	Count   int            `json:"count"` // of all, also those that are not in the answer
	Time    string         `json:"time"`
}

// sendInside returns the ships that are inside of a watchdog now.
func (s *Server) sendInside(c *request.Request) error {
	name, err := c.PathText("name")
	if err != nil {
		return err
	}
	user := c.Caller.User
	r, ok := s.deps.Library.Get(library.Watchdogs, name)
	if !ok || !user.MayUse(r.Owned, right.AdminWatchdogDefinitions) {
		return request.NotFound(rule.New("no_such_kind", "there is no such {kind}", "kind", library.Watchdogs.String()))
	}
	if r.Watchdog.Type == watchdog.Port {
		if err := request.Entitled(user, right.ViewPort, right.ViewATAATD); err != nil {
			return err
		}
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return err
	}
	if l.Viewer.Late() {
		return request.Forbidden(insideLate())
	}
	answer := insideAnswer{Records: []insideRecord{}, Time: timeText(l.Viewer.Now())}
	err = s.deps.Events.Inside(c.HTTP.Context(), l, r.ID, func(inside *watchdogs.Inside) {
		if answer.Count++; len(answer.Records) < mostRecords {
			answer.Records = append(answer.Records, insideRecordOf(l.Viewer, inside))
		}
	})
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, answer)
}

func insideLate() *rule.Rule {
	return rule.New("inside_late", "is told late, and not told which ships are inside now")
}

func insideRecordOf(v *sight.Viewer, inside *watchdogs.Inside) insideRecord {
	r := insideRecord{Ship: &shipRecord{MMSI: inside.MMSI}, Since: timeText(time.UnixMilli(inside.Since)), Other: inside.Other}
	if now, there := v.Here(inside.MMSI); there {
		of := watchdogs.ShipOf(&now)
		if r.Ship = shipRecordOf(&of); now.HasFix {
			r.Position = wire.Extended(now.Fix)
		}
	} else if inside.Last.At != 0 {
		r.Position = wire.Extended(inside.Last)
	}
	return r
}
