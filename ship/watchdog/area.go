package watchdog

import (
	"quaywatch/geo"
	"quaywatch/ship"
)

func (t *turn) turnPoint() geo.Point { return geo.Point{Lon: t.Lon, Lat: t.Lat} }

// dropTurn forgets the last crossing once the ship has moved away from it.
func (a *ShipMemory) dropTurn(p geo.Point) {
	if a.Turn != nil && metresBetween(a.Turn.turnPoint(), p) >= turnMetres {
		a.Turn = nil
	}
}

// turnAt remembers the crossing of an event.
func turnAt(l *leg, e *Occurrence) *turn {
	p := e.Fix.Point()
	return &turn{At: l.fix.At, Lon: p.Lon, Lat: p.Lat}
}

// contains reports whether a place is inside of what the machine watches.
func (m *Machine) contains(p geo.Point) bool {
	return m.area != nil && m.area.Contains(p) || m.d.Type == Cable && m.edges.isNear(p, m.d.Buffer)
}

// comesIn notes a report inside. It reports whether it is the first one, and the share of the leg before the border; 1 where that is not known.
// A ship that was not seen outside before was there from the beginning.
func (m *Machine) comesIn(a *ShipMemory, l *leg) (first bool, share float64) {
	share = 1
	if first = !a.Inside; !first {
		return first, share
	}
	a.Inside = true
	a.Initial = !l.known || m.contains(l.from)
	if l.joined && !a.Initial && m.d.Type == Polygon {
		if in, _, ok := m.edges.crossingEnds(l); ok {
			share = in
		}
	}
	return first, share
}

// goesOut notes a report outside, and returns the share of the leg before the border; 1 where that is not known.
func (m *Machine) goesOut(a *ShipMemory, l *leg) float64 {
	was := a.Inside
	a.Inside, a.Initial = false, false
	switch {
	case !was && !a.Active || !l.joined:
	case m.d.Type == Cable:
		if m.contains(l.from) {
			return 1 - geo.Entry(l.to, l.from, m.contains)
		}
	default:
		if _, out, ok := m.edges.crossingEnds(l); ok {
			return out
		}
		if m.area != nil && m.area.Contains(l.from) {
			return 0 // it was on the border
		}
	}
	return 1
}

// checkPolygon takes a report of a ship that may be in the polygon.
func (m *Machine) checkPolygon(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	a.dropTurn(l.to)
	if !m.area.Contains(l.to) {
		return m.outside(a, s, l, dst)
	}
	first, share := m.comesIn(a, l)
	a.Off = 0
	if a.Active {
		return dst
	}
	if first && a.Turn != nil {
		a.Turn.At = l.fix.At
	}
	if !m.picks(s) {
		return dst
	}
	if !m.enough(a, l) {
		return dst
	}
	if a.Turn != nil {
		m.tellObstacle(ByJitter, l.fix.At, 0, 0)
		return dst
	}
	if !m.mayActivate(a, l.fix.At) {
		return dst
	}
	e := l.here(Enter)
	if first && m.d.ToActivate == 1 && share < 1 {
		e = l.eventAt(Enter, share)
	}
	e.Initial = a.Initial
	return m.activate(a, e, dst)
}

// enough counts a report towards the activation, and reports whether there are as many as it takes.
func (m *Machine) enough(a *ShipMemory, l *leg) bool {
	if a.Count = min(a.Count+1, int32(m.d.ToActivate)); int(a.Count) < m.d.ToActivate {
		m.tellObstacle(ByCount, l.fix.At, float64(a.Count), float64(m.d.ToActivate))
		return false
	}
	return true
}

// outside takes a report outside of the polygon. A leg that leads through it counts as one report inside.
func (m *Machine) outside(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	was := a.Inside
	if l.joined && !m.area.Contains(l.from) {
		dst = m.checkThrough(a, s, l, dst)
	}
	share := m.goesOut(a, l)
	if !a.Active {
		a.Count = 0
		if was && a.Turn != nil {
			a.Turn.At = l.fix.At
		}
		return dst
	}
	return m.countOutside(a, l, share, dst)
}

// checkThrough takes a leg between two reports outside.
func (m *Machine) checkThrough(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	first, last, ok := m.edges.crossingEnds(l)
	if !ok || first >= last {
		return dst
	}
	a.Off = 0
	switch {
	case a.Active:
	case a.Turn != nil:
		a.Turn.At = l.fix.At
		m.tellObstacle(ByJitter, l.fix.At, 0, 0)
	case m.d.ToActivate > 1:
		m.tellObstacle(ByCount, l.fix.At, 0, float64(m.d.ToActivate))
	case m.d.ToActivate == 1 && m.mayActivate(a, l.fix.At) && m.picks(s):
		return m.activate(a, l.eventAt(Enter, first), dst)
	}
	return dst
}

// countOutside counts a report outside, or one with nothing to be alarmed of, and ends the alarm with the last of them.
func (m *Machine) countOutside(a *ShipMemory, l *leg, share float64, dst []Occurrence) []Occurrence {
	if a.Off++; int(a.Off) < m.d.ToDeactivate {
		return dst
	}
	e := l.here(Leave)
	if m.d.ToDeactivate == 1 && share < 1 {
		e = l.eventAt(Leave, share)
	}
	a.endActive()
	if m.d.Type == Polygon {
		a.Turn = turnAt(l, &e)
	}
	return append(dst, e)
}
