package statistic_test

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/ship/statistic"
)

// recorded returns the tracks of the ships of a log, merged as the live picture merges them.
func recorded(t *testing.T, name string) fleet {
	t.Helper()
	type heard struct {
		state ship.State
		gate  ship.Gate
	}
	ships, tracks, limits := map[ais.MMSI]*heard{}, fleet{}, ship.DefaultLimits()
	d, pool := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock}), ais.NewPool(1)
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	take := func(fill func(b *ais.Batch)) {
		b := pool.Get()
		fill(b)
		for i := range b.Reports {
			m := b.Reports[i].Message.Head().MMSI
			if ships[m] == nil {
				ships[m] = &heard{}
			}
			out := ship.Merge(&ships[m].state, ships[m].gate, &b.Reports[i], &limits)
			ships[m].state, ships[m].gate = out.Now, out.Gate
			if out.Change&ship.ChangedFix != 0 {
				tracks[m] = append(tracks[m], out.Fix)
			}
		}
		b.Release()
	}
	for lines := bufio.NewScanner(shiptest.Recording(t, name)); lines.Scan(); {
		take(func(b *ais.Batch) { d.Line(b, lines.Bytes(), now) })
	}
	take(func(b *ais.Batch) { d.Flush(b, now) })
	for m, track := range tracks {
		slices.SortStableFunc(track, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
		tracks[m] = slices.CompactFunc(track, func(a, b ship.Fix) bool { return a.At == b.At })
	}
	return tracks
}

// middles returns the time of the fleet, its middle place by fixes, and half of the degrees in which half of the fixes lie.
func middles(ships fleet) (p statistic.Period, at geo.Point, wide geo.Point) {
	var lons, lats []float64
	var times []int64
	for _, track := range ships {
		for _, f := range track {
			lons, lats, times = append(lons, f.Point().Lon), append(lats, f.Point().Lat), append(times, f.At)
		}
	}
	slices.Sort(lons)
	slices.Sort(lats)
	n := len(lons)
	p = statistic.Period{Begin: time.UnixMilli(slices.Min(times)).UTC(), End: time.UnixMilli(slices.Max(times) + 1).UTC()}
	return p, whole(geo.Point{Lon: lons[n/2], Lat: lats[n/2]}), geo.Point{Lon: (lons[3*n/4] - lons[n/4]) / 2, Lat: (lats[3*n/4] - lats[n/4]) / 2}
}

// aegean returns five ships in nine days, which tell no speed. A row has the number of a ship, longitude, latitude and the second.
func aegean(t *testing.T) fleet {
	t.Helper()
	ships := fleet{}
	for lines := bufio.NewScanner(shiptest.Recording(t, "csv/aegean_5ships_9days.txt.gz")); lines.Scan(); {
		var m ais.MMSI
		var lon, lat float64
		var second int64
		if _, err := fmt.Sscan(lines.Text(), &m, &lon, &lat, &second); err != nil {
			t.Fatal(err)
		}
		ships[m] = append(ships[m], nearFix(second*1000, lon, lat, -1, -1))
	}
	for m, track := range ships {
		slices.SortStableFunc(track, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
		ships[m] = slices.CompactFunc(track, func(a, b ship.Fix) bool { return a.At == b.At })
	}
	return ships
}

// TestRecordedShips asks of recorded days what brute force knows: visits to the middle of the traffic, passages of a line through it,
// and passages over two lines. Parts of ten minutes give what the whole gives.
func TestRecordedShips(t *testing.T) {
	logged := func(name string) func(*testing.T) fleet {
		return func(t *testing.T) fleet { return recorded(t, "nmea/"+name) }
	}
	for name, ships := range map[string]func(*testing.T) fleet{
		"kadetrenden": logged("kadetrenden_2013-07-31.nmea.gz"), "sanfrancisco": logged("sanfrancisco_bay_2008-07-14.nmea.gz"),
		"ijsselmeer": logged("ijsselmeer_2016-08-15.nmea.gz"), "denmark": logged("denmark_2013-11-12_pghp.txt.gz"),
		"solent": func(t *testing.T) fleet { return fleet(solent(t)) }, "aegean": aegean,
	} {
		t.Run(name, func(t *testing.T) {
			ships := ships(t)
			period, middle, wide := middles(ships)
			place := func(x, y float64) geo.Point {
				return whole(geo.Point{Lon: middle.Lon + x*wide.Lon, Lat: middle.Lat + y*wide.Lat})
			}
			polygon := geo.Polygon{{place(-1, -1), place(1.1, -1), place(0.9, 1), place(-1, 0.9), place(-1, -1)}, {place(-0.1, 0), place(0, 0.1), place(0.1, -0.1), place(-0.1, 0)}}
			visits := recordedVisits(t, ships, statistic.AreaQuestion{Period: period, Area: geo.NewArea(polygon)}, polygon, middle)
			lines := []geo.Line{{place(-0.3, -3), place(-0.2, 0), place(-0.3, 3)}, {place(0.3, -3), place(0.3, 3)}}
			passages := recordedPassages(t, ships, statistic.PassageQuestion{Period: period, Line: lines[0]}, middle)
			q := statistic.ChainQuestion{Period: period, Lines: lines, MaxDuration: time.Hour, BothDirections: true}
			chained := chainsOf(q, ships, 0)
			if got := chainsOf(q, ships, 10*time.Minute); !reflect.DeepEqual(got, chained) {
				t.Errorf("chains in parts: %v\nwhole: %v", got, chained)
			}
			t.Logf("%d ships from %v to %v: %d visits, %d passages, %d over two lines", len(ships), period.Begin, period.End, visits, passages, len(chained))
			if visits < 5 || passages < 3 {
				t.Errorf("only %d visits, %d passages", visits, passages)
			}
		})
	}
}

func recordedVisits(t *testing.T, ships fleet, q statistic.AreaQuestion, polygon geo.Polygon, base geo.Point) (total int) {
	t.Helper()
	whole := visitsOf(q, ships, 0)
	if got := visitsOf(q, ships, 10*time.Minute); !reflect.DeepEqual(got, whole) {
		t.Errorf("visits in parts differ: %d, whole %d", len(got), len(whole))
	}
	for _, m := range slices.Sorted(maps.Keys(ships)) {
		b := brute{base: base, polygon: polygon, begin: q.Period.Begin.UnixMilli(), end: q.Period.End.UnixMilli(), track: ships[m]}
		got := visitsOf(q, fleet{m: ships[m]}, 0)
		sameVisits(t, uint64(m), got, b.visits())
		total += len(got)
	}
	if total != len(whole) {
		t.Errorf("%d visits of each ship, %d of all", total, len(whole))
	}
	return total
}

func recordedPassages(t *testing.T, ships fleet, q statistic.PassageQuestion, base geo.Point) (total int) {
	t.Helper()
	if got, whole := passagesOf(q, ships, 10*time.Minute), passagesOf(q, ships, 0); !reflect.DeepEqual(got, whole) {
		t.Errorf("passages in parts differ: %d, whole %d", len(got), len(whole))
	}
	for m, track := range ships {
		got, want := passagesOf(q, fleet{m: track}, 0), steady(track, hits(base, track, q.Line))
		if total += len(got); len(got) != len(want) {
			t.Errorf("%d: %d passages, want %d", m, len(got), len(want))
			continue
		}
		for i, p := range got {
			if sameTime(t, "passage", p.Fix.At, want[i].at); p.LeftToRight != want[i].right {
				t.Errorf("%d: %+v, want %+v", m, p, want[i])
			}
		}
	}
	return total
}
