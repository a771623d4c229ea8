package watchdog_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// dice makes definitions and ships that meet them. Places are drawn in a square of some kilometres about base.
type dice struct {
	*rand.Rand
	base geo.Point
}

const square = 0.03 // degrees of latitude from the middle to a side

func (d *dice) one(of int) bool { return d.IntN(of) == 0 }

func (d *dice) place() geo.Point {
	wide := square / math.Cos(d.base.Lat*math.Pi/180)
	return geo.Point{Lon: d.base.Lon + wide*(2*d.Float64()-1), Lat: d.base.Lat + square*(2*d.Float64()-1)}.Normalized()
}

// area is a star about a place, which may have bays and be thin, with a hole in one of four.
func (d *dice) area() geo.Polygon {
	ring := func(corners int, at geo.Point, least, most float64) (r []geo.Point) {
		for i := range corners {
			bearing := 360 * (float64(i) + 0.8*d.Float64()) / float64(corners)
			r = append(r, geo.Destination(at, bearing, least+(most-least)*d.Float64()))
		}
		return append(r, r[0])
	}
	at := d.place()
	corners := 3 + d.IntN(40)
	p := geo.Polygon{ring(corners, at, 900, 900+2500*d.Float64())}
	if corners > 7 && d.one(4) {
		p = append(p, ring(3+d.IntN(20), at, 100, 350))
	}
	return p
}

func (d *dice) line() (l geo.Line) {
	for range 2 + d.IntN(5) {
		l = append(l, d.place())
	}
	return l
}

func (d *dice) definition(filter *ship.Filter) watchdog.Spec {
	pick := func(of ...int) int { return of[d.IntN(len(of))] }
	def := watchdog.Spec{
		Type:       []watchdog.Type{watchdog.Line, watchdog.Polygon, watchdog.Port, watchdog.Cable, watchdog.Fishing}[d.IntN(5)],
		ToActivate: pick(1, 1, 1, 2, 3), ToDeactivate: pick(1, 1, 1, 2, 4), BetweenTriggers: pick(0, 0, 0, 5, 40),
		BetweenTimes: time.Duration(pick(0, 0, 0, 10, 60, 30*60)) * time.Minute, Inactivity: time.Duration(pick(0, 0, 0, 10, 40, 26*60)) * time.Minute,
	}
	switch {
	case def.Type == watchdog.Port:
		def.Port = 1
	case def.Type == watchdog.Line || def.Type == watchdog.Cable && d.one(2):
		def.Line = d.line()
	default:
		def.Polygon = d.area()
	}
	switch def.Type {
	case watchdog.Cable:
		def.Buffer = float64(pick(100, 500, 1000))
	case watchdog.Fishing:
		def.MinSOG, def.MaxSOG, def.AnyType = float64(pick(0, 1)), float64(pick(4, 6)), d.one(2)
		def.Window = time.Duration(pick(2, 10, 20)) * time.Minute
	}
	if d.one(6) {
		def.Filter = filter
	}
	if d.one(6) {
		def.Course = &watchdog.Course{Min: 360 * d.Float64(), Max: 360 * d.Float64()}
	}
	if d.one(6) {
		def.Draught = 8
	}
	return def
}

// voyage returns the reports of a ship. It sails, turns, lies and swings, drifts and trawls, falls silent and jumps.
func (d *dice) voyage(def *watchdog.Spec) (reports []ship.State) {
	at, now := d.place(), begin
	course, knots, heading, each := 360*d.Float64(), 12.0, 0.0, 10
	status := ais.StatusUnderWayEngine
	static, draught := &ship.Static{Type: ais.ShipType(30 + 40*d.IntN(2))}, &ship.VoyageData{Draught: ais.Decimetres(70 + 20*d.IntN(2))}
	for len(reports) < 250 {
		if len(reports)%20 == 0 || d.one(25) {
			knots, each = []float64{0.1, 0.7, 2.5, 3, 5.2, 12, 40}[d.IntN(7)], []int{2, 10, 30, 60, 180}[d.IntN(5)]
			status = []ais.NavStatus{ais.StatusUnderWayEngine, ais.StatusAtAnchor, ais.StatusMoored, ais.StatusFishing}[d.IntN(4)]
			heading = []float64{0, 0, 0, 80, -100}[d.IntN(5)]
			course = geo.Bearing(at, d.border(def)) // it comes back to where things happen
		}
		if d.one(4) {
			course += 60 * (d.Float64() - 0.5)
		}
		if d.one(12) {
			course += 180 // to and fro over the border
		}
		course = math.Mod(course+360, 360)
		seconds := each
		fix := ship.Fix{Status: status, SOG: ais.SOGTenths(int(knots*10 + 0.5)), COG: ais.COGTenths(int(course * 10)), Heading: ais.HeadingDegrees(int(course+heading+360) % 360)}
		switch {
		case d.one(60):
			seconds = []int{14 * 60, 20 * 60, 45 * 60, 3 * 3600, 25 * 3600, 50 * 3600}[d.IntN(6)]
		case d.one(60):
			fix.Mark |= ship.NewSegment
			at = d.place()
		case d.one(40):
			seconds = -seconds // a late one
		case d.one(10):
			fix.SOG = 0
		}
		metres := min(knots*1852/3600*float64(max(seconds, 0)), 4000)
		at = geo.Destination(at, course, metres)
		if d.one(3) { // the noise of the receiver of satellites
			at = geo.Destination(at, 360*d.Float64(), 15*d.Float64())
		}
		fix.At = now + int64(seconds)*1000
		now = max(now, fix.At)
		fix.Lon, fix.Lat = int32(math.Round(at.Lon/ais.PlaceUnit)), int32(math.Round(at.Lat/ais.PlaceUnit))
		reports = append(reports, ship.State{MMSI: 211000001, Fix: fix, HasFix: true, Static: static, Voyage: draught})
	}
	return reports
}

