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

// lengthOf is the length of a ship by the feeds of its fix, so that a leg alone tells it. Each fifth is not known.
func lengthOf(f ship.Fix) (metres float64, known bool) {
	return 30 + 40*float64(f.Feeds), f.Feeds%5 != 4
}

// domainOf returns a domain of so many lengths ahead and abeam.
func domainOf(ahead, abeam float64) *statistic.Domain {
	return &statistic.Domain{Ahead: ahead, Abeam: abeam, Length: func(_ ais.MMSI, f ship.Fix) (float64, bool) { return lengthOf(f) }}
}

// rigged returns lengths to ships, and headings to two thirds of them: some degrees off the course.
func (t tracks) rigged() tracks {
	for m, track := range t {
		for i := range track {
			track[i].Feeds = ship.FeedSet(m % 7)
			if degrees, known := track[i].COG.Degrees(); known && m%3 > 0 {
				track[i].Heading = ais.HeadingDegrees((int(degrees) + int(m%20)) % 360)
			}
		}
	}
	return t
}

// slowMeeting tells how two ships meet by where they were an hour before they are at one place.
func slowMeeting(sogA, sogB, cogA, cogB float64) statistic.Meeting {
	if math.IsNaN(cogA) || math.IsNaN(cogB) || sogA < 0.5 || sogB < 0.5 {
		return ""
	}
	turn := math.Mod(cogA-cogB+720, 360)
	if turn >= 170 && turn <= 190 {
		return "head-on"
	}
	if sogA > sogB {
		sogA, sogB, cogA, cogB = sogB, sogA, cogB, cogA
	}
	off := (cogB - cogA) * math.Pi / 180 // seen from the bow of the slower
	abeam, ahead := -sogB*math.Sin(off), sogA-sogB*math.Cos(off)
	switch {
	case math.Hypot(abeam, ahead) < 0.5:
		return ""
	case ahead < -math.Hypot(abeam, ahead)*math.Sin(22.5*math.Pi/180):
		return "overtaking"
	}
	return "crossing"
}

// slowRatio tells how deep a place lies in the domain of a ship, by distance and bearing on the ellipsoid.
func slowRatio(d *statistic.Domain, own ship.Fix, at, other geo.Point) float64 {
	length, known := lengthOf(own)
	if !known {
		length = 50
	}
	metres, a, b := geo.Distance(at, other), d.Ahead*length, d.Abeam*length
	heading := float64(own.Heading) - 1
	if own.Heading == 0 {
		if heading = (float64(own.COG) - 1) / 10; own.COG == 0 || own.SOG < 6 { // below 0.5 kn, or not known
			return metres / max(a, b)
		}
	}
	if metres == 0 {
		return 0
	}
	off := (geo.Bearing(at, other) - heading) * math.Pi / 180
	return math.Hypot(metres*math.Cos(off)/a, metres*math.Sin(off)/b)
}

// slowIntrusion finds when one of two is deepest in the domain of the other, by trying many times.
func slowIntrusion(q statistic.NearMissQuestion, a, b ship.Leg, from, to float64, apart func(float64) float64) (ms float64, deep statistic.Intrusion) {
	deep.Ratio = math.Inf(1)
	for i, own := range []ship.Leg{a, b} {
		other := []ship.Leg{b, a}[i]
		ratio := func(ms float64) float64 {
			if apart(ms) > q.Distance+0.001 {
				return math.Inf(1)
			}
			return slowRatio(q.Domain, own.From, legAt(own.From, own.To, ms), legAt(other.From, other.To, ms))
		}
		const tries = 150
		where, least := from, math.Inf(1)
		for k := range tries + 1 {
			at := from + (to-from)*float64(k)/tries
			if r := ratio(at); r < least-1e-9 {
				where, least = at, r
			}
		}
		if !math.IsInf(least, 1) {
			where, least = leastOf(max(from, where-(to-from)/tries), min(to, where+(to-from)/tries), ratio)
		}
		if _, known := lengthOf(own.From); least < deep.Ratio {
			ms, deep = where, statistic.Intrusion{Ratio: least, Of: i, Assumed: !known}
		}
	}
	return ms, deep
}

// slowlyCloser reports whether a hit is told rather than another.
func slowlyCloser(q statistic.NearMissQuestion, e, best *statistic.Encounter) bool {
	if q.Domain != nil {
		return e.Intrusion.Ratio < best.Intrusion.Ratio
	}
	return e.Distance < best.Distance
}

