//go:build !race

package stats

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/ship"
)

// trueCall is a call as it was: zero times are not known, because they lie before the begin or after the end.
type trueCall struct {
	mmsi       ais.MMSI
	port       string
	came, left time.Time
}

// trueCalls returns each call of which an end is known: a ship that comes back to a berth without having left the port is still on it.
func (x *sailed) trueCalls() (all []*trueCall) {
	calls := map[ais.MMSI]*trueCall{}
	for _, e := range x.truth {
		c := calls[e.MMSI]
		switch {
		case e.Kind != sim.Berthing && e.Kind != sim.Departure:
			continue
		case c == nil, e.Kind == sim.Berthing && !e.Shift:
			c = &trueCall{mmsi: e.MMSI, port: e.Port}
			calls[e.MMSI], all = c, append(all, c)
			if e.Kind == sim.Berthing {
				c.came = e.Time
			}
		}
		if c.left = e.Time; e.Kind == sim.Berthing {
			c.left = time.Time{}
		}
	}
	return slices.DeleteFunc(all, func(c *trueCall) bool { return c.came.IsZero() && c.left.IsZero() })
}

// isCall reports whether a record is a true call: the ship, the port, and both times within a quarter of an hour.
func (x *sailed) isCall(r *Record, c *trueCall) bool {
	near := func(a, b time.Time) bool { return a.IsZero() == b.IsZero() && a.Sub(b).Abs() <= 15*time.Minute }
	return r.Call.MMSI == c.mmsi && r.Call.Found.Port == x.ports[c.port] && near(r.Call.Arrived(), c.came) && near(r.Call.Departed(), c.left)
}

// calls compares port calls. Those of ships that lay at anchor or at a berth all the time have no times.
func (x *sailed) calls(t *testing.T) {
	found := slices.DeleteFunc(x.ask("portcalls", world), func(r *Record) bool { return r.Call.Arrived().IsZero() && r.Call.Departed().IsZero() })
	compared(t, "calls", found, x.trueCalls(), x.isCall)
}

// pilotages compares the transfers of ships that took a pilot twice within half a day. One shape lies round each harbour.
func (x *sailed) pilotages(t *testing.T) {
	type pilotage struct {
		Ship  struct{ MMSI ais.MMSI }
		Pilot [2]struct {
			Ship struct{ MMSI ais.MMSI }
			At   time.Time `json:"timestamp"`
		}
	}
	var found []pilotage
	for _, r := range x.ask("transitpilot", x.twoShapes()) {
		var one pilotage
		if err := json.Unmarshal(r.Data, &one); err != nil {
			t.Fatal(err)
		}
		if one.Pilot[1].At.Before(x.end.Add(-10 * time.Minute)) { // the truth is told when the boat has left
			found = append(found, one)
		}
	}
	compared(t, "pilotages", found, x.truePilotages(12*time.Hour), func(f pilotage, p [2]sim.Truth) bool {
		return x.isTransferOf(f.Pilot[0].At, f.Ship.MMSI, f.Pilot[0].Ship.MMSI, &p[0]) && x.isTransferOf(f.Pilot[1].At, f.Ship.MMSI, f.Pilot[1].Ship.MMSI, &p[1])
	})
}

// twoShapes asks for pilotages of half a day between the waters of both harbours.
func (x *sailed) twoShapes() string {
	const east, west = `[[[11.9,55.3],[13.3,55.3],[13.3,56.1],[11.9,56.1],[11.9,55.3]]]`, `[[[9.5,55.8],[11.2,55.8],[11.2,56.5],[9.5,56.5],[9.5,55.8]]]`
	boats, _ := json.Marshal(x.pilotBoats()) // numbers are JSON
	return `"shapes":[{"type":"Polygon","coordinates":` + east + `},{"type":"Polygon","coordinates":` + west + `}],"intervals":["12:00:00"],"a_team":` + string(boats)
}

// pilotBoats returns the boats that served a ship.
func (x *sailed) pilotBoats() (boats []ais.MMSI) {
	for _, e := range x.truth {
		if e.Kind == sim.PilotTransfer && !slices.Contains(boats, e.Other) {
			boats = append(boats, e.Other)
		}
	}
	return boats
}

// truePilotages returns each two transfers of a ship in a row within a time.
func (x *sailed) truePilotages(most time.Duration) (all [][2]sim.Truth) {
	last := map[ais.MMSI]sim.Truth{}
	served := slices.DeleteFunc(slices.Clone(x.truth), func(e sim.Truth) bool { return e.Kind != sim.PilotTransfer })
	slices.SortStableFunc(served, func(a, b sim.Truth) int { return a.Time.Compare(b.Time) })
	for _, e := range served {
		if before, known := last[e.MMSI]; known && e.Time.Sub(before.Time) <= most {
			all = append(all, [2]sim.Truth{before, e})
		}
		last[e.MMSI] = e
	}
	return all
}

// miss is a near miss of a result.
type miss struct {
	Timestamp time.Time
	Distance  float64
	Ship      [2]struct{ MMSI ais.MMSI }
}

// misses asks for the near misses of ships of some knots that work alone.
func (x *sailed) misses(t *testing.T, knots string) (found []miss) {
	for _, r := range x.ask("nmss", world+`,"distance":{"max":463},"sog":{"min":`+knots+`}`) {
		var one miss
		if err := json.Unmarshal(r.Data, &one); err != nil {
			t.Fatal(err)
		}
		if !x.worksBeside(t, one.Ship[0].MMSI) && !x.worksBeside(t, one.Ship[1].MMSI) {
			found = append(found, one)
		}
	}
	return found
}

// worksBeside reports whether a ship is a pilot vessel, a lifeboat or a tug, or no ship at all: the truth leaves them out.
func (x *sailed) worksBeside(t *testing.T, m ais.MMSI) bool {
	last, err := x.config.DB.Ship(m)
	if err != nil {
		t.Fatal(err)
	}
	return last.Class != ship.ClassA && last.Class != ship.ClassB || last.Static != nil && last.Static.Type >= 50 && last.Static.Type <= 52
}

// encounters compares near misses. The reported places lie up to 15 m from the true ones, and the store knows speeds to a knot. So those near a limit may be
// told or not. Any of two ships within half an hour is one encounter.
func (x *sailed) encounters(t *testing.T) {
	const limit, noise = 463, 30
	var truth, clear []sim.Truth
	for _, e := range x.truth {
		if e.Kind == sim.Encounter {
			if truth = append(truth, e); e.Distance < limit-noise {
				clear = append(clear, e)
			}
		}
	}
	is := func(f miss, e sim.Truth) bool {
		return f.Ship[0].MMSI == min(e.MMSI, e.Other) && f.Ship[1].MMSI == max(e.MMSI, e.Other) && f.Timestamp.Sub(e.Time).Abs() <= 30*time.Minute
	}
	found, seen := x.misses(t, "0.5"), 0
	for _, e := range clear {
		if slices.ContainsFunc(found, func(f miss) bool { return is(f, e) && f.Distance <= e.Distance+noise }) {
			seen++
		} else {
			t.Logf("encounters: not found: %+v", e)
		}
	}
	sure, wrong := slices.DeleteFunc(x.misses(t, "3"), func(f miss) bool { return f.Distance > limit-noise }), 0
	for _, f := range sure {
		if !slices.ContainsFunc(truth, func(e sim.Truth) bool { return is(f, e) }) {
			wrong++
			t.Logf("encounters: wrong: %+v", f)
		}
	}
	held(t, "encounters", seen, len(clear), wrong, len(sure))
}
