package wms

import (
	"context"
	"slices"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/grid"
	"quaywatch/handlers/statistics"
	"quaywatch/render"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// densityLayer is the layer of where ships spent their time lately.
const densityLayer = "density"

// Bounds of the layer.
const (
	cellPixels = 4         // the sides of a cell, at least
	mostDense  = 1_200_000 // cells: more than the largest picture has
	denseBytes = 96 << 20  // of memory for these, and for the ships
)

// drawDense shades how long ships were where, in cells of a few pixels. Its classes are those of the statistic.
func drawDense(ctx context.Context, w *work) error {
	of := w.askedPeriod()
	if now := w.viewer.Now(); of.end.After(now) {
		of.end = now // what is to come counts for no density
	}
	d := newDense(w.canvas, w.frame.Bounds(0), of)
	if err := w.readPassing(ctx, of, func(s *ship.State, part ship.Track) { d.addPart(s.MMSI, part) }); err != nil {
		return err
	}
	drawCells(w.canvas, d.sums)
	if w.reading == nil {
		w.legend = denseLegend(w.german)
	}
	return nil
}

// denseLegend is the legend of the layer.
func denseLegend(german bool) render.Legend {
	k := sketch{german: german}
	k.explainClasses()
	return k.legend
}

// dense sums the time of ships in the cells of a picture.
type dense struct {
	sums       *statistics.DensitySum
	cells      grid.Raster
	begin, end int64 // Unix milliseconds
	last       map[ais.MMSI]ship.Fix
}

// newDense begins the sums of a period.
func newDense(on *render.Canvas, view geo.Rect, of period) *dense {
	plane := grid.For(view)
	size := cellSize(on.PixelSize(plane.Forward) * cellPixels)
	d := &dense{sums: statistics.NewSums(statistics.MonthsIn(of.end.Sub(of.begin)), false), cells: grid.Over(view, size).Whole(),
		begin: of.begin.UnixMilli(), end: of.end.UnixMilli(), last: map[ais.MMSI]ship.Fix{}}
	d.sums.EPSG, d.sums.Size = plane.EPSG(), size
	return d
}

// cellSize returns a round number of metres that is at least as large as another number, from 50.
func cellSize(least float64) int64 {
	sizes := []int64{50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000}
	i := slices.IndexFunc(sizes, func(size int64) bool { return float64(size) >= least })
	if i < 0 {
		return sizes[len(sizes)-1]
	}
	return sizes[i]
}

// addPart adds a part of the track of a ship.
func (d *dense) addPart(m ais.MMSI, part ship.Track) {
	last, known := d.last[m]
	for _, f := range part {
		if known && f.At > last.At && ship.Joins(last, f) {
			d.addLeg(ship.Leg{From: last, To: f})
		}
		if !known || f.At > last.At {
			last, known = f, true
		}
	}
	if known {
		d.last[m] = last
	}
}

// addLeg adds the time of a leg, which the ship sails evenly, as far as the leg lies in the period and in the picture.
func (d *dense) addLeg(l ship.Leg) {
	began, span := float64(l.From.At), float64(l.To.At-l.From.At)
	d.cells.Grid.Split(l.From.Point(), l.To.Point(), float64(d.cells.Cell), func(at grid.Cell, from, to float64) {
		begin, end := max(d.begin, int64(began+from*span)), min(d.end, int64(began+to*span))
		if begin < end && d.cells.Has(at) && d.sums.Len() < mostDense {
			d.sums.AddTime(statistic.LatticeCell{X: at.X, Y: at.Y}, end-begin)
		}
	})
}
