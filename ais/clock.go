package ais

import (
	"slices"
	"time"

	"quaywatch/ais/stationclock"
)

// maxHeld is how many reports wait for a log to give its time.
const maxHeld = 4096

// maxDoubt is how many reports wait while one time is in doubt.
const maxDoubt = 256

// clockRank orders the sources of time in a log. A better one rules while it is heard and no others agree against it.
type clockRank uint8

const (
	clockNone    clockRank = iota
	clockMessage           // messages 4 and 11
	clockOwn               // RMC and ZDA
	clockWrapper           // TAG block, $PGHP, suffix, prefix
	clockRanks
)

const (
	clockJump    = stationclock.Jump // a stamp that is further ahead or behind is from another log, or wrong
	clockStep    = stationclock.Step // a stamp or RMC that is further from the log's clock needs a second one that agrees
	clockSilence = 15 * time.Second  // for so long a worse source must be heard alone before it rules
	clockAlone   = 3                 // and so many times
	clockCrowd   = 5 * time.Second   // reports that are so close to each other agree
)

// firstMoment is the Unix time before which no AIS was recorded: 1990.
const firstMoment = 631152000

// logClock is the time that the log gives. It is a moment that the sources and the reports move. A source whose time is far from it waits in doubt, and the
// reports with it. They wait until the next times tell which of the two is wrong.
type logClock struct {
	now      time.Time // zero until it is known
	rank     clockRank // of the source that rules
	sources  [clockRanks]clockSource
	was      time.Time     // now before the last doubt
	slack    time.Duration // by which a time in doubt may differ from now and be right
	doubt    []doubt       // times that nothing has supported or refuted yet
	strays   int           // grows by 16 with a refuted time and shrinks by 1 with a good one
	stations stationclock.Clocks
	tick     time.Time // of the last message 4 that moved the clock
	ahead    lastSeconds
	last     [8]time.Time // of a log whose begin a user gave: by the UTC seconds of the last reports, newest first
	gaveUp   bool         // the log gave no time for so long that our clock is used
	own      stationclock.OwnClock
	ownOff   time.Duration // by which RMC and ZDA are behind message 4, when that is a fault of the receiver
}

// doubt is a time that waits for another that agrees with it or refutes it.
type doubt struct {
	at   time.Time
	rank clockRank
}

// clockSource is what one kind of source said.
type clockSource struct {
	at     time.Time     // its last time
	line   uint64        // where it said that
	stride uint64        // lines between two of its times, a running mean
	every  time.Duration // between two of its times, a running mean
	alone  int           // how often it was heard since a better source that ruled
	since  time.Time     // its time when that began
}

// noteTime notes that the source gave a time in this line.
func (s *clockSource) noteTime(line uint64) {
	switch gap := line - s.line; {
	case s.line == 0:
	case s.stride == 0:
		s.stride = gap
	default:
		s.stride = max(1, (3*s.stride+gap+1)/4)
	}
	s.line = line
}

// isSilent reports whether the source is long overdue.
func (s *clockSource) isSilent(line uint64) bool { return s.stride > 0 && line-s.line > 3*s.stride+4 }

// setClock takes a time of a source, and releases the reports that waited for it.
func (d *Decoder) setClock(b *Batch, t time.Time, rank clockRank) {
	d.takeTime(t, rank)
	if d.held != nil && !d.holding() {
		d.releaseReports(b)
	}
}

// takeTime is setClock without a release.
func (d *Decoder) takeTime(t time.Time, rank clockRank) {
	c := &d.clock
	if d.config.Clock != LogClock || t.Unix() < firstMoment || d.begun() {
		return
	}
	source := &c.sources[rank]
	if source.at.Equal(t) && !c.now.IsZero() { // a clock that stands still is not heard, but many lines may have one stamp
		if rank == clockWrapper {
			source.line = d.counters.Lines
		}
		return
	}
	source.noteStep(t)
	source.at = t
	if rank < c.rank && !c.mayRule(t, rank) {
		source.noteTime(d.counters.Lines)
		if len(c.doubt) > 0 && isWithin(t, c.now, clockStep) {
			d.setTime(c.now, c.rank, clockStep)
		}
		return
	}
	if c.fits(t, rank) {
		source.noteTime(d.counters.Lines)
		d.setTime(t, rank, clockStep)
		return
	}
	if c.supported(t) && !c.refuted(t, rank, d.counters.Lines) {
		source.noteTime(d.counters.Lines)
		d.setTime(t, rank, clockJump)
		return
	}
	if source.line == 0 {
		source.noteTime(d.counters.Lines)
	}
	c.doubt = append(c.doubt, doubt{t, rank})
}

// fits reports whether the clock may go to t at once.
func (c *logClock) fits(t time.Time, rank clockRank) bool {
	if c.now.IsZero() {
		return false
	}
	if rank == clockMessage || rank < c.rank {
		return isWithin(t, c.now, clockJump)
	}
	return isWithin(t, c.now, clockStep) || c.unordered() && isWithin(t, c.now, 48*time.Hour)
}

