package chart

import (
	"math"
	"slices"

	"github.com/paulmach/orb"
)

// group puts rings on whole units and makes polygons: each hole goes to the smallest outer ring around it. Rings come
// with land on their left as seen; the tile format wants outer rings clockwise as seen, so all are turned. Rings up to the least area, in square units, are left out.
func group(rings []orb.Ring, least float64) []orb.Polygon {
	var polygons []orb.Polygon
	var holes []orb.Ring
	for _, r := range rings {
		r = settle(r)
		switch a := signedArea(r); {
		case len(r) < 4 || math.Abs(a) <= least:
		case a > 0:
			polygons = append(polygons, orb.Polygon{r})
		default:
			holes = append(holes, r)
		}
	}
	slices.SortFunc(polygons, func(a, b orb.Polygon) int {
		return int(signedArea(a[0])) - int(signedArea(b[0]))
	})
	bounds := make([]orb.Bound, len(polygons))
	for i, p := range polygons {
		bounds[i] = p[0].Bound()
	}
	for _, h := range holes {
		if i := smallest(polygons, bounds, h); i >= 0 {
			polygons[i] = append(polygons[i], h)
		}
	}
	return polygons
}

// settle rounds a ring to whole units, takes out what falls together, and turns it round.
func settle(r orb.Ring) orb.Ring {
	out := make(orb.Ring, 0, len(r))
	for i := len(r) - 1; i >= 0; i-- {
		p := orb.Point{math.Round(r[i][0]), math.Round(r[i][1])}
		if n := len(out); n == 0 || out[n-1] != p {
			out = append(out, p)
		}
	}
	return out
}

// signedArea is positive for a ring that runs clockwise as seen (y downward), in square units.
func signedArea(r orb.Ring) float64 {
	var sum float64
	for i := 1; i < len(r); i++ {
		sum += r[i-1][0]*r[i][1] - r[i][0]*r[i-1][1]
	}
	return sum / 2
}

// smallest finds the first polygon, in order of size, whose outer ring holds a hole; -1 if none does.
func smallest(polygons []orb.Polygon, bounds []orb.Bound, hole orb.Ring) int {
	b := hole.Bound()
	for i, p := range polygons {
		if bounds[i].Contains(b.Min) && bounds[i].Contains(b.Max) && encloses(p[0], hole[0]) {
			return i
		}
	}
	return -1
}

// encloses counts the sides of a ring east of a point. Its bounds were asked before, which planar.RingContains would
// compute anew each time.
func encloses(r orb.Ring, p orb.Point) bool {
	in := false
	for i := 1; i < len(r); i++ {
		a, b := r[i-1], r[i]
		if (a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0]+(p[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			in = !in
		}
	}
	return in
}
