// Package water is water that ships taught: cells of about 30 m in which the chart has land and ships sailed. An Overlay is a value that
// never changes once it is made. It promises no depth, and no more than that ships were there.
package water

import (
	"math"
	"slices"

	"quaywatch/geo"
)

const (
	perDegree = 4000 // rows of cells: 28 m each
	side      = 32   // cells of a block's side
	inBlock   = side * side / 64
)

// Square is a square of some 30 m. Its column is as wide as fits its band of 32 rows.
type Square struct{ Row, Col int32 }

// CellAt returns the cell of a place, which must be valid.
func CellAt(p geo.Point) Square {
	p = p.Normalized()
	row := min(int32((p.Lat+90)*perDegree), 180*perDegree-1)
	return Square{row, int32((p.Lon + 180) * perDegree / wide(row))}
}

// wide returns the width of a row's cells, in rows of the equator.
func wide(row int32) float64 {
	middle := (float64(row/side*side)+side/2)/perDegree - 90
	return max(1, math.Round(1/math.Cos(middle*math.Pi/180)))
}

// Center returns the middle of a cell.
func (c Square) Center() geo.Point { return c.pointAt(0.5, 0.5) }

// Corners returns the four corners of a cell.
func (c Square) Corners() [4]geo.Point {
	return [4]geo.Point{c.pointAt(0, 0), c.pointAt(1, 0), c.pointAt(1, 1), c.pointAt(0, 1)}
}

func (c Square) pointAt(x, y float64) geo.Point {
	return geo.Point{Lon: (float64(c.Col)+x)*wide(c.Row)/perDegree - 180, Lat: (float64(c.Row)+y)/perDegree - 90}
}

// Beside returns the cells at the four sides of a cell. In a row of other width it is the one at the middle.
func (c Square) Beside() [4]Square {
	return [4]Square{CellAt(c.pointAt(1.5, 0.5)), CellAt(c.pointAt(-0.5, 0.5)), CellAt(c.pointAt(0.5, 1.5)), CellAt(c.pointAt(0.5, -0.5))}
}

// blockKey is a block of 32 by 32 cells.
type blockKey struct{ row, col int32 }

func (c Square) blockBit() (k blockKey, word int, bit uint64) {
	n := c.Row%side*side + c.Col%side
	return blockKey{c.Row / side, c.Col / side}, int(n / 64), 1 << (n % 64)
}

// block has a bit for each cell.
type block struct{ learned, seen [inBlock]uint64 }

// MostBytes is what an overlay takes at most in memory.
const MostBytes = 8 << 20

const mostBlocks = MostBytes / (2*8*inBlock + 48)

// Overlay is a set of cells that are learned water, and a set of those that are only seen. The zero Overlay and a nil one are empty.
type Overlay struct{ blocks map[blockKey]*block }

// New makes an overlay of cells. Cells beyond MostBytes are left out, and full tells it.
func New(learned, seen []Square) (o *Overlay, full bool) {
	o = &Overlay{blocks: map[blockKey]*block{}}
	for i, cells := range [2][]Square{learned, seen} {
		for _, c := range cells {
			k, word, bit := c.blockBit()
			b := o.blocks[k]
			if b == nil && len(o.blocks) >= mostBlocks {
				full = true
				continue
			}
			if b == nil {
				b = &block{}
				o.blocks[k] = b
			}
			if i == 0 {
				b.learned[word] |= bit
			} else {
				b.seen[word] |= bit
			}
		}
	}
	return o, full
}

// Learned reports whether a cell is learned water.
func (o *Overlay) Learned(c Square) bool {
	if o == nil {
		return false
	}
	k, word, bit := c.blockBit()
	b := o.blocks[k]
	return b != nil && b.learned[word]&bit != 0
}

// Cells returns the learned and the seen cells, block by block in their order.
func (o *Overlay) Cells() (learned, seen []Square) {
	for _, k := range o.keys() {
		b := o.blocks[k]
		learned = appendCells(learned, k, &b.learned)
		seen = appendCells(seen, k, &b.seen)
	}
	return learned, seen
}

func appendCells(cells []Square, k blockKey, bits *[inBlock]uint64) []Square {
	for n := range int32(side * side) {
		if bits[n/64]&(1<<(n%64)) != 0 {
			cells = append(cells, Square{k.row*side + n/side, k.col*side + n%side})
		}
	}
	return cells
}

