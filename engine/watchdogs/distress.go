package watchdogs

import (
	"fmt"
	"time"

	"quaywatch/engine/distress"
	"quaywatch/ship/watchdog"
)

// lookEvery is how often alarms of distress are looked at whose devices may have fallen silent.
const lookEvery = time.Second

// distresses is the built-in watchdog: it tells of the alarms that package distress keeps. An alarm is on the disk before anything is told of it, and what
// is told of it goes to the disk with its situation. So a kill tells nothing twice, and leaves nothing out.
type distresses struct {
	watch *Watch
	list  *distress.Alarms // nil is none

	// With Watch.mu held:
	of     *dog      // the watchdog, nil before it is there
	turns  uint64    // of the list when it was looked at
	looked time.Time // when that was
	stands bool      // something was there then
}

// useWatchdogs takes the watchdog of now.
func (d *distresses) useWatchdogs(dogs map[uint64]*dog) {
	d.of, d.looked = nil, time.Time{}
	for _, builtIn := range dogs {
		if builtIn.of.BuiltIn() {
			d.of = builtIn
		}
	}
}

// aboutAlarm writes an alarm as what a situation is about. The situation began with the alarm, so a later alarm of the number is another one.
func aboutAlarm(a *distress.Alarm) string {
	if a.Test {
		return fmt.Sprintf("%d/test", a.Ship.MMSI)
	}
	return fmt.Sprint(a.Ship.MMSI)
}

// isLookDue reports whether alarms are to be looked at.
func (d *distresses) isLookDue() bool {
	if d.list == nil {
		return false
	}
	turns, w := d.list.Turns(), d.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	return d.of != nil && !w.now.IsZero() && (turns != d.turns || d.looked.IsZero() || d.stands && w.now.Sub(d.looked).Abs() >= lookEvery)
}

// checkAlarms raises and ends what the alarms of now ask for. One goroutine at a time may call it, without Watch.mu.
func (d *distresses) checkAlarms() {
	if !d.isLookDue() {
		return
	}
	turns := d.list.Turns() // before the alarms: what changes meanwhile is looked at anew
	alarms := d.list.Raised()
	w := d.watch
	w.mu.Lock()
	defer w.mu.Unlock()
	if d.of == nil {
		return
	}
	d.turns, d.looked, d.stands = turns, w.now, len(alarms) > 0
	now, there := w.now.UnixMilli(), map[subject]bool{}
	for i := range alarms {
		of := subject{d.of.id, aboutAlarm(&alarms[i])}
		there[of] = true
		d.updateAlarm(of, &alarms[i], now)
	}
	for of := range w.situations.all {
		if of.watchdog == d.of.id && !there[of] {
			w.situations.endSituation(of, now)
			w.situations.dropSituation(of)
		}
	}
}

// updateAlarm raises the event of an alarm, or ends it. An alarm that is over already is no news.
func (d *distresses) updateAlarm(of subject, a *distress.Alarm, now int64) {
	s := &d.watch.situations
	at, over := a.Over(now)
	standing := s.all[of]
	switch known := standing != nil && standing.since == a.Since; {
	case known && over:
		s.endSituation(of, at)
	case !known && !over:
		s.endSituation(of, a.Since)
		s.beginSituation(of, eventOfAlarm(d.of, a), false)
	}
}

// eventOfAlarm makes the event of an alarm. A test is no more than a note unless the watchdog is to ring for tests.
func eventOfAlarm(d *dog, a *distress.Alarm) Event {
	e := watchdog.Occurrence{Kind: watchdog.InDistress, At: a.Since}
	if a.Test {
		e.Kind = watchdog.DistressTest
	}
	if a.Ship.HasFix {
		e.Fix = a.Ship.Fix
	}
	event := eventOf(d, &e, &a.Ship)
	if a.Test && !d.of.Watchdog.TestMode {
		event.Severity = quietTest
	}
	event.Acknowledged, event.By = a.Seen, a.By
	return event
}

// quietTest is the severity of a test that rings nowhere.
const quietTest = "note"

// quiet reports whether nothing is sent of an activation: of a test that rings nowhere.
func (e *Event) quiet() bool { return e.Kind == watchdog.DistressTest && e.Severity == quietTest }
