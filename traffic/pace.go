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

// Track gives the fixes of a track that were given out by now: those that were the latest at a turn of the ship. Fixes have to
// be in order. Without an interval it is the track up to Latest.
func (p Pace) Track(of *ship.State, track ship.Track, now time.Time) ship.Track {
	latest := p.Latest(now).Unix()
	if p.Interval == nil {
		end := slices.IndexFunc(track, func(f ship.Fix) bool { return ceilSecond(f.At) > latest })
		if end >= 0 {
			track = track[:end:end]
		}
		return track
	}
	told := track[:0:0]
	then, turns := *of, newTurns(of)
	then.HasFix = true
	var waiting ship.Fix
	for _, f := range track {
		at := ceilSecond(f.At)
		if at > latest {
			break
		}
		if turns.passed(at - 1) {
			told, waiting = append(told, waiting), ship.Fix{}
		}
		f.Mark |= waiting.Mark & ship.NewSegment // a fix that is left out may have begun the segment
		then.Fix, waiting = f, f
		turns.await(at, p.interval(&then))
	}
	if turns.passed(latest) {
		told = append(told, waiting)
	}
	return told
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
