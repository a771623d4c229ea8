package track

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// TestThinningIsExactToTwentyFiveMetres: each dropped fix lies within 25 m of the straight line between the kept ones, at its time. One
// per cent more is allowed, since the thinner's earth is flat.
func TestThinningIsExactToTwentyFiveMetres(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fixes := wander(t)
		kept := Thin(fixes, false)
		if len(kept) == 0 || kept[0] != fixes[0] || kept[len(kept)-1].At != fixes[len(fixes)-1].At {
			t.Fatalf("the ends are not kept")
		}
		for _, f := range fixes {
			i, found := slices.BinarySearchFunc(kept, f, func(a, b ship.Fix) int { return cmp.Compare(a.At, b.At) })
			if found {
				continue
			}
			a, b := kept[i-1], kept[i]
			if d := geo.Distance(between(a, b, f.At), f.Point()); d > thinMetres*1.01 {
				t.Fatalf("%v m off between %+v and %+v: %+v", d, a, b, f)
			}
			if f.At-a.At >= thinResting {
				t.Fatalf("%+v was dropped %d ms after the last kept one", f, f.At-a.At)
			}
		}
	})
}

// between returns the place on the line from a to b at a time, by longitude and latitude the short way round.
func between(a, b ship.Fix, at int64) geo.Point {
	part := float64(at-a.At) / float64(b.At-a.At)
	lon := float64(a.Lon) + part*float64(wrapUnits(int64(b.Lon)-int64(a.Lon)))
	lat := float64(a.Lat) + part*float64(b.Lat-a.Lat)
	return geo.Point{Lon: lon / 600000, Lat: lat / 600000}.Normalized()
}

// wander draws a track with turns, stops and noise, that may cross 180° and come to high latitudes.
func wander(t *rapid.T) []ship.Fix {
	n := rapid.IntRange(1, 200).Draw(t, "n")
	lat := rapid.Float64Range(-75, 75).Draw(t, "lat")
	lon := rapid.SampledFrom([]float64{10, 179.999, -179.999, 0}).Draw(t, "lon")
	speed, course := rapid.Float64Range(0, 40).Draw(t, "speed"), rapid.Float64Range(0, 360).Draw(t, "course")
	at := at0
	var fixes []ship.Fix
	for range n {
		fixes = append(fixes, ship.Fix{At: at, Lon: int32(math.Round(lon * 600000)), Lat: int32(math.Round(lat * 600000)),
			SOG: ais.SOGTenths(int(speed * 10)), COG: ais.COGTenths(int(course*10) % 3600)})
		step := rapid.Int64Range(1000, 30_000).Draw(t, "step")
		at += step
		switch rapid.IntRange(0, 9).Draw(t, "turn") {
		case 0:
			course = math.Mod(course+rapid.Float64Range(0, 90).Draw(t, "by"), 360)
		case 1:
			speed = rapid.Float64Range(0, 40).Draw(t, "speed")
		}
		p := geo.Destination(geo.Point{Lon: lon, Lat: lat}, course, speed*1852/3600*float64(step)/1000+rapid.Float64Range(0, 8).Draw(t, "noise"))
		lon, lat = p.Normalized().Lon, p.Lat
	}
	return fixes
}

func TestThinningKeepsWhatMatters(t *testing.T) {
	base := ship.Fix{At: at0, Lon: 6_000_000, Lat: 33_000_000, SOG: ais.SOGTenths(0), COG: ais.COGTenths(100), Status: ais.StatusMoored}
	moved := func(seconds int64, change func(*ship.Fix)) ship.Fix {
		f := base
		f.At += seconds * 1000
		change(&f)
		return f
	}
	still := func(*ship.Fix) {}
	rest := []ship.Fix{base, moved(180, still), moved(200, still)}
	for _, c := range []struct {
		name string
		next ship.Fix
		want int // of rest and next
	}{
		{"at rest", moved(220, still), 2},
		{"six minutes at rest", moved(360, still), 2},
		{"status", moved(220, func(f *ship.Fix) { f.Status = ais.StatusUnderWayEngine }), 3},
		{"leaving rest: both sides", moved(220, func(f *ship.Fix) { f.SOG = ais.SOGTenths(20) }), 3},
		{"speed at rest is noise", moved(220, func(f *ship.Fix) { f.SOG = ais.SOGTenths(1) }), 2},
		{"at 0.2 kn: both sides", moved(220, func(f *ship.Fix) { f.SOG = ais.SOGTenths(2) }), 3},
		{"speed unknown and the line bent", moved(220, func(f *ship.Fix) { f.SOG, f.Lat = 0, f.Lat+400 }), 3},
		{"a mark", moved(220, func(f *ship.Fix) { f.Mark = ship.NewSegment }), 3},
		{"end of a gap", moved(700, still), 3},
		{"course at rest is noise", moved(220, func(f *ship.Fix) { f.COG = ais.COGTenths(1900) }), 2},
		{"the next hour", moved(3600, still), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			kept := Thin(append(slices.Clone(rest), c.next), false)
			if len(kept) != c.want || kept[len(kept)-1].At != c.next.At {
				t.Errorf("%d kept, want %d: %+v", len(kept), c.want, kept)
			}
		})
	}
}
