package geo

import (
	"math"
	"strconv"

	"quaywatch/internal/rule"
)

// flatWithin is how far, in degrees, a point may lie from a line and still be on it: a thousandth of a millimetre.
const flatWithin = 1e-11

// goRound returns a closed ring with a point on the way of each edge that does not run the shorter way. So after it each edge does. An edge from -180 to 180
// goes round the world. An edge along a pole has no length. It runs the way that keeps the ring from going round the earth.
func goRound(ring []Point, pointer string) ([]Point, error) {
	turns := make([]float64, len(ring)) // by the end of the edge, degrees to the east
	total, plain := 0.0, true
	for i := 1; i < len(ring); i++ {
		turn, decided := turnOf(ring[i-1], ring[i])
		if !decided {
			return nil, undecided(pointer + "/" + strconv.Itoa(i))
		}
		turns[i] = turn
		total += turn
		plain = plain && math.Abs(turn) < 180
	}
	if at := otherWay(ring, turns, total); at > 0 {
		turns[at] -= math.Copysign(360, total)
		plain = false
	}
	if plain {
		return ring, nil
	}
	return withPoints(ring, turns), nil
}

// undecided is the error of an edge that could run either way.
func undecided(pointer string) *ShapeError {
	return &ShapeError{pointer, rule.New("edge_undecided", "must not lie exactly 180 degrees of longitude from the point before: which way round is undecided")}
}

// turnOf returns the degrees to the east from one point of a ring to the next, and whether they are decided.
func turnOf(a, b Point) (turn float64, decided bool) {
	switch raw := b.Lon - a.Lon; math.Abs(raw) {
	case 360:
		return raw, true
	case 180:
		return raw, alongPole(a, b)
	default:
		return wrap(raw), true
	}
}

// alongPole reports whether an edge runs along a pole.
func alongPole(a, b Point) bool { return a.Lat == b.Lat && math.Abs(a.Lat) == 90 }

// otherWay returns the end of the shortest edge along a pole that, taken the other way, keeps a ring from going round the earth. It returns 0 for none.
func otherWay(ring []Point, turns []float64, total float64) int {
	found := 0
	if math.Abs(total) < 180 {
		return found
	}
	for i := 1; i < len(ring); i++ {
		if alongPole(ring[i-1], ring[i]) && turns[i]*total > 0 && (found == 0 || math.Abs(turns[i]) < math.Abs(turns[found])) {
			found = i
		}
	}
	return found
}

// withPoints returns a ring with points on its long edges, at most 120 degrees of longitude apart.
func withPoints(ring []Point, turns []float64) []Point {
	out := make([]Point, 1, len(ring)+4)
	out[0] = ring[0]
	for i := 1; i < len(ring); i++ {
		if long := math.Abs(turns[i]); long >= 180 {
			pieces := math.Ceil(long / 120)
			for k := 1.0; k < pieces; k++ {
				a, b := ring[i-1], ring[i]
				out = append(out, Point{wrap(a.Lon + turns[i]*k/pieces), a.Lat + (b.Lat-a.Lat)*k/pieces})
			}
		}
		out = append(out, ring[i])
	}
	return out
}

// flat reports whether a closed ring, each edge of which runs the shorter way, has no area. Such a ring leads out and back over the same places.
func flat(ring []Point) bool {
	r, turned := boundsOf(ring)
	if math.Abs(turned) > 180 {
		return r.South == r.North && math.Abs(r.South) == 90
	}
	return len(withoutSpurs(onPlane(ring))) < 3
}

// onPlane returns a ring in degrees, longitudes counted on beyond 180, without the last point.
func onPlane(ring []Point) []Vector {
	plane := make([]Vector, 0, len(ring))
	x := 0.0
	for i, p := range ring[:len(ring)-1] {
		if i > 0 {
			x += wrap(p.Lon - ring[i-1].Lon)
		}
		plane = append(plane, Vector{x, p.Lat})
	}
	return plane
}

// withoutSpurs leaves out each point that lies in line with the points before and after it, as the tip of a spur does.
func withoutSpurs(ring []Vector) []Vector {
	var kept []Vector
	for _, v := range ring {
		for len(kept) > 1 && inLine(kept[len(kept)-2], kept[len(kept)-1], v) {
			kept = kept[:len(kept)-1]
		}
		if len(kept) != 1 || kept[0] != v {
			kept = append(kept, v)
		}
	}
	for len(kept) > 2 { // over the end
		switch last := len(kept) - 1; {
		case inLine(kept[last-1], kept[last], kept[0]):
			kept = kept[:last]
		case inLine(kept[last], kept[0], kept[1]):
			kept = kept[1:]
		default:
			return kept
		}
	}
	return kept
}

// inLine reports whether b lies on the line through a and c.
func inLine(a, b, c Vector) bool {
	way := a.To(c)
	return math.Abs(way.Cross(a.To(b))) <= flatWithin*way.Length()
}
