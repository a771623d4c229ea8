package tracking

import (
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// goal is the destination of a track as shapes.
type goal struct {
	middle   geo.Point // where the way ends
	arrived  *geo.Area // nil for a port: the calls tell the arrival
	arriving *geo.Area // nil for none
	departed *geo.Area // not nil where arrived is not
	known    bool      // false where the port or ship has no place
}

func around(at geo.Point, radius float64) *geo.Area {
	return geo.NewArea(geo.Circle{Center: at, Radius: radius})
}

// The circles around a place that is no port, in metres: in the outer one a ship arrives, in the inner one it has arrived.
const (
	ArrivedRadius  = 500
	ArrivingRadius = 3000
)

// portGoal is the goal of a port.
func portGoal(p *chart.Port) goal {
	if !p.Placed {
		return goal{}
	}
	g := goal{middle: p.Position, known: true, arriving: around(p.Position, chart.DefaultRadius)}
	if p.Drawn() {
		g.arriving = geo.NewArea(p.Outer)
	}
	return g
}

// placeGoal is the goal of a position, and of a ship that is there.
func placeGoal(at geo.Point) goal {
	return goal{middle: at, known: true, arrived: around(at, ArrivedRadius), arriving: around(at, ArrivingRadius), departed: around(at, 2*ArrivedRadius)}
}

// locationGoal is the goal of a location. Without an arriving area there is none; without a departed area it is the one in which the ship arrived.
func locationGoal(zones []LocationPart) goal {
	g := goal{middle: zones[0].Middle(), arrived: zones[0].zoneShape(ArrivedRadius), departed: zones[0].zoneShape(2 * ArrivedRadius), known: true}
	if len(zones) > 1 {
		g.arriving = zones[1].zoneShape(ArrivingRadius)
	}
	if len(zones) > 2 {
		g.departed = zones[2].zoneShape(2 * ArrivedRadius)
	}
	return g
}

func (z *LocationPart) zoneShape(radius float64) *geo.Area {
	if z.Position != nil {
		return around(*z.Position, radius)
	}
	return geo.NewArea(geo.Polygon(z.Area))
}

// Middle returns a place inside of a zone, to which the way leads. It is the middle of its corners, or, where that lies outside, its first corner.
func (z *LocationPart) Middle() geo.Point {
	if z.Position != nil {
		return *z.Position
	}
	first := z.Area[0][0]
	plane := geo.PlaneAt(first)
	sum := geo.Vector{}
	corners := z.Area[0][:len(z.Area[0])-1]
	for _, p := range corners {
		v := plane.Vector(p)
		sum = geo.Vector{X: sum.X + v.X, Y: sum.Y + v.Y}
	}
	n := float64(len(corners))
	at := plane.Point(geo.Vector{X: sum.X / n, Y: sum.Y / n})
	if geo.Polygon(z.Area).Contains(at) {
		return at
	}
	return first
}

// endAtArea ends a way where it first enters the area of the arrival.
func (w *way) endAtArea(area *geo.Area) {
	if at, enters := w.enters(area); enters {
		w.end = at
	}
}

// enters returns the metres of a way up to where it first enters an area; false when it does not, or there is none.
func (w *way) enters(area *geo.Area) (metres float64, ok bool) {
	if area == nil {
		return 0, false
	}
	for i := 1; i < len(w.points); i++ {
		if area.Contains(w.points[i]) {
			return w.along[i-1] + geo.Entry(w.points[i-1], w.points[i], area.Contains)*(w.along[i]-w.along[i-1]), true
		}
	}
	return 0, false
}
