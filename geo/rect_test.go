package geo_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
)

func rects() *rapid.Generator[geo.Rect] {
	return rapid.Custom(func(t *rapid.T) geo.Rect {
		a, b := anywhere().Draw(t, "a"), anywhere().Draw(t, "b")
		return geo.Rect{West: a.Lon, South: min(a.Lat, b.Lat), East: b.Lon, North: max(a.Lat, b.Lat)}
	})
}

func TestRectContains(t *testing.T) {
	fiji := geo.Rect{West: 177, South: -20, East: -178, North: -15}
	for _, row := range []struct {
		name string
		in   geo.Rect
		at   geo.Point
		want bool
	}{
		{"west of the date line", fiji, geo.Point{Lon: 179, Lat: -17}, true},
		{"east of the date line", fiji, geo.Point{Lon: -179, Lat: -17}, true},
		{"on it, by either name", fiji, geo.Point{Lon: 180, Lat: -17}, true},
		{"the other side of the earth", fiji, geo.Point{Lon: 0, Lat: -17}, false},
		{"edge", fiji, geo.Point{Lon: -178, Lat: -15}, true},
		{"north of it", fiji, geo.Point{Lon: 179, Lat: -14}, false},
		{"east edge 180 holds -180", geo.Rect{West: 170, South: -1, East: 180, North: 1}, geo.Point{Lon: -180}, true},
		{"west edge -180 holds 180", geo.Rect{West: -180, South: -1, East: -170, North: 1}, geo.Point{Lon: 180}, true},
		{"zero size", geo.RectOf(geo.Point{Lon: 3, Lat: 4}), geo.Point{Lon: 3, Lat: 4}, true},
		{"nothing", geo.RectOf(), geo.Point{}, false},
		{"pole", geo.Rect{West: -180, South: 80, East: 180, North: 90}, geo.Point{Lon: 12, Lat: 90}, true},
	} {
		if got := row.in.Contains(row.at); got != row.want {
			t.Errorf("%s: %v.Contains(%v) = %v", row.name, row.in, row.at, got)
		}
	}
}

func TestRectOf(t *testing.T) {
	got := geo.RectOf(geo.Point{Lon: 179, Lat: 1}, geo.Point{Lon: -178, Lat: -2}, geo.Point{Lon: 177, Lat: 0})
	if want := (geo.Rect{West: 177, South: -2, East: -178, North: 1}); got != want {
		t.Errorf("RectOf = %v, want %v", got, want)
	}
	if geo.RectOf().Valid() {
		t.Error("a rectangle of nothing is valid")
	}
	rapid.Check(t, func(t *rapid.T) {
		points := rapid.SliceOfN(anywhere(), 1, 8).Draw(t, "points")
		r := geo.RectOf(points...)
		grown := geo.RectOf(points[0])
		for _, p := range points {
			grown = grown.Extend(p)
		}
		for _, p := range points {
			if !r.Contains(p) || !grown.Contains(p) {
				t.Fatalf("%v or %v does not hold %v", r, grown, p)
			}
		}
		if degrees(r) > degrees(grown)+1e-9 {
			t.Fatalf("%v is wider than %v", r, grown)
		}
	})
}

func degrees(r geo.Rect) float64 {
	if r.West <= r.East {
		return r.East - r.West
	}
	return r.East - r.West + 360
}

func TestRectLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, o := rects().Draw(t, "r"), rects().Draw(t, "o")
		p := anywhere().Draw(t, "p")
		if r.Contains(p) && o.Contains(p) && !r.Intersects(o) {
			t.Fatalf("%v and %v share %v but do not intersect", r, o, p)
		}
		if r.Intersects(o) != o.Intersects(r) {
			t.Fatalf("%v and %v: intersecting is not mutual", r, o)
		}
		var parts bool
		for _, s := range r.Split() {
			if s.West > s.East {
				t.Fatalf("Split gave %v", s)
			}
			parts = parts || s.Contains(p)
		}
		if parts != r.Contains(p) {
			t.Fatalf("%v: the parts hold %v: %v", r, p, parts)
		}
		if !r.Contains(r.Center()) {
			t.Fatalf("%v does not hold its middle %v", r, r.Center())
		}
	})
}

func TestExpandHoldsAllNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anywhere().Draw(t, "p")
		metres := rapid.Float64Range(0, 2e6).Draw(t, "metres")
		r := geo.RectOf(p).Expand(metres)
		if !r.Valid() {
			t.Fatalf("Expand = %v", r)
		}
		q := geo.Destination(p, rapid.Float64Range(0, 360).Draw(t, "bearing"), metres*rapid.Float64Range(0, 0.999999).Draw(t, "part"))
		if geo.Distance(p, q) > 0.01 && !r.Contains(q) {
			t.Fatalf("%v does not hold %v, %v m from %v", r, q, geo.Distance(p, q), p)
		}
	})
	near := geo.RectOf(geo.Point{Lon: 10, Lat: 56}).Expand(1852)
	if d := degrees(near) / 2 * 111319 * math.Cos(56*math.Pi/180); d > 1852*1.02 {
		t.Errorf("Expand by a mile reaches %.0f m east", d)
	}
}
