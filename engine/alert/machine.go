package alert

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/internal/rule"
	"quaywatch/ship/watchdog"
)

// Priority is how urgent an alert is, in the words of MSC.302(87).
type Priority string

// The priorities, the least first.
const (
	Caution   Priority = "caution"   // makes no sound, is not latched and needs nobody
	Warning   Priority = "warning"   // sounds once, and stands until somebody acknowledges it
	Alarm     Priority = "alarm"     // sounds until somebody silences or acknowledges it
	Emergency Priority = "emergency" // of people in distress alone
)

// PriorityOf returns the priority of an event. A test of a device is no emergency.
func PriorityOf(e *watchdogs.Event) Priority {
	switch {
	case e.Kind == watchdog.InDistress:
		return Emergency
	case e.Severity == "alert":
		return Alarm
	case e.Severity == "warning":
		return Warning
	}
	return Caution
}

// Latched reports whether an alert stands until somebody acknowledges it.
func (p Priority) Latched() bool { return p != Caution }

// Repeats reports whether its sound goes on.
func (p Priority) Repeats() bool { return p == Alarm || p == Emergency }

// AlertState is how an alert is, to one reader.
type AlertState string

// The states.
const (
	Normal       AlertState = "normal"       // over, and acknowledged where that is wanted
	Active       AlertState = "active"       // nobody has acknowledged it
	Silenced     AlertState = "silenced"     // nobody has, and its sound rests
	Transferred  AlertState = "transferred"  // nobody has, and another was asked to
	Acknowledged AlertState = "acknowledged" // it goes on
	Rectified    AlertState = "rectified"    // it is over, and nobody has acknowledged it
)

// The times of alerts.
const (
	Together = time.Minute      // activations of a watchdog that are no further apart are one alert
	Quiet    = 30 * time.Second // how long the sound rests
)

// mostParts bounds the activations of an alert. The next one begins another.
const mostParts = 500

// Part is one activation. Times are in Unix milliseconds.
type Part struct {
	Event   uint64   `json:"event"` // its number
	MMSI    ais.MMSI `json:"mmsi"`
	At      int64    `json:"at"`
	Instant bool     `json:"instant,omitempty"` // it has no length: it stands until somebody acknowledges it
	Over    int64    `json:"over,omitempty"`
	Seen    int64    `json:"seen,omitempty"` // when a user acknowledged it
	By      string   `json:"by,omitempty"`   // the name of that user
}

// Silence is the rest of the sound, until a time and of the activations up to an event. A later one sounds at once.
type Silence struct {
	Until   int64  `json:"until"`
	Through uint64 `json:"through"`
	By      string `json:"by"`
}

// UserMark is which user said something of an alert, and when.
type UserMark struct {
	By string `json:"by"`
	At int64  `json:"at"`
}

// Plan names the users that an alert concerns first, and those that it goes to when nobody acknowledges it.
type Plan struct {
	First []string      // uids of groups and users; none is everybody
	Next  []string      // uids of groups and users, besides
	After time.Duration // 0 is never
}

// Alert is one situation: the activations of one watchdog that came together. It is a value that only its methods change, and that JSON keeps.
type Alert struct {
	ID       uint64        `json:"id,omitempty"`
	Watchdog uint64        `json:"watchdog"`
	Name     string        `json:"name"` // of the watchdog, then
	Owner    string        `json:"owner,omitempty"`
	Type     watchdog.Type `json:"type"`
	Priority Priority      `json:"priority"`
	Parts    []Part        `json:"parts"` // in the order of their events

	With     []string  `json:"with,omitempty"`  // uids whose boards it sounds on; none is everybody
	Later    []string  `json:"later,omitempty"` // uids that it goes to when nobody acknowledges it
	Level    int       `json:"level,omitempty"` // how often it went on
	Due      int64     `json:"due,omitempty"`   // when it goes on next; 0 is never
	Waits    int64     `json:"waits,omitempty"` // milliseconds from the begin of that wait to Due
	Silence  *Silence  `json:"silence,omitempty"`
	Transfer *UserMark `json:"transfer,omitempty"`
	Useless  *UserMark `json:"useless,omitempty"` // a user said that it was not useful
}

