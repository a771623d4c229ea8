package watchdog_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// atTheBorder are watchdogs with a border that runs north and south through 10.3 E, and areas to the east of it.
func atTheBorder() map[string]watchdog.Spec {
	area := geo.Polygon{{{Lon: 10.3, Lat: 56.1}, {Lon: 10.4, Lat: 56.1}, {Lon: 10.4, Lat: 56.2}, {Lon: 10.3, Lat: 56.2}, {Lon: 10.3, Lat: 56.1}}}
	east := geo.Destination(geo.Point{Lon: 10.3, Lat: 56.13}, 90, 500).Lon
	return map[string]watchdog.Spec{
		"polygon": {Type: watchdog.Polygon, Polygon: area},
		"line":    {Type: watchdog.Line, Line: geo.Line{{Lon: 10.3, Lat: 56.1}, {Lon: 10.3, Lat: 56.2}}},
		"cable":   {Type: watchdog.Cable, Buffer: 500, Line: geo.Line{{Lon: east, Lat: 56.1}, {Lon: east, Lat: 56.2}}},
		"silent":  {Type: watchdog.Nameless, Polygon: area},
		"counted": {Type: watchdog.Polygon, Polygon: area, ToActivate: 3, ToDeactivate: 2},
	}
}

// berth is a ship that comes from the west, lies at the border, and may sail on to the east or back.
type berth struct {
	*rand.Rand
	seen    func(ship.Fix)
	noise   float64 // metres, of either direction
	each    time.Duration
	status  ais.NavStatus
	at      geo.Point // where it truly is
	now     int64
	moored  time.Duration
	leaving float64 // its course when it sails; NaN for never
}

func (b *berth) report(knots, course, noise float64) {
	p := geo.Destination(geo.Destination(b.at, 90, noise*b.NormFloat64()), 0, noise*b.NormFloat64())
	b.seen(ship.Fix{At: b.now, Lon: int32(math.Round(p.Lon / ais.PlaceUnit)), Lat: int32(math.Round(p.Lat / ais.PlaceUnit)),
		SOG: ais.SOGTenths(int(knots*10 + 0.5)), COG: ais.COGTenths(int(course * 10)), Heading: ais.HeadingDegrees(90), Status: b.status})
}

func (b *berth) sails(knots, course float64, length time.Duration) {
	for past := time.Duration(0); past < length; past += 10 * time.Second {
		b.now += 10_000
		b.at = geo.Destination(b.at, course, knots*1852/360)
		b.report(knots, course, 0)
	}
}

func (b *berth) run(metres float64) {
	quay := geo.Destination(geo.Point{Lon: 10.3, Lat: 56.13}, 90, metres)
	b.at, b.now = geo.Destination(quay, 270, 620), begin
	lying := b.status
	b.status = ais.StatusUnderWayEngine
	b.sails(2, 90, 10*time.Minute)
	b.at, b.status = quay, lying
	for until := b.now + b.moored.Milliseconds(); b.now < until; {
		b.now += b.each.Milliseconds()
		b.report(0.3*b.Float64(), 360*b.Float64(), b.noise)
	}
	if !math.IsNaN(b.leaving) {
		b.status = ais.StatusUnderWayEngine
		b.sails(4, b.leaving, 10*time.Minute)
	}
}

// TestAShipThatLiesAtABorder: the noise of a receiver of satellites raises no event. One that comes and one that goes are told once.
func TestAShipThatLiesAtABorder(t *testing.T) {
	for _, each := range []time.Duration{10 * time.Second, 30 * time.Second, 3 * time.Minute, 6 * time.Minute} {
		for _, noise := range []float64{3, 10, 15} {
			for _, quay := range []float64{-12, 0, 9} {
				for _, status := range []ais.NavStatus{ais.StatusMoored, ais.StatusUnderWayEngine, ais.StatusUndefined} {
					for _, leaving := range []float64{math.NaN(), 90, 270} {
						lieAtBorder(t, &berth{noise: noise, each: each, status: status, leaving: leaving, moored: min(12*time.Hour, 1000*each)}, quay)
					}
				}
			}
		}
	}
}

func lieAtBorder(t *testing.T, b *berth, quay float64) {
	t.Helper()
	for name, def := range atTheBorder() {
		m := machine(t, def)
		var a watchdog.ShipMemory
		var last ship.Fix
		var got []watchdog.Occurrence
		b.Rand = rand.New(rand.NewPCG(uint64(b.each), uint64(b.noise+1000*(quay+20))))
		b.seen = func(f ship.Fix) {
			s := ship.State{MMSI: 219000001, Class: ship.ClassA, First: begin, Fix: f, HasFix: true}
			got = m.Report(&a, watchdog.Position{Before: last, State: &s}, got)
			if last = f; b.Rand.IntN(20) == 0 {
				a = *again(t, &a)
			}
		}
		b.run(quay)
		counts := map[watchdog.Kind]int{}
		for _, e := range got {
			counts[e.Kind]++
		}
		// It comes from the west and is told at most once; what it does when it sails is told too.
		begins, most := counts[watchdog.Enter]+counts[watchdog.Cross]+counts[watchdog.Risk]+counts[watchdog.Unidentified], 1
		switch {
		case name == "cable":
			most = 3 // slow, stopped, slow
		case name == "line" && !math.IsNaN(b.leaving):
			most = 2
		}
		wrong := begins > most || counts[watchdog.Leave] > 1
		if b.leaving == 90 && name != "cable" {
			wrong = wrong || begins == 0
		}
		if b.leaving == 270 && a.Active || math.IsNaN(b.leaving) && counts[watchdog.Leave] > 0 {
			wrong = true
		}
		if wrong {
			t.Errorf("%s, each %v, noise %v m, quay at %v m, status %v, leaves to %v: %v", name, b.each, b.noise, quay, b.status, b.leaving, counts)
		}
	}
}

