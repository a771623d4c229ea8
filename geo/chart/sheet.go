package chart

import (
	"cmp"
	"math"
	"slices"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/clip"
	"github.com/paulmach/orb/simplify"
)

// sheet puts polygons together from the coast that crosses a box. Pieces that enter and leave it, with land on their left, are joined along its rim.
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

	tolerance float64 // of thinning; rings of its square in area are not seen either
	thin      *simplify.DouglasPeuckerSimplifier
}

func newSheet(box orb.Bound, tolerance float64) *sheet {
	return &sheet{box: box, tolerance: tolerance, thin: simplify.DouglasPeucker(tolerance)}
}

// add clips a chain of coast, in tile units with y downward, and then thins it. Thinned first, the two sides of a narrow land would lie on
// each other. Rounding would then decide their order on the rim.
func (s *sheet) add(line orb.LineString) {
	if len(line) < 2 {
		return
	}
	if closed := line[0] == line[len(line)-1]; closed {
		i := slices.IndexFunc(line, func(p orb.Point) bool { return !s.box.Contains(p) })
		if i < 0 {
			s.rings = append(s.rings, orb.Ring(s.thin.LineString(line)))
			return
		}
		line = append(append(orb.LineString(nil), line[i:]...), line[1:i+1]...)
	}
	for _, piece := range clip.LineString(s.box, line) {
		if len(piece) >= 2 && s.onRim(piece[0]) && s.onRim(piece[len(piece)-1]) {
			s.pieces = append(s.pieces, s.thin.LineString(piece))
		}
	}
}

func (s *sheet) onRim(p orb.Point) bool {
	return p[0] == s.box.Min[0] || p[0] == s.box.Max[0] || p[1] == s.box.Min[1] || p[1] == s.box.Max[1]
}

// rim returns the way along the rim to a point on it, counter-clockwise as seen, 0..4 from the lower left corner.
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

// corner returns the i-th corner on the way that rim measures.
func (s *sheet) corner(i int) orb.Point {
	return [4]orb.Point{
		{s.box.Min[0], s.box.Max[1]}, s.box.Max, {s.box.Max[0], s.box.Min[1]}, s.box.Min,
	}[i%4]
}

// polygons returns the land in the box. isLand is asked only when no coast crosses the rim.
func (s *sheet) polygons(isLand func(orb.Point) bool) []orb.Polygon {
	rings := append(s.rings, s.joinedRings()...)
	if len(s.pieces) == 0 && s.mostlyLand(isLand) {
		rings = append(rings, orb.Ring{s.corner(0), s.corner(1), s.corner(2), s.corner(3), s.corner(0)})
	}
	return groupRings(rings, s.tolerance*s.tolerance)
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

// joinedRings closes the pieces along the rim.
func (s *sheet) joinedRings() []orb.Ring {
	next := matchEnds(s.rimEnds())
	used := make([]bool, len(s.pieces))
	var rings []orb.Ring
	for i := range s.pieces {
		var ring orb.Ring
		for p := i; !used[p]; p = next[p].piece {
			used[p] = true
			ring = append(ring, s.pieces[p]...)
			ring = s.addCorners(ring, next[p])
		}
		if len(ring) > 0 {
			rings = append(rings, append(ring, ring[0]))
		}
	}
	return rings
}

// addCorners adds the corners on the way along the rim from a ring's end to where it goes on.
func (s *sheet) addCorners(ring orb.Ring, to onward) orb.Ring {
	from, until := s.rim(ring[len(ring)-1]), s.rim(s.pieces[to.piece][0])
	if to.clockwise {
		if until > from {
			from += 4
		}
		for i := int(math.Ceil(from)) - 1; float64(i) > until; i-- {
			ring = append(ring, s.corner(i))
		}
		return ring
	}
	if until < from {
		until += 4
	}
	for i := int(math.Floor(from)) + 1; float64(i) < until; i++ {
		ring = append(ring, s.corner(i))
	}
	return ring
}

// rimEnds lists where pieces meet the rim, in the order of the way along it.
func (s *sheet) rimEnds() []end {
	ends := make([]end, 0, 2*len(s.pieces))
	for i, p := range s.pieces {
		ends = append(ends, end{s.rim(p[0]), i, false}, end{s.rim(p[len(p)-1]), i, true})
	}
	slices.SortFunc(ends, func(a, b end) int {
		if by := cmp.Compare(a.at, b.at); by != 0 || a.exit == b.exit {
			return by
		}
		if a.exit {
			return -1
		}
		return 1
	})
	return ends
}
