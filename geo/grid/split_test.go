package grid

import (
	"math"
	"math/rand/v2"
	"testing"

	"quaywatch/geo"
)

type piece struct {
	cell     Cell
	from, to float64
}

// piecesOf parts a way, and checks what must hold of each.
func piecesOf(t *testing.T, p Projection, a, b geo.Point, size float64) (all []piece) {
	t.Helper()
	p.Split(a, b, size, func(cell Cell, from, to float64) { all = append(all, piece{cell, from, to}) })
	last := 0.0
	for _, one := range all {
		if one.from != last || one.to < one.from || one.to == one.from && a != b {
			t.Fatalf("from %v to %v: %v", a, b, all)
		}
		last = one.to
	}
	if last != 1 {
		t.Fatalf("from %v to %v: it ends at %v", a, b, last)
	}
	return all
}

// TestAWayIsParted: each of many places on random ways lies in the cell of its part, but within a metre of a border.
func TestAWayIsParted(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 5))
	for _, epsg := range []int{Europe, World} {
		p := Of(epsg)
		for range 300 {
			a := somewhere(r, boxOf(epsg))
			b := geo.Destination(a, r.Float64()*360, math.Exp(r.Float64()*11)) // up to 60 km
			if b.Lat > 85 || b.Lat < -85 {
				continue
			}
			size := []float64{50, 200, 1000, 25_000}[r.IntN(4)]
			all := piecesOf(t, p, a, b, size)
			at := 0
			for i := range 400 {
				share := (float64(i) + 0.5) / 400
				for all[at].to < share {
					at++
				}
				x, y := p.Forward(geo.Between(a, b, share))
				left, low := float64(all[at].cell.X)*size, float64(all[at].cell.Y)*size
				if out := max(left-x, x-left-size, low-y, y-low-size); out > 1 && math.Abs(x-left) < 1e7 {
					t.Fatalf("from %v to %v in %d: at %v it is %.2f m outside of %v", a, b, epsg, share, out, all[at])
				}
			}
		}
	}
}

// TestALongWay that bends both ways about the equator, or leads half round the earth, lies in the cells of its parts too.
func TestALongWay(t *testing.T) {
	p := Of(World)
	for _, way := range [][2]geo.Point{
		{{Lon: 0, Lat: -5}, {Lon: 5, Lat: 5}}, {{Lon: 100, Lat: 40}, {Lon: 60, Lat: -40}}, {{Lon: 179, Lat: -20}, {Lon: -170, Lat: 20}},
		{{Lon: -90, Lat: 10}, {Lon: 90, Lat: 10}}, {{Lon: 90, Lat: 10}, {Lon: -90, Lat: 10}},
	} {
		const size, places = 1000.0, 20_000
		all, at := piecesOf(t, p, way[0], way[1], size), 0
		for i := range places {
			share := (float64(i) + 0.5) / places
			for all[at].to < share {
				at++
			}
			x, y := p.Forward(geo.Between(way[0], way[1], share))
			left, low := float64(all[at].cell.X)*size, float64(all[at].cell.Y)*size
			if out := max(left-x, x-left-size, low-y, y-low-size); out > 1 {
				t.Fatalf("%v: at %v it is %.0f m outside of %v", way, share, out, all[at])
			}
		}
	}
}

// TestAWayOverTheDateLine goes on at the other end of the world.
func TestAWayOverTheDateLine(t *testing.T) {
	p := Of(World)
	for _, way := range [][2]geo.Point{{{Lon: 179.99, Lat: 1}, {Lon: -179.97, Lat: 1}}, {{Lon: -179.97, Lat: 1}, {Lon: 179.99, Lat: 1}}} {
		east, west := 0.0, 0.0
		for _, one := range piecesOf(t, p, way[0], way[1], 1000) {
			x, _ := p.Forward(way[0])
			if at := float64(one.cell.X) * 1000; at > 0 {
				east += one.to - one.from
			} else {
				west += one.to - one.from
			}
			if math.Abs(float64(one.cell.X)) < math.Abs(x)/1000-6 {
				t.Errorf("%v: it leads through %v", way, one.cell)
			}
		}
		if math.Abs(east-0.25) > 1e-9 || math.Abs(west-0.75) > 1e-9 {
			t.Errorf("%v: %v east of Asia and %v west of America", way, east, west)
		}
	}
}

// TestWaysAtBorders: one of no length, one along a border, one over a corner, and one that ends on a border.
func TestWaysAtBorders(t *testing.T) {
	p := Of(World)
	at := func(x, y float64) geo.Point { return p.Inverse(x, y) }
	if all := piecesOf(t, p, at(500, 500), at(500, 500), 1000); len(all) != 1 || all[0] != (piece{Cell{0, 0}, 0, 1}) {
		t.Errorf("no length: %v", all)
	}
	if all := piecesOf(t, p, geo.Point{Lon: 0, Lat: 1}, geo.Point{Lon: 0, Lat: 1.001}, 1e6); len(all) != 1 || all[0].cell.X != 0 {
		t.Errorf("along a border: %v", all)
	}
	all := piecesOf(t, p, at(500, 500), at(2500, 1500), 1000)
	if len(all) != 4 || all[0].cell != (Cell{0, 0}) || all[3].cell != (Cell{2, 1}) || math.Abs(all[0].to-0.25) > 1e-6 || math.Abs(all[2].to-0.75) > 1e-6 {
		t.Errorf("over four cells: %v", all)
	}
	for _, one := range piecesOf(t, p, at(500, 500), at(1500, 1500), 1000) {
		if off := one.to - one.from; off < 0.4 && off > 1e-6 {
			t.Errorf("over a corner: %v", one)
		}
	}
	back := piecesOf(t, p, at(1500, 500), at(500, 500), 1000)
	if len(back) != 2 || back[0].cell != (Cell{1, 0}) || back[1].cell != (Cell{0, 0}) {
		t.Errorf("westward: %v", back)
	}
}

// TestSplitAllocatesNothing: a year of positions is parted.
func TestSplitAllocatesNothing(t *testing.T) {
	p := Of(Europe)
	a, b := geo.Point{Lon: 10, Lat: 56}, geo.Point{Lon: 10.05, Lat: 56.02}
	sum := 0.0
	count := func(_ Cell, from, to float64) { sum += to - from }
	if n := testing.AllocsPerRun(100, func() { p.Split(a, b, 1000, count) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if math.Abs(sum-101) > 1e-9 {
		t.Error(sum)
	}
}

func BenchmarkSplit(b *testing.B) {
	p := Of(Europe)
	a, to := geo.Point{Lon: 10, Lat: 56}, geo.Point{Lon: 10.006, Lat: 56.001} // a minute at 13 knots
	parts := 0
	for b.Loop() {
		p.Split(a, to, 1000, func(Cell, float64, float64) { parts++ })
	}
	if parts < b.N {
		b.Fatal("no parts")
	}
}
