package statistic_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

func visitsOf(q statistic.AreaQuestion, ships fleet, part time.Duration) (visits []statistic.Visit) {
	ask(statistic.NewArea(q, func(v statistic.Visit) { visits = append(visits, v) }), ships, q.Period.Begin.Add(-statistic.SilenceMargin), q.Period.End.Add(statistic.SilenceMargin), part)
	return sorted(visits, func(v statistic.Visit) statistic.Moment { return v.In })
}

func presencesOf(q statistic.AreaQuestion, by statistic.CalendarInterval, ships fleet, part time.Duration) (all []statistic.Presence) {
	ask(statistic.NewGrouped(q, by, func(p statistic.Presence) { all = append(all, p) }), ships, q.Period.Begin.Add(-statistic.SilenceMargin), q.Period.End.Add(statistic.SilenceMargin), part)
	return sorted(all, func(p statistic.Presence) statistic.Moment { return p.Visits[0].In })
}

// sameVisits holds visits of one ship against those of brute force.
func sameVisits(t *testing.T, seed uint64, got []statistic.Visit, want []piece) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("seed %d: %d visits, want %d:\n%+v\n%+v", seed, len(got), len(want), got, want)
	}
	for i, v := range got {
		w := want[i]
		sameTime(t, "in", v.In.Fix.At, w.in)
		sameTime(t, "out", v.Out.Fix.At, w.out)
		if v.EnteredBefore != w.before || v.LeftBySilence != w.silent || v.StillInside != w.still {
			t.Errorf("visit %d: %+v, want %+v", i, v, w)
		}
		if ms := v.Inside.Milliseconds(); math.Abs(float64(ms-w.inside)) > 20 || math.Abs(v.Metres-w.metres) > 0.5+1e-6*w.metres {
			t.Errorf("visit %d: inside for %v ms, %v m; want %v", i, ms, v.Metres, w)
		}
	}
	if t.Failed() {
		t.Fatalf("seed %d", seed)
	}
}

// period draws a time that begins and ends anywhere in the track.
func (d *dice) period(t ship.Track) statistic.Period {
	from := t[d.IntN(len(t))].Time().Add(time.Duration(d.IntN(100)-50) * time.Second)
	to := t[d.IntN(len(t))].Time().Add(time.Duration(d.IntN(10000)-50) * time.Second)
	if !from.Before(to) {
		from, to = to, from.Add(time.Second)
	}
	return statistic.Period{Begin: from, End: to}
}

// delivered returns what a counter is handed of a track for a period.
func delivered(t ship.Track, p statistic.Period) ship.Track { return t.Overlapping(p.Begin, p.End) }

func TestVisitsAgreeWithBruteForce(t *testing.T) {
	total, flags := 0, [3]int{}
	for seed := range uint64(1500) {
		d := newDice(seed)
		polygon := geo.Polygon{d.ring(3 + d.IntN(6))}
		if d.IntN(2) == 0 {
			polygon = append(polygon, d.ring(3))
		}
		track := d.track(150)
		q := statistic.AreaQuestion{Period: d.period(track), Area: geo.NewArea(polygon)}
		if seed%3 == 0 { // with a report at begin
			q.Period.Begin = track[d.IntN(len(track)/2)].Time()
			q.Period.End = q.Period.Begin.Add(time.Duration(1+d.IntN(20)) * time.Hour)
		}
		b := brute{base: d.base, polygon: polygon, begin: q.Period.Begin.UnixMilli(), end: q.Period.End.UnixMilli(),
			track: track.Overlapping(q.Period.Begin.Add(-statistic.SilenceMargin), q.Period.End.Add(statistic.SilenceMargin))}
		got := visitsOf(q, fleet{1: track}, 0)
		sameVisits(t, seed, got, b.visits())
		total += len(got)
		for _, v := range got {
			for i, set := range []bool{v.EnteredBefore, v.LeftBySilence, v.StillInside} {
				if set {
					flags[i]++
				}
			}
		}
		b.cuts = cutsOf(q.Period.Begin, q.Period.End, func(time.Time) bool { return true })
		var days []statistic.Visit
		for _, p := range presencesOf(q, statistic.Day, fleet{1: track}, 0) {
			days = append(days, p.Visits...)
		}
		sameVisits(t, seed, days, b.visits())
	}
	if total < 400 || min(flags[0], flags[1], flags[2]) < 20 {
		t.Errorf("only %d visits, flags %v", total, flags)
	}
}

