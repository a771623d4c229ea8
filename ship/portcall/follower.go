package portcall

import (
	"slices"
	"time"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
)

const (
	silentAlongside = 24 * time.Hour   // after it a call ends, because nobody knows whether the ship is still there
	silentLeaving   = 4 * time.Hour    // the same for a ship that has moved off
	lateDraught     = 30 * time.Minute // after the arrival the first draught still counts as that of the arrival
	draughtAfter    = 60 * time.Minute // after the departure crews type the new draught
	outsideTimes    = 2                // positions outside of a border before the ship has left it
)

// Follower is what the engine knows of one ship that is in a port or near one. It is plain data, so that it can be kept over a restart.
type Follower struct {
	Last    ship.Fix `json:"last"`              // the latest position
	Draught uint16   `json:"draught,omitempty"` // the latest one, centimetres; 0 when not known
	Near    []near   `json:"near,omitempty"`    // the ports whose border the ship is inside of
	Rest    *rest    `json:"rest,omitempty"`    // nil while the ship moves
	Call    *Call    `json:"call,omitempty"`    // the open call
	Before  *Call    `json:"before,omitempty"`  // the one before, while its draught may still change
	Off     uint16   `json:"off,omitempty"`     // the draught with which the ship moved off the berth before this one
	Named   bool     `json:"named,omitempty"`   // the ship has sent static data: for the keeper, which has no place for all invented ships
}

// near is a port whose border a ship has entered.
type near struct {
	Port    uint64 `json:"port"`
	Entered Millis `json:"entered,omitempty"` // 0 when not seen
	Outside int    `json:"outside,omitempty"` // positions outside in a row
	Gone    Millis `json:"gone,omitempty"`    // of the first of them
}

// TellCall is told of a call when it begins, and each time when it changes or ends. The call is valid during the engine's step only.
type TellCall func(c *Call)

// Engine finds calls at the ports of a time. It is for one goroutine.
type Engine struct {
	ports *PortAreas
	tell  TellCall

	ids  []uint64
	room []*chart.Port
}

// NewEngine makes an engine that hands each change of a call to tell.
func NewEngine(ports *PortAreas, tell TellCall) *Engine { return &Engine{ports: ports, tell: tell} }

// SetPorts replaces the ports. Open calls go on.
func (e *Engine) SetPorts(ports *PortAreas) { e.ports = ports }

// Enters reports whether a ship at a position has entered a port. Then it needs a Follower.
func (e *Engine) Enters(f ship.Fix) bool {
	e.ids, e.room = e.ports.entered(e.ids[:0], e.room, f.Point())
	return len(e.ids) > 0
}

// Begin returns a Follower for a ship that was at the position before until now, the zero Fix when it was not heard before. The draught is the
// latest in centimetres, 0 when it is not known.
func Begin(before ship.Fix, draught uint16) *Follower {
	if before.Mark&ship.WrongClock != 0 || !before.Trusted() {
		before = ship.Fix{}
	}
	return &Follower{Last: before, Draught: draught}
}

// Inside returns the ports whose border the ship is inside of, by id, and when it crossed each; 0 where that was not seen.
func (f *Follower) Inside() map[uint64]Millis {
	ports := map[uint64]Millis{}
	for _, n := range f.Near {
		ports[n.Port] = n.Entered
	}
	return ports
}

// Done tells that there is nothing more to know of the ship until it enters a port.
func (f *Follower) Done() bool { return len(f.Near) == 0 && f.Call == nil && f.Before == nil }

// Typed takes a draught that the crew typed, in centimetres. 0 tells nothing.
func (e *Engine) Typed(f *Follower, when time.Time, centimetres uint16) {
	if centimetres == 0 || centimetres == f.Draught {
		return
	}
	now := Millis(when.UnixMilli())
	f.Draught = centimetres
	if r := f.Rest; r != nil && r.Draught == 0 && r.Late == 0 && now.Since(r.restBegin()) <= lateDraught {
		r.Late = centimetres
	}
	if c := f.Call; c != nil && c.Alongside() {
		e.typedInCall(c, now, centimetres)
	}
	if c := f.Before; c != nil && now.Since(c.Departed()) <= draughtAfter {
		c.DraughtD = centimetres
		e.tell(c)
	}
}

