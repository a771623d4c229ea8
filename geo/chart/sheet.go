package chart

import (
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
	"github.com/paulmach/orb/planar"
)

// sheet puts polygons together from the coast that crosses a box: pieces that enter and leave it, with land on their
// left, are joined along its rim.
//
//	+------------------+   The piece leaves at a and another enters at b: land
//	|   b<-------------|   lies on the rim from a counter-clockwise to b.
//	|   |    land      a
//	|   v    ..------->|
//	+---------'--------+
type sheet struct {
	box    orb.Bound
	pieces []orb.LineString // from rim to rim
	rings  []orb.Ring       // closed within
}

func newSheet(box orb.Bound) *sheet { return &sheet{box: box} }

// add clips a chain of coast, in tile units with y downward.
func (s *sheet) add(line orb.LineString) {
	if len(line) < 2 {
		return
	}
	if closed := line[0] == line[len(line)-1]; closed {
		i := slices.IndexFunc(line, func(p orb.Point) bool { return !s.box.Contains(p) })
		if i < 0 {
			s.rings = append(s.rings, orb.Ring(line))
			return
		}
		line = append(append(orb.LineString(nil), line[i:]...), line[1:i+1]...)
	}
	for _, piece := range clip.LineString(s.box, line) {
		if len(piece) >= 2 && s.onRim(piece[0]) && s.onRim(piece[len(piece)-1]) {
			s.pieces = append(s.pieces, piece)
		}
	}
}

func (s *sheet) onRim(p orb.Point) bool {
	return p[0] == s.box.Min[0] || p[0] == s.box.Max[0] || p[1] == s.box.Min[1] || p[1] == s.box.Max[1]
}

// rim gives the way along the rim to a point on it, counter-clockwise as seen, 0..4 from the lower left corner.
func (s *sheet) rim(p orb.Point) float64 {
	w, h := s.box.Max[0]-s.box.Min[0], s.box.Max[1]-s.box.Min[1]
	switch {
	case p[1] == s.box.Max[1]:
		return (p[0] - s.box.Min[0]) / w
	case p[0] == s.box.Max[0]:
		return 1 + (s.box.Max[1]-p[1])/h
	case p[1] == s.box.Min[1]:
		return 2 + (s.box.Max[0]-p[0])/w
	}
	return 3 + (p[1]-s.box.Min[1])/h
}

// corner gives the i-th corner on the way that rim measures.
func (s *sheet) corner(i int) orb.Point {
	return [4]orb.Point{
		{s.box.Min[0], s.box.Max[1]}, s.box.Max, {s.box.Max[0], s.box.Min[1]}, s.box.Min,
	}[i%4]
}

// polygons gives the land in the box. isLand is asked only when no coast crosses the rim.
func (s *sheet) polygons(isLand func(orb.Point) bool) []orb.Polygon {
	rings := append(s.rings, s.joined()...)
	if len(s.pieces) == 0 && s.mostlyLand(isLand) {
		rings = append(rings, orb.Ring{s.corner(0), s.corner(1), s.corner(2), s.corner(3), s.corner(0)})
	}
	return group(rings)
}

// mostlyLand asks at the four corners, which agree but for a coast that touches one.
func (s *sheet) mostlyLand(isLand func(orb.Point) bool) bool {
	n := 0
	for i := range 4 {
		if isLand(s.corner(i)) {
			n++
		}
	}
	return n > 2
}

// end is where a piece meets the rim.
type end struct {
	at    float64
	piece int
	exit  bool
}

// joined closes the pieces along the rim.
func (s *sheet) joined() []orb.Ring {
	next := s.match()
	used := make([]bool, len(s.pieces))
	var rings []orb.Ring
	for i := range s.pieces {
		var ring orb.Ring
		for p := i; p >= 0 && !used[p]; p = next[p] {
			used[p] = true
			ring = append(ring, s.pieces[p]...)
			if next[p] >= 0 {
				ring = s.along(ring, s.pieces[next[p]][0])
			}
		}
		if len(ring) > 0 {
			rings = append(rings, append(ring, ring[0]))
		}
	}
	return rings
}

// along adds the corners between a ring's end and a point, counter-clockwise.
func (s *sheet) along(ring orb.Ring, to orb.Point) orb.Ring {
	from, until := s.rim(ring[len(ring)-1]), s.rim(to)
	if until < from {
		until += 4
	}
	for i := int(math.Floor(from)) + 1; float64(i) < until; i++ {
		ring = append(ring, s.corner(i))
	}
	return ring
}

// match gives for each piece the piece that begins where the land on the rim behind its exit ends. Exits and entries
// alternate; where faulty data lets them not, they are matched as nested brackets, so that a fault stays where it is.
func (s *sheet) match() []int {
	ends := make([]end, 0, 2*len(s.pieces))
	next := make([]int, len(s.pieces))
	for i, p := range s.pieces {
		ends = append(ends, end{s.rim(p[0]), i, false}, end{s.rim(p[len(p)-1]), i, true})
		next[i] = -1
	}
	slices.SortFunc(ends, func(a, b end) int {
		switch {
		case a.at < b.at || a.at == b.at && a.exit && !b.exit:
			return -1
		case a.at > b.at || a.at == b.at && b.exit && !a.exit:
			return 1
		}
		return 0
	})
	var exits []int
	entered := make([]bool, len(s.pieces))
	for i := range 2 * len(ends) {
		switch e := ends[i%len(ends)]; {
		case e.exit && i < len(ends):
			exits = append(exits, e.piece)
		case !e.exit && !entered[e.piece] && len(exits) > 0:
			entered[e.piece] = true
			next[exits[len(exits)-1]] = e.piece
			exits = exits[:len(exits)-1]
		}
	}
	return next
}

// group puts rings on whole units and makes polygons: each hole goes to the smallest outer ring around it. Rings come
// with land on their left as seen; the tile format wants outer rings clockwise as seen, so all are turned.
func group(rings []orb.Ring) []orb.Polygon {
	var polygons []orb.Polygon
	var holes []orb.Ring
	for _, r := range rings {
		r = settle(r)
		switch a := signedArea(r); {
		case len(r) < 4 || a == 0:
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
		if bounds[i].Contains(b.Min) && bounds[i].Contains(b.Max) && planar.RingContains(p[0], hole[0]) {
			return i
		}
	}
	return -1
}
