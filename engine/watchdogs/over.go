package watchdogs

import "time"

// mostAlso is how many events may wait to be over with one alarm. Beyond it the earliest is over.
const mostAlso = 32

// beginEvent takes an event with which an alarm becomes active, or is active with a graver reason: the one before is over with it.
func (a *alarm) beginEvent(w *Watch, r *raised) {
	if a.open && a.began != nil {
		a.overWith(w, a.began)
	}
	a.open, a.began = true, &began{owner: r.event.Owner}
	if r.untold {
		a.began, r.begins = nil, false
	}
	r.began = a.began
}

// overWith has an event be over when the alarm is.
func (a *alarm) overWith(w *Watch, event *began) {
	if len(a.also) == mostAlso {
		endEvent(w, a.also[0], a.last.At, false)
		a.also = a.also[1:]
	}
	a.also = append(a.also, event)
}

// endAll has the events be over that are over with the alarm.
func (a *alarm) endAll(w *Watch, at int64, evicted bool) {
	a.open = false
	for _, event := range a.also {
		endEvent(w, event, at, evicted)
	}
	a.also = nil
}

// isPendingFull reports whether no more events may wait to be stored.
func isPendingFull(w *Watch) bool { return len(w.pending) >= mostWaits }

// enqueue has an event wait to be stored, and reports whether there was room.
func enqueue(w *Watch, r raised) bool {
	if isPendingFull(w) {
		lose(w)
		return false
	}
	w.pending = append(w.pending, r)
	return true
}

// stoodStill is how long a commit must have been under way for the disk to be why an event is lost.
const stoodStill = 2 * time.Second

// lose counts an event that there is no room for. The reason is that the disk stands still where a commit is under way for long or failed. Else there was more
// to do than the processor did.
func lose(w *Watch) {
	if w.lost++; !w.failing && (w.config.DB == nil || w.config.DB.Stalled() < stoodStill) {
		w.lostBusy++
	}
}

// endEvent has an event be over, without an event of its own.
func endEvent(w *Watch, event *began, at int64, evicted bool) {
	if !isPendingFull(w) {
		w.pending = append(w.pending, raised{event: Event{Time: at}, began: event, ends: true, untold: true, evicted: evicted})
	}
}