// Reader is who looks at an alert.
type Reader struct {
	Now  int64            // Unix milliseconds
	Told int64            // the time up to which it is told what is over
	Mine bool             // it is one of those whose board the alert sounds on
	Sees func(*Part) bool // nil sees all
}

// All is a reader that sees everything at a time.
func All(now int64) Reader { return Reader{Now: now, Told: now, Mine: true} }

func (r *Reader) seesPart(p *Part) bool { return r.Sees == nil || r.Sees(p) }

// Stands reports whether an activation goes on, as the reader knows.
func (a *Alert) Stands(p *Part, r Reader) bool {
	if p.Instant {
		return p.Seen == 0 && a.Priority.Latched()
	}
	return p.Over == 0 || p.Over > r.Told && p.Over-r.Now <= Together.Milliseconds() // else the clock was set back since
}

// State returns the state of what the reader sees.
func (a *Alert) State(r Reader) AlertState {
	var stands, unseen, open bool
	var newest uint64
	for i := range a.Parts {
		p := &a.Parts[i]
		if !r.seesPart(p) {
			continue
		}
		on := a.Stands(p, r)
		stands, unseen = stands || on, unseen || p.Seen == 0
		if on && p.Seen == 0 {
			open, newest = true, p.Event
		}
	}
	switch {
	case !a.Priority.Latched() && stands:
		return Active
	case !a.Priority.Latched():
		return Normal
	case open && a.Transfer != nil && !r.Mine:
		return Transferred
	case open && a.rests(newest, r.Now):
		return Silenced
	case open:
		return Active
	case unseen:
		return Rectified
	case stands:
		return Acknowledged
	}
	return Normal
}

// apart is how far the clocks of those that tell the time may be from each other.
const apart = 5 * time.Second

// isAhead reports whether the silence begins after now: the clock was set back since.
func (s *Silence) isAhead(now int64) bool { return s.Until-now > (Quiet + apart).Milliseconds() }

// isAhead reports whether the alert waits, or rests, from a time after now on: the clock was set back since.
func (a *Alert) isAhead(now int64) bool {
	return a.Due != 0 && a.Waits != 0 && a.Due-now > a.Waits+apart.Milliseconds() || a.Silence != nil && a.Silence.isAhead(now)
}

// setBack has what begins after now begin now, and the alert sound.
func (a *Alert) setBack(now int64) {
	if a.Due != 0 && a.Waits != 0 {
		a.Due = min(a.Due, now+a.Waits)
	}
	if a.Silence != nil && a.Silence.isAhead(now) {
		a.Silence = nil
	}
}

func (a *Alert) rests(newest uint64, now int64) bool {
	return a.Silence != nil && now < a.Silence.Until && !a.Silence.isAhead(now) && newest <= a.Silence.Through
}

// Last returns the time of the latest activation.
func (a *Alert) Last() (at int64) {
	for i := range a.Parts {
		at = max(at, a.Parts[i].At)
	}
	return at
}

// Takes reports whether an activation at a time belongs to the alert.
func (a *Alert) Takes(at int64) bool {
	return len(a.Parts) < mostParts && time.Duration(at-a.Last()).Abs()*time.Millisecond <= Together
}

// unseen reports whether some activation waits to be acknowledged.
func (a *Alert) unseen() bool {
	return a.Priority.Latched() && slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Seen == 0 })
}

// Join takes an activation at a time of now. The alert is unacknowledged again: what somebody acknowledged was less than there is. It stays with
// those that it is with, and concerns those of the plan too.
func (a *Alert) Join(p Part, plan Plan, now int64) {
	if !a.unseen() {
		a.With, a.Later, a.Level, a.Due, a.Transfer, a.Silence = slices.Clone(plan.First), slices.Clone(plan.Next), 0, 0, nil, nil
	} else if a.Transfer == nil && a.Level == 0 {
		if len(a.With) > 0 && len(plan.First) > 0 {
			a.With = joinLists(a.With, plan.First)
		} else {
			a.With = nil
		}
		a.Later = joinLists(a.Later, plan.Next)
	}
	a.Parts = append(a.Parts, p)
	a.startWait(plan, now)
}

