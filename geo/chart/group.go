package chart

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"

	"quaywatch/geo"
)

// outer is a polygon with the area and the bounds of its outer ring.
type outer struct {
	polygon orb.Polygon
	area    float64 // square units
	bound   orb.Bound
}

// groupRings puts rings on whole units and makes polygons: each hole goes to the smallest outer ring around it. Rings come with land on their
// left as seen. The tile format wants outer rings clockwise as seen, so all are turned. Rings up to the least area, in square units, are
// left out.
func groupRings(rings []orb.Ring, least float64) []orb.Polygon {
	var outers []outer
	var holes []orb.Ring
	for _, r := range rings {
		r = settleRing(r)
		switch a := signedArea(r); {
		case len(r) < 4 || math.Abs(a) <= least:
		case a > 0:
			outers = append(outers, outer{orb.Polygon{r}, a, r.Bound()})
		default:
			holes = append(holes, r)
		}
	}
	slices.SortFunc(outers, func(a, b outer) int { return cmp.Compare(a.area, b.area) })
	for _, h := range holes {
		if i := smallest(outers, h); i >= 0 {
			outers[i].polygon = append(outers[i].polygon, h)
		}
	}
	polygons := make([]orb.Polygon, len(outers))
	for i, o := range outers {
		polygons[i] = o.polygon
	}
	return polygons
}

// settleRing rounds a ring to whole units, drops points that fall together, and reverses the ring.
func settleRing(r orb.Ring) orb.Ring {
	out := make(orb.Ring, 0, len(r))
	for i := len(r) - 1; i >= 0; i-- {
		p := orb.Point{math.Round(r[i][0]), math.Round(r[i][1])}
		if n := len(out); n == 0 || out[n-1] != p {
			out = append(out, p)
		}
	}
	return out
}

func vector(p orb.Point) geo.Vector { return geo.Vector{X: p[0], Y: p[1]} }

// signedArea is positive for a ring that runs clockwise as seen (y downward), in square units.
func signedArea(r orb.Ring) float64 {
	var sum float64
	for i := 1; i < len(r); i++ {
		sum += vector(r[i-1]).Cross(vector(r[i]))
	}
	return sum / 2
}

// smallest finds the first polygon, in order of size, whose outer ring holds a hole; -1 if none does.
func smallest(outers []outer, hole orb.Ring) int {
	b := hole.Bound()
	return slices.IndexFunc(outers, func(o outer) bool {
		return o.bound.Contains(b.Min) && o.bound.Contains(b.Max) && encloses(o.polygon[0], hole[0])
	})
}

// encloses counts the sides of a ring east of a point. RingContains of orb/planar computes the bounds of the ring each time, which made
// tiles of small scale five times slower.
func encloses(r orb.Ring, p orb.Point) bool {
	in := false
	for i := 1; i < len(r); i++ {
		if vector(p).WestOf(vector(r[i-1]), vector(r[i])) {
			in = !in
		}
	}
	return in
}
