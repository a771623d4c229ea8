package ais

import (
	"math"
	"time"
)

// sentAt is the function of that name for a report of this feed. The clock of a log that ticks rarely lags, so its reports come after it. Their second is
// looked for 15 s back and 45 s on. None goes before the base-station report that came before it.
func (d *Decoder) sentAt(m Message, received time.Time) time.Time {
	if c := &d.clock; d.config.Clock == LogClock && c.now.IsZero() && !c.gaveUp {
		return time.Time{} // the release of the report knows how often the clock ticks
	}
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

// slowClock reports whether the log's clock ticks rarely: it is that of base stations, or the source that rules is overdue or rare.
func (d *Decoder) slowClock() bool {
	c := &d.clock
	if d.config.Clock != LogClock || c.now.IsZero() {
		return false
	}
	ruling := &c.sources[c.rank]
	return c.rank == clockMessage || ruling.isSilent(d.counters.Lines) || ruling.isRare()
}

// A source is rare that tells a time not so often, by its times and by the lines between them.
const (
	rareTimes = 15 * time.Second // so much later than a time a report is still known to be of that minute
	rareLines = 3                // fewer lines have each a time of their own
)

// noteStep notes that the source goes on to t. A jump is none.
func (s *clockSource) noteStep(t time.Time) {
	switch step := t.Sub(s.at); {
	case s.at.IsZero(), step <= 0, step > clockJump:
	case s.every == 0:
		s.every = step
	default:
		s.every = (3*s.every + step) / 4
	}
}

// isRare reports whether other lines have long gone on when the source tells the next time.
func (s *clockSource) isRare() bool { return s.stride >= rareLines && s.every > rareTimes }

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
	if now := c.ahead.follow(c.now, nearestSecond(s, c.now, 45)); now.After(c.now) {
		c.stations.Shift(now.Sub(c.now))
		c.now = now
	}
}

// lastSeconds are the times of the last two reports by their UTC seconds.
type lastSeconds [2]time.Time

// follow notes the time of a report, and returns what both of the last two have reached, or now where that is later.
func (l *lastSeconds) follow(now, t time.Time) time.Time {
	l[0], l[1] = l[1], t
	least := l[0]
	if l[1].Before(least) {
		least = l[1]
	}
	if least.After(now) {
		return least
	}
	return now
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

// releaseReports appends the reports that waited to b. A report keeps its time when the clock has come to agree with it. Otherwise it gets that of
// the report before it, and at the start of a log that of the next that has one.
func (d *Decoder) releaseReports(b *Batch) {
	held := d.held.Reports
	d.held = nil // its memory stays with the reports
	was, now := d.clock.was, d.clock.now
	if now.IsZero() {
		now = was
	}
	good := func(t time.Time) bool { return !t.IsZero() && isWithin(t, now, d.clock.slack) }
	for i := 0; was.IsZero() && i < len(held); i++ {
		if good(held[i].Received) {
			was = held[i].Received
		}
	}
	if was.IsZero() {
		was = now
	}
	var seconds lastSeconds
	var tick time.Time // the last time of the log that was taken
	for _, r := range held {
		follows := !r.Received.IsZero() && d.slowClock() // it is no report from before the first time
		if good(r.Received) && (!follows || !r.Received.Equal(tick)) {
			was, tick = r.Received, r.Received
		}
		if !r.Sent.IsZero() && !isWithin(r.Sent, was, clockStep) {
			r.Sent = time.Time{}
		}
		switch s, ok := secondOf(r.Message).Known(); {
		case !r.Sent.IsZero():
		case follows && ok:
			r.Sent = nearestSecond(s, was, 45)
			was = seconds.follow(was, r.Sent)
		default:
			r.Sent = sentBetween(r.Message, was, 15)
		}
		r.Received = was
		b.Reports = append(b.Reports, r)
	}
}