// TestPresencesOfWhatPasses hands on what the store hands on: the hours of a ship whose legs touch the rectangle of the area. Of each ship and day there is one record.
func TestPresencesOfWhatPasses(t *testing.T) {
	several := 0
	for seed := range uint64(100) {
		d := newDice(9000 + seed)
		var track ship.Track
		for now := at(0, 0, 0); len(track) < 400; now = now.Add(time.Duration(900+d.IntN(900)) * time.Second) {
			track = append(track, fixAt(now, d.place()))
		}
		q := statistic.AreaQuestion{Period: statistic.Period{Begin: at(1, 0, 0), End: at(125, 0, 0)}, Area: geo.NewArea(geo.Polygon{square(d.place(), 100*d.size/6)})}
		var got []statistic.Presence
		c := statistic.NewGrouped(q, statistic.Day, func(p statistic.Presence) { got = append(got, p) })
		for from := q.Period.Begin.Truncate(time.Hour); from.Before(q.Period.End); from = from.Add(time.Hour) {
			c.Over(from)
			if part := passing(track, from, q.Area.Bounds()); len(part) > 0 {
				c.Take(1, part)
			}
		}
		c.Over(q.Period.End)
		c.End()
		days := map[string]bool{}
		for _, p := range got {
			if days[p.Interval] {
				t.Fatalf("seed %d: two records of %s: %+v", seed, p.Interval, got)
			}
			days[p.Interval] = true
			several += min(len(p.Visits)-1, 1)
		}
	}
	if several < 20 {
		t.Errorf("only %d days with several visits", several)
	}
}

// passing returns an hour of a track, from the last fix of the hour before on, where it touches a rectangle.
func passing(track ship.Track, from time.Time, near geo.Rect) ship.Track {
	part := track.Overlapping(from, from.Add(time.Hour))
	if n := len(part); n > 0 && !part[n-1].Time().Before(from.Add(time.Hour)) {
		part = part[:n-1]
	}
	if len(part) == 0 || part[len(part)-1].Time().Before(from) || !part.Bounds().Intersects(near) {
		return nil
	}
	return part
}

// TestVisitsInHours asks of a fleet in parts of several lengths.
func TestVisitsInHours(t *testing.T) {
	for seed := range uint64(40) {
		d := newDice(1000 + seed)
		ships := fleet{}
		for m := range ais.MMSI(5) {
			ships[m+1] = d.track(150)
		}
		q := statistic.AreaQuestion{Period: d.period(ships[1]), Area: geo.NewArea(geo.Polygon{d.ring(5)})}
		if d.IntN(4) == 0 {
			q.Area = geo.NewArea(geo.Circle{Center: d.base, Radius: 2000})
		}
		whole, grouped := visitsOf(q, ships, 0), presencesOf(q, statistic.Week, ships, 0)
		for _, part := range parts[1:] {
			if got := visitsOf(q, ships, part); !reflect.DeepEqual(got, whole) {
				t.Fatalf("seed %d, parts of %v: %+v\nwhole: %+v", seed, part, got, whole)
			}
			if got := presencesOf(q, statistic.Week, ships, part); !reflect.DeepEqual(got, grouped) {
				t.Fatalf("seed %d, parts of %v: %+v\nwhole: %+v", seed, part, got, grouped)
			}
		}
	}
}

