package chart

import (
	"fmt"
	"math"
	"slices"

	"quaywatch/geo"
	"quaywatch/rule"
)

const (
	// DefaultRadius is that of the circle in metres that stands for a port whose outer border was not drawn.
	DefaultRadius = 4000

	defaultCorners = 64      // of that circle as a polygon: 5 m within it
	farthest       = 500_000 // metres across an outer border: more is a slip of the hand
	strayed        = 50_000  // metres from an outer border to the port's position: longitude and latitude are confused, most of all
	touching       = 1.0     // metres by which an inner shape may lie over the border that it was drawn along
)

// Drawn says whether the port has an outer border of its own.
func (p *Port) Drawn() bool { return p.Outer != nil }

// Area gives the outer border: the one that was drawn, else a circle of DefaultRadius around the position, nil without either.
func (p *Port) Area() geo.Polygon {
	if p.Outer != nil || !p.Placed {
		return p.Outer
	}
	ring := make([]geo.Point, defaultCorners+1)
	for i := range defaultCorners {
		at := geo.Destination(p.Position, float64(i)*360/defaultCorners, DefaultRadius)
		ring[i] = geo.Point{Lon: math.Round(at.Lon*1e6) / 1e6, Lat: math.Round(at.Lat*1e6) / 1e6}
	}
	ring[defaultCorners] = ring[0]
	return geo.Polygon{ring}
}

// Bounds gives a rectangle that holds the port; false for one without border and position.
func (p *Port) Bounds() (geo.Rect, bool) {
	switch {
	case p.Outer != nil:
		return p.Outer.Bounds(), true
	case p.Placed:
		return geo.Circle{Center: p.Position, Radius: DefaultRadius}.Bounds(), true
	}
	return geo.Rect{}, false
}

// CheckShapes tells what is wrong with the borders of a port as a *geo.ShapeError, whose pointer begins with /outer or /inner:
// inner shapes lie inside the outer one, which lies at the port's position.
func (p *Port) CheckShapes() error {
	area := p.Area()
	if p.Outer == nil && len(p.Inner) == 0 {
		return nil
	}
	if area == nil {
		return &geo.ShapeError{Pointer: "/outer", Rule: rule.New("outer_required", "is required: the port has no position to draw a circle around")}
	}
	points := 0
	for _, polygon := range append(slices.Clone(p.Inner), p.Outer) {
		for _, ring := range polygon {
			points += len(ring)
		}
	}
	if points > geo.MaxShapePoints {
		return &geo.ShapeError{Pointer: "/outer", Rule: rule.New("outer_points", "must have at most {max} points, together with inner", "max", geo.MaxShapePoints)}
	}
	bounds := area.Bounds()
	if bounds.West == -180 && bounds.East == 180 || geo.Distance(geo.Point{Lon: bounds.West, Lat: bounds.South}, geo.Point{Lon: bounds.East, Lat: bounds.North}) > farthest {
		return &geo.ShapeError{Pointer: "/outer", Rule: rule.New("outer_large", "must be less than 500 km across and not go round a pole")}
	}
	sea := newPlane(bounds.Center())
	border := sea.polygon(area)
	if p.Outer != nil && p.Placed && !border.holds(sea.point(p.Position), strayed) {
		return &geo.ShapeError{Pointer: "/outer", Rule: rule.New("outer_far", "must lie within 50 km of the port's position; where that is wrong, give position too")}
	}
	for i, inner := range p.Inner {
		at := fmt.Sprintf("/inner/%d/coordinates/0", i)
		flat := sea.polygon(inner)
		if edge := border.leftBy(flat[0]); edge >= 0 {
			return &geo.ShapeError{Pointer: fmt.Sprintf("%s/%d", at, edge), Rule: rule.New("inner_outside", "must lie inside outer, as must the edge to the next point")}
		}
		for _, hole := range border[1:] {
			if slices.ContainsFunc(hole, func(p vector) bool { return flat.contains(p) && flat.far(p, touching) }) {
				return &geo.ShapeError{Pointer: at, Rule: rule.New("inner_hole", "must leave out the holes of outer")}
			}
		}
	}
	return nil
}

// plane is a flat sea around a place: metres east and north of it.
type plane struct {
	middle geo.Point
	scale  float64 // metres of a degree of longitude
}

// vector is a place on it, or the way from one to another.
type vector struct{ x, y float64 }

const metresPerDegree = 111_195

