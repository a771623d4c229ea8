package traffic_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// The picture against a map and a loop: random reports, silence and questions, with many places at the date line and
// the poles.
func TestPictureAgainstModel(t *testing.T) {
	lons := []float64{-180, -179.999, -179, -10, 0, 10, 10.004, 10.006, 179, 179.999, 180}
	lats := []float64{-90, -89, -1, 0, 54, 54.004, 54.006, 89.99, 90}
	rapid.Check(t, func(t *rapid.T) {
		p := traffic.New(traffic.DefaultConfig())
		model := map[ais.MMSI]ship.Fix{}
		drawPlace := func() (lat, lon float64) {
			return rapid.SampledFrom(lats).Draw(t, "lat"), rapid.SampledFrom(lons).Draw(t, "lon")
		}
		seconds := 0.0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			seconds++
			lat, lon := drawPlace()
			m := ais.MMSI(970000000 + rapid.IntRange(0, 12).Draw(t, "ship")) // no plausibility
			p.Apply(batch(heard(position(m, at(lat, lon)), seconds)))
			if lat != 0 || lon != 0 {
				s, _ := p.Ship(m)
				model[m] = s.Fix
			}
			south, west := drawPlace()
			north, east := drawPlace()
			r := geo.Rect{West: west, East: east, South: min(south, north), North: max(south, north)}
			var want []ais.MMSI
			for m, fix := range model {
				if r.Contains(fix.Point()) {
					want = append(want, m)
				}
			}
			slices.Sort(want)
			if got := inside(p, r); !slices.Equal(got, want) {
				t.Fatalf("within %+v: %v, want %v", r, got, want)
			}
		}
		count := 0
		p.Each(func(s *ship.State) bool {
			if fix, ok := model[s.MMSI]; ok && fix != s.Fix {
				t.Fatalf("%d: %+v, want %+v", s.MMSI, s.Fix, fix)
			}
			count++
			return true
		})
		if count != p.Len() || count < len(model) {
			t.Fatalf("each gives %d, len %d, model %d", count, p.Len(), len(model))
		}
	})
}
