package watchdogs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strconv"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
)

// A program follows the events by a stream of their own. Each is one server-sent event with its number. So a program that comes back goes on where it was. It
// moves no cursor.

// How often a stream does what.
const (
	commentEvery = 15 * time.Second
	welcomeEvery = time.Second / 2 // at what time alone changes: whether the user or the session has expired
	readWithin   = 10 * time.Second
)

// follower is one program.
type follower struct {
	*request.Request
	server  *Server
	control *http.ResponseController
	after   uint64 // the event up to which all is told or hidden
	said    time.Time
	waits   telling.Wait
}

// serveProgram serves a program until it goes, or is no longer welcome.
func (s *Server) serveProgram(c *request.Request) error {
	after, given, err := s.followsFrom(c)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(c.HTTP.Context())
	defer end(nil)
	c.HTTP = c.HTTP.WithContext(ctx)
	f := &follower{Request: c, server: s, control: http.NewResponseController(c.Writer), after: after}
	if !given {
		if f.after, err = s.upToNow(c); err != nil {
			return err
		}
	}
	leave, seated := s.deps.Seat(c, end)
	if !seated {
		return request.TooMany(rule.New("too_many_streams", "too many live streams"), 30*time.Second)
	}
	err = f.run()
	slow := errors.Is(err, os.ErrDeadlineExceeded)
	leave(slow)
	if err != nil {
		level := slog.LevelDebug
		if slow {
			level = slog.LevelInfo
		}
		s.deps.Base.Log.Log(ctx, level, "stream of events ended", "user", c.Caller.Name(), "error", err)
	}
	return nil // the answer is long under way; nothing can be said any more
}

// followsFrom returns the event after which a program goes on: the last one that it says it got, else that of its address. A number that was not given yet,
// as after a backup was put back, is the last one.
func (s *Server) followsFrom(c *request.Request) (after uint64, given bool, err error) {
	const least, key = 0, "after_id"
	text, from := c.HTTP.Header.Get("Last-Event-ID"), "Last-Event-ID"
	if text == "" {
		text, from = c.Query(key), key
	}
	if text == "" {
		return 0, false, nil
	}
	if after, err = strconv.ParseUint(text, 10, 63); err != nil {
		return 0, false, request.BadField(from, rule.New("event_number", "must be the number of an event, or {least}", "least", least))
	}
	return min(after, s.deps.Watch.Last()), true, nil
}

// upToNow returns the event up to which a program was told by other ways, when it says nothing: those that come are told.
func (s *Server) upToNow(c *request.Request) (uint64, error) {
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return 0, err
	}
	news, err := s.deps.Events.News(c.HTTP.Context(), l)
	if err != nil {
		return 0, err
	}
	return news.UpTo(), nil
}

func (f *follower) run() error {
	// The server's time-outs are for requests that end.
	if err := f.control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("lift the read deadline: %w", err)
	}
	h := f.Writer.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	f.Writer.WriteHeader(http.StatusOK)
	if err := f.comment(); err != nil {
		return err
	}
	due := time.NewTicker(welcomeEvery)
	defer due.Stop()
	var changed <-chan struct{}
	for again := true; ; {
		users := f.server.deps.Base.Users.Changed() // before asking, so that what changes meanwhile wakes
		who, welcome := f.server.deps.Base.StillWelcome(f.Caller)
		if !welcome || !who.User.May(right.ViewWatchdog) {
			return nil
		}
		f.Caller = who
		if again || isClosed(changed) {
			changed = f.server.deps.Watch.Changed() // before looking, for the same reason
			more, late, err := f.sendEvents()
			if err != nil {
				return err
			}
			if again = late; more {
				again = true
				continue
			}
		}
		if time.Since(f.said) >= commentEvery {
			if err := f.comment(); err != nil {
				return err
			}
		}
		select {
		case <-f.HTTP.Context().Done():
			return context.Cause(f.HTTP.Context())
		case <-changed:
		case <-users:
		case <-due.C:
		}
	}
}

// isClosed reports whether a channel is closed.
func isClosed(closed <-chan struct{}) bool {
	select {
	case <-closed:
		return true
	default:
		return false
	}
}

// sendEvents tells the next events. There may be more at once, and for a program whose user is told late there may be others by time alone.
func (f *follower) sendEvents() (more, late bool, err error) {
	ctx, user := f.HTTP.Context(), f.Caller.User
	v, err := f.server.deps.Desk.Sight.Of(ctx, user, f.Caller.Key+" live")
	if err != nil {
		return false, false, err
	}
	l := f.server.deps.Desk.ListenerOf(user, v)
	if !f.waits.IsOver(l) {
		return false, true, nil
	}
	p, err := f.server.page(ctx, l, f.after, mostTold)
	if err != nil {
		return false, false, err
	}
	f.after, f.waits = p.Last, p.Waits
	var b []byte
	for i := range p.records {
		text, err := json.Marshal(&p.records[i])
		if err != nil {
			return false, false, err
		}
		b = fmt.Appendf(b, "id: %d\nevent: event\ndata: %s\n\n", p.records[i].ID, text)
	}
	if len(b) > 0 {
		err = f.write(b)
	}
	return len(p.records) == mostTold, v.Late(), err
}

// comment says that the stream is still there.
func (f *follower) comment() error {
	f.said = time.Now()
	return f.write([]byte(": still here\n\n"))
}

// write sends bytes now; a program that does not take them in time is cut off.
func (f *follower) write(b []byte) error {
	if err := f.control.SetWriteDeadline(time.Now().Add(readWithin)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("set the write deadline: %w", err)
	}
	if _, err := f.Writer.Write(b); err != nil {
		return err
	}
	return f.control.Flush()
}