// startWait has the alert go on after the time of the plan, unless it does already.
func (a *Alert) startWait(plan Plan, now int64) {
	if a.Due == 0 && plan.After > 0 && a.unseen() && (len(a.With) > 0 || len(a.Later) > 0) {
		a.Waits = plan.After.Milliseconds()
		a.Due = now + a.Waits
	}
}

// End ends the activations of a ship at a time, and reports whether there were any.
func (a *Alert) End(m ais.MMSI, at int64) (ended bool) {
	for i := range a.Parts {
		if p := &a.Parts[i]; p.MMSI == m && p.Over == 0 && !p.Instant {
			p.Over, ended = max(at, p.At), true
		}
	}
	return ended
}

// EndOf ends the activation of an event at a time, and reports whether it is there and went on.
func (a *Alert) EndOf(event uint64, at int64) bool {
	i := slices.IndexFunc(a.Parts, func(p Part) bool { return p.Event == event && p.Over == 0 && !p.Instant })
	if i >= 0 {
		a.Parts[i].Over = max(at, a.Parts[i].At)
	}
	return i >= 0
}

// Acknowledge notes that a user has seen what the reader sees, and returns the events. A caution needs it not, and takes it.
func (a *Alert) Acknowledge(r Reader, by string) (events []uint64) {
	for i := range a.Parts {
		p := &a.Parts[i]
		if p.Seen != 0 || !r.seesPart(p) {
			continue
		}
		p.Seen, p.By = r.Now, by
		if p.Instant {
			p.Over = r.Now
		}
		events = append(events, p.Event)
	}
	if !a.unseen() {
		a.Due, a.Silence = 0, nil
	}
	return events
}

// Remove takes out the activation of an event. Those that are left may need nobody.
func (a *Alert) Remove(event uint64) {
	a.Parts = slices.DeleteFunc(a.Parts, func(p Part) bool { return p.Event == event })
	if !a.unseen() {
		a.Due, a.Silence = 0, nil
	}
}

// What an alert refuses.
var (
	ErrQuiet = rule.New("alert_quiet", "makes no sound that could rest: only an alarm that nobody has acknowledged does")
	ErrDone  = rule.New("alert_done", "needs nobody any more: it was acknowledged, or it is a caution")
)

// Hush lets the sound rest for half a minute.
func (a *Alert) Hush(r Reader, by string) error {
	if s := a.State(r); !a.Priority.Repeats() || s != Active && s != Silenced {
		return ErrQuiet
	}
	through := uint64(0)
	for i := range a.Parts {
		if p := &a.Parts[i]; r.seesPart(p) {
			through = p.Event
		}
	}
	a.Silence = &Silence{r.Now + Quiet.Milliseconds(), through, by}
	return nil
}

// Hand returns the alert to others: it sounds on their boards, and on no others.
func (a *Alert) Hand(r Reader, to []string, by string, plan Plan) error {
	switch a.State(r) {
	case Active, Silenced, Transferred, Rectified:
	default:
		return ErrDone
	}
	if !a.Priority.Latched() {
		return ErrDone
	}
	a.With, a.Later, a.Due, a.Silence = slices.Clone(to), slices.Clone(plan.Next), 0, nil
	a.Transfer = &UserMark{by, r.Now}
	a.startWait(plan, r.Now)
	return nil
}

// Escalate has the alert go on when it is time: to those that come next, and after the same time again to everybody. It reports whether it did.
func (a *Alert) Escalate(now int64, plan Plan) bool {
	if a.Due == 0 || now < a.Due {
		return false
	}
	next := a.Later
	if a.Due, a.Later, a.Transfer = 0, nil, nil; len(next) == 0 || len(a.With) == 0 {
		a.With = nil
	} else {
		a.With = joinLists(a.With, next)
	}
	a.Level++
	a.Silence = nil
	a.startWait(plan, now)
	return true
}

// Clone returns a copy that shares nothing that changes.
func (a *Alert) Clone() *Alert {
	c := *a
	c.Parts = slices.Clone(a.Parts)
	return &c
}

// joinLists returns both lists in one.
func joinLists(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// graver orders priorities.
func graver(a, b Priority) int {
	order := []Priority{Caution, Warning, Alarm, Emergency}
	return cmp.Compare(slices.Index(order, a), slices.Index(order, b))
}
