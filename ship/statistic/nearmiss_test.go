package statistic_test

import (
	"cmp"
	"fmt"
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

// misses answers a question in one of the two ways of handing out tracks.
func misses(q statistic.NearMissQuestion, feed func(statistic.Counter)) (found []statistic.Encounter, rafted int) {
	n := statistic.NewNearMiss(q, func(e statistic.Encounter) { found = append(found, e) })
	feed(n)
	slices.SortFunc(found, func(a, b statistic.Encounter) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Ships[0].MMSI, b.Ships[0].MMSI), cmp.Compare(a.Ships[1].MMSI, b.Ships[1].MMSI))
	})
	return found, n.Rafted()
}

// slowMisses answers it by trying: all pairs of ships, all pairs of legs, many times in each.
func slowMisses(q statistic.NearMissQuestion, all tracks) (found []statistic.Encounter, rafted int) {
	numbers := all.numbers()
	for i, one := range numbers {
		for _, other := range numbers[i+1:] {
			if len(q.Team) > 0 && !slices.Contains(q.Team, one) && !slices.Contains(q.Team, other) {
				continue
			}
			f, r := slowPair(q, one, other, all)
			found, rafted = append(found, f...), rafted+r
		}
	}
	slices.SortFunc(found, func(a, b statistic.Encounter) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Ships[0].MMSI, b.Ships[0].MMSI), cmp.Compare(a.Ships[1].MMSI, b.Ships[1].MMSI))
	})
	return found, rafted
}

func slowPair(q statistic.NearMissQuestion, one, other ais.MMSI, all tracks) (found []statistic.Encounter, rafted int) {
	var best *statistic.Encounter
	open, beside, last := false, false, int64(0)
	end := func() {
		if open && best != nil {
			found = append(found, *best)
		} else if open && beside {
			rafted++
		}
		open, beside, best = false, false, nil
	}
	for a := range all[one].Legs() {
		for b := range all[other].Legs() {
			if b.From.At >= a.To.At {
				break
			}
			from := max(a.From.At, b.From.At, q.Period.Begin.UnixMilli())
			to := min(a.To.At, b.To.At, q.Period.End.UnixMilli()-1)
			if max(a.From.At, b.From.At) >= min(a.To.At, b.To.At) || from > to || a.Duration() > 10*time.Minute || b.Duration() > 10*time.Minute {
				continue
			}
			apart := func(ms float64) float64 { return geo.Distance(legAt(a.From, a.To, ms), legAt(b.From, b.To, ms)) }
			if open && apart(float64(from)) > 2*q.Distance {
				end()
			}
			if hit, lies := slowHit(q, a, b, float64(from), float64(to), apart); hit != nil {
				if open && hit.At-last > 30*60_000 {
					end()
				}
				hit.Ships[0].MMSI, hit.Ships[1].MMSI = one, other
				open, last = true, hit.At
				beside = beside || lies
				if !lies && (best == nil || slowlyCloser(q, hit, best)) {
					best = hit
				}
			}
			if open && apart(float64(to)) > 2*q.Distance {
				end()
			}
		}
	}
	end()
	return found, rafted
}

func slowHit(q statistic.NearMissQuestion, a, b ship.Leg, from, to float64, apart func(float64) float64) (*statistic.Encounter, bool) {
	if apart(from)-60*(to-from)/1000 > q.Distance { // no two of the ships close at 60 m/s
		return nil, false
	}
	ms, metres := leastOf(from, to, apart)
	var deep statistic.Intrusion
	if q.Domain != nil && metres <= q.Distance {
		if ms, deep = slowIntrusion(q, a, b, from, to, apart); deep.Ratio > 1 {
			return nil, false
		}
		metres = min(q.Distance, apart(ms)) // at the end of what is looked at it may be a hair more
	}
	ms = math.Round(ms)
	p, o := legAt(a.From, a.To, ms), legAt(b.From, b.To, ms)
	middle := geo.Destination(p, geo.Bearing(p, o), geo.Distance(p, o)/2)
	if metres > q.Distance || !q.Area.Shape().Contains(middle) {
		return nil, false
	}
	sogA, sogB := slowSOG(a, ms), slowSOG(b, ms)
	turn := math.Abs(slowCOG(a, ms) - slowCOG(b, ms))
	turn = min(turn, 360-turn)
	for i, v := range []float64{sogA, sogB, math.Abs(sogA - sogB), turn} {
		r := []statistic.Range{q.SOG, q.SOG, q.DSOG, q.DCOG}[i]
		if r.Min != nil && !(v >= *r.Min) || r.Max != nil && !(v <= *r.Max) {
			return nil, false
		}
	}
	kind := slowMeeting(sogA, sogB, slowCOG(a, ms), slowCOG(b, ms))
	if len(q.Meetings) > 0 && !slices.Contains(q.Meetings, kind) {
		return nil, false
	}
	return &statistic.Encounter{At: int64(ms), Distance: metres, Meeting: kind, Intrusion: deep}, q.SOG.Min == nil && sogA < 0.5 && sogB < 0.5
}

