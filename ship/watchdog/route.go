package watchdog

import (
	"math"

	"quaywatch/geo"
	"quaywatch/ship"
)

// alongMost is how far the course of a ship that follows a route may differ from it, in degrees. One that crosses it does not follow it.
const alongMost = 30.0

// route takes a report of a ship that may follow the route, or have left it over a side of the corridor. At its ends ships may leave it.
func (m *Machine) route(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	if m.edges.isNear(l.to, borderMetres(m.d.Buffer, a.Active)) {
		if at, ok := m.edges.nearestPlace(l.to); ok && !a.Watched {
			a.Watched = at.follows(l.fix)
		}
		a.Inside = true
		return m.does(a, s, l, false, Occurrence{}, dst)
	}
	e := l.here(OffTrack)
	if a.Inside && !a.Active {
		a.Watched = a.Watched && m.leavesSideways(l, &e)
	}
	if a.Inside = false; !a.Active && !a.Watched {
		a.Count = 0
		return dst
	}
	dst = m.does(a, s, l, true, e, dst)
	a.Watched = a.Active || a.Count > 0
	return dst
}

// leavesSideways reports whether a leg leads out of the corridor elsewhere than at an end of the route. With one report to activate the event is there.
func (m *Machine) leavesSideways(l *leg, e *Occurrence) bool {
	if !l.joined || !m.edges.isNear(l.from, m.d.Buffer) {
		return false
	}
	share := 1 - geo.Entry(l.to, l.from, func(p geo.Point) bool { return m.edges.isNear(p, m.d.Buffer) })
	border := l.eventAt(OffTrack, share)
	if m.d.ToActivate == 1 {
		*e = border
	}
	at, ok := m.edges.nearestPlace(border.Fix.Point())
	return ok && !at.end
}

// beside is the place of a line that is nearest to a ship.
type beside struct {
	metres float64
	course float64 // of the line there, degrees
	end    bool    // it is an end of the line, and the ship is beyond it
}

// nearestPlace returns the nearest place of a line; false where none is near.
func (e edges) nearestPlace(p geo.Point) (at beside, ok bool) {
	plane := geo.PlaneAt(p)
	at.metres = math.Inf(1)
	for i := range e {
		if !e[i].bounds.Contains(p) {
			continue
		}
		for k, line := 1, e[i].line; k < len(line); k++ {
			from, to := plane.Vector(line[k-1]), plane.Vector(line[k])
			metres, share := geo.Vector{}.Beside(from, to)
			if metres >= at.metres {
				continue
			}
			way := from.To(to)
			end := share == 0 && i == 0 && k == 1 || share == 1 && i == len(e)-1 && k == len(line)-1
			at, ok = beside{metres, math.Atan2(way.X, way.Y) * 180 / math.Pi, end}, true
		}
	}
	return at, ok
}

// follows reports whether a ship sails along the line there, this way or that.
func (b *beside) follows(f *ship.Fix) bool {
	course, ok := f.COG.Degrees()
	if tenths, known := f.SOG.Tenths(); !ok || known && tenths < leastCourse {
		return false
	}
	off := math.Abs(math.Mod(course-b.course+720, 180))
	return min(off, 180-off) <= alongMost
}