func newPlane(middle geo.Point) plane {
	return plane{middle, metresPerDegree * math.Cos(middle.Lat*math.Pi/180)}
}

func (p plane) point(g geo.Point) vector {
	return vector{math.Remainder(g.Lon-p.middle.Lon, 360) * p.scale, (g.Lat - p.middle.Lat) * metresPerDegree}
}

func (p plane) polygon(g geo.Polygon) flatPolygon {
	flat := make(flatPolygon, len(g))
	for i, ring := range g {
		for _, at := range ring {
			flat[i] = append(flat[i], p.point(at))
		}
	}
	return flat
}

func (v vector) to(o vector) vector                 { return vector{o.x - v.x, o.y - v.y} }
func (v vector) cross(o vector) float64             { return v.x*o.y - v.y*o.x }
func (v vector) length() float64                    { return math.Hypot(v.x, v.y) }
func (v vector) along(way vector, t float64) vector { return vector{v.x + t*way.x, v.y + t*way.y} }

// flatPolygon is a polygon on the plane, its rings closed.
type flatPolygon [][]vector

// edges calls each with the edges until it is false.
func (f flatPolygon) edges(each func(a, b vector) bool) {
	for _, ring := range f {
		for i := 1; i < len(ring); i++ {
			if !each(ring[i-1], ring[i]) {
				return
			}
		}
	}
}

// contains says whether p lies inside the first ring and in no other; on the border it may say either.
func (f flatPolygon) contains(p vector) bool {
	inside := false
	f.edges(func(a, b vector) bool {
		if (a.y > p.y) != (b.y > p.y) && p.x < a.x+(p.y-a.y)/(b.y-a.y)*(b.x-a.x) {
			inside = !inside
		}
		return true
	})
	return inside
}

// far says whether p is more than so many metres from every edge.
func (f flatPolygon) far(p vector, metres float64) bool {
	far := true
	f.edges(func(a, b vector) bool {
		if p.y < min(a.y, b.y)-metres || p.y > max(a.y, b.y)+metres || p.x < min(a.x, b.x)-metres || p.x > max(a.x, b.x)+metres {
			return true
		}
		way, t := a.to(b), 0.0
		if square := way.x*way.x + way.y*way.y; square > 0 {
			from := a.to(p)
			t = max(0, min(1, (from.x*way.x+from.y*way.y)/square))
		}
		far = a.along(way, t).to(p).length() > metres
		return far
	})
	return far
}

// holds says whether p lies inside or at most so many metres outside.
func (f flatPolygon) holds(p vector, metres float64) bool { return f.contains(p) || !f.far(p, metres) }

// leftBy gives the index of the first edge of a ring that leaves the polygon, -1 for none. Each edge is cut where it meets the
// border, and the middles of the pieces are looked at: on the border itself inside and outside are a matter of rounding.
func (f flatPolygon) leftBy(ring []vector) int {
	for i := 1; i < len(ring); i++ {
		a := ring[i-1]
		way := a.to(ring[i])
		cuts := f.cuts(a, way)
		if !f.holds(a, touching) {
			return i - 1
		}
		for k := 1; k < len(cuts) && len(cuts) > 2; k++ {
			if !f.holds(a.along(way, (cuts[k-1]+cuts[k])/2), touching) {
				return i - 1
			}
		}
	}
	return -1
}

// cuts gives, from 0 to 1, where an edge begins, meets the border, and ends.
func (f flatPolygon) cuts(from, way vector) []float64 {
	cuts := []float64{0, 1}
	slack := touching / max(touching, way.length())
	south, north := min(from.y, from.y+way.y)-touching, max(from.y, from.y+way.y)+touching
	west, east := min(from.x, from.x+way.x)-touching, max(from.x, from.x+way.x)+touching
	f.edges(func(a, b vector) bool {
		if max(a.y, b.y) < south || min(a.y, b.y) > north || max(a.x, b.x) < west || min(a.x, b.x) > east {
			return true
		}
		edge := a.to(b)
		turn := way.cross(edge)
		if turn == 0 {
			return true // along each other: the neighbours of the edge meet it at the ends
		}
		start := from.to(a)
		t, u := start.cross(edge)/turn, start.cross(way)/turn
		near := touching / max(touching, edge.length())
		if t >= -slack && t <= 1+slack && u >= -near && u <= 1+near {
			cuts = append(cuts, max(0, min(1, t)))
		}
		return true
	})
	slices.Sort(cuts)
	return cuts
}
