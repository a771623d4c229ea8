package settings

import (
	"encoding/json"
	"net/http"

	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// watch puts watchdogs to work as they are now, before the answer.
func (b shelf) watch() {
	if b.kind == library.Watchdogs {
		b.deps.Watch.Compile()
	}
}

// recorderOf returns what makes the things of an answer, one of that number or all where it is 0.
func (b shelf) recorderOf(c *request.Request, id uint64) (func(*library.Resource) library.Record, error) {
	if b.kind == library.ShipLists {
		return b.listRecorder(c)
	}
	if b.kind != library.Watchdogs {
		return func(r *library.Resource) library.Record { return b.deps.Library.Record(b.kind, r) }, nil
	}
	watching, err := b.deps.Watching(c, id)
	return func(r *library.Resource) library.Record {
		record := b.watched(c, r)
		record.ActiveShips, record.LastEvent = watching(r)
		if p, is := watchdogs.Paused(b.deps.Watch, r.ID); is {
			record.Paused = &library.Pause{Since: wire.TimeText(p.Since), Until: wire.TimeText(p.Until), Held: p.Held}
		}
		return record
	}, err
}

// sendEntry answers with one thing.
func (b shelf) sendEntry(c *request.Request, r *library.Resource) error {
	record, err := b.recorderOf(c, r.ID)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, record(r))
}

// watched returns a watchdog, and why it watches nothing.
func (b shelf) watched(c *request.Request, r *library.Resource) library.Record {
	record := b.deps.Library.Record(b.kind, r)
	why := b.deps.Watch.Problem(r.ID)
	if m := r.Watchdog.Ship(); why == nil && r.Watchdog.Enabled && m != 0 {
		if _, known := b.deps.PlaceOf(c, m); !known {
			why = rule.New("watched_ship_unknown", "no place of its ship is known")
		}
	}
	if why != nil {
		record.Problem, record.ProblemRule = why.Error(), why
	}
	return record
}

// watchPort finds the port of a watchdog. When ships come and leave is only for a caller that is told so.
func (b shelf) watchPort(c *request.Request, f *form.Fields, r *library.Resource) error {
	if r.Watchdog.Port == nil {
		return nil
	}
	if err := request.Entitled(c.Caller.User, right.ViewPort, right.ViewATAATD); err != nil {
		return err
	}
	if !f.Given("port") {
		return nil
	}
	port, err := b.deps.PortOf(f, c.Caller.User)
	if err != nil {
		return err
	}
	if wrong := f.Err(); wrong != nil {
		return wrong
	}
	now := *r.Watchdog
	now.Port, r.Watchdog = library.NamePort(port), &now
	return nil
}

// watchPlace finds where the ship of an anchor watch lies, if its body says no place. A ship that the caller may not see lies nowhere.
func (b shelf) watchPlace(c *request.Request, f *form.Fields, r *library.Resource) error {
	w := r.Watchdog.Anchor
	if w == nil || w.Center != nil {
		return nil
	}
	at, known := b.deps.PlaceOf(c, w.MMSI)
	if !known {
		f.Refuse("anchor/center", rule.New("ship_lies_nowhere", "is required: no place of the ship is known"))
		return f.Err()
	}
	text, err := json.Marshal(form.PointOf(&at))
	if err != nil {
		return err
	}
	now, circle := *r.Watchdog, *w
	circle.Center, now.Anchor = text, &circle
	r.Watchdog = &now
	return nil
}
