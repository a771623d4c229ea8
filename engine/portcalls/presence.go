package portcalls

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store/records"
)

// presenceKept is how long a call that is over is remembered: the longest delay of a user, and an hour.
const presenceKept = 25 * time.Hour

// presence tells which ships are in port, now and a day ago. It has a lock of its own, which the picture takes only when a call changes. So filters which ask
// of many ships hold nothing up.
type presence struct {
	mu    sync.RWMutex
	ships map[ais.MMSI]visits
	ports map[uint64]map[ais.MMSI]portcall.Millis // when a ship was known to have left each port; 0 while it is there
}

// placed notes that a ship is in a port, or with a time that it has left.
func (p *presence) placed(m ais.MMSI, port uint64, left portcall.Millis) {
	if p.ports == nil {
		p.ports = map[uint64]map[ais.MMSI]portcall.Millis{}
	}
	ships := p.ports[port]
	if ships == nil {
		ships = map[ais.MMSI]portcall.Millis{}
		p.ports[port] = ships
	}
	ships[m] = left
}

// visits are the latest call of a ship and the one before it.
type visits struct{ last, before visit }

// visit is a call as far as filters ask for it.
type visit struct {
	port     uint64
	from, to portcall.Millis // when it was known to begin and to be over; to is 0 while it is open
	of       *portcall.Call  // of the engine, nil when it is over

	lies      []lying         // how the ship lay since when, the oldest first; the latest are kept, and never changed
	arrived   portcall.Millis // the arrival that counts; 0 when it is not known
	corrected bool            // a user wrote arrived
}

// lying is how a ship lies in port from the time on at which that was known.
type lying struct {
	from  portcall.Millis
	stay  ship.LyingState
	berth int64
}

// mostLies is how many changes of how a ship lies are remembered of a call. Those of the time in which users live that are told late are among them.
const mostLies = 12

// lyingOf returns how a ship lies in a stay.
func lyingOf(s *portcall.Stay, from portcall.Millis) lying {
	if s.Kind == portcall.Berthed {
		return lying{from, ship.Alongside, s.Berth}
	}
	return lying{from, ship.Waiting, 0}
}

// noteLying notes how the ship lies from now on.
func (v *visit) noteLying(now lying) {
	if n := len(v.lies); n > 0 && v.lies[n-1].stay == now.stay && v.lies[n-1].berth == now.berth {
		return
	}
	v.lies = append(slices.Clone(v.lies[max(0, len(v.lies)-mostLies+1):]), now)
}

// call returns the call as filters see it at a time.
func (v *visit) call(now portcall.Millis) ship.OpenCall {
	c := ship.OpenCall{Port: v.port}
	for _, lie := range v.lies {
		if lie.from > now {
			break
		}
		if c.Stay, c.Berth = lie.stay, lie.berth; c.Stay == ship.Alongside {
			c.Arrived = int64(v.arrived)
		}
	}
	if v.corrected || len(v.lies) >= mostLies {
		c.Arrived = int64(v.arrived)
	}
	if c.Arrived > int64(now) {
		c.Arrived = 0
	}
	return c
}

// inPortAt reports whether the ship was known to be in port at a time.
func (v *visit) inPortAt(now portcall.Millis) bool {
	return v.port != 0 && v.from <= now && (v.to == 0 || now < v.to)
}

// noteCall takes what the engine tells of a call at a time.
func (p *presence) noteCall(m ais.MMSI, c *portcall.Call, at portcall.Millis) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, known := p.ships[m]
	switch {
	case known && v.last.of == c:
		if v.last.port != c.Port {
			p.placed(m, v.last.port, at)
		}
		v.last.port = c.Port
	case !c.Open(): // the draught of a call that is over, or one of the past
		return
	default:
		if v.last.of != nil {
			v.last.to, v.last.of = at, nil
			p.placed(m, v.last.port, at)
		}
		v = visits{last: visit{port: c.Port, from: at, of: c}, before: v.last}
	}
	if !c.Open() {
		v.last.to, v.last.of = at, nil
	}
	if last, lies := c.Lies(); lies {
		v.last.noteLying(lyingOf(&last, at))
	} else if c.Open() {
		v.last.noteLying(lying{from: at})
	}
	if !v.last.corrected {
		v.last.arrived = c.Arrived()
	}
	p.placed(m, v.last.port, v.last.to)
	p.ships[m] = v
}

