package sim_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/users/registry/portfile"
)

func twoHarbours(t testing.TB) (*sim.Harbour, *chart.Chart) {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Second: &sim.DefaultSecond, Seed: 1, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	return h, land
}

// TestSecondHarbourKeepsToWater: no ship of two harbours is on land, crosses it or jumps, looked at each second for 20 minutes. For 10 hours, each
// 20 s, the same holds for those on the sea between the two.
func TestSecondHarbourKeepsToWater(t *testing.T) {
	h, land := twoHarbours(t)
	before, atSea := map[ais.MMSI]geo.Point{}, map[ais.MMSI]bool{}
	ships := map[ais.MMSI]bool{}
	step, fastest := time.Second, 60.0 // metres a step: a pilot boat beside its ship gives way to the shore
	for at := begin; at.Before(begin.Add(10 * time.Hour)); at = at.Add(step) {
		if at.Sub(begin) == 20*time.Minute {
			step, fastest = 20*time.Second, 20*12
			clear(before)
		}
		h.Step(at, func(_ time.Time, m ais.Message, _ byte) {
			if t := m.Head().Type; t == 1 || t == 18 {
				ships[m.Head().MMSI] = true
			}
		}, nil)
		for m := range ships {
			place, ok := h.Place(m)
			between := place.Lon > 10.7 && place.Lon < 12.2
			if !ok || step > time.Second && !between {
				delete(before, m)
				delete(ships, m) // until it sends again
				continue
			}
			if between {
				atSea[m] = true
			}
			was, known := before[m]
			before[m] = place
			if !known || was == place {
				continue
			}
			if land.LegCrossesLand(was, place) {
				t.Fatalf("%v: %d crosses land from %v to %v", at, m, was, place)
			}
			if d := geo.Distance(was, place); d > fastest {
				t.Fatalf("%v: %d jumps %.0f m", at, m, d)
			}
		}
	}
	if len(atSea) < 12 {
		t.Errorf("%d ships were at sea between the harbours, want 12", len(atSea))
	}
}

// readPorts writes the ports of the harbours and reads them as import-ports does.
func readPorts(t *testing.T, h *sim.Harbour) map[string]portfile.PortRow {
	t.Helper()
	var text bytes.Buffer
	if err := h.WritePorts(&text); err != nil {
		t.Fatal(err)
	}
	rows, refused, err := portfile.Read(portfile.NamedFile{Name: "ports.json", Text: text.String()})
	if err != nil || len(refused) > 0 {
		t.Fatalf("%v, %v", refused, err)
	}
	ports := map[string]portfile.PortRow{}
	for _, r := range rows {
		ports[r.Ref] = r
	}
	return ports
}

// inside tells in how many of the shapes a place lies.
func inside(shapes []geo.Polygon, at geo.Point) (n int) {
	for _, s := range shapes {
		if s.Contains(at) {
			n++
		}
	}
	return n
}

// TestPortsHoldTheBerthings: in eight hours, every berthing and departure lies within the border of the port that the truth names, and of no
// other, and in the water of a berth. The same holds for places that moored ships report.
func TestPortsHoldTheBerthings(t *testing.T) {
	h, _ := twoHarbours(t)
	ports := readPorts(t, h)
	var codes []string
	for code, p := range ports {
		codes = append(codes, code)
		port := chart.Port{Position: *p.Position, Placed: true, Outer: p.Outer, Inner: p.Inner}
		if err := port.CheckShapes(); err != nil {
			t.Errorf("%s: %v", code, err)
		}
		for _, b := range p.Berths {
			if !p.Outer.Contains(*b.Position) || inside(p.Inner, *b.Position) == 0 || b.Length < 40 || b.MaxDraught < 3 {
				t.Errorf("%s: berth %+v", code, b)
			}
		}
	}
	if slices.Sort(codes); !slices.Equal(codes, []string{"DKAAR", "DKCPH", "SELAA"}) {
		t.Fatalf("ports %v", codes)
	}
	berthings, checked := map[string]int{}, map[ais.MMSI]time.Time{}
	h.Step(begin.Add(8*time.Hour), func(now time.Time, m ais.Message, _ byte) {
		p, ok := m.(*ais.PositionReport)
		if ok && p.Status == ais.StatusMoored && p.SOG == 0 && now.Sub(checked[p.MMSI]) > 15*time.Minute {
			checked[p.MMSI] = now
			var at geo.Point
			at.Lon, at.Lat = p.Place.Degrees()
			if inside(ports["DKCPH"].Inner, at)+inside(ports["DKAAR"].Inner, at)+inside(ports["SELAA"].Inner, at) == 0 {
				t.Errorf("%d is moored at %v, in no inner shape", p.MMSI, at)
			}
		}
	}, func(truth sim.Truth) {
		if truth.Kind != sim.Berthing && truth.Kind != sim.Departure {
			return
		}
		berthings[truth.Port]++
		at := geo.Point{Lon: truth.Lon, Lat: truth.Lat}
		for code, p := range ports {
			if p.Outer.Contains(at) != (code == truth.Port) {
				t.Errorf("%s at %s of %s lies inside the border of %s, or outside of its own", truth.Kind, truth.Berth, truth.Port, code)
			}
		}
		named := slices.ContainsFunc(ports[truth.Port].Berths, func(b chart.Berth) bool { return b.Name == truth.Berth })
		if inside(ports[truth.Port].Inner, at) == 0 || !named {
			t.Errorf("%s at %v, which is not in the water of a berth of %s, or %q is none", truth.Kind, at, truth.Port, truth.Berth)
		}
	})
	for _, code := range codes {
		if berthings[code] < 15 {
			t.Errorf("%d berthings and departures in %s, want 15", berthings[code], code)
		}
	}
}

