package statistic_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// sogDays answers a question, in the order of ships and days.
func sogDays(q statistic.SOGQuestion, feed func(statistic.Counter)) (found []statistic.SOGDay) {
	feed(statistic.NewSOGs(q, func(d statistic.SOGDay) { found = append(found, d) }))
	slices.SortFunc(found, func(a, b statistic.SOGDay) int {
		return cmp.Or(cmp.Compare(a.MMSI, b.MMSI), a.Day.Compare(b.Day))
	})
	return found
}

// TestSOGIndex has every tenth up to 2.9 kn, as the specification gives the first form of its rule.
func TestSOGIndex(t *testing.T) {
	want := []int{0, 0, 0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6}
	for tenths, index := range want {
		if got := statistic.SOGIndex(tenths); got != index {
			t.Errorf("%d.%d kn has index %d, want %d", tenths/10, tenths%10, got, index)
		}
		sogs := sogDays(statistic.SOGQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(24 * time.Hour)}},
			tracks{1: {nearFix(clock(1, 0, 0), 10, 55, float64(tenths)/10, 0), nearFix(clock(1, 0, 7), 10, 55, 0, 0)}}.whole)
		if len(sogs) != 1 || len(sogs[0].Seconds) != index+1 || sogs[0].Seconds[index] != 7 || sogs[0].Gap != 0 {
			t.Errorf("%d.%d kn: %+v", tenths/10, tenths%10, sogs)
		}
	}
}

// slowSOGs counts second by second; all reports are of whole seconds.
func slowSOGs(q statistic.SOGQuestion, all tracks) (found []statistic.SOGDay) {
	for _, m := range all.numbers() {
		days, i := map[int64]*statistic.SOGDay{}, -1
		track := all[m]
		for now := q.Period.Begin.UnixMilli(); now < q.Period.End.UnixMilli(); now += 1000 {
			for i+1 < len(track) && track[i+1].At <= now {
				i++
			}
			if i < 0 || i+1 == len(track) || q.Area != nil && !q.Area.Contains(track[i].Point()) {
				continue
			}
			date := time.UnixMilli(now).UTC().Truncate(24 * time.Hour)
			d := days[date.Unix()]
			if d == nil {
				d = &statistic.SOGDay{MMSI: m, Day: date}
				days[date.Unix()] = d
			}
			slowSecond(q, d, track[i], now)
		}
		for _, d := range days {
			if len(d.Seconds) > 0 {
				found = append(found, *d)
			}
		}
	}
	slices.SortFunc(found, func(a, b statistic.SOGDay) int {
		return cmp.Or(cmp.Compare(a.MMSI, b.MMSI), a.Day.Compare(b.Day))
	})
	return found
}

func slowSecond(q statistic.SOGQuestion, d *statistic.SOGDay, f ship.Fix, now int64) {
	knots := float64(f.SOG-1) / 10
	index, lasts := int(math.Floor((knots+0.2)/0.5+1e-9)), int64(600_000)
	if knots < q.Threshold {
		index, lasts = 0, 1800_000
	}
	if f.SOG == 0 || now-f.At >= lasts {
		d.Gap++
		return
	}
	for len(d.Seconds) <= index {
		d.Seconds = append(d.Seconds, 0)
	}
	d.Seconds[index]++
}

// TestSOGsAgainstCounting compares the answers about invented tracks of three days with counting each second.
func TestSOGsAgainstCounting(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	middle := geo.Point{Lon: 180, Lat: 60}
	all := invented(r, 10, middle, 20_000, 400, nearDay(), 60)
	for m, track := range all {
		for i := range track {
			track[i].At -= track[i].At % 1000
		}
		all[m] = slices.DeleteFunc(track, func(f ship.Fix) bool { return m%3 == 0 && f.At > clock(20, 0, 0) && f.At < clock(51, 0, 0) }) // over a day
	}
	period := statistic.Period{Begin: nearDay().Add(5*time.Hour + 7*time.Second), End: nearDay().Add(58*time.Hour + 3*time.Second)}
	for _, q := range []statistic.SOGQuestion{
		{Period: period, Threshold: statistic.DefaultThreshold}, {Period: period}, {Period: period, Threshold: 5.5},
		{Period: period, Threshold: 1, Area: geo.NewArea(squareAt(middle, 8000))},
	} {
		got, want := sogDays(q, all.whole), slowSOGs(q, all)
		if len(got) != len(want) || len(got) < 15 {
			t.Fatalf("threshold %v: %d days, want %d", q.Threshold, len(got), len(want))
		}
		for i, g := range got {
			if w := want[i]; g.MMSI != w.MMSI || g.Day != w.Day || g.Gap != w.Gap || !slices.Equal(g.Seconds, w.Seconds) {
				t.Fatalf("threshold %v: %d on %s: %v, gap %d; want %v, gap %d", q.Threshold, g.MMSI, g.Day, g.Seconds, g.Gap, w.Seconds, w.Gap)
			}
		}
		if parts := sogDays(q, func(c statistic.Counter) { all.inHours(r, c) }); !reflect.DeepEqual(parts, got) {
			t.Errorf("threshold %v: %d days in hours, %d as a whole", q.Threshold, len(parts), len(got))
		}
	}
}

