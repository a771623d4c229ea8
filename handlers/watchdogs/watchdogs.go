// Package watchdogs answers which events the watchdogs raised, and takes their acknowledgements. Each caller gets the events of the watchdogs that
// it may use, of ships that it may see, when it may be told of them.
package watchdogs

import (
	"context"
	"errors"
	"math"
	"net/http"
	"sync/atomic"
	"time"

	"quaywatch/access/right"
	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/library"
	"quaywatch/rule"
	"quaywatch/watch"
)

// Path is that of the watchdogs. Their definitions are things that users keep: package config answers about them.
const Path = "/api/watchdog"

// Deps is what the calls about events are made of.
type Deps struct {
	Watch   *watch.Watch
	Library *library.Library
	Desk    *call.Desk
	Base    *call.Base

	MostWait time.Duration // how long a caller waits at most; 0 is as long as it asks for
}

// Server answers about events.
type Server struct {
	deps  Deps
	waits atomic.Int64 // callers that wait for an event
}

// mostWaits is how many callers may wait at once.
const mostWaits = 2000

// New makes the server.
func New(d Deps) *Server { return &Server{deps: d} }

// Routes are the calls about events.
func (s *Server) Routes() []call.Route {
	const event = Path + "/event"
	return []call.Route{
		{Method: "GET", Path: event, Right: right.ViewWatchdog, Handle: s.list},
		{Method: "POST", Path: event, Right: right.ViewWatchdog, Handle: s.rewind},
		{Method: "POST", Path: event + "/:id/ack", Right: right.ConfigureWatchdogDefinitions, Audit: "event", Handle: s.acknowledge},
		{Method: "GET", Path: Path + "/wait", Right: right.ViewWatchdog, Endless: true, Handle: s.wait},
	}
}

// mostRecords is how many events one answer has.
const mostRecords = 1000

// answer is a part of the events.
type answer struct {
	Records []record `json:"records"`
	Since   string   `json:"since,omitempty"` // of the cursor
	Until   string   `json:"until"`
	More    bool     `json:"more,omitempty"`
}

// list gives the events since the last call of the user, or after an event.
func (s *Server) list(c *call.Call) error {
	after, err := c.QueryFrom("after_id", 0, math.MaxInt64, -1)
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	user := c.Caller.User
	if user.UID == "" || after >= 0 {
		p, err := s.page(c.Request.Context(), v, user, uint64(max(after, 0)), mostRecords)
		if err != nil {
			return err
		}
		return c.SendJSON(http.StatusOK, answer{Records: p.records, Until: timeText(v.Now()), More: p.more})
	}
	was := s.deps.Watch.Cursor(user.UID, v.Now())
	p, err := s.page(c.Request.Context(), v, user, was.After, mostRecords)
	if err != nil {
		return err
	}
	now := watch.Cursor{User: user.UID, After: p.last, Time: v.Now().UnixMilli()}
	if err := s.deps.Watch.SetCursor(was, now); errors.Is(err, form.ErrStale) {
		return call.Conflict(call.CodeConflict, rule.New("cursor_moved", "another call of this user took the events; ask again"))
	} else if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, answer{p.records, timeText(time.UnixMilli(was.Time)), timeText(v.Now()), p.more})
}

// rewind moves the cursor of the user to a time.
func (s *Server) rewind(c *call.Call) error {
	f, err := c.Bind(call.MaxBody)
	if err != nil {
		return err
	}
	f.Require("time")
	to := f.Time("time", time.Time{})
	if err := f.Err(); err != nil {
		return err
	}
	user := c.Caller.User.UID
	if user == "" {
		return call.Forbidden(rule.New("no_cursor", "without a name there is no cursor; ask with after_id"))
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	for range 10 { // another call of the user may move it meanwhile
		was := s.deps.Watch.Cursor(user, v.Now())
		if err = s.deps.Watch.SetCursor(was, s.deps.Watch.CursorAt(user, to)); !errors.Is(err, form.ErrStale) {
			break
		}
	}
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, struct {
		Time string `json:"time"`
	}{timeText(to)})
}