func slowSOG(l ship.Leg, ms float64) float64 {
	from, to := float64(l.From.SOG)-1, float64(l.To.SOG)-1 // in tenths; -1 is unknown
	switch {
	case from < 0 && to < 0:
		return geo.Distance(l.From.Point(), l.To.Point()) / 1852 / (float64(l.To.At-l.From.At) / 3600_000)
	case from < 0:
		return to / 10
	case to < 0:
		return from / 10
	}
	return (from + (to-from)*(ms-float64(l.From.At))/float64(l.To.At-l.From.At)) / 10
}

func slowCOG(l ship.Leg, ms float64) float64 {
	from, to := float64(l.From.COG)-1, float64(l.To.COG)-1
	switch {
	case from < 0 && to < 0:
		if geo.Distance(l.From.Point(), l.To.Point()) < 30 {
			return math.NaN()
		}
		return geo.Bearing(l.From.Point(), l.To.Point())
	case from < 0:
		return to / 10
	case to < 0:
		return from / 10
	}
	if to-from > 1800 {
		to -= 3600
	} else if to-from < -1800 {
		to += 3600
	}
	v := (from + (to-from)*(ms-float64(l.From.At))/float64(l.To.At-l.From.At)) / 10
	return math.Mod(v+360, 360)
}

// sameMisses compares two answers: the same pairs, distances to 2 cm, and times to a second. Two that sail side by side may be
// nearest at any time.
func sameMisses(t *testing.T, name string, got, want []statistic.Encounter) {
	t.Helper()
	key := func(e statistic.Encounter) string { return fmt.Sprint(e.Ships[0].MMSI, e.Ships[1].MMSI) }
	byPair := func(a, b statistic.Encounter) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.At, b.At))
	}
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortFunc(got, byPair)
	slices.SortFunc(want, byPair)
	if len(got) != len(want) {
		t.Errorf("%s: %d encounters, want %d", name, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if key(g) != key(w) || g.Meeting != w.Meeting || math.Abs(g.Distance-w.Distance) > 0.02 || math.Abs(float64(g.At-w.At)) > 1000 {
			t.Fatalf("%s: encounter %d is %s at %s, %.3f m; want %s at %s, %.3f m", name, i, key(g), time.UnixMilli(g.At).UTC(), g.Distance,
				key(w), time.UnixMilli(w.At).UTC(), w.Distance)
		}
	}
}

func value(v float64) *float64 { return &v }

