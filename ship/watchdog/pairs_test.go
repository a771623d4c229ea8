package watchdog_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// vessel is a ship of a meeting: it keeps its course and speed, unless turn says otherwise.
type vessel struct {
	east, north   float64 // metres from the middle, at the beginning
	course, knots float64
	code          ais.ShipType
	length        uint16
	status        ais.NavStatus
	class         ship.Class
	aground       bool // it says the speed, and does not move
	silent        int  // from this second on it is not heard
	slows         int  // from this second on it makes 1 knot
	turns         int  // from this second on it sails the opposite course
}

var roads = geo.Point{Lon: 10, Lat: 54}

// sea is the guarded water: 20 km around the roads.
func sea(t testing.TB, change func(d *watchdog.Spec)) *watchdog.Machine {
	d := watchdog.Spec{Type: watchdog.CPA, Polygon: circle(roads, 20_000), BetweenTimes: watchdog.DefaultPairBetween}
	if change != nil {
		change(&d)
	}
	return machine(t, d)
}

// reports returns what the vessels report in so many seconds: each ten seconds, one vessel after the other.
func reports(seconds int, vessels ...vessel) (all []watchdog.Position) {
	plane := geo.PlaneAt(roads)
	before := make([]ship.Fix, len(vessels))
	at := make([]geo.Vector, len(vessels))
	for i, v := range vessels {
		at[i] = geo.Vector{X: v.east, Y: v.north}
	}
	for second := range seconds {
		for i, v := range vessels {
			if v.slows > 0 && second >= v.slows {
				v.knots = 1
			}
			if v.turns > 0 && second >= v.turns {
				v.course += 180
			}
			if !v.aground {
				to := geo.Destination(plane.Point(at[i]), v.course, v.knots*1852/3600)
				at[i] = plane.Vector(to)
			}
			if second%10 != i%10 || v.silent > 0 && second >= v.silent {
				continue
			}
			p := plane.Point(at[i])
			fix := place(second, p.Lat, p.Lon, v.knots)
			fix.COG, fix.Status = ais.COGTenths(int(v.course*10)%3600), v.status
			s := &ship.State{MMSI: ais.MMSI(211000001 + i), Class: v.class, HasFix: true, Fix: fix, First: begin, Reports: 9,
				Static: &ship.Static{Name: fmt.Sprint("SHIP ", i), Type: v.code, Dimensions: ais.Dimensions{Bow: v.length}}}
			if v.class == ship.ClassUnknown {
				s.Class = ship.ClassA
			}
			all = append(all, watchdog.Position{Before: before[i], State: s})
			before[i] = fix
		}
	}
	return all
}

// follow hands reports to the pairs, with a tick after each, and returns what happened in words.
func follow(p *watchdog.Pairs, all []watchdog.Position) (told []string) {
	for _, r := range all {
		dangers := p.Report(r, nil)
		for _, d := range append(dangers, p.Tick(r.State.Fix.At, nil)...) {
			at := (d.At - begin) / 1000
			if d.Active {
				told = append(told, fmt.Sprintf("%d %d and %d: %.0f m in %.0f s", at, d.Ship.MMSI%10, d.Other.MMSI%10, d.CPA, d.TCPA.Seconds()))
			} else {
				told = append(told, fmt.Sprintf("%d %d and %d: over", at, d.A%10, d.B%10))
			}
		}
	}
	return told
}

