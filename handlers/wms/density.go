package wms

import (
	"math"

	"quaywatch/geo/grid"
	"quaywatch/handlers/statistics"
	"quaywatch/render"
	"quaywatch/ship"
)

// densityBounds are where the classes of a density end, in hours per square kilometre and month. They are the same in all pictures, so two can be compared.
func densityBounds() [5]float64 { return [5]float64{0.1, 1, 10, 100, 1000} }

// densityLevels are how much of a pixel each class covers: more than the shade of the area that is asked.
func densityLevels() [6]uint8 { return [6]uint8{4, 6, 8, 10, 12, 15} }

// drawDensity shades the cells. Cells smaller than a pixel are summed to some that are about as large.
func drawDensity(k *sketch) drawing {
	k.drawAsked("shape")
	d := statistics.NewSums(k.months, false)
	d.Coarser = func(p grid.Projection, size int64) uint {
		if ratio := k.canvas.PixelSize(p.Forward) / float64(size); ratio > 1 { // or it is no number
			return uint(min(16, math.Log2(ratio)))
		}
		return 0
	}
	return drawing{func(record []byte, _ ship.Track) error { return d.Add(record) }, func() {
		if k.probe == nil {
			drawCells(k.canvas, d)
		}
		k.explainDensity(d)
	}}
}

// drawCells shades the sums of a density.
func drawCells(on *render.Canvas, d *statistics.DensitySum) {
	bounds, shades := densityBounds(), densityLevels()
	side, plane := d.Side(), grid.Of(d.EPSG).Forward
	for _, r := range d.Rasters(func(s *statistics.CellSum) uint8 {
		dense, class := d.Dense(s), 0
		for class < len(bounds) && dense >= bounds[class] {
			class++
		}
		return shades[class]
	}) {
		west, south := float64(r.First.X)*side, float64(r.First.Y)*side
		width, height := float64(r.Width), float64(len(r.Values)/r.Width)
		on.Cells(plane, render.First, func(x, y float64) int {
			column, row := (x-west)/side, (y-south)/side
			if column >= 0 && row >= 0 && column < width && row < height {
				return int(r.Values[int(row)*r.Width+int(column)])
			}
			return 0
		})
	}
}

// explainDensity begins the legend, with the classes and the sum of all.
func (k *sketch) explainDensity(d *statistics.DensitySum) {
	k.explainClasses(render.LegendRow{Text: k.formatText("all cells: %s h", k.tenthsText(d.Hours()))})
}

// explainClasses begins the legend with the classes of a density.
func (k *sketch) explainClasses(more ...render.LegendRow) {
	texts := [6]string{"below 0.1", "0.1 to 1", "1 to 10", "10 to 100", "100 to 1000", "1000 and more"}
	var rows []render.LegendRow
	for i, level := range densityLevels() {
		rows = append(rows, render.LegendRow{Text: k.formatText(texts[i]), Sample: render.OfCell, Class: render.First, Level: int(level)})
	}
	k.beginLegend("Hours per km² and month", append(rows, more...)...)
}