// acknowledge notes that the user has seen an event.
func (s *Server) acknowledge(c *call.Call) error {
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	f, err := c.Bind(call.MaxBody)
	if err != nil {
		return err
	}
	length := muteFor(f)
	if err := f.Err(); err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	unknown := call.NotFound(rule.New("no_event", "there is no such event"))
	e, err := s.deps.Watch.Get(uint64(id))
	if errors.Is(err, watch.ErrUnknown) || err == nil && s.tell(v, c.Caller.User, &e) != shown {
		return unknown
	}
	if err != nil {
		return err
	}
	if now, by := s.deps.Desk.Sight.Now(), c.Caller.Name(); f.Given("for") {
		e, err = s.deps.Watch.Mute(uint64(id), by, now, length, c.Line())
	} else {
		e, err = s.deps.Watch.Acknowledge(uint64(id), by, now, c.Line())
	}
	switch {
	case errors.Is(err, watch.ErrUnknown):
		return unknown
	case errors.Is(err, watch.ErrMutes):
		return call.Conflict(call.CodeConflict, rule.New("too_many_mutes", "too many ships are mute; end some of that with for 00:00:00"))
	case err != nil:
		return err
	}
	return c.SendJSON(http.StatusOK, recordOf(v, &e, true))
}

// mostMute is how long a ship may be mute.
const mostMute = 1000 * time.Hour

// muteFor gives for how long the watchdog is to tell nothing of the ship; 0 ends that.
func muteFor(f *form.Fields) time.Duration {
	text := f.Text("for")
	if text == "" {
		return 0
	}
	length, err := form.ParseDuration(text)
	if err == nil && (length < 0 || length > mostMute) {
		err = rule.New("range", "must be from {min} to {max}", "min", "00:00:00", "max", "1000:00:00")
	}
	f.Check("for", err)
	return length
}

// Waiting gives how many callers wait for an event.
func (s *Server) Waiting() int { return int(s.waits.Load()) }

// How long a caller waits for an event, in seconds.
const (
	usualWait = 55
	mostWait  = 300
)

// lookEvery is how often a caller that is told late looks for what it may be told by now.
const lookEvery = time.Second

// waited is the answer to a caller that waited.
type waited struct {
	Triggered bool   `json:"triggered"`
	Count     int    `json:"count"`
	LastID    uint64 `json:"last_id,omitempty"`
}

// wait answers as soon as there are events that the cursor of the user has not passed, or when the time is over. It moves no cursor.
func (s *Server) wait(c *call.Call) error {
	seconds, err := c.QueryWithin("timeout", mostWait, usualWait)
	if err != nil {
		return err
	}
	length := time.Duration(seconds) * time.Second
	if most := s.deps.MostWait; most > 0 {
		length = min(length, most)
	}
	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(length + time.Minute))
	ctx, cancel := context.WithTimeout(c.Request.Context(), length)
	defer cancel()
	defer s.waits.Add(-1)
	if s.waits.Add(1) > mostWaits {
		return call.TooMany(rule.New("too_many_waits", "more than {max} callers wait for events", "max", mostWaits), 10*time.Second)
	}
	found, err := s.await(ctx, c)
	if err != nil && c.Request.Context().Err() == nil && ctx.Err() == nil {
		return err
	}
	return c.SendJSON(http.StatusOK, found)
}

// await looks for events until ctx ends.
func (s *Server) await(ctx context.Context, c *call.Call) (found waited, err error) {
	after, begun := uint64(0), false
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		changed, users := s.deps.Watch.Changed(), s.deps.Base.Users.Changed() // before looking, so that what changes meanwhile wakes
		who, welcome := s.deps.Base.StillWelcome(c.Caller)
		if !welcome {
			return found, call.Unauthorized(rule.New("session_over", "the session is over"))
		}
		if err := call.Entitled(who.User, right.ViewWatchdog); err != nil {
			return found, err
		}
		c.Caller = who
		v, err := s.deps.Desk.Sight.Of(ctx, who.User, who.Key)
		if err != nil {
			return found, err
		}
		if !begun {
			after, begun = s.deps.Watch.Cursor(who.User.UID, v.Now()).After, true
		}
		p, err := s.page(ctx, v, who.User, after, mostRecords)
		if err != nil {
			return found, err
		}
		if n := len(p.records); n > 0 {
			return waited{true, n, p.records[n-1].ID}, nil
		}
		after = p.last
		var late <-chan time.Time
		if v.Late() || p.more {
			late = look.C
		}
		select {
		case <-ctx.Done():
			return found, nil
		case <-changed:
		case <-late:
		case <-users:
		}
	}
}