// TestNearMissAgainstTrying asks questions about invented tracks, whole and in hours, and answers them by trying.
func TestNearMissAgainstTrying(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	told, lay := 0, 0
	for i, middle := range []geo.Point{{Lon: 10, Lat: 55}, {Lon: 180, Lat: -20}, {Lon: -70, Lat: 71}, {Lon: -179.99, Lat: 0}} {
		all := invented(r, 15, middle, 3500, 400, nearDay().Add(22*time.Hour), 3)
		q := statistic.NearMissQuestion{Period: statistic.Period{Begin: nearDay().Add(22*time.Hour + 20*time.Minute), End: nearDay().Add(24*time.Hour + 30*time.Minute)},
			Area: geo.NewArea(squareAt(middle, 2500)), Distance: 300}
		hard := q
		hard.SOG, hard.DSOG, hard.DCOG = statistic.Range{Min: value(2), Max: value(18)}, statistic.Range{Max: value(9)}, statistic.Range{Min: value(15)}
		hard.Team = []ais.MMSI{219000002, 219000005, 219000011}
		round := q
		round.Area, round.SOG = geo.NewArea(geo.Circle{Center: middle, Radius: 2000}), statistic.Range{Max: value(12)}
		for k, asked := range []statistic.NearMissQuestion{q, hard, round} {
			name := fmt.Sprint("place ", i, ", question ", k)
			got, rafted := misses(asked, all.whole)
			want, slowly := slowMisses(asked, all)
			sameMisses(t, name, got, want)
			parts, inParts := misses(asked, func(c statistic.Counter) { all.inHours(r, c) })
			if !slices.Equal(parts, got) {
				t.Errorf("%s: %d in hours, %d as a whole", name, len(parts), len(got))
			}
			if rafted != slowly || inParts != rafted {
				t.Errorf("%s: %d lay beside each other, %d in hours, want %d", name, rafted, inParts, slowly)
			}
			told, lay = told+len(got), lay+rafted
		}
	}
	t.Logf("%d encounters, %d pairs that lay", told, lay)
	if told < 80 || lay == 0 {
		t.Errorf("only %d encounters, and %d pairs that lay", told, lay)
	}
}

// straightOn returns a ship that keeps its course for some minutes from a place on, with a fix each minute.
func straightOn(from int64, minutes int, start geo.Point, knots, course float64) (track ship.Track) {
	for i := range minutes + 1 {
		p := geo.Destination(start, course, knots*1852/60*float64(i))
		track = append(track, nearFix(from+int64(i)*60_000, p.Lon, p.Lat, knots, course))
	}
	return track
}

