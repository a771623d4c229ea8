package chart

import (
	"fmt"
	"slices"

	"quaywatch/geo"
	"quaywatch/internal/rule"
)

const (
	// DefaultRadius is that of the circle in metres that stands for a port whose outer border was not drawn.
	DefaultRadius = 4000

	defaultCorners = 64      // of that circle as a polygon: 5 m within it
	farthest       = 500_000 // metres across an outer border: more is a slip of the hand
	strayed        = 50_000  // metres from an outer border to the port's position: longitude and latitude are confused, most of all
	touching       = 1.0     // metres by which an inner shape may lie over the border that it was drawn along
)

// Drawn reports whether the port has an outer border of its own.
func (p *Port) Drawn() bool { return p.Outer != nil }

// Area returns the outer border: the one that was drawn, else a circle of DefaultRadius around the position, nil without either.
func (p *Port) Area() geo.Polygon {
	if p.Outer != nil || !p.Placed {
		return p.Outer
	}
	return geo.Circle{Center: p.Position, Radius: DefaultRadius}.Polygon(defaultCorners)
}

// Bounds returns a rectangle that holds the port; false for one without border and position.
func (p *Port) Bounds() (geo.Rect, bool) {
	switch {
	case p.Outer != nil:
		return p.Outer.Bounds(), true
	case p.Placed:
		return geo.Circle{Center: p.Position, Radius: DefaultRadius}.Bounds(), true
	}
	return geo.Rect{}, false
}

// CheckShapes tells what is wrong with the borders of a port, as a *geo.ShapeError whose pointer begins with /outer or /inner. Inner
// shapes lie inside the outer one, which lies at the position of the port.
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
	southWest, northEast := geo.Point{Lon: bounds.West, Lat: bounds.South}, geo.Point{Lon: bounds.East, Lat: bounds.North}
	if bounds.West == -180 && bounds.East == 180 || geo.Distance(southWest, northEast) > farthest {
		return &geo.ShapeError{Pointer: "/outer", Rule: rule.New("outer_large", "must be less than 500 km across and not go round a pole")}
	}
	sea := geo.PlaneAt(bounds.Center())
	border := sea.Rings(area)
	if p.Outer != nil && p.Placed && !isNear(border, sea.Vector(p.Position), strayed) {
		return &geo.ShapeError{Pointer: "/outer", Rule: rule.New("outer_far", "must lie within 50 km of the port's position; where that is wrong, give position too")}
	}
	for i, inner := range p.Inner {
		at := fmt.Sprintf("/inner/%d/coordinates/0", i)
		flat := sea.Rings(inner)
		if edge := leftBy(border, flat[0]); edge >= 0 {
			return &geo.ShapeError{Pointer: fmt.Sprintf("%s/%d", at, edge), Rule: rule.New("inner_outside", "must lie inside outer, as must the edge to the next point")}
		}
		for _, hole := range border[1:] {
			if slices.ContainsFunc(hole, func(v geo.Vector) bool { return flat.Contains(v) && flat.Far(v, touching) }) {
				return &geo.ShapeError{Pointer: at, Rule: rule.New("inner_hole", "must leave out the holes of outer")}
			}
		}
	}
	return nil
}

// isNear reports whether a place lies inside or at most so many metres outside.
func isNear(f geo.Rings, p geo.Vector, metres float64) bool {
	return f.Contains(p) || !f.Far(p, metres)
}

// leftBy returns the index of the first edge of a ring that leaves the polygon, -1 for none. Each edge is cut where it meets the border,
// and the middles of the pieces are tested. On the border itself, inside and outside depend on rounding.
func leftBy(border geo.Rings, ring []geo.Vector) int {
	for i := 1; i < len(ring); i++ {
		a := ring[i-1]
		way := a.To(ring[i])
		cuts := cutsOf(border, a, way)
		if !isNear(border, a, touching) {
			return i - 1
		}
		for k := 1; k < len(cuts) && len(cuts) > 2; k++ {
			if !isNear(border, a.Along(way, (cuts[k-1]+cuts[k])/2), touching) {
				return i - 1
			}
		}
	}
	return -1
}

// cutsOf returns, from 0 to 1, where an edge begins, meets the border, and ends.
func cutsOf(border geo.Rings, from, way geo.Vector) []float64 {
	cuts := []float64{0, 1}
	slack := touching / max(touching, way.Length())
	south, north := min(from.Y, from.Y+way.Y)-touching, max(from.Y, from.Y+way.Y)+touching
	west, east := min(from.X, from.X+way.X)-touching, max(from.X, from.X+way.X)+touching
	border.Edges(func(a, b geo.Vector) bool {
		if max(a.Y, b.Y) < south || min(a.Y, b.Y) > north || max(a.X, b.X) < west || min(a.X, b.X) > east {
			return true
		}
		edge := a.To(b)
		turn := way.Cross(edge)
		if turn == 0 {
			return true // along each other: the neighbours of the edge meet it at the ends
		}
		start := from.To(a)
		t, u := start.Cross(edge)/turn, start.Cross(way)/turn
		slackThere := touching / max(touching, edge.Length())
		if t >= -slack && t <= 1+slack && u >= -slackThere && u <= 1+slackThere {
			cuts = append(cuts, max(0, min(1, t)))
		}
		return true
	})
	slices.Sort(cuts)
	return cuts
}
