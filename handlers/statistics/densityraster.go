package statistics

import (
	"quaywatch/engine/stats"
	"quaywatch/ship/statistic"
)

// ValueRaster is a value for each cell of a rectangle, by rows from the south. First is the column and row of the first.
type ValueRaster struct {
	Values []uint8
	First  statistic.LatticeCell
	Width  int
}

// Rasters returns the rectangle of all cells, with a value for each that has a sum. Where cells lie at both ends of the plane, as beside 180°, these are two.
func (d *DensitySum) Rasters(value func(*CellSum) uint8) []ValueRaster {
	all, ok := raster(d.sums, value)
	if ok {
		return []ValueRaster{all}
	}
	var west, east []CellSum
	for i := range d.sums {
		if d.sums[i].X < 0 {
			west = append(west, d.sums[i])
		} else {
			east = append(east, d.sums[i])
		}
	}
	var both []ValueRaster
	for _, half := range [][]CellSum{west, east} {
		if made, ok := raster(half, value); ok {
			both = append(both, made)
		}
	}
	return both
}

// raster returns the rectangle of some cells. It reports false where there are none, or where the rectangle is too large.
func raster(sums []CellSum, value func(*CellSum) uint8) (r ValueRaster, ok bool) {
	if len(sums) == 0 {
		return r, false
	}
	last := sums[0].LatticeCell
	r.First = last
	for i := range sums {
		at := sums[i].LatticeCell
		r.First = statistic.LatticeCell{X: min(r.First.X, at.X), Y: min(r.First.Y, at.Y)}
		last = statistic.LatticeCell{X: max(last.X, at.X), Y: max(last.Y, at.Y)}
	}
	r.Width = int(last.X-r.First.X) + 1
	height := int(last.Y-r.First.Y) + 1
	if int64(r.Width)*int64(height) > 2*stats.MostCells {
		return r, false
	}
	r.Values = make([]uint8, r.Width*height)
	for i := range sums {
		at := sums[i].LatticeCell
		r.Values[int(at.Y-r.First.Y)*r.Width+int(at.X-r.First.X)] = value(&sums[i])
	}
	return r, true
}