func (e *Engine) typedInCall(c *Call, now Millis, centimetres uint16) {
	switch from, to := c.Arrived(), c.Departed(); {
	case c.DraughtA == 0 && from != 0 && now.Since(from) <= lateDraught:
		c.DraughtA = centimetres
	case to != 0 && now.Since(to) <= draughtAfter:
		c.DraughtD = centimetres
	default:
		return
	}
	e.tell(c)
}

// Step takes the next position of a ship. One that is not younger than the last counts for nothing, and neither does one whose time is wrong
// or that is untrusted.
func (e *Engine) Step(f *Follower, fix ship.Fix) {
	if fix.At <= f.Last.At && f.Last.At != 0 || fix.Mark&ship.WrongClock != 0 || !fix.Trusted() {
		return
	}
	e.Pass(f, fix.Time())
	e.noteBorders(f, fix)
	e.updateRest(f, fix)
	f.Last = fix
}

// Pass takes a time at which nothing was heard of the ship. A call ends when the ship is silent for too long.
func (e *Engine) Pass(f *Follower, now time.Time) {
	silent := Millis(now.UnixMilli()).Since(fixMillis(f.Last))
	if c := f.Before; c != nil && Millis(now.UnixMilli()).Since(c.Departed()) > draughtAfter {
		f.Before = nil
	}
	if f.Last.At == 0 || silent <= silentLeaving {
		return
	}
	lies := false
	if f.Call != nil {
		_, lies = f.Call.Lies()
	}
	if lies && silent <= silentAlongside {
		return
	}
	if f.Call != nil {
		e.endCall(f, fixMillis(f.Last), false)
	}
	f.Near, f.Rest = nil, nil
}

// Abandon ends what is known of a ship that is followed no longer. An open call ends when the ship was last heard.
func (e *Engine) Abandon(f *Follower) {
	if f.Call != nil {
		e.endCall(f, fixMillis(f.Last), false)
	}
	f.Near, f.Rest, f.Before = nil, nil, nil
}

// endCall ends the open call. The way inward over a border is that of one call.
func (e *Engine) endCall(f *Follower, left Millis, seen bool) {
	c := f.Call
	for i := range f.Near {
		if f.Near[i].Port == c.Port {
			f.Near[i].Entered = 0
		}
	}
	f.Call, f.Before = nil, nil
	c.Left, c.Exit = left, seen
	e.tell(c)
	if c.Departed() != 0 && fixMillis(f.Last).Since(c.Departed()) <= draughtAfter {
		f.Before = c
	}
}

// noteBorders notes the borders that the ship crosses with a position.
func (e *Engine) noteBorders(f *Follower, fix ship.Fix) {
	place := fix.Point()
	for i := 0; i < len(f.Near); {
		n := &f.Near[i]
		a, ok := e.ports.areaOf(n.Port)
		switch {
		case ok && !a.isOutside(place):
			n.Outside, n.Gone = 0, 0
		case n.Outside == 0:
			n.Outside, n.Gone = 1, exited(f.Last, fix, &a)
		default:
			n.Outside++
		}
		if ok && n.Outside < outsideTimes {
			i++
			continue
		}
		if f.Call != nil && f.Call.Port == n.Port {
			if !ok {
				n.Gone = fixMillis(f.Last)
			}
			e.leavePort(f, fix, n.Gone, ok)
		}
		f.Near = slices.Delete(f.Near, i, i+1)
	}
	e.ids, e.room = e.ports.entered(e.ids[:0], e.room, place)
	for _, id := range e.ids {
		if !slices.ContainsFunc(f.Near, func(n near) bool { return n.Port == id }) {
			f.Near = append(f.Near, near{Port: id, Entered: e.crossingTime(f.Last, fix, id)})
		}
	}
}

// leavePort ends the call of a ship that is outside of the port, or whose port is no longer in the list.
func (e *Engine) leavePort(f *Follower, fix ship.Fix, left Millis, seen bool) {
	switch r := f.Rest; {
	case r == nil:
	case r.Stopped:
		e.moveOff(f, fix)
	default:
		left = min(left, r.Seen) // it lies elsewhere since
	}
	e.endCall(f, left, seen)
}

