//go:build !race

package chart_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// The land is used where the binary has it: opening it takes no memory to speak of.
func TestLoadCopiesNothing(t *testing.T) {
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			load(b)
		}
	})
	if got := result.AllocedBytesPerOp(); got > 1024 {
		t.Errorf("Load takes %d bytes", got)
	}
}

func TestLand(t *testing.T) {
	c := load(t)
	for _, row := range []struct {
		name string
		at   geo.Point
		want bool
	}{
		{"Aarhus, basin of the old harbour", geo.Point{Lon: 10.2216, Lat: 56.1582}, false},
		{"Aarhus, between the piers", geo.Point{Lon: 10.2320, Lat: 56.1515}, false},
		{"Aarhus, container pier", geo.Point{Lon: 10.2400, Lat: 56.1502}, true},
		{"Aarhus, cathedral", geo.Point{Lon: 10.2105, Lat: 56.1569}, true},
		{"Aarhus, bay", geo.Point{Lon: 10.30, Lat: 56.14}, false},
		{"Maasvlakte, Beerkanaal", geo.Point{Lon: 4.0800, Lat: 51.9635}, false},
		{"Maasvlakte, terminal", geo.Point{Lon: 4.0050, Lat: 51.9550}, true},
		{"Kiel canal mouth, fjord", geo.Point{Lon: 10.16, Lat: 54.367}, false},
		{"Kiel, town", geo.Point{Lon: 10.12, Lat: 54.32}, true},
		{"Elbe below Hamburg", geo.Point{Lon: 9.80, Lat: 53.5350}, false},
		{"Fiji, Vanua Levu", geo.Point{Lon: 179.3, Lat: -16.6}, true},
		{"Fiji, Taveuni on 180", geo.Point{Lon: -179.98, Lat: -16.82}, true},
		{"Fiji, Koro sea", geo.Point{Lon: 179.9, Lat: -17.9}, false},
		{"Chukotka west of 180", geo.Point{Lon: 179.9, Lat: 67.5}, true},
		{"Chukotka east of 180", geo.Point{Lon: -179.9, Lat: 67.5}, true},
		{"Chukotka on 180", geo.Point{Lon: 180, Lat: 67.5}, true},
		{"Chukotka on -180", geo.Point{Lon: -180, Lat: 67.5}, true},
		{"Wrangel island", geo.Point{Lon: -179.5, Lat: 71.2}, true},
		{"Bering sea on 180", geo.Point{Lon: 180, Lat: 60}, false},
		{"south pole", geo.Point{Lon: 0, Lat: -90}, true},
		{"south pole on 180", geo.Point{Lon: 180, Lat: -90}, true},
		{"Antarctica at 86 S", geo.Point{Lon: 77, Lat: -86}, true},
		{"north pole", geo.Point{Lon: 0, Lat: 90}, false},
		{"zero", geo.Point{}, false},
		{"Atlantic", geo.Point{Lon: -30, Lat: 40}, false},
		{"Sahara", geo.Point{Lon: 10, Lat: 25}, true},
		{"Vänern", geo.Point{Lon: 13.3, Lat: 58.9}, false},
		{"not available", geo.Point{Lon: 181, Lat: 91}, false},
	} {
		if got := c.Land(row.at); got != row.want {
			t.Errorf("%s: Land(%v) = %v, want %v", row.name, row.at, got, row.want)
		}
	}
}

func TestLegCrossesLand(t *testing.T) {
	c := load(t)
	for _, row := range []struct {
		name string
		a, b geo.Point
		want bool
	}{
		{"Aarhus to Samsø by sea", geo.Point{Lon: 10.30, Lat: 56.14}, geo.Point{Lon: 10.50, Lat: 55.98}, false},
		{"over Jutland", geo.Point{Lon: 7.5, Lat: 56.0}, geo.Point{Lon: 10.4, Lat: 56.1}, true},
		{"over one pier of Aarhus", geo.Point{Lon: 10.2320, Lat: 56.1515}, geo.Point{Lon: 10.2700, Lat: 56.1515}, true},
		{"begins on land", geo.Point{Lon: 10.2105, Lat: 56.1569}, geo.Point{Lon: 10.30, Lat: 56.14}, true},
		{"wholly on land", geo.Point{Lon: 10, Lat: 25}, geo.Point{Lon: 11, Lat: 26}, true},
		{"zero length at sea", geo.Point{Lon: -30, Lat: 40}, geo.Point{Lon: -30, Lat: 40}, false},
		{"zero length on land", geo.Point{Lon: 10, Lat: 25}, geo.Point{Lon: 10, Lat: 25}, true},
		{"Pacific over 180", geo.Point{Lon: 170, Lat: 40}, geo.Point{Lon: -170, Lat: 42}, false},
		{"Pacific over 180, back", geo.Point{Lon: -170, Lat: 42}, geo.Point{Lon: 170, Lat: 40}, false},
		{"over Chukotka and 180", geo.Point{Lon: 179, Lat: 70.2}, geo.Point{Lon: -179, Lat: 65.3}, true},
		{"over Wrangel island on 180", geo.Point{Lon: 176, Lat: 71.1}, geo.Point{Lon: -176, Lat: 71.1}, true},
		{"along 180 over Rabi, where the chart is cut", geo.Point{Lon: -180 + 4.2e-8, Lat: -16.8 + 1.5/180}, geo.Point{Lon: -180 + 4.4e-8, Lat: -15.8 + 1.5/180}, true},
		{"along 180 in the Bering sea", geo.Point{Lon: 180, Lat: 55}, geo.Point{Lon: -180, Lat: 60}, false},
		{"Atlantic", geo.Point{Lon: -60, Lat: 38}, geo.Point{Lon: -12, Lat: 45}, false},
		{"over America", geo.Point{Lon: -130, Lat: 40}, geo.Point{Lon: -60, Lat: 40}, true},
		{"to the north pole", geo.Point{Lon: 0, Lat: 84}, geo.Point{Lon: 0, Lat: 90}, false},
		{"to the south pole", geo.Point{Lon: 170, Lat: -70}, geo.Point{Lon: 170, Lat: -90}, true},
		{"not available", geo.Point{Lon: 181, Lat: 91}, geo.Point{Lon: 10, Lat: 25}, false},
	} {
		if got := c.LegCrossesLand(row.a, row.b); got != row.want {
			t.Errorf("%s: LegCrossesLand = %v", row.name, got)
		}
		if got := c.LegCrossesLand(row.b, row.a); got != row.want {
			t.Errorf("%s, backward: LegCrossesLand = %v", row.name, got)
		}
	}
}

