package geo

import (
	"math"
	"slices"
)

// Rect is a rectangle of longitudes and latitudes in degrees, its edges included. West > East spans the 180° meridian.
// West -180 with East 180 is the whole circle.
type Rect struct {
	West, South, East, North float64
}

// smallestRadius is the least radius of curvature of the WGS 84 ellipsoid in metres: that of the meridian at the equator, a(1-e²). An
// angle computed with it is never too small.
const smallestRadius = 6335439.327

// RectOf returns the smallest rectangle that holds all the points; it spans 180° where that is smaller. Without points
// it is not Valid and contains nothing.
func RectOf(pts ...Point) Rect {
	if len(pts) == 0 {
		return Rect{South: 1, North: -1}
	}
	lons := make([]float64, len(pts))
	r := Rect{South: pts[0].Lat, North: pts[0].Lat}
	for i, p := range pts {
		lons[i] = wrap(p.Lon)
		r.South, r.North = min(r.South, p.Lat), max(r.North, p.Lat)
	}
	slices.Sort(lons)
	r.West, r.East = lons[0], lons[len(lons)-1]
	widest := lons[0] + 360 - lons[len(lons)-1]
	for i := 1; i < len(lons); i++ {
		if gap := lons[i] - lons[i-1]; gap > widest {
			widest, r.West, r.East = gap, lons[i], lons[i-1]
		}
	}
	return r
}

// Valid reports whether all four edges are places of the earth and south is not above north.
func (r Rect) Valid() bool {
	return Point{r.West, r.South}.Valid() && Point{r.East, r.North}.Valid() && r.South <= r.North
}

// Contains reports whether p lies inside or on an edge.
func (r Rect) Contains(p Point) bool {
	return p.Lat >= r.South && p.Lat <= r.North && r.holdsLon(p.Lon)
}

// holdsLon reports whether a longitude lies between west and east; 180 and -180 are one meridian.
func (r Rect) holdsLon(lon float64) bool {
	if lonBetween(r, lon) {
		return true
	}
	return math.Abs(lon) == 180 && lonBetween(r, -lon)
}

func lonBetween(r Rect, lon float64) bool {
	if r.West <= r.East {
		return lon >= r.West && lon <= r.East
	}
	return lon >= r.West || lon <= r.East
}

// Intersects reports whether the two share a point; touching edges do.
func (r Rect) Intersects(o Rect) bool {
	if r.South > o.North || o.South > r.North {
		return false
	}
	return r.holdsLon(o.West) || o.holdsLon(r.West)
}

// lonWidth returns the degrees from west to east.
func (r Rect) lonWidth() float64 {
	if r.West <= r.East {
		return r.East - r.West
	}
	return r.East - r.West + 360
}

// Extend returns the smallest rectangle that holds r and p.
func (r Rect) Extend(p Point) Rect {
	if r.South > r.North { // holds nothing yet
		return RectOf(p)
	}
	r.South, r.North = min(r.South, p.Lat), max(r.North, p.Lat)
	if r.holdsLon(p.Lon) {
		return r
	}
	east, west := r, r
	east.East, west.West = p.Lon, p.Lon
	if east.lonWidth() <= west.lonWidth() {
		return east
	}
	return west
}

// Union returns the smallest rectangle that holds both. One that is not Valid adds nothing.
func (r Rect) Union(o Rect) Rect {
	switch {
	case r.South > r.North:
		return o
	case o.South > o.North:
		return r
	}
	all := Rect{West: -180, South: min(r.South, o.South), East: 180, North: max(r.North, o.North)}
	for _, ends := range [...][2]float64{{r.West, r.East}, {o.West, o.East}, {r.West, o.East}, {o.West, r.East}} {
		part := all
		if part.West, part.East = ends[0], ends[1]; part.lonWidth() < all.lonWidth() && part.spans(r) && part.spans(o) {
			all = part
		}
	}
	return all
}

// spans reports whether all longitudes of o lie in r.
func (r Rect) spans(o Rect) bool {
	const rounding = 1e-9
	from := math.Mod(o.West-r.West+360, 360)
	return r.holdsLon(o.West) && r.holdsLon(o.East) && from+o.lonWidth() <= r.lonWidth()+rounding
}

// Expand returns a rectangle that holds every place within so many metres of r. It becomes the whole circle where it
// reaches a pole.
func (r Rect) Expand(metres float64) Rect {
	angle := metres / smallestRadius
	dLat := angle * 180 / math.Pi
	top := max(math.Abs(r.South), math.Abs(r.North))
	r.South, r.North = max(-90, r.South-dLat), min(90, r.North+dLat)
	if top+dLat >= 90 {
		r.West, r.East = -180, 180
		return r
	}
	dLon := math.Asin(math.Sin(angle)/math.Cos(top*math.Pi/180)) * 180 / math.Pi
	if !(r.lonWidth()+2*dLon < 360) {
		r.West, r.East = -180, 180
		return r
	}
	r.West, r.East = wrap(r.West-dLon), wrap(r.East+dLon)
	return r
}

// Split returns the same area as one or two rectangles whose west is not east of their east, as a planar index wants it.
func (r Rect) Split() []Rect {
	if r.West <= r.East {
		return []Rect{r}
	}
	a, b := r, r
	a.East, b.West = 180, -180
	return []Rect{a, b}
}

// Center returns the middle.
func (r Rect) Center() Point {
	return Point{Lon: wrap(r.West + r.lonWidth()/2), Lat: (r.South + r.North) / 2}
}