// stop is a fix of a row: minutes after 12:00, and where it is from the base in hundredths of a degree.
type stop struct {
	minute float64
	x, y   float64
	mark   ship.Mark
}

func trackOf(base geo.Point, stops []stop) (t ship.Track) {
	for _, s := range stops {
		f := fixAt(at(12, 0, 0).Add(time.Duration(s.minute*60_000)*time.Millisecond), geo.Point{Lon: base.Lon + s.x/100, Lat: base.Lat + s.y/100}.Normalized())
		f.Mark = s.mark
		t = append(t, f)
	}
	return t
}

// square returns a closed square about a place, in hundredths of a degree.
func square(base geo.Point, half float64) (r []geo.Point) {
	for _, c := range [][2]float64{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}} {
		r = append(r, geo.Point{Lon: base.Lon + c[0]*half/100, Lat: base.Lat + c[1]*half/100}.Normalized())
	}
	return r
}

// visitRow is a rule by its name: what a ship does, and its visits. The period is 12:00 to 16:00.
type visitRow struct {
	name  string
	area  geo.Shape
	base  geo.Point
	stops []stop
	want  []visit
}

// visit is times in minutes after 12:00.
type visit struct {
	in, out float64
	flags   string // before, silent, still
	inside  float64
}

// plainSquare is a square of 2 hundredths of a degree about a base.
func plainSquare() (geo.Polygon, geo.Point) {
	base := geo.Point{Lon: 10, Lat: 56}
	return geo.Polygon{square(base, 1)}, base
}

func TestVisitsByShape(t *testing.T) {
	plain, base := plainSquare()
	strait := geo.Point{Lon: 180, Lat: 56}
	round := geo.Circle{Center: base, Radius: geo.Distance(base, geo.Point{Lon: 10.01, Lat: 56})}
	bow := geo.Polygon{{base, {Lon: 10.01, Lat: 56.01}, {Lon: 10.01, Lat: 55.99}, {Lon: 9.99, Lat: 56.01}, {Lon: 9.99, Lat: 55.99}, base}}
	checkVisits(t, []visitRow{
		{"through", plain, base, []stop{{0, -2, 0, 0}, {4, 2, 0, 0}}, []visit{{1, 3, "", 2}}},
		{"date line", geo.Polygon{square(strait, 1)}, strait, []stop{{0, -2, 0, 0}, {4, 2, 0, 0}}, []visit{{1, 3, "", 2}}},
		{"a circle", round, base, []stop{{0, -2, 0, 0}, {4, 2, 0, 0}}, []visit{{1, 3, "", 2}}},
		{"standing on the border", plain, base, []stop{{0, 1, 0, 0}, {10, 1, 0, 0}, {20, 1, 0, 0}, {21, 3, 0, 0}, {22, 3, 0, 0}}, []visit{{0, 20, "before", 20}}},
		{"vertex on the border, touched from outside", plain, base, []stop{{0, 0, 2, 0}, {4, 2, 0, 0}}, nil},
		{"vertex on the border, on the way in", plain, base, []stop{{0, 2, 2, 0}, {4, 0, 0, 0}, {8, -2, 2, 0}}, []visit{{2, 6, "", 4}}},
		{"a fix on the border on the way in", plain, base, []stop{{0, 2, 0, 0}, {2, 1, 0, 0}, {4, 0, 0, 0}, {8, 2, 0, 0}}, []visit{{2, 6, "", 4}}},
		{"hole", geo.Polygon{square(base, 1), square(base, 0.5)}, base, []stop{{0, -2, 0, 0}, {24, 2, 0, 0}}, []visit{{6, 9, "", 3}, {15, 18, "", 3}}},
		{"hole, hardly away", geo.Polygon{square(base, 1), square(base, 0.5)}, base, []stop{{0, -2, 0, 0}, {8, 2, 0, 0}}, []visit{{2, 6, "", 2}}},
		{"self-crossing ring", bow, base, []stop{{0, -2, 0.5, 0}, {20, 2, 0.5, 0}}, []visit{{5, 7.5, "", 2.5}, {12.5, 15, "", 2.5}}},
	})
}

