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
type portIndex = rtree.RTreeG[*border]

func newPortIndex(all []*Port) *portIndex {
	index := &portIndex{}
	for i, port := range all {
		bounds, ok := port.Bounds()
		if !ok {
			continue
		}
		b := &border{port, i, bounds, geo.PlaneAt(port.Position), sync.OnceValue(port.Area)}
		for _, part := range sameMeridian(bounds.Expand(touching)) { // corners are rounded
			index.Insert([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, b)
		}
	}
	return index
}

// sameMeridian gives a rectangle in parts for a planar index in which 180° and -180° are far apart: what ends at one begins at the other.
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
	at, n := [2]float64{place.Lon, place.Lat}, len(dst)
	p.index.Search(at, at, func(_, _ [2]float64, b *border) bool {
		if b.holds(place) && !slices.Contains(dst[n:], b.port) {
			dst = append(dst, b.port)
		}
		return true
	})
	if len(dst) > n+1 {
		slices.SortFunc(dst[n:], func(a, b *Port) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	}
	return dst
}

// In gives the ports whose bounds share a place with a rectangle, by name.
func (p *Ports) In(r geo.Rect) []*Port {
	var found []*border
	for _, part := range r.Split() {
		p.index.Search([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, func(_, _ [2]float64, b *border) bool {
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

// holds tells whether a place lies in Port.Area.
func (b *border) holds(place geo.Point) bool {
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
