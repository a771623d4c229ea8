package ais

import (
	"math"
	"slices"
	"time"
)

// sentAt is the function of that name for a report of this feed. The clock of a log that ticks rarely lags, so its reports come after it. Their second is
// looked for 15 s back and 45 s on. None goes before the base-station report that came before it.
func (d *Decoder) sentAt(m Message, received time.Time) time.Time {
	if !d.slowClock() {
		return sentAt(m, received)
	}
	if d.begun() {
		return d.sentSinceBegin(m, received)
	}
	sent := sentBetween(m, received, 45)
	if _, ok := m.(*BaseStationReport); !ok && !sent.IsZero() && d.clock.rank == clockMessage &&
		sent.Before(d.clock.tick) && isWithin(sent, d.clock.tick, clockStep) {
		return d.clock.tick
	}
	return sent
}

// slowClock reports whether the log's clock ticks rarely: it is that of base stations, or the source that rules is overdue.
func (d *Decoder) slowClock() bool {
	c := &d.clock
	return d.config.Clock == LogClock && !c.now.IsZero() && (c.rank == clockMessage || c.sources[c.rank].isSilent(d.counters.Lines))
}

// followReport moves a clock that ticks rarely with the UTC seconds of the reports. Two in a row must be ahead of it, so one transmitter with a
// wrong second moves nothing.
func (d *Decoder) followReport(m Message) {
	c := &d.clock
	s, ok := secondOf(m).Known()
	if !ok || !d.slowClock() || len(c.doubt) > 0 || d.config.Rate > 0 {
		return
	}
	if d.begun() {
		d.followAlone(d.sinceBegin(nearestSecond(s, c.now, 45)))
		return
	}
	c.ahead[0], c.ahead[1] = c.ahead[1], nearestSecond(s, c.now, 45)
	least := c.ahead[0]
	if c.ahead[1].Before(least) {
		least = c.ahead[1]
	}
	if least.After(c.now) {
		c.stations.shiftOffsets(least.Sub(c.now))
		c.now = least
	}
}

// begun reports whether a user said when the log began.
func (d *Decoder) begun() bool { return !d.config.Begin.IsZero() }

// sentSinceBegin is sentAt for a log of which a user said when it began: a report has its own second, unless there is a rate.
func (d *Decoder) sentSinceBegin(m Message, received time.Time) time.Time {
	s, ok := secondOf(m).Known()
	if !ok || d.config.Rate > 0 {
		return time.Time{}
	}
	return d.sinceBegin(nearestSecond(s, received, 45))
}

// sinceBegin moves the second of a report on by a minute when it would lie before the begin. It does so where the user gave that as a full minute.
func (d *Decoder) sinceBegin(t time.Time) time.Time {
	if d.config.Begin.Second() == 0 && t.Before(d.config.Begin) {
		return t.Add(time.Minute)
	}
	return t
}

// followAlone moves the clock of a log of which a user said when it began. Nothing but the UTC seconds of its reports tells the time. Where half of the last
// reports lie close together, they are followed, and else what both of the last two have reached.
func (d *Decoder) followAlone(t time.Time) {
	c := &d.clock
	copy(c.last[1:], c.last[:])
	c.last[0] = t
	if most, close := c.crowd(); close >= len(c.last)/2 {
		t = most
	} else if c.last[1].Before(t) {
		t = c.last[1]
	}
	if t.After(c.now) {
		c.now = t
	}
}

// crowd returns the latest of the last reports to which the most others are close, and how many these are with itself.
func (c *logClock) crowd() (at time.Time, most int) {
	for i, t := range c.last {
		close := 0
		for _, other := range c.last {
			if isWithin(t, other, clockCrowd) && !t.IsZero() {
				close++
			}
		}
		if i == 0 || close > most {
			at, most = t, close
		}
	}
	return at, most
}

// byRate returns the time of the latest sentence of a log. A user said when the log began and how many sentences a second it has.
func (d *Decoder) byRate() time.Time {
	seconds, part := math.Modf(float64(d.counters.Sentences-1) / d.config.Rate)
	return d.config.Begin.Add(time.Duration(seconds)*time.Second + time.Duration(part*1e9))
}

const (
	maxStations     = 32
	stationSlack    = 10 * time.Second // by which the clocks of stations may differ and still agree
	stationMemory   = 64               // messages 4 of others after which a silent station is forgotten
	stationRepeated = 5                // times a station that jumps must say so when others were heard
)

// stationClocks are the clocks of base stations against that of the log. Their median is followed: the clocks of some swing by minutes.
type stationClocks struct {
	heard  uint64
	list   []stationOffset
	offset []time.Duration // scratch
	far    struct {
		mmsi  MMSI
		times int
	}
}

type stationOffset struct {
	mmsi   MMSI
	offset time.Duration // of its clock from the log's
	heard  uint64
}

// compareClock notes the clock t of a station. It reports whether the log may follow it, and whether it is wrong by more than a minute.
func (s *stationClocks) compareClock(mmsi MMSI, t, now time.Time) (followed, wrong bool) {
	s.heard++
	if now.IsZero() {
		s.keepOffset(mmsi, 0)
		return true, false
	}
	offset := t.Sub(now)
	if offset.Abs() > clockJump {
		followed = s.jump(mmsi)
		return followed, !followed
	}
	s.far.times = 0
	s.keepOffset(mmsi, offset)
	off := (offset - s.median()).Abs()
	return off <= stationSlack, off > clockStep
}

// jump reports whether a station may be far from the clock. When other stations were heard, one alone must say so five times.
func (s *stationClocks) jump(mmsi MMSI) bool {
	if s.far.mmsi == mmsi {
		s.far.times++
	} else {
		s.far.mmsi, s.far.times = mmsi, s.far.times+stationRepeated-1
	}
	others := slices.ContainsFunc(s.list, func(o stationOffset) bool { return o.mmsi != mmsi })
	return !others || s.far.times >= stationRepeated
}

// keepOffset keeps the offset of a station, and forgets those that fell silent.
func (s *stationClocks) keepOffset(mmsi MMSI, offset time.Duration) {
	s.list = slices.DeleteFunc(s.list, func(o stationOffset) bool { return o.mmsi == mmsi || s.heard-o.heard > stationMemory })
	if len(s.list) >= maxStations {
		s.list = slices.Delete(s.list, 0, 1)
	}
	s.list = append(s.list, stationOffset{mmsi, offset, s.heard})
}

// median returns the middle offset; of the two in the middle that nearer to the log's clock.
func (s *stationClocks) median() time.Duration {
	s.offset = s.offset[:0]
	for _, o := range s.list {
		s.offset = append(s.offset, o.offset)
	}
	slices.Sort(s.offset)
	n := len(s.offset)
	low, high := s.offset[(n-1)/2], s.offset[n/2]
	if low.Abs() < high.Abs() {
		return low
	}
	return high
}

// shiftOffsets keeps the offsets when the log's clock moves on by step. After a jump they mean nothing.
func (s *stationClocks) shiftOffsets(step time.Duration) {
	if step.Abs() > clockJump {
		s.list = s.list[:0]
		return
	}
	for i := range s.list {
		s.list[i].offset -= step
	}
}
