package statistic_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// approaches answers a question, in the order of time and ships.
func approaches(q statistic.NearPointQuestion, feed func(statistic.Counter)) (found []statistic.NearPass) {
	feed(statistic.NewNearPoint(q, func(a statistic.NearPass) { found = append(found, a) }))
	inTime(found)
	return found
}

func inTime(found []statistic.NearPass) {
	slices.SortFunc(found, func(a, b statistic.NearPass) int {
		return cmp.Or(cmp.Compare(a.Ship.MMSI, b.Ship.MMSI), cmp.Compare(a.At, b.At))
	})
}

// slowApproaches answers it by trying many times of each leg.
func slowApproaches(q statistic.NearPointQuestion, all tracks) (found []statistic.NearPass) {
	for m, track := range all {
		if len(q.Team) > 0 && !slices.Contains(q.Team, m) {
			continue
		}
		var best *statistic.NearPass
		end := func() {
			if best != nil {
				found = append(found, *best)
			}
			best = nil
		}
		for i, f := range track {
			if i == 0 {
				continue
			}
			l := ship.Leg{From: track[i-1], To: f}
			if l.Duration() > 30*time.Minute {
				end()
			}
			from, to := max(l.From.At, q.Period.Begin.UnixMilli()), min(l.To.At, q.Period.End.UnixMilli()-1)
			if f.Mark&ship.NewSegment != 0 || l.Duration() > 10*time.Minute || from > to {
				continue
			}
			away := func(ms float64) float64 { return geo.Distance(legAt(l.From, l.To, ms), q.Place) }
			if away(float64(from)) > 2*q.Distance {
				end()
			}
			ms, metres := leastOf(float64(from), float64(to), away)
			sog := slowSOG(l, math.Round(ms))
			fits := (q.SOG.Min == nil || sog >= *q.SOG.Min) && (q.SOG.Max == nil || sog <= *q.SOG.Max)
			if metres <= q.Distance && fits && (best == nil || metres < best.Distance) {
				best = &statistic.NearPass{At: int64(math.Round(ms)), Distance: metres}
				best.Ship.MMSI = m
			}
			if away(float64(to)) > 2*q.Distance {
				end()
			}
		}
		end()
	}
	inTime(found)
	return found
}

func sameApproaches(t *testing.T, name string, got, want []statistic.NearPass) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d approaches, want %d", name, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.Ship.MMSI != w.Ship.MMSI || math.Abs(g.Distance-w.Distance) > 0.02 || math.Abs(float64(g.At-w.At)) > 1000 {
			t.Fatalf("%s: %d at %s, %.2f m; want %d at %s, %.2f m", name, g.Ship.MMSI, time.UnixMilli(g.At).UTC(), g.Distance, w.Ship.MMSI,
				time.UnixMilli(w.At).UTC(), w.Distance)
		}
	}
}

// TestNearPointAgainstTrying asks about invented tracks, whole and in hours, and answers by trying.
func TestNearPointAgainstTrying(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 5))
	told := 0
	for _, place := range []geo.Point{{Lon: 10, Lat: 55}, {Lon: 180, Lat: -20}, {Lon: -70, Lat: 71}} {
		all := invented(r, 14, place, 3000, 400, nearDay().Add(22*time.Hour), 6)
		period := statistic.Period{Begin: nearDay().Add(22*time.Hour + 20*time.Minute), End: nearDay().Add(27 * time.Hour)}
		for _, q := range []statistic.NearPointQuestion{
			{Period: period, Place: place, Distance: 500},
			{Period: period, Place: place, Distance: 700, SOG: statistic.Range{Min: value(3), Max: value(15)}},
			{Period: period, Place: place, Distance: 300, Team: []ais.MMSI{219000002, 219000003, 219000007}},
		} {
			got := approaches(q, all.whole)
			sameApproaches(t, "invented", got, slowApproaches(q, all))
			if parts := approaches(q, func(c statistic.Counter) { all.inHours(r, c) }); !slices.Equal(parts, got) {
				t.Errorf("%d in hours, %d as a whole", len(parts), len(got))
			}
			told += len(got)
		}
	}
	t.Logf("%d approaches", told)
	if told < 60 {
		t.Errorf("only %d approaches", told)
	}
}

