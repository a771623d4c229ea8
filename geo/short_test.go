package geo

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestShortWays holds short ways against the geodesic of Karney's algorithm: at every latitude, in every direction, over the date line, of all lengths.
func TestShortWays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	longest, taken := 0.0, 0
	for range 200_000 {
		a := Point{Lon: 360*r.Float64() - 180, Lat: 178*r.Float64() - 89}
		size, direction := 0.3*math.Pow(10, -6*r.Float64()), 2*math.Pi*r.Float64()
		b := Point{Lon: a.Lon + size*math.Cos(direction)/math.Cos(a.Lat*math.Pi/180), Lat: a.Lat + size*math.Sin(direction)}
		if r.IntN(2) == 0 {
			b = b.Normalized()
		}
		metres, near := shortDistance(a, b)
		if !near {
			continue
		}
		want, _, _ := inverse(a, b)
		if math.Abs(metres-want) > 1e-8 {
			t.Fatalf("from %v to %v: %.9f m, want %.9f", a, b, metres, want)
		}
		if back, _ := shortDistance(b, a); back != metres {
			t.Fatalf("from %v to %v: %.9f m, and back %.9f", a, b, metres, back)
		}
		longest, taken = max(longest, want), taken+1
	}
	if longest < 27_000 || taken < 150_000 {
		t.Errorf("only %d ways were short, the longest of %.0f m", taken, longest)
	}
}

// TestNoShortWay: what is far apart, at a pole or no place at all is left to the geodesic.
func TestNoShortWay(t *testing.T) {
	nan := math.NaN()
	for _, way := range [][2]Point{
		{{10, 55}, {10, 55.25}}, {{10, 55}, {10.44, 55}}, {{0, 0}, {0.26, 0}}, {{179.9, 0}, {-179.8, 0}}, {{0, 89}, {1, 89}}, {{0, 91}, {0, 91}},
		{{nan, 0}, {0, 0}}, {{0, 0}, {0, nan}}, {{0, math.Inf(1)}, {0, 0}}, {{0, 0}, {730, 0}}, {{0, 88.9}, {15, 88.9}},
	} {
		if metres, near := shortDistance(way[0], way[1]); near {
			t.Errorf("%v is short: %f m", way, metres)
		}
	}
	for _, way := range [][2]Point{{{10, 55}, {10, 55}}, {{180, 10}, {-180, 10}}, {{370, 10}, {10, 10}}} {
		if metres := Distance(way[0], way[1]); metres != 0 {
			t.Errorf("%v: %g m, want 0", way, metres)
		}
	}
}

func BenchmarkDistance(b *testing.B) {
	a, near, far := Point{10, 55}, Point{10.01, 55.005}, Point{11, 56}
	for name, to := range map[string]Point{"near": near, "far": far} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if Distance(a, to) == 0 {
					b.Fatal("no distance")
				}
			}
		})
	}
}
