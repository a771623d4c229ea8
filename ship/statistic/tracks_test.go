package statistic_test

import (
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

// at returns a time of the day of most tests, or of the days after it.
func at(hour, minute, second int) time.Time {
	return time.Date(2026, 11, 20, hour, minute, second, 0, time.UTC)
}

func fixAt(t time.Time, p geo.Point) ship.Fix {
	return ship.Fix{At: t.UnixMilli(), Lon: int32(math.Round(p.Lon * 600000)), Lat: int32(math.Round(p.Lat * 600000))}
}

// dice draws ships about a place.
type dice struct {
	*rand.Rand
	base geo.Point
	size float64 // degrees of latitude from the middle to a side
}

func newDice(seed uint64) *dice {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 11)), size: 0.03}
	d.base = []geo.Point{{Lon: 10.3, Lat: 56.1}, {Lon: 179.999, Lat: -17}, {Lon: -180, Lat: 65}, {Lon: 0, Lat: 0}}[d.IntN(4)]
	return d
}

// place draws a place that AIS can tell.
func (d *dice) place() geo.Point {
	wide := d.size / math.Cos(d.base.Lat*math.Pi/180)
	return whole(geo.Point{Lon: d.base.Lon + wide*(2*d.Float64()-1), Lat: d.base.Lat + d.size*(2*d.Float64()-1)})
}

func whole(p geo.Point) geo.Point { return fixAt(time.Time{}, p.Normalized()).Point() }

// ring draws a closed ring, which often crosses itself.
func (d *dice) ring(corners int) []geo.Point {
	var r []geo.Point
	for range corners {
		r = append(r, d.place())
	}
	return append(r, r[0])
}

// track draws the fixes of a ship over some hours or days from midnight: it sails, stands, turns on the spot, falls silent and leaps.
func (d *dice) track(fixes int) (t ship.Track) {
	p, now := d.place(), at(0, 0, 0).Add(-time.Duration(d.IntN(7200))*time.Second)
	course, metres, each := 360*d.Float64(), 0.0, 10
	for range fixes {
		if len(t) == 0 || d.IntN(12) == 0 {
			each = []int{2, 10, 60, 180, 600, 1500}[d.IntN(6)]
			metres = []float64{0, 0, 3, 60, 300, 2000}[d.IntN(6)]
			course = geo.Bearing(p, d.place())
		}
		if d.IntN(9) == 0 {
			course += 180
		}
		f := fixAt(now, p)
		f.SOG, f.Feeds = ais.SOGTenths(d.IntN(200)), ship.FeedSet(d.IntN(3))
		switch d.IntN(60) {
		case 0:
			f.Mark |= ship.NewSegment
			p = d.place()
			f.Lon, f.Lat = fixAt(now, p).Lon, fixAt(now, p).Lat
		case 1:
			each, metres = []int{1800, 1801, 2400, 3600, 3601, 9000, 90000}[d.IntN(7)], 4000
		}
		t = append(t, f)
		now = now.Add(time.Duration(each)*time.Second + time.Duration(d.IntN(1000))*time.Millisecond)
		if metres > 0 {
			p = whole(geo.Destination(p, course, metres*(0.5+d.Float64())))
		}
	}
	return t
}

// ferry draws a ship that sails from place to place within the square.
func (d *dice) ferry(fixes int) (t ship.Track) {
	for now := at(0, 0, 0); len(t) < fixes; now = now.Add(time.Duration(1+d.IntN(1200)) * time.Second) {
		t = append(t, fixAt(now, d.place()))
	}
	return t
}

// fleet is the tracks of ships.
type fleet map[ais.MMSI]ship.Track

// ask hands a counter the tracks of a time in parts of a length; 0 for all at once.
func ask(c statistic.Counter, ships fleet, begin, end time.Time, part time.Duration) {
	if part == 0 {
		part = end.Sub(begin)
	}
	for from := begin; from.Before(end); from = from.Add(part) {
		to := from.Add(part)
		if to.After(end) {
			to = end
		}
		for m, track := range ships { // in any order
			if t := track.Overlapping(from, to); len(t) > 0 {
				c.Take(m, t)
			}
		}
		c.Over(to)
	}
	c.End()
}

// parts are lengths in which a question is asked.
var parts = []time.Duration{0, time.Hour, 7 * time.Minute, 5 * time.Hour}

// sorted returns records in the order of ships and times.
func sorted[R any](records []R, first func(R) statistic.Moment) []R {
	slices.SortStableFunc(records, func(a, b R) int {
		x, y := first(a), first(b)
		if x.MMSI != y.MMSI {
			return int(x.MMSI - y.MMSI)
		}
		return int(x.Fix.At - y.Fix.At)
	})
	return records
}

// near reports whether two times, Unix milliseconds, differ by rounding alone.
func near(a, b int64) bool { return a-b <= 1 && b-a <= 1 }

// xy returns a place in degrees from the base.
func xy(base, p geo.Point) (x, y float64) {
	return math.Remainder(p.Lon-base.Lon, 360), p.Lat - base.Lat
}

// leadsOn reports whether a leg leads from one fix to the next, as docs/statistics.md says.
func leadsOn(a, b ship.Fix) bool {
	return b.Mark&ship.NewSegment == 0 && b.At-a.At <= 30*60*1000
}

func sameTime(t *testing.T, name string, got, want int64) {
	t.Helper()
	if !near(got, want) {
		t.Errorf("%s at %v, want %v", name, time.UnixMilli(got).UTC(), time.UnixMilli(want).UTC())
	}
}
