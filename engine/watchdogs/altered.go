package watchdogs

import "sync"

// mostAltered is how many changes of earlier events are remembered.
const mostAltered = 10_000

// Alteration is a change of an event after it was stored: it is over, it was acknowledged, or it was removed.
type Alteration struct {
	Event   uint64
	Over    int64  // when it was over, in Unix milliseconds; 0 for what a user did
	Evicted bool   // it was forgotten then, for want of room
	Removed *Event // the event as it was; nil while it is there
}

// altered remembers the last changes of events. A change has the number of its place since the start.
type altered struct {
	mu   sync.Mutex
	last uint64
	list []Alteration // the last ones
}

func (a *altered) add(alteration Alteration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last++
	if len(a.list) >= 2*mostAltered {
		a.list = append(a.list[:0:0], a.list[mostAltered+1:]...)
	}
	a.list = append(a.list, alteration)
}

// changesSince returns the changes after a number, and the number of the last one. It is false when some of them are remembered no more.
func (a *altered) changesSince(number uint64) (changes []Alteration, last uint64, whole bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	first := a.last - uint64(len(a.list)) // before the first that is remembered
	if number > a.last || number < first {
		return nil, a.last, false
	}
	return append(changes, a.list[number-first:]...), a.last, true
}

// AlteredSince returns the changes of events after a number, in their order, and the number of the last one. Numbers begin with 0 at each start. It is
// false when some of them are remembered no more.
func (w *Watch) AlteredSince(number uint64) (changes []Alteration, last uint64, whole bool) {
	return w.altered.changesSince(number)
}

// Touch tells the readers that something about an event is other than it was, which is not kept here: what was sent of it.
func (w *Watch) Touch(event uint64) {
	w.altered.add(Alteration{Event: event})
	w.news.Raise()
}
