package watchdogs

import (
	"encoding/json"
	"net/http"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/library"
	"quaywatch/rule"
	"quaywatch/ship/watchdog"
	"quaywatch/sight"
	"quaywatch/telling"
	"quaywatch/watch"
)

// Watching returns what the definitions of an answer say besides. That is how many ships are inside now, and the last event, as far as the caller is told. A
// caller that is told late is told of no ship that is inside now: it would learn too early which one left.
func (s *Server) Watching(c *call.Call, id uint64) (func(*library.Resource) (active *int, last *library.LastEvent), error) {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return nil, err
	}
	counts, user := map[uint64]map[ais.MMSI]struct{}{}, c.Caller.User
	if !v.Late() {
		all := watch.InsideNow(s.deps.Watch, id)
		err = v.InTurns(c.Request.Context(), len(all), func(i int) {
			ship := &all[i]
			if !seesInside(v, ship) {
				return
			}
			if counts[ship.Watchdog] == nil {
				counts[ship.Watchdog] = map[ais.MMSI]struct{}{}
			}
			counts[ship.Watchdog][ship.MMSI] = struct{}{}
		})
	}
	return func(r *library.Resource) (active *int, last *library.LastEvent) {
		if !v.Late() && countsShips(user, r) {
			n := len(counts[r.ID])
			active = &n
		}
		for _, e := range watch.LastEvents(s.deps.Watch, r.ID) {
			if s.eventJudge().Of(v, user, e) == telling.Shown {
				return active, &library.LastEvent{ID: e.ID, Event: string(e.Kind), Time: timeText(e.At())}
			}
		}
		return active, nil
	}, err
}

// countsShips reports whether a watchdog has ships inside of which the user may know.
func countsShips(user *access.User, r *library.Resource) bool {
	t := r.Watchdog.Type
	return !t.Shipless() && (t != watchdog.Port || user.May(right.ViewPort) && user.May(right.ViewATAATD))
}

// seesInside reports whether a caller may know that a ship is inside. Of a pair it must see both, and of a zone also the ship that it
// moves with.
func seesInside(v *sight.Viewer, inside *watch.Inside) bool {
	return v.Everything() || seesNow(v, inside.MMSI) && (inside.Other == 0 || seesNow(v, inside.Other))
}

// seesNow reports whether a caller sees a ship where it is now.
func seesNow(v *sight.Viewer, m ais.MMSI) bool {
	now, there := v.Here(m)
	return there && now.HasFix && v.May(sight.Sighting{MMSI: m, Time: now.Fix.Time(), Place: now.Fix.Point(), Feeds: now.Feeds.List()})
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
func (s *Server) sendInside(c *call.Call) error {
	name, err := c.PathText("name")
	if err != nil {
		return err
	}
	user := c.Caller.User
	r, ok := s.deps.Library.Get(library.Watchdogs, name)
	if !ok || !user.MayUse(r.Owned, right.AdminWatchdogDefinitions) {
		return call.NotFound(rule.New("no_such_kind", "there is no such {kind}", "kind", library.Watchdogs.String()))
	}
	if r.Watchdog.Type == watchdog.Port {
		if err := call.Entitled(user, right.ViewPort, right.ViewATAATD); err != nil {
			return err
		}
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if v.Late() {
		return call.Forbidden(insideLate())
	}
	answer := insideAnswer{Records: []insideRecord{}, Time: timeText(v.Now())}
	all := watch.InsideNow(s.deps.Watch, r.ID)
	err = v.InTurns(c.Request.Context(), len(all), func(i int) {
		if !seesInside(v, &all[i]) {
			return
		}
		if answer.Count++; len(answer.Records) < mostRecords {
			answer.Records = append(answer.Records, insideRecordOf(v, &all[i]))
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

func insideRecordOf(v *sight.Viewer, inside *watch.Inside) insideRecord {
	r := insideRecord{Ship: &shipRecord{MMSI: inside.MMSI}, Since: timeText(time.UnixMilli(inside.Since)), Other: inside.Other}
	if now, there := v.Here(inside.MMSI); there {
		of := watch.ShipOf(&now)
		if r.Ship = shipRecordOf(&of); now.HasFix {
			r.Position = wire.Extended(now.Fix)
		}
	} else if inside.Last.At != 0 {
		r.Position = wire.Extended(inside.Last)
	}
	return r
}
