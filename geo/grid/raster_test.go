package grid

import (
	"testing"

	"quaywatch/geo"
)

// TestARasterAroundTheDateLine has no column beyond the edge of the world, and each cell of a way in it.
func TestARasterAroundTheDateLine(t *testing.T) {
	for _, size := range []int64{500, 25_000, 50_000} {
		over := Over(geo.Rect{West: 178, South: -20, East: -178, North: -16}, size)
		whole := over.Whole()
		first, last := whole.West/size, whole.West/size+int64(whole.Columns)-1
		if want := 34_735_060 / size; int64(whole.Columns) < want || int64(whole.Columns) > want+2 {
			t.Errorf("%d columns of %d m, want about %d", whole.Columns, size, want)
		}
		if whole.South != over.South || whole.Rows != over.Rows || first != -last-1 {
			t.Errorf("%+v of %+v", whole, over)
		}
		Of(World).Split(geo.Point{Lon: 178, Lat: -19}, geo.Point{Lon: -178, Lat: -17}, float64(size), func(c Cell, from, to float64) {
			if x, y := int64(c.X), int64(c.Y)-whole.South/size; x < first || x > last || y < 0 || y >= int64(whole.Rows) {
				t.Errorf("%v of %d m lies outside of %+v", c, size, whole)
			}
		})
	}
	for _, bounds := range []geo.Rect{{West: 170, South: -20, East: 180, North: -16}, {West: 8, South: 50, East: 9, North: 54}} {
		if r := Over(bounds, 1000); r.Whole() != r {
			t.Errorf("%+v is not left as it is", r)
		}
	}
}
