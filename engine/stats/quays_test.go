//go:build !race

package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/store"
)

// The ships of the tables.
const (
	quayBoat = ais.MMSI(219000001)
	quayShip = ais.MMSI(219000002)
)

// quays are two ports 25 km apart on one latitude, each with a square border and a square of 250 m where ships lie alongside.
type quays struct{ west, east geo.Point }

func quaysAt(lon float64) quays {
	return quays{geo.Point{Lon: lon, Lat: 56}, geo.Point{Lon: lon + 0.4, Lat: 56}.Normalized()}
}

// borderOf returns a polygon round a place, of so many degrees of latitude each way.
func borderOf(at geo.Point, degrees float64) geo.Polygon {
	corner := func(x, y float64) geo.Point {
		return geo.Point{Lon: at.Lon + 2*x*degrees, Lat: at.Lat + y*degrees}.Normalized()
	}
	return geo.Polygon{{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)}}
}

func (q quays) ports() *chart.Ports {
	var ports []*chart.Port
	for i, at := range []geo.Point{q.west, q.east} {
		ports = append(ports, &chart.Port{ID: uint64(i + 1), Name: fmt.Sprint("quay ", i+1), Position: at, Placed: true, Outer: borderOf(at, 0.02), Inner: []geo.Polygon{borderOf(at, 0.001)}})
	}
	return chart.NewPorts(ports)
}

// shapeOf asks for a rectangle from one longitude to another round the latitude of the quays.
func shapeOf(west, east float64) string {
	normal := func(lon float64) float64 { return geo.Point{Lon: lon}.Normalized().Lon }
	w, e := normal(west), normal(east)
	return fmt.Sprintf(`"shape":{"type":"Polygon","coordinates":[[[%v,55],[%v,55],[%v,57],[%v,57],[%v,55]]]}`, w, e, e, w, w)
}

// script is the track of a ship as it is told step by step.
type script struct {
	at    geo.Point
	now   int64
	every time.Duration // between two reports under way
	track ship.Track
}

func scriptAt(at geo.Point, begin time.Time) *script {
	return &script{at: at, now: begin.UnixMilli(), every: 10 * time.Second}
}

func (s *script) time() time.Time { return time.UnixMilli(s.now).UTC() }

// report tells where the ship is.
func (s *script) report(knots, course float64) {
	s.track = append(s.track, ship.Fix{At: s.now, Lon: int32(math.Round(s.at.Lon / ais.PlaceUnit)), Lat: int32(math.Round(s.at.Lat / ais.PlaceUnit)),
		SOG: ais.SOGTenths(int(math.Round(knots * 10))), COG: ais.COGTenths(int(math.Round(course*10)) % 3600)})
}

// lie reports the ship at rest.
func (s *script) lie(length time.Duration) *script {
	for end := s.now + length.Milliseconds(); s.now < end; s.now += 60_000 {
		s.report(0, 0)
	}
	return s
}

// to sails straight to a place.
func (s *script) to(place geo.Point, knots float64) *script {
	for step := knots * 1852 / 3600 * s.every.Seconds(); geo.Distance(s.at, place) > step; s.now += s.every.Milliseconds() {
		course := geo.Bearing(s.at, place)
		s.report(knots, course)
		s.at = geo.Destination(s.at, course, step)
	}
	s.at = place
	return s
}

// silent lets time pass without reports.
func (s *script) silent(length time.Duration) *script {
	s.now += length.Milliseconds()
	return s
}

// without takes out the reports of a time.
func (s *script) without(from, to time.Time) *script {
	s.track = slices.DeleteFunc(s.track, func(f ship.Fix) bool { return f.At > from.UnixMilli() && f.At < to.UnixMilli() })
	return s
}

