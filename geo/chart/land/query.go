package land

import (
	"math"

	"quaywatch/geo"
)

// Land reports whether p is on land; a point exactly on the coast is not.
func (l *Level) Land(p geo.Point) bool {
	if !p.Valid() {
		return false
	}
	return l.winding(l.fine(p)) > 0
}

// winding counts how often the coast goes round a place. On the way from the reference point of the cell, each edge that is passed from
// its right to its left adds one.
func (l *Level) winding(p place) int64 {
	b := l.bodyAt(p)
	if b.at == 0 {
		if b.land {
			return 1
		}
		return 0
	}
	c, w := l.open(b)
	ref := place{b.corner.x*Fine + RefX, b.corner.y*Fine + RefY}
	way := place{p.x - ref.x, p.y - ref.y}
	var left bool // of the way lies the edge's first point
	for c.next() {
		a := place{c.a.x * Fine, c.a.y * Fine}
		e := place{c.b.x * Fine, c.b.y * Fine}
		if c.first {
			left = crossProduct(way, ref, a) > 0
		}
		was := left
		left = crossProduct(way, ref, e) > 0
		if was == left {
			continue
		}
		edge := place{e.x - a.x, e.y - a.y}
		if to := crossProduct(edge, a, p) > 0; to != (crossProduct(edge, a, ref) > 0) {
			if to {
				w++
			} else {
				w--
			}
		}
	}
	return w
}

// crossProduct is positive when p lies left of the step taken from a place.
func crossProduct(step, from, p place) int64 {
	return step.x*(p.y-from.y) - step.y*(p.x-from.x)
}

// LegCrossesLand reports whether any part of the leg from a to b is on land. The leg is straight in degrees and runs the
// shorter way round; touching the coast from the sea is not crossing. The cost is that of the cells it passes.
func (l *Level) LegCrossesLand(a, b geo.Point) bool {
	if !a.Valid() || !b.Valid() {
		return false
	}
	from, to := inOrder(l.fine(a), l.fine(b))
	if land, ok := l.plainLeg(from, to); ok {
		return land
	}
	if l.winding(from) > 0 || l.winding(to) > 0 {
		return true
	}
	return l.crossesLand(from, to)
}

// plainLeg reports whether one cell without coast holds both ends of a leg, and whether that is land. So it is with most legs between two reports of a ship.
func (l *Level) plainLeg(from, to place) (land, ok bool) {
	b := l.bodyAt(from)
	x, y := to.x-b.corner.x*Fine, to.y-b.corner.y*Fine
	return b.land, b.at == 0 && 0 <= min(x, y) && max(x, y) < b.sideLong*Fine
}

// LegMeetsCoast reports whether the leg from a to b goes over the coast. It asks neither end: on a long way in small legs it costs half of
// what LegCrossesLand does. Both ends must be valid.
func (l *Level) LegMeetsCoast(a, b geo.Point) bool {
	return l.crossesLand(inOrder(l.fine(a), l.fine(b)))
}

// crossesLand tests a leg between two places in order.
func (l *Level) crossesLand(from, to place) bool {
	half := 180 * l.units * Fine
	switch step := to.x - from.x; {
	case step > half: // the shorter way is over 180°
		mid := meridian(from, place{to.x - 2*half, to.y}, -half)
		return l.passesLand(from, place{-half, mid}) || l.passesLand(place{half, mid}, to)
	case from.x == -half && to.x == -half: // along 180°: the cells on either side hold the edges of their side
		return l.crosses(from, to) && l.crosses(place{half, to.y}, place{half, from.y})
	}
	return l.passesLand(from, to)
}

// passesLand tests a leg in both directions. The tests of the edges count a place on the leg itself to its right. So in one direction a leg through a corner of the
// coast, or along it, is judged as a leg a little to its left. In the other it is judged as a leg a little to its right. Where one of these stays at sea, the
// leg touches the coast.
func (l *Level) passesLand(a, b place) bool { return l.crosses(a, b) && l.crosses(b, a) }

// inOrder returns the ends of a leg from west to east, and from north to south when they share a longitude.
func inOrder(a, b place) (from, to place) {
	if a.x < b.x || a.x == b.x && a.y >= b.y {
		return a, b
	}
	return b, a
}

