package tracking

import (
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// goal is the destination of a track as shapes.
type goal struct {
	middle   geo.Point // where the way ends
	arrived  inside    // nil for a port: the calls tell the arrival
	arriving inside    // nil for none
	departed inside    // not nil where arrived is not
	known    bool      // false where the port or ship has no place
}

// inside reports whether a place lies in an area.
type inside func(geo.Point) bool

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
	g := goal{middle: p.Position, known: true, arriving: geo.Circle{Center: p.Position, Radius: chart.DefaultRadius}.Contains}
	if p.Drawn() {
		g.arriving = geo.NewArea(p.Outer).Contains
	}
	return g
}

// placeGoal is the goal of a position, and of a ship that is there.
func placeGoal(at geo.Point) goal {
	return goal{middle: at, known: true, arrived: geo.Circle{Center: at, Radius: ArrivedRadius}.Contains,
		arriving: geo.Circle{Center: at, Radius: ArrivingRadius}.Contains, departed: geo.Circle{Center: at, Radius: 2 * ArrivedRadius}.Contains}
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

func (z *LocationPart) zoneShape(radius float64) inside {
	if z.Position != nil {
		return geo.Circle{Center: *z.Position, Radius: radius}.Contains
	}
	return geo.NewArea(geo.Polygon(z.Area)).Contains
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
func (w *way) endAtArea(area inside) {
	if at, enters := w.enters(area); enters {
		w.end = at
	}
}

// enters returns the metres of a way up to where it first enters an area; false when it does not, or there is none.
func (w *way) enters(area inside) (metres float64, ok bool) {
	if area == nil {
		return 0, false
	}
	for i := 1; i < len(w.points); i++ {
		if area(w.points[i]) {
			return w.along[i-1] + geo.Entry(w.points[i-1], w.points[i], area)*(w.along[i]-w.along[i-1]), true
		}
	}
	return 0, false
}