// newQuays records tracks, and finds their calls. The boats are pilot vessels by what they tell.
func newQuays(t *testing.T, ports *chart.Ports, tracks map[ais.MMSI]ship.Track, boats ...ais.MMSI) *sailed {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir(), FullRate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	x := &sailed{t: t, begin: time.UnixMilli(math.MaxInt32 * 1000), ports: map[string]uint64{}}
	var all []store.Imported
	for m, track := range tracks {
		one := store.Imported{MMSI: m, Class: ship.ClassA, Fixes: track}
		if slices.Contains(boats, m) {
			one.Said = []store.Said{{Static: &ship.Static{Name: fmt.Sprint("PILOT ", m), Type: pilotVessel, At: track[0].At}}}
		}
		all = append(all, one)
		if first := track[0].Time(); first.Before(x.begin) {
			x.begin = first
		}
		if last := track[len(track)-1].Time(); last.After(x.end) {
			x.end = last
		}
	}
	x.begin, x.end = x.begin.UTC().Add(-time.Hour), x.end.UTC().Add(time.Hour)
	if _, err := db.ImportTracks(all); err != nil {
		t.Fatal(err)
	}
	voyages, err := portcalls.Open(portcalls.Config{DB: db, Ports: func() *chart.Ports { return ports }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := voyages.Detect(t.Context(), time.Time{}, endOfTime(), nil); err != nil {
		t.Fatal(err)
	}
	later := x.end
	x.Statistics, err = Open(Config{DB: db, Calls: voyages, Ports: func() *chart.Ports { return ports }, Now: func() time.Time { return later },
		Names: func(string) ship.Lookup { return ship.Lookup{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Statistics.Stop)
	return x
}

// day is when the tables begin.
func day() time.Time { return time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC) }

// crossing is a ship that sails from the west quay to the east quay.
type crossing struct {
	quays
	*script
	left, came time.Time
}

func crossingAt(lon float64, begin time.Time) *crossing {
	c := &crossing{quays: quaysAt(lon), script: scriptAt(quaysAt(lon).west, begin)}
	c.lie(time.Hour)
	c.left = c.time()
	c.to(c.east, 12)
	c.came = c.time()
	c.lie(time.Hour)
	return c
}

// TestTheTableOfTrips: each row is one rule of the page.
func TestTheTableOfTrips(t *testing.T) {
	usual := func() *crossing { return crossingAt(10, day()) }
	middle := func(c *crossing) time.Time { return c.left.Add(c.came.Sub(c.left) / 2) }
	for name, row := range map[string]struct {
		of    *crossing
		alter func(*crossing)
		want  string // ports, kilometres, minutes without a position
	}{
		"from quay to quay":             {usual(), func(*crossing) {}, "1-2 25 km gap 0"},
		"over the date line":            {crossingAt(179.8, day()), func(*crossing) {}, "1-2 25 km gap 0"},
		"over midnight":                 {crossingAt(10, day().Add(14*time.Hour+30*time.Minute)), func(*crossing) {}, "1-2 25 km gap 0"},
		"a silence of 29 minutes":       {usual(), func(c *crossing) { c.without(middle(c), middle(c).Add(29*time.Minute)) }, "1-2 25 km gap 0"},
		"a silence of 31 minutes":       {usual(), func(c *crossing) { c.without(middle(c), middle(c).Add(31*time.Minute)) }, "1-2 25 km gap 31"},
		"silent alongside for 61":       {usual(), func(c *crossing) { c.without(day(), day().Add(58*time.Minute)) }, "1-2 25 km gap 0"},
		"silent alongside for the day":  {usual(), func(c *crossing) { c.silent(10 * time.Hour).lie(time.Hour) }, "1-2 25 km gap 0"},
		"one fix":                       {usual(), func(c *crossing) { c.track = c.track[:1] }, ""},
		"one fix at each quay":          {usual(), func(c *crossing) { c.track = ship.Track{c.track[0], c.track[len(c.track)-1]} }, ""},
		"it has not come yet":           {usual(), func(c *crossing) { c.without(middle(c), c.time()) }, "1-"},
		"it has not left":               {usual(), func(c *crossing) { c.without(c.left, c.time()) }, ""},
		"at rest on the line of a quay": {usual(), func(c *crossing) { c.onTheLine() }, "1-2 25 km gap 0"},
	} {
		t.Run(name, func(t *testing.T) {
			row.alter(row.of)
			x := newQuays(t, row.of.ports(), map[ais.MMSI]ship.Track{quayShip: row.of.track})
			got := ""
			for _, r := range x.ask("trip", shapeOf(row.of.west.Lon-1, row.of.west.Lon+2)) {
				if got += fmt.Sprint(r.Call.Found.Port, "-"); r.Next != nil {
					trip := r.Next.Trip
					got += fmt.Sprintf("%d %.0f km gap %.0f", r.Next.Found.Port, trip.Metres/1000, trip.Gap.Minutes())
				}
				if off := r.Call.Departed().Sub(row.of.left).Abs(); off > 2*time.Minute {
					t.Errorf("left %v, is told as %v", row.of.left, r.Call.Departed())
				}
			}
			if got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// onTheLine moves the rest at the west quay to the border of the square where ships lie.
func (c *crossing) onTheLine() {
	edge := int32(math.Round(borderOf(c.west, 0.001)[0][0].Lon / ais.PlaceUnit))
	for i := range c.track {
		if c.track[i].SOG == 1 && c.track[i].At < c.left.UnixMilli() {
			c.track[i].Lon = edge
		}
	}
}

// TestTheBordersOfTheTimeOfTrips: begin <= the arrival, the departure < end. A port on the border of a shape lies in it.
func TestTheBordersOfTheTimeOfTrips(t *testing.T) {
	c := crossingAt(10, day())
	x := newQuays(t, c.ports(), map[ais.MMSI]ship.Track{quayShip: c.track})
	one := x.ask("trip", shapeOf(9, 12))
	if len(one) != 1 {
		t.Fatalf("%d trips", len(one))
	}
	left, came := one[0].Call.Departed(), one[0].Next.Arrived()
	for _, row := range []struct {
		begin, end time.Time
		want       int
	}{
		{came, x.end, 1}, {came.Add(time.Millisecond), x.end, 0}, {x.begin, left, 0}, {x.begin, left.Add(time.Millisecond), 1}, {left.Add(time.Minute), left.Add(2 * time.Minute), 1},
	} {
		if got := x.within(t, row.begin, row.end).ask("trip", shapeOf(9, 12)); len(got) != row.want {
			t.Errorf("from %v to %v: %d trips", row.begin, row.end, len(got))
		}
	}
	if n := len(x.ask("trip", shapeOf(9, 10.2))); n != 0 {
		t.Errorf("%d trips of a shape that holds one port", n)
	}
	home := scriptAt(c.west, day()).lie(time.Hour).to(geo.Point{Lon: 10.2, Lat: 56}, 12)
	home.to(c.west, 12).lie(time.Hour)
	x = newQuays(t, c.ports(), map[ais.MMSI]ship.Track{quayShip: home.track})
	if west, east := len(x.ask("trip", shapeOf(9, 10))), len(x.ask("trip", shapeOf(10, 11))); west != 1 || east != 1 {
		t.Errorf("of a port on the line between two shapes: %d trips in one and %d in the other", west, east)
	}
}

// outingScript is a boat that leaves its quay, is beside a ship for five minutes, and comes back.
type outingScript struct {
	quays
	boat, ship   *script
	left, beside time.Time // when it let go, and when it was alongside
	came         time.Time
}

// outingAt scripts the outing so that the boat is alongside at a time.
func outingAt(lon float64, beside time.Time) *outingScript {
	o := &outingScript{quays: quaysAt(lon), beside: beside.UTC()}
	meet := geo.Destination(o.west, 60, 6000)
	start := geo.Destination(meet, 180, 9*1852/3600.0*1800)
	o.ship = scriptAt(start, beside.Add(-30*time.Minute))
	for range 360 { // half an hour before it, and half an hour after it
		o.ship.report(9, 0)
		o.ship.at = geo.Destination(o.ship.at, 0, 9*1852/360.0)
		o.ship.now += 10_000
	}
	o.boat = scriptAt(o.west, beside.Add(-2*time.Hour)).lie(100 * time.Minute)
	o.left = o.boat.time()
	near := geo.Destination(meet, 180, 400)
	o.boat.to(near, 20)
	for ; o.boat.now < beside.UnixMilli(); o.boat.now += 10_000 {
		o.boat.report(9, 90)
	}
	for n := range 31 {
		o.boat.at = geo.Destination(geo.Destination(meet, 0, float64(n)*9*1852/360.0), 90, 20)
		o.boat.report(9, 0)
		o.boat.now += 10_000
	}
	o.boat.to(o.west, 20)
	o.came = o.boat.time()
	o.boat.lie(2 * time.Hour)
	return o
}

// outingsTold returns the outings of a result: the port that was left, the one to which the boat came, and what it did.
func outingsTold(t *testing.T, o *outingScript, found []*Record) (text string) {
	t.Helper()
	for _, r := range found {
		var one struct{ Operations []served }
		if err := json.Unmarshal(r.Data, &one); err != nil {
			t.Fatal(err)
		}
		if r.Call != nil {
			text += fmt.Sprint(r.Call.Found.Port)
			if off := r.Call.LeftFrom(r.Stay).Sub(o.left).Abs(); off > 2*time.Minute {
				t.Errorf("left %v, is told as %v", o.left, r.Call.LeftFrom(r.Stay))
			}
		}
		text += "-"
		if r.Next != nil {
			text += fmt.Sprint(r.Next.Found.Port)
			if off := r.Next.CameTo(r.Berth).Sub(o.came).Abs(); off > 2*time.Minute {
				t.Errorf("came %v, is told as %v", o.came, r.Next.CameTo(r.Berth))
			}
		}
		for _, op := range one.Operations {
			text += fmt.Sprintf(" %d at %v", op.Ship.MMSI%10, op.At.Sub(o.beside))
		}
		text += ";"
	}
	return text
}

// TestTheTableOfOutings: each row is one rule of the page.
func TestTheTableOfOutings(t *testing.T) {
	const usual = "1-1 2 at 0s;"
	noon := day().Add(4 * time.Hour)
	for name, row := range map[string]struct {
		lon    float64
		beside time.Time
		alter  func(*outingScript)
		want   string
		byTeam string // where that is another
	}{
		"out and back":                    {10, noon, func(*outingScript) {}, usual, ""},
		"over the date line":              {179.95, noon, func(*outingScript) {}, usual, ""},
		"over midnight":                   {10, day().Add(16 * time.Hour), func(*outingScript) {}, usual, ""},
		"the ship is silent for 9":        {10, noon, func(o *outingScript) { o.ship.without(o.beside.Add(-2*time.Minute), o.beside.Add(7*time.Minute)) }, usual, ""},
		"the ship is silent for 11":       {10, noon, func(o *outingScript) { o.ship.without(o.beside.Add(-3*time.Minute), o.beside.Add(8*time.Minute)) }, "", ""},
		"the boat is silent for an hour":  {10, noon, func(o *outingScript) { o.boat.without(o.beside.Add(6*time.Minute), o.beside.Add(66*time.Minute)) }, "", ""},
		"silent alongside for 61 minutes": {10, noon, func(o *outingScript) { o.boat.without(o.left.Add(-70*time.Minute), o.left.Add(-9*time.Minute)) }, usual, ""},
		"one fix of the ship":             {10, noon, func(o *outingScript) { o.ship.track = o.ship.track[180:181] }, "", ""},
		"one fix of the boat":             {10, noon, func(o *outingScript) { o.boat.track = o.boat.track[:1] }, "", ""},
		"no berth is known": {10, noon, func(o *outingScript) {
			o.boat.without(time.Time{}, o.left.Add(5*time.Minute)).without(o.came.Add(-5*time.Minute), o.boat.time())
		}, "", "- 2 at 0s;"},
		"on the line of its quay": {10, noon, func(o *outingScript) { o.onTheLine() }, usual, ""},
	} {
		t.Run(name, func(t *testing.T) {
			o := outingAt(row.lon, row.beside)
			row.alter(o)
			x := newQuays(t, o.ports(), map[ais.MMSI]ship.Track{quayBoat: o.boat.track, quayShip: o.ship.track}, quayBoat)
			shape := shapeOf(row.lon-1, row.lon+2)
			if name == "the boat is silent for an hour" { // it came in meanwhile: only when it did is less known
				if got := x.ask("pilotboat", shape); len(got) != 1 || got[0].Call == nil || got[0].Next == nil {
					t.Errorf("%d records", len(got))
				}
				return
			}
			if got := outingsTold(t, o, x.ask("pilotboat", shape)); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
			byTeam := row.want + row.byTeam
			if got := outingsTold(t, o, x.ask("pilotboat", shape+fmt.Sprintf(`,"a_team":[%d]`, quayBoat))); got != byTeam {
				t.Errorf("by a_team %q, want %q", got, byTeam)
			}
		})
	}
}

// onTheLine moves the rests of the boat to the border of the square where ships lie.
func (o *outingScript) onTheLine() {
	edge := int32(math.Round(borderOf(o.west, 0.001)[0][0].Lon / ais.PlaceUnit))
	for i := range o.boat.track {
		if f := &o.boat.track[i]; f.SOG == 1 {
			f.Lon = edge
		}
	}
}

// TestTheBordersOfTheTimeOfOutings: begin <= the beginning of the work < end. A port on the border of a shape lies in it.
func TestTheBordersOfTheTimeOfOutings(t *testing.T) {
	midnight := day().Add(16 * time.Hour)
	o := outingAt(10, midnight)
	x := newQuays(t, o.ports(), map[ais.MMSI]ship.Track{quayBoat: o.boat.track, quayShip: o.ship.track}, quayBoat)
	for _, row := range []struct {
		begin, end time.Time
		want       int
	}{
		{midnight, x.end, 1}, {midnight.Add(time.Millisecond), x.end, 0}, {x.begin, midnight, 0}, {x.begin, midnight.Add(time.Millisecond), 1},
	} {
		if got := x.within(t, row.begin, row.end).ask("pilotboat", shapeOf(9, 12)); len(got) != row.want {
			t.Errorf("from %v to %v: %d outings", row.begin, row.end, len(got))
		}
	}
	if west, east := len(x.ask("pilotboat", shapeOf(9, 10))), len(x.ask("pilotboat", shapeOf(10, 11))); west != 1 || east != 1 {
		t.Errorf("of a port on the line between two shapes: %d outings in one and %d in the other", west, east)
	}
}
