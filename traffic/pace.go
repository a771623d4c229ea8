package traffic

import (
	"math"
	"slices"
	"time"

	"quaywatch/ship"
)

// Pace is how late and how often ships are given out to somebody. The zero Pace holds nothing back.
//
// A ship has turns, every interval from when she was first heard on, by the clock of the picture. At a turn it is told
// what was known of her then, and it is given out when it is Delay old. So what is given out at a time follows from that time
// alone: a picture that is made anew, and the past as the store has it, say the same as one that was kept.
type Pace struct {
	Delay    time.Duration                     // whole seconds
	Interval func(s *ship.State) time.Duration // between two turns of a ship where she is; nil, or 0, tells every step
}

// never is before all turns.
const never = math.MinInt64 / 4

// interval gives the whole seconds between two turns.
func (p Pace) interval(s *ship.State) int64 {
	if p.Interval == nil {
		return 0
	}
	return max(0, int64((p.Interval(s)+time.Second-1)/time.Second))
}

// Latest gives the time up to which ships may be told of now.
func (p Pace) Latest(now time.Time) time.Time {
	return time.Unix(now.Unix()-int64(p.Delay/time.Second), 0).UTC()
}

// SampleTime gives the latest turn of a ship that may be told of now: what came after it waits.
func (p Pace) SampleTime(of *ship.State, now time.Time) time.Time {
	latest := p.Latest(now).Unix()
	if every := p.interval(of); every > 0 {
		first := ceilSecond(of.First)
		latest = first - ceilDivide(first-latest, every)*every
	}
	return time.Unix(latest, 0).UTC()
}

// Released tells whether all of a state was given out by now.
func (p Pace) Released(s *ship.State, now time.Time) bool {
	return newest(s) <= p.SampleTime(s, now).Unix()
}

// newest gives the second by which all of a state was heard.
func newest(s *ship.State) int64 {
	at := max(s.First, s.Heard)
	if s.HasFix {
		at = max(at, s.Fix.At)
	}
	if s.Static != nil {
		at = max(at, s.Static.At)
	}
	if s.Voyage != nil {
		at = max(at, s.Voyage.At)
	}
	return ceilSecond(at)
}

// Track gives the fixes of a track that were given out by now: those that were the latest at a turn of the ship. Fixes have to
// be in order. Without an interval it is the track up to Latest.
func (p Pace) Track(of *ship.State, track ship.Track, now time.Time) ship.Track {
	t := p.Thin(of, now)
	return append(t.Next(track), t.Rest()...)
}

// Thin is Track for a track that comes in parts.
func (p Pace) Thin(of *ship.State, now time.Time) *Thinning {
	t := &Thinning{pace: p, latest: p.Latest(now).Unix(), turns: newTurns(of), then: *of}
	t.then.HasFix = true
	return t
}

// Thinning is a track on its way through a Pace.
type Thinning struct {
	turns
	pace    Pace
	latest  int64
	then    ship.State
	waiting ship.Fix
}

// Next takes the next part of the track and gives what is sure by now.
func (t *Thinning) Next(part ship.Track) ship.Track {
	end := slices.IndexFunc(part, func(f ship.Fix) bool { return ceilSecond(f.At) > t.latest })
	if end >= 0 {
		part = part[:end:end]
	}
	if t.pace.Interval == nil {
		return part
	}
	told := part[:0:0]
	for _, f := range part {
		at := ceilSecond(f.At)
		if t.passed(at - 1) {
			told, t.waiting = append(told, t.waiting), ship.Fix{}
		}
		f.Mark |= t.waiting.Mark & ship.NewSegment // a fix that is left out may have begun the segment
		t.then.Fix, t.waiting = f, f
		t.await(at, t.pace.interval(&t.then))
	}
	return told
}

// Rest gives what was told after the last part.
func (t *Thinning) Rest() ship.Track {
	if t.passed(t.latest) {
		return ship.Track{t.waiting}
	}
	return nil
}

// turns finds the turns of one ship; seconds since 1970.
type turns struct {
	first int64 // when she was first heard: a turn
	last  int64 // her last turn
	due   int64 // the turn that something waits for
	waits bool
}

func newTurns(of *ship.State) turns { return turns{first: ceilSecond(of.First), last: never} }

// await notes that something came at a time and waits for the next turn.
func (t *turns) await(at, every int64) {
	t.waits, t.due = true, at
	if every > 0 {
		after := max(at, t.last+every) - t.first
		t.due = t.first + ceilDivide(after, every)*every
	}
}

// passed tells whether the turn that something waits for has come by now; nothing waits then.
func (t *turns) passed(now int64) bool {
	if !t.waits || t.due > now {
		return false
	}
	t.waits, t.last = false, t.due
	return true
}

// ceilSecond gives the first whole second that is not before Unix milliseconds.
func ceilSecond(milliseconds int64) int64 { return ceilDivide(milliseconds, 1000) }

// ceilDivide rounds up; by is above 0.
func ceilDivide(n, by int64) int64 {
	q := n / by
	if n > q*by {
		q++
	}
	return q
}
