package wms

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/handlers/statistics"
	"quaywatch/render"
)

// million returns the sums of a million cells of a kilometre.
func million(b *testing.B) *statistics.DensitySum {
	b.Helper()
	d := statistics.NewSums(1, false)
	for row := range 1000 {
		var cells strings.Builder
		for column := range 1000 {
			fmt.Fprintf(&cells, ",[%d,%d,%d.5,1,1]", column*1000, (6000+row)*1000, column*row)
		}
		if err := d.Add(fmt.Appendf(nil, `{"epsg":6933,"cell":1000,"cells":[%s]}`, cells.String()[1:])); err != nil {
			b.Fatal(err)
		}
	}
	return d
}

// BenchmarkMillionCells draws them on 1024 by 768 pixels, without the reading.
func BenchmarkMillionCells(b *testing.B) {
	d := million(b)
	f, err := render.NewFrame(render.EPSG4326, [4]float64{54, 0, 68, 12}, 1024, 768)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if drawCells(render.New(f), d); d.Hours() == 0 {
			b.Fatal("no cell is drawn")
		}
	}
}
