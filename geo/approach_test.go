package geo_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"quaywatch/geo"
)

// sampled finds the closest approach without any plane: it tries 60 times, then ever smaller steps round the best.
func sampled(a0, a1, b0, b1 geo.Point) (frac, metres float64) {
	metres = math.Inf(1)
	low, high := 0.0, 1.0
	for range 7 {
		step := (high - low) / 60
		for i := range 61 {
			s := low + float64(i)*step
			if d := geo.Distance(geo.Between(a0, a1, s), geo.Between(b0, b1, s)); d < metres {
				frac, metres = s, d
			}
		}
		low, high = max(0, frac-2*step), min(1, frac+2*step)
	}
	return frac, metres
}

func TestApproach(t *testing.T) {
	p := func(lon, lat float64) geo.Point { return geo.Point{Lon: lon, Lat: lat} }
	for _, row := range []struct {
		name           string
		a0, a1, b0, b1 geo.Point
		frac           float64
	}{
		{"crossing", p(10, 55), p(10.2, 55), p(10.1, 54.9), p(10.1, 55.1), 0.5},
		{"head on", p(10, 55), p(10.2, 55), p(10.2, 55.001), p(10, 55.001), 0.5},
		{"date line", p(179.9, 10), p(-179.9, 10), p(180, 9.9), p(-180, 10.1), 0.5},
		{"date line, one on each side", p(179.95, 0), p(179.99, 0), p(-179.95, 0), p(-179.99, 0), 1},
		{"apart", p(10, 55), p(9.9, 55), p(10.1, 55), p(10.2, 55), 0},
		{"both at rest", p(10, 55), p(10, 55), p(10.001, 55), p(10.001, 55), 0},
		{"a fixed point", p(10, 55), p(10.2, 55), p(10.05, 55.01), p(10.05, 55.01), 0.25},
		{"side by side to the east", p(10, 55), p(10.2, 55), p(10, 55.01), p(10.2, 55.01), 0},
		{"side by side to the north", p(10, 55), p(10, 55.1), p(10.01, 55), p(10.01, 55.1), 1},
		{"side by side to the south", p(10, 55.1), p(10, 55), p(10.01, 55.1), p(10.01, 55), 0},
		{"in one place", p(10, 55), p(10.2, 55), p(10, 55), p(10.2, 55), 0},
	} {
		frac, metres := geo.Approach(row.a0, row.a1, row.b0, row.b1)
		_, want := sampled(row.a0, row.a1, row.b0, row.b1)
		if math.Abs(frac-row.frac) > 1e-3 || math.Abs(metres-want) > 0.01 {
			t.Errorf("%s: after %v at %v m, want after %v at %v m", row.name, frac, metres, row.frac, want)
		}
	}
}

// TestApproachIsNearest holds the bound that Approach promises, anywhere within 75° of latitude, against sampling on the ellipsoid.
func TestApproachIsNearest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	worst, tried := 0.0, 0
	for range 600 {
		at := geo.Point{Lon: 178 + 4*r.Float64(), Lat: 150*r.Float64() - 75}.Normalized()
		near := func(of geo.Point, metres float64) geo.Point {
			return geo.Destination(of, 360*r.Float64(), metres*r.Float64())
		}
		a0, b0 := at, near(at, 10_000)
		a1 := near(a0, 15_000)
		b1 := near(b0, 15_000)
		if r.IntN(3) == 0 { // nearly the same velocity
			b1 = near(geo.Destination(b0, geo.Bearing(a0, a1), geo.Distance(a0, a1)), 100)
		}
		_, metres := geo.Approach(a0, a1, b0, b1)
		_, want := sampled(a0, a1, b0, b1)
		if want < 10_000 {
			tried++
			worst = max(worst, metres-want)
		}
	}
	t.Logf("%d tried, at worst %.4f m above", tried, worst)
	if tried < 300 || worst > 0.01 {
		t.Errorf("%d tried, at worst %v m above the least", tried, worst)
	}
}
