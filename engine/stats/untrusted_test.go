package stats

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// TestNoLegLeadsToALie: what a lying receiver told is in no leg, of all ships and of those that are named. The same places trusted are.
func TestNoLegLeadsToALie(t *testing.T) {
	for _, mark := range []ship.Mark{0, ship.Untrusted} {
		b := newBench(t, legsOf("area", nil, func(*legs) {}), legsOf("sogdist", []ais.MMSI{219000001}, func(*legs) {}))
		track, want := ship.Track{}, 29
		for n := range 30 {
			f := ship.Fix{At: noon().Add(-3*time.Hour + time.Duration(n)*3*time.Minute).UnixMilli(), Lon: 6_000_000, Lat: 33_600_000, Status: ais.StatusMoored}
			if n >= 12 && n < 17 {
				f.Lat, f.Mark = f.Lat+30_000, mark
			}
			track = append(track, f)
		}
		if mark != 0 {
			want -= 5 // one leads from the last place at the berth to the next there
		}
		b.put(219000001, track)
		for _, kind := range []string{"area", "sogdist"} {
			got, _ := b.asked(kind, "", everybody)
			if len(got) != want {
				t.Errorf("%s with mark %d: %d legs, want %d", kind, mark, len(got), want)
			}
		}
	}
}
