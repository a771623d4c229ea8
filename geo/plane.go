package geo

import "math"

// Vector is a place on a plane, or the way from one place to another. X is to the east and Y to the north, both in one unit.
type Vector struct{ X, Y float64 }

// To returns the way from v to another place.
func (v Vector) To(o Vector) Vector { return Vector{o.X - v.X, o.Y - v.Y} }

// Along returns the place that is reached from v by a share of a way; 1 is the whole way.
func (v Vector) Along(way Vector, share float64) Vector {
	return Vector{v.X + share*way.X, v.Y + share*way.Y}
}

// Dot returns the scalar product.
func (v Vector) Dot(o Vector) float64 { return v.X*o.X + v.Y*o.Y }

// Cross returns the vector product: positive when o points to the left of v.
func (v Vector) Cross(o Vector) float64 { return v.X*o.Y - v.Y*o.X }

// Length returns the length of the way.
func (v Vector) Length() float64 { return math.Hypot(v.X, v.Y) }

// WestOf reports whether the way east from v crosses the edge from a to b. The northern end of an edge does not count, so a ring is
// crossed an odd number of times from inside.
func (v Vector) WestOf(a, b Vector) bool {
	return (a.Y > v.Y) != (b.Y > v.Y) && v.X < a.X+(v.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X)
}

// EdgeDistance returns how far v is from the nearest place of the edge from a to b.
func (v Vector) EdgeDistance(a, b Vector) float64 {
	distance, _ := v.Beside(a, b)
	return distance
}

// Beside is EdgeDistance with the share of the edge that lies before that place.
func (v Vector) Beside(a, b Vector) (distance, share float64) {
	from, way := a.To(v), a.To(b)
	if square := way.Dot(way); square > 0 {
		share = min(1, max(0, from.Dot(way)/square))
	}
	return math.Hypot(from.X-share*way.X, from.Y-share*way.Y), share
}

// Plane touches the WGS 84 ellipsoid at a point; its vectors are metres from there. All degrees of longitude have the length that they
// have at that point. At 60° of latitude a length 30 km further north is right to 1 %.
type Plane struct {
	middle         Point
	perLon, perLat float64 // metres of a degree
}

// PlaneAt returns the plane that touches the ellipsoid at a point. A degree is as long as the radii of curvature N and M make it there.
func PlaneAt(middle Point) Plane {
	const a, e2 = 6378137.0, 0.00669437999014
	sin, cos := math.Sincos(middle.Lat * math.Pi / 180)
	root := math.Sqrt(1 - e2*sin*sin)
	n := a / root
	m := a * (1 - e2) / (root * root * root)
	return Plane{middle, n * cos * math.Pi / 180, m * math.Pi / 180}
}

// Vector returns the place of a point on the plane, the shorter way round.
func (p Plane) Vector(at Point) Vector { return p.edgeBetween(p.middle, at) }

// Point returns the place of a vector: Vector gives it back.
func (p Plane) Point(v Vector) Point {
	return Point{Lon: p.middle.Lon + v.X/p.perLon, Lat: p.middle.Lat + v.Y/p.perLat}.Normalized()
}

// edgeBetween returns the edge between two points.
func (p Plane) edgeBetween(a, b Point) Vector {
	return Vector{wrap(b.Lon-a.Lon) * p.perLon, (b.Lat - a.Lat) * p.perLat}
}

// Rings returns the rings of a polygon on the plane.
func (p Plane) Rings(g Polygon) Rings {
	rings := make(Rings, len(g))
	for i, ring := range g {
		for _, at := range ring {
			rings[i] = append(rings[i], p.Vector(at))
		}
	}
	return rings
}

// Rings are a polygon on a plane: the outer border, then holes. Each ring is closed.
type Rings [][]Vector

// Edges calls each with the edges of all rings until it is false.
func (r Rings) Edges(each func(a, b Vector) bool) {
	for _, ring := range r {
		for i := 1; i < len(ring); i++ {
			if !each(ring[i-1], ring[i]) {
				return
			}
		}
	}
}

// Contains reports whether v lies in the outer border and in no hole. On a border it may say either.
func (r Rings) Contains(v Vector) bool {
	inside := false
	r.Edges(func(a, b Vector) bool {
		if v.WestOf(a, b) {
			inside = !inside
		}
		return true
	})
	return inside
}

// Far reports whether v is farther than a distance from every edge.
func (r Rings) Far(v Vector, distance float64) bool {
	far := true
	r.Edges(func(a, b Vector) bool {
		if v.Y < min(a.Y, b.Y)-distance || v.Y > max(a.Y, b.Y)+distance || v.X < min(a.X, b.X)-distance || v.X > max(a.X, b.X)+distance {
			return true
		}
		far = v.EdgeDistance(a, b) > distance
		return far
	})
	return far
}
