package statistic

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// TestMemoryIsOfTheShipsOfAnHour sails another ship through the area in each of 500 hours. What the counters hold does not grow.
func TestMemoryIsOfTheShipsOfAnHour(t *testing.T) {
	begin := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	period := Period{begin, begin.Add(500 * time.Hour)}
	line := geo.Line{{Lon: 10, Lat: 55}, {Lon: 10, Lat: 57}}
	area := AreaQuestion{period, geo.NewArea(geo.Polygon{{{Lon: 9.9, Lat: 55}, {Lon: 10.1, Lat: 55}, {Lon: 10.1, Lat: 57}, {Lon: 9.9, Lat: 55}}})}
	told := map[string]int{}
	visits := NewArea(area, func(Visit) { told["visits"]++ })
	grouped := NewGrouped(area, Day, func(Presence) { told["days"]++ })
	passages := NewPassages(PassageQuestion{period, line}, func(LineCrossing) { told["passages"]++ })
	chains := NewChains(ChainQuestion{Period: period, Lines: []geo.Line{line, {{Lon: 10.01, Lat: 55}, {Lon: 10.01, Lat: 57}}}}, func(Chain) { told["chains"]++ })
	for hour := range 500 {
		now := begin.Add(time.Duration(hour) * time.Hour)
		for _, c := range []Counter{visits, grouped, passages, chains} {
			c.Take(ais.MMSI(hour+1), across(now))
			c.Over(now.Add(time.Hour))
		}
		if len(visits.ships) > 2 || len(grouped.area.ships) > 2 || len(grouped.records) > 26 || len(passages.ships) > 1 || len(chains.ships) > 1 {
			t.Fatalf("hour %d: %d, %d, %d, %d, %d are held", hour, len(visits.ships), len(grouped.area.ships), len(grouped.records), len(passages.ships), len(chains.ships))
		}
	}
	for _, c := range []Counter{visits, grouped, passages, chains} {
		c.End()
	}
	for _, kind := range []string{"visits", "days", "passages", "chains"} {
		if told[kind] != 500 {
			t.Errorf("%d %s are told", told[kind], kind)
		}
	}
}

// across sails east over the lines for 40 minutes.
func across(from time.Time) (t ship.Track) {
	for i := range 5 {
		at := from.Add(time.Duration(i) * 10 * time.Minute)
		t = append(t, ship.Fix{At: at.UnixMilli(), Lon: int32(5_910_000 + 60_000*i), Lat: 55_500_000 * 6 / 10})
	}
	return t
}

// TestChainsAreBoundedByTheLines sails to and fro over the first two of three lines.
func TestChainsAreBoundedByTheLines(t *testing.T) {
	begin := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	q := ChainQuestion{Period: Period{begin, begin.AddDate(1, 0, 0)}, BothDirections: true}
	for _, lon := range []float64{10, 10.01, 20} {
		q.Lines = append(q.Lines, geo.Line{{Lon: lon, Lat: 55}, {Lon: lon, Lat: 57}})
	}
	chains := NewChains(q, func(Chain) { t.Error("a chain is told") })
	for i := range 1000 {
		at := begin.Add(time.Duration(i) * time.Minute)
		chains.Take(1, ship.Track{{At: at.UnixMilli(), Lon: int32(5_990_000 + i%2*20_000), Lat: 33_600_000}})
	}
	held := 0
	for _, way := range chains.ships[1].ways {
		for _, chain := range way {
			held += len(chain)
		}
	}
	if held > 1+2 {
		t.Errorf("%d crossings are held", held)
	}
}
