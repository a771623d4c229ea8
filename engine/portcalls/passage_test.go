//go:build !race

package portcalls

import (
	"math"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store"
)

// TestTheWholeWay: a position each hour, 0.1° apart. The positions at both ends count, also where the way takes whole days.
func TestTheWholeWay(t *testing.T) {
	db, err := store.Open(store.Options{Dir: t.TempDir(), FullRate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	from := time.Date(2026, 11, 18, 22, 0, 0, 0, time.UTC)
	var track ship.Track
	for hour := range 60 {
		lon := geo.Point{Lon: 177 + 0.1*float64(hour), Lat: 0}.Normalized().Lon // over the date line
		track = append(track, ship.Fix{At: from.Add(time.Duration(hour) * time.Hour).UnixMilli(), Lon: int32(math.Round(lon / ais.PlaceUnit)), SOG: ais.SOGTenths(60 + hour)})
	}
	if _, err := db.ImportTracks([]store.Imported{{MMSI: 219000001, Class: ship.ClassA, Fixes: track}}); err != nil {
		t.Fatal(err)
	}
	one := geo.Distance(geo.Point{Lon: 10}, geo.Point{Lon: 10.1})
	for _, hours := range []int{1, 23, 24, 25, 47, 48, 49} {
		p, err := passage(t.Context(), db, 219000001, from, from.Add(time.Duration(hours)*time.Hour))
		if way := float64(hours) * one; err != nil || math.Abs(p.Metres-way) > 1 || p.Gap != time.Duration(hours)*time.Hour || p.MaxSOG != 6+float64(hours)/10 {
			t.Errorf("%d hours: %+v, %v; want %.0f m", hours, p, err, way)
		}
	}
}
