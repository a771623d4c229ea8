package geo

import "math"

// Simplify thins a line (Douglas and Peucker 1973): every point left out lies within the tolerance, in metres, of the
// edge that replaces it. The first and the last point stay; the result shares no memory with line.
func Simplify(line Line, toleranceMetres float64) Line {
	if len(line) < 3 {
		return append(Line(nil), line...)
	}
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	spans := [][2]int{{0, len(line) - 1}}
	for len(spans) > 0 {
		s := spans[len(spans)-1]
		spans = spans[:len(spans)-1]
		if i, far := farthest(line, s[0], s[1]); far > toleranceMetres {
			keep[i] = true
			spans = append(spans, [2]int{s[0], i}, [2]int{i, s[1]})
		}
	}
	var thin Line
	for i, k := range keep {
		if k {
			thin = append(thin, line[i])
		}
	}
	return thin
}

// farthest finds the point between two of a line that lies farthest from the edge joining them, and its metres.
func farthest(line Line, first, last int) (at int, metres float64) {
	for i := first + 1; i < last; i++ {
		if d := edgeDistance(line[i], line[first], line[last]); d > metres {
			at, metres = i, d
		}
	}
	return at, metres
}

// edgeDistance gives the metres from p to the edge a-b in the plane that touches the ellipsoid at p.
func edgeDistance(p, a, b Point) float64 {
	perLon, perLat := metresPerDegree(p.Lat)
	ax, ay := wrap(a.Lon-p.Lon)*perLon, (a.Lat-p.Lat)*perLat
	bx, by := ax+wrap(b.Lon-a.Lon)*perLon, (b.Lat-p.Lat)*perLat
	dx, dy := bx-ax, by-ay
	t := 0.0
	if square := dx*dx + dy*dy; square > 0 {
		t = min(1, max(0, -(ax*dx+ay*dy)/square))
	}
	return math.Hypot(ax+t*dx, ay+t*dy)
}

// metresPerDegree gives the length of a degree of longitude and of latitude on the WGS 84 ellipsoid, from its radii of
// curvature N and M at that latitude.
func metresPerDegree(lat float64) (perLon, perLat float64) {
	const a, e2 = 6378137.0, 0.00669437999014
	sin, cos := math.Sincos(lat * math.Pi / 180)
	root := math.Sqrt(1 - e2*sin*sin)
	n := a / root
	m := a * (1 - e2) / (root * root * root)
	return n * cos * math.Pi / 180, m * math.Pi / 180
}
