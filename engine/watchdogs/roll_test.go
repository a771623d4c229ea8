package watchdogs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/ship/watchdog"
	"quaywatch/users/library"
)

// listed returns the ships of the list of a watchdog, and holds that filters find the same.
func (b *box) listed(id uint64) []ais.MMSI {
	b.t.Helper()
	list := []ais.MMSI{}
	for _, one := range ListedNow(b.watch, id) {
		list = append(list, one.MMSI)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	for m := range b.states {
		if Listed(b.watch, id, m) != slices.Contains(list, m) {
			b.t.Errorf("a filter finds %d on the list of %d: %v; the list has %v", m, id, !slices.Contains(list, m), list)
		}
	}
	return list
}

// change changes a watchdog by fields as a body has them.
func (b *box) change(id uint64, body string) {
	b.t.Helper()
	f, err := form.Read([]byte(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r, _ := b.areas.Library.Get(library.Watchdogs, fmt.Sprint(id))
	if err := b.areas.Library.Apply(f, library.Watchdogs, &r, b.areas.Library.Anything()); err != nil || f.Err() != nil {
		b.t.Fatal(err, f.Err())
	}
	if _, err := b.areas.Library.Change(library.Watchdogs, r.UID, func(was *library.Resource) error { *was = r; return nil }); err != nil {
		b.t.Fatal(err)
	}
	b.watch.Compile()
}

// crossedSince returns the ships that crossed after a minute.
func (b *box) crossedSince(id uint64, minute int) []ais.MMSI {
	b.t.Helper()
	ships := []ais.MMSI{}
	for e, err := range b.watch.After(0) {
		if err != nil {
			b.t.Fatal(err)
		}
		if e.Watchdog == id && e.Kind == watchdog.Cross && e.At().After(begin.Add(time.Duration(minute)*time.Minute)) && !slices.Contains(ships, e.Ship.MMSI) {
			ships = append(ships, e.Ship.MMSI)
		}
	}
	return ships
}

// TestAListEndsWithItsWatchdog: one that is switched off, makes no list any more or is gone has no ships. One that is switched on again begins anew.
func TestAListEndsWithItsWatchdog(t *testing.T) {
	b := newBox(t)
	id := b.define(`{"name":"roads","type":"polygon","polygon":` + areaOf(10.1, 54.1, 10.3, 54.9) + `}`)
	enters := func(minute int) {
		b.hear(211000001, begin.Add(time.Duration(minute)*time.Minute), geo.Point{Lon: 10.2, Lat: 54.5}, 50)
	}
	is := func(when string, want int) {
		t.Helper()
		if got := b.listed(id); len(got) != want {
			t.Errorf("%s: %v", when, got)
		}
	}
	enters(0)
	is("without a list", 0)
	b.change(id, `{"create_shiplist":true}`)
	is("with a list", 1)
	b.change(id, `{"enabled":false}`)
	is("switched off", 0)
	b.change(id, `{"enabled":true}`)
	is("switched on", 0)
	enters(1)
	is("heard again", 1)
	b.change(id, `{"create_shiplist":false}`)
	is("without a list again", 0)
	b.change(id, `{"create_shiplist":true}`)
	r, _ := b.areas.Library.Get(library.Watchdogs, fmt.Sprint(id))
	if err := b.areas.Library.Delete(library.Watchdogs, r.UID); err != nil {
		t.Fatal(err)
	}
	b.watch.Compile()
	is("gone", 0)
}

// TestWatchdogsOfListsFollowEachOther: a watchdog whose filter names the list of another tells of the ships that are on it at the report.
func TestWatchdogsOfListsFollowEachOther(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"roads","type":"polygon","create_shiplist":true,"polygon":` + areaOf(10.1, 54.1, 10.3, 54.9) + `}`)
	id := b.define(`{"name":"fast","type":"polygon","filter":"shiplist = roads and sog > 10","create_shiplist":true,"polygon":` + areaOf(10, 54, 11, 55) + `}`)
	hear := func(minute int, lon float64, tenths int) {
		b.hear(211000001, begin.Add(time.Duration(minute)*time.Minute), geo.Point{Lon: lon, Lat: 54.5}, tenths)
	}
	hear(0, 10.05, 150)
	if got := b.listed(id); len(got) != 0 {
		t.Errorf("before the roads: %v", got)
	}
	hear(1, 10.15, 150)
	hear(2, 10.16, 150)
	if got := b.listed(id); len(got) != 1 {
		t.Errorf("in the roads: %v", got)
	}
}

// TestAShipOfTwoPairsStaysOnTheList until both are over.
func TestAShipOfTwoPairsStaysOnTheList(t *testing.T) {
	r := rolls{of: map[uint64]map[ais.MMSI]int{}}
	for i, one := range []struct{ on, has bool }{{true, true}, {true, true}, {false, true}, {false, false}, {true, true}, {false, false}} {
		r.countShip(1, 211000001, one.on)
		if got := r.has(1, 211000001); got != one.has {
			t.Errorf("step %d: %v", i, got)
		}
	}
	if list := r.of[1]; len(list) != 0 {
		t.Errorf("the list remembers %v", list)
	}
}

// TestACrossingLeavesTheListAtItsTimeOut, and not a millisecond before.
func TestACrossingLeavesTheListAtItsTimeOut(t *testing.T) {
	for _, one := range []struct {
		early time.Duration
		want  int
	}{{time.Millisecond, 1}, {0, 0}} {
		b := newBox(t)
		gate := b.define(`{"name":"in","type":"line","create_shiplist":true,"shiplist_timeout":"00:20:00","line":{"type":"LineString","coordinates":[[10.25,54],[10.25,55]]}}`)
		for minute, lon := range []float64{10.245, 10.255} {
			b.hear(211000001, begin.Add(time.Duration(minute)*time.Minute), geo.Point{Lon: lon, Lat: 54.5}, 150)
		}
		b.watch.Save(false)
		e, err := b.watch.Get(1)
		if err != nil || e.Kind != watchdog.Cross {
			t.Fatalf("%+v %v", e, err)
		}
		b.watch.Tick(e.At().Add(20*time.Minute - one.early))
		if got := b.listed(gate); len(got) != one.want {
			t.Errorf("%v before the time-out: %v", one.early, got)
		}
	}
}
