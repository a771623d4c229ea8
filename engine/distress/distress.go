// Package distress keeps the alarms of people in distress. They are those of AIS-SART, man overboard devices and EPIRBs, known by their numbers, and of any
// ship whose navigational status is 14.
//
// It promises that an alarm stays, with the last position that was heard, until a user acknowledges it, also over restarts. A flood of
// invented numbers takes no place of an alarm that was there before, and its memory is bounded. Which alarms a user may see is the reader's to say.
// It reads no clock: time comes with the reports and the ticks.
//
// Locks: writing is held while the database writes. What readers and the picture need is guarded by mu, which is taken after it and held for
// a moment.
package distress

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/outage"
	"quaywatch/store/records"
)

// How long what is over stays, after the last report and the acknowledgement.
const (
	testStays = 15 * time.Minute // nobody has to acknowledge a test
	seenStays = 24 * time.Hour   // an alarm that was acknowledged
	newAfter  = time.Hour        // silence after which a device that was acknowledged raises a new alarm
	overflown = 10 * time.Minute // how long it is told that there were more alarms than there is room for
)

// tier is how much speaks for an alarm.
type tier uint8

const (
	vague       tier = iota // without a position, or with a single report: whoever invents numbers sends these
	established             // with a position and more than one report
	tested                  // a test of a device
	tiers
)

// mostAlarms returns how many alarms of a tier are kept. Beyond them an acknowledged one gives way; where there is none, it is only told that there are more.
func (t tier) mostAlarms() int {
	if t == established {
		return 500
	}
	return 100
}

// ErrUnknown says that there is no such alarm, or that the ship is hidden: a reader is not told which.
var ErrUnknown = errors.New("no such alarm is known")

// Alarm is one person, boat or ship in distress, or a device under test. Times are in Unix milliseconds.
type Alarm struct {
	Ship        ship.State // as it was heard last, or as a reader may be told of it
	Test        bool
	Since       int64  // the first report that raised it
	Established int64  // the first report with which there were a position and more than one report; 0 for none as yet
	By          string // the user that acknowledged it; "" for none as yet
	Seen        int64  // when that was
}

// Acknowledged reports whether a user has acknowledged the alarm.
func (a *Alarm) Acknowledged() bool { return a.Seen != 0 }

func (a *Alarm) tier() tier {
	switch {
	case a.Test:
		return tested
	case a.Established != 0:
		return established
	}
	return vague
}

// isOver reports whether what is left of the alarm may go.
func (a *Alarm) isOver(now int64) bool {
	silence := time.Duration(now-max(a.Ship.Heard, a.Seen)) * time.Millisecond
	return a.Test && silence > testStays || a.Acknowledged() && silence > seenStays
}

// Over returns when the situation is over that the alarm tells of, in Unix milliseconds. It may be a test that is no longer heard. Or it is an alarm that
// somebody has acknowledged and that another alarm follows if it is heard again. An alarm that nobody has acknowledged is never over.
func (a *Alarm) Over(now int64) (at int64, over bool) {
	switch {
	case a.Test:
		at = a.Ship.Heard + testStays.Milliseconds()
	case a.Acknowledged():
		at = max(a.Seen, a.Ship.Heard+newAfter.Milliseconds())
	default:
		return 0, false
	}
	return at, now > at
}

// entry is an alarm and what of it is stored.
type entry struct {
	Alarm
	id      uint64 // in the table; 0 is not stored yet
	unsaved bool
	saved   int64 // when the ship was heard, as stored
	raised  int64 // Since, as stored
}

// Alarms is the alarms. It is a traffic.Observer: hand it to Picture.Run.
type Alarms struct {
	db      *records.Database
	table   *records.Table[record]
	log     *slog.Logger
	version atomic.Uint64    // grows with each change
	size    atomic.Int32     // of alarms, so that the picture need not lock while there is none
	turns   wake.ChangeCount // of alarms that were raised, acknowledged or let go, as it is stored
	kick    wake.Kick        // there is an alarm to be stored

	writing sync.Mutex
	outage  outage.Logger // under writing

	mu       sync.Mutex
	alarms   map[ais.MMSI]*entry
	count    [tiers]int
	gone     []uint64 // stored, and to be deleted
	overflow int64    // when an alarm came for which there was no room
	swept    int64    // when alarms that are over were last looked for
	now      int64    // of the picture
}

// Version grows with each change of an alarm.
func (l *Alarms) Version() uint64 { return l.version.Load() }

// Turns grows when an alarm that was raised is stored, when it is acknowledged and when it is let go: not with each report.
func (l *Alarms) Turns() uint64 { return l.turns.Load() }

// Turned returns a channel that is closed when Turns grows next.
func (l *Alarms) Turned() <-chan struct{} { return l.turns.Next() }

