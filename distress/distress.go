// Package distress keeps the alarms of people in distress: of AIS-SART, man overboard devices and EPIRBs, known by their numbers, and of any
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
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
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

// room gives how many alarms of a tier are kept. What comes beyond them is only told to be more.
func (t tier) room() int {
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

// Acknowledged tells whether a user has acknowledged the alarm.
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

// over tells whether what is left of the alarm may go.
func (a *Alarm) over(now int64) bool {
	silence := time.Duration(now-max(a.Ship.Heard, a.Seen)) * time.Millisecond
	return a.Test && silence > testStays || a.Acknowledged() && silence > seenStays
}

// entry is an alarm and what of it is stored.
type entry struct {
	Alarm
	id      uint64 // in the table; 0 is not stored yet
	unsaved bool
	saved   int64 // when the ship was heard, as stored
}

// List is the alarms. It is a traffic.Observer: hand it to Picture.Run.
type List struct {
	db      *store.DB
	table   *store.Table[record]
	log     *slog.Logger
	version atomic.Uint64 // grows with each change
	size    atomic.Int32  // of alarms, so that the picture need not lock while there is none

	writing sync.Mutex
	failing bool // the last write failed; under writing

	mu       sync.Mutex
	alarms   map[ais.MMSI]*entry
	count    [tiers]int
	gone     []uint64 // stored, and to be deleted
	overflow int64    // when an alarm came for which there was no room
	swept    int64    // when alarms that are over were last looked for
	now      int64    // of the picture
}

// Version grows with each change of an alarm.
func (l *List) Version() uint64 { return l.version.Load() }

// Observe takes a step of the picture. Nearly all steps are of no ship in distress, and cost a comparison.
func (l *List) Observe(u *ship.Update) {
	if u.Report == nil {
		if u.Now.Age == ship.Removed && l.size.Load() > 0 {
			l.leave(&u.Now)
		}
		return
	}
	switch sayingOf(u.Now.MMSI, u.Report.Message) {
	case saysDistress:
		l.hear(u, false)
	case saysTest:
		l.hear(u, true)
	}
}

// leave keeps what the picture knew last of a ship that leaves it.
func (l *List) leave(s *ship.State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.alarms[s.MMSI]; e != nil {
		e.Ship, e.unsaved = *s, true
		l.version.Add(1)
	}
}

// hear takes a report of a ship in distress, or of a test.
func (l *List) hear(u *ship.Update, test bool) {
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
		if l.count[fresh.tier()] >= fresh.tier().room() {
			l.overflow = at
			l.version.Add(1)
			return
		}
		e = &entry{Alarm: fresh, unsaved: true}
		l.alarms[u.Now.MMSI] = e
		l.count[e.tier()]++
	case e.Test && !test, e.Acknowledged() && time.Duration(at-e.Ship.Heard)*time.Millisecond > newAfter:
		l.become(e, fresh)
	case e.Established == 0:
		raised := e.Alarm
		raised.Established = fresh.Established
		l.become(e, raised)
	}
	e.Ship = u.Now
	l.size.Store(int32(len(l.alarms)))
	l.version.Add(1)
}

// become makes an alarm another one. It does so where its tier is full, too: no alarm is forgotten that was taken.
func (l *List) become(e *entry, now Alarm) {
	l.count[e.tier()]--
	now.Ship = e.Ship
	e.unsaved = e.unsaved || now.Since != e.Since || now.Established != e.Established
	e.Alarm = now
	l.count[e.tier()]++
}

// sweepEvery is how often alarms that are over are looked for.
const sweepEvery = 10 * time.Second

// Tick lets go of tests and acknowledged alarms that are over.
func (l *List) Tick(now time.Time) {
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
	for m, e := range l.alarms {
		if !e.over(at) {
			continue
		}
		if e.id != 0 {
			l.gone = append(l.gone, e.id)
		}
		delete(l.alarms, m)
		l.count[e.tier()]--
		l.version.Add(1)
	}
	l.size.Store(int32(len(l.alarms)))
}