// TestAShipThatDriftsOverABorder: a ship without speed that goes on is told, once it is clearly out.
func TestAShipThatDriftsOverABorder(t *testing.T) {
	for name, def := range atTheBorder() {
		if name == "silent" || name == "cable" {
			continue
		}
		m := machine(t, def)
		b := &berth{Rand: rand.New(rand.NewPCG(5, 5)), noise: 3, status: ais.StatusUnderWayEngine, now: begin, at: geo.Destination(geo.Point{Lon: 10.3, Lat: 56.13}, 270, 40)}
		var a watchdog.ShipMemory
		var last ship.Fix
		var got []watchdog.Occurrence
		b.seen = func(f ship.Fix) {
			s := ship.State{MMSI: 219000001, Fix: f, HasFix: true}
			got = m.Report(&a, watchdog.Position{Before: last, State: &s}, got)
			last = f
		}
		for range 60 * 6 / 2 { // half an hour
			b.now += 10_000
			b.at = geo.Destination(b.at, 90, 0.4*1852/360)
			b.report(0.4, 90, b.noise)
		}
		if len(got) != 1 || !got[0].Activated || apart(got[0].Fix.Point(), geo.Point{Lon: 10.3, Lat: 56.13}) > 120 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func apart(a, b geo.Point) float64 { return geo.Distance(a, b) }

// TestLyingAgainstBruteForce holds ships that lie, shift and drift beside a border against the book.
func TestLyingAgainstBruteForce(t *testing.T) {
	kinds := map[string]int{}
	for seed := range uint64(600) {
		d := &dice{rand.New(rand.NewPCG(seed, 26)), []geo.Point{{Lon: 10, Lat: 54}, {Lon: 180, Lat: -17}, {Lon: -70, Lat: 70}, {Lon: 0, Lat: 0}}[seed%4]}
		def := watchdog.Spec{Type: []watchdog.Type{watchdog.Line, watchdog.Polygon, watchdog.Cable}[seed%3], ToActivate: 1 + d.IntN(2), ToDeactivate: 1 + d.IntN(2)}
		switch {
		case def.Type == watchdog.Line || def.Type == watchdog.Cable && d.one(2):
			def.Line = d.line()
		default:
			def.Polygon = d.area()
		}
		if def.Type == watchdog.Cable {
			def.Buffer = 200
		}
		m := machine(t, def)
		b := newBook(def, d.base)
		var got []watchdog.Occurrence
		var a watchdog.ShipMemory
		var last ship.Fix
		for _, s := range d.lies(&def) {
			got = m.Report(&a, watchdog.Position{Before: last, State: &s}, got)
			b.hear(watchdog.Position{Before: last, State: &s})
			if a.Lies != nil {
				kinds["held"]++
			}
			if d.one(10) {
				a = *again(t, &a)
			}
			last = s.Fix
		}
		if why := b.differs(got); why != "" {
			t.Errorf("seed %d: %+v\n%s", seed, def, why)
		}
		for _, e := range got {
			kinds[fmt.Sprint(def.Type, " ", e.Kind)]++
		}
	}
	t.Log(kinds)
	for _, kind := range []string{"held", "line cross", "polygon enter", "polygon leave", "cable risk", "cable leave"} {
		if kinds[kind] < 50 {
			t.Errorf("%d %q in %v", kinds[kind], kind, kinds)
		}
	}
}

// lies returns the reports of a ship that lies beside what is watched, is shifted, swings and drifts.
func (d *dice) lies(def *watchdog.Spec) (reports []ship.State) {
	reach := 0.0
	if def.Type == watchdog.Cable {
		reach = 200
	}
	quay, now := geo.Destination(d.border(def), 360*d.Float64(), reach), begin
	noise, status, each := 15.0, ais.StatusMoored, 180
	pace, course := 0.0, 0.0
	for len(reports) < 300 {
		if len(reports)%40 == 0 {
			noise, pace = []float64{1, 10, 20, 60}[d.IntN(4)], []float64{0, 0, 0.2, 0.45}[d.IntN(4)]
			status = []ais.NavStatus{ais.StatusMoored, ais.StatusUnderWayEngine, ais.StatusAtAnchor, ais.StatusUndefined}[d.IntN(4)]
			each, course = []int{10, 60, 180, 360}[d.IntN(4)], 360*d.Float64()
		}
		switch {
		case d.one(50):
			quay = geo.Destination(quay, 360*d.Float64(), 40+300*d.Float64())
		case d.one(100):
			quay = geo.Destination(d.border(def), 360*d.Float64(), reach)
		}
		now += int64(each) * 1000
		quay = geo.Destination(quay, course, pace*1852/3600*float64(each))
		at := geo.Destination(quay, 360*d.Float64(), noise*math.Abs(d.NormFloat64()))
		knots := math.Max(pace, []float64{0, 0, 0, 0.1, 0.3, 0.4, 0.7, 0.9, 1.4, 2.2}[d.IntN(10)])
		fix := ship.Fix{At: now, Lon: int32(math.Round(at.Lon / ais.PlaceUnit)), Lat: int32(math.Round(at.Lat / ais.PlaceUnit)),
			SOG: ais.SOGTenths(int(knots*10 + 0.5)), COG: ais.COGTenths(int(course * 10)), Heading: ais.HeadingDegrees(0), Status: status}
		if d.one(80) {
			fix.Mark = ship.NewSegment
		}
		reports = append(reports, ship.State{MMSI: 211000001, Fix: fix, HasFix: true})
	}
	return reports
}
