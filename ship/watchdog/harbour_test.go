package watchdog_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// circle is a polygon around a place.
func circle(at geo.Point, metres float64) geo.Polygon {
	ring := make([]geo.Point, 0, 33)
	for i := range 32 {
		ring = append(ring, geo.Destination(at, float64(i)*360/32, metres))
	}
	return geo.Polygon{append(ring, ring[0])}
}

// placeEvery is how often the true places are noted.
const placeEvery = 5 * time.Second

// harbour is a time in a simulated harbour, with a watchdog of pairs over all of it.
type harbour struct {
	t      testing.TB
	start  time.Time
	h      *sim.Harbour
	pairs  *watchdog.Pairs
	states map[ais.MMSI]*heard
	limits ship.Limits
	rings  []watchdog.Danger // their ships are those of their time
	truth  []sim.Truth
	steps  int
	places map[ais.MMSI]map[int]geo.Point // true ones, by step
}

// heard is what is known of a ship.
type heard struct {
	state ship.State
	gate  ship.Gate
}

func newHarbour(t testing.TB, seed int64) *harbour {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: seed, Ships: 90, Start: start, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	d := watchdog.Spec{Type: watchdog.CPA, Polygon: circle(sim.DefaultAt, 40_000), BetweenTimes: watchdog.DefaultPairBetween}
	return &harbour{t: t, start: start, h: h, pairs: watchdog.NewPairs(machine(t, d)), states: map[ais.MMSI]*heard{}, limits: ship.DefaultLimits(),
		places: map[ais.MMSI]map[int]geo.Point{}}
}

// sail lets so much time pass.
func (x *harbour) sail(length time.Duration) {
	for range int(length / placeEvery) {
		x.steps++
		x.h.Step(x.h.Now().Add(placeEvery), x.hear, func(e sim.Truth) { x.truth = append(x.truth, e) })
		for m, places := range x.places {
			if p, ok := x.h.Place(m); ok {
				places[x.steps] = p
			}
		}
		x.take(x.pairs.Tick(x.h.Now().UnixMilli(), nil))
	}
}

func (x *harbour) hear(at time.Time, m ais.Message, _ byte) {
	number := m.Head().MMSI
	s := x.states[number]
	if s == nil {
		s = &heard{}
		x.states[number], x.places[number] = s, map[int]geo.Point{}
	}
	before := s.state.Fix
	out := ship.Merge(&s.state, s.gate, &ais.Report{Message: m, Received: at, Sent: at, Feed: "roof"}, &x.limits)
	if s.state, s.gate = out.Now, out.Gate; out.Change&ship.ChangedFix != 0 {
		x.take(x.pairs.Report(watchdog.Position{Before: before, State: &s.state}, nil))
	}
}

func (x *harbour) take(dangers []watchdog.Danger) {
	for _, d := range dangers {
		if d.Active {
			one, other := *d.Ship, *d.Other
			d.Ship, d.Other = &one, &other
			x.rings = append(x.rings, d)
		}
	}
}

func (x *harbour) step(at time.Time) int { return int(at.Sub(x.start) / placeEvery) }

// closest returns the least true distance of two ships in a time, 100 km where they were not both there.
func (x *harbour) closest(p watchdog.Pair, from time.Time, length time.Duration) float64 {
	least := 100_000.0
	for i := x.step(from); i <= x.step(from.Add(length)); i++ {
		a, known := x.places[p.A][i]
		b, also := x.places[p.B][i]
		if known && also {
			least = min(least, geo.PlaneAt(a).Vector(b).Length())
		}
	}
	return least
}

// knots returns the true speed of a ship over the minute before a time, along its way, as a ship that turns about gets nowhere. It is -1 where it was not there.
func (x *harbour) knots(m ais.MMSI, at time.Time) float64 {
	metres := 0.0
	for i := x.step(at) - int(time.Minute/placeEvery); i < x.step(at); i++ {
		from, known := x.places[m][i]
		to, also := x.places[m][i+1]
		if !known || !also {
			return -1
		}
		metres += geo.PlaneAt(from).Vector(to).Length()
	}
	return metres / 1852 * 60
}

func (x *harbour) fishes(m ais.MMSI) bool {
	s := x.states[m].state.Static
	return s != nil && s.Type == 30
}

// rang reports whether it rang for two ships in the half hour before a time.
func (x *harbour) rang(e sim.Truth) bool {
	return slices.ContainsFunc(x.rings, func(d watchdog.Danger) bool {
		before := e.Time.Sub(time.UnixMilli(d.At))
		return d.Pair == watchdog.PairOf(e.MMSI, e.Other) && before >= 0 && before < 30*time.Minute
	})
}

// TestPairsOfASimulatedHarbour holds the watchdog of pairs against what was true: it rings before the closest point of at least 95 % of the encounters
// of two ships that sail at 3 knots or more, and never for a ship and its pilot boat or tug, nor for one that lies. No more than one ring of ten is in vain.
// ALARM_DAYS makes it longer.
func TestPairsOfASimulatedHarbour(t *testing.T) {
	length := 2 * time.Hour
	if n, err := strconv.Atoi(os.Getenv("ALARM_DAYS")); err == nil {
		length = time.Duration(n) * 24 * time.Hour
	}
	x := newHarbour(t, 9)
	x.sail(length)
	met, told := 0, 0
	for _, e := range x.truth {
		switch e.Kind {
		case sim.Towage, sim.PilotTransfer:
			if x.rang(sim.Truth{Time: e.Time.Add(10 * time.Minute), MMSI: e.MMSI, Other: e.Other}) {
				t.Errorf("it rang for a ship and the one that serves it: %+v", e)
			}
		case sim.Encounter:
			if x.knots(e.MMSI, e.Time) < 3 || x.knots(e.Other, e.Time) < 3 || x.fishes(e.MMSI) && x.fishes(e.Other) {
				continue
			}
			if met++; x.rang(e) {
				told++
			}
		}
	}
	vain, judged := 0, 0
	for _, d := range x.rings {
		at := time.UnixMilli(d.At)
		for _, s := range []*ship.State{d.Ship, d.Other} {
			truly, then := x.knots(s.MMSI, at), x.knots(s.MMSI, at.Add(time.Minute))
			if truly >= 0 && truly < 1 && then < 1 { // one that has just cast off lies no more
				t.Errorf("it rang at %v for %d at %.1f knots", at, s.MMSI, truly)
			}
		}
		if at.Add(d.TCPA + 5*time.Minute).After(x.start.Add(length)) {
			continue // how it ended is not known
		}
		if judged++; x.closest(d.Pair, at, d.TCPA+5*time.Minute) >= 556 {
			vain++
		}
	}
	t.Logf("%d of %d encounters told before; %d rings, of %d that ended %d in vain", told, met, len(x.rings), judged, vain)
	if met < 50 || told*100 < met*95 {
		t.Errorf("%d of %d encounters were told before the closest point", told, met)
	}
	if judged < 100 || vain*100 > judged*10 {
		t.Errorf("%d of %d rings were in vain", vain, judged)
	}
}