func TestVisitsByTime(t *testing.T) {
	plain, base := plainSquare()
	checkVisits(t, []visitRow{
		{"inside at begin", plain, base, []stop{{-10, 0, 0, 0}, {10, 0, 0, 0}, {20, 2, 0, 0}}, []visit{{0, 15, "before", 15}}},
		{"inside at begin, with a report then", plain, base, []stop{{-10, 0, 0, 0}, {0, 0, 0, 0}, {10, 0, 0, 0}, {20, 2, 0, 0}}, []visit{{0, 15, "before", 15}}},
		{"on the border at begin, from outside", plain, base, []stop{{-10, 2, 0, 0}, {0, 1, 0, 0}, {10, 0, 0, 0}, {20, 2, 0, 0}}, []visit{{0, 15, "", 15}}},
		{"inside at end", plain, base, []stop{{220, 2, 0, 0}, {230, 0, 0, 0}, {250, 0, 0, 0}}, []visit{{225, 240, "still", 15}}},
		{"a report at end", plain, base, []stop{{220, 2, 0, 0}, {230, 0, 0, 0}, {240, 0, 0, 0}}, []visit{{225, 240, "still", 15}}},
		{"at the border at end", plain, base, []stop{{220, 2, 0, 0}, {230, 0, 0, 0}, {250, 2, 0, 0}}, []visit{{225, 240, "", 15}}},
		{"the first report is inside", plain, base, []stop{{10, 0, 0, 0}, {20, 2, 0, 0}}, []visit{{10, 15, "before", 5}}},
		{"one fix", plain, base, []stop{{10, 0, 0, 0}}, []visit{{10, 10, "before silent", 0}}},
		{"one fix in the last hour", plain, base, []stop{{200, 0, 0, 0}}, []visit{{200, 200, "before still", 0}}},
		{"one fix at begin", plain, base, []stop{{0, 0, 0, 0}}, []visit{{0, 0, "before silent", 0}}},
		{"one fix at end", plain, base, []stop{{240, 0, 0, 0}}, nil},
		{"one fix outside", plain, base, []stop{{10, 2, 0, 0}}, nil},
	})
}

func TestVisitsOverGaps(t *testing.T) {
	plain, base := plainSquare()
	checkVisits(t, []visitRow{
		{"gap of 60 minutes inside", plain, base, []stop{{0, 0, 0, 0}, {60, 0, 0, 0}, {70, 2, 0, 0}}, []visit{{0, 65, "before", 65}}},
		{"silent ship", plain, base, []stop{{0, 2, 0, 0}, {4, 0, 0, 0}, {65, 0, 0, 0}, {69, 2, 0, 0}}, []visit{{2, 4, "silent", 2}, {65, 67, "before", 2}}},
		{"gap of 40 minutes inside", plain, base, []stop{{0, 2, 0, 0}, {4, 0, 0, 0}, {44, 0, 0.5, 0}, {48, 2, 0.5, 0}}, []visit{{2, 46, "", 44}}},
		{"gap of 40 minutes on the way out", plain, base, []stop{{10, 0, 0, 0}, {50, 2, 0, 0}}, []visit{{10, 30, "before", 20}}},
		{"gap of 40 minutes outside", plain, base, []stop{{10, -2, 0, 0}, {50, 2, 0, 0}}, nil},
		{"leap", plain, base, []stop{{0, 2, 0, 0}, {4, 0, 0, 0}, {12, 0, 0.5, ship.NewSegment}, {16, 2, 0.5, 0}}, []visit{{2, 4, "", 2}, {12, 14, "before", 2}}},
		{"leap, and hardly away", plain, base, []stop{{0, 2, 0, 0}, {4, 0, 0, 0}, {8, 0, 0.5, ship.NewSegment}, {12, 2, 0.5, 0}}, []visit{{2, 10, "", 4}}},
		{"out for 2 minutes with one sample", plain, base, []stop{{0, 0, 0, 0}, {2, 2, 0, 0}, {4, 0, 0, 0}, {6, 2, 0, 0}}, []visit{{0, 5, "before", 3}}},
		{"out for 3 minutes with two samples", plain, base, []stop{{0, 0, 0, 0}, {2, 2, 0, 0}, {3, 2, 0, 0}, {5, 0, 0, 0}, {7, 2, 0, 0}}, []visit{{0, 1, "before", 1}, {4, 6, "", 2}}},
		{"out for 5 minutes with one sample", plain, base, []stop{{0, 0, 0, 0}, {5, 2, 0, 0}, {10, 0, 0, 0}, {12, 2, 0, 0}}, []visit{{0, 2.5, "before", 2.5}, {7.5, 11, "", 3.5}}},
	})
}

