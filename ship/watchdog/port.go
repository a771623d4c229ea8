package watchdog

import "quaywatch/ship"

// Transition takes what a ship did at a port, with its latest position. It comes before the report of that position. The kind Timeout tells that the port knows
// no more of the ship, because it is silent. Then, and on Leave, the position may be missing.
func (m *Machine) Transition(a *ShipMemory, t Transition, r Position, dst []Occurrence) []Occurrence {
	if m.d.Type != Port || t.Port != m.d.Port {
		return dst
	}
	e := Occurrence{Kind: t.Kind, At: t.At, Port: t.Port, Initial: t.Initial}
	reported := int64(0)
	if r.State != nil {
		reported, e.Fix = r.State.Fix.At, fixAt(&r, t)
	}
	if a.Kept() {
		dst = m.passTime(a, max(t.At, reported), r.Before, dst)
	}
	a.Silent = max(a.Silent, reported)
	switch t.Kind {
	case Leave, Timeout:
		return m.departs(a, e, dst)
	case Enter, Moored, Unmoored:
		if r.State != nil {
			return m.arrives(a, e, r.State, dst)
		}
	}
	return dst
}

// fixAt returns where a ship was when it did something at a port. That is on its last leg, or before it, no farther than that is long. A second report outside
// makes sure that it left. Else it is where the ship was last.
func fixAt(r *Position, t Transition) ship.Fix {
	l := legOf(r)
	share := float64(t.At-l.begin) / float64(l.fix.At-l.begin)
	if !l.joined || share < -1 || share >= 1 {
		return *l.fix
	}
	e := l.eventAt(t.Kind, share)
	return e.Fix
}

// arrives takes a transition of a ship that is in the port.
func (m *Machine) arrives(a *ShipMemory, e Occurrence, s *ship.State, dst []Occurrence) []Occurrence {
	if a.Active {
		a.Pending = nil // a departure that waits
		if e.Kind == Enter {
			return dst
		}
		e.Active = true
		return append(dst, e)
	}
	if m.d.ToActivate > 1 {
		count := int32(0)
		if a.Pending != nil {
			count = a.Pending.Count
		}
		a.Pending = &pending{Kind: e.Kind, Initial: e.Initial, Count: count}
		return dst
	}
	if !m.picks(s) || !m.mayActivate(a, e.At) {
		return dst
	}
	if dst = m.activate(a, e, dst); e.Initial {
		a.Between = 0 // no report comes with it
	}
	return dst
}

// departs takes a transition of a ship that is no longer in the port.
func (m *Machine) departs(a *ShipMemory, e Occurrence, dst []Occurrence) []Occurrence {
	a.Pending = nil
	switch {
	case !a.Active:
	case e.Kind == Leave && m.d.ToDeactivate > 1:
		a.Pending = &pending{Kind: Leave}
	default:
		a.endActive()
		dst = append(dst, e)
	}
	return dst
}

// countPending counts a report for what waits, and tells it with the last of them.
func (m *Machine) countPending(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	p := a.Pending
	if p == nil {
		return dst
	}
	e := l.here(p.Kind)
	e.Port, e.Direction, e.Initial = m.d.Port, p.Direction, p.Initial
	if p.Kind == Leave {
		if p.Count++; int(p.Count) >= m.d.ToDeactivate {
			a.endActive()
			dst = append(dst, e)
		}
		return dst
	}
	if !m.picks(s) {
		return dst
	}
	if p.Count = min(p.Count+1, int32(m.d.ToActivate)); int(p.Count) < m.d.ToActivate {
		m.tellObstacle(ByCount, l.fix.At, float64(p.Count), float64(m.d.ToActivate))
		return dst
	}
	if p.Kind == Cross {
		a.Pending = nil
		return m.raiseCrossing(a, l, e, dst)
	}
	if m.mayActivate(a, l.fix.At) {
		a.Pending = nil
		dst = m.activate(a, e, dst)
	}
	return dst
}
