package watchdogs

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// Bounds of events that users make.
const (
	longestManual = 500              // characters of its words
	manualAnHour  = 200              // of one user
	placeWithin   = 15 * time.Minute // before an event its ship was heard for its place to be known
	mostFixes     = 100_000          // of the ship in that time
)

// addManual makes an event that no watchdog raised.
func (s *Server) addManual(c *request.Request) error {
	if err := request.Entitled(c.Caller.User, right.ViewWatchdog); err != nil {
		return err
	}
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return err
	}
	now := s.deps.Desk.Sight.Now()
	e := watchdogs.Event{Severity: f.TextOr("severity", library.Severities()[0]), Manual: &watchdogs.ManualEvent{Text: manualText(f), By: c.Caller.Name()},
		Owner: c.Caller.User.UID, Time: manualTime(f, now).UnixMilli()}
	if !slices.Contains(library.Severities(), e.Severity) {
		f.Refuse("severity", rule.New("one_of", "must be one of {words}", "words", strings.Join(library.Severities(), ", ")))
	}
	if f.Given("position") {
		e.Manual.Place = manualPlace(f)
	}
	if f.Given("mmsi") {
		if err := s.manualShip(c.HTTP.Context(), f, l.Viewer, &e); err != nil {
			return err
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	if !s.made.countEvent(c.Caller.Key, now) {
		return request.TooMany(rule.New("too_many_manual", "one user makes at most {max} events in an hour", "max", manualAnHour), time.Minute)
	}
	numbered := func(id uint64) { c.Object = strconv.FormatUint(id, 10) }
	if e, err = watchdogs.AddManual(s.deps.Watch, e, now, numbered, c.Line()); err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, s.eventRecord(l, &e))
}

// manualText returns the words of an event.
func manualText(f *form.Fields) string {
	f.Require("message")
	text := strings.TrimSpace(f.Text("message"))
	switch n := len([]rune(text)); {
	case f.Given("message") && (n == 0 || n > longestManual):
		f.Refuse("message", rule.New("name_length", "needs {min} to {max} characters", "min", 1, "max", longestManual))
	case strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		f.Refuse("message", rule.New("unprintable", "holds a character that does not print"))
	}
	return text
}

// manualTime returns the time of an event: now, where it says none.
func manualTime(f *form.Fields, now time.Time) time.Time {
	at := f.Time("time", now)
	switch {
	case at.After(now):
		f.Refuse("time", rule.New("in_future", "must not be in the future"))
	case now.Sub(at) > watchdogs.Keep:
		f.Refuse("time", rule.New("before_events", "is before the events that are kept: {days} days", "days", int(watchdogs.Keep.Hours()/24)))
	}
	return at
}

// manualPlace returns the place that a user says.
func manualPlace(f *form.Fields) *geo.Point {
	at, err := form.ParsePoint(f.Raw("position"))
	f.Check("position", err)
	return &at
}

// manualShip puts the ship into an event, as the caller is told of it at that time. A ship that the caller may not see is none.
func (s *Server) manualShip(ctx context.Context, f *form.Fields, v *sight.Viewer, e *watchdogs.Event) error {
	m := ais.MMSI(f.Integer("mmsi", 0, form.MaxInteger))
	if f.Full() || m == 0 {
		return nil
	}
	of, err := v.Ship(m)
	if errors.Is(err, sight.ErrUnknown) {
		f.Refuse("mmsi", rule.New("manual_ship", "is no ship that you may see"))
		return nil
	}
	if err != nil {
		return err
	}
	fix, feeds := of.Fix, of.Feeds
	known := of.HasFix && fix.At <= e.Time
	if !known {
		track, err := v.Track(ctx, &of, e.At().Add(-placeWithin), e.At().Add(time.Millisecond), 0, mostFixes)
		if err != nil {
			return err
		}
		if known = len(track) > 0; known {
			fix = track[len(track)-1]
			_, feeds = v.HeardThen(&of, &fix)
		}
		if err := v.StaticAt(&of, e.At()); err != nil {
			return err
		}
	}
	if e.Ship = watchdogs.ShipOf(&of); known {
		fix.Feeds = 0 // a number of the open store
		e.Fix, e.Feeds = &fix, feeds.List()
	}
	return nil
}

// manual fills in what a user says of an event.
func (r *record) manual(m *watchdogs.ManualEvent, e *watchdogs.Event, named bool) {
	if m.Place != nil {
		at := ship.Fix{At: e.Time, Lon: int32(math.Round(m.Place.Lon * 600000)), Lat: int32(math.Round(m.Place.Lat * 600000))}
		r.Position = wire.Extended(at)
	}
	if named {
		r.MadeBy = m.By
	}
}

// removeEvent removes an event for good, and closes its alert.
func (s *Server) removeEvent(c *request.Request) error {
	if err := request.Entitled(c.Caller.User, right.ViewWatchdog); err != nil {
		return err
	}
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	_, e, err := s.oneEvent(c, uint64(id))
	if err != nil {
		return err
	}
	if time.UnixMilli(e.Muted).After(s.deps.Desk.Sight.Now()) {
		return request.Conflict(request.CodeConflict, rule.New("event_mute", "its watchdog is mute about the ship; end that first with for 00:00:00"))
	}
	err = s.deps.Alerts.RemoveEvent(uint64(id), c.Line())
	if errors.Is(err, watchdogs.ErrUnknown) {
		return noEvent()
	}
	if err != nil {
		return err
	}
	return c.NoContent()
}

// madeEvents counts the events that users make.
type madeEvents struct {
	mu sync.Mutex
	at map[string][]time.Time // of the last hour, by user
}

// countEvent reports whether a user may make one more, and counts it.
func (m *madeEvents) countEvent(user string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for maker, times := range m.at {
		if times = slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at).Abs() >= time.Hour }); len(times) > 0 {
			m.at[maker] = times
		} else {
			delete(m.at, maker)
		}
	}
	if len(m.at[user]) >= manualAnHour {
		return false
	}
	if m.at == nil {
		m.at = map[string][]time.Time{}
	}
	m.at[user] = append(m.at[user], now)
	return true
}