// border returns a place at which something may happen.
func (d *dice) border(def *watchdog.Spec) geo.Point {
	switch {
	case def.Line != nil:
		return def.Line[d.IntN(len(def.Line))]
	case def.Polygon != nil:
		return def.Polygon[0][d.IntN(len(def.Polygon[0]))]
	}
	return d.place()
}

// TestAgainstBruteForce holds the machine, with alarms that are forgotten, written down, read back and ticked by chance, against the book.
func TestAgainstBruteForce(t *testing.T) {
	filter, err := ship.ParseFilter("sog > 5", ship.Lookup{})
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for seed := range uint64(1000) {
		d := &dice{rand.New(rand.NewPCG(seed, 12)), []geo.Point{{Lon: 10, Lat: 54}, {Lon: 180, Lat: -17}, {Lon: -70, Lat: 70}, {Lon: 0, Lat: 0}}[seed%4]}
		def := d.definition(filter)
		m := machine(t, def)
		b := newBook(def, d.base)
		var got []watchdog.Occurrence
		var a watchdog.ShipMemory
		var last ship.Fix
		for _, s := range d.voyage(&def) {
			r := watchdog.Position{Before: last, State: &s}
			if d.one(3) && s.Fix.At > last.At && last.At != 0 {
				for share := range int64(7) {
					got = m.Tick(&a, last.At+(s.Fix.At-last.At)*share/7, got)
				}
			}
			if d.one(10) && !a.Kept() {
				a = watchdog.ShipMemory{}
			}
			if d.one(10) {
				a = *again(t, &a)
			}
			if def.Type == watchdog.Port && d.one(12) && s.Fix.At > last.At {
				what := []watchdog.Kind{watchdog.Enter, watchdog.Moored, watchdog.Unmoored, watchdog.Leave, watchdog.Timeout}[d.IntN(5)]
				did := watchdog.Transition{Kind: what, Port: 1, At: s.Fix.At, Initial: d.one(8) && what == watchdog.Enter}
				got = m.Transition(&a, did, r, got)
				b.does(did, r)
			}
			got = m.Report(&a, r, got)
			b.hear(r)
			if s.Fix.At > last.At {
				last = s.Fix
			}
		}
		got = m.Tick(&a, last.At+2000*time.Hour.Milliseconds(), got)
		b.silence(last.At + 2000*time.Hour.Milliseconds())
		if why := b.differs(got); why != "" {
			t.Errorf("seed %d: %+v\n%s", seed, def, why)
		}
		for _, e := range got {
			kinds[strings.TrimSpace(fmt.Sprintf("%s %s %s", def.Type, e.Kind, e.Reason))]++
		}
	}
	for _, kind := range []string{"line cross", "polygon enter", "polygon leave", "polygon timeout", "port enter", "port moored", "port leave", "port timeout",
		"fishing enter", "fishing leave", "cable leave", "cable timeout", "cable risk lost", "cable risk slow", "cable risk stopped", "cable risk fishing",
		"cable risk dragging"} {
		if kinds[kind] < 5 {
			t.Errorf("%d events %q in %v", kinds[kind], kind, kinds)
		}
	}
}

// differs tells the first event that is not that of the book.
func (b *book) differs(got []watchdog.Occurrence) string {
	for i := range max(len(got), len(b.told)) {
		switch {
		case i >= len(got):
			return fmt.Sprintf("event %d is missing: %+v", i, b.told[i])
		case i >= len(b.told):
			return fmt.Sprintf("event %d is too many: %+v", i, got[i])
		}
		is, want := got[i], b.told[i]
		p := is.Fix.Point()
		x, y := b.xy(p.Lon, p.Lat)
		same := is.Kind == want.Kind && is.Reason == want.Reason && is.Direction == want.Direction && is.Active == want.Active &&
			is.Activated == want.Activated && is.Initial == want.Initial && is.Port == want.Port
		near := want.silent && is.At == want.At || want.loose || math.Abs(float64(is.At-want.At)) <= 250 && b.metres(x, y, want.x, want.y) < 2
		if !same || !near {
			return fmt.Sprintf("event %d is   %+v\nwant %+v, %.1f m apart", i, is, want, b.metres(x, y, want.x, want.y))
		}
	}
	return ""
}
