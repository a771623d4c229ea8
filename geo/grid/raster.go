package grid

import (
	"math"

	"quaywatch/geo"
)

// Raster is the cells over a rectangle of the earth. Column and row 0 are the western and the southern ones.
type Raster struct {
	Grid          Projection
	Cell          int64 // metres
	West, South   int64 // metres
	Columns, Rows int
}

// Over returns the cells of some metres over a rectangle of the earth.
func Over(bounds geo.Rect, cell int64) Raster {
	r := Raster{Grid: For(bounds), Cell: cell}
	west, south, east, north := r.extent(bounds)
	r.West, r.South = floorTo(west, cell), floorTo(south, cell)
	r.Columns, r.Rows = int((floorTo(east, cell)-r.West)/cell+1), int((floorTo(north, cell)-r.South)/cell+1)
	return r
}

// Whole returns the raster itself, or its rows around the whole earth where it leads over 180°. Cells of the world lie at both of its ends there.
func (r Raster) Whole() Raster {
	edge, _ := Of(World).Forward(geo.Point{Lon: 180})
	last := floorTo(edge, r.Cell)
	if r.Grid.epsg != World || r.West+int64(r.Columns-1)*r.Cell <= last {
		return r
	}
	r.West = floorTo(-edge, r.Cell)
	r.Columns = int((last-r.West)/r.Cell) + 1
	return r
}

// Has reports whether a cell of the lattice belongs to the raster.
func (r Raster) Has(at Cell) bool {
	column, row := int64(at.X)-r.West/r.Cell, int64(at.Y)-r.South/r.Cell
	return column >= 0 && row >= 0 && column < int64(r.Columns) && row < int64(r.Rows)
}

// extent returns the rectangle of the lattice that holds a rectangle of the sphere, in metres.
func (r *Raster) extent(of geo.Rect) (west, south, east, north float64) {
	const steps = 90
	west, south, east, north = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	width := of.East - of.West
	if width < 0 {
		width += 360
	}
	for i := range steps + 1 {
		for k := range steps + 1 {
			share, rise := float64(i)/steps, float64(k)/steps
			x, y := r.Grid.Forward(geo.Point{Lon: of.West + share*width, Lat: of.South + rise*(of.North-of.South)})
			west, east, south, north = min(west, x), max(east, x), min(south, y), max(north, y)
		}
	}
	return west, south, east, north
}

// floorTo returns the multiple of a size that is not above a value.
func floorTo(v float64, size int64) int64 { return int64(math.Floor(v/float64(size))) * size }
