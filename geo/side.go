package geo

import "math"

// widestSide is up to how many degrees of longitude Side looks at.
const widestSide = 90

// Side tells on which side of a shape's border a rectangle lies as a whole. Then it is certain, and within says whether it lies in the shape. It is not certain
// where the border may cross or touch the rectangle, and of a shape that is no polygon only beyond its bounds.
func (a *Area) Side(r Rect) (within, certain bool) {
	if !r.Valid() || r.lonWidth() > widestSide {
		return false, false
	}
	if !a.bounds.Intersects(r) {
		return false, true
	}
	if a.polygon == nil {
		return false, false
	}
	middle := Point{Lon: wrap(r.West + r.lonWidth()/2), Lat: (r.South + r.North) / 2}
	half := Vector{r.lonWidth() / 2, (r.North - r.South) / 2}
	met := false
	if a.lone != nil {
		for i := 1; i < len(a.lone) && !met; i++ {
			met = edgeMeets(a.lone[i-1], a.lone[i], middle, half)
		}
	} else {
		across := clipped{from: Point{Lon: r.West, Lat: r.South}, way: Vector{r.lonWidth(), 0}}
		a.eachBand(&across, func(e edgeOf) {
			met = met || edgeMeets(a.polygon[e.ring][e.end-1], a.polygon[e.ring][e.end], middle, half)
		})
	}
	if met {
		return false, false
	}
	return a.Contains(middle), true
}

// edgeMeets reports whether an edge may touch a rectangle of less than a half circle, by its middle and half its size.
func edgeMeets(from, to, middle Point, half Vector) bool {
	const rounding = 1e-9 // degrees
	way := degreesBetween(from, to)
	y := from.Lat - middle.Lat
	if min(y, y+way.Y) > half.Y+rounding || max(y, y+way.Y) < -half.Y-rounding {
		return false
	}
	for _, round := range [...]float64{-360, 0, 360} { // the edge may lead round to the other side
		x := wrap(from.Lon-middle.Lon) + round
		if min(x, x+way.X) > half.X+rounding || max(x, x+way.X) < -half.X-rounding {
			continue
		}
		if math.Abs(way.X*y-way.Y*x) <= math.Abs(way.Y)*half.X+math.Abs(way.X)*half.Y+rounding {
			return true
		}
	}
	return false
}