// TestNearMiss has the cases by name. The question is a square of 10 km round 10 E 55 N, 300 m, the whole day.
func TestNearMiss(t *testing.T) {
	middle := geo.Point{Lon: 10, Lat: 55}
	off := func(course, metres float64) geo.Point { return geo.Destination(middle, course, metres) }
	knot := 1852.0 / 60 // metres a minute
	date := geo.Point{Lon: 180, Lat: -17}
	a, b := ais.MMSI(211000001), ais.MMSI(219000002)
	noon := clock(12, 0, 0)
	crossing := tracks{a: straightOn(noon, 20, off(270, 100*knot), 10, 90), b: straightOn(noon, 20, off(180, 100*knot), 10, 0)}
	day := func(p *statistic.NearMissQuestion) {}
	for _, row := range []struct {
		name   string
		all    tracks
		change func(*statistic.NearMissQuestion)
		at     []int64
		rafted int
	}{
		{"they meet in the middle", crossing, day, []int64{clock(12, 10, 0)}, 0},
		{"the middle is outside", crossing, func(q *statistic.NearMissQuestion) { q.Area = geo.NewArea(squareAt(off(0, 5000), 1000)) }, nil, 0},
		{"too fast", crossing, func(q *statistic.NearMissQuestion) { q.SOG.Max = value(9.9) }, nil, 0},
		{"fast enough", crossing, func(q *statistic.NearMissQuestion) { q.SOG.Min = value(10) }, []int64{clock(12, 10, 0)}, 0},
		{"courses differ by 90", crossing, func(q *statistic.NearMissQuestion) { q.DCOG = statistic.Range{Min: value(89), Max: value(91)} }, []int64{clock(12, 10, 0)}, 0},
		{"courses differ by less than asked", crossing, func(q *statistic.NearMissQuestion) { q.DCOG.Min = value(100) }, nil, 0},
		{"speeds differ by less than asked", crossing, func(q *statistic.NearMissQuestion) { q.DSOG.Min = value(1) }, nil, 0},
		{"one is of the team", crossing, func(q *statistic.NearMissQuestion) { q.Team = []ais.MMSI{b, 5} }, []int64{clock(12, 10, 0)}, 0},
		{"none is of the team", crossing, func(q *statistic.NearMissQuestion) { q.Team = []ais.MMSI{5} }, nil, 0},
		{"begin is the time", crossing, func(q *statistic.NearMissQuestion) { q.Period.Begin = time.UnixMilli(clock(12, 10, 0)) }, []int64{clock(12, 10, 0)}, 0},
		{"end is before they are near", crossing, func(q *statistic.NearMissQuestion) { q.Period.End = time.UnixMilli(clock(12, 9, 0)) }, nil, 0},
		{"end cuts it off", crossing, func(q *statistic.NearMissQuestion) { q.Period.End = time.UnixMilli(clock(12, 10, 0)) }, []int64{clock(12, 9, 59) + 999}, 0},
		{"one ship", tracks{a: crossing[a]}, day, nil, 0},
		{"one fix", tracks{a: crossing[a], b: crossing[b][10:11]}, day, nil, 0},
		{"one is silent for 11 minutes", tracks{a: crossing[a], b: {crossing[b][5], crossing[b][16]}}, day, nil, 0},
		{"one is silent for 10 minutes", tracks{a: crossing[a], b: {crossing[b][5], crossing[b][15]}}, day, []int64{clock(12, 10, 0)}, 0},
		{"at midnight", tracks{a: straightOn(clock(-1, 55, 0), 10, off(270, 50*knot), 10, 90), b: straightOn(clock(-1, 55, 0), 10, off(180, 50*knot), 10, 0)}, day, []int64{clock(0, 0, 0)}, 0},
		{"side by side", tracks{a: straightOn(noon, 30, off(180, 100), 10, 90), b: straightOn(noon, 30, off(180, 250), 10, 90)}, day, []int64{noon}, 0},
		{"side by side to the north", tracks{a: straightOn(noon, 30, off(180, 9000), 10, 0), b: straightOn(noon, 30, geo.Destination(off(180, 9000), 90, 200), 10, 0)}, day,
			[]int64{clock(12, 30, 0)}, 0},
		{"date line", tracks{a: straightOn(noon, 20, geo.Destination(date, 270, 100*knot), 10, 90), b: straightOn(noon, 20, geo.Destination(date, 180, 100*knot), 10, 0)},
			func(q *statistic.NearMissQuestion) { q.Area = geo.NewArea(squareAt(date, 10_000)) }, []int64{clock(12, 10, 0)}, 0},
		{"rafted", tracks{a: straightOn(noon, 90, middle, 0, 0), b: straightOn(noon, 90, off(90, 20), 0, 0)}, day, nil, 1},
		{"rafted, and asked for", tracks{a: straightOn(noon, 90, middle, 0, 0), b: straightOn(noon, 90, off(90, 20), 0, 0)}, func(q *statistic.NearMissQuestion) { q.SOG.Min = value(0) }, []int64{noon}, 0},
		{"it comes alongside", tracks{a: straightOn(noon, 60, middle, 0, 0), b: append(straightOn(noon, 10, off(90, 105*knot), 10, 270), straightOn(clock(12, 11, 0), 40, off(90, 15), 0, 0)...)}, day,
			[]int64{clock(12, 10, 0)}, 0},
		{"twice, apart between", tracks{a: straightOn(noon, 40, middle, 0, 0),
			b: append(straightOn(noon, 19, off(270, 100*knot), 10, 90), straightOn(clock(12, 20, 0), 20, off(90, 100*knot), 10, 270)...)}, day,
			[]int64{clock(12, 10, 0), clock(12, 30, 0)}, 0},
		{"twice, not far between", tracks{a: straightOn(noon, 40, middle, 0, 0), b: append(straightOn(noon, 2, off(270, 300), 5, 90), straightOn(clock(12, 5, 0), 4, off(90, 400), 5, 270)...)}, day,
			[]int64{clock(12, 1, 57)}, 0},
	} {
		q := statistic.NearMissQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(24 * time.Hour)}, Area: geo.NewArea(squareAt(middle, 10_000)), Distance: 300}
		row.change(&q)
		got, rafted := misses(q, row.all.whole)
		if len(got) != len(row.at) || rafted != row.rafted {
			t.Errorf("%s: %d encounters, %d rafted: %+v", row.name, len(got), rafted, got)
			continue
		}
		for i, e := range got {
			if math.Abs(float64(e.At-row.at[i])) > 1000 || e.Ships[0].MMSI != a || e.Ships[1].MMSI != b {
				t.Errorf("%s: at %s, want %s", row.name, time.UnixMilli(e.At).UTC(), time.UnixMilli(row.at[i]).UTC())
			}
		}
	}
}