// checkVisits asks for each row, at once and in parts.
func checkVisits(t *testing.T, rows []visitRow) {
	t.Helper()
	for _, row := range rows {
		q := statistic.AreaQuestion{Period: statistic.Period{Begin: at(12, 0, 0), End: at(16, 0, 0)}, Area: geo.NewArea(row.area)}
		for _, part := range parts {
			got := visitsOf(q, fleet{7: trackOf(row.base, row.stops)}, part)
			if len(got) != len(row.want) {
				t.Errorf("%s, parts of %v: %+v", row.name, part, got)
				continue
			}
			for i, v := range got {
				minutes := func(m statistic.Moment) float64 { return m.Fix.Time().Sub(at(12, 0, 0)).Minutes() }
				is := visit{minutes(v.In), minutes(v.Out), flagsOf(v), v.Inside.Minutes()}
				if w := row.want[i]; math.Abs(is.in-w.in)+math.Abs(is.out-w.out)+math.Abs(is.inside-w.inside) > 0.001 || is.flags != w.flags {
					t.Errorf("%s, parts of %v: %v, want %v", row.name, part, is, w)
				}
			}
		}
	}
}

func flagsOf(v statistic.Visit) string {
	var words []string
	if v.EnteredBefore {
		words = append(words, "before")
	}
	if v.LeftBySilence {
		words = append(words, "silent")
	}
	if v.StillInside {
		words = append(words, "still")
	}
	return strings.Join(words, " ")
}

// TestVisitMoments holds that a place at the border has the feeds and the speed of the fix before, and that it lies on the border.
func TestVisitMoments(t *testing.T) {
	base := geo.Point{Lon: 10, Lat: 56}
	track := trackOf(base, []stop{{0, -2, 0, ship.BySatellite | ship.NewSegment}, {4, 2, 0, 0}})
	track[0].Feeds, track[0].SOG, track[1].Feeds = 3, 120, 4
	q := statistic.AreaQuestion{Period: statistic.Period{Begin: at(12, 0, 0), End: at(16, 0, 0)}, Area: geo.NewArea(geo.Polygon{square(base, 1)})}
	v := visitsOf(q, fleet{7: track}, 0)[0]
	if len(v.Moments()) != 2 || v.Moments()[0] != v.In || v.Moments()[1] != v.Out {
		t.Errorf("moments %v", v.Moments())
	}
	want := ship.Fix{At: at(12, 1, 0).UnixMilli(), Lon: 5994000, Lat: 33600000, SOG: 120, Feeds: 3, Mark: ship.BySatellite}
	if v.In != (statistic.Moment{MMSI: 7, Fix: want}) {
		t.Errorf("in: %+v", v.In)
	}
	if p := (statistic.LineCrossing{Moment: v.In}); !slices.Equal(p.Moments(), []statistic.Moment{v.In}) {
		t.Errorf("moments of a passage: %v", p.Moments())
	}
	if metres := 2 * geo.Distance(base, geo.Point{Lon: 10.01, Lat: 56}); math.Abs(v.Metres-metres) > 0.01 {
		t.Errorf("%v m, want %v", v.Metres, metres)
	}
}

