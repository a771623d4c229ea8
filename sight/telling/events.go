package telling

import (
	"context"
	"errors"

	"quaywatch/ais"
	"quaywatch/engine/alert"
	"quaywatch/engine/watchdogs"
	"quaywatch/sight"
)

// EventReader reads the events of watchdogs as listeners are told of them. Whoever answers users has no other way to them. It asks for no right: whether the user
// may see watchdogs at all is for the caller.
type EventReader struct {
	Judge
	watch *watchdogs.Watch
}

// NewEventReader makes the reader of the events that are kept.
func NewEventReader(j Judge, kept *watchdogs.Watch) *EventReader { return &EventReader{j, kept} }

// Wait is until when a listener that is told late is told of no more events. It holds for one Viewer's key.
type Wait struct {
	key   sight.Key
	until int64 // Unix milliseconds of the listener's time; zero where only a look tells
}

// IsOver reports whether it is time to look for events.
func (w *Wait) IsOver(l *Listener) bool {
	return l.Viewer.Key() != w.key || l.Viewer.Now().UnixMilli() >= w.until
}

// Progress is how far events were read.
type Progress struct {
	Last  uint64 // the event up to which all is told or hidden
	More  bool   // there are others
	Waits Wait
}

// eventsAtOnce is how many events are read at once.
const eventsAtOnce = 500

// After hands the events after a number that a listener is told of to take, at most so many, in turns with other callers.
func (x *EventReader) After(ctx context.Context, l *Listener, after uint64, most int, take func(*watchdogs.Event)) (Progress, error) {
	p, taken := Progress{Last: after}, 0
	wanted := x.wantedBy(l)
	for taken < most {
		part, upTo, end, err := x.readAfter(ctx, l, wanted, p.Last)
		if err != nil {
			return p, err
		}
		full, later := false, false
		err = l.Viewer.InTurns(ctx, len(part), func(i int) {
			if full = full || !later && taken == most; full || later {
				return
			}
			switch x.Of(l, &part[i]) {
			case Later:
				later = true
				p.Waits = Wait{l.Viewer.Key(), part[i].Known(x.Sight.Now()).UnixMilli()}
				return
			case Shown:
				take(&part[i])
				taken++
			}
			p.Last = part[i].ID
		})
		if err == nil && !full && !later {
			p.Last = max(p.Last, upTo)
		}
		if err != nil || full || later || end {
			p.More = full // what comes later is not told of now, not even that there is something
			return p, err
		}
	}
	p.More = true
	return p, nil
}

