package geo

import "math"

// Area is a shape of which many places are asked. The edges of a polygon stand in bands of longitude, so that a place is compared with those
// of its own band alone. It does not change, and may be used by several goroutines.
type Area struct {
	bounds   Rect
	lone     []Point // the only ring, where it has at most aFew points: they are all compared, which reads the least memory
	shape    Shape
	polygon  Polygon // nil for another shape
	northern []bool  // by ring
	anchor   float64 // longitude at which the first band begins
	width    float64 // degrees of all bands
	first    []int32 // by band, where its edges begin; one more for the end
	edges    []edgeOf
	cost     int
}

// edgeOf is an edge by the number of its ring and of the point at its end.
type edgeOf struct{ ring, end int32 }

// Bounds of the index. An edge stands in each band that it touches, so long edges make the bands fewer.
const (
	mostBands   = 1024
	mostEntries = 8 // for each edge
	bandSlack   = 1e-6
	aFew        = 16
	circleCost  = 40 // a distance on the sphere takes as long as so many edges
)

// NewArea makes the index of a shape. It takes time in proportion to the points.
func NewArea(s Shape) *Area {
	a := &Area{shape: s, bounds: s.Bounds(), cost: circleCost}
	if g, ok := s.(Polygon); ok && len(g) > 0 {
		a.indexEdges(g)
	}
	return a
}

// Bounds returns a rectangle that holds the whole shape.
func (a *Area) Bounds() Rect { return a.bounds }

// Shape returns the shape itself.
func (a *Area) Shape() Shape { return a.shape }

// Cost returns how many edges a place is compared with at the most. It is the measure of how long Contains takes.
func (a *Area) Cost() int { return a.cost }

// Contains says the same as that of the shape.
func (a *Area) Contains(p Point) bool {
	if !a.bounds.Contains(p) {
		return false
	}
	if a.polygon == nil {
		return a.shape.Contains(p)
	}
	if a.lone != nil {
		return ringSide(a.lone, p) != outside
	}
	edges := a.edgesNear(p.Lon)
	side, rest := a.sideOfRing(0, edges, p)
	for side != outside && side != onEdge && len(rest) > 0 { // each hole that is near
		ring := rest[0].ring
		if side, rest = a.sideOfRing(ring, rest, p); side == inside {
			return false
		} else if side == outside {
			side = inside
		}
	}
	return side != outside
}

// sideOfRing returns where a place lies seen from a ring, whose edges come first, and the edges of further rings.
func (a *Area) sideOfRing(ring int32, edges []edgeOf, p Point) (side, []edgeOf) {
	var c crossings
	i := 0
	for chain := a.polygon[ring]; i < len(edges) && edges[i].ring == ring; i++ {
		c.edge(chain[edges[i].end-1], chain[edges[i].end], p)
	}
	return c.sideOfPlace(a.northern[ring]), edges[i:]
}

// edgesNear returns the edges in the band of a longitude, by ring.
func (a *Area) edgesNear(lon float64) []edgeOf {
	east := eastward(lon - a.anchor)
	switch {
	case 360-east <= bandSlack:
		east = 0
	case east > a.width+bandSlack:
		return nil
	}
	bands := len(a.first) - 1
	band := min(bands-1, int(east/a.width*float64(bands)))
	return a.edges[a.first[band]:a.first[band+1]]
}

// eastward returns degrees as from 0 to below 360.
func eastward(degrees float64) float64 {
	if degrees <= -360 || degrees >= 360 {
		degrees = math.Mod(degrees, 360) // slow, and seldom needed
	}
	if degrees < 0 {
		return degrees + 360
	}
	return degrees
}

// indexEdges puts the edges into bands: as many as keep the entries few.
func (a *Area) indexEdges(g Polygon) {
	a.polygon = g
	if len(g) == 1 && len(g[0]) <= aFew {
		a.lone, a.cost = g[0], len(g[0])-1
		return
	}
	points := 0
	for _, ring := range g {
		a.northern = append(a.northern, northern(ring))
		points += len(ring)
	}
	r, _ := boundsOf(g[0])
	a.anchor, a.width = r.West, max(r.lonWidth(), bandSlack)
	bands := max(1, min(mostBands, points/2))
	for ; bands > 1; bands /= 2 {
		entries := 0
		a.eachEntry(bands, func(from, to int, _ edgeOf) { entries += to - from + 1 })
		if entries <= mostEntries*points {
			break
		}
	}
	a.fillBands(bands)
}

// fillBands makes the lists of the bands.
func (a *Area) fillBands(bands int) {
	counts := make([]int32, bands+1)
	a.eachEntry(bands, func(from, to int, _ edgeOf) {
		for band := from; band <= to; band++ {
			counts[band+1]++
		}
	})
	most := int32(0)
	for band := range bands {
		most = max(most, counts[band+1])
		counts[band+1] += counts[band]
	}
	a.first, a.cost = counts, int(most)
	a.edges = make([]edgeOf, counts[bands])
	next := append([]int32(nil), counts[:bands]...)
	a.eachEntry(bands, func(from, to int, e edgeOf) {
		for band := from; band <= to; band++ {
			a.edges[next[band]] = e
			next[band]++
		}
	})
}

// eachEntry calls fn with the bands that each edge touches, from the first to the last of them. An edge that comes round to the first bands
// again is there twice, and never twice in one band.
func (a *Area) eachEntry(bands int, fn func(from, to int, e edgeOf)) {
	perBand := a.width / float64(bands)
	for ring, chain := range a.polygon {
		for end := 1; end < len(chain); end++ {
			turn := wrap(chain[end].Lon - chain[end-1].Lon)
			west := eastward(chain[end-1].Lon+min(turn, 0)-a.anchor) - bandSlack
			free := 0 // the first band that does not have the edge yet
			for _, round := range [...]float64{-360, 0, 360} {
				low, high := west+round, west+round+math.Abs(turn)+2*bandSlack
				if high < 0 || low > a.width {
					continue
				}
				from, to := max(free, int(low/perBand)), min(bands-1, int(high/perBand))
				if from <= to {
					fn(from, to, edgeOf{int32(ring), int32(end)})
					free = to + 1
				}
			}
		}
	}
}
