package portcall_test

import (
	"encoding/json"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// fixAt makes a position some metres from a place.
func fixAt(minutes int, from geo.Point, direction, metres float64, tenths int) ship.Fix {
	p := geo.Destination(from, direction, metres)
	at := begin.Add(time.Duration(minutes) * time.Minute)
	return ship.Fix{At: at.UnixMilli(), Lon: int32(p.Lon / ais.PlaceUnit), Lat: int32(p.Lat / ais.PlaceUnit), SOG: ais.SOGTenths(tenths)}
}

// TestAThousandShifts: a tug that shifts all day has a bounded call, which keeps when it first came alongside and when it last moved off.
func TestAThousandShifts(t *testing.T) {
	var latest portcall.Call
	calls := map[*portcall.Call]bool{}
	home := geo.Point{Lon: 10, Lat: 54}
	port := &chart.Port{ID: 1, Position: home, Placed: true, Inner: []geo.Polygon{circle(home, 500)}}
	e := portcall.NewEngine(portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil), func(c *portcall.Call) {
		calls[c], latest = true, *c
	})
	f, at := portcall.Begin(ship.Fix{}, 0), 0
	hear := func(metres float64, tenths int) {
		at++
		e.Step(f, fixAt(at, home, 90, metres, tenths))
	}
	hear(2000, 60)
	for i := range 1040 {
		away := 100.0 // alongside but for the first and last visits to the roads
		if i < 20 || i >= 1020 {
			away = 1000
		}
		for range 4 {
			hear(away+50*float64(i%2), 30)
		}
		for range 15 {
			hear(away+200*float64(i%2), 0)
		}
	}
	if len(calls) != 1 || len(latest.Stays) > 32 {
		t.Fatalf("%d calls, %d stays", len(calls), len(latest.Stays))
	}
	arrived, departed := begin.Add((1+20*19+4)*time.Minute), begin.Add((1+1020*19+1)*time.Minute)
	if off := latest.Arrived().Time().Sub(arrived).Abs(); off > 5*time.Minute {
		t.Errorf("arrived at %s, not %s", latest.Arrived().Time(), arrived)
	}
	if off := latest.Departed().Time().Sub(departed).Abs(); off > 5*time.Minute {
		t.Errorf("departed at %s, not %s", latest.Departed().Time(), departed)
	}
	if anchored := latest.AnchoredAt().Time(); anchored.After(begin.Add(20 * time.Minute)) {
		t.Errorf("anchored at %s", anchored)
	}
	if text, err := json.Marshal(f); err != nil || len(text) > 10_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// TestNoAllocation: a ship at sea costs no memory, and neither does one in a port that goes on as it did.
func TestNoAllocation(t *testing.T) {
	list, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	e := portcall.NewEngine(portcall.NewPorts(list, nil), func(*portcall.Call) { told++ })
	kiel, ok := list.ByLOCODE("DEKEL")
	if !ok {
		t.Fatal("no Kiel")
	}
	sea := fixAt(0, geo.Point{Lon: 16, Lat: 55.5}, 0, 0, 120)
	near := fixAt(0, kiel.Position, 0, 4100, 120) // not within 4 km
	if n := testing.AllocsPerRun(1000, func() {
		if e.Enters(sea) || e.Enters(near) {
			t.Error("in a port")
		}
	}); n != 0 {
		t.Errorf("%g allocations at sea", n)
	}
	for name, speed := range map[string]int{"sails": 60, "lies": 0} {
		at, f := 0, portcall.Begin(ship.Fix{}, 0)
		step := func() {
			at++
			e.Step(f, fixAt(at, kiel.Position, 0, 1000, speed))
		}
		for range 20 {
			step()
		}
		if f.Done() || (f.Call != nil) != (speed == 0) {
			t.Fatalf("%s: %+v", name, f)
		}
		if n := testing.AllocsPerRun(1000, step); n != 0 {
			t.Errorf("%s: %g allocations", name, n)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

// BenchmarkAtSea is the cost of a position of a ship that is in no port, on the list of ports.
func BenchmarkAtSea(b *testing.B) {
	list, err := chart.LoadPorts()
	if err != nil {
		b.Fatal(err)
	}
	e := portcall.NewEngine(portcall.NewPorts(list, nil), func(*portcall.Call) { b.Fatal("a call") })
	sea := fixAt(0, geo.Point{Lon: 12.2, Lat: 54.5}, 0, 0, 120)
	b.ReportAllocs()
	for b.Loop() {
		if e.Enters(sea) {
			b.Fatal("in a port")
		}
	}
}

// BenchmarkMoored is the cost of a position of a ship that lies at one of fifty berths.
func BenchmarkMoored(b *testing.B) {
	home := geo.Point{Lon: 10, Lat: 54}
	port := &chart.Port{ID: 1, Position: home, Placed: true, Outer: circle(home, 5000)}
	for i := range 50 {
		at, inner := geo.Destination(home, 90, 100*float64(i)), circle(geo.Destination(home, 0, 100*float64(i)), 30)
		port.Berths, port.Inner = append(port.Berths, chart.Berth{ID: int64(i + 1), Position: &at, Length: 100}), append(port.Inner, inner)
	}
	calls := 0
	e := portcall.NewEngine(portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil), func(*portcall.Call) { calls++ })
	at, f, fix := 0, portcall.Begin(ship.Fix{}, 0), fixAt(0, home, 90, 2010, 0)
	b.ReportAllocs()
	for b.Loop() {
		at++
		fix.At = begin.Add(time.Duration(at) * time.Minute).UnixMilli()
		e.Step(f, fix)
	}
	if _, lies := f.Call.Lies(); !lies || calls != 1 || f.Call.Berth() != 21 {
		b.Fatalf("%d calls, %+v", calls, f.Call)
	}
}
