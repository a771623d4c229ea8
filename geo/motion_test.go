package geo_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/geo"
)

func TestCrosses(t *testing.T) {
	// A passage line to the north along 10° E, bent at 57° N; another over 180°.
	line := geo.Line{{Lon: 10, Lat: 56}, {Lon: 10, Lat: 57}, {Lon: 11, Lat: 58}}
	date := geo.Line{{Lon: 180, Lat: -1}, {Lon: -180, Lat: 1}}
	for _, row := range []struct {
		name        string
		a, b        geo.Point
		line        geo.Line
		ok, toRight bool
		frac        float64
	}{
		{"eastward", geo.Point{Lon: 9, Lat: 56.5}, geo.Point{Lon: 11, Lat: 56.5}, line, true, true, 0.5},
		{"westward", geo.Point{Lon: 10.2, Lat: 56.5}, geo.Point{Lon: 9.4, Lat: 56.5}, line, true, false, 0.25},
		{"south of its end", geo.Point{Lon: 9, Lat: 55.9}, geo.Point{Lon: 11, Lat: 55.9}, line, false, false, 0},
		{"short of it", geo.Point{Lon: 9, Lat: 56.5}, geo.Point{Lon: 9.9, Lat: 56.5}, line, false, false, 0},
		{"through the bend", geo.Point{Lon: 9, Lat: 57}, geo.Point{Lon: 11, Lat: 57}, line, true, true, 0.5},
		{"ends on it from the left", geo.Point{Lon: 9, Lat: 56.5}, geo.Point{Lon: 10, Lat: 56.5}, line, true, true, 1},
		{"goes on from it to the right", geo.Point{Lon: 10, Lat: 56.5}, geo.Point{Lon: 11, Lat: 56.5}, line, false, false, 0},
		{"goes back from it to the left", geo.Point{Lon: 10, Lat: 56.5}, geo.Point{Lon: 9, Lat: 56.5}, line, true, false, 0},
		{"ends on it from the right", geo.Point{Lon: 11, Lat: 56.5}, geo.Point{Lon: 10, Lat: 56.5}, line, false, false, 0},
		{"along it", geo.Point{Lon: 10, Lat: 56.2}, geo.Point{Lon: 10, Lat: 56.8}, line, false, false, 0},
		{"zero length", geo.Point{Lon: 10, Lat: 56.5}, geo.Point{Lon: 10, Lat: 56.5}, line, false, false, 0},
		{"date line eastward", geo.Point{Lon: 179, Lat: 0.5}, geo.Point{Lon: -179, Lat: 0.5}, date, true, true, 0.5},
		{"date line westward", geo.Point{Lon: -179, Lat: 0.5}, geo.Point{Lon: 179, Lat: 0.5}, date, true, false, 0.5},
		{"no line", geo.Point{Lon: 9}, geo.Point{Lon: 11}, nil, false, false, 0},
		{"duplicate vertex", geo.Point{Lon: 9, Lat: 56.5}, geo.Point{Lon: 11, Lat: 56.5},
			geo.Line{{Lon: 10, Lat: 56}, {Lon: 10, Lat: 56.5}, {Lon: 10, Lat: 56.5}, {Lon: 10, Lat: 57}}, true, true, 0.5},
	} {
		frac, along, toRight, ok := geo.Crosses(row.a, row.b, row.line)
		if ok != row.ok || toRight != row.toRight || math.Abs(frac-row.frac) > 1e-9 {
			t.Errorf("%s: frac %v, left to right %v, ok %v", row.name, frac, toRight, ok)
		}
		if got := row.line.CrossedBy(row.a, row.b); got != row.ok {
			t.Errorf("%s: crossed %v", row.name, got)
		}
		if !ok {
			continue
		}
		at := geo.Point{Lon: row.a.Lon + frac*math.Remainder(row.b.Lon-row.a.Lon, 360), Lat: row.a.Lat + frac*(row.b.Lat-row.a.Lat)}
		if want := geo.Distance(row.line[0], at); math.Abs(along-want) > 1 {
			t.Errorf("%s: along %v, want %v", row.name, along, want)
		}
	}
}

