package ship

import (
	"time"

	"quaywatch/ais"
)

// Outcome is what one report made of a ship.
type Outcome struct {
	Now    State
	Gate   Gate
	Fix    Fix // of this report, when Change has ChangedFix or LateFix
	Change Change
	Reason Reason // why the place was not taken

	Late *LateStatic // when Change has ToldLate
}

// AsCopy takes back what a report tells of the ship, because it is a copy of an earlier one that came late. The ship was heard all the same. was
// and gate are those that Merge got.
func (o *Outcome) AsCopy(was *State, gate Gate) {
	now := &o.Now
	now.HasFix, now.Fix, now.Altitude, now.OffPlace = was.HasFix, was.Fix, was.Altitude, was.OffPlace
	now.Static, now.Voyage, o.Gate, o.Late = was.Static, was.Voyage, gate, nil
	placed := o.Change & (ChangedFix | LateFix)
	o.Change &= Appeared | ChangedAge
	if placed != 0 {
		o.Change |= Copied
	}
}

// LargestMMSI is the largest number that a radio can have.
const LargestMMSI = 999999999

// Merge returns what report r makes of a ship. was is the ship before, the zero State when it was unknown, and gate is its gate. Merge is
// pure: the same arguments give the same Outcome. A report that is merged a second time changes no more than Heard and Reports. It
// allocates only when static or voyage data differ from before.
//
// The time of a fix is r.Sent when that is near r.Received or older by a relay's delay, else r.Received. A fix older than the latest
// moves nothing: the Outcome says LateFix. A place that the ship cannot have reached is held back at the gate.
func Merge(was *State, gate Gate, r *ais.Report, l *Limits) Outcome {
	head := r.Message.Head()
	if head.MMSI <= 0 || head.MMSI > LargestMMSI {
		return Outcome{Now: *was, Gate: gate, Reason: BadMMSI}
	}
	out := Outcome{Now: *was, Gate: gate}
	m := merging{out: &out, report: r, limits: l, at: fixTime(r, l)}
	m.noteReport(head.MMSI)
	m.mergeMessage(r.Message)
	return out
}

// fixTime returns the time that a fix of report r records, in Unix milliseconds.
func fixTime(r *ais.Report, l *Limits) int64 {
	if !r.Sent.IsZero() {
		if ahead := r.Sent.Sub(r.Received); ahead <= l.ClockSkew && ahead >= -l.MaxDelay {
			return r.Sent.UnixMilli()
		}
	}
	return r.Received.UnixMilli()
}

// merging is one Merge on its way.
type merging struct {
	out    *Outcome
	report *ais.Report
	limits *Limits
	at     int64 // Unix milliseconds of what the report tells
}

// noteReport notes what every report tells: that the ship is there, which feed heard it, and what kind of station it is.
func (m *merging) noteReport(mmsi ais.MMSI) {
	now := &m.out.Now
	heard := m.report.Received.UnixMilli()
	if now.MMSI == 0 {
		*now = State{MMSI: mmsi, First: heard, Fix: Fix{Status: ais.StatusUndefined}}
		m.out.Change |= Appeared
	}
	if now.Age == Removed {
		m.out.Change |= Appeared
	}
	if now.Age != Live {
		now.Age = Live
		m.out.Change |= ChangedAge
	}
	if heard > now.Heard || m.wronglyTimed(now.Heard) {
		now.Heard = heard
	}
	now.Feed, now.ByHand = m.report.Feed, false
	if now.Reports < 1<<32-1 {
		now.Reports++
	}
	now.Class = ClassAfter(now.Class, mmsi, m.report.Message.Head().Type)
}

// mergeMessage merges what the message of each type tells.
func (m *merging) mergeMessage(message ais.Message) {
	switch t := message.(type) {
	case *ais.PositionReport:
		m.addFix(t.Place, Fix{SOG: t.SOG, COG: t.COG, Heading: t.Heading, ROT: t.ROT, Status: t.Status})
	case *ais.ClassBReport:
		m.addFix(t.Place, Fix{SOG: t.SOG, COG: t.COG, Heading: t.Heading, Status: ais.StatusUndefined})
	case *ais.StaticVoyage:
		m.staticVoyage(t)
	case *ais.StaticReport:
		m.staticReport(t)
	case *ais.ExtendedClassBReport:
		m.addFix(t.Place, Fix{SOG: t.SOG, COG: t.COG, Heading: t.Heading, Status: ais.StatusUndefined})
		m.updateStatic(described{name: t.Name, kind: t.ShipType, dimensions: t.Dimensions})
	case *ais.LongRangeReport:
		m.addFix(t.Place, Fix{SOG: t.SOG, COG: t.COG, Status: t.Status, Mark: Coarse})
	case *ais.BaseStationReport:
		m.baseStation(t)
	case *ais.AidToNavigation:
		m.aid(t)
	case *ais.SARAircraftReport:
		m.aircraft(t)
	}
}