// exited returns when a ship that is outside of a port with a position left it. It returns the time of the position where the way to it is not known.
func exited(from, to ship.Fix, a *area) Millis {
	if a.port == nil || from.At == 0 || !ship.Joins(from, to) || a.isOutside(from.Point()) {
		return fixMillis(to)
	}
	return fixMillis(from) + Millis(geo.Entry(from.Point(), to.Point(), a.isOutside)*float64(to.At-from.At))
}

// crossingTime returns when the ship crossed the border of a port on the way between two positions; 0 when that was not seen.
func (e *Engine) crossingTime(from, to ship.Fix, id uint64) Millis {
	a, ok := e.ports.areaOf(id)
	if !ok || from.At == 0 || !ship.Joins(from, to) {
		return 0
	}
	holds := a.borderTest()
	if holds(from.Point()) {
		return 0
	}
	return fixMillis(from) + Millis(geo.Entry(from.Point(), to.Point(), holds)*float64(to.At-from.At))
}

// updateRest follows whether the ship lies still.
func (e *Engine) updateRest(f *Follower, fix ship.Fix) {
	if len(f.Near) == 0 {
		f.Rest = nil
		return
	}
	r := f.Rest
	if r == nil {
		e.beginRest(f, fix)
		return
	}
	metres := geo.Distance(r.middlePlace(), fix.Point())
	drifted := metres > r.drift(fix, e.lying(f)) && !e.swung(f, fix, metres)
	if fix.Mark&ship.NewSegment == 0 && !drifted && slow(r, fix) {
		r.addFix(fix)
		e.confirm(f)
		return
	}
	if r.Moved == 0 {
		r.Moved, r.Off = fixMillis(fix), movedOff(f.Last, fix)
		r.Leapt = r.Leapt || !r.Stopped && hasLeapt(f.Last, fix)
		if fixMillis(fix).Since(fixMillis(f.Last)) > longestGap {
			r.Off = 0
		}
	}
	if drifted && (r.Stopped || !slow(r, fix)) || r.underWay(fix, metres) {
		e.moveOff(f, fix)
	}
}

// swung reports whether a ship that was taken to be alongside may only have swung to a place some metres from the middle. It came there as slowly as a ship
// at anchor does, and no chart tells that it lies alongside. A ship that shifts is quicker, or is seen on its way.
func (e *Engine) swung(f *Follower, fix ship.Fix, metres float64) bool {
	r := f.Rest
	if _, known := fix.SOG.Tenths(); !r.Stopped || r.Moved != 0 || !known || metres > driftAnchored {
		return false
	}
	took := fixMillis(fix).Since(r.Last)
	if geo.Distance(r.Held, fix.Point()) > stirs+min(swingSpeed*took.Seconds(), driftBerthed-stirs) {
		return false
	}
	a, ok := e.ports.areaOf(r.Port)
	return ok && len(a.inner) == 0 && !a.isAtQuay(r.middlePlace())
}

// beginRest begins a rest with a position, if the ship is slow enough. It came to rest after it moved off from where it lay before.
func (e *Engine) beginRest(f *Follower, fix ship.Fix) {
	if !slow(nil, fix) || len(f.Near) == 0 {
		return
	}
	r := newRest(f.Last, fix, f.Draught)
	if f.Call != nil && r.From != 0 {
		r.From = max(r.From, f.Call.Stays[len(f.Call.Stays)-1].To)
	}
	f.Rest = r
	e.confirm(f)
}

// lying returns how the ship lies.
func (e *Engine) lying(f *Follower) StayKind {
	if f.Call == nil {
		return Anchored
	}
	return f.Call.Stays[len(f.Call.Stays)-1].Kind
}

// moveOff ends the rest: the ship has moved on.
func (e *Engine) moveOff(f *Follower, fix ship.Fix) {
	e.confirm(f)
	r := f.Rest
	f.Rest = nil
	if r.Stopped && f.Call != nil {
		s := &f.Call.Stays[len(f.Call.Stays)-1]
		s.To, s.Last, s.Over = r.Off, r.Last, true
		if s.Kind == Berthed {
			f.Call.DraughtD = f.Draught
		}
		e.tell(f.Call)
	}
	if e.beginRest(f, fix); f.Rest != nil && !r.Stopped {
		f.Rest.Leapt = f.Rest.Leapt || r.Leapt
	}
}