// unordered reports whether so many times were refuted that the lines of the log do not stand in the order of their times.
func (c *logClock) unordered() bool { return c.strays > 64 }

// supported reports whether a time in doubt agrees with t, or whether four in a row go forward only.
func (c *logClock) supported(t time.Time) bool {
	forward := len(c.doubt) >= 3
	previous := c.now
	for _, other := range c.doubt {
		if step := t.Sub(other.at); step >= -clockStep && step <= clockJump {
			return true
		}
		forward = forward && !other.at.Before(previous)
		previous = other.at
	}
	return forward && !t.Before(previous) || len(c.doubt) >= 16
}

// refuted reports whether another kind of source, which is still heard, agrees with the clock and not with t.
func (c *logClock) refuted(t time.Time, rank clockRank, line uint64) bool {
	for other := clockMessage; other < clockRanks && !c.now.IsZero(); other++ {
		o := &c.sources[other]
		if other != rank && !o.at.IsZero() && !o.isSilent(line) && isWithin(o.at, c.now, clockJump) && isFar(t, c.now) {
			return true
		}
	}
	return false
}

// mayRule reports whether a worse source takes over: the better one fell silent, or two others agree against it.
func (c *logClock) mayRule(t time.Time, rank clockRank) bool {
	s := &c.sources[rank]
	if s.alone == 0 {
		s.since = t
	}
	s.alone++
	if s.alone >= clockAlone && (t.Sub(s.since) >= clockSilence || s.alone >= 64) {
		c.rule(rank)
		return true
	}
	for other := clockMessage; other < c.rank; other++ {
		o := &c.sources[other]
		if other != rank && o.alone >= clockAlone && s.alone >= clockAlone && isWithin(o.at, t, clockStep) && isFar(t, c.now) {
			c.rule(max(rank, other))
			return rank >= c.rank
		}
	}
	return false
}

// rule makes a source the one that rules.
func (c *logClock) rule(rank clockRank) {
	c.rank = rank
	c.noneAlone()
}

func (c *logClock) noneAlone() {
	for i := range c.sources {
		c.sources[i].alone = 0
	}
}

// setTime sets the clock to t, and counts the times in doubt that are further than slack from it as bad.
func (d *Decoder) setTime(t time.Time, rank clockRank, slack time.Duration) {
	c := &d.clock
	for _, other := range c.doubt {
		if !c.unordered() && !isWithin(other.at, t, slack) {
			d.bad(ErrorClock)
			c.strays = min(c.strays+16, 256)
		}
	}
	c.doubt = c.doubt[:0]
	c.strays = max(c.strays-1, 0)
	c.was, c.now, c.slack = c.now, t, slack
	c.rule(rank)
}

func isWithin(a, b time.Time, span time.Duration) bool { return a.Sub(b).Abs() <= span }

func isFar(a, b time.Time) bool { return !isWithin(a, b, clockJump) }

// stationClock follows the clocks of base stations.
func (d *Decoder) stationClock(m *BaseStationReport) {
	t, ok := m.Time()
	if !ok {
		return
	}
	c := &d.clock
	if d.judgeOwn(m.MMSI, t) {
		c.stations.Forget()
	}
	followed, off := c.stations.Compare(uint32(m.MMSI), t, c.now)
	if t.Unix() < firstMoment || c.rank <= clockMessage && off {
		d.bad(ErrorClock)
	}
	if !followed {
		return
	}
	was := c.now
	d.takeTime(t, clockMessage)
	if c.rank == clockMessage && c.now.Equal(t) {
		c.tick = t
		if !was.IsZero() {
			c.stations.Shift(t.Sub(was))
		}
	}
}

// judgeOwn compares the clock of the own station with a message 4. It does not lead where more stations say that it is wrong than call it right. It leads again when
// they no longer do. It reports whether the clock of the log changed for it.
func (d *Decoder) judgeOwn(station MMSI, t time.Time) bool {
	c := &d.clock
	if d.config.Clock != LogClock || d.own.Clock.IsZero() || t.Unix() < firstMoment {
		return false
	}
	was := c.ownOff
	c.ownOff = c.own.Judge(uint32(station), t.Sub(d.own.Clock))
	switch {
	case c.rank > clockOwn:
		return false
	case c.ownOff == 0:
		returns := c.rank == clockMessage && isFar(d.own.Clock, c.now) && isWithin(d.own.Clock, t, clockStep)
		if returns {
			d.setTime(d.own.Clock, clockOwn, clockJump)
		}
		return returns
	case c.ownOff == was:
		return false
	}
	d.bad(ErrorClock)
	c.doubt = slices.DeleteFunc(c.doubt, func(doubted doubt) bool { return doubted.rank == clockOwn })
	if c.rank == clockOwn {
		d.setTime(t, clockMessage, clockJump)
	}
	return c.rank == clockMessage
}

