package traffic

import (
	"math"
	"slices"
	"time"

	"quaywatch/ship"
)

// Pace is how late and how often a user may learn of ships. The zero Pace holds nothing back.
//
// A ship has sample times: one in every interval, counted from when the ship was first heard, by the clock of the picture. A sample is
// what was known of the ship at that time; it is shown when it is Delay old. So what is shown at a time follows from that time alone. A
// picture that is made anew, and the past in the store, give the same as a picture that was kept.
type Pace struct {
	Delay    time.Duration                     // whole seconds
	Interval func(s *ship.State) time.Duration // between two samples of a ship at its place; nil, or 0, samples every step
}

// never is before all sample times.
const never = math.MinInt64 / 4

// sampleInterval returns the whole seconds between two samples.
func (p Pace) sampleInterval(s *ship.State) int64 {
	if p.Interval == nil {
		return 0
	}
	return max(0, int64((p.Interval(s)+time.Second-1)/time.Second))
}

// Latest returns the time up to which ships may be shown now.
func (p Pace) Latest(now time.Time) time.Time {
	return time.Unix(now.Unix()-int64(p.Delay/time.Second), 0).UTC()
}

// SampleTime returns the latest sample time of a ship that may be shown now. What came after it waits.
func (p Pace) SampleTime(of *ship.State, now time.Time) time.Time {
	latest := p.Latest(now).Unix()
	if every := p.sampleInterval(of); every > 0 {
		first := ceilSecond(of.First)
		latest = first - ceilDivide(first-latest, every)*every
	}
	return time.Unix(latest, 0).UTC()
}

// Released reports whether all of a state may be shown now.
func (p Pace) Released(s *ship.State, now time.Time) bool {
	return newestSecond(s) <= p.SampleTime(s, now).Unix()
}

// newestSecond returns the second by which all of a state was heard.
func newestSecond(s *ship.State) int64 {
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

// Track returns the fixes of a track that may be shown now: those that were the latest at a sample time of the ship. Fixes have to be in
// order. Without an interval it is the track up to Latest.
func (p Pace) Track(of *ship.State, track ship.Track, now time.Time) ship.Track {
	t := p.Thin(of, now)
	return append(t.Next(track), t.Rest()...)
}

// Thin is Track for a track that comes in parts.
func (p Pace) Thin(of *ship.State, now time.Time) *Thinning {
	t := &Thinning{pace: p, latest: p.Latest(now).Unix(), sampler: newSampler(of), then: *of}
	t.then.HasFix = true
	return t
}

// Thinning is a track on its way through a Pace.
type Thinning struct {
	sampler
	pace    Pace
	latest  int64
	then    ship.State
	waiting ship.Fix
}

// Next takes the next part of the track and returns the samples that are certain by now.
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
		t.awaitSample(at, t.pace.sampleInterval(&t.then))
	}
	return told
}

// Rest returns the sample after the last part, if there is one.
func (t *Thinning) Rest() ship.Track {
	if t.passed(t.latest) {
		return ship.Track{t.waiting}
	}
	return nil
}

// sampler finds the sample times of one ship, in seconds since 1970.
type sampler struct {
	first int64 // when the ship was first heard: a sample time
	last  int64 // the last sample time
	due   int64 // the sample time that something waits for
	waits bool
}

func newSampler(of *ship.State) sampler { return sampler{first: ceilSecond(of.First), last: never} }

// awaitSample notes that something came at a time. It waits for the next sample time.
func (t *sampler) awaitSample(at, every int64) {
	t.waits, t.due = true, at
	if every > 0 {
		after := max(at, t.last+every) - t.first
		t.due = t.first + ceilDivide(after, every)*every
	}
}

// passed reports whether the sample time that something waits for has come by now. After that nothing waits.
func (t *sampler) passed(now int64) bool {
	if !t.waits || t.due > now {
		return false
	}
	t.waits, t.last = false, t.due
	return true
}

// ceilSecond returns the first whole second that is not before Unix milliseconds.
func ceilSecond(milliseconds int64) int64 { return ceilDivide(milliseconds, 1000) }

// ceilDivide rounds up; by is above 0.
func ceilDivide(n, by int64) int64 {
	q := n / by
	if n > q*by {
		q++
	}
	return q
}
