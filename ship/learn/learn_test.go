package learn

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
	"quaywatch/ship"
)

// The mouth of the Kiel canal: water at its eastern end, and land of the chart to the west.
var (
	fjord  = geo.Point{Lon: 10.158, Lat: 54.3665}
	inland = geo.Point{Lon: 10.110, Lat: 54.3665}
)

func load(t *testing.T) *chart.Chart {
	t.Helper()
	c, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	if c.Land(fjord) || !c.Land(inland) {
		t.Fatal("the mouth of the canal is not where this test has it")
	}
	return c
}

// sail returns the track of a ship from one place to another at 8 knots, with a position each 20 s, on a day.
func sail(from, to geo.Point, day int) ship.Track {
	var t ship.Track
	length, course := geo.Distance(from, to), geo.Bearing(from, to)
	at := time.Date(2026, 5, 1+day, 12, 0, 0, 0, time.UTC)
	const step = 8 * 1852.0 / 3600 * 20
	for d := 0.0; d < length; d += step {
		p := geo.Destination(from, course, d)
		t = append(t, ship.Fix{
			At: at.UnixMilli(), Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000), SOG: ais.SOGTenths(80), COG: ais.COGTenths(int(course * 10)),
		})
		at = at.Add(20 * time.Second)
	}
	return t
}

// learned returns how many cells three ships teach on three days, after a change of each one's track.
func learned(c *chart.Chart, o Options, change func(ship.Track) ship.Track, from, to geo.Point) (overlay *water.Overlay, cells, seen int) {
	l := New(c, o)
	for day := range 3 {
		l.Sail(ais.MMSI(219000001+day), 12, change(sail(from, to, day)), Trust{})
	}
	overlay, _ = l.Overlay()
	all, fewer := overlay.Cells()
	return overlay, len(all), len(fewer)
}

func asItIs(t ship.Track) ship.Track { return t }

func TestThreeShipsOnThreeDaysTeach(t *testing.T) {
	c := load(t)
	o, cells, _ := learned(c, Options{}, asItIs, fjord, inland)
	if cells < 100 {
		t.Fatalf("%d cells were learned", cells)
	}
	taught := c.With(o)
	middle := geo.Point{Lon: 10.125, Lat: 54.3665}
	for _, row := range []struct {
		name string
		at   geo.Point
		want bool
	}{
		{"on their way", middle, false},
		{"150 m beside it", geo.Destination(middle, 180, 150), true},
		{"elsewhere on land", geo.Point{Lon: 10, Lat: 25}, true},
		{"at sea", fjord, false},
	} {
		if got := taught.Land(row.at); got != row.want {
			t.Errorf("%s: Land = %v", row.name, got)
		}
	}
	if taught.LegCrossesLand(fjord, middle) || taught.LegCrossesLand(middle, fjord) {
		t.Error("a leg along the learned water crosses land")
	}
	if !taught.LegCrossesLand(fjord, geo.Destination(middle, 0, 400)) || !taught.LegCrossesLand(middle, geo.Destination(inland, 270, 3000)) {
		t.Error("a leg out of the learned water over land crosses none")
	}
	if !c.Land(middle) || !c.LegCrossesLand(fjord, middle) {
		t.Error("the chart without the overlay changed")
	}
}

func TestWhatTeachesNothing(t *testing.T) {
	c := load(t)
	each := func(change func(*ship.Fix)) func(ship.Track) ship.Track {
		return func(t ship.Track) ship.Track {
			for i := range t {
				change(&t[i])
			}
			return t
		}
	}
	far := geo.Point{Lon: 9.9, Lat: 54.2}
	for _, row := range []struct {
		name     string
		options  Options
		change   func(ship.Track) ship.Track
		from, to geo.Point
	}{
		{"no chain to water of the chart", Options{}, asItIs, far, geo.Destination(far, 90, 2000)},
		{"too short to stand alone", Options{Alone: 3000}, asItIs, far, geo.Destination(far, 90, 2000)},
		{"slower than two knots", Options{}, each(func(f *ship.Fix) { f.SOG = ais.SOGTenths(19) }), fjord, inland},
		{"a speed that its way belies", Options{}, each(func(f *ship.Fix) { f.SOG = ais.SOGTenths(160) }), fjord, inland},
		{"a course that its way belies", Options{}, each(func(f *ship.Fix) { f.COG = ais.COGTenths(900) }), fjord, inland},
		{"no speed", Options{}, each(func(f *ship.Fix) { f.SOG = ais.SOG(0) }), fjord, inland},
		{"positions to a tenth of a minute", Options{}, each(func(f *ship.Fix) { f.Mark = ship.Coarse }), fjord, inland},
		{"all on one day", Options{}, each(func(f *ship.Fix) { f.At %= (24 * time.Hour).Milliseconds() }), fjord, inland},
		{"a jump in the stretch", Options{}, func(t ship.Track) ship.Track { t[len(t)-1].Lat += 600000; return t }, fjord, inland},
		{"a new segment in the stretch", Options{}, func(t ship.Track) ship.Track { t[3].Mark = ship.NewSegment; return t }, fjord, inland},
		{"only the ends, 13 minutes apart", Options{}, func(t ship.Track) ship.Track { return ship.Track{t[0], t[len(t)-1]} }, fjord, inland},
	} {
		if _, cells, _ := learned(c, row.options, row.change, row.from, row.to); cells > 0 {
			t.Errorf("%s: %d cells were learned", row.name, cells)
		}
	}
}

func TestFewerShipsAreSeen(t *testing.T) {
	c := load(t)
	l := New(c, Options{})
	for day := range 3 {
		l.Sail(219000001+ais.MMSI(day%2), 12, sail(fjord, inland, day), Trust{})
	}
	o, _ := l.Overlay()
	cells, seen := o.Cells()
	if len(cells) != 0 || len(seen) < 100 {
		t.Errorf("%d cells learned of two ships, %d seen", len(cells), len(seen))
	}
	if !c.With(o).Land(geo.Point{Lon: 10.125, Lat: 54.3665}) {
		t.Error("what is only seen is no land")
	}
	for name, o := range map[string]Options{"one day is enough": {Days: 1}, "two days are enough": {Days: 2}} {
		if _, cells, _ := learned(c, o, asItIs, fjord, inland); cells < 100 {
			t.Errorf("%s: %d cells", name, cells)
		}
	}
	far := geo.Point{Lon: 9.9, Lat: 54.2}
	if _, cells, _ := learned(c, Options{Alone: 1000}, asItIs, far, geo.Destination(far, 90, 2000)); cells < 100 {
		t.Errorf("%d cells stand alone", cells)
	}
}
