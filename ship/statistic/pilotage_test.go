package statistic_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// seaways are areas of a table: A from 10.4° to 10.6° east, B from 11° to 11.2°, O over a half of A, from 10.5° to 10.7°, and X, a bow tie in A.
func seaways(names string) (areas []*geo.Area) {
	for _, name := range names {
		west := map[rune]float64{'A': 10.4, 'B': 11, 'O': 10.5, 'X': 20}[name]
		ring := []geo.Point{{Lon: west, Lat: 55.9}, {Lon: west + 0.2, Lat: 55.9}, {Lon: west + 0.2, Lat: 56.1}, {Lon: west, Lat: 56.1}, {Lon: west, Lat: 55.9}}
		if name == 'X' { // a bow tie, which is narrow at 56° north
			ring = []geo.Point{{Lon: 10.4, Lat: 55.9}, {Lon: 10.6, Lat: 55.9}, {Lon: 10.4, Lat: 56.1}, {Lon: 10.6, Lat: 56.1}, {Lon: 10.4, Lat: 55.9}}
		}
		areas = append(areas, geo.NewArea(geo.Polygon{ring}))
	}
	return areas
}

// calls are meetings of the boat and the ship, each at an hour after midnight and at a longitude.
func calls(list ...[2]float64) tracks {
	all := tracks{}
	for _, one := range list {
		m := usual()
		m.start, m.begin, m.course = geo.Point{Lon: one[1], Lat: 56}, nearDay().Add(time.Duration(one[0]*float64(time.Hour))).UnixMilli(), 90
		for number, track := range m.tracks() {
			track[0].Mark |= ship.NewSegment
			all[number] = append(all[number], track...)
		}
	}
	return all
}

// TestPilotages: which operations of a ship belong together.
func TestPilotages(t *testing.T) {
	anyway := [][]time.Duration{{4 * time.Hour, 4 * time.Hour}, {4 * time.Hour, 4 * time.Hour}}
	for name, row := range map[string]struct {
		areas   string
		longest [][]time.Duration
		calls   tracks
		want    string // area and hour of both
	}{
		"from A to B":             {"AB", anyway, calls([2]float64{2, 10.5}, [2]float64{5, 11.1}), " 0@2-1@5"},
		"from B to A":             {"AB", anyway, calls([2]float64{2, 11.1}, [2]float64{5, 10.5}), " 1@2-0@5"},
		"in four hours":           {"AB", anyway, calls([2]float64{2, 10.5}, [2]float64{6, 11.1}), " 0@2-1@6"},
		"a moment later":          {"AB", anyway, calls([2]float64{2, 10.5}, [2]float64{6.0014, 11.1}), ""},
		"from A to A":             {"AB", anyway, calls([2]float64{2, 10.5}, [2]float64{4, 10.5}), " 0@2-0@4"},
		"from A to A not allowed": {"AB", [][]time.Duration{{0, time.Hour * 4}, {0, 0}}, calls([2]float64{2, 10.5}, [2]float64{4, 10.5}, [2]float64{6, 11.1}), " 0@4-1@6"},
		"back is not allowed":     {"AB", [][]time.Duration{{0, time.Hour * 4}, {0, 0}}, calls([2]float64{2, 11.1}, [2]float64{4, 10.5}), ""},
		"elsewhere between":       {"AB", anyway, calls([2]float64{2, 10.5}, [2]float64{3, 10.8}, [2]float64{5, 11.1}), " 0@2-1@5"},
		"three in a row":          {"AB", anyway, calls([2]float64{2, 10.5}, [2]float64{4, 11.1}, [2]float64{6, 10.5}), " 0@2-1@4 1@4-0@6"},
		"the first that holds it": {"AO", anyway, calls([2]float64{2, 10.55}, [2]float64{4, 10.65}), " 0@2-1@4"},
		"beside a bow tie":        {"XB", anyway, calls([2]float64{2, 10.5}, [2]float64{5, 11.1}), ""},
		"over midnight":           {"AB", anyway, calls([2]float64{22, 10.5}, [2]float64{25, 11.1}), " 0@22-1@25"},
		"begun in the period":     {"AB", anyway, calls([2]float64{23.9, 10.5}, [2]float64{25, 11.1}), ""},
	} {
		whole := wholeDay()
		q := statistic.PilotageQuestion{Period: whole, Areas: seaways(row.areas), Longest: row.longest,
			Transfers: statistic.TransferQuestion{Period: statistic.Period{Begin: whole.Begin, End: whole.End.Add(4 * time.Hour)}, Boats: row.calls.numbers()[:1], Known: bigHull}}
		got := ""
		hour := func(o statistic.Operation) int64 { return (o.At() - nearDay().UnixMilli()) / 3600_000 }
		row.calls.whole(statistic.NewPilotages(q, func(p statistic.Pilotage) {
			got += fmt.Sprintf(" %d@%d-%d@%d", p[0].Area, hour(p[0]), p[1].Area, hour(p[1]))
			if len(p.Moments()) != 16 {
				t.Errorf("%s: %d moments", name, len(p.Moments()))
			}
		}))
		if got != row.want {
			t.Errorf("%s:%s, want%s", name, got, row.want)
		}
	}
}

// TestTwoBoatsAtOneShip: a second boat comes while the first is alongside. It makes no operation of its own, also where the period begins between both.
func TestTwoBoatsAtOneShip(t *testing.T) {
	all := calls([2]float64{2, 10.5}, [2]float64{5, 11.1})
	second := slices.DeleteFunc(slices.Clone(all[pilotBoat]), func(f ship.Fix) bool { return f.At < clock(2, 11, 40) })
	all[servedToo] = second
	hours := [][]time.Duration{{4 * time.Hour, 4 * time.Hour}, {4 * time.Hour, 4 * time.Hour}}
	for begin, want := range map[int64]int{clock(2, 10, 0): 1, clock(2, 10, 0) + 1: 0} {
		q := statistic.PilotageQuestion{Period: statistic.Period{Begin: time.UnixMilli(begin), End: wholeDay().End}, Areas: seaways("AB"), Longest: hours,
			Transfers: statistic.TransferQuestion{Boats: []ais.MMSI{pilotBoat, servedToo}, Known: bigHull}}
		q.Transfers.Period = q.Reading()
		var found []statistic.Pilotage
		all.whole(statistic.NewPilotages(q, func(p statistic.Pilotage) { found = append(found, p) }))
		if len(found) != want || want == 1 && (found[0][0].At() != clock(2, 10, 0) || found[0][1].At() != clock(5, 10, 0)) {
			t.Errorf("from %d: %d pilotages, want %d: %+v", begin, len(found), want, found)
		}
	}
}
