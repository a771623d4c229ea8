package render

import (
	"math"
	"testing"

	"quaywatch/geo"
)

// TestCells: each pixel has the shade of the place of its middle, in each system, also where the plane has its edge.
func TestCells(t *testing.T) {
	plane := func(p geo.Point) (x, y float64) {
		return p.Lon * math.Cos(p.Lat*math.Pi/180), math.Sin(p.Lat * math.Pi / 180)
	}
	for _, row := range []struct {
		crs CRS
		box [4]float64
	}{{EPSG4326, [4]float64{54, 9, 57, 12}}, {CRS84, [4]float64{-200, -80, 200, 80}}, {EPSG3857, [4]float64{1e6, 7e6, 1.2e6, 7.1e6}}, {EPSG3857, [4]float64{-2e7, -1.8e7, 2.4e7, 1.8e7}}} {
		f, err := NewFrame(row.crs, row.box, 150, 101)
		if err != nil {
			t.Fatal(err)
		}
		c := New(f)
		size := c.PixelSize(plane) * 7
		shade := func(x, y float64) int { return int(math.Abs(math.Floor(x/size)+math.Floor(y/size)*3)) % (Levels + 1) }
		c.Cells(plane, First, shade)
		wrong := 0
		for y := range 101 {
			for x := range 150 {
				p := f.placeAt(float64(x)+0.5, float64(y)+0.5)
				if again, _ := f.Pixel(p); math.Abs(math.Remainder(again-float64(x)-0.5, f.Turn())) > 1e-6 {
					t.Fatalf("%v is at pixel %v, want %d", p, again, x)
				}
				want := uint8(0)
				if level := shade(plane(p)); level > 0 {
					want = colourIndex(First, level)
				}
				if c.pixels[y*150+x] != want {
					wrong++
				}
			}
		}
		if wrong > 150*101/50 {
			t.Errorf("%v: %d pixels are wrong", row, wrong)
		}
	}
}

// TestPixelSizes: a pixel is as large in a picture over 180° as elsewhere on its parallel.
func TestPixelSizes(t *testing.T) {
	world := func(p geo.Point) (x, y float64) { return p.Lon, p.Lat }
	for _, west := range []float64{-181, 9, 179} {
		f, err := NewFrame(CRS84, [4]float64{west, -1, west + 2, 1}, 200, 200)
		if err != nil {
			t.Fatal(err)
		}
		if size := New(f).PixelSize(world); math.Abs(size-0.01) > 1e-9 {
			t.Errorf("from %v°: %v, want 0.01", west, size)
		}
	}
}