// What Land says of places along a leg and what LegCrossesLand says of the leg must agree.
func TestLegAgreesWithLand(t *testing.T) {
	c := load(t)
	rapid.Check(t, func(t *rapid.T) {
		a := geo.Point{Lon: rapid.Float64Range(-180, 180).Draw(t, "lon"), Lat: rapid.Float64Range(-80, 85).Draw(t, "lat")}
		if coast := rapid.SampledFrom(coasts()).Draw(t, "coast"); rapid.Bool().Draw(t, "near a coast") {
			a = geo.Point{Lon: coast.Lon + a.Lon/360, Lat: coast.Lat + a.Lat/180}.Normalized()
		}
		size := math.Pow(10, rapid.Float64Range(-3, 1).Draw(t, "size"))
		dLon, dLat := rapid.Float64Range(-1, 1).Draw(t, "dlon")*size, rapid.Float64Range(-1, 1).Draw(t, "dlat")*size
		b := geo.Point{Lon: a.Lon + dLon, Lat: max(-90, min(90, a.Lat+dLat))}.Normalized()
		if c.LegCrossesLand(a, b) != c.LegCrossesLand(b, a) {
			t.Fatal("the direction decides")
		}
		if c.LegCrossesLand(a, b) {
			return
		}
		for f := 0.0; f <= 1; f += 1.0 / 512 {
			p := geo.Point{Lon: a.Lon + f*dLon, Lat: a.Lat + f*(b.Lat-a.Lat)}.Normalized()
			if c.Land(p) && !grazing(c, p) {
				t.Fatalf("%v on the way from %v to %v is land", p, a, b)
			}
		}
	})
}

// coasts are places where much coast is.
func coasts() []geo.Point {
	return []geo.Point{{Lon: 10.2, Lat: 56.1}, {Lon: 5.2, Lat: 60.4}, {Lon: 4, Lat: 51.9}, {Lon: 180, Lat: -16.8}, {Lon: 180, Lat: 68},
		{Lon: -73, Lat: -50}, {Lon: 22, Lat: 60.2}}
}

// grazing reports whether the coast lies within centimetres, where rounding decides.
func grazing(c *chart.Chart, p geo.Point) bool {
	const tiny = 4e-7
	for _, d := range []geo.Point{{Lon: tiny}, {Lon: -tiny}, {Lat: tiny}, {Lat: -tiny}} {
		if !c.Land(geo.Point{Lon: p.Lon + d.Lon, Lat: p.Lat + d.Lat}) {
			return true
		}
	}
	return false
}

func BenchmarkLand(b *testing.B) {
	c := load(b)
	for _, row := range []struct {
		name string
		at   geo.Point
		land bool
	}{{"ocean", geo.Point{Lon: -30, Lat: 40}, false}, {"Aarhus", geo.Point{Lon: 10.2216, Lat: 56.1582}, false}, {"Bergen", geo.Point{Lon: 5.2, Lat: 60.4}, true},
		{"Turku", geo.Point{Lon: 22, Lat: 60.2}, true}} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.Land(row.at) != row.land {
					b.Fatal("land and sea are mixed up")
				}
			}
		})
	}
}

func BenchmarkLegCrossesLand(b *testing.B) {
	c := load(b)
	for _, row := range []struct {
		name string
		a, b geo.Point
	}{
		{"200m", geo.Point{Lon: 10.2216, Lat: 56.1582}, geo.Point{Lon: 10.2230, Lat: 56.1575}},
		{"10nm", geo.Point{Lon: 10.30, Lat: 56.14}, geo.Point{Lon: 10.50, Lat: 55.98}},
		{"Atlantic", geo.Point{Lon: -60, Lat: 38}, geo.Point{Lon: -12, Lat: 45}},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.LegCrossesLand(row.a, row.b) {
					b.Fatal("crosses land")
				}
			}
		})
	}
}
