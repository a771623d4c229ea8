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

	"quaywatch/ais"
	"quaywatch/engine/alert"
	"quaywatch/engine/safety"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/ship/watchdog"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// Path is that of the watchdogs. Their definitions are things that users keep: package config answers about them.
const Path = "/api/watchdog"

// Deps is what the calls about events are made of.
type Deps struct {
	Watch   *watchdogs.Watch // its events are read by Events
	Events  *telling.EventReader
	Notices *notify.Outbox
	Safety  *safety.Service
	Alerts  *alert.Keeper
	Plan    func(*watchdogs.Event) alert.Plan // the users that an event concerns
	Library *library.Library
	Desk    *request.Desk
	Base    *request.Base

	// PortOf finds the port that the field port of a body means, as far as the user may know of it; nil for none.
	PortOf func(f *form.Fields, who *access.User) (*chart.Port, error)
	// Definition reads the watchdog of a body that is to be tried.
	Definition func(c *request.Request, f *form.Fields) (library.Resource, error)
	// Targets reads the targets of a body that are to be tested, and asks for the rights that a definition with them takes.
	Targets func(c *request.Request, f *form.Fields) ([]notify.Target, error)
	// AtSea returns how long a ship had been outside of every port, for any time of a period.
	AtSea func(ctx context.Context, m ais.MMSI, from, to time.Time) (func(at time.Time) (time.Duration, bool), error)

	// Seat takes a place among the live streams of all callers, if there is one. It is given back with leave, which is told whether the client did not read;
	// end ends the stream when another caller gets the place.
	Seat func(c *request.Request, end context.CancelCauseFunc) (leave func(slow bool), seated bool)

	// SeatWait is Seat for a caller that waits for an event, among MostWaits places.
	SeatWait func(c *request.Request, end context.CancelCauseFunc) (leave func(slow bool), seated bool)

	MostWait time.Duration // how long a caller waits at most; 0 is as long as it asks for
}

// Server answers about events.
type Server struct {
	deps  Deps
	waits atomic.Int64 // callers that wait for an event

	made    madeEvents
	watches watches

	trials *request.Jobs[*tried]
}

// MostWaits is how many callers may wait at once.
const MostWaits = 2000

// New makes the server.
func New(d Deps) *Server {
	return &Server{deps: d, trials: request.NewJobs[*tried](d.Desk, trials(), trialRetry)}
}

