package portcalls

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo/chart"
	"quaywatch/ship/portcall"
)

// pass is the reading of the ships of one review.
type pass struct {
	voyages *Calls
	ports   *chart.Ports
	ready   *portcall.PortAreas
	redrawn map[uint64]bool

	fresh, changed, gone int // calls
}

func newPass(v *Calls, ports *chart.Ports, ids []uint64) *pass {
	p := &pass{voyages: v, ports: ports, ready: portcall.NewPorts(ports, v.config.coast()), redrawn: map[uint64]bool{}}
	for _, id := range ids {
		p.redrawn[id] = true
	}
	return p
}

// resail is the past of one ship, sailed once more.
type resail struct {
	search
	mmsi  ais.MMSI
	past  past
	from  time.Time      // from which on it was sailed
	whole bool           // it was sailed to the end of what is recorded
	hours map[int64]bool // in which it was heard, since 1970
}

// errBehind says that a ship is heard more often than its past can be read.
var errBehind = errors.New("the ship is heard more often than its past can be read")

// reviewShip looks at the past of a ship that passed a port that was drawn anew. What cannot be read of it is told in the log, and the ship is left as it is.
// It returns errBehind where it did not catch up with the live engine.
func (p *pass) reviewShip(ctx context.Context, m ais.MMSI, near span) error {
	s := &resail{mmsi: m, hours: map[int64]bool{}, from: time.UnixMilli(near.first).Add(-settling)}
	s.search = search{voyages: p.voyages, to: endOfTime}
	s.engine = portcall.NewEngine(p.ready, s.addCall)
	if err := s.sailRecorded(ctx, near); err != nil {
		if ctx.Err() == nil {
			p.voyages.config.Log.Warn("a ship keeps the calls that it has, by ports as they were drawn before", "ship", m, "error", err)
		}
		return ctx.Err()
	}
	if s.past.other {
		return nil
	}
	p.voyages.Save()
	return p.settleCalls(ctx, s)
}

// sailRecorded steps the ship through what is recorded. It begins some time before the ship first passed the ports, and goes on to the end of its last call after it.
func (s *resail) sailRecorded(ctx context.Context, near span) error {
	_, end, err := s.voyages.config.DB.Recorded(s.mmsi)
	if err != nil {
		return err
	}
	last := time.UnixMilli(near.last).Add(settling)
	for from := s.from; ; from = from.Add(settling) {
		to := from.Add(settling)
		if err := s.sailPart(ctx, from, to); err != nil || s.past.other {
			return err
		}
		if s.whole = !to.Before(end); s.whole || to.After(last) && s.past.follower == nil {
			return nil
		}
	}
}

// sailPart steps the ship through a part of what is recorded.
func (s *resail) sailPart(ctx context.Context, from, to time.Time) error {
	track, err := s.voyages.config.DB.Track(ctx, s.mmsi, from, to)
	if err != nil {
		return err
	}
	for _, f := range track {
		if f.At <= s.past.last.At || !f.Trusted() {
			continue
		}
		if err := s.addPosition(s.mmsi, &s.past, f); err != nil || s.past.other {
			return err
		}
		s.past.last = f
		s.hours[f.At/time.Hour.Milliseconds()] = true
	}
	return nil
}

// isRecorded reports whether a position of the call is recorded, so that it can be judged.
func (s *resail) isRecorded(c *portcall.Call) bool {
	end := max(c.Left, c.Stays[len(c.Stays)-1].Last)
	const hour = portcall.Millis(time.Hour / time.Millisecond)
	for at := c.Stays[0].Seen / hour; at <= end/hour; at++ {
		if s.hours[int64(at)] {
			return true
		}
	}
	return false
}

// settleCalls makes the calls of a ship those that were found now.
func (p *pass) settleCalls(ctx context.Context, s *resail) error {
	v := p.voyages
	v.writing.Lock()
	defer v.writing.Unlock()
	kept, err := s.keptCalls(ctx)
	if err != nil {
		return err
	}
	live, err := p.catchUp(ctx, s)
	if err != nil {
		return err
	}
	n := p.compareCalls(s, kept, live)
	adopted := p.adopt(s, live, n.held)
	if !adopted {
		n.leaveOpen()
	}
	n.copyCalls()
	v.mu.Unlock()
	if n.isEmpty() {
		if adopted { // a search of the past has found the call meanwhile, and leaves it to the engine to tell of it
			p.tellPorts(ctx, s.mmsi)
		}
		return nil
	}
	if err := p.write(s, &n); err != nil {
		if adopted {
			p.putBack(s.mmsi, live)
		}
		return err
	}
	p.tellPorts(ctx, s.mmsi)
	return nil
}

// keptCalls returns the calls that are kept of the ship and may be others now, the earliest first.
func (s *resail) keptCalls(ctx context.Context) (list []*KeptCall, err error) {
	v := s.voyages
	for c, err := range v.callChain(ctx, s.mmsi, v.newestKey(s.mmsi)) {
		if err != nil {
			return nil, err
		}
		if !c.Found.Open() && c.Found.Left.Time().Before(s.from) {
			break
		}
		list = append(list, c)
	}
	slices.Reverse(list)
	return list, nil
}

// catches is how often a review reads on to meet the live engine.
const catches = 5