// meridian returns the y at which the way from a to b meets a longitude.
func meridian(a, b place, x int64) int64 {
	if a.x == b.x {
		return a.y
	}
	return a.y + int64(math.Round(float64(b.y-a.y)*float64(x-a.x)/float64(b.x-a.x)))
}

// crosses tests the edges of all cells along a leg that stays within ±180°.
func (l *Level) crosses(a, b place) bool {
	leg := newStrip(a, b)
	side := l.cell * Fine
	origin := l.corner(0, 0)
	return leg.each(place{origin.x * Fine, origin.y * Fine}, side, l.cols, l.rows, func(col, row int) bool {
		block := l.cellAt(col, row)
		if block <= AllLand {
			return false
		}
		return l.crossesBlock(leg, block, l.corner(col, row))
	})
}

func (l *Level) crossesBlock(leg strip, block int, corner place) bool {
	k := int(l.data[block])
	side := (l.cell >> k) * Fine
	return leg.each(place{corner.x * Fine, corner.y * Fine}, side, 1<<k, 1<<k, func(col, row int) bool {
		b := l.sub(block, corner, col, row)
		return b.at != 0 && l.crossesBody(leg, b)
	})
}

func (l *Level) crossesBody(leg strip, b body) bool {
	c, _ := l.open(b)
	step := place{leg.b.x - leg.a.x, leg.b.y - leg.a.y}
	bounds := leg.unitBounds()
	for c.nextIn(&bounds) {
		u, v := place{c.a.x * Fine, c.a.y * Fine}, place{c.b.x * Fine, c.b.y * Fine}
		if (crossProduct(step, leg.a, u) > 0) == (crossProduct(step, leg.a, v) > 0) {
			continue
		}
		edge := place{v.x - u.x, v.y - u.y}
		if (crossProduct(edge, u, leg.a) > 0) != (crossProduct(edge, u, leg.b) > 0) {
			return true
		}
	}
	return false
}

// strip is a leg with its bounds, in fine steps.
type strip struct {
	a, b                     place
	west, south, east, north int64
}

func newStrip(a, b place) strip {
	return strip{a, b, min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y)}
}

// unitBounds returns the smallest bounds in whole units that hold the leg.
func (s strip) unitBounds() bounds {
	return bounds{floorUnits(s.west), floorUnits(s.south), -floorUnits(-s.east), -floorUnits(-s.north)}
}

// floorUnits returns the last whole unit at or before a place in fine steps. Fine is a power of two.
func floorUnits(fine int64) int64 { return fine &^ (Fine - 1) / Fine }

// each visits the cells of a grid that the leg touches, row by row, until visit returns true. It may visit a cell that the leg misses by
// less than a unit: only the tests of the edges must be exact.
func (s strip) each(origin place, side int64, cols, rows int, visit func(col, row int) bool) bool {
	first, last := clamp(int((s.south-origin.y)/side), rows), clamp(int((s.north-origin.y)/side), rows)
	for row := first; row <= last; row++ {
		low := origin.y + int64(row)*side
		west, east := s.longitudesWithin(low, low+side)
		if east < origin.x || west > origin.x+side*int64(cols) {
			continue
		}
		for col := clamp(int((west-origin.x)/side), cols); col <= clamp(int((east-origin.x)/side), cols); col++ {
			if visit(col, row) {
				return true
			}
		}
	}
	return false
}

// longitudesWithin returns the longitudes of the leg's part between two latitudes, a unit wider on both sides.
func (s strip) longitudesWithin(south, north int64) (west, east int64) {
	if s.north-s.south < 2*Fine {
		return s.west - Fine, s.east + Fine
	}
	x := func(y int64) int64 { return meridianAt(s, min(max(y, s.south), s.north)) }
	p, q := x(south), x(north)
	return min(p, q) - Fine, max(p, q) + Fine
}

// meridianAt returns the x of the leg at a latitude.
func meridianAt(s strip, y int64) int64 {
	return s.a.x + int64(float64(s.b.x-s.a.x)*float64(y-s.a.y)/float64(s.b.y-s.a.y))
}
