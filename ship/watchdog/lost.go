package watchdog

import (
	"quaywatch/ship"
)

// lostShip takes a report of a ship that may be one that is named. Its silence raises the event; see lose.
func (m *Machine) lostShip(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	named := m.d.Ships.namesShip(s)
	if a.Active {
		dst = m.countOutside(a, l, 1, dst)
	}
	if !named {
		m.tellObstacle(ByName, l.fix.At, 0, 0)
	}
	if !named || !m.inPolygon(l.to) {
		a.Inside, a.Watched, a.Count = false, false, 0
		return dst
	}
	a.Inside, a.Limit = true, m.d.LostAfter(s).Milliseconds()
	if a.Watched = false; a.Active || !m.picks(s) {
		return dst
	}
	a.Count = min(a.Count+1, int32(m.d.ToActivate))
	a.Watched = int(a.Count) == m.d.ToActivate
	return dst
}

// namesShip reports whether a ship is one that is named.
func (w *Ships) namesShip(s *ship.State) bool {
	return w.MMSI == s.MMSI || w.Members != nil && w.Members(s)
}

// Hears takes a message of a ship that tells no place, at a time in Unix milliseconds. A ship that is heard is not lost.
func (m *Machine) Hears(a *ShipMemory, at int64, dst []Occurrence) []Occurrence {
	if m.d.Type != LostShip || !a.Kept() || at <= a.Silent {
		return dst
	}
	dst = m.passTime(a, at, ship.Fix{}, dst)
	if a.Silent = at; a.Active {
		a.endActive()
		dst = append(dst, Occurrence{Kind: Leave, At: at})
	}
	return dst
}