// correct notes the arrival that counts of a call that goes on, after a user wrote it.
func (p *presence) correct(c *KeptCall, of *portcall.Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v := p.ships[c.MMSI]; v.last.of == of {
		v.last.takeArrival(c)
		p.ships[c.MMSI] = v
	}
}

// takeArrival takes the arrival of a stored call.
func (v *visit) takeArrival(c *KeptCall) {
	v.arrived = c.Found.Arrived()
	if at := c.Arrived(); !at.IsZero() {
		v.corrected = portcall.Millis(at.UnixMilli()) != v.arrived
		v.arrived = portcall.Millis(at.UnixMilli())
	}
}

// AtSea returns how long a ship had been out of every port and its border at a time, 0 while it was in one. It returns false where nothing of that is
// remembered.
func (v *Calls) AtSea(m ais.MMSI, now time.Time) (time.Duration, bool) {
	out, known := v.present.outFor(m, now)
	v.mu.Lock()
	defer v.mu.Unlock()
	if f := v.ships[m]; f != nil && len(f.Near) > 0 {
		return 0, true
	}
	if left, passed := v.passed[m]; passed {
		if since := max(0, now.Sub(left.Time())); !known || since < out {
			return since, true
		}
	}
	return out, known
}

// passedFor is how long it is remembered that a ship left the border of a port, whether it had called there or not.
const passedFor = 2 * time.Hour

// outFor returns how long a ship had been out of every call.
func (p *presence) outFor(m ais.MMSI, now time.Time) (time.Duration, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	of, known := p.ships[m]
	switch {
	case !known:
		return 0, false
	case of.last.to == 0:
		return 0, true
	}
	return max(0, now.Sub(of.last.to.Time())), true
}

// notePastCall notes a call of the past that was only found now. Of one that goes on the engine tells.
func (p *presence) notePastCall(m ais.MMSI, c *portcall.Call) {
	if c.Open() {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if left, known := p.ports[c.Port][m]; !known || left != 0 && left < c.Left {
		p.placed(m, c.Port, c.Left)
	}
}

// dropShip forgets all calls of a ship.
func (p *presence) dropShip(m ais.MMSI) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ships, m)
	for _, ships := range p.ports {
		delete(ships, m)
	}
}

// dropOld drops the calls that were over long ago.
func (p *presence) dropOld(now portcall.Millis) {
	oldest := now.Add(-presenceKept)
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.ships, func(_ ais.MMSI, v visits) bool { return v.last.to != 0 && v.last.to < oldest })
	for port, ships := range p.ports {
		maps.DeleteFunc(ships, func(_ ais.MMSI, left portcall.Millis) bool { return left != 0 && left < oldest })
		if len(ships) == 0 {
			delete(p.ports, port)
		}
	}
}

// remembered is how long before the latest call those are read that filters still ask for. A call may be long.
const remembered = 72 * time.Hour

// tellLatestCalls tells filters after a start of the latest calls, as they were known before it.
func (v *Calls) tellLatestCalls() {
	for e := range v.calls.Backward(records.Key{}, records.EndKey()) {
		begin := portcall.Millis(e.Key.At).Time().Add(-remembered)
		_ = v.InTime(context.Background(), begin, endOfTime, func(c *KeptCall) bool { // without a context it does not fail
			v.present.addStoredCall(c, nil)
			return true
		})
		break
	}
	for m, f := range v.ships {
		if f.Call == nil {
			continue
		}
		c, err := v.get(int64(f.Call.Ref))
		if err != nil { // it was not yet stored
			c = KeptCall{MMSI: m, Found: *f.Call, Entered: f.Call.Stays[len(f.Call.Stays)-1].Last}
		}
		v.present.addStoredCall(&c, f.Call)
	}
}

