//go:build !race

package watchdogs

import (
	"slices"
	"testing"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// TestAReportCostsNoMemory: neither one far from all watchdogs nor one inside of an area that the ship is in.
func TestAReportCostsNoMemory(t *testing.T) {
	b := newBox(t)
	states := grid(b, 400, 400)
	u := ship.Update{Report: &ais.Report{}, Change: ship.ChangedFix}
	for i := range states {
		sail(&u, &states[i])
		b.watch.Observe(&u)
	}
	if len(b.watch.pending) == 0 || len(b.watch.alarms) == 0 {
		t.Fatal("no ship is in an area")
	}
	b.watch.Save(false)
	for _, in := range []bool{false, true} {
		i := slices.IndexFunc(states, func(s ship.State) bool { return b.watch.Alarmed(s.MMSI) == in })
		s := states[i]
		if n := testing.AllocsPerRun(100, func() {
			u.Was, u.Now = s, s
			s.Fix.At += 10_000
			u.Now.Fix.At, u.Fix = s.Fix.At, s.Fix
			b.watch.Observe(&u)
		}); n != 0 {
			t.Errorf("inside %v: %g allocations", in, n)
		}
	}
}

// TestAReportOfAKindCostsNoMemory: where nothing happens, each type looks at a report without any.
func TestAReportOfAKindCostsNoMemory(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"list","type":"lost","lost":{"mmsi":211000001}}`)
	b.define(`{"name":"berth","type":"anchor","anchor":{"center":{"type":"Point","coordinates":[10.5,54.3]},"radius":3000}}`)
	b.define(`{"name":"buoys","type":"aton","aton":{}}`)
	b.define(`{"name":"sound","type":"speed","speed":{"polygon":` + areaOf(10, 54, 11, 55) + `,"limit":12}}`)
	b.define(`{"name":"lane","type":"route","calendar":{"rules":[{}]},"route":{"line":{"type":"LineString","coordinates":[[10,54.3],[11,54.3]]},"corridor":400}}`)
	b.define(`{"name":"who","type":"silent","silent":{}}`)
	for _, class := range []ship.Class{ship.ClassA, ship.ClassAtoN} {
		s := ship.State{MMSI: 211000001, Class: class, HasFix: true, Reports: 9, First: begin.UnixMilli()}
		p := geo.Point{Lon: 10.5, Lat: 54.3}
		b.sight(s, begin, p, 50)
		s = b.states[211000001]
		delete(b.states, 211000001)
		u := ship.Update{Report: &ais.Report{}, Change: ship.ChangedFix}
		if !b.watch.Alarmed(s.MMSI) {
			t.Fatal("no alarm remembers the ship, so nothing was looked at")
		}
		events := b.watch.Status().Events
		if n := testing.AllocsPerRun(100, func() {
			u.Was = s
			s.Fix.At += 5_000
			u.Now, u.Fix = s, s.Fix
			b.watch.Observe(&u)
		}); n != 0 {
			t.Errorf("%v: %g allocations", class, n)
		}
		if b.watch.Status().Events != events {
			t.Errorf("%v: something happened", class)
		}
	}
}

// TestAReportOfAListedShipCostsNoMemory: a list costs something only when a ship comes or goes.
func TestAReportOfAListedShipCostsNoMemory(t *testing.T) {
	b := newBox(t)
	id := b.define(`{"name":"roads","type":"polygon","create_shiplist":true,"polygon":` + areaOf(10.1, 54.1, 10.3, 54.9) + `}`)
	b.define(`{"name":"fast","type":"polygon","filter":"shiplist = roads and sog > 90","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	b.hear(211000001, begin, geo.Point{Lon: 10.2, Lat: 54.5}, 50)
	b.watch.Save(false)
	s := b.states[211000001]
	u := ship.Update{Report: &ais.Report{}, Change: ship.ChangedFix}
	if n := testing.AllocsPerRun(100, func() {
		u.Was = s
		s.Fix.At += 5_000
		u.Now, u.Fix = s, s.Fix
		b.watch.Observe(&u)
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
	if got := b.listed(id); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
