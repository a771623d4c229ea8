package portcalls

import (
	"context"
	"errors"
	"time"

	"quaywatch/ais"
	"quaywatch/ship/portcall"
)

// tellLiveEngine lets the live engine go on with what the past knows of a ship. It does so where the engine follows the ship for so short a time that it
// knows less. So a start after an import loses no arrival of ships that are heard while the past is read.
func (s *search) tellLiveEngine(ctx context.Context, m ais.MMSI, p *past) error {
	open := p.takeOpenCall()
	if err := s.keepCalls(m, p, true); err != nil {
		return err
	}
	p.calls = open
	if !s.whole || p.follower == nil || !s.liveKnowsLess(m, p.follower) || len(open) > 0 && open[0].call.Stays[0].Seen.Time().Before(s.from) {
		return nil
	}
	p.forgetUnstored()
	fresh := s.pass.fresh
	err := s.pass.settleCalls(ctx, s.resailed(m, p))
	if errors.Is(err, errBehind) { // it is heard so often that the engine soon knows as much
		return nil
	}
	s.result.Calls += len(open)
	s.result.New += s.pass.fresh - fresh
	p.follower, p.calls = nil, nil
	return err
}

// takeOpenCall returns the call that goes on, if any, and leaves the others.
func (p *past) takeOpenCall() []found {
	if n := len(p.calls); n > 0 && p.follower != nil && p.calls[n-1].call == p.follower.Call {
		open := p.calls[n-1:]
		p.calls = p.calls[:n-1]
		return open
	}
	return nil
}

// forgetUnstored lets the follower forget the call before, where that was known already. It has no number here, so a late draught would make it twice.
func (p *past) forgetUnstored() {
	if f := p.follower; f != nil && f.Before != nil && f.Before.Ref == 0 {
		f.Before = nil
	}
}

// resailed returns a ship that was sailed to the end of what is recorded, for a review of the call that goes on.
func (s *search) resailed(m ais.MMSI, p *past) *resail {
	r := &resail{mmsi: m, past: *p, whole: true, from: p.last.Time(), hours: map[int64]bool{}}
	r.search = search{voyages: s.voyages, to: endOfTime}
	r.engine = portcall.NewEngine(s.pass.ready, r.addCall)
	s.pass.redrawn = map[uint64]bool{}
	for _, f := range p.calls {
		s.pass.redrawn[f.call.Port] = true
		r.from = f.call.Stays[0].Seen.Time()
		for at := r.from.Truncate(time.Hour); !at.After(p.last.Time()); at = at.Add(time.Hour) {
			r.hours[at.UnixMilli()/time.Hour.Milliseconds()] = true
		}
	}
	return r
}

// liveKnowsLess reports whether the live engine follows a ship and knows less than the past: of its call, or of its way into the port.
func (s *search) liveKnowsLess(m ais.MMSI, past *portcall.Follower) bool {
	v := s.voyages
	v.mu.Lock()
	defer v.mu.Unlock()
	live := v.ships[m]
	if live == nil {
		live = v.newcomers[m]
	}
	switch {
	case live == nil:
		return false
	case live.Call == nil:
		return !sameState(past, live)
	}
	if past.Call == nil {
		return false
	}
	first, its := past.Call.Stays[0], live.Call.Stays[0]
	return its.From == 0 && first.Seen < its.Seen || first.Seen.Add(sameStay) < its.Seen
}
