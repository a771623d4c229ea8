package watchdog

import (
	"math"

	"quaywatch/ship"
)

// checkSpeed takes a report of a ship that may be too fast in the polygon. It is so when each report of the least time is above the limit. It is no longer so when
// each report of such a time is not.
func (m *Machine) checkSpeed(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	if !m.area.Contains(l.to) {
		a.From = 0
		return m.does(a, s, l, false, Occurrence{}, dst)
	}
	if !l.joined {
		a.From, a.Count, a.Off = 0, 0, 0
	}
	knots, known := l.speedKnots()
	if !known {
		return dst
	}
	fast := knots > m.d.Limit
	if !fast {
		m.tellObstacle(ByLimit, l.fix.At, math.Round(knots*10)/10, m.d.Limit)
	}
	if fast == a.Active {
		a.From, a.Count, a.Off = 0, 0, 0
		return dst
	}
	if a.From == 0 {
		a.From = l.fix.At
	}
	if l.fix.At-a.From < m.d.Least.Milliseconds() {
		if fast {
			m.tellObstacle(ByLeast, l.fix.At, float64(l.fix.At-a.From)/1000, m.d.Least.Seconds())
		}
		return dst
	}
	was := a.Active
	if dst = m.does(a, s, l, fast, l.here(Overspeed), dst); a.Active != was {
		a.From = 0
	}
	return dst
}

// nameless takes a report of a ship that may send no static data. Devices in distress, aircraft and stations are no such ships.
func (m *Machine) nameless(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	vessel := s.Class == ship.ClassA || s.Class == ship.ClassB || s.Class == ship.ClassUnknown
	is := vessel && s.Static == nil && s.First != 0 && l.fix.At-s.First >= m.d.After.Milliseconds() && m.inPolygon(l.to)
	return m.does(a, s, l, is, l.here(Unidentified), dst)
}