// TestCrossesCountsOnce: a track that begins left and ends right of a line crosses it once more to the right than to the left. The number
// of its fixes on the line does not matter.
func TestCrossesCountsOnce(t *testing.T) {
	line := geo.Line{{Lon: 180, Lat: -50}, {Lon: 180, Lat: 0}, {Lon: -180, Lat: 50}}
	rapid.Check(t, func(t *rapid.T) {
		track := []geo.Point{{Lon: 179, Lat: 10}}
		for range rapid.IntRange(0, 12).Draw(t, "fixes") {
			track = append(track, geo.Point{
				Lon: rapid.SampledFrom([]float64{179.5, 180, -180, -179.5}).Draw(t, "lon"),
				Lat: rapid.SampledFrom([]float64{-10, 0, 10}).Draw(t, "lat"),
			})
		}
		track = append(track, geo.Point{Lon: -179, Lat: -10})
		net := 0
		for i := 1; i < len(track); i++ {
			if _, _, toRight, ok := geo.Crosses(track[i-1], track[i], line); ok && toRight {
				net++
			} else if ok {
				net--
			}
		}
		if net != 1 {
			t.Fatalf("%v crosses %d times", track, net)
		}
	})
}

func TestCPA(t *testing.T) {
	mile := 1852.0
	at := func(from geo.Point, bearing, miles float64) geo.Point {
		return geo.Destination(from, bearing, miles*mile)
	}
	here := geo.Point{Lon: 10, Lat: 56}
	date := geo.Point{Lon: 179.99, Lat: -17}
	north := geo.Point{Lon: 20, Lat: 89.5}
	for _, row := range []struct {
		name   string
		a, b   geo.Motion
		ok     bool
		metres float64
		in     time.Duration
	}{
		{"head on", geo.Motion{here, 10, 0}, geo.Motion{at(here, 0, 10), 10, 180}, true, 0, 30 * time.Minute},
		{"parallel", geo.Motion{here, 10, 90}, geo.Motion{at(here, 0, 1), 10, 90}, true, mile, 0},
		{"moving apart", geo.Motion{here, 10, 180}, geo.Motion{at(here, 0, 1), 10, 0}, false, 0, 0},
		{"a crosses the bow of one at rest", geo.Motion{here, 10, 90}, geo.Motion{at(at(here, 90, 5), 0, 1), 0, math.NaN()}, true, mile, 30 * time.Minute},
		{"over the date line", geo.Motion{date, 12, 90}, geo.Motion{at(date, 90, 4), 12, 270}, true, 0, 10 * time.Minute},
		{"near the pole, through converging meridians", geo.Motion{north, 10, 0}, geo.Motion{geo.Point{Lon: -160, Lat: 89.5}, 10, 0}, true, 0, 3*time.Hour + 56*time.Second},
		{"same place", geo.Motion{here, 10, 0}, geo.Motion{here, 10, 180}, true, 0, 0},
		{"both at rest", geo.Motion{here, 0, 0}, geo.Motion{at(here, 45, 2), 0, 0}, true, 2 * mile, 0},
		{"speed not available", geo.Motion{here, 102.3, 0}, geo.Motion{here, 1, 0}, false, 0, 0},
		{"course not available", geo.Motion{here, 5, math.NaN()}, geo.Motion{here, 1, 0}, false, 0, 0},
	} {
		metres, in, ok := geo.CPA(row.a, row.b)
		if ok != row.ok || math.Abs(metres-row.metres) > 60 || math.Abs((in-row.in).Seconds()) > 30 {
			t.Errorf("%s: %.1f m in %v, %v; want %.1f m in %v, %v", row.name, metres, in, ok, row.metres, row.in, row.ok)
		}
	}
}

