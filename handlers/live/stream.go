// Package live answers with the event stream that shows the picture as it changes.
//
// A stream sends each ship at most once a second, however often it was heard. A slow client skips intermediate states, and a client that
// comes back within a minute goes on where it was.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/selection"
)

// Deps is what live streams are made of.
type Deps struct {
	Base       *request.Base
	Sight      *sight.Sight
	Lookup     func(*access.User) ship.Lookup // of the ship lists and shapes that a user may use
	Register   wire.RegisterLookup
	Selections *selection.Selections
	Feeds      func() []ais.FeedStatus
	Notices    func() string // another text when what an operator must know is another

	Status   func(context.Context, *sight.Viewer, *access.User, []ais.FeedStatus) ([]byte, error) // the status event
	Selected func(*sight.Viewer, *selection.Selection) ([]byte, error)                            // the select event
	Distress func(*sight.Viewer, *access.User) []byte                                             // the distress event
	Alarms   func() uint64                                                                        // another number when the alarms of distress are others
	Tracks   func() NewTracks                                                                     // of a new stream that asks for tracks
	Events   func() NewEvents                                                                     // of a new stream that asks for events
	Raised   func() <-chan struct{}                                                               // closed when watchdogs raised events, or those changed
	Alerts   func() NewEvents                                                                     // of a new stream that asks for events
	Alerted  func() <-chan struct{}                                                               // closed when alerts change
	Messages func() NewMessages                                                                   // of a new stream
	Most     int                                                                                  // streams at once
}

// NewMessages returns the messages event of one stream, nil when nothing is new for the user. With again it looks at all messages,
// and with whole it returns all that the user may have.
type NewMessages = func(ctx context.Context, v *sight.Viewer, user *access.User, again, whole bool) ([]byte, error)

// NewTracks returns the track event of one stream, nil when no track has news for the user.
type NewTracks = func(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error)

// NewEvents returns the event of one stream about what watchdogs raised, nil when nothing is new for the user.
type NewEvents = func(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error)

// Server answers with live streams.
type Server struct {
	deps       Deps
	clients    clients
	broadcasts broadcasts
}

// Path is that of the live stream.
const Path = "/api/live"

// UserHeader carries the UID of the user that a stream is for. The tabs of a browser share one stream, and its user may be another by now.
const UserHeader = "Quaywatch-User"

// New makes the server.
func New(d Deps) *Server {
	return &Server{deps: d, clients: newClients(d.Most, StreamsOfOne), broadcasts: broadcasts{of: map[uint64]*broadcast{}}}
}

// Routes are the calls for live streams and their filters.
func (s *Server) Routes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: Path, Read: true, Endless: true, Handle: s.serveStream},
		{Method: "GET", Path: "/api/filter/reading", Read: true, Handle: s.sendReading},
	}
}

// Clients returns how many streams are open, and how many were cut off because the client did not read.
func (s *Server) Clients() (open int, dropped uint64) { return s.clients.figures() }

// How often a live stream does what.
const (
	lookEvery    = time.Second / 2 // at what time alone changes: whether the user or the session has expired, and what is due
	statusEvery  = 5 * time.Second
	commentEvery = 15 * time.Second
	sweepEvery   = 5 * time.Second // for filters that time alone can change
	chunkSize    = 64 << 10
)

// ChangeEvery is the least time between two change events.
const ChangeEvery = time.Second

// lookAgain is the least time between two looks at changes: a stream that had nothing to tell tells the next change that soon.
const lookAgain = time.Second / 10

// ReadWithin is how long a client may take nothing before it is cut off.
const ReadWithin = 10 * time.Second

// endWithin is how long a client may take for the few bytes that end its stream: a stop of the box waits for them.
const endWithin = time.Second

// stream is one live client.
type stream struct {
	server   *Server
	asks     []ask
	viewer   *sight.Viewer
	parts    []*part         // one for each of asks
	who      *request.Caller // as of now
	release  func()          // lets go of the picture of the viewer
	call     *request.Request
	selected uint64 // version of the last selection that was sent
	control  *http.ResponseController
	at       uint64    // the number up to which everything is sent
	health   string    // of the feeds, as last sent
	comment  time.Time // of the last one
	status   time.Time
	followed time.Time // when the questions were worked out
	next     time.Time // when changes are looked at again, at the earliest
	cast     *broadcast
	out      *outlet
	distress distressSent
	messages NewMessages

	messagesAt messagesSent
	tracks     NewTracks // nil when the client does not ask for them
	tracksAt   time.Time // when they were looked at
	events     NewEvents // nil when the client does not ask for them
	eventsAt   time.Time // when they were looked at
	raised     <-chan struct{}
	alerts     NewEvents // nil when the client does not ask for events
	alertsAt   time.Time // when they were looked at
	alerted    <-chan struct{}
}