// Routes are the calls about events.
func (s *Server) Routes() []request.Route {
	const event, alerts, dryrun = Path + "/event", Path + "/alert", Path + "/dryrun"
	return []request.Route{
		{Method: "GET", Path: event, Right: right.ViewWatchdog, Takes: true, Handle: s.listEvents},
		{Method: "POST", Path: event, Right: right.ViewWatchdog, Handle: s.rewind},
		{Method: "GET", Path: Path + "/definition/:name/active", Right: right.ViewWatchdog, Handle: s.sendInside},
		{Method: "POST", Path: Path + "/definition/:name/resume", Right: right.ConfigureWatchdogDefinitions, Audit: "watchdog resume", Handle: s.resume},
		{Method: "POST", Path: event + "/manual", Right: right.AddRemoveEvents, Audit: "event", Handle: s.addManual},
		{Method: "DELETE", Path: event + "/:id", Right: right.AddRemoveEvents, Audit: "event", Handle: s.removeEvent},
		{Method: "POST", Path: event + "/:id/ack", Right: right.ConfigureWatchdogDefinitions, Audit: "event", Handle: s.acknowledge},
		{Method: "POST", Path: Path + "/preview", Right: right.ConfigureWatchdogDefinitions, Handle: s.preview},
		{Method: "POST", Path: Path + "/notice/test", Right: right.SendMail, Audit: "notice test", Handle: s.test},
		{Method: "GET", Path: Path + "/notice/test", Right: right.SendMail, Handle: func(c *request.Request) error { return tests(s, c) }},
		{Method: "GET", Path: alerts, Right: right.ViewWatchdog, Handle: s.listAlerts},
		{Method: "POST", Path: alerts + "/:id/ack", Right: right.ConfigureWatchdogDefinitions, Audit: "alert ack", Handle: s.acknowledgeAlert},
		{Method: "POST", Path: alerts + "/:id/silence", Right: right.ConfigureWatchdogDefinitions, Audit: "alert silence", Handle: s.silenceAlert},
		{Method: "POST", Path: alerts + "/:id/transfer", Right: right.ConfigureWatchdogDefinitions, Audit: "alert transfer", Handle: s.transferAlert},
		{Method: "POST", Path: alerts + "/:id/useful", Right: right.ConfigureWatchdogDefinitions, Audit: "alert useful", Handle: s.judgeAlert},
		{Method: "GET", Path: Path + "/load", Right: right.ViewWatchdog, Handle: s.sendLoad},
		{Method: "GET", Path: Path + "/wait", Right: right.ViewWatchdog, Endless: true, Handle: s.waitForEvents},
		{Method: "GET", Path: Path + "/stream", Right: right.ViewWatchdog, Endless: true, Handle: s.serveProgram},
		{Method: "POST", Path: dryrun, Right: right.ConfigureWatchdogDefinitions, Handle: s.tryPast},
		{Method: "GET", Path: dryrun + "/:id", Right: right.ConfigureWatchdogDefinitions, Takes: true, Handle: s.trialResult},
		{Method: "DELETE", Path: dryrun + "/:id", Right: right.ConfigureWatchdogDefinitions, Handle: s.endTrial},
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

// listEvents returns the events since the last call of the user, after an event, or the latest. Only the first moves the cursor.
func (s *Server) listEvents(c *request.Request) error {
	after, err := c.QueryFrom("after_id", 0, math.MaxInt64, -1)
	if err != nil {
		return err
	}
	latest, err := c.QueryWithin("latest", mostRecords, 0)
	if err != nil {
		return err
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return err
	}
	v, user := l.Viewer, l.User
	if latest > 0 {
		found, err := s.latestEvents(c.HTTP.Context(), l, latest)
		if err != nil {
			return err
		}
		return c.SendJSON(http.StatusOK, answer{Records: found, Until: timeText(v.Now())})
	}
	if user.UID == "" || after >= 0 {
		p, err := s.page(c.HTTP.Context(), l, uint64(max(after, 0)), mostRecords)
		if err != nil {
			return err
		}
		return c.SendJSON(http.StatusOK, answer{Records: p.records, Until: timeText(v.Now()), More: p.More})
	}
	was := s.deps.Watch.Cursor(user.UID, v.Now())
	p, err := s.page(c.HTTP.Context(), l, was.After, mostRecords)
	if err != nil {
		return err
	}
	now := watchdogs.Cursor{User: user.UID, After: p.Last, Time: v.Now().UnixMilli()}
	if err := s.deps.Watch.SetCursor(was, now); errors.Is(err, form.ErrStale) {
		return request.Conflict(request.CodeConflict, rule.New("cursor_moved", "another call of this user took the events; ask again"))
	} else if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, answer{p.records, timeText(time.UnixMilli(was.Time)), timeText(v.Now()), p.More})
}

// rewind moves the cursor of the user to a time.
func (s *Server) rewind(c *request.Request) error {
	f, err := c.Bind(request.MaxBody)
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
		return request.Forbidden(rule.New("no_cursor", "without a name there is no cursor; ask with after_id"))
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
func (s *Server) acknowledge(c *request.Request) error {
	if err := request.Entitled(c.Caller.User, right.ViewWatchdog); err != nil { // the answer tells the event
		return err
	}
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	length := muteFor(f)
	if err := f.Err(); err != nil {
		return err
	}
	l, e, err := s.oneEvent(c, uint64(id))
	if err != nil {
		return err
	}
	if f.Given("for") && e.Manual != nil {
		return request.BadField("/for", rule.New("mute_manual", "is for events of watchdogs: this one was made by hand"))
	}
	if f.Given("for") && e.Type == watchdog.Distress {
		return request.BadField("/for", rule.New("distress_mute", "people in distress cannot be mute"))
	}
	if now, by := s.deps.Desk.Sight.Now(), c.Caller.Name(); f.Given("for") {
		e, err = s.deps.Alerts.Mute(uint64(id), by, now, length, c.Line())
	} else {
		e, err = s.deps.Alerts.AcknowledgeEvent(uint64(id), by, now, c.Line())
	}
	switch {
	case errors.Is(err, watchdogs.ErrUnknown):
		return noEvent()
	case errors.Is(err, watchdogs.ErrMutes):
		return request.Conflict(request.CodeConflict, rule.New("too_many_mutes", "too many ships are mute; end some of that with for 00:00:00"))
	case err != nil:
		return err
	}
	return c.SendJSON(http.StatusOK, s.eventRecord(l, &e))
}

// oneEvent returns an event that the caller is told of. To another one there is none.
func (s *Server) oneEvent(c *request.Request, id uint64) (*telling.Listener, watchdogs.Event, error) {
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return nil, watchdogs.Event{}, err
	}
	e, err := s.deps.Events.ByID(l, id)
	if errors.Is(err, watchdogs.ErrUnknown) {
		err = noEvent()
	}
	return l, e, err
}

func noEvent() error { return request.NotFound(rule.New("no_event", "there is no such event")) }

// mostMute is how long a ship may be mute.
const mostMute = 1000 * time.Hour

// muteFor returns for how long the watchdog is to tell nothing of the ship; 0 ends that.
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

// Waiting returns how many callers wait for an event.
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

// waitForEvents answers as soon as there are events that the cursor of the user has not passed, or when the time is over. It moves no cursor.
func (s *Server) waitForEvents(c *request.Request) error {
	seconds, err := c.QueryWithin("timeout", mostWait, usualWait)
	if err != nil {
		return err
	}
	length := time.Duration(seconds) * time.Second
	if most := s.deps.MostWait; most > 0 {
		length = min(length, most)
	}
	_ = http.NewResponseController(c.Writer).SetWriteDeadline(time.Now().Add(length + time.Minute))
	place, end := context.WithCancelCause(c.HTTP.Context())
	defer end(nil)
	over, cancel := context.WithTimeout(place, length)
	defer cancel()
	leave, seated := s.deps.SeatWait(c, end)
	if !seated {
		return tooManyWaits()
	}
	defer leave(false)
	s.waits.Add(1)
	defer s.waits.Add(-1)
	found, err := s.awaitEvents(c, over.Done())
	switch {
	case err != nil:
		return err
	case !found.Triggered && place.Err() != nil:
		return tooManyWaits() // another caller got the place
	}
	return c.SendJSON(http.StatusOK, found)
}

func tooManyWaits() error {
	return request.TooMany(rule.New("too_many_waits", "more than {max} callers wait for events", "max", MostWaits), 10*time.Second)
}

// awaitEvents looks for events until the time is over. No look is cut off by that: what is there already is told to a caller with little time, too.
func (s *Server) awaitEvents(c *request.Request, over <-chan struct{}) (found waited, err error) {
	ctx := c.HTTP.Context()
	after, begun := uint64(0), false
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		changed, users := s.deps.Watch.Changed(), s.deps.Base.Users.Changed() // before looking, so that what changes meanwhile wakes
		who, welcome := s.deps.Base.StillWelcome(c.Caller)
		if !welcome {
			return found, request.Unauthorized(rule.New("session_over", "the session is over"))
		}
		if err := request.Entitled(who.User, right.ViewWatchdog); err != nil {
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
		p, err := s.page(ctx, s.deps.Desk.ListenerOf(who.User, v), after, mostRecords)
		if err != nil {
			return found, err
		}
		if n := len(p.records); n > 0 {
			return waited{true, n, p.records[n-1].ID}, nil
		}
		after = p.Last
		var late <-chan time.Time
		if v.Late() || p.More {
			late = look.C
		}
		select {
		case <-over:
			return found, nil
		case <-changed:
		case <-late:
		case <-users:
		}
	}
}
