package geo_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
)

func TestInside(t *testing.T) {
	bow := geo.Polygon{ring(0, 0, 4, 4, 4, 0, 0, 4)} // it crosses itself at (2, 2): a western and an eastern part
	star := geo.Polygon{ring(0, 3, 4, 3, 0.8, 0, 2, 5, 3.2, 0)}
	strait := geo.Polygon{ring(178, -2, -178, -2, -178, 2, 178, 2)}
	arctic := geo.Polygon{ring(0, 70, 90, 70, 179, 70, -90, 70)}
	wedge := geo.Polygon{ring(1, 0, 2, 2, 0, 2)}
	at := func(lon, lat float64) geo.Point { return geo.Point{Lon: lon, Lat: lat} }
	for _, row := range []struct {
		name     string
		in       geo.Polygon
		from, to geo.Point
		want     []float64
	}{
		{"in and out", basin(), at(-1, 0.5), at(7, 0.5), []float64{1. / 8, 5. / 8}},
		{"inside all the way", basin(), at(0.5, 0.5), at(3.5, 0.5), []float64{0, 1}},
		{"outside all the way", basin(), at(5, 0.5), at(6, 0.5), nil},
		{"beside it, and its bounds are met", wedge, at(0, 0), at(0.4, 0.4), nil},
		{"hole", basin(), at(-1, 2), at(5, 2), []float64{1. / 6, 2. / 6, 4. / 6, 5. / 6}},
		{"in the hole", basin(), at(1.5, 2), at(2.5, 2), nil},
		{"from the hole", basin(), at(2, 2), at(2, 6), []float64{1. / 4, 2. / 4}},
		{"vertex on the border touched from outside", wedge, at(-1, 0), at(3, 0), nil},
		{"vertex that leads in", wedge, at(1, -1), at(1, 1), []float64{0.5, 1}},
		{"corner to corner", basin(), at(-1, 5), at(5, -1), []float64{1. / 6, 2. / 6, 4. / 6, 5. / 6}},
		{"ends on the border", basin(), at(-1, 0.5), at(0, 0.5), nil},
		{"begins on the border", basin(), at(0, 0.5), at(0.5, 0.5), []float64{0, 1}},
		{"along the border", basin(), at(-1, 0), at(5, 0), []float64{1. / 6, 5. / 6}},
		{"along the border of the hole", basin(), at(0, 1), at(4, 1), []float64{0, 1}},
		{"self-crossing ring, through both parts", bow, at(-1, 1), at(5, 1), []float64{1. / 6, 2. / 6, 4. / 6, 5. / 6}},
		{"self-crossing ring, through the knot", bow, at(0, 2), at(4, 2), []float64{0, 1}},
		{"star, the middle is twice around", star, at(2, 2), at(2, 2.2), nil},
		{"standing inside", basin(), at(0.5, 0.5), at(0.5, 0.5), []float64{0, 1}},
		{"standing on the border", basin(), at(0, 0.5), at(0, 0.5), []float64{0, 1}},
		{"standing outside", basin(), at(5, 0.5), at(5, 0.5), nil},
		{"date line eastward", strait, at(177, 0), at(-177, 0), []float64{1. / 6, 5. / 6}},
		{"date line westward", strait, at(-179, 0), at(177, 0), []float64{0, 3. / 4}},
		{"an edge that begins far in the east", geo.Polygon{ring(100, -10, -100, 10, -100, 60, 100, 60)}, at(-40, -20), at(-140, 20), []float64{5. / 7, 1}},
		{"an edge that begins far in the west", geo.Polygon{ring(-100, -10, 100, 10, 100, 60, -100, 60)}, at(40, -20), at(140, 20), []float64{5. / 7, 1}},
		{"round the pole", arctic, at(45, 60), at(45, 80), []float64{0.5, 1}},
		{"no rings", nil, at(0, 0), at(1, 1), nil},
		{"a ring without points", geo.Polygon{nil}, at(0, -2), at(1, 2), nil},
		{"nowhere", basin(), at(181, 91), at(1, 1), nil},
		{"not a number", basin(), at(math.NaN(), 0), at(1, 1), nil},
	} {
		if got := row.in.Inside(row.from, row.to); !alike(ends(got), row.want) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

// ends returns the fractions at which parts begin and end.
func ends(spans []geo.Span) (all []float64) {
	for _, s := range spans {
		all = append(all, s.From, s.To)
	}
	return all
}

func alike(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-9 {
			return false
		}
	}
	return true
}

func TestInsideCircle(t *testing.T) {
	center := geo.Point{Lon: 179.99, Lat: 56}
	area := geo.NewArea(geo.Circle{Center: center, Radius: 1000})
	west, east := geo.Destination(center, 270, 3000), geo.Destination(center, 90, 3000)
	for _, row := range []struct {
		name     string
		from, to geo.Point
		want     []float64
	}{
		{"through the middle, over the date line", west, east, []float64{2. / 6, 4. / 6}},
		{"in", west, center, []float64{2. / 3, 1}},
		{"out", center, east, []float64{0, 1. / 3}},
		{"beside", geo.Destination(west, 0, 1200), geo.Destination(east, 0, 1200), nil},
		{"standing", center, center, []float64{0, 1}},
	} {
		got := area.Inside(row.from, row.to, nil)
		if len(got) != len(row.want)/2 || len(got) == 1 && (math.Abs(got[0].From-row.want[0]) > 1e-6 || math.Abs(got[0].To-row.want[1]) > 1e-6) {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

// tangles draws a polygon of any shape over any meridian: rings that cross themselves, with holes anywhere, of few or of many corners.
func tangles(rnd *rand.Rand) (geo.Polygon, func() geo.Point) {
	middle := geo.Point{Lon: 360*rnd.Float64() - 180, Lat: 140*rnd.Float64() - 70}
	size := []float64{0.01, 1, 15}[rnd.IntN(3)]
	grid := rnd.IntN(3) == 0 // corners and legs meet exactly
	place := func() geo.Point {
		x, y := 2*rnd.Float64()-1, 2*rnd.Float64()-1
		if grid {
			x, y = math.Round(4*x)/4, math.Round(4*y)/4
		}
		return geo.Point{Lon: middle.Lon + size*x, Lat: middle.Lat + size*y}.Normalized()
	}
	var g geo.Polygon
	for range 1 + rnd.IntN(3) {
		var r []geo.Point
		for range 3 + rnd.IntN([]int{5, 60}[rnd.IntN(2)]) {
			r = append(r, place())
		}
		g = append(g, append(r, r[0]))
	}
	return g, place
}

// TestInsideAgreesWithContains asks many places of each leg, and holds the parts against them. A place near the border proves nothing.
func TestInsideAgreesWithContains(t *testing.T) {
	legs, inside := 0, 0
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		g, place := tangles(rnd)
		area := geo.NewArea(g)
		for range 6 {
			a, b := place(), place()
			spans := area.Inside(a, b, nil)
			legs, inside = legs+1, inside+len(spans)
			checkSpans(t, seed, spans)
			for range 200 {
				frac := rnd.Float64()
				at := geo.Point{Lon: a.Lon + frac*geo.Point{Lon: b.Lon - a.Lon}.Normalized().Lon, Lat: a.Lat + frac*(b.Lat-a.Lat)}.Normalized()
				if holds(spans, frac) != g.Contains(at) && !onBorder(g, at) {
					t.Fatalf("seed %d: %v to %v at %v: %v", seed, a, b, frac, spans)
				}
			}
		}
	}
	if inside < legs {
		t.Errorf("only %d parts of %d legs", inside, legs)
	}
}

// onBorder reports whether a place lies on an edge, as far as rounding can tell.
func onBorder(g geo.Polygon, at geo.Point) bool {
	from := func(p geo.Point) geo.Vector {
		return geo.Vector{X: geo.Point{Lon: p.Lon - at.Lon}.Normalized().Lon, Y: p.Lat - at.Lat}
	}
	for _, r := range g {
		for i := 1; i < len(r); i++ {
			if (geo.Vector{}).EdgeDistance(from(r[i-1]), from(r[i])) < 1e-9 {
				return true
			}
		}
	}
	return false
}

// TestInsideCircleAgreesWithContains does the same with circles.
func TestInsideCircleAgreesWithContains(t *testing.T) {
	found := 0
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		c := geo.Circle{Center: geo.Point{Lon: 360*rnd.Float64() - 180, Lat: 160*rnd.Float64() - 80}, Radius: 100 + 50_000*rnd.Float64()}
		place := func() geo.Point { return geo.Destination(c.Center, 360*rnd.Float64(), 2*c.Radius*rnd.Float64()) }
		a, b := place(), place()
		spans := geo.NewArea(c).Inside(a, b, nil)
		found += len(spans)
		checkSpans(t, seed, spans)
		for range 200 {
			frac := rnd.Float64()
			at := geo.Point{Lon: a.Lon + frac*geo.Point{Lon: b.Lon - a.Lon}.Normalized().Lon, Lat: a.Lat + frac*(b.Lat-a.Lat)}.Normalized()
			if holds(spans, frac) != c.Contains(at) && math.Abs(geo.Distance(c.Center, at)-c.Radius) > 0.01 {
				t.Fatalf("seed %d: %v: %v to %v at %v: %v", seed, c, a, b, frac, spans)
			}
		}
	}
	if found < 100 {
		t.Errorf("only %d parts", found)
	}
}

func holds(spans []geo.Span, frac float64) bool {
	for _, s := range spans {
		if frac >= s.From && frac < s.To {
			return true
		}
	}
	return false
}

func checkSpans(t *testing.T, seed uint64, spans []geo.Span) {
	t.Helper()
	before := -1.0
	for _, s := range spans {
		if !(s.From > before && s.From >= 0 && s.From < s.To && s.To <= 1) {
			t.Fatalf("seed %d: %v are not in order", seed, spans)
		}
		before = s.To
	}
}

// TestCrossingsOfATrack counts the crossings of a closed ring: a track that begins and ends outside goes in as often as out, and its
// crossings are where the parts inside begin and end.
func TestCrossingsOfATrack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := stars().Draw(t, "polygon")
		a, b := g[0][0], g[0][len(g[0])/2]
		a.Lat, b.Lat = a.Lat+rapid.Float64Range(-9, 9).Draw(t, "a"), b.Lat+rapid.Float64Range(-9, 9).Draw(t, "b")
		if !a.Valid() || !b.Valid() || nearBorder(g, a) || nearBorder(g, b) {
			return
		}
		all := geo.Crossings(a, b, geo.Line(g[0]))
		if odd := len(all)%2 == 1; odd != (g.Contains(a) != g.Contains(b)) {
			t.Fatalf("%d crossings", len(all))
		}
		for _, cut := range ends(g.Inside(a, b)) {
			near := math.Min(cut, 1-cut)
			for _, c := range all {
				near = math.Min(near, math.Abs(c.Frac-cut))
			}
			if near > 1e-7 {
				t.Fatalf("nothing crosses at %v: %v", cut, all)
			}
		}
		frac, along, right, ok := geo.Crosses(a, b, geo.Line(g[0]))
		if ok != (len(all) > 0) || ok && (all[0].Frac != frac || all[0].Along != along || all[0].LeftToRight != right) {
			t.Fatalf("Crosses tells %v %v %v %v, Crossings %v", frac, along, right, ok, all)
		}
	})
}

