package statistics

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"

	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/grid"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/render/geotiff"
	"quaywatch/ship/statistic"
	"quaywatch/users/access"
)

// measure is what a raster tells of a cell.
type measure struct {
	name  string
	value func(*DensitySum, *CellSum) float64
}

// measures are those that may be asked for, the usual one first.
func measures() []measure {
	return []measure{
		{"density", func(d *DensitySum, s *CellSum) float64 { return d.Dense(s) }}, // hours in a square kilometre and a month
		{"hours", func(_ *DensitySum, s *CellSum) float64 { return s.Hours() }},
		{"trips", func(_ *DensitySum, s *CellSum) float64 { return float64(s.Trips) }},
		{"crossings", func(_ *DensitySum, s *CellSum) float64 { return float64(s.Crossings) }},
	}
}

// measureOf reads which of them the caller asks for.
func measureOf(c *request.Request) (measure, error) {
	name, all := c.Query("measure"), measures()
	if name == "" {
		return all[0], nil
	}
	i := slices.IndexFunc(all, func(m measure) bool { return m.name == name })
	if i < 0 {
		return measure{}, request.BadField("measure", rule.New("one_of", "must be one of {words}", "words", "density, hours, trips, crossings"))
	}
	return all[i], nil
}

// askedArea returns the shape of a density and its cells, as far as the reader may know them. It returns nil where the shape is gone or is not the reader's to
// name.
func (s *Server) askedArea(who *access.User, j *stats.Job) (*geo.Area, grid.Raster, error) {
	posted, err := s.deps.Stats.Posted(j.ID)
	if err != nil {
		return nil, grid.Raster{}, goneProblem(err)
	}
	f, names := form.Of(posted), s.deps.Lookup(who)
	size := f.Integer("cell", 0, math.MaxInt32)
	if size == 0 {
		size = stats.UsualCell
	}
	asked := stats.ReadArea(f, "shape", stats.Asker{Names: names})
	if asked == nil {
		return nil, grid.Raster{}, nil
	}
	area, err := asked.Open(names)
	if err != nil {
		return nil, grid.Raster{}, nil // gone
	}
	cells, why := stats.RasterOf(area, size)
	if why != nil { // a saved shape has grown since
		return nil, grid.Raster{}, nil
	}
	return area, cells, nil
}

// geoTIFF writes a measure of the cells as a raster. A cell of the shape without a ship is 0. Of a cell outside of it, by its middle, nothing is known. Where the
// reader may not know the shape, that holds of each cell without a ship.
func (s *source) geoTIFF(ctx context.Context, w io.Writer) error {
	d, err := s.summed(ctx, false)
	if err != nil {
		return err
	}
	area, cells, err := s.server.askedArea(s.User, s.job)
	if err != nil {
		return err
	}
	of := cellRaster{density: d, measure: s.measure, area: area, cells: cells}
	of.fitCells()
	if count := int64(of.cells.Columns) * int64(of.cells.Rows); count > geotiff.Most {
		return request.BadField("format", rule.New("stat_raster", "is not tiff for {count} cells, and {max} are the most: take csv", "count", count, "max", geotiff.Most))
	}
	return geotiff.Write(w, geotiff.Image{
		Width: of.cells.Columns, Height: of.cells.Rows, EPSG: of.cells.Grid.EPSG(), Cell: float64(of.cells.Cell),
		Left: float64(of.cells.West), Top: float64(of.cells.South + int64(of.cells.Rows)*of.cells.Cell),
		Description: fmt.Sprintf("Quaywatch: %s, %s to %s", s.measure.name, timeText(s.job.Begin), timeText(s.job.End)), At: s.job.Finished,
	}, func(y int, row []float32) error {
		of.fillRow(y, row)
		return ctx.Err()
	})
}

// cellRaster is the cells of a density, row by row.
type cellRaster struct {
	density *DensitySum
	measure measure
	area    *geo.Area // nil where it is not known
	cells   grid.Raster
}

// fitCells has the raster hold each cell that has a ship. It holds all of them where the shape is not known, and what of a saved shape was larger when it was asked.
// Around 180° it holds the whole world.
func (r *cellRaster) fitCells() {
	if r.area != nil {
		r.cells = r.cells.Whole()
	}
	sums := r.density.sums // the cells lead to them as they stand
	if len(sums) == 0 {
		if r.area == nil {
			r.cells = grid.Raster{Grid: grid.Of(grid.World), Cell: stats.UsualCell, Columns: 1, Rows: 1}
		}
		return
	}
	if size := r.density.Size; r.area == nil || r.cells.Cell != size || r.cells.Grid.EPSG() != r.density.EPSG {
		r.area, r.cells = nil, grid.Raster{Grid: grid.Of(r.density.EPSG), Cell: size, West: int64(sums[0].X) * size, South: int64(sums[0].Y) * size, Columns: 1, Rows: 1}
	}
	west, south := r.cells.West/r.cells.Cell, r.cells.South/r.cells.Cell
	east, north := west+int64(r.cells.Columns)-1, south+int64(r.cells.Rows)-1
	for i := range sums {
		x, y := int64(sums[i].X), int64(sums[i].Y)
		west, south, east, north = min(west, x), min(south, y), max(east, x), max(north, y)
	}
	r.cells.West, r.cells.South = west*r.cells.Cell, south*r.cells.Cell
	r.cells.Columns, r.cells.Rows = int(east-west)+1, int(north-south)+1
}

// fillRow fills a row, from the north.
func (r *cellRaster) fillRow(y int, row []float32) {
	column, line := int32(r.cells.West/r.cells.Cell), int32(r.cells.South/r.cells.Cell)+int32(r.cells.Rows-1-y)
	for x := range row {
		at := statistic.LatticeCell{X: column + int32(x), Y: line}
		if i, there := r.density.cells[at]; there {
			row[x] = float32(r.measure.value(r.density, &r.density.sums[i]))
		} else if row[x] = float32(math.NaN()); r.isAsked(at) {
			row[x] = 0
		}
	}
}

// isAsked reports whether the middle of a cell lies in the shape.
func (r *cellRaster) isAsked(at statistic.LatticeCell) bool {
	if r.area == nil {
		return false
	}
	size := float64(r.cells.Cell)
	return r.area.Contains(r.cells.Grid.Inverse((float64(at.X)+0.5)*size, (float64(at.Y)+0.5)*size))
}