// TestMeetings goes through the meetings of two ships, in the words of the bridge.
func TestMeetings(t *testing.T) {
	const cargo, tanker, pilot, tug, fishing, yacht = 70, 80, 50, 52, 30, 37
	east := vessel{east: -3000, course: 90, knots: 12, code: cargo, length: 120}
	west := vessel{east: 3000, north: 100, course: 270, knots: 12, code: tanker, length: 120}
	with := func(v vessel, change func(v *vessel)) vessel { change(&v); return v }
	for name, row := range map[string]struct {
		change  func(d *watchdog.Spec)
		seconds int
		ships   []vessel
		want    []string
	}{
		"head on": {nil, 900, []vessel{east, west}, []string{"131 1 and 2: 100 m in 354 s", "490 1 and 2: over"}},
		"crossing": {nil, 900, []vessel{east, {north: -3000, course: 0, knots: 12, code: cargo}},
			[]string{"131 1 and 2: 1 m in 354 s", "490 1 and 2: over"}},
		"head on with a minute of notice": {func(d *watchdog.Spec) { d.TCPA = time.Minute }, 900, []vessel{east, west},
			[]string{"430 1 and 2: 100 m in 55 s", "490 1 and 2: over"}},
		"abreast at a mile": {nil, 900, []vessel{east, with(west, func(v *vessel) { v.north = 1852 })}, nil},
		"abreast at a mile, with a limit of a mile and a half": {func(d *watchdog.Spec) { d.CPA = 2778 }, 900,
			[]vessel{east, with(west, func(v *vessel) { v.north = 1852 })}, []string{"131 1 and 2: 1852 m in 354 s", "490 1 and 2: over"}},
		"overtaking": {nil, 1500, []vessel{east, with(east, func(v *vessel) { v.east, v.north, v.knots = -5000, 200, 18 })},
			[]string{"131 1 and 2: 200 m in 516 s", "650 1 and 2: over"}},
		"already past":           {nil, 900, []vessel{with(east, func(v *vessel) { v.east = 500 }), with(west, func(v *vessel) { v.east = -500 })}, nil},
		"side by side":           {nil, 900, []vessel{east, with(east, func(v *vessel) { v.north = 80 })}, nil},
		"one lies at a quay":     {nil, 900, []vessel{east, {code: cargo, status: ais.StatusUnderWayEngine}}, nil},
		"one is slow":            {nil, 900, []vessel{east, with(west, func(v *vessel) { v.knots = 2.9 })}, nil},
		"one lies and says 4 kn": {nil, 900, []vessel{east, {course: 270, knots: 4, code: cargo, aground: true}}, nil},
		"one sails and says that it is moored": {nil, 900, []vessel{east, with(west, func(v *vessel) { v.status = ais.StatusMoored })},
			[]string{"131 1 and 2: 100 m in 354 s", "490 1 and 2: over"}},
		"a pilot comes to its ship": {nil, 900, []vessel{east, with(west, func(v *vessel) { v.code, v.length = pilot, 15 })}, nil},
		"a tug comes to its ship":   {nil, 900, []vessel{east, with(west, func(v *vessel) { v.code, v.length = tug, 30 })}, nil},
		"a tug meets a tug":         {nil, 900, []vessel{with(east, func(v *vessel) { v.code = tug }), with(west, func(v *vessel) { v.code = tug })}, nil},
		"a pilot boat meets a yacht": {nil, 900, []vessel{with(east, func(v *vessel) { v.code = pilot }), with(west, func(v *vessel) { v.code, v.length = yacht, 12 })},
			[]string{"131 1 and 2: 100 m in 354 s", "490 1 and 2: over"}},
		"both fish":                      {nil, 900, []vessel{with(east, func(v *vessel) { v.code = fishing }), with(west, func(v *vessel) { v.code, v.length, v.status = 0, 0, ais.StatusFishing })}, nil},
		"one fishes":                     {nil, 900, []vessel{with(east, func(v *vessel) { v.code = fishing }), west}, []string{"131 1 and 2: 100 m in 354 s", "490 1 and 2: over"}},
		"an aircraft":                    {nil, 900, []vessel{east, with(west, func(v *vessel) { v.class = ship.ClassSAR })}, nil},
		"outside of the area":            {nil, 900, []vessel{with(east, func(v *vessel) { v.north = 30_000 }), with(west, func(v *vessel) { v.north = 30_000 })}, nil},
		"one turns away":                 {nil, 900, []vessel{east, with(west, func(v *vessel) { v.turns = 200 })}, []string{"131 1 and 2: 100 m in 354 s", "261 1 and 2: over"}},
		"one stops, the other passes it": {nil, 900, []vessel{east, with(west, func(v *vessel) { v.slows = 200 })}, []string{"131 1 and 2: 100 m in 354 s", "730 1 and 2: over"}},
		"one falls silent":               {nil, 900, []vessel{east, with(west, func(v *vessel) { v.silent = 200 })}, []string{"131 1 and 2: 100 m in 354 s", "520 1 and 2: over"}},
		"a yacht that is meant alone": {func(d *watchdog.Spec) { d.Filter = filter(t, "length < 50") }, 900,
			[]vessel{east, with(west, func(v *vessel) { v.code, v.length = yacht, 12 })}, []string{"131 2 and 1: 100 m in 354 s", "490 1 and 2: over"}},
		"by night": {func(d *watchdog.Spec) { d.Hours = shift(22*60, 6*60) }, 900, []vessel{east, west},
			[]string{"131 1 and 2: 100 m in 354 s", "490 1 and 2: over"}},
		"by day, in the night":  {func(d *watchdog.Spec) { d.Hours = shift(6*60, 22*60) }, 900, []vessel{east, west}, nil},
		"no ship that is meant": {func(d *watchdog.Spec) { d.Filter = filter(t, "length < 50") }, 900, []vessel{east, west}, nil},
		"late samples":          {func(d *watchdog.Spec) { d.ToActivate, d.TCPA = 5, time.Minute }, 900, []vessel{east, west}, []string{"450 1 and 2: 100 m in 35 s", "490 1 and 2: over"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := follow(watchdog.NewPairs(sea(t, row.change)), reports(row.seconds, row.ships...)); !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}

// shift is a part of every day, in minutes since midnight.
func shift(from, to int) *watchdog.Calendar {
	return &watchdog.Calendar{Shifts: []watchdog.Shift{{Days: [7]bool{true, true, true, true, true, true, true}, From: from, To: to}}}
}

func filter(t testing.TB, text string) *ship.Filter {
	t.Helper()
	f, err := ship.ParseFilter(text, ship.Lookup{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAPairRingsOnceInHalfAnHour: two ships that meet again and again ring once in half an hour, and a restart at any moment changes nothing.
func TestAPairRingsOnceInHalfAnHour(t *testing.T) {
	m := sea(t, nil)
	var all []watchdog.Position
	one := vessel{east: -2000, course: 90, knots: 12, code: 70}
	two := vessel{east: 2000, north: 50, course: 270, knots: 12, code: 70}
	for leg := range 8 { // each ends where the next begins
		for _, r := range reports(600, one, two) {
			r.State.Fix.At += int64(leg) * 600_000
			if r.Before.At != 0 {
				r.Before.At += int64(leg) * 600_000
			}
			all = append(all, r)
		}
		one.course, two.course = two.course, one.course
		one.east, two.east = -one.east*0.85, -two.east*0.85
	}
	whole := watchdog.NewPairs(m)
	want := follow(whole, all)
	rings := slices.DeleteFunc(slices.Clone(want), func(line string) bool { return line[len(line)-4:] == "over" })
	if len(rings) != 3 {
		t.Fatalf("it rang %d times in 80 minutes: %q", len(rings), want)
	}
	for cut := 0; cut < len(all); cut += 7 {
		first := watchdog.NewPairs(m)
		told := follow(first, all[:cut])
		second := watchdog.NewPairs(m)
		for _, k := range first.Kept() {
			second.Remember(k, all[cut].State.Fix.At)
		}
		for _, line := range follow(second, all[cut:]) {
			if line[len(line)-4:] != "over" && slices.Contains(told, line) {
				t.Fatalf("it rang again after a restart at %d: %q", cut, line)
			}
			told = append(told, line)
		}
		again := slices.DeleteFunc(told, func(line string) bool { return line[len(line)-4:] == "over" })
		if len(again) != len(rings) {
			t.Errorf("with a restart after %d reports it rang %q, want as often as %q", cut, again, rings)
		}
	}
}

// TestARestartBeginsTheTwoMinutesAnew: for how long a danger stood a restart does not know. The ring comes two minutes after it, and not much later.
func TestARestartBeginsTheTwoMinutesAnew(t *testing.T) {
	m := sea(t, nil)
	all := reports(600, vessel{east: -4000, course: 90, knots: 12, code: 70}, vessel{east: 4000, north: 50, course: 270, knots: 12, code: 80})
	ring := func(p *watchdog.Pairs, all []watchdog.Position) (at int64) {
		for _, r := range all {
			if dangers := p.Report(r, nil); len(dangers) > 0 {
				return dangers[0].At
			}
		}
		t.Fatal("it did not ring")
		return 0
	}
	without := ring(watchdog.NewPairs(m), all)
	latest := int64(0)
	for cut := 0; all[cut].State.Fix.At < without; cut++ {
		before := watchdog.NewPairs(m)
		follow(before, all[:cut])
		after := watchdog.NewPairs(m)
		for _, k := range before.Kept() {
			after.Remember(k, all[cut].State.Fix.At)
		}
		latest = max(latest, ring(after, all[cut:])-all[cut].State.Fix.At)
	}
	if latest < 120_000 || latest > 140_000 { // the 50 m take ten seconds more, and so does the next report
		t.Errorf("it rings up to %d s after a restart", latest/1000)
	}
}

// TestPairsAgainstTheFormula: of many ships on straight courses those ring, and once, that come too close by the plain formula.
func TestPairsAgainstTheFormula(t *testing.T) {
	const length = 1200
	random := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		ships := make([]vessel, 12)
		for i := range ships {
			ships[i] = vessel{east: random.Float64()*16000 - 8000, north: random.Float64()*16000 - 8000, course: random.Float64() * 360,
				knots: 4 + random.Float64()*20, code: 70}
		}
		rang := map[watchdog.Pair]int{}
		p := watchdog.NewPairs(sea(t, nil))
		for _, r := range reports(length, ships...) {
			for _, d := range p.Report(r, nil) {
				if d.Active {
					rang[d.Pair]++
				}
			}
		}
		for i := range ships {
			for k := i + 1; k < len(ships); k++ {
				a, b := &ships[i], &ships[k]
				pair := watchdog.Pair{A: ais.MMSI(211000001 + i), B: ais.MMSI(211000001 + k)}
				plane := geo.PlaneAt(roads)
				metres, in, ok := geo.CPA(geo.Motion{At: plane.Point(geo.Vector{X: a.east, Y: a.north}), SOG: a.knots, COG: a.course},
					geo.Motion{At: plane.Point(geo.Vector{X: b.east, Y: b.north}), SOG: b.knots, COG: b.course})
				near, far := ok && metres < 500 && in > 4*time.Minute && in < 15*time.Minute, !ok || metres > 620
				if n := rang[pair]; n > 1 || near && n == 0 || far && n > 0 {
					t.Errorf("%+v and %+v: %.0f m in %v (%v), and it rang %d times", *a, *b, metres, in, ok, n)
				}
			}
		}
	}
}

// TestWrongPairs: each error names its field.
func TestWrongPairs(t *testing.T) {
	area := box(10, 54, 11, 55)
	for _, row := range []struct {
		pointer, word string
		d             watchdog.Spec
	}{
		{"/cpa", "required", watchdog.Spec{Type: watchdog.CPA}},
		{"/cpa/cpa_m", "range", watchdog.Spec{Type: watchdog.CPA, Polygon: area, CPA: -1}},
		{"/cpa/cpa_m", "range", watchdog.Spec{Type: watchdog.CPA, Polygon: area, CPA: 20_000}},
		{"/cpa/tcpa_s", "range", watchdog.Spec{Type: watchdog.CPA, Polygon: area, TCPA: time.Second}},
		{"/cpa/tcpa_s", "range", watchdog.Spec{Type: watchdog.CPA, Polygon: area, TCPA: 2 * time.Hour}},
		{"/cpa/cpa_m", "watchdog_type", watchdog.Spec{Type: watchdog.Polygon, Polygon: area, CPA: 100}},
		{"/cpa/tcpa_s", "watchdog_type", watchdog.Spec{Type: watchdog.Polygon, Polygon: area, TCPA: time.Minute}},
		{"/samples_between_trigger", "no_pair", watchdog.Spec{Type: watchdog.CPA, Polygon: area, BetweenTriggers: 3}},
	} {
		m, err := watchdog.New(row.d)
		var field *watchdog.FieldError
		if !errors.As(err, &field) || field.Pointer != row.pointer || field.Rule.Word != row.word || m != nil {
			t.Errorf("%+v: %v, want %s at %s", row.d, err, row.word, row.pointer)
		}
	}
}

// crowd is a guarded water with so many ships that sail in lanes, and what they report next.
func crowd(t testing.TB, ships int) (p *watchdog.Pairs, next func(i int) watchdog.Position) {
	p = watchdog.NewPairs(sea(t, nil))
	states := make([]ship.State, ships)
	random := rand.New(rand.NewPCG(7, 8))
	for i := range states {
		at := geo.Destination(roads, random.Float64()*360, random.Float64()*15_000)
		fix := place(0, at.Lat, at.Lon, 10)
		fix.COG = ais.COGTenths(900 + 1800*(i%2))
		states[i] = ship.State{MMSI: ais.MMSI(211000001 + i), Class: ship.ClassA, HasFix: true, Fix: fix, First: begin, Reports: 9,
			Static: &ship.Static{Type: 70}}
	}
	return p, func(i int) watchdog.Position {
		s := &states[i%ships]
		r := watchdog.Position{Before: s.Fix, State: s}
		s.Fix.At += 10_000
		s.Fix.Lon += 500 * int32(1-2*(i%ships%2)) / 10
		return r
	}
}

// TestAPairCostsNoMemory: a report in a crowd in which nothing begins or ends allocates nothing.
func TestAPairCostsNoMemory(t *testing.T) {
	p, next := crowd(t, 60)
	dst, n := []watchdog.Danger(nil), 0
	step := func() {
		dst = p.Report(next(n), dst[:0])
		n++
	}
	for range 60 * 20 {
		step()
	}
	if len(p.Kept()) == 0 {
		t.Fatal("no pair comes too close")
	}
	if got := testing.AllocsPerRun(600, step); got > 0 {
		t.Errorf("%g allocations", got)
	}
}

// BenchmarkPairs is a report of one of 500 ships in a guarded water.
func BenchmarkPairs(b *testing.B) {
	p, next := crowd(b, 500)
	dst := []watchdog.Danger(nil)
	b.ReportAllocs()
	for i := range b.N {
		dst = p.Report(next(i), dst[:0])
	}
	if len(p.Kept()) == 0 && b.N > 5000 {
		b.Fatal("no pair comes too close")
	}
}
