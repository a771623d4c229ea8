package geo

import "math"

// Polygon is an area: its first ring is the outer border, the others are holes. Rings are closed (first point = last),
// of either winding; each edge runs the shorter way round, so the 180° meridian needs no splitting. A ring that goes
// round the earth encloses the pole that it is nearer to.
type Polygon [][]Point

// where a point lies seen from one ring.
type side int

const (
	outside side = iota
	inside
	onEdge
)

// Contains reports whether p lies in the outer ring and in no hole; every border counts as inside.
func (g Polygon) Contains(p Point) bool {
	if len(g) == 0 {
		return false
	}
	switch ringSide(g[0], p) {
	case outside:
		return false
	case onEdge:
		return true
	}
	for _, hole := range g[1:] {
		switch ringSide(hole, p) {
		case inside:
			return false
		case onEdge:
			return true
		}
	}
	return true
}

// Bounds returns a rectangle that holds the outer ring, and the pole if it goes round one.
func (g Polygon) Bounds() Rect {
	if len(g) == 0 {
		return RectOf()
	}
	r, turned := boundsOf(g[0])
	if math.Abs(turned) < 180 {
		return r
	}
	if northern(g[0]) {
		r.North = 90
	} else {
		r.South = -90
	}
	return r
}

// ringSide counts the edges that the meridian of p cuts north and south of p. An even number in all means that the ring does not go round the earth, and both
// poles are outside. Else the way to the pole outside decides.
//
//	north pole
//	   |  *-------*      x is the longitude seen from p, so p's meridian is x = 0;
//	---+--|-------+--    an edge whose ends differ by more than 180° runs behind the earth
//	   p  |  in   |      and cannot cut it.
//	   |  *-------*
func ringSide(ring []Point, p Point) side {
	var c crossings
	for i := 1; i < len(ring); i++ {
		if c.edge(ring[i-1], ring[i], p); c.touched {
			return onEdge
		}
	}
	return c.sideOfPlace((c.north+c.south)%2 == 1 && northern(ring))
}

// crossings counts the edges of a ring that the meridian of a place cuts.
type crossings struct {
	north, south int
	touched      bool // the place lies on an edge
}

// edge takes one edge.
func (c *crossings) edge(a, b, p Point) {
	ax, bx := wrap(a.Lon-p.Lon), wrap(b.Lon-p.Lon)
	if ax == 0 && bx == 0 {
		c.touched = c.touched || p.Lat >= min(a.Lat, b.Lat) && p.Lat <= max(a.Lat, b.Lat)
		return
	}
	if ax == 0 && a.Lat == p.Lat || bx == 0 && b.Lat == p.Lat {
		c.touched = true
		return
	}
	if (ax <= 0) == (bx <= 0) || math.Abs(bx-ax) > 180 {
		return
	}
	switch lat := a.Lat + (b.Lat-a.Lat)*(-ax/(bx-ax)); {
	case lat == p.Lat:
		c.touched = true
	case lat > p.Lat:
		c.north++
	default:
		c.south++
	}
}

// sideOfPlace returns where the place lies; northern tells which pole a ring round the earth is nearer to.
func (c *crossings) sideOfPlace(northern bool) side {
	cuts := c.north
	if (c.north+c.south)%2 == 1 && northern {
		cuts = c.south
	}
	switch {
	case c.touched:
		return onEdge
	case cuts%2 == 1:
		return inside
	}
	return outside
}

// northern says which pole a ring round the earth is nearer to, by the mean of its latitudes.
func northern(ring []Point) bool {
	var sum float64
	for _, p := range ring {
		sum += p.Lat
	}
	return sum >= 0
}
