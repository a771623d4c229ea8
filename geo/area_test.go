package geo_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
)

// An area says of every place what its polygon says, at the date line, at holes, at corners and round a pole.
func TestAnAreaContainsWhatItsPolygonContains(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		west, wide := rapid.SampledFrom([]float64{-180, 0, 10.5, 150, 179}).Draw(r, "west"), rapid.SampledFrom([]float64{0.001, 1, 40, 170}).Draw(r, "wide")
		lon := rapid.Custom(func(r *rapid.T) float64 {
			share := float64(rapid.IntRange(0, 8).Draw(r, "lon")) / 8
			return math.Remainder(west+share*wide, 360)
		})
		lat := rapid.Map(rapid.IntRange(-8, 8), func(n int) float64 { return float64(n) * 10 })
		point := rapid.Custom(func(r *rapid.T) geo.Point { return geo.Point{Lon: lon.Draw(r, "x"), Lat: lat.Draw(r, "y")} })
		var g geo.Polygon
		for range rapid.IntRange(1, 4).Draw(r, "rings") {
			points := rapid.SliceOfN(point, 3, 60).Draw(r, "ring")
			g = append(g, append(points, points[0]))
		}
		if rapid.IntRange(0, 4).Draw(r, "pole") == 0 {
			g[0] = ring(-150, 60, -30, 61, 90, 60)
		}
		area, bounds := geo.NewArea(g), g.Bounds()
		for range 40 {
			at := point.Draw(r, "at")
			if rapid.Bool().Draw(r, "between") {
				at.Lon, at.Lat = math.Remainder(at.Lon+wide/16, 360), at.Lat+5
			}
			if got, want := area.Contains(at), bounds.Contains(at) && g.Contains(at); got != want {
				t.Fatalf("%v in %v: %v, want %v", at, g, got, want)
			}
		}
	})
}

// Of a coast with 10,000 points a place is compared with few edges; of a comb whose edges lie above one another with all.
func TestTheCostOfAnArea(t *testing.T) {
	var coast, comb []geo.Point
	for i := range 5000 {
		angle := 2 * math.Pi * float64(i) / 5000
		coast = append(coast, geo.Point{Lon: 10 + math.Cos(angle), Lat: 56 + math.Sin(angle)})
		comb = append(comb, geo.Point{Lon: float64(i % 2), Lat: 50 + float64(i)/5000})
	}
	if cost := geo.NewArea(geo.Polygon{append(coast, coast[0])}).Cost(); cost < 2 || cost > 200 {
		t.Errorf("a coast costs %d", cost)
	}
	if cost := geo.NewArea(geo.Polygon{append(comb, comb[0])}).Cost(); cost < 4000 || cost > 5000 {
		t.Errorf("a comb costs %d", cost)
	}
}