// call is what the truth and the messages of a ship said so far.
type call struct {
	last    sim.Truth // its last berthing, departure, sailing or arrival
	left    sim.Truth // its last departure
	draught float64   // that its crew entered last
}

// TestTruthOfCalls: a truth of 30 hours tells for each ship where and since when it lay, shifts apart from calls, and voyages of 4 to 12 hours
// each way. Crews on the way announce the other harbour, and have entered the draught an hour after they left.
func TestTruthOfCalls(t *testing.T) {
	h, _ := twoHarbours(t)
	calls := map[ais.MMSI]*call{}
	of := func(m ais.MMSI) *call {
		if calls[m] == nil {
			calls[m] = &call{}
		}
		return calls[m]
	}
	count := map[string]int{}
	h.Step(begin.Add(30*time.Hour), func(now time.Time, m ais.Message, _ byte) {
		v, ok := m.(*ais.StaticVoyage)
		if !ok {
			return
		}
		c := of(v.MMSI)
		c.draught, _ = v.Draught.Metres()
		if c.last.Kind == sim.Sailing && c.last.Port == "DKCPH" && c.left.Kind != "" && now.Sub(c.left.Time) > time.Hour && c.left.Draught != c.draught {
			t.Errorf("%d left with %v m and still says %v", v.MMSI, c.left.Draught, c.draught)
		}
		if place, _ := h.Place(v.MMSI); place.Lon > 11 && place.Lon < 12 && c.last.Kind == sim.Sailing {
			count["announced"]++
			if !announces(v.Destination, c.last.Port) {
				t.Errorf("%d from %s announces %q", v.MMSI, c.last.Port, v.Destination)
			}
		}
	}, func(truth sim.Truth) { of(truth.MMSI).follow(t, truth, count) })
	for what, want := range map[string]int{
		"shift": 4, "DKCPH to DKAAR": 5, "DKAAR to DKCPH": 5, "anchoring DKCPH": 2, "anchoring DKAAR": 2, "pilot_transfer DKCPH": 10,
		"pilot_transfer DKAAR": 10, "round trip": 20, "announced": 200, "berthing DKCPH": 100, "berthing DKAAR": 40, "berthing SELAA": 30, "weighing": 5,
	} {
		if count[what] < want {
			t.Errorf("%d of %s in 30 hours, want %d", count[what], what, want)
		}
	}
	t.Log(count)
}

// announces reports whether a destination names the harbour at the other end of the way from a port.
func announces(destination, from string) bool {
	names := map[string][]string{"DKCPH": {"AAR", "ARHUS"}, "DKAAR": {"CPH", "COPENHAGEN", "KOBENHAVN"}}[from]
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(strings.TrimSuffix(destination, " PILOT"), name) })
}

// follow takes the next truth of the ship.
func (c *call) follow(t *testing.T, truth sim.Truth, count map[string]int) {
	t.Helper()
	switch truth.Kind {
	case sim.Berthing:
		c.berthed(t, truth, count)
	case sim.Departure:
		if c.last.Kind == sim.Berthing && (c.last.Port != truth.Port || c.last.Berth != truth.Berth || !truth.Since.Equal(c.last.Time)) {
			t.Errorf("%d was made fast as %+v and left as %+v", truth.MMSI, c.last, truth)
		}
		c.left = truth
	case sim.Weighing:
		count["weighing"]++
		if truth.Since.After(truth.Time) {
			t.Errorf("%d weighed at %v and had anchored at %v", truth.MMSI, truth.Time, truth.Since)
		}
	case sim.Anchoring, sim.PilotTransfer:
		count[truth.Kind+" "+truth.Port]++
	}
	switch truth.Kind {
	case sim.Berthing, sim.Departure, sim.Sailing, sim.Arrival:
		c.last = truth
	}
}

// berthed takes a berthing.
func (c *call) berthed(t *testing.T, truth sim.Truth, count map[string]int) {
	t.Helper()
	count["berthing "+truth.Port]++
	under := truth.Time.Sub(c.left.Time)
	switch {
	case c.last.Kind == sim.Berthing:
		t.Errorf("%d is made fast twice, %+v and %+v", truth.MMSI, c.last, truth)
	case truth.Shift:
		count["shift"]++
		if c.left.Kind != "" && (c.last.Kind != sim.Departure || c.left.Port != truth.Port) {
			t.Errorf("%d shifts from %+v to %+v", truth.MMSI, c.last, truth)
		}
	case c.left.Port == truth.Port:
		count["round trip"]++
	case c.left.Port != "" && truth.Port != "SELAA" && c.left.Port != "SELAA":
		if under < 4*time.Hour {
			t.Errorf("%d sailed from %s to %s in %v", truth.MMSI, c.left.Port, truth.Port, under)
		}
		if under < 12*time.Hour {
			count[c.left.Port+" to "+truth.Port]++
		}
	}
}