// TestNearPointOfARecording answers about a place in the Solent by trying.
func TestNearPointOfARecording(t *testing.T) {
	all := solent(t)
	begin := time.Date(2016, 1, 12, 13, 0, 0, 0, time.UTC)
	q := statistic.NearPointQuestion{Period: statistic.Period{Begin: begin, End: begin.Add(2 * time.Hour)}, Place: geo.Point{Lon: -1.3, Lat: 50.77}, Distance: 3000}
	got := approaches(q, all.whole)
	sameApproaches(t, "solent", got, slowApproaches(q, all))
	t.Logf("%d approaches", len(got))
	if len(got) == 0 {
		t.Error("no approach")
	}
}

// TestNearPoint has the cases by name: a beacon at 10 E 55 N, 300 m.
func TestNearPoint(t *testing.T) {
	beacon := geo.Point{Lon: 10, Lat: 55}
	off := func(course, metres float64) geo.Point { return geo.Destination(beacon, course, metres) }
	const knot = 1852.0 / 60 // metres a minute
	passing := straightOn(clock(12, 0, 0), 20, off(270, 100*knot), 10, 90)
	back := straightOn(clock(12, 20, 0), 20, off(90, 100*knot), 10, 270)
	short := append(straightOn(clock(12, 0, 0), 13, off(270, 100*knot), 10, 90), straightOn(clock(12, 14, 0), 13, off(90, 30*knot), 10, 270)...)
	for _, row := range []struct {
		name  string
		track ship.Track
		sog   statistic.Range
		end   int64
		at    []int64
	}{
		{"it passes", passing, statistic.Range{}, 0, []int64{clock(12, 10, 0)}},
		{"too slow", passing, statistic.Range{Min: value(11)}, 0, nil},
		{"it comes back", append(slices.Clone(passing), back[1:]...), statistic.Range{}, 0, []int64{clock(12, 10, 0), clock(12, 30, 0)}},
		{"it turns after 900 m", short, statistic.Range{}, 0, []int64{clock(12, 10, 0), clock(12, 17, 0)}},
		{"it turns after 500 m", append(straightOn(clock(12, 0, 0), 11, off(270, 100*knot), 10, 90), straightOn(clock(12, 12, 0), 1, off(90, 11*knot), 10, 270)...),
			statistic.Range{}, 0, []int64{clock(12, 10, 0)}},
		{"it lies for three hours", straightOn(clock(9, 0, 0), 180, off(90, 100), 0, 0), statistic.Range{}, 0, []int64{clock(9, 0, 0)}},
		{"it is silent for 40 minutes", append(straightOn(clock(9, 0, 0), 10, off(90, 100), 0, 0), straightOn(clock(9, 50, 0), 10, off(90, 100), 0, 0)...),
			statistic.Range{}, 0, []int64{clock(9, 0, 0), clock(9, 50, 0)}},
		{"one fix", passing[10:11], statistic.Range{}, 0, nil},
		{"end is before", passing, statistic.Range{}, clock(12, 9, 0), nil},
		{"end cuts it off", passing, statistic.Range{}, clock(12, 10, 0), []int64{clock(12, 10, 0) - 1}},
		{"over midnight", straightOn(clock(23, 50, 0), 20, off(270, 100*knot), 10, 90), statistic.Range{}, clock(30, 0, 0), []int64{clock(24, 0, 0)}},
	} {
		q := statistic.NearPointQuestion{Period: statistic.Period{Begin: nearDay(), End: time.UnixMilli(cmp.Or(row.end, clock(24, 0, 0)))}, Place: beacon, Distance: 300, SOG: row.sog}
		got := approaches(q, tracks{1: row.track}.whole)
		if len(got) != len(row.at) {
			t.Errorf("%s: %+v", row.name, got)
			continue
		}
		for i, a := range got {
			if math.Abs(float64(a.At-row.at[i])) > 1000 {
				t.Errorf("%s: at %s, want %s", row.name, time.UnixMilli(a.At).UTC(), time.UnixMilli(row.at[i]).UTC())
			}
			if m := a.Moments(); len(m) != 2 || m[0].Fix.At != a.At || m[1].Fix.At < a.At || m[0].MMSI != 1 {
				t.Errorf("%s: moments %+v", row.name, m)
			}
		}
	}
}