// TestHardlyAwayAtMidnight has a ship that is back after two minutes, when the next day has begun, and was there in the morning.
func TestHardlyAwayAtMidnight(t *testing.T) {
	base := geo.Point{Lon: 10, Lat: 56}
	q := statistic.AreaQuestion{Period: statistic.Period{Begin: at(0, 0, 0), End: at(48, 0, 0)}, Area: geo.NewArea(geo.Polygon{square(base, 1)})}
	for _, row := range []struct {
		name string
		late []stop
		want []string // the flags of the visits of each day
	}{
		{"back after midnight", []stop{{710, 2, 0, 0}, {718, 0, 0, 0}, {720, 2, 0, 0}, {722, 0, 0, 0}, {730, 2, 0, 0}}, []string{"[before],[]", "[]"}},
		{"out before midnight, and not back", []stop{{710, 2, 0, 0}, {718, 0, 0, 0}, {720.5, 2, 0, 0}, {740, 2, 0, 0}}, []string{"[before],[]"}},
		{"a leg over midnight", []stop{{710, 0, 0, 0}, {735, 0, 0, 0}, {736, 2, 0, 0}}, []string{"[before],[before still]", "[before]"}},
		{"a report at midnight", []stop{{710, 0, 0, 0}, {720, 0, 0, 0}, {735, 0, 0, 0}, {736, 2, 0, 0}}, []string{"[before],[before still]", "[before]"}},
		{"a gap of 50 minutes over midnight", []stop{{700, 0, 0, 0}, {750, 0, 0, 0}, {752, 2, 0, 0}}, []string{"[before],[before still]", "[before]"}},
		{"a gap of 40 minutes on the way in over midnight", []stop{{700, 1.5, 0, 0}, {740, 0, 0, 0}, {750, 2, 0, 0}}, []string{"[before],[still]", "[before]"}},
	} {
		track := append(trackOf(base, []stop{{-100, 0, 0, 0}, {-90, 2, 0, 0}}), trackOf(base, row.late)...)
		for _, part := range append(parts, time.Minute) {
			var got []string
			for _, p := range presencesOf(q, statistic.Day, fleet{7: track}, part) {
				var flags []string
				for _, v := range p.Visits {
					flags = append(flags, "["+flagsOf(v)+"]")
				}
				got = append(got, strings.Join(flags, ","))
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("%s, parts of %v: %q, want %q", row.name, part, got, row.want)
			}
		}
	}
}

// TestAShipThatWasAwayComesInAtMidnight: it was in the area in the morning, far away all day, and comes in on a leg over midnight.
func TestAShipThatWasAwayComesInAtMidnight(t *testing.T) {
	base := geo.Point{Lon: 10, Lat: 56}
	q := statistic.AreaQuestion{Period: statistic.Period{Begin: at(0, 0, 0), End: at(48, 0, 0)}, Area: geo.NewArea(geo.Polygon{square(base, 1)})}
	var got []statistic.Presence
	c := statistic.NewGrouped(q, statistic.Day, func(p statistic.Presence) { got = append(got, p) })
	c.Take(7, trackOf(base, []stop{{-100, 2, 0, 0}, {-96, 0, 0, 0}, {-92, 2, 0, 0}}))
	c.Over(at(24, 0, 0))
	c.Take(7, trackOf(base, []stop{{714, 2, 0, 0}, {722, 0, 0, 0}, {724, 2, 0, 0}}))
	c.Over(at(25, 0, 0))
	if len(got) != 1 || len(got[0].Visits) != 2 || got[0].Inside != 6*time.Minute {
		t.Errorf("when the next day has an hour: %+v", got)
	}
	if c.End(); len(got) != 2 || len(got[1].Visits) != 1 || got[1].Inside != 3*time.Minute {
		t.Errorf("%+v", got)
	}
}

