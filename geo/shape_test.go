package geo_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
)

func ring(coordinates ...float64) []geo.Point {
	var r []geo.Point
	for i := 0; i < len(coordinates); i += 2 {
		r = append(r, geo.Point{Lon: coordinates[i], Lat: coordinates[i+1]})
	}
	return append(r, r[0])
}

// The basin is a square with a square island; the strait lies over 180°.
//
//	4 +-----------+
//	3 |   +---+   |
//	1 |   +---+   |
//	0 +-----------+
//	  0   1   3   4
func basin() geo.Polygon {
	return geo.Polygon{ring(0, 0, 4, 0, 4, 4, 0, 4), ring(1, 1, 1, 3, 3, 3, 3, 1)}
}

func TestPolygonContains(t *testing.T) {
	strait := geo.Polygon{ring(178, -2, -178, -2, -178, 2, 178, 2)}
	arctic := geo.Polygon{ring(0, 70, 90, 70, 179, 70, -90, 70)}
	antarctic := geo.Polygon{ring(0, -70, -90, -70, 179, -70, 90, -70)}
	doubled := geo.Polygon{ring(0, 0, 0, 0, 4, 0, 4, 4, 4, 4, 0, 4)}
	bow := geo.Polygon{ring(0, 0, 2, 2, 4, 0, 2, 4)}
	for _, row := range []struct {
		name string
		in   geo.Polygon
		at   geo.Point
		want bool
	}{
		{"inside", basin(), geo.Point{Lon: 0.5, Lat: 2}, true},
		{"in the hole", basin(), geo.Point{Lon: 2, Lat: 2}, false},
		{"outside", basin(), geo.Point{Lon: 5, Lat: 2}, false},
		{"north of it", basin(), geo.Point{Lon: 2, Lat: 5}, false},
		{"on an edge", basin(), geo.Point{Lon: 4, Lat: 2}, true},
		{"on a corner", basin(), geo.Point{}, true},
		{"on the hole's edge", basin(), geo.Point{Lon: 1, Lat: 2}, true},
		{"south of a corner", basin(), geo.Point{Lon: 0, Lat: -1}, false},
		{"duplicate vertex", doubled, geo.Point{Lon: 2, Lat: 2}, true},
		{"duplicate vertex, on its meridian", doubled, geo.Point{Lon: 4, Lat: 5}, false},
		{"below a vertex that touches the meridian", bow, geo.Point{Lon: 2, Lat: 1}, false},
		{"above it", bow, geo.Point{Lon: 2, Lat: 3}, true},
		{"date line, western half", strait, geo.Point{Lon: 179, Lat: 0}, true},
		{"date line, eastern half", strait, geo.Point{Lon: -179, Lat: 0}, true},
		{"date line, on it", strait, geo.Point{Lon: 180, Lat: 0}, true},
		{"date line, other side of the earth", strait, geo.Point{Lon: 0, Lat: 0}, false},
		{"pole inside", arctic, geo.Point{Lon: 33, Lat: 90}, true},
		{"round the pole", arctic, geo.Point{Lon: -135, Lat: 80}, true},
		{"south of it", arctic, geo.Point{Lon: -135, Lat: 60}, false},
		{"south pole inside", antarctic, geo.Point{Lon: 1, Lat: -90}, true},
		{"north of the southern one", antarctic, geo.Point{Lon: 1, Lat: -60}, false},
		{"no rings", nil, geo.Point{}, false},
		{"zero area", geo.Polygon{ring(1, 1, 1, 1)}, geo.Point{Lon: 2, Lat: 1}, false},
	} {
		if got := row.in.Contains(row.at); got != row.want {
			t.Errorf("%s: Contains(%v) = %v", row.name, row.at, got)
		}
		if row.want && !row.in.Bounds().Contains(row.at) {
			t.Errorf("%s: Bounds %v does not hold %v", row.name, row.in.Bounds(), row.at)
		}
	}
}

// stars draws polygons whose corners lie at rising angles round a middle: simple ones, of any shape.
func stars() *rapid.Generator[geo.Polygon] {
	return rapid.Custom(func(t *rapid.T) geo.Polygon {
		middle := geo.Point{Lon: rapid.Float64Range(-180, 180).Draw(t, "lon"), Lat: rapid.Float64Range(-60, 60).Draw(t, "lat")}
		reach := rapid.SliceOfN(rapid.Float64Range(0.5, 20), 3, 30).Draw(t, "reach")
		var r []geo.Point
		for i, d := range reach {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(len(reach)))
			r = append(r, geo.Point{Lon: middle.Lon + d*cos, Lat: middle.Lat + d*sin}.Normalized())
		}
		return geo.Polygon{append(r, r[0])}
	})
}

func TestPolygonLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, p := stars().Draw(t, "polygon"), anywhere().Draw(t, "p")
		got := g.Contains(p)
		if got && !g.Bounds().Contains(p) {
			t.Fatalf("holds %v, its bounds %v do not", p, g.Bounds())
		}
		back := geo.Polygon{append([]geo.Point(nil), g[0]...)}
		for i, j := 0, len(back[0])-1; i < j; i, j = i+1, j-1 {
			back[0][i], back[0][j] = back[0][j], back[0][i]
		}
		if back.Contains(p) != got {
			t.Fatalf("the winding decides about %v", p)
		}
		// Whole degrees keep the differences exact but for the rounding of the corners themselves.
		turn := float64(rapid.IntRange(-360, 360).Draw(t, "turn"))
		moved := geo.Polygon{make([]geo.Point, len(g[0]))}
		for i, v := range g[0] {
			moved[0][i] = turned(v, turn)
		}
		if q := turned(p, turn); moved.Contains(q) != got && !nearBorder(g, p) {
			t.Fatalf("turned by %v: Contains(%v) = %v", turn, q, !got)
		}
	})
}

// nearBorder reports whether p is so near an edge that rounding decides on which side it lies. It measures: steps to the four sides miss
// a corner that is sharper than a right angle.
func nearBorder(g geo.Polygon, p geo.Point) bool {
	const tiny = 1e-9 // degrees
	seen := func(q geo.Point) geo.Vector {
		return geo.Vector{X: math.Remainder(q.Lon-p.Lon, 360), Y: q.Lat - p.Lat}
	}
	for i, q := range g[0][1:] {
		if (geo.Vector{}).EdgeDistance(seen(g[0][i]), seen(q)) < tiny {
			return true
		}
	}
	return false
}

func TestCircle(t *testing.T) {
	for _, row := range []struct {
		name string
		c    geo.Circle
		at   geo.Point
		want bool
	}{
		{"middle", geo.Circle{Radius: 1}, geo.Point{}, true},
		{"date line", geo.Circle{Center: geo.Point{Lon: 179.99}, Radius: 5000}, geo.Point{Lon: -179.99}, true},
		{"pole", geo.Circle{Center: geo.Point{Lat: 89.99}, Radius: 5000}, geo.Point{Lon: 180, Lat: 89.99}, true},
		{"outside", geo.Circle{Center: geo.Point{Lon: 10, Lat: 56}, Radius: 1000}, geo.Point{Lon: 10.1, Lat: 56}, false},
		{"zero radius", geo.Circle{}, geo.Point{}, true},
	} {
		if got := row.c.Contains(row.at); got != row.want {
			t.Errorf("%s: Contains = %v", row.name, got)
		}
		if row.want && !row.c.Bounds().Contains(row.at) {
			t.Errorf("%s: Bounds %v does not hold it", row.name, row.c.Bounds())
		}
	}
}

func TestLineBounds(t *testing.T) {
	l := geo.Line{{Lon: 170, Lat: 1}, {Lon: -170, Lat: 2}, {Lon: 175, Lat: 5}}
	if got, want := l.Bounds(), (geo.Rect{West: 170, South: 1, East: -170, North: 5}); got != want {
		t.Errorf("Bounds = %v, want %v", got, want)
	}
	if l.Contains(l[0]) {
		t.Error("a line has an inside")
	}
	if got, want := l.Length(), geo.Distance(l[0], l[1])+geo.Distance(l[1], l[2]); got != want {
		t.Errorf("Length = %v, want %v", got, want)
	}
	if (geo.Line{}).Length() != 0 || (geo.Line{{Lon: 1}}).Length() != 0 {
		t.Error("a line of one point has a length")
	}
}

func BenchmarkPolygonContains(b *testing.B) {
	for _, n := range []int{16, 1000} {
		var r []geo.Point
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			r = append(r, geo.Point{Lon: 10 + cos, Lat: 56 + sin})
		}
		g := geo.Polygon{append(r, r[0])}
		b.Run(map[int]string{16: "16", 1000: "1000"}[n], func(b *testing.B) {
			p := geo.Point{Lon: 10.3, Lat: 56.2}
			for b.Loop() {
				if !g.Contains(p) {
					b.Fatal("outside")
				}
			}
		})
	}
}

func BenchmarkDistance(b *testing.B) {
	b.ReportAllocs()
	p, q := geo.Point{Lon: 10, Lat: 56}, geo.Point{Lon: 10.01, Lat: 56.01}
	for b.Loop() {
		if d := geo.Distance(p, q); d < 1200 || d > 1300 {
			b.Fatalf("%v m", d)
		}
	}
}
