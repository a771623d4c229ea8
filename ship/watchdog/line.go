package watchdog

import (
	"math"

	"quaywatch/geo"
	"quaywatch/ship"
)

// checkCrossing takes a report of a ship that may have crossed the line.
func (m *Machine) checkCrossing(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	a.Active, a.Inside = false, false // of a type that the watchdog had before
	if !l.joined {
		a.Pending = nil // the ship may have gone back
		a.dropTurn(l.to)
		return dst
	}
	var list crossings
	m.edges.each(l, func(c crossing) { list.add(c) })
	for i := range list.n {
		dst = m.addCrossing(a, s, l, &list.list[i], dst)
	}
	a.dropTurn(l.to)
	return m.countPending(a, s, l, dst)
}

// addCrossing takes one crossing. One that leads back takes back the one that waits. One near the last that was told is jitter.
func (m *Machine) addCrossing(a *ShipMemory, s *ship.State, l *leg, c *crossing, dst []Occurrence) []Occurrence {
	e := l.eventAt(Cross, c.share)
	a.dropTurn(e.Fix.Point())
	back := a.Pending != nil && a.Pending.Right != c.right
	if back {
		a.Pending = nil
	}
	switch {
	case a.Turn != nil:
		a.Turn.At = l.fix.At
		m.tellObstacle(ByJitter, l.fix.At, 0, 0)
		return dst
	case back || !m.picks(s):
		return dst
	}
	e.Direction = direction(e.Fix.Point(), c)
	if m.d.ToActivate > 1 {
		a.Pending = &pending{Kind: Cross, Right: c.right, Direction: e.Direction}
		m.tellObstacle(ByCount, l.fix.At, 0, float64(m.d.ToActivate))
		return dst
	}
	return m.raiseCrossing(a, l, e, dst)
}

// raiseCrossing raises the crossing of a line, which is over at once.
func (m *Machine) raiseCrossing(a *ShipMemory, l *leg, e Occurrence, dst []Occurrence) []Occurrence {
	if !m.mayActivate(a, l.fix.At) {
		return dst
	}
	dst = m.activate(a, e, dst)
	a.endActive()
	a.Turn = turnAt(l, &e)
	return dst
}

// direction returns the side to which a ship crosses an edge at a place, as one of the eight points of the compass.
func direction(at geo.Point, c *crossing) string {
	plane := geo.PlaneAt(at)
	way := plane.Vector(c.from).To(plane.Vector(c.to))
	along := math.Atan2(way.X, way.Y) * 180 / math.Pi
	side := along + 90
	if !c.right {
		side = along - 90
	}
	points := [...]string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}
	return points[int(math.Round(math.Mod(side+720, 360)/45))%8]
}
