package telling

import (
	"context"
	"slices"
	"time"

	"quaywatch/engine/watchdogs"
)

// EventNews tells a listener which events came, changed or went, when it may know. It belongs to one goroutine.
type EventNews struct {
	of      *EventReader
	after   uint64 // the event up to which all is told or hidden
	altered uint64 // the number of the last change of an event that was looked at
	pending []watchdogs.Alteration
	waits   Wait
}

// mostAltered is how many changes of events wait for a listener.
const mostAltered = 1000

// News returns what tells of events from now on. A listener that is told late may hear of earlier events too, of which it could not be told before. It may also
// hear of the ends of earlier events.
func (x *EventReader) News(ctx context.Context, l *Listener) (*EventNews, error) {
	n := &EventNews{of: x, after: x.watch.Last()}
	if l.Viewer.Late() {
		n.after = x.watch.CursorAt(l.User.UID, l.Viewer.Now().Add(-LongestLater)).After
	}
	n.pending, n.altered, _ = x.watch.AlteredSince(0)
	n.pending = slices.DeleteFunc(n.pending, func(a watchdogs.Alteration) bool { return !n.waitsFor(l, &a) })
	for more := true; more; {
		p, err := x.After(ctx, l, n.after, mostAltered, func(*watchdogs.Event) {})
		if err != nil {
			return nil, err
		}
		n.after, n.waits, more = p.Last, p.Waits, p.More
	}
	return n, nil
}

// UpTo returns the event up to which all is told or hidden.
func (n *EventNews) UpTo() uint64 { return n.after }

// News are the events of one look.
type News struct {
	Changed func(*watchdogs.Event) // takes an event that is new, or has changed
	Gone    func(id uint64)        // takes the number of an event that was deleted
}

// Tell hands on what is new, at most so many new events. again reports that more events changed than are remembered: what the listener has may be old.
func (n *EventNews) Tell(ctx context.Context, l *Listener, most int, to News) (again bool, err error) {
	again = n.readChanges(l.Viewer.Late())
	if err := n.tellChanges(ctx, l, to); err != nil || !n.waits.IsOver(l) {
		return again, err
	}
	p, err := n.of.After(ctx, l, n.after, most, to.Changed)
	if err == nil {
		n.after, n.waits = p.Last, p.Waits
	}
	return again, err
}

// waitsFor reports whether a listener is told of a change later.
func (n *EventNews) waitsFor(l *Listener, a *watchdogs.Alteration) bool {
	return l.Viewer.Late() && time.UnixMilli(a.Over).After(l.Viewer.Now())
}

// readChanges takes what changed of earlier events. It reports whether some of it is not known any more.
func (n *EventNews) readChanges(late bool) (again bool) {
	changes, last, whole := n.of.watch.AlteredSince(n.altered)
	n.altered = last
	for _, a := range changes {
		if a.Event <= n.after || late && a.Over != 0 { // else it is told as it is now
			n.pending = append(n.pending, a)
		}
	}
	if whole && len(n.pending) <= mostAltered {
		return false
	}
	n.pending = nil
	return true
}

// tellChanges tells what changed, of the events that the listener may see, when it may know.
func (n *EventNews) tellChanges(ctx context.Context, l *Listener, to News) error {
	var events []watchdogs.Event
	var removed []*watchdogs.Event
	var wait []watchdogs.Alteration
	err := l.Viewer.Read(ctx, func() error {
		for _, a := range n.pending {
			if n.waitsFor(l, &a) {
				wait = append(wait, a)
				continue
			}
			if a.Removed != nil {
				removed = append(removed, a.Removed)
				continue
			}
			e, err := n.of.watch.Get(a.Event)
			if err == nil {
				events = append(events, e)
			} else if !isGone(err) {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	n.pending = wait
	err = l.Viewer.InTurns(ctx, len(removed), func(i int) {
		if n.of.Of(l, removed[i]) == Shown { // else the listener has it not
			to.Gone(removed[i].ID)
		}
	})
	if err != nil {
		return err
	}
	return l.Viewer.InTurns(ctx, len(events), func(i int) {
		if n.of.Of(l, &events[i]) == Shown {
			to.Changed(&events[i])
		}
	})
}