// baseStation takes the place of a base station (type 4). A mobile station answers with type 11, and some send type 4. That says less than their
// position reports do, and counts only until one of those was heard.
func (m *merging) baseStation(t *ais.BaseStationReport) {
	if m.out.Now.HasFix && m.out.Now.Class != ClassBase {
		return
	}
	m.addFix(t.Place, Fix{Status: ais.StatusUndefined})
}

func (m *merging) aircraft(t *ais.SARAircraftReport) {
	if t.Altitude >= 0 && t.Altitude < 4095 {
		m.out.Now.Altitude = int16(t.Altitude)
	}
	m.addFix(t.Place, Fix{SOG: t.SOG, COG: t.COG, Status: ais.StatusUndefined})
}

// aid takes an aid to navigation. Its off-position flag counts only beside a real UTC second (ITU-R M.1371-5, table 73).
func (m *merging) aid(t *ais.AidToNavigation) {
	if _, ok := t.Second.Known(); ok {
		m.out.Now.OffPlace = t.OffPosition
	} else {
		m.out.Now.OffPlace = false
	}
	m.addFix(t.Place, Fix{Status: ais.StatusUndefined})
	m.updateStatic(described{name: t.Name, dimensions: t.Dimensions, isAid: true, aidType: t.AidType, virtual: t.Virtual})
}

// addFix takes f at place p, unless time or plausibility speak against it.
func (m *merging) addFix(p ais.Place, f Fix) {
	if m.out.Reason = judgePlace(p); m.out.Reason != Accepted {
		return
	}
	now := &m.out.Now
	f.At, f.Lon, f.Lat = m.at, p.Lon, p.Lat
	if m.report.BySatellite {
		f.Mark |= BySatellite
	}
	if m.report.WrongClock {
		f.Mark |= WrongClock
	}
	if f.Mark&Coarse != 0 && now.knowsBetter(f.At) {
		m.out.Reason = TooCoarse
		return
	}
	if now.HasFix && f.At < now.Fix.At && !m.wronglyTimed(now.Fix.At) {
		m.lateFix(f)
		return
	}
	var mark Mark
	if now.HasFix && !now.MMSI.IsDistress() { // the first place of such a device may be old, and its next must never wait
		mark, m.out.Reason = m.out.Gate.judgeFix(now, f, m.limits)
		if m.out.Reason != Accepted {
			return
		}
	}
	m.out.Gate = Gate{claim: m.out.Gate.claim}
	f.Mark |= mark
	if now.HasFix && sameFix(f, now.Fix) {
		return
	}
	now.HasFix, now.Fix, m.out.Fix = true, f, f
	m.out.Change |= ChangedFix
}

// wronglyTimed reports whether a recorded time lies in the future because our clock was set back since. Such a time must not hold back what
// is heard now.
func (m *merging) wronglyTimed(at int64) bool {
	limit := m.limits.WrongClock
	return limit > 0 && at-m.report.Received.UnixMilli() > limit.Milliseconds()
}

// sameFix reports whether a report says again what the latest fix said; the mark is ours and does not count.
func sameFix(a, b Fix) bool {
	a.Mark = b.Mark
	return a == b
}

// lateFix keeps a fix older than the latest for the archive, if the ship can have been there.
func (m *merging) lateFix(f Fix) {
	if !m.out.Now.MMSI.IsDistress() && !canSail(m.out.Now.Class, f, m.out.Now.Fix, m.limits) {
		m.out.Reason = LateJump
		return
	}
	m.out.Fix = f
	m.out.Change |= LateFix
}

// judgePlace tells places that cannot be: AIS's "not available", outside the earth, and the 0° 0° of receivers without a
// position.
func judgePlace(p ais.Place) Reason {
	switch {
	case p.Lon == 181*600000 || p.Lat == 91*600000:
		return NoPlace
	case !p.Known() || p.Lon == 0 && p.Lat == 0:
		return ImpossiblePlace
	}
	return Accepted
}

// delayed reports whether what r tells, of time at in Unix milliseconds, came by way of a slow relay.
func (l *Limits) delayed(r *ais.Report, at int64) bool {
	return r.Received.UnixMilli()-at > l.ClockSkew.Milliseconds()
}

// Time returns the moment that Unix milliseconds mean, in UTC.
func Time(milliseconds int64) time.Time { return time.UnixMilli(milliseconds).UTC() }

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
