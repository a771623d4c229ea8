package chart

import (
	"cmp"
	"slices"
	"sync"

	"github.com/tidwall/rtree"

	"quaywatch/geo"
)

// border is the outer border of a port in the index by place.
type border struct {
	port   *Port
	order  int // of the port among all
	bounds geo.Rect
	sea    geo.Plane          // around the position
	area   func() geo.Polygon // Port.Area, computed once, when a place is near
}

// portIndex finds borders by place.
type portIndex struct {
	borders rtree.RTreeG[*border]
	cells   cells // that a border may reach into
}

// cells is a set of cells of a quarter of a degree, as a bit each. Most places at sea lie in none that is in the set, and that costs less to know than what the
// tree holds there.
type cells [360 * perDegree * 180 * perDegree / 64]uint64

// perDegree is how many cells there are on a degree.
const perDegree = 4

// cellOf returns the column and the row of the cell that holds a place. 180° and 90° belong to the last.
func cellOf(place geo.Point) (column, row int) {
	column = min(max(0, int((place.Lon+180)*perDegree)), 360*perDegree-1)
	row = min(max(0, int((place.Lat+90)*perDegree)), 180*perDegree-1)
	return column, row
}

func (c *cells) add(r geo.Rect) {
	west, south := cellOf(geo.Point{Lon: r.West, Lat: r.South})
	east, north := cellOf(geo.Point{Lon: r.East, Lat: r.North})
	for row := south; row <= north; row++ {
		for column := west; column <= east; column++ {
			n := row*360*perDegree + column
			c[n/64] |= 1 << (n % 64)
		}
	}
}

func (c *cells) has(place geo.Point) bool {
	column, row := cellOf(place)
	n := row*360*perDegree + column
	return c[n/64]&(1<<(n%64)) != 0
}

func newPortIndex(all []*Port) *portIndex {
	index := &portIndex{}
	for i, port := range all {
		bounds, ok := port.Bounds()
		if !ok {
			continue
		}
		b := &border{port, i, bounds, geo.PlaneAt(port.Position), sync.OnceValue(port.Area)}
		for _, part := range sameMeridian(bounds.Expand(touching)) { // corners are rounded
			index.borders.Insert([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, b)
			index.cells.add(part)
		}
	}
	return index
}

// sameMeridian returns a rectangle in parts for a planar index in which 180° and -180° are far apart. What ends at one of these begins at the other.
func sameMeridian(r geo.Rect) []geo.Rect {
	parts := r.Split()
	for _, part := range parts {
		if part.East == 180 {
			parts = append(parts, geo.Rect{West: -180, South: part.South, East: -180, North: part.North})
		}
		if part.West == -180 {
			parts = append(parts, geo.Rect{West: 180, South: part.South, East: 180, North: part.North})
		}
	}
	return parts
}

// At appends to dst the ports whose outer border holds a place, by name. The borders of ports may overlap.
func (p *Ports) At(dst []*Port, place geo.Point) []*Port {
	if !p.index.cells.has(place) {
		return dst
	}
	at, n := [2]float64{place.Lon, place.Lat}, len(dst)
	p.index.borders.Search(at, at, func(_, _ [2]float64, b *border) bool {
		if b.holdsPlace(place) && !slices.Contains(dst[n:], b.port) {
			dst = append(dst, b.port)
		}
		return true
	})
	if len(dst) > n+1 {
		slices.SortFunc(dst[n:], func(a, b *Port) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	}
	return dst
}

// In returns the ports whose bounds share a place with a rectangle, by name.
func (p *Ports) In(r geo.Rect) []*Port {
	var found []*border
	for _, part := range r.Split() {
		p.index.borders.Search([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, func(_, _ [2]float64, b *border) bool {
			if b.bounds.Intersects(r) {
				found = append(found, b)
			}
			return true
		})
	}
	slices.SortFunc(found, func(a, b *border) int { return cmp.Compare(a.order, b.order) })
	ports := make([]*Port, 0, len(found))
	for _, b := range slices.Compact(found) {
		ports = append(ports, b.port)
	}
	return ports
}

// holdsPlace reports whether a place lies in Port.Area.
func (b *border) holdsPlace(place geo.Point) bool {
	if !b.port.Drawn() {
		// Far from the rim a flat sea is good enough; near it the corners are asked.
		switch metres := b.sea.Vector(place).Length(); {
		case metres > 1.02*DefaultRadius:
			return false
		case metres < 0.98*DefaultRadius:
			return true
		}
	}
	return b.area().Contains(place)
}
