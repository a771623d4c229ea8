package statistic_test

import (
	"bufio"
	"cmp"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/ship/statistic"
)

// nearDay is the day of the invented tracks.
func nearDay() time.Time { return time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC) }

// clock returns a time of that day, or of one after it, in Unix milliseconds.
func clock(hours, minutes, seconds int) int64 {
	return nearDay().Add(time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second).UnixMilli()
}

// nearFix returns a fix; knots below 0 are unknown.
func nearFix(at int64, lon, lat, knots, course float64) ship.Fix {
	return ship.Fix{At: at, Lon: int32(math.Round(lon * 600000)), Lat: int32(math.Round(lat * 600000)),
		SOG: ais.SOGTenths(int(math.Round(knots * 10))), COG: ais.COGTenths(int(math.Round(course * 10)))}
}

// tracks are those of some ships.
type tracks map[ais.MMSI]ship.Track

// numbers returns the ships in order.
func (t tracks) numbers() []ais.MMSI { return slices.Sorted(maps.Keys(t)) }

// whole hands all to a counter at once.
func (t tracks) whole(c statistic.Counter) {
	for _, m := range t.numbers() {
		c.Take(m, t[m])
	}
	c.End()
}

// inHours hands all to a counter hour by hour, the ships of an hour in any order. Each part begins with the last fix of the part before.
func (t tracks) inHours(r *rand.Rand, c statistic.Counter) {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, track := range t {
		first, last = min(first, track[0].At), max(last, track[len(track)-1].At)
	}
	for hour := time.UnixMilli(first).UTC().Truncate(time.Hour); hour.UnixMilli() <= last; hour = hour.Add(time.Hour) {
		numbers := t.numbers()
		r.Shuffle(len(numbers), func(i, k int) { numbers[i], numbers[k] = numbers[k], numbers[i] })
		for _, m := range numbers {
			part := t[m].Within(hour, hour.Add(time.Hour))
			if len(part) == 0 {
				continue
			}
			if i := slices.Index(t[m], part[0]); i > 0 && r.IntN(4) > 0 {
				part = t[m][i-1 : i+len(part)]
			}
			c.Take(m, slices.Clone(part))
		}
		c.Over(hour.Add(time.Hour))
	}
	c.End()
}

// invented returns tracks of ships that sail about within so many metres of a place for some hours. Each fifth lies still, at a berth so near.
func invented(r *rand.Rand, ships int, middle geo.Point, metres, berths float64, begin time.Time, hours float64) tracks {
	all := tracks{}
	for i := range ships {
		if i%5 == 4 {
			all[ais.MMSI(219000001+i)] = lie(r, geo.Destination(middle, 360*r.Float64(), berths*r.Float64()), begin, hours)
		} else {
			all[ais.MMSI(219000001+i)] = sail(r, middle, metres, begin, hours)
		}
	}
	return all
}

// lie invents the track of a ship that lies still.
func lie(r *rand.Rand, berth geo.Point, begin time.Time, hours float64) (track ship.Track) {
	end := begin.UnixMilli() + int64(hours*3600_000)
	for now := begin.UnixMilli() + r.Int64N(180_000); now < end; now += 170_000 + r.Int64N(20_000) {
		at := geo.Destination(berth, 360*r.Float64(), 8*r.Float64())
		track = append(track, nearFix(now, at.Lon, at.Lat, 0.2*r.Float64(), 360*r.Float64()))
	}
	return track
}

// sail invents a track: a ship that alters course, stops, is silent, jumps, and does not always tell its speed.
func sail(r *rand.Rand, middle geo.Point, metres float64, begin time.Time, hours float64) (track ship.Track) {
	at := geo.Destination(middle, 360*r.Float64(), metres*r.Float64())
	knots, course := 20*r.Float64(), 360*r.Float64()
	end := begin.UnixMilli() + int64(hours*3600_000)
	for now := begin.UnixMilli() + r.Int64N(600_000); now < end; {
		f := nearFix(now, at.Lon, at.Lat, knots, course)
		switch r.IntN(40) {
		case 0:
			f.SOG, f.COG = 0, 0
		case 1:
			f.Mark |= ship.NewSegment
		case 2:
			f.Mark |= ship.BySatellite
		}
		track = append(track, f)
		seconds := 2 + 60*r.Float64()
		switch r.IntN(60) {
		case 0:
			seconds = 4000 * r.Float64()
		case 1:
			knots = 0.3 * r.Float64()
		case 2, 3:
			knots = 25 * r.Float64()
		case 4, 5, 6:
			course = 360 * r.Float64()
		}
		if geo.Distance(at, middle) > metres {
			course = geo.Bearing(at, middle)
		}
		at = geo.Destination(at, course, knots*1852/3600*seconds)
		now += int64(1000 * seconds)
	}
	return track
}

// squareAt returns a polygon of so many metres round a place.
func squareAt(middle geo.Point, metres float64) geo.Polygon {
	var ring []geo.Point
	for _, corner := range []float64{225, 135, 45, 315, 225} {
		ring = append(ring, geo.Destination(middle, corner, metres))
	}
	return geo.Polygon{ring}
}

// legAt returns where a leg is at a time, straight in degrees, without the code that is tested.
func legAt(from, to ship.Fix, ms float64) geo.Point {
	share := (ms - float64(from.At)) / float64(to.At-from.At)
	a, b := from.Point(), to.Point()
	return geo.Point{Lon: a.Lon + share*math.Remainder(b.Lon-a.Lon, 360), Lat: a.Lat + share*(b.Lat-a.Lat)}.Normalized()
}

// leastOf finds the least value of a function by trying, in ever smaller steps.
func leastOf(from, to float64, f func(float64) float64) (where, least float64) {
	least = math.Inf(1)
	low, high := from, to
	for range 9 {
		step := (high - low) / 10
		for i := range 11 {
			if v := f(low + float64(i)*step); v < least-1e-7 {
				where, least = low+float64(i)*step, v
			}
		}
		low, high = max(from, where-step), min(to, where+step)
	}
	return where, least
}

// tableOf returns the tracks of a table of recorded reports: its columns are time, MMSI, latitude, longitude, and the two given ones.
func tableOf(t testing.TB, name, layout string, cog, sog int) tracks {
	t.Helper()
	all := tracks{}
	lines := bufio.NewScanner(shiptest.Recording(t, name))
	for lines.Scan(); lines.Scan(); {
		words := strings.Split(strings.ReplaceAll(lines.Text(), `"`, ""), ",")
		when, err := time.Parse(layout, words[0])
		m, err2 := strconv.ParseInt(words[1], 10, 64)
		lat, err3 := strconv.ParseFloat(words[2], 64)
		lon, err4 := strconv.ParseFloat(words[3], 64)
		if err := errors.Join(err, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		f := nearFix(when.UnixMilli(), lon, lat, numberOr(words[sog], -1), numberOr(words[cog], -1))
		all[ais.MMSI(m)] = append(all[ais.MMSI(m)], f)
	}
	for m, track := range all {
		slices.SortStableFunc(track, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
		all[m] = slices.CompactFunc(track, func(a, b ship.Fix) bool { return a.At == b.At })
	}
	return all
}

// solent returns the recording of the Solent: 66 minutes of a busy water.
func solent(t testing.TB) tracks {
	return tableOf(t, "csv/solent_2016-01-12.csv.gz", "2006-01-02 15:04:05.999", 4, 5)
}

func numberOr(word string, none float64) float64 {
	if v, err := strconv.ParseFloat(word, 64); err == nil {
		return v
	}
	return none
}