// TestEncounterTellsItsMoments: a record has the places, speeds and courses at its time, and what a reader must have seen.
func TestEncounterTellsItsMoments(t *testing.T) {
	a, b := ais.MMSI(1), ais.MMSI(2)
	from, to := nearFix(clock(1, 0, 0), 10, 55, 10, 350), nearFix(clock(1, 1, 0), 10.004, 55, 12, 10)
	from.Feeds, to.Feeds = 3, 4
	still := nearFix(clock(1, 0, 0), 10.002, 55.0005, -1, -1)
	later := still
	later.At = to.At
	q := statistic.NearMissQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(24 * time.Hour)}, Area: geo.NewArea(squareAt(geo.Point{Lon: 10, Lat: 55}, 10_000)), Distance: 300}
	found, _ := misses(q, tracks{a: {from, to}, b: {still, later}}.whole)
	if len(found) != 1 {
		t.Fatalf("%d encounters", len(found))
	}
	e := found[0]
	want := from
	want.At, want.Lon = clock(1, 0, 30), (from.Lon+to.Lon)/2
	if one := e.Ships[0]; one.Fix != want || one.SOG != ais.SOGTenths(110) || one.COG != ais.COGTenths(0) || one.To != to {
		t.Errorf("the ship is %+v, want %+v", one, want)
	}
	if other := e.Ships[1]; other.SOG != ais.SOGTenths(0) || other.COG != 0 {
		t.Errorf("the ship that tells nothing is %+v", other)
	}
	moments := []statistic.Moment{{MMSI: a, Fix: want}, {MMSI: a, Fix: to}, {MMSI: b, Fix: e.Ships[1].Fix}, {MMSI: b, Fix: later}}
	if !slices.Equal(e.Moments(), moments) {
		t.Errorf("moments %+v, want %+v", e.Moments(), moments)
	}
}

// TestNearMissOfARecording answers a question about the Solent by trying.
func TestNearMissOfARecording(t *testing.T) {
	all := solent(t)
	begin := time.Date(2016, 1, 12, 13, 0, 0, 0, time.UTC)
	q := statistic.NearMissQuestion{Period: statistic.Period{Begin: begin, End: begin.Add(12 * time.Minute)}, Area: geo.NewArea(squareAt(geo.Point{Lon: -1.3, Lat: 50.8}, 30_000)), Distance: 300}
	got, rafted := misses(q, all.whole)
	parts, _ := misses(q, func(c statistic.Counter) { all.inHours(rand.New(rand.NewPCG(1, 1)), c) })
	want, slowly := slowMisses(q, all)
	t.Logf("%d ships, %d encounters, %d pairs that lay", len(all), len(got), rafted)
	if len(got) < 10 || rafted != slowly || !slices.Equal(parts, got) {
		t.Errorf("%d encounters, %d in hours; %d pairs that lay, want %d", len(got), len(parts), rafted, slowly)
	}
	sameMisses(t, "solent", got, want)
}

// BenchmarkNearMiss answers about an hour of ships that sail in a water that grows with their number. It fails if it found no pair.
func BenchmarkNearMiss(b *testing.B) {
	for _, ships := range []int{250, 1000, 4000} {
		middle := geo.Point{Lon: 5, Lat: 55}
		metres := 1500 * math.Sqrt(float64(ships))
		all := invented(rand.New(rand.NewPCG(1, 2)), ships, middle, metres, metres, nearDay(), 1)
		q := statistic.NearMissQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(time.Hour)}, Area: geo.NewArea(squareAt(middle, 2*metres)), Distance: 300}
		b.Run(fmt.Sprint(ships, "ships"), func(b *testing.B) {
			pairs := 0
			for b.Loop() {
				found, _ := misses(q, all.whole)
				pairs = len(found)
			}
			if pairs == 0 {
				b.Fatal("no pair was found")
			}
			b.ReportMetric(float64(pairs), "pairs")
		})
	}
}
