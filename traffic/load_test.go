package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// fleet returns n named ships around the world, as a store would restore them.
func fleet(n int) []ship.State {
	random := rand.New(rand.NewPCG(5, 6))
	states := make([]ship.State, n)
	for i := range states {
		states[i] = ship.State{
			MMSI: ais.MMSI(211000000 + i), Class: ship.ClassA, HasFix: true, Feed: "roof", Reports: 10, Heard: noon.UnixMilli(),
			Fix: ship.Fix{
				At: noon.UnixMilli(), Lon: int32((random.Float64()*360 - 180) * 600000), Lat: int32((random.Float64()*140 - 70) * 600000),
				SOG: ais.SOGTenths(120), COG: ais.COGTenths(900),
			},
			Static: &ship.Static{Name: fmt.Sprintf("SHIP %d OF THE FLEET", i), CallSign: fmt.Sprintf("DA%04d", i), Type: 70},
		}
	}
	return states
}

// sailing gives one position report of each ship in turn, ten seconds apart for each ship.
type sailing struct {
	states []ship.State
	next   int
	now    time.Time
	step   time.Duration
	report ais.PositionReport
	batch  ais.Batch
}

func newSailing(states []ship.State) *sailing {
	s := &sailing{states: states, now: noon, step: 10 * time.Second / time.Duration(len(states))}
	s.batch.Reports = make([]ais.Report, 1)
	return s
}

// one returns a batch with the next report, valid until the next call.
func (s *sailing) one() *ais.Batch {
	state := &s.states[s.next]
	if s.next++; s.next == len(s.states) {
		s.next = 0
	}
	s.now = s.now.Add(s.step)
	state.Fix.Lon += 20 // 4 m
	s.report = ais.PositionReport{
		Header: ais.Header{Type: 1, MMSI: state.MMSI}, SOG: state.Fix.SOG, COG: state.Fix.COG,
		Place: ais.Place{Lon: state.Fix.Lon, Lat: state.Fix.Lat},
	}
	s.batch.Reports[0] = ais.Report{Message: &s.report, Received: s.now, Feed: "roof", Hash: uint64(s.now.UnixNano()) * 0x9E3779B97F4A7C15}
	return &s.batch
}

// counter is an observer that costs next to nothing.
type counter struct{ updates, ticks int }

func (c *counter) Observe(*ship.Update) { c.updates++ }
func (c *counter) Tick(time.Time)       { c.ticks++ }

func TestPositionReportAllocatesNothing(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	states := fleet(1000)
	p.Restore(states)
	s := newSailing(states)
	observers := []traffic.Observer{&counter{}}
	for range 20000 { // the table of recent messages grows to its size
		p.Apply(s.one(), observers...)
	}
	if n := testing.AllocsPerRun(5000, func() { p.Apply(s.one(), observers...) }); n != 0 {
		t.Errorf("%v allocations a report", n)
	}
}

// TestSparedShipsStay holds that a ship that is spared keeps its place, also when it was heard once alone before it was spared. The same ships go
// when nobody spares them.
func TestSparedShipsStay(t *testing.T) {
	const once, often ais.MMSI = 211000001, 211000002
	for _, spared := range []bool{false, true} {
		c := traffic.DefaultConfig()
		c.MaxUnconfirmed, c.MaxShips = 200, 50
		asked := false
		c.Spared = func(m ais.MMSI) bool { return asked && (m == once || m == often) }
		p := traffic.New(c)
		p.Apply(batch(heard(position(once, at(54, 10)), 0)))
		for i := range ship.ConfirmedReports {
			p.Apply(batch(heard(position(often, at(54, 10)), float64(i))))
		}
		asked = spared
		for i := range 2000 {
			for k := range 1 + i%2*ship.ConfirmedReports { // every other is confirmed
				p.Apply(batch(heard(position(ais.MMSI(300000000+i), at(54.5, 10.5)), float64(10+i+k))))
			}
		}
		for _, m := range []ais.MMSI{once, often} {
			if _, ok := p.Ship(m); ok != spared {
				t.Errorf("spared %v: the ship %d is there: %v", spared, m, ok)
			}
		}
		if stats := p.Stats(); stats.Unconfirmed > 200 || p.Len() > 253 {
			t.Errorf("%d unconfirmed of %d ships", stats.Unconfirmed, p.Len())
		}
	}
}