func TestCrossings(t *testing.T) {
	zigzag := geo.Line{{Lon: 0, Lat: 0}, {Lon: 1, Lat: 2}, {Lon: 2, Lat: 0}, {Lon: 3, Lat: 2}}
	all := geo.Crossings(geo.Point{Lon: 4, Lat: 1}, geo.Point{Lon: 0, Lat: 1}, zigzag)
	want := []struct {
		frac  float64
		right bool
		edge  int
	}{{3. / 8, false, 2}, {5. / 8, true, 1}, {7. / 8, false, 0}}
	if len(all) != len(want) {
		t.Fatalf("line crossed thrice by one leg: %v", all)
	}
	for i, w := range want {
		c := all[i]
		along := zigzag[:w.edge+1].Length() + geo.Distance(zigzag[w.edge], c.At)
		if math.Abs(c.Frac-w.frac) > 1e-12 || c.LeftToRight != w.right || c.Edge != w.edge || c.Along != along {
			t.Errorf("crossing %d: %+v, want %v", i, c, w)
		}
	}
}

// TestCrossingsFarAway crosses edges that run over the far side of the earth, seen from the leg.
func TestCrossingsFarAway(t *testing.T) {
	east := geo.Line{{Lon: 100, Lat: -10}, {Lon: -100, Lat: 10}}
	for _, side := range []float64{1, -1} {
		line := geo.Line{{Lon: side * east[0].Lon, Lat: -10}, {Lon: side * east[1].Lon, Lat: 10}}
		all := geo.Crossings(geo.Point{Lon: -40 * side, Lat: -20}, geo.Point{Lon: -140 * side, Lat: 20}, line)
		if len(all) != 1 || math.Abs(all[0].Frac-5./7) > 1e-12 || all[0].LeftToRight != (side < 0) {
			t.Errorf("%v: %+v", line, all)
		}
		if more := geo.Crossings(geo.Point{Lon: -40 * side, Lat: -20}, geo.Point{Lon: 40 * side, Lat: 20}, line); len(more) != 0 {
			t.Errorf("%v on the other side of the earth: %+v", line, more)
		}
	}
}

