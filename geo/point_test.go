package geo_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
)

// anywhere draws points of the whole earth, with the date line, the poles and zero among them.
func anywhere() *rapid.Generator[geo.Point] {
	return rapid.Custom(func(t *rapid.T) geo.Point {
		return geo.Point{
			Lon: rapid.OneOf(rapid.Float64Range(-180, 180), rapid.SampledFrom([]float64{-180, 180, 0, 179.999999, -179.999999})).Draw(t, "lon"),
			Lat: rapid.OneOf(rapid.Float64Range(-90, 90), rapid.SampledFrom([]float64{-90, 90, 0})).Draw(t, "lat"),
		}
	})
}

// turned moves a point round the earth's axis.
func turned(p geo.Point, degrees float64) geo.Point {
	return geo.Point{Lon: p.Lon + degrees, Lat: p.Lat}.Normalized()
}

func TestValid(t *testing.T) {
	for _, row := range []struct {
		name string
		at   geo.Point
		want bool
	}{
		{"zero", geo.Point{}, true},
		{"date line", geo.Point{Lon: 180}, true},
		{"pole", geo.Point{Lat: -90}, true},
		{"AIS not available", geo.Point{Lon: 181, Lat: 91}, false},
		{"beyond the pole", geo.Point{Lat: 90.0001}, false},
		{"NaN", geo.Point{Lon: math.NaN()}, false},
		{"infinite", geo.Point{Lat: math.Inf(1)}, false},
	} {
		if got := row.at.Valid(); got != row.want {
			t.Errorf("%s: Valid() = %v, want %v", row.name, got, row.want)
		}
	}
}

func TestNormalized(t *testing.T) {
	for in, want := range map[float64]float64{0: 0, 180: -180, -180: -180, 181: -179, -181: 179, 540: -180, 720: 0, -180.5: 179.5} {
		if got := (geo.Point{Lon: in}).Normalized().Lon; math.Abs(got-want) > 1e-9 {
			t.Errorf("Normalized(%v) = %v, want %v", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		lon := rapid.Float64Range(-1e6, 1e6).Draw(t, "lon")
		if got := (geo.Point{Lon: lon}).Normalized().Lon; got < -180 || got >= 180 {
			t.Fatalf("Normalized(%v) = %v", lon, got)
		}
	})
}

// The distances are GeographicLib's (JFK to LHR is the example of its documentation; a quarter of the meridian and of
// the equator are constants of the ellipsoid).
func TestDistance(t *testing.T) {
	for _, row := range []struct {
		name string
		a, b geo.Point
		want float64
	}{
		{"JFK to LHR", geo.Point{Lon: -73.8, Lat: 40.6}, geo.Point{Lon: -0.5, Lat: 51.6}, 5551759.400},
		{"quarter meridian", geo.Point{}, geo.Point{Lat: 90}, 10001965.729},
		{"a degree over the date line on the equator", geo.Point{Lon: 179.5}, geo.Point{Lon: -179.5}, 111319.491},
		{"zero length", geo.Point{Lon: 10, Lat: 56}, geo.Point{Lon: 10, Lat: 56}, 0},
		{"one place on 180 by two names", geo.Point{Lon: 180, Lat: 5}, geo.Point{Lon: -180, Lat: 5}, 0},
		{"a hair south of the equator, half way round", geo.Point{Lat: -3e-18}, geo.Point{Lon: 180, Lat: -3e-18}, 20003931.459},
		{"one pole by two names", geo.Point{Lon: 12, Lat: 90}, geo.Point{Lon: -77, Lat: 90}, 0},
	} {
		if got := geo.Distance(row.a, row.b); math.Abs(got-row.want) > 0.001 {
			t.Errorf("%s: %.4f, want %.4f", row.name, got, row.want)
		}
	}
}

func TestDistanceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := anywhere().Draw(t, "a"), anywhere().Draw(t, "b"), anywhere().Draw(t, "c")
		ab := geo.Distance(a, b)
		if back := geo.Distance(b, a); math.Abs(ab-back) > 1e-6 {
			t.Fatalf("there %v, back %v", ab, back)
		}
		if round := geo.Distance(a, c) + geo.Distance(c, b); ab > round+1e-6 {
			t.Fatalf("direct %v is longer than %v", ab, round)
		}
		turn := rapid.Float64Range(-360, 360).Draw(t, "turn")
		if other := geo.Distance(turned(a, turn), turned(b, turn)); math.Abs(ab-other) > 1e-3 {
			t.Fatalf("turned by %v: %v instead of %v", turn, other, ab)
		}
	})
}

func TestBearing(t *testing.T) {
	at := geo.Point{Lon: 179.99, Lat: 10}
	for _, row := range []struct {
		name string
		to   geo.Point
		want float64
	}{
		{"north", geo.Point{Lon: 179.99, Lat: 11}, 0},
		{"south", geo.Point{Lon: 179.99, Lat: 9}, 180},
		{"east over the date line", geo.Point{Lon: -179.99, Lat: 10}, 90},
		{"zero length", at, 0},
	} {
		if got := geo.Bearing(at, row.to); math.Abs(got-row.want) > 0.01 {
			t.Errorf("%s: %v, want %v", row.name, got, row.want)
		}
	}
}

func TestDestinationIsInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := anywhere().Draw(t, "from")
		bearing := rapid.Float64Range(0, 360).Draw(t, "bearing")
		metres := rapid.Float64Range(0, 1e7).Draw(t, "metres")
		to := geo.Destination(from, bearing, metres)
		if !to.Valid() {
			t.Fatalf("Destination = %v", to)
		}
		if got := geo.Distance(from, to); math.Abs(got-metres) > 1e-5 {
			t.Fatalf("%v metres away, want %v", got, metres)
		}
		if math.Abs(from.Lat) > 89.9 || metres < 1 {
			return // no bearing at a pole or to the same place
		}
		if d := math.Remainder(geo.Bearing(from, to)-bearing, 360); math.Abs(d) > 1e-4 {
			t.Fatalf("bearing is off by %v", d)
		}
	})
}

// TestFartherIsDistance holds the bounds against the ellipsoid: over the whole earth, and over legs that are about as long as what is asked.
func TestFartherIsDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := anywhere().Draw(t, "a"), anywhere().Draw(t, "b")
		if rapid.Bool().Draw(t, "leg") {
			length := rapid.OneOf(rapid.Float64Range(0, 3_000), rapid.Float64Range(0, 300_000)).Draw(t, "length")
			b = geo.Destination(a, rapid.Float64Range(0, 360).Draw(t, "course"), length)
		}
		exact := geo.Distance(a, b)
		for _, times := range []float64{0, 0.5, 0.99, 0.996, 0.9999, 1, 1.0001, 1.004, 1.01, 1.5, 3} {
			for _, more := range []float64{0, 1, -exact} {
				metres := times*exact + more
				if got := geo.Farther(a, b, metres); got != (exact > metres) {
					t.Fatalf("from %v to %v it is %v m, and farther than %v m is %v", a, b, exact, metres, got)
				}
			}
		}
	})
}

// TestFartherBeyondThePoles holds that a place which is none is never farther, as its distance is no number.
func TestFartherBeyondThePoles(t *testing.T) {
	if none := (geo.Point{Lon: 181, Lat: 91}); geo.Farther(geo.Point{}, none, 10) || geo.Farther(none, geo.Point{}, -10) {
		t.Error("AIS's \"not available\" is farther than 10 m")
	}
}