// TestSOGs has the cases by name.
func TestSOGs(t *testing.T) {
	at := func(h, m, s int, knots float64) ship.Fix { return nearFix(clock(h, m, s), 10, 55, knots, 0) }
	begin := nearDay()
	type day struct {
		sogs []int64
		gap  int64
	}
	sogs := func(index int, seconds int64) []int64 { return append(make([]int64, index), seconds) }
	for _, row := range []struct {
		name  string
		track ship.Track
		end   time.Time
		days  []day
	}{
		{"no second report", ship.Track{at(1, 0, 0, 9)}, begin.Add(24 * time.Hour), nil},
		{"ten minutes under way, then a gap", ship.Track{at(1, 0, 0, 5), at(1, 30, 0, 5)}, begin.Add(24 * time.Hour), []day{{sogs(10, 600), 1200}}},
		{"half an hour at rest, then a gap", ship.Track{at(1, 0, 0, 0.9), at(2, 0, 0, 5)}, begin.Add(24 * time.Hour), []day{{sogs(0, 1800), 1800}}},
		{"over midnight", ship.Track{at(23, 58, 0, 5), at(24, 3, 0, 5)}, begin.Add(48 * time.Hour), []day{{sogs(10, 120), 0}, {sogs(10, 180), 0}}},
		{"silent for two days", ship.Track{at(23, 0, 0, 5), at(73, 0, 0, 1), at(73, 0, 10, 1)}, begin.Add(96 * time.Hour),
			[]day{{sogs(10, 600), 3000}, {sogs(2, 10), 3600}}},
		{"before the period", ship.Track{at(-1, 55, 0, 5), at(0, 2, 0, 5)}, begin.Add(24 * time.Hour), []day{{sogs(10, 120), 0}}},
		{"after the period", ship.Track{at(0, 58, 0, 5), at(1, 2, 0, 5)}, begin.Add(time.Hour), []day{{sogs(10, 120), 0}}},
		{"speed not known", ship.Track{at(1, 0, 0, -1), at(1, 1, 0, 5), at(1, 2, 0, 5)}, begin.Add(24 * time.Hour), []day{{sogs(10, 60), 60}}},
		{"speed never known", ship.Track{at(1, 0, 0, -1), at(1, 1, 0, -1)}, begin.Add(24 * time.Hour), nil},
		{"102.2 kn", ship.Track{at(1, 0, 0, 102.2), at(1, 1, 0, 5)}, begin.Add(24 * time.Hour), []day{{sogs(204, 60), 0}}},
	} {
		got := sogDays(statistic.SOGQuestion{Period: statistic.Period{Begin: begin, End: row.end}, Threshold: 1}, tracks{1: row.track}.whole)
		if len(got) != len(row.days) {
			t.Errorf("%s: %+v", row.name, got)
			continue
		}
		for i, d := range got {
			if w := row.days[i]; d.Gap != w.gap || !slices.Equal(d.Seconds, w.sogs) || len(d.Moments()) == 0 {
				t.Errorf("%s: %+v, want %+v", row.name, d, w)
			}
		}
	}
}

// TestSOGDayTellsItsMoments: each set of feeds and each source of a quarter of an hour is among the moments once.
func TestSOGDayTellsItsMoments(t *testing.T) {
	var track ship.Track
	for i, feeds := range []ship.FeedSet{1, 1, 2, 1, 2, 2, 7} {
		f := nearFix(clock(1, i, 0), 10, 55, 3, 0)
		f.Feeds = feeds
		if i == 5 {
			f.Mark = ship.BySatellite
		}
		track = append(track, f)
	}
	track = append(track, nearFix(clock(1, 16, 0), 10, 55, 3, 0), nearFix(clock(1, 17, 0), 10, 55, 3, 0))
	got := sogDays(statistic.SOGQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(time.Hour * 24)}}, tracks{1: track}.whole)
	var times []int64
	for _, m := range got[0].Moments() {
		times = append(times, (m.Fix.At-clock(1, 0, 0))/60_000)
	}
	if !slices.Equal(times, []int64{0, 2, 5, 6, 16}) {
		t.Errorf("moments after %v minutes", times)
	}
}

// TestSOGsOfARecording compares the Solent, in whole seconds, with counting.
func TestSOGsOfARecording(t *testing.T) {
	all := solent(t)
	for m, track := range all {
		for i := range track {
			track[i].At -= track[i].At % 1000
		}
		all[m] = slices.CompactFunc(track, func(a, b ship.Fix) bool { return a.At == b.At })
	}
	begin := time.Date(2016, 1, 12, 13, 0, 0, 0, time.UTC)
	q := statistic.SOGQuestion{Period: statistic.Period{Begin: begin, End: begin.Add(3 * time.Hour)}, Threshold: 1}
	got, want := sogDays(q, all.whole), slowSOGs(q, all)
	seconds, ships := int64(0), map[ais.MMSI]bool{}
	for i, g := range got {
		ships[g.MMSI] = true
		for _, n := range g.Seconds {
			seconds += n
		}
		if i >= len(want) || g.MMSI != want[i].MMSI || g.Gap != want[i].Gap || !slices.Equal(g.Seconds, want[i].Seconds) {
			t.Fatalf("%+v, want %+v", g, want[min(i, len(want)-1)])
		}
	}
	t.Logf("%d ships, %d seconds", len(ships), seconds)
	if len(got) != len(want) || len(got) < 50 {
		t.Errorf("%d days, want %d", len(got), len(want))
	}
}