// confirm makes a rest that is long enough a stay of a call, and keeps what the call tells of it.
func (e *Engine) confirm(f *Follower) {
	r := f.Rest
	if r.Stopped {
		e.updateStay(f)
		return
	}
	a, ok := e.nearestPort(f, r.middlePlace())
	if !ok || r.duration() < r.least(&a) {
		return
	}
	r.Stopped, r.Port = true, a.port.ID
	if kind := r.stayKind(&a, 0); !e.resumeStay(f, kind) {
		e.addStay(f, &a, kind)
	}
}

// nearestPort returns the port that a ship at a place has stopped in.
func (e *Engine) nearestPort(f *Follower, place geo.Point) (best area, ok bool) {
	var least rank
	land := e.ports.land
	if len(f.Near) == 1 {
		land = nil // there is nothing to compare
	}
	for _, n := range f.Near {
		a, found := e.ports.areaOf(n.Port)
		if !found || a.isOutside(place) {
			continue
		}
		if r := a.rankOf(place, land); !ok || r.ranksBefore(least) {
			best, least, ok = a, r, true
		}
	}
	return best, ok
}

// addStay adds the rest as a stay to the open call, or begins a call with it. A ship has one open call. One that was only at anchor is now a call
// at the port where the ship lies. One in which the ship was alongside ends when it lies alongside in another port.
func (e *Engine) addStay(f *Follower, a *area, kind StayKind) {
	r := f.Rest
	s := Stay{Kind: kind, From: r.From, Seen: r.Seen, Last: r.Last}
	s.Lon, s.Lat, s.Bow = r.Lon, r.Lat, r.Bow
	if s.Kind == Berthed {
		s.Berth = a.berthID(r.middlePlace())
	}
	c := f.Call
	if c != nil && c.Port != a.port.ID && c.Alongside() && s.Kind == Berthed {
		e.endCall(f, r.Seen, true)
		c = nil
	}
	if c == nil {
		c = &Call{Port: a.port.ID, Entered: f.enteredAt(a.port.ID)}
		f.Call = c
	}
	if c.Port != a.port.ID && s.Kind == Berthed {
		c.Port, c.Entered = a.port.ID, f.enteredAt(a.port.ID)
	}
	first := s.Kind == Berthed && !c.Alongside()
	c.add(s)
	if first {
		e.arrive(f)
	}
	if s.Kind == Berthed {
		f.Off, c.DraughtD = c.DraughtD, 0
	}
	e.tell(c)
}

// arrive notes the draught of the arrival. What was typed since counts for the departure from the call before no longer.
func (e *Engine) arrive(f *Follower) {
	r, before := f.Rest, f.Before
	f.Before = nil
	if f.Call.DraughtA = r.Draught; r.Draught == 0 && r.From != 0 {
		f.Call.DraughtA = r.Late
	}
	if before != nil && before.DraughtD != r.Draught {
		before.DraughtD = r.Draught
		e.tell(before)
	}
}

// enteredAt returns when the ship crossed the border of the port in which it has come to rest; 0 when that was not seen. It crossed it before.
func (f *Follower) enteredAt(id uint64) Millis {
	for _, n := range f.Near {
		if n.Port == id {
			return min(n.Entered, f.Rest.restBegin())
		}
	}
	return 0
}

// updateStay keeps the last stay of the call as the rest goes on. A ship may turn out to be at anchor, or alongside, or at another berth.
func (e *Engine) updateStay(f *Follower) {
	r, c := f.Rest, f.Call
	if c == nil {
		return
	}
	s := &c.Stays[len(c.Stays)-1]
	s.Last, s.Lon, s.Lat, s.Bow = r.Last, r.Lon, r.Lat, r.Bow
	a, ok := e.ports.areaOf(r.Port)
	if !ok {
		return
	}
	kind := r.stayKind(&a, s.Kind)
	if kind == s.Kind {
		if id := a.berthID(r.middlePlace()); s.Kind == Berthed && id != s.Berth {
			s.Berth = id
			e.tell(c)
		}
		return
	}
	c.Stays = c.Stays[:len(c.Stays)-1]
	if s.Kind == Berthed {
		c.DraughtD = f.Off
	}
	if !c.Alongside() {
		c.DraughtA = 0
	}
	e.addStay(f, &a, kind)
}
