package geo

import "math"

// Shape is one of Polygon, Circle and Line. It is sealed: a type switch over the three is complete.
type Shape interface {
	// Contains reports whether a point lies inside; a point exactly on the border does. A Line has no inside.
	Contains(Point) bool
	// Bounds returns a rectangle that holds the whole shape.
	Bounds() Rect
	shape()
}

func (Polygon) shape() {}
func (Circle) shape()  {}
func (Line) shape()    {}

// Circle is all places within Radius metres of Center.
type Circle struct {
	Center Point
	Radius float64
}

// Contains reports whether p is within the radius.
func (c Circle) Contains(p Point) bool { return Distance(c.Center, p) <= c.Radius }

// Bounds returns a rectangle that holds the circle, up to 0.7 % wider than needed.
func (c Circle) Bounds() Rect {
	at := c.Center.Normalized()
	return Rect{West: at.Lon, South: at.Lat, East: at.Lon, North: at.Lat}.Expand(c.Radius)
}

// Polygon returns the circle as a polygon with so many corners on it, to a decimetre.
func (c Circle) Polygon(corners int) Polygon {
	ring := make([]Point, corners+1)
	for i := range corners {
		at := Destination(c.Center, float64(i)*360/float64(corners), c.Radius)
		ring[i] = Point{Lon: math.Round(at.Lon*1e6) / 1e6, Lat: math.Round(at.Lat*1e6) / 1e6}
	}
	ring[corners] = ring[0]
	return Polygon{ring}
}

// Line is a chain of points. Each edge runs the shorter way round.
type Line []Point

// Contains is false: a line has no inside.
func (l Line) Contains(Point) bool { return false }

// Bounds returns the smallest rectangle that holds every edge.
func (l Line) Bounds() Rect {
	r, _ := boundsOf(l)
	return r
}

// Length returns the metres along the line.
func (l Line) Length() float64 {
	var sum float64
	for i := 1; i < len(l); i++ {
		sum += Distance(l[i-1], l[i])
	}
	return sum
}

// boundsOf returns the rectangle of a chain of edges and the longitudes that it has turned from its first to its last point. For a closed
// chain that is a multiple of 360, and not zero if it goes round a pole.
func boundsOf(chain []Point) (Rect, float64) {
	if len(chain) == 0 {
		return RectOf(), 0
	}
	first := wrap(chain[0].Lon)
	r := Rect{South: chain[0].Lat, North: chain[0].Lat}
	var turned, west, east float64
	for i, p := range chain {
		if i > 0 {
			turned += wrap(p.Lon - chain[i-1].Lon)
		}
		west, east = min(west, turned), max(east, turned)
		r.South, r.North = min(r.South, p.Lat), max(r.North, p.Lat)
	}
	if east-west >= 360 {
		r.West, r.East = -180, 180
		return r, turned
	}
	r.West, r.East = edgeLon(first+west), edgeLon(first+east)
	return r, turned
}

// edgeLon is wrap for the edge of a rectangle: 180 stays 180.
func edgeLon(lon float64) float64 {
	if lon == 180 {
		return lon
	}
	return wrap(lon)
}
