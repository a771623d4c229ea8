package watchdog_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC).UnixMilli()

// box is the corners of a box as a polygon.
func box(west, south, east, north float64) geo.Polygon {
	return geo.Polygon{{{Lon: west, Lat: south}, {Lon: east, Lat: south}, {Lon: east, Lat: north}, {Lon: west, Lat: north}, {Lon: west, Lat: south}}}
}

func machine(t testing.TB, d watchdog.Spec) *watchdog.Machine {
	t.Helper()
	m, err := watchdog.New(d)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// place makes a fix some seconds after begin.
func place(seconds int, lat, lon, knots float64) ship.Fix {
	return ship.Fix{
		At: begin + int64(seconds)*1000, Lon: int32(math.Round(lon / ais.PlaceUnit)), Lat: int32(math.Round(lat / ais.PlaceUnit)),
		SOG: ais.SOGTenths(int(knots * 10)), COG: ais.COGTenths(900),
	}
}

// TestWrongDefinitions: each error names its field.
func TestWrongDefinitions(t *testing.T) {
	line, area := geo.Line{{Lon: 10, Lat: 54}, {Lon: 11, Lat: 54}}, box(10, 54, 11, 55)
	polygon := func(change func(d *watchdog.Spec)) watchdog.Spec {
		d := watchdog.Spec{Type: watchdog.Polygon, Polygon: area}
		change(&d)
		return d
	}
	fishing := func(least, most float64, window time.Duration) watchdog.Spec {
		return watchdog.Spec{Type: watchdog.Fishing, Polygon: area, MinSOG: least, MaxSOG: most, Window: window}
	}
	hours := func(shifts ...watchdog.Shift) watchdog.Spec {
		return polygon(func(d *watchdog.Spec) { d.Hours = &watchdog.Calendar{Shifts: shifts} })
	}
	for _, row := range []struct {
		pointer, word string
		d             watchdog.Spec
	}{
		{"/type", "one_of", watchdog.Spec{}},
		{"/line", "required", watchdog.Spec{Type: watchdog.Line}},
		{"/line", "required", watchdog.Spec{Type: watchdog.Line, Polygon: area}},
		{"/line", "required", watchdog.Spec{Type: watchdog.Line, Line: line[:1]}},
		{"/polygon", "required", watchdog.Spec{Type: watchdog.Polygon, Line: line}},
		{"/fishing", "required", watchdog.Spec{Type: watchdog.Fishing}},
		{"/port", "required", watchdog.Spec{Type: watchdog.Port}},
		{"/cable", "required", watchdog.Spec{Type: watchdog.Cable}},
		{"/cable", "watchdog_objects", watchdog.Spec{Type: watchdog.Cable, Line: line, Polygon: area}},
		{"/line", "watchdog_objects", watchdog.Spec{Type: watchdog.Line, Line: line, Port: 7}},
		{"/cable/buffer", "range", watchdog.Spec{Type: watchdog.Cable, Line: line, Buffer: -1}},
		{"/cable/buffer", "range", watchdog.Spec{Type: watchdog.Cable, Line: line, Buffer: math.NaN()}},
		{"/cable/buffer", "watchdog_type", polygon(func(d *watchdog.Spec) { d.Buffer = 5 })},
		{"/any_type", "watchdog_type", polygon(func(d *watchdog.Spec) { d.AnyType = true })},
		{"/max_sog", "watchdog_speeds", polygon(func(d *watchdog.Spec) { d.MinSOG, d.MaxSOG = 2, 1 })},
		{"/max_sog", "range", polygon(func(d *watchdog.Spec) { d.MaxSOG = math.Inf(1) })},
		{"/lost/mmsi", "required", watchdog.Spec{Type: watchdog.LostShip, Polygon: area}},
		{"/anchor/center", "required", watchdog.Spec{Type: watchdog.Anchor, Radius: 100}},
		{"/anchor/radius", "range", watchdog.Spec{Type: watchdog.Anchor, Center: &line[0]}},
		{"/anchor/radius", "range", watchdog.Spec{Type: watchdog.Anchor, Center: &line[0], Radius: math.NaN()}},
		{"/aton/radius", "range", watchdog.Spec{Type: watchdog.Aid, Radius: 9}},
		{"/max_sog", "aid_sails", watchdog.Spec{Type: watchdog.Aid, Radius: 50, MaxSOG: 1}},
		{"/draught", "aid_sails", watchdog.Spec{Type: watchdog.Aid, Radius: 50, Draught: 1}},
		{"/check_direction", "aid_sails", watchdog.Spec{Type: watchdog.Aid, Radius: 50, Course: &watchdog.Course{}}},
		{"/speed/polygon", "required", watchdog.Spec{Type: watchdog.Speed, Limit: 10}},
		{"/speed/limit", "range", watchdog.Spec{Type: watchdog.Speed, Polygon: area}},
		{"/speed/least", "range", watchdog.Spec{Type: watchdog.Speed, Polygon: area, Limit: 10, Least: -1}},
		{"/route/line", "required", watchdog.Spec{Type: watchdog.Route, Line: line[:1], Buffer: 100}},
		{"/route/corridor", "range", watchdog.Spec{Type: watchdog.Route, Line: line}},
		{"/route/corridor", "range", watchdog.Spec{Type: watchdog.Route, Line: line, Buffer: 50_001}},
		{"/silent/after", "range", watchdog.Spec{Type: watchdog.Nameless, After: time.Second}},
		{"/calendar/rules", "required", hours()},
		{"/calendar/rules", "range", hours(make([]watchdog.Shift, 51)...)},
		{"/calendar/rules/0/days", "required", hours(watchdog.Shift{To: 5})},
		{"/calendar/rules/1/from", "hours", hours(watchdog.Shift{Days: [7]bool{true}, To: 5}, watchdog.Shift{Days: [7]bool{true}, From: -1})},
		{"/calendar/rules/0/to", "hours", hours(watchdog.Shift{Days: [7]bool{true}, To: 1441})},
		{"/calendar/rules/0/to", "hours_equal", hours(watchdog.Shift{Days: [7]bool{true}, From: 60, To: 60})},
		{"/window", "watchdog_type", polygon(func(d *watchdog.Spec) { d.Window = time.Hour })},
		{"/draught", "range", polygon(func(d *watchdog.Spec) { d.Draught = 101 })},
		{"/samples_to_activate", "range", polygon(func(d *watchdog.Spec) { d.ToActivate = -1 })},
		{"/samples_to_deactivate", "range", polygon(func(d *watchdog.Spec) { d.ToDeactivate = 1e6 })},
		{"/samples_between_trigger", "range", polygon(func(d *watchdog.Spec) { d.BetweenTriggers = -1 })},
		{"/time_between_triggers", "range", polygon(func(d *watchdog.Spec) { d.BetweenTimes = -1 })},
		{"/inactivity_timeout", "range", polygon(func(d *watchdog.Spec) { d.Inactivity = 1e6 * time.Hour })},
		{"/min_cog", "range", polygon(func(d *watchdog.Spec) { d.Course = &watchdog.Course{Min: -1, Max: 5} })},
		{"/max_cog", "range", polygon(func(d *watchdog.Spec) { d.Course = &watchdog.Course{Min: 1, Max: 361} })},
		{"/max_sog", "watchdog_speeds", fishing(3, 3, 0)},
		{"/max_sog", "watchdog_speeds", fishing(3, 0, 0)},
		{"/min_sog", "range", fishing(-1, 3, 0)},
		{"/window", "range", fishing(0, 0, time.Second)},
		{"/window", "range", fishing(0, 0, 3*time.Hour)},
	} {
		m, err := watchdog.New(row.d)
		var field *watchdog.FieldError
		if !errors.As(err, &field) || field.Pointer != row.pointer || field.Rule.Word != row.word || m != nil {
			t.Errorf("%+v: %v, want %s at %s", row.d, err, row.word, row.pointer)
		}
	}
}

// TestBounds: what lies outside of them cannot concern the machine.
func TestBounds(t *testing.T) {
	cable := machine(t, watchdog.Spec{Type: watchdog.Cable, Line: geo.Line{{Lon: 179.9, Lat: 54}, {Lon: -179.9, Lat: 54}}, Buffer: 500})
	r, ok := cable.Bounds()
	for _, p := range []geo.Point{{Lon: 180, Lat: 54.0197}, {Lon: 179.867, Lat: 54}, {Lon: -179.867, Lat: 53.9803}} { // so far off a trawler is followed
		if !ok || !r.Contains(p) {
			t.Errorf("%+v does not hold %+v", r, p)
		}
	}
	if r.Contains(geo.Point{Lon: 0, Lat: 54}) || r.Contains(geo.Point{Lon: 180, Lat: 54.021}) {
		t.Errorf("%+v is too large", r)
	}
	if _, ok := machine(t, watchdog.Spec{Type: watchdog.Port, Port: 7}).Bounds(); ok {
		t.Error("a port has bounds")
	}
}

// steady are machines and ways on which nothing happens, once a ship has been followed for a while.
func steady(t testing.TB) map[string]struct {
	m  *watchdog.Machine
	at func(i int) ship.Fix
} {
	way := func(lat, lon, knots float64) func(i int) ship.Fix {
		return func(i int) ship.Fix { return place(10*i, lat+1e-5*float64(i%2), lon, knots) }
	}
	area := box(10, 54, 11, 55)
	trawls := func(i int) ship.Fix {
		f := place(10*i, 54.5+1e-4*float64(min(i%200, 200-i%200)), 10.5, 3)
		f.Status = ais.StatusFishing
		return f
	}
	drifts := func(i int) ship.Fix {
		f := place(10*i, 54+1e-4*float64(min(i%200, 200-i%200)), 10.5, 3)
		f.Heading, f.Status = ais.HeadingDegrees(0), ais.StatusAtAnchor
		return f
	}
	type row = struct {
		m  *watchdog.Machine
		at func(i int) ship.Fix
	}
	line := geo.Line{{Lon: 10, Lat: 54}, {Lon: 11, Lat: 54}}
	return map[string]row{
		"outside":         {machine(t, watchdog.Spec{Type: watchdog.Polygon, Polygon: area}), way(53, 10, 12)},
		"in its bounds":   {machine(t, watchdog.Spec{Type: watchdog.Polygon, Polygon: geo.Polygon{{{Lon: 10, Lat: 54}, {Lon: 11, Lat: 55}, {Lon: 10, Lat: 55}, {Lon: 10, Lat: 54}}}}), way(54.1, 10.9, 12)},
		"inside":          {machine(t, watchdog.Spec{Type: watchdog.Polygon, Polygon: area}), way(54.5, 10.5, 12)},
		"along a line":    {machine(t, watchdog.Spec{Type: watchdog.Line, Line: line}), way(54.0001, 10.5, 12)},
		"jitter":          {machine(t, watchdog.Spec{Type: watchdog.Line, Line: line}), way(53.999995, 10.5, 0)},
		"over a cable":    {machine(t, watchdog.Spec{Type: watchdog.Cable, Line: line}), way(54.0001, 10.5, 12)},
		"stopped over it": {machine(t, watchdog.Spec{Type: watchdog.Cable, Line: line}), way(54.0001, 10.5, 0)},
		"drifts over it":  {machine(t, watchdog.Spec{Type: watchdog.Cable, Line: line, Buffer: 5000}), drifts},
		"fishes":          {machine(t, watchdog.Spec{Type: watchdog.Fishing, Polygon: area}), trawls},
	}
}

// TestNoAllocation: a report on which nothing happens costs no memory, and what is kept of a ship stays small however long it goes on.
func TestNoAllocation(t *testing.T) {
	for name, row := range steady(t) {
		t.Run(name, func(t *testing.T) {
			var a watchdog.ShipMemory
			var s ship.State
			events, i := make([]watchdog.Occurrence, 0, 8), 0
			step := func() {
				i++
				r := watchdog.Position{State: &s}
				if i > 1 {
					r.Before = row.at(i - 1)
				}
				s.Fix = row.at(i)
				events = row.m.Report(&a, r, events)
				events = row.m.Tick(&a, s.Fix.At+1000, events)
			}
			for range 500 {
				step()
			}
			was := len(events)
			if n := testing.AllocsPerRun(2000, step); n != 0 || len(events) != was {
				t.Errorf("%g allocations, %d events more", n, len(events)-was)
			}
			if text, err := json.Marshal(&a); err != nil || len(text) > 1200 {
				t.Errorf("%d bytes, %v", len(text), err)
			}
			if outside := name == "outside" || name == "in its bounds" || name == "along a line"; a.Kept() == outside {
				t.Errorf("kept: %+v", a)
			}
		})
	}
}

// BenchmarkReport is the cost of a report on which nothing happens.
func BenchmarkReport(b *testing.B) {
	for name, row := range steady(b) {
		b.Run(name, func(b *testing.B) {
			var a watchdog.ShipMemory
			s := ship.State{Fix: row.at(1)}
			events := row.m.Report(&a, watchdog.Position{State: &s}, make([]watchdog.Occurrence, 0, 8))
			reports := make([]ship.Fix, 200)
			for i := range reports {
				reports[i] = row.at(i)
			}
			at, i, before := s.Fix.At, 0, s.Fix
			b.ReportAllocs()
			for b.Loop() {
				at += 10_000
				i = (i + 1) % len(reports)
				s.Fix = reports[i]
				s.Fix.At = at
				events = row.m.Report(&a, watchdog.Position{Before: before, State: &s}, events[:0])
				before = s.Fix
			}
		})
	}
}
