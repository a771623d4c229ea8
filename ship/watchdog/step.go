package watchdog

import (
	"cmp"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

const (
	lostAfter   = 15 * time.Minute // of silence a ship over a cable is lost
	forgetAfter = 24 * time.Hour   // of silence an alarm that is not active is forgotten
	turnTime    = 5 * time.Minute  // a crossing so soon after another one, and so near, is jitter
	turnMetres  = 200.0
)

// Report takes a position of a ship. It appends what happened to dst, in the order of time. A report that is not younger than the one before
// counts for nothing.
func (m *Machine) Report(a *ShipMemory, r Position, dst []Occurrence) []Occurrence {
	if r.Before.At != 0 && r.State.Fix.At <= r.Before.At {
		return dst
	}
	l, kept := legOf(&r), a.Kept()
	if m.told != nil {
		m.tellMissed(&l)
	}
	if !kept && (m.d.Type == Port || !m.bounds.Intersects(l.legBounds())) {
		return dst
	}
	if kept {
		dst = m.passTime(a, l.fix.At, r.Before, dst)
	}
	m.smoothLeg(a, &r, &l)
	switch m.d.Type {
	case Line:
		dst = m.checkCrossing(a, r.State, &l, dst)
	case Polygon:
		dst = m.checkPolygon(a, r.State, &l, dst)
	case Port:
		dst = m.countPending(a, r.State, &l, dst)
	case Cable:
		dst = m.cable(a, r.State, &l, dst)
	case Fishing:
		dst = m.fishing(a, r.State, &l, dst)
	default:
		dst = m.checkMoreTypes(a, &r, &l, dst)
	}
	if !m.d.Hours.Open(l.fix.At) {
		a.dropState()
	}
	a.Silent = l.fix.At
	a.countBetween()
	return dst
}

// countBetween counts a report since the last activation.
func (a *ShipMemory) countBetween() {
	if a.Last != 0 {
		a.Between = min(a.Between+1, mostSamples)
	}
}

// Tick takes a time, in Unix milliseconds, at which nothing is heard of the ship. What silence raises has the time at which it was due, and a
// zero Fix: the place is that of the last report. Events do not depend on how often a Tick comes.
func (m *Machine) Tick(a *ShipMemory, now int64, dst []Occurrence) []Occurrence {
	if !a.Kept() {
		return dst
	}
	return m.passTime(a, now, ship.Fix{}, dst)
}

// passTime takes the time until now, since the last report.
func (m *Machine) passTime(a *ShipMemory, now int64, last ship.Fix, dst []Occurrence) []Occurrence {
	if a.Turn != nil && now-a.Turn.At >= turnTime.Milliseconds() {
		a.Turn = nil
	}
	dst = m.lose(a, now, last, dst)
	if limit, since := m.d.Inactivity.Milliseconds(), m.quietSince(a); a.Active && limit > 0 && now-since >= limit {
		dst = append(dst, Occurrence{Kind: Timeout, At: since + limit, Fix: last, Port: m.d.Port})
		a.endActive()
		a.Watched = false // its silence is told
	}
	over := now-a.Last >= m.d.BetweenTimes.Milliseconds()
	if !a.Active && now-a.Silent >= forgetAfter.Milliseconds() {
		a.Inside, a.Initial, a.Watched, a.Count, a.Off, a.From = false, false, false, 0, 0, 0
		a.Pending, a.Drift, a.Way, a.Lies = nil, nil, nil, nil
		a.Between = mostSamples
	}
	if over && int(a.Between) >= m.d.BetweenTriggers {
		a.Last, a.Between = 0, 0
	}
	return dst
}

// lose raises the loss of a ship over a cable, or of one that is named.
func (m *Machine) lose(a *ShipMemory, now int64, last ship.Fix, dst []Occurrence) []Occurrence {
	if m.d.Type != Cable && m.d.Type != LostShip || a.Active || !a.Watched || a.Last != 0 && int(a.Between) < m.d.BetweenTriggers {
		return dst
	}
	due := a.Silent + cmp.Or(a.Limit, lostAfter.Milliseconds())
	if a.Last != 0 {
		due = max(due, a.Last+m.d.BetweenTimes.Milliseconds())
	}
	if now < due || due >= a.Silent+forgetAfter.Milliseconds() {
		return dst
	}
	if a.Watched = false; !m.d.Hours.Open(due) {
		return dst
	}
	e := Occurrence{Kind: SignalLost, At: due, Fix: last}
	if m.d.Type == Cable {
		e.Kind, e.Reason, a.Told = Risk, Lost, Lost
	}
	dst = m.activate(a, e, dst)
	if a.Last != 0 {
		a.Between = 0
	}
	return dst
}

// mayActivate reports whether the last activation lets another one come at the time of a report.
func (m *Machine) mayActivate(a *ShipMemory, at int64) bool {
	switch {
	case a.Last == 0:
	case m.d.BetweenTriggers != 0 && int(a.Between) < m.d.BetweenTriggers:
		m.tellObstacle(ByReports, at, float64(a.Between), float64(m.d.BetweenTriggers))
		return false
	case at-a.Last < m.d.BetweenTimes.Milliseconds():
		m.tellObstacle(ByTime, at, float64(at-a.Last)/1000, m.d.BetweenTimes.Seconds())
		return false
	}
	return true
}

// activate raises an event that makes the alarm active. The report that it comes with is none between it and the next one.
func (m *Machine) activate(a *ShipMemory, e Occurrence, dst []Occurrence) []Occurrence {
	a.Active, a.Since, a.Count, a.Off = true, e.At, 0, 0
	if m.d.BetweenTriggers > 0 || m.d.BetweenTimes > 0 {
		a.Last, a.Between = e.At, -1
	}
	e.Active, e.Activated = true, true
	return append(dst, e)
}

// endActive ends what is active.
func (a *ShipMemory) endActive() {
	a.Active, a.Initial, a.Count, a.Off, a.Told, a.Pending = false, false, 0, 0, "", nil
}

// picks reports whether the watchdog is meant for a ship as it is with a report.
func (m *Machine) picks(s *ship.State) bool {
	d := &m.d
	switch {
	case !d.Hours.Open(s.Fix.At):
		m.tellObstacle(ByHours, s.Fix.At, 0, 0)
	case d.Type != Fishing && !d.holdsSpeed(s.Fix.SOG):
		m.tellObstacle(ByPace, s.Fix.At, pace(&s.Fix), 0)
	case d.Draught > 0 && (s.Voyage == nil || float64(s.Voyage.Centimetres()) < d.Draught*100-1e-6):
		m.tellObstacle(ByDraught, s.Fix.At, metresOf(s), d.Draught)
	case d.Course != nil && !d.Course.holdsCourse(s.Fix.COG, s.Fix.SOG):
		m.tellObstacle(ByCourse, s.Fix.At, course(&s.Fix), 0)
	case !d.Filter.Match(s, s.Fix.Time()):
		m.tellObstacle(ByFilter, s.Fix.At, 0, 0)
	default:
		return true
	}
	return false
}

// holdsSpeed reports whether a ship is as fast as the watchdog asks.
func (d *Spec) holdsSpeed(sog ais.SOG) bool {
	if d.MinSOG == 0 && d.MaxSOG == 0 {
		return true
	}
	knots, ok := sog.Knots()
	return ok && knots >= d.MinSOG && (d.MaxSOG == 0 || knots <= d.MaxSOG)
}

// leastCourse is the speed in tenths of a knot below which a course over ground says nothing.
const leastCourse = 5

// holdsCourse reports whether a ship sails on a course of the interval.
func (c *Course) holdsCourse(cog ais.COG, sog ais.SOG) bool {
	degrees, ok := cog.Degrees()
	if tenths, known := sog.Tenths(); !ok || known && tenths < leastCourse {
		return false
	}
	if c.Min <= c.Max {
		return degrees >= c.Min && degrees <= c.Max || degrees == 0 && c.Max == 360
	}
	return degrees >= c.Min || degrees <= c.Max
}
