package sim

import (
	"errors"
	"math"

	"quaywatch/geo"
)

const (
	cellSize  = 150.0 // metres; a dock of a port is one or two cells wide
	areaCells = 334   // in a row: 25 km from the middle to the edge
)

// directions are the eight steps from a cell to its neighbours. Direction d+4 is the opposite of d, for d < 4.
var directions = [8]struct{ dx, dy int }{{1, 0}, {0, 1}, {1, 1}, {1, -1}, {-1, 0}, {0, -1}, {-1, -1}, {-1, 1}}

// water is the sea around the middle: a grid of cells, and the steps between them that cross no land.
type water struct {
	plane
	size    float64 // of a cell, metres
	isLand  func(geo.Point) bool
	across  func(a, b geo.Point) bool
	side    int     // cells in a row
	open    []bool  // the middle of the cell is water
	links   []uint8 // bit d: the step in direction d crosses no land
	room    []uint8 // steps to the nearest cell that is not open, at most 255
	fields  map[int32]*field
	harbour []int32 // the cells that ships of the harbour can reach
}

// newWater reads the surroundings of a harbour. It is an error when they have no water of 60 cells or more.
func newWater(at geo.Point, isLand func(geo.Point) bool, across func(a, b geo.Point) bool) (*water, error) {
	w := newGrid(at, cellSize, isLand, across)
	return w, w.findHarbour()
}

// newGrid reads the surroundings of a place in cells of a size in metres.
func newGrid(at geo.Point, size float64, isLand func(geo.Point) bool, across func(a, b geo.Point) bool) *water {
	side := areaCells
	w := &water{plane: newPlane(at), size: size, isLand: isLand, across: across, side: side, fields: map[int32]*field{}}
	w.open = make([]bool, side*side)
	w.links = make([]uint8, side*side)
	w.room = make([]uint8, side*side)
	for row := range side {
		w.soundCells(w.cellIndex(0, row), side)
	}
	for d := range 4 {
		w.link(d)
	}
	w.measureRoom()
	return w
}

func (w *water) cellIndex(column, row int) int32 { return int32(row*w.side + column) }

// middleOf returns the middle of a cell.
func (w *water) middleOf(c int32) vec {
	half := float64(w.side) / 2
	return vec{(float64(int(c)%w.side) + 0.5 - half) * w.size, (float64(int(c)/w.side) + 0.5 - half) * w.size}
}

// cellAt returns the cell that v is in, or -1 outside the area.
func (w *water) cellAt(v vec) int32 {
	half := float64(w.side) / 2
	column, row := int(math.Floor(v.x/w.size+half)), int(math.Floor(v.y/w.size+half))
	if column < 0 || row < 0 || column >= w.side || row >= w.side {
		return -1
	}
	return w.cellIndex(column, row)
}

func (w *water) land(v vec) bool            { return w.isLand(w.pointOf(v)) }
func (w *water) crossesShore(a, b vec) bool { return w.across(w.pointOf(a), w.pointOf(b)) }

// soundCells finds which of n cells of a row, from c on, are water. Where no shore lies between the ends, all are like the ends.
func (w *water) soundCells(c int32, n int) {
	wet := !w.land(w.middleOf(c))
	if n == 1 {
		w.open[c] = wet
		return
	}
	if wet && !w.crossesShore(w.middleOf(c), w.middleOf(c+int32(n)-1)) {
		for i := range n {
			w.open[c+int32(i)] = true
		}
		return
	}
	w.soundCells(c, n/2)
	w.soundCells(c+int32(n/2), n-n/2)
}

// link finds the steps in direction d, along each run of open cells.
func (w *water) link(d int) {
	for c := range w.open {
		c := int32(c)
		if !w.open[c] || w.openBehind(c, d) {
			continue
		}
		n := 1
		for next := w.neighbourAt(c, d); next >= 0 && w.open[next]; next = w.neighbourAt(next, d) {
			n++
		}
		w.linkRun(c, d, n)
	}
}

// openBehind reports whether the run of c in direction d began before c.
func (w *water) openBehind(c int32, d int) bool {
	before := w.neighbourAt(c, d+4)
	return before >= 0 && w.open[before]
}

// neighbourAt returns the neighbour in direction d, or -1 at the edge.
func (w *water) neighbourAt(c int32, d int) int32 {
	column, row := int(c)%w.side+directions[d].dx, int(c)/w.side+directions[d].dy
	if column < 0 || row < 0 || column >= w.side || row >= w.side {
		return -1
	}
	return w.cellIndex(column, row)
}

// linkRun allows the steps between n cells in a line from c on, halving the line until no part crosses land.
func (w *water) linkRun(c int32, d, n int) {
	if n < 2 {
		return
	}
	stride := int32(directions[d].dy*w.side + directions[d].dx)
	last := c + stride*int32(n-1)
	if !w.crossesShore(w.middleOf(c), w.middleOf(last)) {
		for i := c; i != last; i += stride {
			w.links[i] |= 1 << d
			w.links[i+stride] |= 1 << (d + 4)
		}
		return
	}
	if n == 2 {
		return
	}
	half := n / 2
	w.linkRun(c, d, half+1)
	w.linkRun(c+stride*int32(half), d, n-half)
}

// measureRoom counts the steps to the shore from every cell.
func (w *water) measureRoom() {
	var edge []int32
	for c, open := range w.open {
		w.room[c] = 255
		if !open {
			w.room[c] = 0
			edge = append(edge, int32(c))
		}
	}
	for n := uint8(1); n < 255 && len(edge) > 0; n++ {
		var next []int32
		for _, c := range edge {
			for d := range 8 {
				if to := w.neighbourAt(c, d); to >= 0 && w.room[to] == 255 {
					w.room[to] = n
					next = append(next, to)
				}
			}
		}
		edge = next
	}
}

// findHarbour chooses the water that the ships sail: the largest that comes within 6 km of the middle, or else the one
// that comes nearest.
func (w *water) findHarbour() error {
	seen := make([]bool, len(w.open))
	best, bestScore := []int32(nil), math.Inf(1)
	for c := range w.open {
		if !w.open[c] || seen[c] {
			continue
		}
		cells := w.flood(int32(c), seen)
		if len(cells) < 60 {
			continue
		}
		score := w.nearestDistance(cells)
		if score < 6000 {
			score = -float64(len(cells))
		}
		if score < bestScore {
			best, bestScore = cells, score
		}
	}
	if best == nil {
		return errors.New("find a harbour: no navigable water within 25 km of the place")
	}
	w.harbour = best
	return nil
}

// flood returns all cells that can be reached from c, and marks them.
func (w *water) flood(c int32, seen []bool) []int32 {
	cells := []int32{c}
	seen[c] = true
	for i := 0; i < len(cells); i++ {
		for d := range 8 {
			if w.links[cells[i]]>>d&1 == 0 {
				continue
			}
			if to := w.neighbourAt(cells[i], d); !seen[to] {
				seen[to] = true
				cells = append(cells, to)
			}
		}
	}
	return cells
}

// nearestDistance returns the distance from the middle to the nearest of the cells.
func (w *water) nearestDistance(cells []int32) float64 {
	best := math.Inf(1)
	for _, c := range cells {
		best = min(best, w.middleOf(c).length())
	}
	return best
}