// part is the answer to one question of a stream.
type part struct {
	*stream
	question
	begun  bool                // its picture was begun: the numbers of events count for it
	has    map[ais.MMSI]uint32 // the ships that the client knows, with the last sweep that found each; not kept where the question is whole
	sweeps uint32
	swept  time.Time
}

// viewer returns what a caller sees. Its turns are those of live streams, so that no question of the caller's holds up its map.
func (s *Server) viewer(c *request.Request, who *request.Caller) (*sight.Viewer, error) {
	return s.deps.Sight.Of(c.HTTP.Context(), who.User, who.Key+" live")
}

// serveStream serves one live client until it goes, or is no longer welcome.
func (s *Server) serveStream(c *request.Request) error {
	asks, err := asksOf(c)
	if err != nil {
		return err
	}
	tracks, err := c.QueryTruth("tracks", false)
	if err != nil {
		return err
	}
	events, err := c.QueryTruth("events", false)
	if err != nil {
		return err
	}
	viewer, err := s.viewer(c, c.Caller)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(c.HTTP.Context())
	defer end(nil)
	c.HTTP = c.HTTP.WithContext(ctx)
	st := &stream{server: s, asks: asks, viewer: viewer, who: c.Caller, call: c, control: http.NewResponseController(c.Writer),
		messages: s.deps.Messages()}
	if tracks {
		st.tracks = s.deps.Tracks()
	}
	if events {
		st.events, st.alerts = s.deps.Events(), s.deps.Alerts()
	}
	for _, a := range asks {
		q, err := s.question(c.Caller, viewer, a)
		if err != nil {
			return request.BadFilter(a.parameter(), err)
		}
		st.parts = append(st.parts, &part{stream: st, question: q, has: map[ais.MMSI]uint32{}})
	}
	place := &client{c.Caller.Key, c.Caller.Stranger(), end}
	if !s.clients.enterClient(place, len(asks)) {
		return request.TooMany(rule.New("too_many_streams", "too many live streams"), 30*time.Second)
	}
	st.holdPicture()
	err = st.run(c.Caller)
	st.release()
	slow := errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, errSlow)
	if !slow {
		err = errors.Join(err, st.writeWithin(endWithin, st.out.endStream))
	}
	s.clients.freePlaces(place, slow)
	if cause := context.Cause(ctx); errors.Is(cause, errGivenUp) {
		err = cause
	}
	if err != nil {
		level := slog.LevelDebug
		if slow {
			level = slog.LevelInfo
		}
		s.deps.Base.Log.Log(c.HTTP.Context(), level, "live stream ended", "user", c.Caller.Name(), "error", err)
	}
	return nil // the answer is long under way; nothing can be said any more
}

// holdPicture keeps the picture of the viewer, and takes part in what is told of it to all, until release.
func (st *stream) holdPicture() {
	release, epoch := st.viewer.Hold(), st.viewer.Epoch()
	st.cast = st.server.broadcasts.joinPicture(epoch)
	st.release = func() {
		st.server.broadcasts.leaveBroadcast(epoch)
		release()
	}
}

func (st *stream) run(who *request.Caller) error {
	// The server's time-outs are for requests that end.
	st.out = newOutlet(st.call.Writer, st.call.AcceptsGzip())
	if err := st.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("lift the read deadline: %w", err)
	}
	h := st.call.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	h.Set(UserHeader, who.UID())
	st.call.Writer.WriteHeader(http.StatusOK)
	_, st.selected = st.server.deps.Selections.Of("", 0) // before the picture: what is selected later comes as a change
	if err := st.beginStream(st.call.HTTP.Header.Get("Last-Event-ID")); err != nil {
		return err
	}
	st.comment, st.next = time.Now(), time.Now().Add(ChangeEvery)
	due := time.NewTimer(lookEvery)
	defer due.Stop()
	for {
		wakes := st.wakes() // before looking, so that what changes meanwhile wakes
		var welcome bool
		who, welcome = st.server.deps.Base.StillWelcome(who)
		if st.who = who; !welcome {
			return nil
		}
		if err := errors.Join(st.updateQuestions(who), st.tellSelected(who), st.stepAll()); err != nil {
			return err
		}
		due.Reset(min(lookEvery, st.untilChange(wakes), st.untilAlerts()))
		if !wakes.waitForWake(st.call.HTTP.Context(), due.C) {
			return nil
		}
	}
}

// wakes are what a stream sleeps until.
type wakes struct {
	users, selected, changed, raised, alerted <-chan struct{}
}

func (st *stream) wakes() *wakes {
	w := &wakes{st.server.deps.Base.Users.Changed(), st.server.deps.Selections.Changed(), st.viewer.Wake(), nil, nil}
	if st.events != nil && time.Since(st.eventsAt) >= ChangeEvery {
		w.raised = st.raised
	}
	if st.alerts != nil && time.Since(st.alertsAt) >= alertsEvery {
		w.alerted = st.alerted
	}
	return w
}