// Without returns the overlay without the cells whose middle lies in one of some areas, and how many learned and seen cells it left out.
func (o *Overlay) Without(areas []geo.Polygon) (rest *Overlay, left int) {
	if o == nil || len(areas) == 0 {
		return o, 0
	}
	bounds := make([]geo.Rect, len(areas))
	for i, area := range areas {
		bounds[i] = area.Bounds()
	}
	within := func(p geo.Point) bool {
		for i, area := range areas {
			if bounds[i].Contains(p) && area.Contains(p) {
				return true
			}
		}
		return false
	}
	learned, seen := o.Cells()
	outside := func(cells []Square) []Square {
		return slices.DeleteFunc(cells, func(c Square) bool { return within(c.Center()) })
	}
	before := len(learned) + len(seen)
	learned, seen = outside(learned), outside(seen)
	rest, _ = New(learned, seen)
	return rest, before - len(learned) - len(seen)
}

// Rows visits the cells that touch a rectangle, which may not lie on 180°: those side by side in a row as one rectangle.
func (o *Overlay) Rows(in geo.Rect, visit func(r geo.Rect, learned bool)) {
	if o == nil {
		return
	}
	low, high := CellAt(geo.Point{Lon: in.West, Lat: in.South}), CellAt(geo.Point{Lon: in.East, Lat: in.North})
	for row := low.Row / side; row <= high.Row/side; row++ {
		lat := Square{row * side, 0}.pointAt(0, 0.5).Lat
		west, east := CellAt(geo.Point{Lon: in.West, Lat: lat}), CellAt(geo.Point{Lon: in.East, Lat: lat})
		for col := west.Col / side; col <= east.Col/side; col++ {
			if b := o.blocks[blockKey{row, col}]; b != nil {
				visitRows(blockKey{row, col}, &b.learned, func(r geo.Rect) { visit(r, true) })
				visitRows(blockKey{row, col}, &b.seen, func(r geo.Rect) { visit(r, false) })
			}
		}
	}
}

func visitRows(k blockKey, bits *[inBlock]uint64, visit func(geo.Rect)) {
	has := func(y, x int32) bool { n := y*side + x; return x < side && bits[n/64]&(1<<(n%64)) != 0 }
	for y := range int32(side) {
		for x := int32(0); x < side; x++ {
			if !has(y, x) {
				continue
			}
			a := Square{k.row*side + y, k.col*side + x}.pointAt(0, 0)
			for has(y, x+1) {
				x++
			}
			b := Square{k.row*side + y, k.col*side + x}.pointAt(1, 1)
			visit(geo.Rect{West: a.Lon, South: a.Lat, East: b.Lon, North: b.Lat})
		}
	}
}

// Unlearned visits the parts of a leg that do not lie in learned cells, until visit returns true, and says whether it did. The leg is
// straight in degrees and runs the shorter way round.
func (o *Overlay) Unlearned(a, b geo.Point, visit func(a, b geo.Point) bool) bool {
	dLon := math.Remainder(b.Lon-a.Lon, 360)
	at := func(t float64) geo.Point {
		return geo.Point{Lon: a.Lon + t*dLon, Lat: a.Lat + t*(b.Lat-a.Lat)}.Normalized()
	}
	from, open := 0.0, true // the part that began at from lies in no learned cell
	for t := 0.0; t < 1; {
		middle := CellAt(at(t + 1e-9))
		next := t + o.stepShare(middle, at(t), dLon, b.Lat-a.Lat)
		learned := o.Learned(middle)
		if learned && open && t > from && visit(at(from), at(t)) {
			return true
		}
		if learned == open {
			from, open = t, !learned
		}
		t = next
	}
	return open && visit(at(from), b)
}

// stepShare returns the share of a leg up to where it leaves a cell, or its block when that has none.
func (o *Overlay) stepShare(c Square, p geo.Point, dLon, dLat float64) float64 {
	k, _, _ := c.blockBit()
	west, south, n := c.Col, c.Row, int32(1)
	if o.blocks[k] == nil {
		west, south, n = c.Col/side*side, c.Row/side*side, side
	}
	low, high := Square{south, west}.pointAt(0, 0), Square{south, west}.pointAt(float64(n), float64(n))
	share := 1.0
	for _, way := range [2][4]float64{{dLon, p.Lon, low.Lon, high.Lon}, {dLat, p.Lat, low.Lat, high.Lat}} {
		switch d := way[0]; {
		case d > 0:
			share = min(share, (way[3]-way[1])/d)
		case d < 0:
			share = min(share, (way[2]-way[1])/d)
		}
	}
	return max(share, 1e-7) // rounding may put p on the side that it leaves
}