// TestTimeAfterTheEndCountsForNothing holds that a ship that was heard at the end does not become silent by time that nobody asked for.
func TestTimeAfterTheEndCountsForNothing(t *testing.T) {
	base := geo.Point{Lon: 10, Lat: 56}
	q := statistic.AreaQuestion{Period: statistic.Period{Begin: at(12, 0, 0), End: at(13, 0, 0)}, Area: geo.NewArea(geo.Polygon{square(base, 1)})}
	told := 0
	c := statistic.NewArea(q, func(v statistic.Visit) {
		if told++; v.LeftBySilence || !v.StillInside {
			t.Errorf("%+v", v)
		}
	})
	c.Take(7, trackOf(base, []stop{{40, 0, 0, 0}}))
	c.Over(at(20, 0, 0))
	if c.End(); told != 1 {
		t.Errorf("%d visits", told)
	}
}

// TestPresences tells the records of a ship that stays from Thursday 2026-12-31 22:00 to Friday 2027-01-01 02:00, and comes back on Monday.
func TestPresences(t *testing.T) {
	base := geo.Point{Lon: 10, Lat: 56}
	var track ship.Track
	begin := time.Date(2026, 12, 31, 22, 0, 0, 0, time.UTC)
	for minute := 0; minute <= 240; minute += 20 {
		track = append(track, fixAt(begin.Add(time.Duration(minute)*time.Minute), base))
	}
	monday := time.Date(2027, 1, 4, 10, 0, 0, 0, time.UTC)
	track = append(track, fixAt(monday, base))
	q := statistic.AreaQuestion{Period: statistic.Period{Begin: begin.AddDate(0, 0, -1), End: begin.AddDate(0, 0, 7)}, Area: geo.NewArea(geo.Polygon{square(base, 1)})}
	for _, row := range []struct {
		by    statistic.CalendarInterval
		names []string
		hours []float64
	}{
		{statistic.Whole, []string{""}, []float64{4}},
		{statistic.Day, []string{"2026-12-31", "2027-01-01", "2027-01-04"}, []float64{2, 2, 0}},
		{statistic.Week, []string{"2026-W53", "2027-W01"}, []float64{4, 0}},
		{statistic.Month, []string{"2026-12", "2027-01"}, []float64{2, 2}},
		{statistic.Quarter, []string{"2026-Q4", "2027-Q1"}, []float64{2, 2}},
		{statistic.Year, []string{"2026", "2027"}, []float64{2, 2}},
	} {
		for _, part := range parts {
			got := presencesOf(q, row.by, fleet{7: track}, part)
			if len(got) != len(row.names) {
				t.Errorf("%v, parts of %v: %+v", row.by, part, got)
				continue
			}
			for i, p := range got {
				if p.Interval != row.names[i] || p.Inside.Hours() != row.hours[i] || p.MMSI != 7 || len(p.Moments()) != 2*len(p.Visits) {
					t.Errorf("%v: %+v, want %v %v h", row.by, p, row.names[i], row.hours[i])
				}
			}
		}
		if back, ok := statistic.IntervalOf(row.by.String()); ok != (row.by != statistic.Whole) || ok && back != row.by {
			t.Errorf("%v is read as %v", row.by, back)
		}
	}
	days := presencesOf(q, statistic.Day, fleet{7: track}, 0)
	if v := days[0].Visits[0]; !v.StillInside || v.Out.Fix.Time() != time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) {
		t.Errorf("midnight does not cut: %+v", v)
	}
	if v := days[1].Visits[0]; !v.EnteredBefore || !v.LeftBySilence || v.In.Fix.Time() != time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC) {
		t.Errorf("midnight does not begin: %+v", v)
	}
}