// OwnClock returns by how much RMC and ZDA of a log are behind message 4 by a fault of the receiver. It also reports whether they alone told the time.
func (d *Decoder) OwnClock() (off time.Duration, alone bool) {
	return d.clock.ownOff, d.clock.rank == clockOwn && d.clock.sources[clockMessage].at.IsZero() && d.clock.sources[clockWrapper].at.IsZero()
}

// holding reports whether reports wait because the time of the log is not known or in doubt.
func (d *Decoder) holding() bool {
	return d.config.Clock == LogClock && (d.clock.now.IsZero() && !d.clock.gaveUp || len(d.clock.doubt) > 0)
}

// mostHeld is how many reports may wait now.
func (d *Decoder) mostHeld() int {
	if len(d.clock.doubt) > 0 {
		return maxDoubt
	}
	return maxHeld
}

func (d *Decoder) heldBatch() *Batch {
	if d.held == nil {
		d.held = &Batch{}
	}
	return d.held
}

// logTime returns the time of a report that comes now: the newest time in doubt, else the clock. Zero means that there is none yet.
func (c *logClock) logTime() time.Time {
	if n := len(c.doubt); n > 0 {
		return c.doubt[n-1].at
	}
	return c.now
}

// LogTime returns the time of the log at the last line, also while that waits for another time to support it. Zero means that the log has
// told none yet, or that the feed does not go by it.
func (d *Decoder) LogTime() time.Time { return d.clock.logTime() }

// Flush appends to b the reports that waited for the time of the log. They get the time that the log gave, or received when
// it gave none; from then on such a log goes by our clock. A feed calls it at the end of a log. Without LogClock it does
// nothing.
func (d *Decoder) Flush(b *Batch, received time.Time) {
	c := &d.clock
	switch {
	case c.goesOn():
		d.setTime(c.doubt[len(c.doubt)-1].at, c.doubt[len(c.doubt)-1].rank, clockJump)
	case !c.now.IsZero():
		d.setTime(c.now, c.rank, clockStep)
	case len(c.doubt) > 0:
		best := c.doubt[0]
		for _, other := range c.doubt {
			if other.rank >= best.rank {
				best = other
			}
		}
		d.setTime(best.at, best.rank, clockJump)
	default:
		c.gaveUp = true
		c.was = received
	}
	if d.held != nil {
		d.releaseReports(b)
	}
}

// goesOn reports whether the last time in doubt is a little ahead of the clock, as at the end of a log with few lines.
func (c *logClock) goesOn() bool {
	if c.now.IsZero() || len(c.doubt) == 0 {
		return false
	}
	step := c.doubt[len(c.doubt)-1].at.Sub(c.now)
	return step >= 0 && step <= clockJump
}

// Time returns the station's clock, and not ok when it is not available or no such moment exists.
func (m *BaseStationReport) Time() (time.Time, bool) {
	if m.Year < 1 || m.Year > 9999 {
		return time.Time{}, false
	}
	return date(m.Year, m.Month, m.Day, m.Hour, m.Minute, m.Second, 0)
}

// sentAt returns the time of a report from the report itself. By our clock it is the moment with the report's UTC second between 45 s before
// received and 15 s after. For a base station it is its clock, when that is within 60 s. Zero means unknown.
func sentAt(m Message, received time.Time) time.Time { return sentBetween(m, received, 15) }

// sentBetween is sentAt with the seconds that the report may come after received. It may come 60 - ahead seconds before that.
func sentBetween(m Message, received time.Time, ahead int64) time.Time {
	if station, ok := m.(*BaseStationReport); ok {
		if t, ok := station.Time(); ok && isWithin(t, received, time.Minute) {
			return t
		}
		return time.Time{}
	}
	s, ok := secondOf(m).Known()
	if !ok || received.IsZero() {
		return time.Time{}
	}
	return nearestSecond(s, received, ahead)
}

// secondOf returns the UTC second of a report, and 60 for messages without one.
func secondOf(m Message) Second {
	switch m := m.(type) {
	case *PositionReport:
		return m.Second
	case *ClassBReport:
		return m.Second
	case *ExtendedClassBReport:
		return m.Second
	case *SARAircraftReport:
		return m.Second
	case *AidToNavigation:
		return m.Second
	}
	return 60
}

// nearestSecond returns the moment with the second s of a minute that lies in (received - (60 - ahead) s, received + ahead s].
func nearestSecond(s int, received time.Time, ahead int64) time.Time {
	unix := received.Unix()
	now := unix % 60
	if now < 0 { // before 1970
		now += 60
	}
	behind := now - int64(s)
	if behind >= 60-ahead {
		behind -= 60
	} else if behind < -ahead {
		behind += 60
	}
	return time.Unix(unix-behind, 0).UTC()
}
