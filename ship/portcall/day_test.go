package portcall_test

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store/track"
)

// day is a time in a simulated harbour: what was heard of each ship, and what it did.
type day struct {
	fixes map[ais.MMSI][]ship.Fix
	truth map[ais.MMSI][]sim.Truth
}

func simulate(t *testing.T, seed int64, length time.Duration) *day {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: seed, Ships: 90, Start: start, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	type heard struct {
		state ship.State
		gate  ship.Gate
	}
	d, limits, ships := &day{map[ais.MMSI][]ship.Fix{}, map[ais.MMSI][]sim.Truth{}}, ship.DefaultLimits(), map[ais.MMSI]*heard{}
	hear := func(at time.Time, m ais.Message, _ byte) {
		number := m.Head().MMSI
		if ships[number] == nil {
			ships[number] = &heard{}
		}
		s := ships[number]
		out := ship.Merge(&s.state, s.gate, &ais.Report{Message: m, Received: at, Sent: at, Feed: "roof"}, &limits)
		s.state, s.gate = out.Now, out.Gate
		if out.Change&ship.ChangedFix != 0 {
			d.fixes[number] = append(d.fixes[number], out.Fix)
		}
	}
	whole := func(at time.Time) bool { // a stay that the ends of the time cut off is not found
		return at.After(start.Add(15*time.Minute)) && at.Before(start.Add(length-15*time.Minute))
	}
	h.Step(start.Add(length), hear, func(e sim.Truth) {
		if whole(e.Time) && slices.Contains([]string{sim.Berthing, sim.Departure, sim.Anchoring, sim.Weighing}, e.Kind) {
			d.truth[e.MMSI] = append(d.truth[e.MMSI], e)
		}
	})
	return d
}

// circle is a polygon around a place.
func circle(at geo.Point, metres float64) geo.Polygon {
	ring := make([]geo.Point, 0, 33)
	for i := range 32 {
		ring = append(ring, geo.Destination(at, float64(i)*360/32, metres))
	}
	return geo.Polygon{append(ring, ring[0])}
}

// calls returns the calls that the engine finds in the positions of a ship.
func calls(ports *portcall.PortAreas, fixes []ship.Fix) (all []*portcall.Call) {
	e := portcall.NewEngine(ports, func(c *portcall.Call) {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	})
	follow(e, fixes)
	return all
}

// stays returns the stays in the calls of a ship.
func stays(ports *portcall.PortAreas, fixes []ship.Fix) (all []portcall.Stay) {
	for _, c := range calls(ports, fixes) {
		all = append(all, c.Stays...)
	}
	return all
}

// follow hands the positions of one ship to the engine.
func follow(e *portcall.Engine, fixes []ship.Fix) {
	var f *portcall.Follower
	var last ship.Fix
	for _, fix := range fixes {
		if f == nil && e.Enters(fix) {
			f = portcall.Begin(last, 0)
		}
		if f != nil {
			e.Step(f, fix)
		}
		last = fix
	}
}

// TestStaysOfASimulatedDay compares when ships came to rest and moved off with what they did. It holds with and without inner shapes, of
// all positions and of the thinned ones.
func TestStaysOfASimulatedDay(t *testing.T) {
	d := simulate(t, 5, 8*time.Hour)
	plain := &chart.Port{ID: 1, Name: "PLAIN", Position: sim.DefaultAt, Placed: true, Outer: circle(sim.DefaultAt, 40_000)}
	drawn := *plain
	for _, list := range d.truth {
		for _, e := range list {
			if e.Kind == sim.Berthing || e.Kind == sim.Departure {
				drawn.Inner = append(drawn.Inner, circle(geo.Point{Lon: e.Lon, Lat: e.Lat}, 30))
			}
		}
	}
	for _, tt := range []struct {
		name    string
		port    *chart.Port
		thinned bool
	}{{"inner shapes", &drawn, false}, {"inner shapes, thinned", &drawn, true}, {"border alone", plain, false}, {"border alone, thinned", plain, true}} {
		t.Run(tt.name, func(t *testing.T) {
			judgeDay(t, d, portcall.NewPorts(chart.NewPorts([]*chart.Port{tt.port}), nil), tt.thinned)
		})
	}
}

func judgeDay(t *testing.T, d *day, ports *portcall.PortAreas, thinned bool) {
	var off []time.Duration
	events, missed, wrong := 0, 0, 0
	for number, list := range d.truth {
		fixes := d.fixes[number]
		if thinned {
			fixes = track.Thin(fixes, false)
		}
		found := stays(ports, fixes)
		for _, e := range list {
			events++
			s, by := nearest(found, e)
			if by > 5*time.Minute {
				t.Logf("%d: %s at %s is not found", number, e.Kind, e.Time)
				missed++
				continue
			}
			off = append(off, by)
			if (s.Kind == portcall.Berthed) != (e.Kind == sim.Berthing || e.Kind == sim.Departure) {
				wrong++
			}
		}
	}
	if events < 100 {
		t.Fatalf("only %d events", events)
	}
	slices.Sort(off)
	late := off[len(off)*95/100]
	t.Logf("%d events, %d missed, %d of the wrong kind; half within %s, 95 %% within %s", events, missed, wrong, off[len(off)/2], late)
	if missed > 0 || 100*wrong > 2*events || late > time.Minute {
		t.Errorf("%d of %d events missed, %d of the wrong kind, 95 %% within %s", missed, events, wrong, late)
	}
}

// nearest returns the stay that begins or ends at the time of an event, and how far it is off.
func nearest(found []portcall.Stay, e sim.Truth) (best portcall.Stay, off time.Duration) {
	off = time.Duration(1<<63 - 1)
	for _, s := range found {
		at := s.From
		if e.Kind == sim.Departure || e.Kind == sim.Weighing {
			at = s.To
		}
		if d := at.Time().Sub(e.Time).Abs(); at != 0 && d < off {
			best, off = s, d
		}
	}
	return best, off
}
