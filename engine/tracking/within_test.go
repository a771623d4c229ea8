package tracking

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// TestWhenALegIsInAnArea: a report on the border is inside, and what leaves from there leaves with it.
func TestWhenALegIsInAnArea(t *testing.T) {
	area := geo.NewArea(geo.Polygon{{{Lon: 10, Lat: 54}, {Lon: 11, Lat: 54}, {Lon: 11, Lat: 55}, {Lon: 10, Lat: 55}, {Lon: 10, Lat: 54}}})
	at := func(ms int64, lat float64) ship.Fix {
		return ship.Fix{At: ms, Lon: int32(10.5 / ais.PlaceUnit), Lat: int32(lat / ais.PlaceUnit)}
	}
	for _, row := range []struct {
		from, to    float64
		first, last int64
		ok          bool
	}{
		{54.98, 55.02, 60_000, 90_000, true},
		{55, 55.02, 60_000, 60_000, true},
		{55.02, 55, 120_000, 120_000, true},
		{55.02, 54.98, 90_000, 120_000, true},
		{55.02, 55.01, 120_000, 120_000, false},
	} {
		first, last, ok := within(area, ship.Leg{From: at(60_000, row.from), To: at(120_000, row.to)})
		if ok != row.ok || ok && (int64(first) != row.first || int64(last) != row.last) {
			t.Errorf("from %v to %v: %d to %d, %t", row.from, row.to, first, last, ok)
		}
	}
}