func TestCPALaws(t *testing.T) {
	motion := func(t *rapid.T, from geo.Point) geo.Motion {
		return geo.Motion{
			At:  geo.Destination(from, rapid.Float64Range(0, 360).Draw(t, "bearing"), rapid.Float64Range(0, 20000).Draw(t, "metres")),
			SOG: rapid.Float64Range(0, 30).Draw(t, "sog"), COG: rapid.Float64Range(0, 360).Draw(t, "cog"),
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		from := geo.Point{Lon: rapid.Float64Range(-180, 180).Draw(t, "lon"), Lat: rapid.Float64Range(-70, 70).Draw(t, "lat")}
		a, b := motion(t, from), motion(t, from)
		metres, _, ok := geo.CPA(a, b)
		if ok && metres > geo.Distance(a.At, b.At)+0.01 {
			t.Fatalf("closest %v is farther than now %v", metres, geo.Distance(a.At, b.At))
		}
		if back, _, okBack := geo.CPA(b, a); ok && okBack && math.Abs(back-metres) > 5+metres*0.001 {
			t.Fatalf("%v seen from a, %v from b", metres, back)
		}
	})
}

func TestSimplify(t *testing.T) {
	straight := geo.Line{{Lon: 179.9, Lat: 0}, {Lon: 180, Lat: 0}, {Lon: -179.9, Lat: 0}}
	if got := geo.Simplify(straight, 1); len(got) != 2 {
		t.Errorf("a straight line over 180° keeps %d points", len(got))
	}
	if got := geo.Simplify(nil, 1); len(got) != 0 {
		t.Errorf("no points become %d", len(got))
	}
	rapid.Check(t, func(t *rapid.T) {
		at := geo.Point{Lon: rapid.Float64Range(-180, 180).Draw(t, "lon"), Lat: rapid.Float64Range(-70, 70).Draw(t, "lat")}
		line := geo.Line{at}
		for _, b := range rapid.SliceOfN(rapid.Float64Range(0, 360), 1, 40).Draw(t, "bearings") {
			at = geo.Destination(at, b, 500)
			line = append(line, at)
		}
		const tolerance = 200
		thin := geo.Simplify(line, tolerance)
		if thin[0] != line[0] || thin[len(thin)-1] != line[len(line)-1] {
			t.Fatal("an end moved")
		}
		for _, p := range line {
			if d := fromLine(p, thin); d > tolerance*1.01 {
				t.Fatalf("%v lies %v m from the thin line", p, d)
			}
		}
	})
}

// fromLine returns the metres from a point to a line by trying fractions of each edge.
func fromLine(p geo.Point, line geo.Line) float64 {
	least := geo.Distance(p, line[0])
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		far := math.Remainder(b.Lon-a.Lon, 360)
		for f := 0.0; f <= 1; f += 1.0 / 256 {
			least = min(least, geo.Distance(p, geo.Point{Lon: a.Lon + f*far, Lat: a.Lat + f*(b.Lat-a.Lat)}))
		}
	}
	return least
}

// TestEntry holds where an edge enters an area, over the 180° meridian too.
func TestEntry(t *testing.T) {
	for _, x := range []struct{ a, b, centre geo.Point }{
		{geo.Point{Lon: 10, Lat: 56}, geo.Point{Lon: 11, Lat: 56}, geo.Point{Lon: 11, Lat: 56}},
		{geo.Point{Lon: 179.5, Lat: -20}, geo.Point{Lon: -179.5, Lat: -20}, geo.Point{Lon: -179.5, Lat: -20}},
	} {
		circle := geo.Circle{Center: x.centre, Radius: geo.Distance(x.a, x.b) / 4}
		if share := geo.Entry(x.a, x.b, circle.Contains); math.Abs(share-0.75) > 0.001 {
			t.Errorf("from %v to %v: %.4f, want 0.75", x.a, x.b, share)
		}
	}
}
