package portcalls

import (
	"reflect"
	"slices"
	"time"

	"quaywatch/ship/portcall"
)

// news is how the calls of a ship change.
type news struct {
	changed []changed
	fresh   []fresh
	gone    []*KeptCall
	held    bool // a user spoke of the call that goes on, so the live engine goes on with it
}

// changed is a call that is kept, and what was found of it now.
type changed struct {
	call *KeptCall
	now  *portcall.Call
}

// fresh is a call that is not kept yet. The live engine may go on with it.
type fresh struct {
	found
	of *portcall.Call
}

// compareCalls compares the calls that were found now with those that are kept. It is for the holder of mu.
func (p *pass) compareCalls(s *resail, kept []*KeptCall, live *portcall.Follower) (n news) {
	calls := slices.DeleteFunc(s.past.calls, func(f found) bool { return f.call.Open() && !s.whole })
	taken := make([]bool, len(calls))
	var free []*KeptCall
	for _, k := range kept {
		if live != nil && live.Call != nil && live.Call.Ref == uint64(k.ID) { // the engine knows more of it than the disk
			k.Found = *live.Call.Clone()
		}
		switch {
		case !p.concerns(k, calls):
		case k.By == "":
			free = append(free, k)
		default: // a user spoke of it
			for i, f := range calls {
				taken[i] = taken[i] || overlap(&k.Found, f.call)
			}
			n.held = n.held || !k.gone && k.Found.Open()
		}
	}
	for _, k := range free {
		if i := bestOverlap(&k.Found, calls, taken); i >= 0 {
			now := calls[i].call
			blend(now, &k.Found)
			if keyTime(now).UnixMilli() == k.key.At {
				taken[i], now.Ref = true, uint64(k.ID)
				if k.gone || !sameFinding(now, &k.Found) {
					n.changed = append(n.changed, changed{k, now})
				}
				continue
			}
		}
		if !k.gone && (s.whole || !k.Found.Open()) && s.isRecorded(&k.Found) {
			n.gone = append(n.gone, k)
		}
	}
	for i, f := range calls {
		if !taken[i] && (p.redrawn[f.call.Port] || slices.ContainsFunc(n.gone, func(k *KeptCall) bool { return overlap(&k.Found, f.call) })) {
			n.fresh = append(n.fresh, fresh{f, f.call})
		}
	}
	return n
}

// sameFinding reports whether two findings of a call say the same.
func sameFinding(a, b *portcall.Call) bool {
	first, other := *a, *b
	first.Ref, other.Ref = 0, 0
	return reflect.DeepEqual(first, other)
}

func (n *news) isEmpty() bool { return len(n.changed)+len(n.fresh)+len(n.gone) == 0 }

// leaveOpen leaves the calls that go on as they are.
func (n *news) leaveOpen() {
	n.changed = slices.DeleteFunc(n.changed, func(c changed) bool { return c.now.Open() || c.call.Found.Open() })
	n.fresh = slices.DeleteFunc(n.fresh, func(f fresh) bool { return f.of.Open() })
	n.gone = slices.DeleteFunc(n.gone, func(k *KeptCall) bool { return k.Found.Open() })
}

// copyCalls takes copies of what is to be written, because the engine may go on with a call meanwhile.
func (n *news) copyCalls() {
	for i := range n.changed {
		n.changed[i].now = n.changed[i].now.Clone()
	}
	for i := range n.fresh {
		n.fresh[i].call = n.fresh[i].of.Clone()
	}
}

// concerns reports whether a kept call is one at a port that was drawn anew, or may be one.
func (p *pass) concerns(k *KeptCall, calls []found) bool {
	return p.redrawn[k.Found.Port] || slices.ContainsFunc(calls, func(f found) bool { return p.redrawn[f.call.Port] && overlap(&k.Found, f.call) })
}

// bestOverlap returns the index of the call that shares the longest time with a kept one, -1 for none.
func bestOverlap(kept *portcall.Call, calls []found, taken []bool) int {
	best, longest := -1, portcall.Millis(-1)
	end := func(c *portcall.Call) portcall.Millis {
		if c.Open() {
			return portcall.Millis(endOfTime.UnixMilli())
		}
		return c.Left
	}
	for i, f := range calls {
		if taken[i] || !overlap(kept, f.call) {
			continue
		}
		if shared := min(end(kept), end(f.call)) - max(kept.Stays[0].Seen, f.call.Stays[0].Seen); shared > longest {
			best, longest = i, shared
		}
	}
	return best
}

// How far two findings of one moment lie apart at most: one was made live, and the other from what thinning kept.
const (
	sameStay   = 5 * time.Minute
	sameBorder = 5 * time.Second
)

// blend gives a call that was found in the past the moments of the same call as it was found live. These were told already and are more exact.
func blend(now, live *portcall.Call) {
	if len(now.Stays) == len(live.Stays) {
		for i := range now.Stays {
			n, l := &now.Stays[i], live.Stays[i]
			if n.Kind == l.Kind && n.Over == l.Over && sameMoment(n.From, l.From, sameStay) && sameMoment(n.To, l.To, sameStay) && sameMoment(n.Seen, l.Seen, sameStay) {
				l.Berth = n.Berth
				*n = l
			}
		}
	}
	if now.Entered != 0 && sameMoment(now.Entered, live.Entered, sameBorder) {
		now.Entered = live.Entered
	}
	if now.Open() == live.Open() && now.Exit == live.Exit && sameMoment(now.Left, live.Left, sameBorder) {
		now.Left = live.Left
	}
	if now.DraughtA == 0 {
		now.DraughtA = live.DraughtA
	}
	if now.DraughtD == 0 {
		now.DraughtD = live.DraughtD
	}
}

// sameMoment reports whether two findings of a moment may be one. The past may not know a moment that was seen live.
func sameMoment(now, live portcall.Millis, within time.Duration) bool {
	return now == live || live != 0 && (now == 0 || now.Since(live).Abs() <= within)
}
