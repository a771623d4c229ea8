package ais

import "time"

// maxHeld is how many reports wait for a log to give its time.
const maxHeld = 4096

// clockRank orders the sources of time in a log. Once a better one was heard, the others are ignored.
type clockRank uint8

const (
	clockNone    clockRank = iota
	clockMessage           // messages 4 and 11
	clockOwn               // RMC and ZDA
	clockWrapper           // TAG block, $PGHP, suffix, prefix
)

// logClock is the time that the log gives.
type logClock struct {
	now    time.Time // zero until it is known
	rank   clockRank
	jumped time.Time // the time of the last message 4, when that was far from now
	gaveUp bool      // the log gave no time for so long that our clock is used
}

// clockJump is how far a base station may be from the log's clock before a second one must agree. There are base stations
// whose clocks are wrong.
const clockJump = 10 * time.Minute

// firstYear is the year before which no AIS was recorded.
const firstYear = 1990

// setClock moves the log's clock, and releases the reports that waited for it.
func (d *Decoder) setClock(b *Batch, t time.Time, rank clockRank) {
	if d.config.Clock != LogClock || rank < d.clock.rank {
		return
	}
	first := d.clock.now.IsZero()
	d.clock.now, d.clock.rank = t, rank
	if first && d.held != nil {
		d.Flush(b, t)
	}
}

// stationClock follows the clock of base stations.
func (d *Decoder) stationClock(b *Batch, m *BaseStationReport) {
	t, ok := m.Time()
	if !ok || m.Year < firstYear || d.clock.rank > clockMessage {
		return
	}
	if now := d.clock.now; !now.IsZero() && far(t, now) && (d.clock.jumped.IsZero() || far(t, d.clock.jumped)) {
		d.clock.jumped = t
		return
	}
	d.clock.jumped = time.Time{}
	d.clock.now, d.clock.rank = t, clockMessage
}

func far(a, b time.Time) bool { return a.Sub(b) > clockJump || b.Sub(a) > clockJump }

// holding tells whether reports wait because the log has not given its time yet.
func (d *Decoder) holding() bool {
	return d.config.Clock == LogClock && d.clock.now.IsZero() && !d.clock.gaveUp
}

func (d *Decoder) heldBatch() *Batch {
	if d.held == nil {
		d.held = &Batch{}
	}
	return d.held
}

// Flush appends to b the reports that waited for the time of the log. They get the first time of the log, or received when
// it gave none; from then on such a log goes by our clock. A feed calls it at the end of a log. Without LogClock it does
// nothing.
func (d *Decoder) Flush(b *Batch, received time.Time) {
	if !d.clock.now.IsZero() {
		received = d.clock.now
	} else {
		d.clock.gaveUp = true
	}
	if d.held == nil {
		return
	}
	for _, r := range d.held.Reports {
		r.Received = received
		if r.Sent.IsZero() {
			r.Sent = sentAt(r.Message, received)
		}
		b.Reports = append(b.Reports, r)
	}
	d.held = nil // its memory stays with the reports
}

// Time gives the station's clock, and not ok when it is not available or no such moment exists.
func (m *BaseStationReport) Time() (time.Time, bool) {
	if m.Year < 1 || m.Year > 9999 {
		return time.Time{}, false
	}
	return date(m.Year, m.Month, m.Day, m.Hour, m.Minute, m.Second, 0)
}

// sentAt gives the time of a report from the report itself. It is the moment with the report's UTC second between 45 s
// before received and 15 s after. For a base station it is its clock, when that is within 60 s. Zero means unknown.
func sentAt(m Message, received time.Time) time.Time {
	second := Second(60)
	switch m := m.(type) {
	case *PositionReport:
		second = m.Second
	case *ClassBReport:
		second = m.Second
	case *ExtendedClassBReport:
		second = m.Second
	case *SARAircraftReport:
		second = m.Second
	case *AidToNavigation:
		second = m.Second
	case *BaseStationReport:
		t, ok := m.Time()
		if ok && t.Sub(received).Abs() <= time.Minute {
			return t
		}
		return time.Time{}
	}
	s, ok := second.Known()
	if !ok || received.IsZero() {
		return time.Time{}
	}
	return nearestSecond(s, received)
}

// nearestSecond gives the moment with the second s of a minute that lies in (received - 45 s, received + 15 s].
func nearestSecond(s int, received time.Time) time.Time {
	unix := received.Unix()
	now := unix % 60
	if now < 0 { // before 1970
		now += 60
	}
	behind := now - int64(s)
	ahead, before := behind-60, behind+60 // the same second a minute later, a minute earlier
	if behind >= 45 {
		behind = ahead
	}
	if behind < -15 {
		behind = before
	}
	return time.Unix(unix-behind, 0).UTC()
}
