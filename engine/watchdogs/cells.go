package watchdogs

import (
	"math"

	"github.com/tidwall/rtree"

	"quaywatch/ais"
	"quaywatch/geo"
)

// The grid before an index of areas. The cells of 25 by 12 degrees of sea have a slot each. Cells that lie farther apart may share a slot, and take it from
// each other. A cell is a tenth of a degree, in the units of AIS.
const (
	unitsInDegree = 1 / ais.PlaceUnit
	unitsInCell   = unitsInDegree / 10
	cellsEast     = 256
	cellsNorth    = 128
	mostInCell    = 16 // areas; where there are more the tree is as quick
	fewestAreas   = 32 // in the index; of fewer the tree has but one node
)

// areas finds the watchdogs whose rectangles meet another one. It is an R-tree, and a grid that remembers what the tree answered about a cell. Ships are many
// and sail slowly, so nearly each report falls into a cell that an earlier report asked about. Calls must not overlap.
type areas struct {
	tree  rtree.RTreeG[*dog]
	slots []cell // none until they pay
}

// cell is what a slot remembers of the cell that has it; the zero value remembers nothing. It has the size of a line of the processor's cache, since
// another look into memory costs more than all the rest.
type cell struct {
	east, north int32
	count       int32
	state       int32
	first       placed
	rest        []placed
}

// What a slot knows.
const (
	unknown int32 = iota
	known
	crowded // there are more than mostInCell
)

// placed is a watchdog with its rectangle in units, so that one beside the way costs no look at the watchdog.
type placed struct {
	units
	dog *dog
}

// units is a rectangle that does not cross the date line.
type units struct{ west, south, east, north int32 }

// unitsOf returns the least rectangle of whole units around another one.
func unitsOf(west, south, east, north float64) units {
	return units{int32(math.Floor(west * unitsInDegree)), int32(math.Floor(south * unitsInDegree)),
		int32(math.Ceil(east * unitsInDegree)), int32(math.Ceil(north * unitsInDegree))}
}

// sharesPoint reports whether the two share a point.
func (u *units) sharesPoint(o *units) bool {
	return u.west <= o.east && u.east >= o.west && u.south <= o.north && u.north >= o.south
}

// cellOf returns in which cell a unit lies, to the west or the south of the meridian too.
func cellOf(unit int32) int32 {
	if unit < 0 {
		return (unit+1)/unitsInCell - 1
	}
	return unit / unitsInCell
}

// insertDog takes in a watchdog with a rectangle.
func (x *areas) insertDog(r geo.Rect, d *dog) {
	x.slots = nil
	for _, part := range r.Split() {
		x.tree.Insert([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, d)
	}
}

// remove takes a watchdog out that was inserted with that rectangle.
func (x *areas) remove(r geo.Rect, d *dog) {
	x.slots = nil
	for _, part := range r.Split() {
		x.tree.Delete([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, d)
	}
}

// searchDogs appends to dst the watchdogs whose rectangles meet another one, borders included. A watchdog that ends less than a unit beside it may come too, and a
// watchdog may come twice.
func (x *areas) searchDogs(r geo.Rect, dst []*dog) []*dog {
	if x.tree.Len() < fewestAreas || r.West > r.East {
		return x.searchTree(r, dst)
	}
	u := unitsOf(r.West, r.South, r.East, r.North)
	east, north := cellOf(u.west), cellOf(u.south)
	if cellOf(u.east) != east || cellOf(u.north) != north {
		return x.searchTree(r, dst)
	}
	c := x.cellAt(east, north)
	switch {
	case c.state == crowded:
		return x.searchTree(r, dst)
	case c.count == 0:
		return dst
	case c.first.sharesPoint(&u):
		dst = append(dst, c.first.dog)
	}
	for i := range c.rest {
		if c.rest[i].sharesPoint(&u) {
			dst = append(dst, c.rest[i].dog)
		}
	}
	return dst
}

// searchTree searches the tree.
func (x *areas) searchTree(r geo.Rect, dst []*dog) []*dog {
	take := func(_, _ [2]float64, d *dog) bool {
		dst = append(dst, d)
		return true
	}
	if r.West <= r.East {
		x.tree.Search([2]float64{r.West, r.South}, [2]float64{r.East, r.North}, take)
		return dst
	}
	for _, part := range r.Split() {
		x.tree.Search([2]float64{part.West, part.South}, [2]float64{part.East, part.North}, take)
	}
	return dst
}

// cellAt returns what there is in a cell.
func (x *areas) cellAt(east, north int32) *cell {
	if x.slots == nil {
		x.slots = make([]cell, cellsEast*cellsNorth)
	}
	c := &x.slots[int(uint32(east)%cellsEast)+cellsEast*int(uint32(north)%cellsNorth)]
	if c.state == unknown || c.east != east || c.north != north {
		x.fillCell(c, east, north)
	}
	return c
}

// fillCell asks the tree about a cell. Rectangles reach up to a unit farther as units, so the question does too.
func (x *areas) fillCell(c *cell, east, north int32) {
	*c = cell{east: east, north: north, state: known, rest: c.rest[:0]}
	west, south := float64(east*unitsInCell-1)/unitsInDegree, float64(north*unitsInCell-1)/unitsInDegree
	const wide = float64(unitsInCell+2) / unitsInDegree
	x.tree.Search([2]float64{west, south}, [2]float64{west + wide, south + wide}, func(least, most [2]float64, d *dog) bool {
		p := placed{unitsOf(least[0], least[1], most[0], most[1]), d}
		whole := units{east * unitsInCell, north * unitsInCell, (east+1)*unitsInCell - 1, (north+1)*unitsInCell - 1}
		switch {
		case !p.sharesPoint(&whole):
			return true
		case c.count == mostInCell:
			c.state = crowded
			return false
		case c.count == 0:
			c.first = p
		default:
			c.rest = append(c.rest, p)
		}
		c.count++
		return true
	})
}
