package watchdogs

import (
	"iter"

	"quaywatch/ship/watchdog"
)

// EventOrigin is what an event comes of: a watchdog, and who had it then. Who may know of an event depends on its origin, before it depends on ships.
type EventOrigin struct {
	Watchdog uint64
	Owner    string
	Type     watchdog.Type
	Manual   bool // a user made it
}

// Origin returns what the event comes of.
func (e *Event) Origin() EventOrigin {
	return EventOrigin{e.Watchdog, e.Owner, e.Type, e.Manual != nil}
}

// origins are those of the events of an index. Events have them by number; number 0 stands for an origin that is not known.
type origins struct {
	of      []uint32      // by event
	list    []EventOrigin // by number
	numbers map[EventOrigin]uint32
}

// add notes the origin of the next event, nil where it is not known.
func (o *origins) add(from *EventOrigin) {
	if o.list == nil {
		o.list, o.numbers = make([]EventOrigin, 1), map[EventOrigin]uint32{}
	}
	if from == nil {
		o.of = append(o.of, 0)
		return
	}
	n, known := o.numbers[*from]
	if !known {
		n = uint32(len(o.list))
		o.list, o.numbers[*from] = append(o.list, *from), n
	}
	o.of = append(o.of, n)
}

// dropFirst forgets the first events, and the origins that no other event has.
func (o *origins) dropFirst(n int) {
	of, list := o.of[n:], o.list
	*o = origins{}
	for _, number := range of {
		if number == 0 {
			o.add(nil)
		} else {
			o.add(&list[number])
		}
	}
}

// Wanted picks events by their origin. The zero Wanted picks all. It is for one question: it does not know watchdogs that are made later, and picks what these
// raise.
type Wanted struct{ not map[EventOrigin]bool }

// WantedBy returns the Wanted that picks the events whose origin passes may.
func WantedBy(w *Watch, may func(EventOrigin) bool) Wanted {
	w.index.mu.RLock()
	list := w.index.origins.list
	w.index.mu.RUnlock()
	not := map[EventOrigin]bool{}
	for i := 1; i < len(list); i++ {
		if !may(list[i]) {
			not[list[i]] = true
		}
	}
	return Wanted{not}
}

// atOnce is how many events in a row are walked before the index is asked again.
const atOnce = 1000

// After returns the wanted events with a number above another one, as Watch.After does. What is not wanted is not read.
func (wanted Wanted) After(w *Watch, number uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		last := w.index.last()
		for from, to, more := w.index.run(wanted, number, last, atOnce); more; from, to, more = w.index.run(wanted, to, last, atOnce) {
			if !yieldEvents(w.series.Forward(w.index.keyAfter(from-1), w.index.keyAfter(to)), yield) {
				return
			}
		}
	}
}

// Before returns the wanted events with a number below another one, the latest first, as After does.
func (wanted Wanted) Before(w *Watch, number uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for from, to, more := w.index.runBefore(wanted, number, atOnce); more; from, to, more = w.index.runBefore(wanted, from, atOnce) {
			if !yieldEvents(w.series.Backward(w.index.keyAfter(from-1), w.index.keyAfter(to)), yield) {
				return
			}
		}
	}
}

// run returns the first numbers from..to after a number that are wanted, in a row and at most so many. It looks up to last, which there is. It returns false
// where there are none.
func (x *index) run(wanted Wanted, after, last uint64, most int) (from, to uint64, found bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for n := max(after+1, x.first); n <= last; n++ {
		switch {
		case !x.wantsEvent(wanted, n) && found, found && n-from == uint64(most):
			return from, to, true
		case x.wantsEvent(wanted, n):
			if !found {
				from, found = n, true
			}
			to = n
		}
	}
	return from, to, found
}

// runBefore is run towards the earlier ones: it returns the last numbers before a number.
func (x *index) runBefore(wanted Wanted, before uint64, most int) (from, to uint64, found bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for next := min(before, x.first+uint64(len(x.times))); next > x.first; next-- {
		n := next - 1
		switch {
		case !x.wantsEvent(wanted, n) && found, found && to-n == uint64(most):
			return from, to, true
		case x.wantsEvent(wanted, n):
			if !found {
				to, found = n, true
			}
			from = n
		}
	}
	return from, to, found
}

// wantsEvent reports whether an event is wanted. The caller holds mu.
func (x *index) wantsEvent(wanted Wanted, n uint64) bool {
	number := x.origins.of[n-x.first]
	return number == 0 || len(wanted.not) == 0 || !wanted.not[x.origins.list[number]]
}