// TestAFixOnTheLineIsCrossedOnce sails over a line with a fix on it, in the units of AIS, at places that are not whole in binary.
func TestAFixOnTheLineIsCrossedOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	ais := func(x, y int) geo.Point { return geo.Point{Lon: float64(x) / 600000, Lat: float64(y) / 600000} }
	for i := range 20_000 {
		x, y := rnd.IntN(200_000_000)-100_000_000, rnd.IntN(80_000_000)-40_000_000
		if i%2 == 0 { // where the longitudes are not of one size, so that their differences are rounded
			x, y = x%9000, y%9000
		}
		dx, dy := rnd.IntN(9000)-4500, 1+rnd.IntN(9000)
		before, on, after := ais(x-dy, y+dx), ais(x, y), ais(x+dy, y-dx)
		for _, line := range []geo.Line{{ais(x-dx, y-dy), on, ais(x+dx, y+dy)}, {ais(x-dx, y-dy), ais(x+3*dx, y+3*dy)}} {
			whole, parts := geo.Crossings(before, after, line), len(geo.Crossings(before, on, line))+len(geo.Crossings(on, after, line))
			if len(whole) != 1 || parts != 1 {
				t.Fatalf("%d crossings by one leg, %d by two: %v", len(whole), parts, line)
			}
		}
	}
}

// FuzzInside holds that no leg and no ring makes the clipping fail, and that its parts are in order.
func FuzzInside(f *testing.F) {
	f.Add(uint64(1), 0.0, 0.0, 1.0, 1.0)
	f.Add(uint64(2), 179.0, 89.0, -179.0, -90.0)
	f.Add(uint64(3), math.Inf(1), math.NaN(), 181.0, 91.0)
	f.Fuzz(func(t *testing.T, seed uint64, aLon, aLat, bLon, bLat float64) {
		g, place := tangles(rand.New(rand.NewPCG(seed, 3)))
		a, b := geo.Point{Lon: aLon, Lat: aLat}, geo.Point{Lon: bLon, Lat: bLat}
		if seed%2 == 1 {
			g[0][0], g[0][len(g[0])-1] = a, a
		}
		circle := geo.Circle{Center: place(), Radius: 5000}
		for _, leg := range [][2]geo.Point{{a, b}, {place(), b}, {a, place()}} {
			checkSpans(t, seed, g.Inside(leg[0], leg[1]))
			checkSpans(t, seed, geo.NewArea(circle).Inside(leg[0], leg[1], nil))
			geo.Crossings(leg[0], leg[1], geo.Line(g[0]))
		}
	})
}