// Raised returns the alarms that are on the disk, by number. A kill forgets none of them, so that nobody is told twice of one.
func (l *Alarms) Raised() []Alarm {
	if l.size.Load() == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Alarm
	for _, e := range l.alarms {
		if e.raised == e.Since {
			all = append(all, e.Alarm)
		}
	}
	slices.SortFunc(all, func(a, b Alarm) int { return cmp.Compare(a.Ship.MMSI, b.Ship.MMSI) })
	return all
}

// Observe takes a step of the picture. Nearly all steps are of no ship in distress, and cost a comparison.
func (l *Alarms) Observe(u *ship.Update) {
	if u.Report == nil {
		if u.Now.Age == ship.Removed && l.size.Load() > 0 {
			l.keepShip(&u.Now)
		}
		return
	}
	switch sayingOf(u.Now.MMSI, u.Report.Message) {
	case saysDistress:
		l.addReport(u, false)
	case saysTest:
		l.addReport(u, true)
	}
}

// keepShip keeps what the picture knew last of a ship that leaves it.
func (l *Alarms) keepShip(s *ship.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.alarms[s.MMSI]; e != nil {
		e.Ship, e.unsaved = *s, true
		l.version.Add(1)
	}
}

// addReport takes a report of a ship in distress, or of a test.
func (l *Alarms) addReport(u *ship.Update, test bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := u.Report.Received.UnixMilli()
	l.now = max(l.now, at)
	e := l.alarms[u.Now.MMSI]
	fresh := Alarm{Test: test, Since: at}
	if u.Now.HasFix && u.Now.Reports > 1 {
		fresh.Established = at
	}
	switch {
	case e == nil:
		if !l.hasRoom(fresh.tier(), at) {
			return
		}
		e = &entry{Alarm: fresh, unsaved: true}
		l.alarms[u.Now.MMSI] = e
		l.count[e.tier()]++
	case e.Test && !test, e.Acknowledged() && time.Duration(at-e.Ship.Heard)*time.Millisecond > newAfter:
		fresh.Since = max(fresh.Since, e.Since+1) // Since tells one alarm of a number from another
		if !l.changeAlarm(e, fresh, at) {
			return // its silence goes on, so the next report asks again
		}
	case e.Established == 0 && fresh.Established != 0:
		raised := e.Alarm
		raised.Established = fresh.Established
		l.changeAlarm(e, raised, at)
	}
	e.Ship = u.Now
	l.size.Store(int32(len(l.alarms)))
	l.version.Add(1)
	if e.raised != e.Since {
		l.kick.Wake()
	}
}

// hasRoom reports whether a tier takes one more alarm. Where it is full, the acknowledged alarm that was heard longest ago gives way: somebody knows of it, and
// of the new one nobody does.
func (l *Alarms) hasRoom(t tier, at int64) bool {
	if l.count[t] < t.mostAlarms() {
		return true
	}
	var known *entry
	for _, e := range l.alarms {
		if e.tier() == t && e.Acknowledged() && (known == nil || e.Ship.Heard < known.Ship.Heard) {
			known = e
		}
	}
	if known == nil {
		l.overflow = at
		l.version.Add(1)
		return false
	}
	l.forgetAlarm(known)
	return true
}

// forgetAlarm lets go of an alarm.
func (l *Alarms) forgetAlarm(e *entry) {
	if e.id != 0 {
		l.gone = append(l.gone, e.id)
	}
	delete(l.alarms, e.Ship.MMSI)
	l.count[e.tier()]--
	l.version.Add(1)
	l.turns.Add()
}

// changeAlarm makes an alarm another one, and reports whether it did. Without room in the tier of that one it stays what it is.
func (l *Alarms) changeAlarm(e *entry, now Alarm, at int64) bool {
	if now.tier() != e.tier() && !l.hasRoom(now.tier(), at) {
		return false
	}
	l.count[e.tier()]--
	now.Ship = e.Ship
	e.unsaved = e.unsaved || now.Since != e.Since || now.Established != e.Established
	e.Alarm = now
	l.count[e.tier()]++
	return true
}

// sweepEvery is how often alarms that are over are looked for.
const sweepEvery = 10 * time.Second

// Tick lets go of tests and acknowledged alarms that are over.
func (l *Alarms) Tick(now time.Time) {
	if l.size.Load() == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := now.UnixMilli()
	l.now = max(l.now, at)
	if gap := at - l.swept; gap >= 0 && gap < sweepEvery.Milliseconds() {
		return
	}
	l.swept = at
	for _, e := range l.alarms {
		if e.isOver(at) {
			l.forgetAlarm(e)
		}
	}
	l.size.Store(int32(len(l.alarms)))
}
