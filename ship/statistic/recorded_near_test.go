package statistic_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// TestNearnessInRecordings asks of recorded waters for near misses, approaches to the middle of the traffic and the distribution of speed, and wants what trying and
// counting give. The Aegean tells no speed.
func TestNearnessInRecordings(t *testing.T) {
	for name, row := range map[string]struct {
		ships  func(*testing.T) fleet
		metres float64
		length time.Duration // of the question about near misses: trying takes long
	}{
		"kadetrenden": {func(t *testing.T) fleet { return recorded(t, "nmea/kadetrenden_2013-07-31.nmea.gz") }, 2000, 12 * time.Minute},
		"denmark":     {theSound, 1000, 5 * time.Minute},
		"aegean":      {aegean, 9000, 3 * 24 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			ships := row.ships(t)
			for m, track := range ships { // counting goes by whole seconds
				for i := range track {
					track[i].At -= track[i].At % 1000
				}
				ships[m] = slices.CompactFunc(track, func(a, b ship.Fix) bool { return a.At == b.At })
			}
			all := tracks(ships)
			period, middle, _ := middles(ships)
			near := nearnessOf(t, all, statistic.NearMissQuestion{
				Period: statistic.Period{Begin: period.Begin, End: period.Begin.Add(row.length)}, Area: geo.NewArea(squareAt(middle, 100_000)), Distance: row.metres,
			})
			point := statistic.NearPointQuestion{Period: period, Place: middle, Distance: 5000}
			found := approaches(point, all.whole)
			sameApproaches(t, name, found, slowApproaches(point, all))
			speeds := statistic.SOGQuestion{Period: period, Threshold: 1}
			days, want := sogDays(speeds, all.whole), slowSOGs(speeds, all)
			for i, g := range days {
				if i >= len(want) || g.MMSI != want[i].MMSI || g.Gap != want[i].Gap || !slices.Equal(g.Seconds, want[i].Seconds) {
					t.Fatalf("%+v, want %+v", g, want[min(i, len(want)-1)])
				}
			}
			if t.Logf("%d encounters, %d approaches, %d days", near, len(found), len(days)); len(found) == 0 || len(days) != len(want) {
				t.Errorf("%d approaches, %d days, want %d", len(found), len(days), len(want))
			}
		})
	}
}

// theSound returns the ships of five minutes in Denmark that are within 30 km of Copenhagen.
func theSound(t *testing.T) fleet {
	t.Helper()
	ships := recorded(t, "nmea/denmark_2013-11-12_pghp.txt.gz")
	maps.DeleteFunc(ships, func(_ ais.MMSI, track ship.Track) bool {
		return geo.Distance(track[0].Point(), geo.Point{Lon: 12.7, Lat: 55.75}) > 30_000
	})
	return ships
}

// nearnessOf compares near misses with trying, and returns their number.
func nearnessOf(t *testing.T, all tracks, q statistic.NearMissQuestion) int {
	t.Helper()
	got, rafted := misses(q, all.whole)
	parts, _ := misses(q, func(c statistic.Counter) { all.inHours(rand.New(rand.NewPCG(1, 1)), c) })
	want, slowly := slowMisses(q, all)
	if len(got) == 0 || rafted != slowly || !slices.Equal(parts, got) {
		t.Errorf("%d encounters, %d in hours; %d pairs that lay, want %d", len(got), len(parts), rafted, slowly)
	}
	sameMisses(t, t.Name(), got, want)
	return len(got)
}
