package portcall_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
)

// event is what happens to a ship: it is heard, or its crew types a draught, or the ports change.
type event struct {
	fix     ship.Fix
	draught uint16        // centimetres; 0 for none
	ports   []*chart.Port // nil for no change
}

// ways in which a ship goes on.
const (
	lies = iota
	swings
	sails
	creeps
	jumps
)

// events makes a life of a ship at three ports out of bytes, seven for each event. Two of the ports overlap, and one lies on its own.
func events(data []byte) (all []event) {
	place, now, way, course := geo.Point{Lon: 10, Lat: 54.05}, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), sails, 180.0
	gaps := [...]time.Duration{
		10 * time.Second, time.Minute, 3 * time.Minute, 3 * time.Minute, 3 * time.Minute, 5 * time.Minute, 9 * time.Minute, 20 * time.Minute,
		25 * time.Second, time.Minute, time.Hour, 3 * time.Hour, 5 * time.Hour, 25 * time.Hour, -10 * time.Minute, 0,
	}
	for ; len(data) >= 7; data = data[7:] {
		gap := gaps[data[0]%16]
		if data[0] >= 128 {
			gap = 3 * time.Minute
		}
		at := now.Add(gap)
		now = now.Add(max(0, gap))
		if data[1] < 48 {
			way, course = int(data[1]%5), geo.Bearing(place, homes[data[2]%3])+float64(data[3]%64)-32
		}
		speed := [...]float64{0, 0.2, 11, 1.5, 0}[way]
		switch way {
		case jumps:
			place = geo.Destination(homes[data[2]%3], float64(data[3])*360/256, 50*float64(data[4]))
			way = int(data[3] % 2)
		case swings:
			place = geo.Destination(place, float64(data[3])*360/256, float64(data[4])/4)
		case sails, creeps:
			place = geo.Destination(place, course, speed*1852/3600*min(max(0, gap), time.Hour).Seconds())
		}
		all = append(all, event{fix: report(at, place, speed, way, data)})
		if data[6]%32 == 0 {
			all = append(all, event{fix: ship.Fix{At: now.UnixMilli()}, draught: 100 * uint16(data[5]%12)})
		}
		if data[6] == 1 {
			all = append(all, event{ports: quays(int(data[5]))})
		}
	}
	return all
}

// homes are the positions of three ports.
var homes = [...]geo.Point{{Lon: 10, Lat: 54}, {Lon: 10, Lat: 54.03}, {Lon: 10.3, Lat: 54}}

// quays returns the ports, with some of their borders drawn, or one of them left out.
func quays(way int) (list []*chart.Port) {
	for i, home := range homes {
		p := &chart.Port{ID: uint64(i + 1), Name: string(rune('A' + i)), Position: home, Placed: true}
		if way>>i&1 != 0 {
			p.Outer = circle(home, 2500)
		}
		if way>>(i+3)&1 != 0 {
			p.Inner = []geo.Polygon{circle(home, 400)}
			p.Berths = []chart.Berth{{ID: 7, Length: 200, Position: &geo.Point{Lon: home.Lon + 0.001, Lat: home.Lat}}}
		}
		if way>>6 != i+1 {
			list = append(list, p)
		}
	}
	return list
}

// report is what the ship tells.
func report(at time.Time, place geo.Point, speed float64, way int, data []byte) ship.Fix {
	f := ship.Fix{At: at.UnixMilli(), Lon: int32(place.Lon / ais.PlaceUnit), Lat: int32(place.Lat / ais.PlaceUnit)}
	f.SOG = ais.SOGTenths(int(speed*10) + int(data[3]%3))
	f.Status = [...]ais.NavStatus{ais.StatusMoored, ais.StatusAtAnchor, 0, 0, 0}[way]
	if data[5]&1 != 0 {
		f.Heading = ais.HeadingDegrees(int(data[4]) % 90)
	}
	if data[5] > 240 {
		f.SOG = 0
	}
	if data[5]&6 == 6 && data[6] < 64 {
		f.Mark |= ship.Coarse
	}
	if way == jumps {
		f.Mark |= ship.NewSegment
	}
	return f
}

// live returns the calls of a life, as JSON, and how many there are.
func live(t *testing.T, how keeping, all []event) (string, int) {
	const anna = ais.MMSI(211000001)
	l := newLog(t, how, quays(0)...)
	for _, e := range all {
		switch {
		case e.ports != nil:
			l.list(e.ports)
		case e.draught != 0:
			l.typed(anna, e.fix.Time(), e.draught)
		case e.fix.Lon != 0:
			l.hear(anna, e.fix)
		}
	}
	if len(all) > 0 {
		l.pass(l.ship(anna).last.Time().Add(30 * time.Hour))
	}
	var found []any
	for _, c := range l.calls {
		if c.call.Open() {
			t.Errorf("still open: %+v", c.call)
		}
		found = append(found, c.call)
	}
	text, err := json.Marshal(found)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), len(found)
}

// sameCalls lives a life in each way of keeping it.
func sameCalls(t *testing.T, all []event) int {
	t.Helper()
	want, n := live(t, keeping{}, all)
	for _, how := range []keeping{{}, {drop: true}, {restart: true}, {ticks: true}, {drop: true, restart: true, ticks: true}} {
		if got, _ := live(t, how, all); got != want {
			t.Errorf("%+v:\n%s\nwant\n%s", how, got, want)
		}
	}
	return n
}

// TestSameCalls lives random lives. The calls do not depend on when the engine starts anew, forgets ships, or is told that time passes.
func TestSameCalls(t *testing.T) {
	calls := 0
	for seed := range uint64(150) {
		r, data := rand.New(rand.NewPCG(seed, 1)), make([]byte, 7*400)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		calls += sameCalls(t, events(data))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if calls < 500 {
		t.Errorf("only %d calls", calls)
	}
	t.Logf("%d calls", calls)
}

func FuzzCalls(f *testing.F) {
	f.Add([]byte{2, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 2, 6, 60, 0, 0, 0, 0, 2, 6, 60, 0, 0, 0, 0, 2})
	f.Fuzz(func(t *testing.T, data []byte) { sameCalls(t, events(data)) })
}