// addStoredCall notes a stored call; of is that of the engine when it goes on.
func (p *presence) addStoredCall(c *KeptCall, of *portcall.Call) {
	now := visit{port: c.Found.Port, from: max(c.Entered, c.Found.Stays[0].Seen), to: c.knownOver(), of: of}
	for i := range c.Found.Stays {
		s := &c.Found.Stays[i]
		now.noteLying(lyingOf(s, max(now.from, s.Seen)))
		if s.Over {
			now.noteLying(lying{from: max(now.from, s.Last)})
		}
	}
	now.takeArrival(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.ships[c.MMSI]
	if v.last.from != now.from {
		v.before = v.last
	}
	v.last = now
	p.ships[c.MMSI] = v
	p.placed(c.MMSI, now.port, now.to)
}

// knownOver returns when it was known that the call is over; 0 while it is open.
func (c *KeptCall) knownOver() portcall.Millis {
	switch {
	case c.Found.Open():
		return 0
	case !c.Found.Exit:
		return c.Found.Left.Add(silenceKnown)
	}
	over := c.Found.Left
	for _, t := range c.Times {
		if t.Event == Departure && t.Place == Border && t.Value != 0 {
			over = max(over, t.Entered)
		}
	}
	return over
}

// Visiting returns the call that a ship had at a time, as far as it was known then; false for none. It knows the two latest calls
// of a ship, and those that have been over for more than a day it knows no more.
func (v *Calls) Visiting(m ais.MMSI, at time.Time) (c ship.OpenCall, ok bool) {
	v.present.mu.RLock()
	known := v.present.ships[m]
	v.present.mu.RUnlock()
	now := portcall.Millis(at.UnixMilli())
	for _, was := range []*visit{&known.last, &known.before} {
		if was.inPortAt(now) {
			return was.call(now), true
		}
	}
	return c, false
}

// Open returns how many ships have a call at a port that goes on.
func (v *Calls) Open() (count int) {
	v.present.mu.RLock()
	defer v.present.mu.RUnlock()
	for _, known := range v.present.ships {
		if known.last.to == 0 {
			count++
		}
	}
	return count
}

// VisitorsKept is for how long Visitors knows the ships that have left.
const VisitorsKept = 24 * time.Hour

// Visitors returns the ships that are in a port, and those that left it in the last VisitorsKept, by number. So does it for a user that is told late. The call
// of a ship has to be read as the user is told of it.
func (v *Calls) Visitors(port uint64) []ais.MMSI {
	v.present.mu.RLock()
	defer v.present.mu.RUnlock()
	return slices.Sorted(maps.Keys(v.present.ports[port]))
}

// InPort returns the ships with a call at any port that goes on, and those whose latest call was over after a time, by number. What a user is told
// late may be read of these: each call has to be read as the user is told of it.
func InPort(v *Calls, since time.Time) (ships []ais.MMSI) {
	after := portcall.Millis(since.UnixMilli())
	v.present.mu.RLock()
	for m, known := range v.present.ships {
		if known.last.to == 0 || known.last.to > after {
			ships = append(ships, m)
		}
	}
	v.present.mu.RUnlock()
	slices.Sort(ships)
	return ships
}

// notePresence tells filters of a change of a call. Before the picture has a time it is that of the call.
func (v *Calls) notePresence(c *portcall.Call) {
	at := max(c.Left, c.Stays[len(c.Stays)-1].Last)
	switch {
	case v.current != nil && v.current.Now.HasFix:
		at = max(at, portcall.Millis(v.current.Now.Fix.At))
	case !v.now.IsZero():
		at = max(at, portcall.Millis(v.now.UnixMilli()))
	}
	v.present.noteCall(v.number, c, at)
}