// sameIntrusions compares two answers: the same pairs, as deep to half a hundredth. When each is deepest may differ where both stay as deep.
func sameIntrusions(t *testing.T, name string, got, want []statistic.Encounter) {
	t.Helper()
	order := func(a, b statistic.Encounter) int {
		return cmp.Or(cmp.Compare(a.Ships[0].MMSI, b.Ships[0].MMSI), cmp.Compare(a.Ships[1].MMSI, b.Ships[1].MMSI), cmp.Compare(a.At, b.At))
	}
	got, want = slices.Clone(got), slices.Clone(want)
	slices.SortFunc(got, order)
	slices.SortFunc(want, order)
	if len(got) != len(want) {
		t.Fatalf("%s: %d encounters, want %d", name, len(got), len(want))
	}
	for i, g := range got {
		w := want[i]
		if g.Ships[0].MMSI != w.Ships[0].MMSI || g.Ships[1].MMSI != w.Ships[1].MMSI || math.Abs(g.Intrusion.Ratio-w.Intrusion.Ratio) > 0.002 {
			t.Fatalf("%s: %+v\nwant %+v", name, g, w)
		}
		if math.Abs(float64(g.At-w.At)) < 1000 && (g.Meeting != w.Meeting || math.Abs(g.Distance-w.Distance) > 25 || g.Intrusion.Assumed != w.Intrusion.Assumed && g.Intrusion.Of == w.Intrusion.Of) {
			t.Errorf("%s: %+v\nwant %+v", name, g, w)
		}
	}
}

// TestDomainsAgainstTrying asks about invented tracks by ship domain, whole and in hours, and answers by trying.
func TestDomainsAgainstTrying(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 11))
	told, kinds := 0, map[statistic.Meeting]int{}
	for i, middle := range []geo.Point{{Lon: 10, Lat: 55}, {Lon: 180, Lat: -20}, {Lon: -70, Lat: 71}} {
		all := invented(r, 14, middle, 3500, 400, nearDay().Add(22*time.Hour), 3).rigged()
		fujii := statistic.NearMissQuestion{Period: statistic.Period{Begin: nearDay().Add(22*time.Hour + 20*time.Minute), End: nearDay().Add(24*time.Hour + 30*time.Minute)},
			Area: geo.NewArea(squareAt(middle, 2500)), Distance: 600, Domain: domainOf(4, 1.6)}
		wide, some := fujii, fujii
		wide.Domain, wide.Distance, wide.SOG, wide.DCOG = domainOf(2, 6), 300, statistic.Range{Min: value(1)}, statistic.Range{Min: value(15)}
		some.Meetings, some.Team = []statistic.Meeting{statistic.HeadOn, statistic.Overtaking}, []ais.MMSI{219000001, 219000003, 219000006, 219000012}
		for k, asked := range []statistic.NearMissQuestion{fujii, wide, some} {
			name := fmt.Sprint("place ", i, ", question ", k)
			got, rafted := misses(asked, all.whole)
			want, slowly := slowMisses(asked, all)
			sameIntrusions(t, name, got, want)
			parts, inParts := misses(asked, func(c statistic.Counter) { all.inHours(r, c) })
			if !slices.Equal(parts, got) || rafted != slowly || inParts != rafted {
				t.Errorf("%s: %d in hours, %d as a whole; %d lay, %d in hours, want %d", name, len(parts), len(got), rafted, inParts, slowly)
			}
			for _, e := range got {
				told++
				kinds[e.Meeting]++
				if e.Distance > asked.Distance+0.1 || e.Intrusion.Ratio > 1 || k == 2 && !slices.Contains(asked.Meetings, e.Meeting) {
					t.Errorf("%s: %+v", name, e)
				}
			}
		}
	}
	t.Logf("%d encounters: %v", told, kinds)
	if told < 60 || len(kinds) < 4 {
		t.Errorf("only %d encounters: %v", told, kinds)
	}
}

// still returns a ship that lies at a place with a heading, below 0 for none.
func still(at geo.Point, heading int) (track ship.Track) {
	for i := range 21 {
		f := nearFix(clock(12, i, 0), at.Lon, at.Lat, 0, 45)
		f.Heading = ais.HeadingDegrees(heading)
		track = append(track, f)
	}
	return track
}

// long returns a track of a ship of a size, as lengthOf has it.
func long(feeds ship.FeedSet, track ship.Track) ship.Track {
	for i := range track {
		track[i].Feeds = feeds
	}
	return track
}

// eastward returns a ship that passes a place to the east, ten minutes after noon, at 10 knots.
func eastward(at geo.Point) ship.Track {
	from := geo.Destination(at, 270, 100*1852.0/60)
	return straightOn(clock(12, 0, 0), 20, from, 10, geo.Bearing(from, at))
}

