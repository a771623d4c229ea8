package watchdog

import (
	"math"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// The numbers of a ship that lies. The noise of its receiver of satellites makes no way.
const (
	lyingKnots   = 0.5   // below it a ship makes no way
	statusKnots  = 1.0   // up to it one that says that it is moored, at anchor or aground makes none
	wayKnots     = 2.0   // from it on a ship makes way, wherever it is
	firstStep    = 100.0 // metres over a border or line that may be noise, while the scatter is not known
	leastOut     = 50.0  // metres from the middle of its places a ship is never out
	mostOut      = 400.0 // and beyond it always, however wide it swings
	coarseOut    = 200.0 // metres that a coarse place may be off
	scatterTimes = 4     // so many times its scatter a ship is out
	middlePlaces = 30    // that the middle is made of: one that follows the ship would never be left
	fewPlaces    = 2.0   // of a middle of so few places the reach is doubled
	sureOf       = 10    // places tell where the middle is
	timesOut     = 3     // reports in a row that are out tell that a ship has moved, though it tells no speed
)

// lying is a ship that made no way when a report of it was beyond a border or line. It is where it was until it is clearly out, or under way.
type lying struct {
	Lon     float64 `json:"lon"` // where it is, degrees
	Lat     float64 `json:"lat"`
	East    float64 `json:"east"` // the middle of its places from there, degrees
	North   float64 `json:"north"`
	Places  int     `json:"n"`      // that the middle is made of
	Steps   int     `json:"steps"`  // from one report to the next
	Squares float64 `json:"sq"`     // the mean of the squares of their metres
	Swings  int     `json:"swings"` // the places that Mean is of
	Mean    float64 `json:"mean"`   // the mean of the metres from the middle
	Out     int     `json:"out,omitempty"`
}

// makesNoWay reports whether a ship makes no way by what it says.
func makesNoWay(f *ship.Fix) bool {
	knots, known := f.SOG.Knots()
	switch f.Status {
	case ais.StatusMoored, ais.StatusAtAnchor, ais.StatusAground:
		return !known || knots <= statusKnots
	}
	return known && knots < lyingKnots
}

// smoothLeg takes the noise out of a leg. A report of a ship that lies is one from where it lies.
func (m *Machine) smoothLeg(a *ShipMemory, r *Position, l *leg) {
	switch m.d.Type {
	case Line, Polygon, Cable, LostShip, Nameless:
	default:
		return
	}
	if a.Lies == nil && !m.laysDown(a, r, l) {
		return
	}
	place := a.Lies.geoPoint()
	if l.from = place; !a.Lies.addReport(r, l) {
		a.Lies = nil
		return
	}
	if m.told != nil && m.parts(place, r.State.Fix.Point()) {
		m.tellObstacle(ByLying, l.fix.At, metresBetween(place, r.State.Fix.Point()), a.Lies.reachOf(l.fix))
	}
	l.to = place
}

// laysDown notes a ship that lies, if a report seems to lead it over a border or line. One that came to rest since its last report made way to where it
// is, unless that is behind it.
func (m *Machine) laysDown(a *ShipMemory, r *Position, l *leg) bool {
	if !l.known || l.fix.Mark&ship.NewSegment != 0 || !makesNoWay(l.fix) || !makesNoWay(&r.Before) && !l.leadsBack(&r.Before) {
		return false
	}
	reach := firstStep
	if (l.fix.Mark|r.Before.Mark)&ship.Coarse != 0 {
		reach += coarseOut
	}
	if !m.parts(l.from, l.to) || metresBetween(l.from, l.to) > reach {
		return false
	}
	a.Lies = &lying{Lon: l.from.Lon, Lat: l.from.Lat, Places: 1, Swings: 1}
	return true
}

// leadsBack reports whether a leg leads back from where a ship was bound.
func (l *leg) leadsBack(before *ship.Fix) bool {
	course, ok := before.COG.Degrees()
	sin, cos := math.Sincos(course * math.Pi / 180)
	way := geo.PlaneAt(l.from).Vector(l.to)
	return ok && way.X*sin+way.Y*cos < 0
}

// parts reports whether a border or line lies between two places.
func (m *Machine) parts(from, to geo.Point) bool {
	if m.d.Type == Cable {
		return m.contains(from) != m.contains(to)
	}
	way := leg{from: from, to: to, joined: true}
	if !m.edges.meetsRect(way.legBounds()) {
		return false
	}
	_, _, ok := m.edges.crossingEnds(&way)
	return ok || m.area != nil && m.area.Contains(from) != m.area.Contains(to)
}

func (y *lying) geoPoint() geo.Point { return geo.Point{Lon: y.Lon, Lat: y.Lat} }

func (y *lying) middlePoint() geo.Point {
	return geo.Point{Lon: y.Lon + y.East, Lat: y.Lat + y.North}.Normalized()
}

// scatter returns how far the places lie from their middle, as the root of the mean of the squares. It is measured from one report to the next, so that a
// ship that drifts has none.
func (y *lying) scatter() float64 { return math.Sqrt(y.Squares / 2) }

// reachOf returns how far from the middle a ship may be that has not moved. A ship at anchor swings. A middle of few places may lie beside the true one.
func (y *lying) reachOf(f *ship.Fix) float64 {
	metres := scatterTimes * y.scatter()
	if f.Status == ais.StatusAtAnchor {
		metres = max(metres, scatterTimes*y.Mean)
	}
	metres = min(max(metres, leastOut)*(1+fewPlaces/float64(y.Places)), mostOut)
	if f.Mark&ship.Coarse != 0 {
		metres += coarseOut
	}
	return metres
}

// addReport takes a report, and reports whether the ship still lies.
func (y *lying) addReport(r *Position, l *leg) bool {
	knots, known := l.fix.SOG.Knots()
	away, reach := metresBetween(y.middlePoint(), l.to), y.reachOf(l.fix)
	switch {
	case l.fix.Mark&ship.NewSegment != 0 || known && knots >= wayKnots:
		return false
	case away > reach:
		y.Out++
		return y.Out < timesOut && away < 2*reach && !(known && knots >= lyingKnots)
	case l.fix.Mark&ship.Coarse == 0:
		y.addPlace(r, l, away)
	}
	y.Out = 0
	return y.Places < sureOf || metresBetween(y.geoPoint(), y.middlePoint()) <= y.reachOf(l.fix)
}

// addPlace takes a place of a ship that lies.
func (y *lying) addPlace(r *Position, l *leg, away float64) {
	if r.Before.Mark&ship.Coarse == 0 && y.Out == 0 && y.Places > 1 {
		step := metresBetween(r.Before.Point(), l.to)
		y.Steps++
		y.Squares += (step*step - y.Squares) / float64(y.Steps)
	}
	y.Swings++
	y.Mean += (away - y.Mean) / float64(y.Swings)
	if y.Places == middlePlaces {
		return
	}
	y.Places++
	share := 1 / float64(y.Places)
	y.East += share * (geo.Point{Lon: l.to.Lon - y.Lon}.Normalized().Lon - y.East)
	y.North += share * (l.to.Lat - y.Lat - y.North)
}
