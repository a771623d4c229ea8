package geo_test

import (
	"math/rand/v2"
	"testing"

	"quaywatch/geo"
)

// TestUnion: what both hold the union holds, and it is no wider than it must be.
func TestUnion(t *testing.T) {
	rect := func(west, east float64) geo.Rect { return geo.Rect{West: west, South: -1, East: east, North: 1} }
	for _, row := range []struct{ a, b, want geo.Rect }{
		{rect(0, 10), rect(20, 30), rect(0, 30)},
		{rect(170, 175), rect(-175, -170), rect(170, -170)},
		{rect(170, -170), rect(-172, -160), rect(170, -160)},
		{rect(0, 30), rect(10, 20), rect(0, 30)},
		{rect(0, 170), rect(175, -25), rect(0, -25)},
		{rect(0, 10), rect(100, -60), rect(100, 10)},
		{rect(0, 190-360), rect(180, 10), rect(-180, 180)},
		{geo.RectOf(), rect(1, 2), rect(1, 2)},
		{rect(1, 2), geo.RectOf(), rect(1, 2)},
		{rect(5, 5), rect(5, 5), rect(5, 5)},
	} {
		if got := row.a.Union(row.b); got != row.want {
			t.Errorf("%v and %v: %v, want %v", row.a, row.b, got, row.want)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	lon := func() float64 { return float64(r.IntN(361) - 180) }
	for range 3000 {
		a, b := rect(lon(), lon()), rect(lon(), lon())
		both := a.Union(b)
		for x := -180.0; x <= 180; x += 7.5 {
			at := geo.Point{Lon: x, Lat: 0.5}
			if (a.Contains(at) || b.Contains(at)) && !both.Contains(at) {
				t.Fatalf("%v and %v: %v does not hold %v", a, b, both, at)
			}
		}
	}
}