// Also numbers that are invented three times each are bounded, and what is entered by hand or still heard stays.
func TestConfirmedShipsAreBounded(t *testing.T) {
	c := traffic.DefaultConfig()
	c.MaxShips = 500
	p := traffic.New(c)
	p.PutEntry(&ship.ManualEntry{MMSI: 9900000001, Static: ship.Static{Name: "BARGE"}}, nil)
	var told counter
	for i := range 5000 {
		for k := range 3 {
			p.Apply(batch(heard(position(ais.MMSI(300000000+i), at(54, 10)), float64(i)+float64(k)/10)), &told)
		}
		p.Apply(batch(heard(position(anna, at(54, 10)), float64(i)+0.5)), &told)
	}
	if n := p.Len(); n > 501 {
		t.Errorf("%d ships", n)
	}
	if _, ok := p.Ship(9900000001); !ok {
		t.Error("the ship entered by hand had to go")
	}
	if s, ok := p.Ship(anna); !ok || s.Reports != 5000 {
		t.Errorf("a ship heard each second: %+v", s)
	}
}

func TestRestoreIsBounded(t *testing.T) {
	c := traffic.DefaultConfig()
	c.MaxShips = 100
	p := traffic.New(c)
	states := fleet(300)
	for i := range states {
		states[i].Heard += int64(i) * 1000
	}
	var told counter
	p.Restore(states)
	p.Tick(noon.Add(300*time.Second), &told)
	if p.Len() != 100 || told.updates != 0 {
		t.Errorf("%d ships, %d updates", p.Len(), told.updates)
	}
	for i := 200; i < 300; i++ { // 300 are near enough to be looked at all
		if _, ok := p.Ship(states[i].MMSI); !ok {
			t.Errorf("ship %d of those heard last is not there", i)
		}
	}
}

func TestReadersWhileItIsWritten(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	states := fleet(2000)
	p.Restore(states)
	s := newSailing(states)
	var readers sync.WaitGroup
	for _, read := range []func(){
		func() { inside(p, geo.Rect{West: 0, South: 0, East: 20, North: 20}) },
		func() { search(p, "ship 1", 10) },
		// Each alone: the lock of another would put it in order with the writer, and the race detector would see nothing.
		func() { p.Ship(211000007) },
		func() { p.Stats() },
		func() { p.Now() },
		func() { p.Len() },
		func() { p.Ships([]ais.MMSI{211000007}) },
		func() { p.Without([]ais.MMSI{211000007}) },
		func() {
			p.Near(geo.Rect{West: 0, South: 0, East: 20, North: 20}, 0, func(*ship.State) bool { return true })
		},
		func() { p.Each(func(s *ship.State) bool { return s.Fix.At != 0 || s.MMSI > 0 }) },
		func() { p.PutEntry(&ship.ManualEntry{MMSI: 9900000001}, nil) },
	} {
		readers.Go(func() {
			for range 40 {
				read()
			}
		})
	}
	var told counter
	for range 500 {
		p.Apply(s.one(), &told)
	}
	p.Tick(s.now, &told)
	readers.Wait()
	if told.updates < 500 || told.ticks != 1 {
		t.Errorf("%+v", told)
	}
}

func BenchmarkApply(b *testing.B) {
	p := traffic.New(traffic.DefaultConfig())
	states := fleet(60000)
	p.Restore(states)
	s := newSailing(states)
	told := &counter{}
	observers := []traffic.Observer{told}
	for range 120000 {
		p.Apply(s.one(), observers...)
	}
	told.updates = 0
	b.ReportAllocs()
	for b.Loop() {
		p.Apply(s.one(), observers...)
	}
	if told.updates < b.N {
		b.Fatalf("%d updates of %d reports", told.updates, b.N)
	}
}

func BenchmarkTick(b *testing.B) {
	p := traffic.New(traffic.DefaultConfig())
	p.Restore(fleet(60000))
	now := noon
	for b.Loop() {
		p.Tick(now)
		now = now.Add(time.Millisecond)
	}
	if p.Len() == 0 {
		b.Fatal("the picture has no ship")
	}
}

func BenchmarkWithin(b *testing.B) {
	p := traffic.New(traffic.DefaultConfig())
	p.Restore(fleet(60000))
	b.ReportAllocs()
	lon, hits := -170.0, 0
	for b.Loop() {
		if lon++; lon > 170 {
			lon = -170
		}
		p.Within(geo.Rect{West: lon, South: 40, East: lon + 1, North: 41}, func(*ship.State) bool {
			hits++
			return true
		})
	}
	if b.N > 340 && hits == 0 { // once round the world
		b.Fatal("no ship is there")
	}
	b.ReportMetric(float64(hits)/float64(b.N), "ships/op")
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 100000, 200000} {
		p := traffic.New(traffic.DefaultConfig())
		p.Restore(fleet(n))
		for _, query := range []string{"211000345", "SHIP 777 OF", "345", "*77 OF*", "FLEET"} {
			b.Run(fmt.Sprintf("%d/%s", n, query), func(b *testing.B) {
				for b.Loop() {
					if len(search(p, query, 100)) == 0 {
						b.Fatal("nothing is found")
					}
				}
			})
		}
	}
}
