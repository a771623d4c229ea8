package watchdogs

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/sight"
	"quaywatch/telling"
	"quaywatch/watch"
)

// mostTold is how many events a stream tells at once. The others come with the next look.
const mostTold = 200

// Stream returns the event of one live stream about what watchdogs raised: a function that gives nil while there is no news for the user. Its first call
// only notes where the client begins.
func (s *Server) Stream() func(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	c := client{server: s}
	return c.next
}

// client is what a live client was told of.
type client struct {
	server  *Server
	begun   bool
	after   uint64 // the event up to which all is told or hidden
	altered uint64 // the number of the last change of an event that was looked at
	pending []watch.Alteration
	waits   wait
}

// told is the event of a live stream.
type told struct {
	Records []record `json:"records"`
	Gone    []uint64 `json:"gone,omitempty"`  // events that were deleted
	Again   bool     `json:"again,omitempty"` // more events changed than are remembered: what the client has may be old
}

func (c *client) next(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	if !user.May(right.ViewWatchdog) {
		*c = client{server: c.server}
		return nil, nil
	}
	if !c.begun {
		return nil, c.noteStart(ctx, v, user)
	}
	news := told{Records: []record{}, Again: c.readChanges(v.Late())}
	if err := c.tellChanges(ctx, v, user, &news); err != nil {
		return nil, err
	}
	if c.waits.isOver(v) {
		p, err := c.server.page(ctx, v, user, c.after, mostTold)
		if err != nil {
			return nil, err
		}
		c.after, c.waits, news.Records = p.last, p.waits, append(news.Records, p.records...)
	}
	if len(news.Records)+len(news.Gone) == 0 && !news.Again {
		return nil, nil
	}
	return json.Marshal(news)
}

// noteStart notes the event from which on the client is told. A client that is told late may hear of earlier events too, of which it could not be told before. It
// may also hear of the ends of earlier events.
func (c *client) noteStart(ctx context.Context, v *sight.Viewer, user *access.User) error {
	w := c.server.deps.Watch
	after := w.Last()
	if v.Late() {
		after = w.CursorAt(user.UID, v.Now().Add(-telling.LongestLater)).After
	}
	changes, altered, _ := w.AlteredSince(0)
	c.pending = slices.DeleteFunc(changes, func(a watch.Alteration) bool { return !v.Late() || !time.UnixMilli(a.Over).After(v.Now()) })
	for {
		p, err := c.server.page(ctx, v, user, after, mostRecords)
		if err != nil {
			return err
		}
		after, c.waits = p.last, p.waits
		if len(p.records) < mostRecords {
			break
		}
	}
	c.begun, c.after, c.altered = true, after, altered
	return nil
}

// readChanges takes what changed of earlier events. It reports whether some of it is not known any more.
func (c *client) readChanges(late bool) (again bool) {
	changes, last, whole := c.server.deps.Watch.AlteredSince(c.altered)
	c.altered = last
	for _, a := range changes {
		if a.Event <= c.after || late && a.Over != 0 { // else it is told as it is now
			c.pending = append(c.pending, a)
		}
	}
	if whole && len(c.pending) <= mostRecords {
		return false
	}
	c.pending = nil
	return true
}

// tellChanges tells what changed, of the events that the user may see, when it may know.
func (c *client) tellChanges(ctx context.Context, v *sight.Viewer, user *access.User, news *told) error {
	var events []watch.Event
	var removed []*watch.Event
	var wait []watch.Alteration
	err := v.Read(ctx, func() error {
		for _, a := range c.pending {
			if v.Late() && time.UnixMilli(a.Over).After(v.Now()) {
				wait = append(wait, a)
				continue
			}
			if a.Removed != nil {
				removed = append(removed, a.Removed)
				continue
			}
			e, err := c.server.deps.Watch.Get(a.Event)
			if err == nil {
				events = append(events, e)
			} else if !errors.Is(err, watch.ErrUnknown) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c.pending = wait
	err = v.InTurns(ctx, len(removed), func(i int) {
		if c.server.eventJudge().Of(v, user, removed[i]) == telling.Shown { // else the client has it not
			news.Gone = append(news.Gone, removed[i].ID)
		}
	})
	if err != nil {
		return err
	}
	return v.InTurns(ctx, len(events), func(i int) {
		if c.server.eventJudge().Of(v, user, &events[i]) == telling.Shown {
			news.Records = append(news.Records, c.server.eventRecord(v, &events[i], user.UID != ""))
		}
	})
}
