package fairway

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route/sea"
)

// FairwayWater is a water in which ships keep to the fairways.
type FairwayWater struct {
	Name    string
	Polygon geo.Polygon
	middle  sea.UnitVector // of the circle round it
	km      float64        // its radius
	plane   geo.Plane
	rings   geo.Rings
}

// newArea checks an area and prepares it.
func newArea(name string, g geo.Polygon) (FairwayWater, error) {
	bounds := g.Bounds()
	if max(math.Abs(bounds.South), math.Abs(bounds.North)) > MostLatitude {
		return FairwayWater{}, fmt.Errorf("the area must lie within %d° of latitude", MostLatitude)
	}
	middle := bounds.Center()
	a := FairwayWater{Name: name, Polygon: g, middle: sea.At(middle), plane: geo.PlaneAt(middle)}
	for _, p := range g[0] {
		if a.km = max(a.km, sea.Km(a.middle, sea.At(p))); a.km > WidestArea/2000 {
			return FairwayWater{}, fmt.Errorf("the area is more than %d km wide", WidestArea/1000)
		}
	}
	a.km *= 1.01 // edges are straight in degrees
	a.rings = a.plane.Rings(g)
	return a, nil
}

// pieceKm is how much of a great circle is taken as straight on the plane of an area.
const pieceKm = 20

// Inside returns how many kilometres of the great circle from one place to another lie in the area.
func (a *FairwayWater) Inside(from, to sea.UnitVector) (km float64) {
	first, last, ok := sea.Within(from, to, a.middle, a.km)
	if !ok {
		return 0
	}
	u := a.plane.Vector(first.Point())
	pieces := math.Ceil(sea.Km(first, last) / pieceKm)
	way := sea.Between(first, last, pieceKm)
	for i := 1.0; i <= pieces; i++ {
		end := last
		if i < pieces {
			end = way[int(i)-1]
		}
		v := a.plane.Vector(end.Point())
		km += a.shareInside(u, v) * sea.Km(first, last) / pieces
		u = v
	}
	return km
}

// shareInside returns how much of a straight piece lies inside.
func (a *FairwayWater) shareInside(u, v geo.Vector) (inside float64) {
	way := u.To(v)
	cuts := []float64{0, 1}
	a.rings.Edges(func(p, q geo.Vector) bool {
		edge := p.To(q)
		if turn := way.Cross(edge); turn != 0 {
			along, beside := u.To(p).Cross(edge)/turn, u.To(p).Cross(way)/turn
			if along > 0 && along < 1 && beside >= 0 && beside <= 1 {
				cuts = append(cuts, along)
			}
		}
		return true
	})
	slices.SortFunc(cuts, cmp.Compare)
	for i := 1; i < len(cuts); i++ {
		if a.rings.Contains(u.Along(way, (cuts[i-1]+cuts[i])/2)) {
			inside += cuts[i] - cuts[i-1]
		}
	}
	return inside
}