// catchUp steps the ship to where the live engine stands, and returns what that knows of it. It returns with mu held, but for an error.
func (p *pass) catchUp(ctx context.Context, s *resail) (live *portcall.Follower, err error) {
	v := p.voyages
	for range catches {
		if s.whole {
			if err := s.sailPart(ctx, s.past.last.Time(), endOfTime); err != nil {
				return nil, err
			}
			if now := v.pictureTime(); s.past.follower != nil && !now.IsZero() {
				s.current = &s.past
				s.engine.Pass(s.past.follower, now)
			}
		}
		v.mu.Lock()
		if live = v.ships[s.mmsi]; live == nil {
			live = v.newcomers[s.mmsi]
		}
		if !s.whole || live == nil || live.Last.At <= s.past.last.At {
			return live, nil
		}
		v.mu.Unlock()
	}
	return nil, errBehind
}

// adopt lets the live engine go on with what was found now, where it has something else. It is for the holder of mu.
func (p *pass) adopt(s *resail, live *portcall.Follower, held bool) bool {
	v, m, f := p.voyages, s.mmsi, s.past.follower
	if held || !s.whole || v.ports != p.ports || sameState(f, live) {
		return false
	}
	ends := f == nil || f.Done()
	if !ends && v.ships[m] == nil && !v.makeRoom(f.Named) {
		return false
	}
	delete(v.newcomers, m)
	if delete(v.ships, m); !ends {
		v.ships[m] = f
	}
	v.changed[m] = &change{} // what was to be stored of its call is found anew
	return true
}

// sameState reports whether a follower of the past knows nothing that the live follower does not know. Then it is near the same ports, and in the same call.
func sameState(a, b *portcall.Follower) bool {
	if a == nil || b == nil {
		return (a == nil || a.Done()) && (b == nil || b.Done())
	}
	sameTime := func(a, b portcall.Millis) bool { return a == 0 || sameMoment(a, b, sameBorder) }
	if !maps.EqualFunc(a.Inside(), b.Inside(), sameTime) || (a.Call == nil) != (b.Call == nil) {
		return false
	}
	return a.Call == nil || sameFinding(a.Call, b.Call)
}

// putBack follows a ship on as before, after what was found could not be stored.
func (p *pass) putBack(m ais.MMSI, live *portcall.Follower) {
	v := p.voyages
	v.mu.Lock()
	defer v.mu.Unlock()
	if delete(v.ships, m); live != nil {
		v.ships[m] = live
	}
	v.changeOf(m)
}

// write stores how the calls of a ship change. It is for the holder of writing.
func (p *pass) write(s *resail, n *news) error {
	v := p.voyages
	for _, k := range n.gone {
		k.gone = true
		list := []*KeptCall{k}
		if next := v.callAfter(k); next != nil {
			next.Trip = v.trip(v.callBefore(k), next)
			list = append(list, next)
		}
		if err := v.putCalls(list, nil); err != nil {
			return err
		}
		p.gone++
	}
	for _, c := range n.changed {
		if err := p.changeCall(s, c); err != nil {
			return err
		}
		p.changed++
	}
	for _, f := range n.fresh {
		id, err := v.insertCall(s.mmsi, v.newestKey(s.mmsi), f.found, s.knownAt(f.call))
		if err != nil {
			return err
		}
		v.mu.Lock()
		f.of.Ref = uint64(id)
		v.mu.Unlock()
		if c, missing := v.get(id); missing == nil {
			v.config.tellCalls([]*KeptCall{&c})
		}
		p.fresh++
	}
	return nil
}

// knownAt returns when a call was known as it is, if it had been found live.
func (s *resail) knownAt(c *portcall.Call) portcall.Millis {
	if c.Open() {
		return portcall.Millis(s.past.last.At)
	}
	return c.Left
}

// changeCall stores what a kept call is now, and the way to it and to the one after it.
func (p *pass) changeCall(s *resail, c changed) error {
	v := p.voyages
	c.call.gone = false
	c.call.updateFound(*c.now, s.knownAt(c.now))
	if err := v.putCalls([]*KeptCall{c.call}, nil); err != nil { // so that it has its place among the others, also when it was gone
		return err
	}
	c.call.Trip = v.trip(v.callBefore(c.call), c.call)
	list := []*KeptCall{c.call}
	if next := v.callAfter(c.call); next != nil {
		next.Trip = v.trip(c.call, next)
		list = append(list, next)
	}
	return v.putCalls(list, nil)
}

// tellPorts tells filters in which ports the ship was lately, as it is known now.
func (p *pass) tellPorts(ctx context.Context, m ais.MMSI) {
	v := p.voyages
	var list []*KeptCall
	oldest := portcall.Millis(v.pictureTime().UnixMilli()).Add(-presenceKept)
	for c, err := range v.callsBack(ctx, m, v.newestKey(m)) {
		if err != nil || len(list) >= 2 && !c.Found.Open() && c.Found.Left < oldest {
			break
		}
		list = append(list, c)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.present.dropShip(m)
	for _, c := range slices.Backward(list) {
		var of *portcall.Call
		if f := v.ships[m]; f != nil && f.Call != nil && f.Call.Ref == uint64(c.ID) {
			of = f.Call
		}
		v.present.addStoredCall(c, of)
	}
}