// untilChange returns how long the stream sleeps at most. Soon after it has looked at changes it does not wake for the next, and sends what
// comes until then together.
func (st *stream) untilChange(w *wakes) time.Duration {
	rest := time.Until(st.next)
	if rest <= 0 {
		return lookEvery
	}
	w.changed = nil
	return rest
}

// waitForWake sleeps until something changed or is due; it is false when the client is gone.
func (w *wakes) waitForWake(ctx context.Context, due <-chan time.Time) bool {
	select {
	case <-ctx.Done():
		return false
	case <-w.users:
	case <-w.selected:
	case <-w.changed:
	case <-w.raised:
	case <-w.alerted:
	case <-due:
	}
	return true
}

// updateQuestions works out the questions anew when what the caller may see, or what a filter names, may have changed. It sends what appears and
// goes by that.
func (st *stream) updateQuestions(who *request.Caller) error {
	changed := st.viewer.Changed() && time.Since(st.followed) >= ChangeEvery
	if !changed && !st.viewer.Over() {
		return nil
	}
	st.followed = time.Now()
	was := st.viewer
	viewer, err := st.server.viewer(st.call, who)
	if err != nil { // no picture at the new pace: the client comes again and is told why
		return err
	}
	st.viewer = viewer
	st.messagesAt.swept = time.Time{} // look at all of them
	var other []*part
	for i, p := range st.parts {
		plain, whole := p.plain, p.whole
		if p.question, err = st.server.questionNow(who, viewer, st.asks[i]); err != nil {
			return err
		}
		if whole && !p.whole {
			if err := p.rememberShips(was); err != nil {
				return err
			}
		}
		if !plain || !p.plain {
			other = append(other, p)
		}
	}
	if viewer.Epoch() != was.Epoch() { // the ships of another picture
		st.release()
		st.holdPicture()
		return st.sendPictures()
	}
	for _, p := range other {
		if err := p.sweepShips(); err != nil {
			return err
		}
	}
	return nil
}

// beginStream sends the pictures, or goes on from where the client was with the questions that it had then.
func (st *stream) beginStream(lastID string) error {
	if err := errors.Join(st.stepTracks(), st.stepEvents()); err != nil { // before the picture: a client that has it misses no news
		return err
	}
	number, had := parseEventID(lastID, st.viewer.Epoch())
	changes, ok := st.viewer.Changes(number)
	if ok {
		for _, p := range st.parts {
			p.begun = !p.volatile && slices.Contains(had, p.hash)
		}
	}
	if err := st.goOn(&changes); err != nil {
		return err
	}
	return errors.Join(st.sendStatus(), st.sendDistress(true), st.sendMessages(true, true))
}

// goOn sends what changed to the parts that were begun, and its picture to each of the others.
func (st *stream) goOn(changes *sight.ChangedShips) error {
	if !slices.ContainsFunc(st.parts, func(p *part) bool { return p.begun }) {
		return st.sendPictures()
	}
	for _, p := range st.parts {
		if p.begun {
			if err := p.recallShips(changes); err != nil {
				return err
			}
		}
	}
	if err := st.sendChanges(changes, nil); err != nil {
		return err
	}
	for _, p := range st.parts {
		if !p.begun {
			if err := p.sendPicture(); err != nil {
				return err
			}
		}
	}
	return nil
}

// stepAll sends what changed, when the last changes were sent long enough ago, and what is due.
func (st *stream) stepAll() error {
	if err := errors.Join(st.stepChanges(), st.stepDistress(), st.stepMessages(), st.stepTracks(), st.stepEvents(), st.stepAlerts()); err != nil {
		return err
	}
	for _, p := range st.parts {
		if p.volatile && time.Since(p.swept) >= sweepEvery {
			if err := p.sweepShips(); err != nil {
				return err
			}
		}
	}
	if time.Since(st.comment) >= commentEvery {
		st.comment = time.Now()
		if err := st.write([]byte(": still here\n\n")); err != nil {
			return err
		}
	}
	if time.Since(st.status) >= statusEvery || st.server.health(st.server.deps.Feeds()) != st.health {
		return st.sendStatus()
	}
	return nil
}

// health is what the live stream watches for changes: which feeds are connected, their errors, and what an operator must know.
func (s *Server) health(feeds []ais.FeedStatus) string {
	text := []string{s.deps.Notices()}
	for i := range feeds {
		text = append(text, feeds[i].Name, strconv.FormatBool(feeds[i].Connected), feeds[i].LastError)
	}
	b, err := json.Marshal(slices.Clip(text))
	if err != nil {
		return ""
	}
	return string(b)
}
