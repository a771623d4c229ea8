package watchdog

import (
	"quaywatch/ais"
	"quaywatch/ship"
)

// anchor takes a report of a ship that may lie in the circle, or have left it. It is measured to the antenna. A ship that is named is meant to lie there;
// of the others those that said so inside. Those that sail out have weighed anchor.
func (m *Machine) anchor(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	single := m.d.Ships.MMSI != 0
	if single && s.MMSI != m.d.Ships.MMSI {
		return dst
	}
	in, sails := metresBetween(*m.d.Center, l.to) <= borderMetres(m.d.Radius, a.Active), !single && l.isUnderWay()
	switch {
	case sails:
		a.Inside = false
	case in && (single || l.anchored()):
		a.Inside = true
	}
	e := l.here(Adrift)
	e.Initial = !a.Inside
	return m.does(a, s, l, !in && !sails && (single || a.Inside), e, dst)
}

// anchored reports whether a ship lies at anchor.
func (l *leg) anchored() bool {
	knots, known := l.speedKnots()
	return l.fix.Status == ais.StatusAtAnchor && (!known || knots <= anchorHold)
}

// isUnderWay reports whether a ship moves as none does whose anchor is down.
func (l *leg) isUnderWay() bool {
	knots, known := l.speedKnots()
	return known && (knots > anchorHold || knots >= slowBelow && l.fix.Status != ais.StatusAtAnchor)
}
