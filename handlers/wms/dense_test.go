package wms

import (
	"bytes"
	"image/png"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/grid"
	"quaywatch/render"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// canvas returns an empty picture of a box in degrees.
func canvas(t testing.TB, box [4]float64, width, height int) (*render.Canvas, render.Viewport) {
	t.Helper()
	f, err := render.NewFrame(render.CRS84, box, width, height)
	if err != nil {
		t.Fatal(err)
	}
	return render.New(f), f
}

// TestTheLayerIsTheStatistic: the time in each cell is that of the statistic over the same cells, whatever comes twice, jumps, is silent, untrusted or outside.
func TestTheLayerIsTheStatistic(t *testing.T) {
	begin := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	of := period{begin, begin.Add(3 * time.Hour)}
	on, f := canvas(t, [4]float64{10, 55, 11, 56}, 200, 200)
	rapid.Check(t, func(r *rapid.T) {
		d := newDense(on, f.Bounds(0), of)
		border := []geo.Point{{Lon: 9, Lat: 54}, {Lon: 12, Lat: 54}, {Lon: 12, Lat: 57}, {Lon: 9, Lat: 57}, {Lon: 9, Lat: 54}}
		area := geo.NewArea(geo.Polygon{border})
		want, most := map[statistic.LatticeCell]int64{}, map[statistic.LatticeCell]int64{}
		slow := statistic.NewDensity(statistic.DensityQuestion{Period: statistic.Period{Begin: of.begin, End: of.end}, Area: area, Split: func(a, b geo.Point, fn func(statistic.LatticeCell, float64, float64)) {
			d.cells.Grid.Split(a, b, float64(d.cells.Cell), func(at grid.Cell, from, to float64) { fn(statistic.LatticeCell{X: at.X, Y: at.Y}, from, to) })
		}}, func(day statistic.DensityDay) {
			for _, c := range day.Cells {
				if d.cells.Has(grid.Cell{X: c.X, Y: c.Y}) {
					want[c.LatticeCell] += c.Millis
					most[c.LatticeCell] += 50 // a millisecond for each leg
				}
			}
		})
		for i := range rapid.IntRange(1, 3).Draw(r, "ships") {
			m := ais.MMSI(219000001 + i)
			var track ship.Track
			at := begin.Add(-time.Hour).UnixMilli()
			for range rapid.IntRange(2, 40).Draw(r, "fixes") {
				at += rapid.Int64Range(2000, 40*60000).Draw(r, "rest")
				fix := ship.Fix{At: at, Lon: int32(rapid.Float64Range(9.8, 11.2).Draw(r, "lon") * 600_000), Lat: int32(rapid.Float64Range(54.9, 56.1).Draw(r, "lat") * 600_000)}
				if rapid.IntRange(0, 9).Draw(r, "mark") == 0 {
					fix.Mark = rapid.SampledFrom([]ship.Mark{ship.NewSegment, ship.Untrusted}).Draw(r, "of")
				}
				track = append(track, fix)
			}
			cut := rapid.IntRange(0, len(track)-1).Draw(r, "cut")
			d.addPart(m, track[:cut+1])
			d.addPart(m, track[cut:])
			slow.Take(m, track)
		}
		slow.End()
		for _, got := range d.sums.Sums() {
			if math.Abs(float64(got.Millis-want[got.LatticeCell])) > float64(most[got.LatticeCell]) {
				r.Fatalf("%v: %d ms, want %d", got.LatticeCell, got.Millis, want[got.LatticeCell])
			}
			delete(want, got.LatticeCell)
		}
		for cell, millis := range want {
			if millis > most[cell] {
				r.Fatalf("%v lacks %d ms", cell, millis)
			}
		}
	})
}

// TestCellsBesideTheDateLine: on both sides of 180° the cells of a density are shaded, however far they lie apart in the plane.
func TestCellsBesideTheDateLine(t *testing.T) {
	begin := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	on, f := canvas(t, [4]float64{179.9, -17.05, 180.1, -16.95}, 400, 200)
	d := newDense(on, f.Bounds(0), period{begin, begin.Add(time.Hour)})
	var track ship.Track
	for i := range 41 {
		lon := 179.91 + float64(i)*0.0045
		if lon > 180 {
			lon -= 360
		}
		track = append(track, ship.Fix{At: begin.UnixMilli() + int64(i)*60_000, Lon: int32(lon * 600_000), Lat: -17 * 600_000})
	}
	d.addPart(512777888, track)
	if hours := d.sums.Hours(); math.Abs(hours-40.0/60) > 1e-4 {
		t.Errorf("%.4f hours, want 40 minutes", hours)
	}
	drawCells(on, d.sums)
	for _, x := range []int{30, 190, 210, 370} {
		if n := shaded(t, on, x); n < 2 || n > 12 {
			t.Errorf("column %d has %d shaded pixels", x, n)
		}
	}
}

// shaded counts the pixels of a column that are not empty.
func shaded(t *testing.T, on *render.Canvas, x int) (n int) {
	t.Helper()
	style, _ := render.StyleOf("day")
	file, err := on.PNG(&style, nil)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	for y := range picture.Bounds().Dy() {
		if _, _, _, a := picture.At(x, y).RGBA(); a > 0 {
			n++
		}
	}
	return n
}

// TestSizesOfCells: a cell has some pixels, and a round size.
func TestSizesOfCells(t *testing.T) {
	for least, want := range map[float64]int64{0: 50, 50: 50, 51: 100, 4999: 5000, 3e6: 500_000} {
		if got := cellSize(least); got != want {
			t.Errorf("%v: %d, want %d", least, got, want)
		}
	}
	if got := cellSize(math.NaN()); got != 500_000 {
		t.Errorf("no number: %d", got)
	}
}

// BenchmarkDense sums and draws half a million positions of 500 ships on 1024 by 768 pixels.
func BenchmarkDense(b *testing.B) {
	begin := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	tracks := map[ais.MMSI]ship.Track{}
	for i := range 500 {
		m := ais.MMSI(219000001 + i)
		for n := range 1000 {
			tracks[m] = append(tracks[m], ship.Fix{At: begin.Add(time.Duration(n) * 80 * time.Second).UnixMilli(), Lon: int32(6_000_000 + n*600), Lat: int32(33_000_000 + i*1200 + n%50*300)})
		}
	}
	for b.Loop() {
		on, f := canvas(b, [4]float64{10, 55, 11, 56}, 1024, 768)
		d := newDense(on, f.Bounds(0), period{begin, begin.Add(24 * time.Hour)})
		for m, track := range tracks {
			d.addPart(m, track)
		}
		if drawCells(on, d.sums); d.sums.Len() < 1000 {
			b.Fatalf("%d cells", d.sums.Len())
		}
	}
}