// Latest hands the last events that a listener is told of to take, at most so many, the latest first.
func (x *EventReader) Latest(ctx context.Context, l *Listener, most int, take func(*watchdogs.Event)) error {
	wanted, taken := x.wantedBy(l), 0
	for before, more := x.watch.Last()+1, true; more && taken < most; {
		part, first, err := x.readBefore(ctx, l, wanted, before)
		if err != nil {
			return err
		}
		before, more = first, first < before
		err = l.Viewer.InTurns(ctx, len(part), func(i int) {
			if taken < most && x.Of(l, &part[i]) == Shown {
				take(&part[i])
				taken++
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ByID returns an event by its number. It fails with watchdogs.ErrUnknown where the listener is told of no such event.
func (x *EventReader) ByID(l *Listener, id uint64) (watchdogs.Event, error) {
	e, err := x.watch.Get(id)
	if err == nil && x.Of(l, &e) != Shown {
		return watchdogs.Event{}, watchdogs.ErrUnknown
	}
	return e, err
}

// LastOf returns the last of the latest events of a watchdog that a listener is told of; nil for none.
func (x *EventReader) LastOf(l *Listener, watchdog uint64) *watchdogs.Event {
	for _, e := range watchdogs.LastEvents(x.watch, watchdog) {
		if x.Of(l, e) == Shown {
			return e
		}
	}
	return nil
}

// Inside hands the ships of which events go on now to take, as far as the listener may know. They are those of a watchdog, or of all where the number is 0. A
// listener that is told late would learn too early which ship left, and is told of none.
func (x *EventReader) Inside(ctx context.Context, l *Listener, watchdog uint64, take func(*watchdogs.Inside)) error {
	if l.Viewer.Late() {
		return nil
	}
	all := watchdogs.InsideNow(x.watch, watchdog)
	return l.Viewer.InTurns(ctx, len(all), func(i int) {
		if l.seesInside(&all[i]) {
			take(&all[i])
		}
	})
}

// Listed is Inside for the ships on the lists that watchdogs make. A ship comes once for each list, though it may be there in several pairs.
func (x *EventReader) Listed(ctx context.Context, l *Listener, take func(*watchdogs.Inside)) error {
	if l.Viewer.Late() {
		return nil
	}
	type place struct {
		watchdog uint64
		mmsi     ais.MMSI
	}
	all, taken := watchdogs.ListedNow(x.watch, 0), map[place]bool{}
	return l.Viewer.InTurns(ctx, len(all), func(i int) {
		at := place{all[i].Watchdog, all[i].MMSI}
		if !taken[at] && l.seesInside(&all[i]) { // of its pairs it may see some
			taken[at] = true
			take(&all[i])
		}
	})
}

// OfAlert returns an alert that was put away with its events. Those that are kept no longer are nil. What a listener is told of each is still to be asked.
func (x *EventReader) OfAlert(a *alert.Alert) alert.Standing {
	standing := alert.Standing{Alert: a, Events: make([]*watchdogs.Event, len(a.Parts))}
	for i, p := range a.Parts {
		if e, err := x.watch.Get(p.Event); err == nil {
			standing.Events[i] = &e
		}
	}
	return standing
}

// seesInside reports whether a listener may know that a ship is inside. Of a pair it must see both, and of a zone also the ship that it moves with.
func (l *Listener) seesInside(inside *watchdogs.Inside) bool {
	return l.Viewer.Everything() || l.seesNow(inside.MMSI) && (inside.Other == 0 || l.seesNow(inside.Other))
}

// wantedBy picks the events that a listener may know of, whatever the ships. So those of others are not read.
func (x *EventReader) wantedBy(l *Listener) watchdogs.Wanted {
	return watchdogs.WantedBy(x.watch, func(o watchdogs.EventOrigin) bool { return x.MayKnow(l.User, o) })
}

// readBefore reads the last events before a number, the latest first. first is the number of the first event that it looked at, before itself for none.
func (x *EventReader) readBefore(ctx context.Context, l *Listener, wanted watchdogs.Wanted, before uint64) (part []watchdogs.Event, first uint64, err error) {
	first = before
	err = l.Viewer.Read(ctx, func() error {
		count := 0
		for e, err := range wanted.Before(x.watch, before) {
			if e.ID == 0 {
				return err
			}
			if first = e.ID; err == nil { // an event that is damaged is passed over
				part = append(part, e)
			}
			if count++; count == eventsAtOnce {
				break
			}
		}
		return nil
	})
	return part, first, err
}

// readAfter reads the next events that are wanted, up to the event upTo; end reports that there are no others.
func (x *EventReader) readAfter(ctx context.Context, l *Listener, wanted watchdogs.Wanted, after uint64) (part []watchdogs.Event, upTo uint64, end bool, err error) {
	if upTo, end = x.watch.Last(), true; after >= upTo {
		return nil, upTo, true, nil
	}
	err = l.Viewer.Read(ctx, func() error {
		for e, err := range wanted.After(x.watch, after) {
			if e.ID == 0 {
				return err
			}
			if err == nil { // an event that is damaged is passed over
				part = append(part, e)
			}
			if len(part) == eventsAtOnce {
				upTo, end = e.ID, false
				break
			}
		}
		return nil
	})
	return part, upTo, end, err
}

// isGone reports whether an error says that there is no such event.
func isGone(err error) bool { return errors.Is(err, watchdogs.ErrUnknown) }
