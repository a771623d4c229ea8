package statistic

import (
	"math"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// hourOf returns two fixes a minute of a ship that sails to the east in an hour.
func hourOf(hour time.Time, lat float64) (track ship.Track) {
	for i := range 120 {
		track = append(track, ship.Fix{At: hour.UnixMilli() + int64(i)*30_000, Lon: int32(600_000 * (10 + 0.001*float64(i))), Lat: int32(600_000 * lat),
			SOG: ais.SOGTenths(80)})
	}
	return track
}

// TestNearQuestionsForget: after days of which each has other ships, no more is held than after a day.
func TestNearQuestionsForget(t *testing.T) {
	begin := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	period := Period{begin, begin.Add(6 * 24 * time.Hour)}
	ring := []geo.Point{{Lon: 9, Lat: 54}, {Lon: 11, Lat: 54}, {Lon: 11, Lat: 56}, {Lon: 9, Lat: 56}, {Lon: 9, Lat: 54}}
	told := 0
	miss := NewNearMiss(NearMissQuestion{Period: period, Area: geo.NewArea(geo.Polygon{ring}), Distance: 300}, func(Encounter) { told++ })
	point := NewNearPoint(NearPointQuestion{Period: period, Place: geo.Point{Lon: 10.05, Lat: 55}, Distance: 3000}, func(NearPass) { told++ })
	most := [4]int{}
	for h := range 6 * 24 {
		hour := begin.Add(time.Duration(h) * time.Hour)
		for i := range 6 {
			m, part := ais.MMSI(1000*(h/24)+i), hourOf(hour, 55+0.002*float64(i))
			miss.Take(m, part)
			point.Take(m, part)
		}
		miss.Over(hour.Add(time.Hour))
		point.Over(hour.Add(time.Hour))
		legs := 0
		for _, slice := range miss.legs.bySlice {
			legs += len(slice.legs)
		}
		for i, n := range [4]int{legs, len(miss.ships), len(miss.open), len(point.ships)} {
			most[i] = max(most[i], n)
		}
	}
	miss.End()
	point.End()
	t.Logf("%d told; at most %d legs, %d ships, %d encounters, %d ships near the place", told, most[0], most[1], most[2], most[3])
	if told != 6*11 || most[0] > 6*120 || most[1] > 12 || most[2] > 15 || most[3] > 12 {
		t.Errorf("%d told; held %v", told, most)
	}
	if len(miss.legs.bySlice)+len(miss.open)+len(point.ships) != 0 {
		t.Error("something is held after the end")
	}
}

// TestFartherIsNeverWrong: what it says is far is far, measured on the ellipsoid.
func TestFartherIsNeverWrong(t *testing.T) {
	said := 0
	for i := range 20_000 {
		at := func(k int, metres float64) geo.Point { // invented, but always the same
			turn, far := math.Mod(float64(i*k)*137.5, 360), metres*math.Mod(float64(i*k)*0.618, 1)
			return geo.Destination(geo.Point{Lon: 180, Lat: math.Mod(float64(i)*7.3, 168) - 84}, turn, far)
		}
		a0, a1, b0, b1 := at(1, 3000), at(2, 9000), at(3, 6000), at(5, 9000)
		if farther(a0, a1, b0, b1, 500) {
			said++
			if _, metres := geo.Approach(a0, a1, b0, b1); metres <= 500 {
				t.Fatalf("%v %v, %v %v come to %.1f m", a0, a1, b0, b1, metres)
			}
		}
	}
	if said < 1000 {
		t.Errorf("only %d are far", said)
	}
}

// TestApartIsNeverWrong: legs that are said to be apart are so on the ellipsoid, at 180° and near a pole too, and most legs that are far apart are said to be.
func TestApartIsNeverWrong(t *testing.T) {
	const metres = 500
	fix := func(p geo.Point) ship.Fix { return ship.Fix{Lon: placeUnits(p.Lon), Lat: placeUnits(p.Lat)} }
	said, far := 0, 0
	for i := range 20_000 {
		middle := geo.Point{Lon: 60 * float64(i%4), Lat: math.Mod(float64(i)*7.3, 178) - 89} // a fourth at 180°
		at := func(k int, metres float64) geo.Point {                                        // invented, but always the same
			turn, way := math.Mod(float64(i*k)*137.5, 360), metres*math.Mod(float64(i*k)*0.618, 1)
			return geo.Destination(middle, turn, way)
		}
		a := leg{ship.Leg{From: fix(at(1, 3000)), To: fix(at(2, 3000))}, 1}
		b := leg{ship.Leg{From: fix(at(3, 6000)), To: fix(at(5, 6000))}, 2}
		apart := reachOf(a.legBounds(), metres).areApart(&a, &b)
		nearest := math.Inf(1)
		for k := range 21 {
			for l := range 21 {
				nearest = min(nearest, geo.Distance(a.pointAt(float64(k)/20), b.pointAt(float64(l)/20)))
			}
		}
		if apart {
			said++
		}
		if nearest > 2*metres {
			far++
		}
		if apart && nearest <= metres {
			t.Fatalf("%v %v, %v %v come to %.1f m", a.From.Point(), a.To.Point(), b.From.Point(), b.To.Point(), nearest)
		}
	}
	if said < far/3 {
		t.Errorf("only %d of %d are said to be apart", said, far)
	}
	t.Logf("%d are said to be apart, %d are", said, far)
}

// TestPartBoundsHoldAll: the rectangle of a part holds each of its places, and is that of the general code, across 180° too.
func TestPartBoundsHoldAll(t *testing.T) {
	for i := range 2000 {
		var part ship.Track
		middle := geo.Point{Lon: math.Mod(float64(i)*67.1, 360) - 180, Lat: math.Mod(float64(i)*7.3, 160) - 80}
		if i%4 == 0 {
			middle.Lon = 180
		}
		for k := range 1 + i%7 {
			p := geo.Destination(middle, math.Mod(float64(i*k)*137.5, 360), 9000*math.Mod(float64(i*k)*0.618, 1))
			part = append(part, ship.Fix{Lon: placeUnits(p.Lon), Lat: placeUnits(p.Lat)})
		}
		box, want := partBounds(part[0], part[1:]), geo.RectOf(part[0].Point())
		for _, f := range part {
			want = want.Extend(f.Point())
			if !box.Contains(f.Point()) {
				t.Fatalf("%+v does not hold %v", box, f.Point())
			}
		}
		if box != want {
			t.Fatalf("%v: %+v, want %+v", part, box, want)
		}
	}
}
