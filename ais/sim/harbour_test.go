package sim_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// The test coast: land in the north with a bay 3 km wide and 6 km deep, two basins off the bay, and an island at sea.
//
//	####### ~~ ###########
//	####~~~ ~~ ~~~########     basins
//	####### ~~ ###########
//	####### ~~ ###########
//	~~~~~~~~~~~~~~~~~~~~~~
//	~~~~~~~~~~~~ ## ~~~~~~     island
//	~~~~~~~~~~~~~~~~~~~~~~
var middle = geo.Point{Lon: 20, Lat: 57}

// Rings of land, in metres east and north of the middle.
var shores = [][][2]float64{
	{
		{-40000, -1000}, {-1500, -1000}, {-1500, 2000}, {-3500, 2000}, {-3500, 2600}, {-1500, 2600}, {-1500, 5000},
		{1500, 5000}, {1500, 2600}, {3500, 2600}, {3500, 2000}, {1500, 2000}, {1500, -1000}, {40000, -1000}, {40000, 40000}, {-40000, 40000},
	},
	{{4500, -9000}, {5000, -10200}, {6500, -10500}, {7500, -9000}, {6700, -7600}, {5300, -7500}},
}

func metres(p geo.Point) [2]float64 {
	return [2]float64{(p.Lon - middle.Lon) * 60757, (p.Lat - middle.Lat) * 111357}
}

