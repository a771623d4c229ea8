// Package stationclock compares clocks with those of base stations, which tell theirs in message 4. Some of these swing by minutes, and some are wrong by whole
// hours or eras. So what most stations say counts. Stations are known by their MMSI.
package stationclock

import (
	"slices"
	"time"
)

// How far clocks may be from each other.
const (
	Jump  = 10 * time.Minute // a clock that is further away is that of another time, or wrong
	Step  = time.Minute      // a clock that is further away is wrong
	Slack = 10 * time.Second // clocks that are nearer agree
)

const (
	most     = 32
	memory   = 64 // messages 4 of others after which a silent station is forgotten
	repeated = 5  // times a station that jumps must say so when others were heard
)

// Clocks are the clocks of base stations against that of a log. Their median is followed: the clocks of some swing by minutes.
type Clocks struct {
	heard  uint64
	list   []offset
	sorted []time.Duration // scratch
	far    struct {
		station uint32
		times   int
	}
}

type offset struct {
	station uint32
	offset  time.Duration // of its clock from the log's
	heard   uint64
}

// Compare notes the clock t of a station while that of the log tells now, which is zero before it is known. It reports whether the log may follow the
// station, and whether it is wrong by more than a minute.
func (c *Clocks) Compare(station uint32, t, now time.Time) (followed, wrong bool) {
	c.heard++
	if now.IsZero() {
		c.keepOffset(station, 0)
		return true, false
	}
	off := t.Sub(now)
	if off.Abs() > Jump {
		followed = c.jumps(station)
		return followed, !followed
	}
	c.far.times = 0
	c.keepOffset(station, off)
	away := (off - c.median()).Abs()
	return away <= Slack, away > Step
}

// Shift keeps the offsets when the log's clock moves on by step. After a jump they mean nothing.
func (c *Clocks) Shift(step time.Duration) {
	if step.Abs() > Jump {
		c.Forget()
		return
	}
	for i := range c.list {
		c.list[i].offset -= step
	}
}

// Forget forgets the offsets, as when the log's clock is found to be another.
func (c *Clocks) Forget() { c.list = c.list[:0] }

// jumps reports whether a station may be far from the clock. When other stations were heard, one alone must say so five times.
func (c *Clocks) jumps(station uint32) bool {
	if c.far.station == station {
		c.far.times++
	} else {
		c.far.station, c.far.times = station, c.far.times+repeated-1
	}
	others := slices.ContainsFunc(c.list, func(o offset) bool { return o.station != station })
	return !others || c.far.times >= repeated
}

// keepOffset keeps the offset of a station, and forgets those that fell silent.
func (c *Clocks) keepOffset(station uint32, off time.Duration) {
	c.list = slices.DeleteFunc(c.list, func(o offset) bool { return o.station == station || c.heard-o.heard > memory })
	if len(c.list) >= most {
		c.list = slices.Delete(c.list, 0, 1)
	}
	c.list = append(c.list, offset{station, off, c.heard})
}

// median returns the middle offset; of the two in the middle that nearer to the log's clock.
func (c *Clocks) median() time.Duration {
	c.sorted = c.sorted[:0]
	for _, o := range c.list {
		c.sorted = append(c.sorted, o.offset)
	}
	slices.Sort(c.sorted)
	n := len(c.sorted)
	low, high := c.sorted[(n-1)/2], c.sorted[n/2]
	if low.Abs() < high.Abs() {
		return low
	}
	return high
}