// TestDomain has the cases by name. A ship passes another, so many metres north of it. Fujii's domain of a ship of
// 110 m reaches 440 m ahead and 176 m abeam.
func TestDomain(t *testing.T) {
	middle := geo.Point{Lon: 10, Lat: 55}
	off := func(course, metres float64) geo.Point { return geo.Destination(middle, course, metres) }
	a, b := ais.MMSI(211000001), ais.MMSI(219000002)
	passing := func(feeds ship.FeedSet, north float64) ship.Track {
		return long(feeds, eastward(off(0, north)))
	}
	noon := clock(12, 10, 0)
	for _, row := range []struct {
		name  string
		all   tracks
		most  float64
		at    int64
		want  string // the ratio, whose domain it is, and whether its length is assumed
		alter func(*statistic.NearMissQuestion)
	}{
		{"abeam of the bow of one at rest", tracks{a: long(2, still(middle, 0)), b: passing(0, 396)}, 1000, noon, "0.90 of 0", nil},
		{"beyond its beam", tracks{a: long(2, still(middle, 90)), b: passing(0, 396)}, 1000, 0, "", nil},
		{"within its beam", tracks{a: long(2, still(middle, 90)), b: passing(0, 88)}, 1000, noon, "0.50 of 0", nil},
		{"in that of the other", tracks{a: long(0, still(middle, 90)), b: passing(2, 88)}, 1000, noon, "0.50 of 1", nil},
		{"heading not known: a circle", tracks{a: long(2, still(middle, -1)), b: passing(0, 396)}, 1000, noon, "0.90 of 0", nil},
		{"length not known: 50 m", tracks{a: long(4, still(middle, 0)), b: passing(0, 100)}, 1000, noon, "0.50 of 0 assumed", nil},
		{"farther than distance.max", tracks{a: long(2, still(middle, 0)), b: passing(0, 396)}, 390, 0, "", nil},
		{"deepest ahead, not nearest", tracks{a: long(2, still(middle, 45)), b: passing(0, 100)}, 1000, 0, "0.30 of 0", nil},
		{"both at rest", tracks{a: long(2, still(middle, 0)), b: long(2, still(off(90, 40), 0))}, 1000, 0, "", nil},
		{"both at rest, and asked for", tracks{a: long(2, still(middle, 0)), b: long(2, still(off(90, 44), 0))}, 1000, clock(12, 0, 0), "0.25 of 0",
			func(q *statistic.NearMissQuestion) { q.SOG.Min = value(0) }},
		{"one at rest meets nobody", tracks{a: long(2, still(middle, 0)), b: passing(0, 396)}, 1000, 0, "",
			func(q *statistic.NearMissQuestion) { q.Meetings = statistic.Meetings() }},
	} {
		q := statistic.NearMissQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(24 * time.Hour)}, Area: geo.NewArea(squareAt(middle, 10_000)),
			Distance: row.most, Domain: domainOf(4, 1.6)}
		if row.alter != nil {
			row.alter(&q)
		}
		found, _ := misses(q, row.all.whole)
		said := ""
		for _, e := range found {
			said += fmt.Sprintf("%.2f of %d", e.Intrusion.Ratio, e.Intrusion.Of)
			if e.Intrusion.Assumed {
				said += " assumed"
			}
			if row.at != 0 && math.Abs(float64(e.At-row.at)) > 1000 {
				t.Errorf("%s: at %s", row.name, time.UnixMilli(e.At).UTC())
			}
		}
		if said != row.want {
			t.Errorf("%s: %q, want %q", row.name, said, row.want)
		}
	}
}

// TestTheDeepestIsNotTheNearest: a ship crosses ahead of another, and is deeper in its domain before both are nearest.
func TestTheDeepestIsNotTheNearest(t *testing.T) {
	middle := geo.Point{Lon: 10, Lat: 55}
	all := tracks{1: long(2, still(middle, 45)), 2: long(0, eastward(geo.Destination(middle, 0, 100)))}
	q := statistic.NearMissQuestion{Period: statistic.Period{Begin: nearDay(), End: nearDay().Add(24 * time.Hour)}, Area: geo.NewArea(squareAt(middle, 10_000)), Distance: 1000}
	nearest, _ := misses(q, all.whole)
	q.Domain = domainOf(4, 1.6)
	deepest, _ := misses(q, all.whole)
	// In a frame along the heading, 100 m north and x m east are (100+x)/√2 ahead and (x-100)/√2 abeam: least at x = 100·(1/1.6²-1/4²)/(1/1.6²+1/4²) = 72.4 m.
	if len(nearest) != 1 || len(deepest) != 1 {
		t.Fatalf("%v, %v", nearest, deepest)
	}
	if after := float64(deepest[0].At-nearest[0].At) / 1000 * 10 * 1852 / 3600; math.Abs(after-72.4) > 1 || math.Abs(deepest[0].Distance-123.5) > 1 {
		t.Errorf("%.1f m later, %.1f m apart", after, deepest[0].Distance)
	}
}