func coast(p geo.Point) bool {
	v, in := metres(p), false
	eachShore(func(a, b [2]float64) {
		if (a[1] > v[1]) != (b[1] > v[1]) && v[0] < a[0]+(v[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) {
			in = !in
		}
	})
	return in
}

func crossesCoast(from, to geo.Point) bool {
	p, q := metres(from), metres(to)
	cross := coast(from)
	eachShore(func(a, b [2]float64) {
		cross = cross || side(p, q, a) != side(p, q, b) && side(a, b, p) != side(a, b, q)
	})
	return cross
}

func side(a, b, p [2]float64) bool {
	return (b[0]-a[0])*(p[1]-a[1]) > (b[1]-a[1])*(p[0]-a[0])
}

func eachShore(leg func(a, b [2]float64)) {
	for _, ring := range shores {
		for i, a := range ring {
			leg(a, ring[(i+1)%len(ring)])
		}
	}
}

var begin = time.Date(2026, 6, 1, 6, 0, 0, 0, time.UTC)

func newHarbour(t testing.TB, seed int64, ships int) *sim.Harbour {
	t.Helper()
	h, err := sim.New(sim.Options{At: middle, Seed: seed, Ships: ships, Start: begin, Land: coast, Crosses: crossesCoast})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// day is the output of a day in a harbour.
type day struct {
	truth    []sim.Truth
	messages int
	digest   uint64
}

// sail runs a harbour for a while, a second at a time, holding every fix against the truth.
func sail(t testing.TB, h *sim.Harbour, last time.Duration) day {
	t.Helper()
	var d day
	digest := fnv.New64a()
	before := map[ais.MMSI]geo.Point{}
	for at := begin.Add(time.Second); !at.After(begin.Add(last)); at = at.Add(time.Second) {
		h.Step(at, func(said time.Time, m ais.Message, channel byte) {
			d.messages++
			payload, bits, err := ais.Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprint(digest, said.Unix(), payload, bits, channel)
			checkFix(t, h, m, before)
		}, func(truth sim.Truth) { d.truth = append(d.truth, truth) })
	}
	d.digest = digest.Sum64()
	return d
}

// checkFix compares a position report with the true place of the ship, and the leg since the last one with the coast.
func checkFix(t testing.TB, h *sim.Harbour, m ais.Message, before map[ais.MMSI]geo.Point) {
	t.Helper()
	var place ais.Place
	switch m := m.(type) {
	case *ais.PositionReport:
		place = m.Place
	case *ais.ClassBReport:
		place = m.Place
	case *ais.SARAircraftReport:
		place = m.Place
	default:
		return
	}
	mmsi := m.Head().MMSI
	truth, ok := h.Place(mmsi)
	if !ok {
		t.Fatalf("%d sends and is nowhere", mmsi)
	}
	lon, lat := place.Degrees()
	if d := geo.Distance(truth, geo.Point{Lon: lon, Lat: lat}); d > 15 {
		t.Fatalf("%d is %.1f m from the place that it reports", mmsi, d)
	}
	was, known := before[mmsi]
	before[mmsi] = truth
	if m.Head().Type == 9 || !known || was == truth || geo.Distance(was, truth) > 3000 {
		return
	}
	if crossesCoast(was, truth) && coast(truth) {
		t.Fatalf("%d crosses land from %v to %v", mmsi, was, truth)
	}
}

// A day at the place of the demo holds enough of each event, and none of them happens on land.
func TestDay(t *testing.T) {
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	h := demoHarbour(t, land)
	if n := h.Ships(); n < 150 {
		t.Errorf("%d ships within range at the beginning, want 150", n)
	}
	count := map[string]int{}
	h.Step(begin.Add(24*time.Hour), nil, func(truth sim.Truth) {
		count[truth.Kind]++
		if truth.Time.Before(begin) || truth.Time.After(begin.Add(24*time.Hour)) {
			t.Errorf("%s at %v, outside the day", truth.Kind, truth.Time)
		}
		if p := (geo.Point{Lon: truth.Lon, Lat: truth.Lat}); truth.MMSI/1000000 != 111 && land.Land(p) {
			t.Errorf("%s of %d on land at %v", truth.Kind, truth.MMSI, p)
		}
	})
	for kind, want := range map[string]int{
		sim.Berthing: 30, sim.PilotTransfer: 10, sim.Anchoring: 3, sim.Encounter: 20, sim.Departure: 30, sim.Towage: 5,
		sim.Arrival: 10, sim.Sailing: 10, sim.ManOverboard: 1, sim.Position: 1000,
	} {
		if count[kind] < want {
			t.Errorf("%d of %s in 24 h, want %d", count[kind], kind, want)
		}
	}
	if n := h.Ships(); n < 150 {
		t.Errorf("%d ships within range at the end, want 150", n)
	}
}

func TestFixesAreTrueAndOnWater(t *testing.T) {
	d := sail(t, newHarbour(t, 2, 60), time.Hour)
	if d.messages < 5000 {
		t.Errorf("%d messages in an hour, want 5000", d.messages)
	}
}

func TestSeed(t *testing.T) {
	const last = 10 * time.Minute
	one, again, other := sail(t, newHarbour(t, 3, 30), last), sail(t, newHarbour(t, 3, 30), last), sail(t, newHarbour(t, 4, 30), last)
	if one.digest != again.digest || !slices.EqualFunc(one.truth, again.truth, sameTruth) {
		t.Error("the same seed gives another day")
	}
	if one.digest == other.digest {
		t.Error("another seed gives the same day")
	}
}

func sameTruth(a, b sim.Truth) bool {
	return a.Time.Equal(b.Time) && a.Kind == b.Kind && a.MMSI == b.MMSI && a.Other == b.Other && a.Lon == b.Lon && a.Lat == b.Lat
}

// A pilot boat is alongside: within 50 m, and as fast as the ship, for the whole time that the truth names. The day is
// sailed twice, because the first time tells when to look.
func TestPilotsComeAlongside(t *testing.T) {
	const last = 80 * time.Minute
	var transfers []sim.Truth
	newHarbour(t, 5, 100).Step(begin.Add(last), nil, func(truth sim.Truth) {
		if truth.Kind == sim.PilotTransfer && truth.Until.Before(begin.Add(last)) {
			transfers = append(transfers, truth)
		}
	})
	if len(transfers) == 0 {
		t.Fatal("no pilot transfer in 80 min")
	}
	h := newHarbour(t, 5, 100)
	before := map[ais.MMSI]geo.Point{}
	for at := begin; at.Before(begin.Add(last)); at = at.Add(time.Second) {
		h.Step(at, nil, nil)
		for _, transfer := range transfers {
			if at.Before(transfer.Time) || at.After(*transfer.Until) {
				continue
			}
			ship, _ := h.Place(transfer.MMSI)
			boat, _ := h.Place(transfer.Other)
			if d := geo.Distance(ship, boat); d > 50 {
				t.Fatalf("%v: %d is %.0f m from %d while the pilot changes ships", at, transfer.Other, d, transfer.MMSI)
			}
			if was, ok := before[transfer.Other]; ok && at.After(transfer.Time) {
				shipRan, boatRan := geo.Distance(before[transfer.MMSI], ship), geo.Distance(was, boat)
				if math.Abs(shipRan-boatRan) > 1 {
					t.Fatalf("%v: the ship runs %.1f m a second and the boat %.1f", at, shipRan, boatRan)
				}
			}
			before[transfer.MMSI], before[transfer.Other] = ship, boat
		}
	}
}

func demoHarbour(t testing.TB, land *chart.Chart) *sim.Harbour {
	t.Helper()
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: 1, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// On real water, at the place of the demo: no ship is ever on land, crosses it or jumps, second by second.
func TestRealWater(t *testing.T) {
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	h := demoHarbour(t, land)
	ships, before := map[ais.MMSI]bool{}, map[ais.MMSI]geo.Point{}
	for at := begin; at.Before(begin.Add(10 * time.Minute)); at = at.Add(time.Second) {
		h.Step(at, func(_ time.Time, m ais.Message, _ byte) {
			if t := m.Head().Type; t == 1 || t == 18 {
				ships[m.Head().MMSI] = true
			}
		}, nil)
		for m := range ships {
			place, ok := h.Place(m)
			was, known := before[m]
			before[m] = place
			if !ok {
				delete(before, m)
			}
			if !ok || !known || was == place {
				continue
			}
			if land.LegCrossesLand(was, place) {
				t.Fatalf("%v: %d crosses land from %v to %v", at, m, was, place)
			}
			if d := geo.Distance(was, place); d > 20 {
				t.Fatalf("%v: %d jumps %.0f m", at, m, d)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	dry := func(geo.Point) bool { return true }
	always := func(geo.Point, geo.Point) bool { return true }
	tests := []struct {
		name string
		o    sim.Options
		want string
	}{
		{"no water", sim.Options{At: middle, Land: dry, Crosses: always}, "no navigable water within 25 km"},
		{"no place", sim.Options{At: geo.Point{Lon: 200}, Land: dry, Crosses: always}, "not a place"},
		{"the pole", sim.Options{At: geo.Point{Lat: 89}, Land: dry, Crosses: always}, "between 85° south and 85° north"},
		{"no chart", sim.Options{At: middle}, "needs to know where land is"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := sim.New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// Without any shore, on the date line: ships lie at buoys and the day goes on.
func TestOpenSeaOnTheDateLine(t *testing.T) {
	wet := func(geo.Point) bool { return false }
	never := func(geo.Point, geo.Point) bool { return false }
	h, err := sim.New(sim.Options{At: geo.Point{Lon: 180, Lat: -17}, Seed: 1, Ships: 60, Start: begin, Land: wet, Crosses: never})
	if err != nil {
		t.Fatal(err)
	}
	east, west := 0, 0
	h.Step(begin.Add(10*time.Minute), func(_ time.Time, m ais.Message, _ byte) {
		if p, ok := m.(*ais.PositionReport); ok {
			lon, _ := p.Place.Degrees()
			switch {
			case lon >= -180 && lon < -179:
				west++
			case lon > 179 && lon <= 180:
				east++
			default:
				t.Fatalf("a ship at longitude %v", lon)
			}
		}
	}, nil)
	if east == 0 || west == 0 {
		t.Errorf("%d fixes west of the date line and %d east of it", east, west)
	}
}

func TestRun(t *testing.T) {
	h := newHarbour(t, 6, 60)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var truth bytes.Buffer
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: "sim", Clock: ais.LogClock})
	batch := ais.NewPool(1).Get()
	lines := 0
	err := h.Run(ctx, 0, func(b []byte) error {
		for line := range bytes.Lines(b) {
			lines++
			decoder.Line(batch, bytes.TrimRight(line, "\r\n"), time.Time{})
		}
		if h.Now().After(begin.Add(5 * time.Minute)) {
			cancel()
		}
		return nil
	}, &truth)
	if err != nil {
		t.Fatal(err)
	}
	if len(batch.Reports) < 300 || lines < len(batch.Reports) {
		t.Errorf("%d reports of %d lines", len(batch.Reports), lines)
	}
	for _, r := range batch.Reports {
		if r.Received.Before(begin) || r.Received.After(begin.Add(6*time.Minute)) {
			t.Fatalf("a report of %v", r.Received)
		}
	}
	var first sim.Truth
	if err := json.Unmarshal(bytes.SplitN(truth.Bytes(), []byte("\n"), 2)[0], &first); err != nil || first.Kind == "" {
		t.Errorf("truth %q: %v", truth.String()[:80], err)
	}
}

func TestRunEndsWithItsWriter(t *testing.T) {
	broken := errors.New("the line is down")
	if err := newHarbour(t, 7, 30).Run(t.Context(), 100, func([]byte) error { return broken }, nil); !errors.Is(err, broken) {
		t.Errorf("run ended with %v", err)
	}
}
