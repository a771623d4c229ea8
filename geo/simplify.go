package geo

// Simplify thins a line (Douglas and Peucker 1973): every point left out lies within the tolerance, in metres, of the
// edge that replaces it. The first and the last point stay; the result shares no memory with line.
func Simplify(line Line, toleranceMetres float64) Line {
	if len(line) < 3 {
		return append(Line(nil), line...)
	}
	keep := make([]bool, len(line))
	keep[0], keep[len(line)-1] = true, true
	Thin(keep, 0, len(line)-1, toleranceMetres, func(at, first, last int) float64 {
		return edgeDistance(line[at], line[first], line[last])
	})
	var thin Line
	for i, k := range keep {
		if k {
			thin = append(thin, line[i])
		}
	}
	return thin
}

// Thin marks in keep those points between two others that Douglas and Peucker keep. distance tells how far a point is from the edge
// between two others, in the unit of the tolerance.
func Thin(keep []bool, first, last int, tolerance float64, distance func(at, first, last int) float64) {
	spans := [][2]int{{first, last}}
	for len(spans) > 0 {
		first, last := spans[len(spans)-1][0], spans[len(spans)-1][1]
		spans = spans[:len(spans)-1]
		at, farthest := 0, tolerance
		for i := first + 1; i < last; i++ {
			if d := distance(i, first, last); d > farthest {
				at, farthest = i, d
			}
		}
		if at > 0 {
			keep[at] = true
			spans = append(spans, [2]int{first, at}, [2]int{at, last})
		}
	}
}

// edgeDistance returns the metres from p to the edge a-b in the plane that touches the ellipsoid at p.
func edgeDistance(p, a, b Point) float64 {
	plane := PlaneAt(p)
	from := plane.Vector(a)
	return Vector{}.EdgeDistance(from, from.Along(plane.edgeBetween(a, b), 1))
}
