package geo_test

import (
	"math"
	"testing"

	"quaywatch/geo"
)

// BenchmarkAreaContains asks of places all over a coast of 10,000 points, and of a comb with as many.
func BenchmarkAreaContains(b *testing.B) {
	var coast, comb []geo.Point
	for i := range 9999 {
		angle := 2 * math.Pi * float64(i) / 9999
		coast = append(coast, geo.Point{Lon: 10 + math.Cos(angle), Lat: 56 + math.Sin(angle)})
		comb = append(comb, geo.Point{Lon: 9 + 2*float64(i%2), Lat: 55 + 2*float64(i)/9999})
	}
	for name, ring := range map[string][]geo.Point{"coast": coast, "comb": comb} {
		g := geo.Polygon{append(ring, ring[0])}
		b.Run("of a "+name, func(b *testing.B) {
			area, inside := geo.NewArea(g), 0
			for i := range b.N {
				if area.Contains(geo.Point{Lon: 9 + float64(i%997)/498.5, Lat: 55 + float64(i%991)/495.5}) {
					inside++
				}
			}
			if inside == 0 && b.N > 1000 {
				b.Error("no place is inside")
			}
			b.ReportMetric(float64(area.Cost()), "cost")
		})
		b.Run("index of a "+name, func(b *testing.B) {
			for b.Loop() {
				geo.NewArea(g)
			}
		})
	}
}
