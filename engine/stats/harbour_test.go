//go:build !race

package stats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/engine/portcalls"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/internal/await"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/users/registry/portfile"
)

// sailed is a simulated time of two harbours, as the service keeps it, and what was true.
type sailed struct {
	*Statistics
	t          testing.TB
	begin, end time.Time
	ports      map[string]uint64 // by LOCODE
	truth      []sim.Truth
}

func newSailed(t testing.TB, length time.Duration) *sailed {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	x := &sailed{t: t, begin: begin, end: begin.Add(length), ports: map[string]uint64{}}
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Second: &sim.DefaultSecond, Seed: 3, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	ports := x.harbours(h)
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	voyages, err := portcalls.Open(portcalls.Config{DB: db, Ports: func() *chart.Ports { return ports }})
	if err != nil {
		t.Fatal(err)
	}
	x.sail(h, db, voyages)
	x.Statistics, err = Open(Config{DB: db, Calls: voyages, Ports: func() *chart.Ports { return ports }, Now: func() time.Time { return x.end },
		Names: func(string) ship.Lookup { return ship.Lookup{} }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Statistics.Stop)
	return x
}

// harbours returns the ports of the two harbours.
func (x *sailed) harbours(h *sim.Harbour) *chart.Ports {
	x.t.Helper()
	var text bytes.Buffer
	if err := h.WritePorts(&text); err != nil {
		x.t.Fatal(err)
	}
	rows, refused, err := portfile.Read(portfile.NamedFile{Name: "ports.json", Text: text.String()})
	if err != nil || len(refused) > 0 {
		x.t.Fatal(err, refused)
	}
	var ports []*chart.Port
	for i, r := range rows {
		x.ports[r.Ref] = uint64(i + 1)
		ports = append(ports, &chart.Port{ID: uint64(i + 1), LOCODE: r.Ref, Name: r.Ref, Position: *r.Position, Placed: true, Outer: r.Outer, Inner: r.Inner, Berths: r.Berths})
	}
	return chart.NewPorts(ports)
}

// sail lets the time pass. What was heard is written once a minute of it.
func (x *sailed) sail(h *sim.Harbour, db *store.DB, voyages *portcalls.Calls) {
	picture, count, second := traffic.New(traffic.DefaultConfig()), uint64(0), x.begin
	h.Step(x.end, func(at time.Time, m ais.Message, _ byte) {
		count++ // no message is a duplicate
		if now := at.Truncate(time.Second); now.After(second) {
			if second = now; second.Second() == 0 {
				voyages.Save()
				if err := db.Settle(); err != nil {
					x.t.Fatal(err)
				}
			}
			picture.Tick(second, db, voyages)
		}
		picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Received: at, Sent: at, Feed: "roof", Hash: count}}}, db, voyages)
	}, func(e sim.Truth) {
		if e.Kind != sim.Position {
			x.truth = append(x.truth, e)
		}
	})
	voyages.Save()
	if err := db.Settle(); err != nil {
		x.t.Fatal(err)
	}
}

// world is a shape that holds both harbours.
const world = `"shape":{"type":"Polygon","coordinates":[[[5,50],[20,50],[20,60],[5,60],[5,50]]]}`

// ask runs a statistic of the whole time and returns its records.
func (x *sailed) ask(kind, more string) (found []*Record) {
	x.t.Helper()
	period := `"begin":"` + x.begin.Format(time.RFC3339Nano) + `","end":"` + x.end.Format(time.RFC3339Nano) + `",`
	f, err := form.Read([]byte(`{` + period + more + `}`))
	if err != nil {
		x.t.Fatal(err)
	}
	k, _ := x.Kind(kind)
	a, err := x.Read(f, k, Asker{})
	if err = errors.Join(err, f.Err()); err != nil {
		x.t.Fatal(err)
	}
	j, err := x.Add(a, Job{Owned: form.Owned{Owner: "anna"}})
	if err != nil {
		x.t.Fatal(err)
	}
	x.Step()
	await.That(x.t, "the statistic is over", func() bool { j, err = x.Get(j.ID); return err != nil || j.isOver() })
	if err != nil || j.State != Completed {
		x.t.Fatal(err, j.State, j.Error)
	}
	for one, err := range x.Result(j.ID, everybody) {
		if err != nil {
			x.t.Fatal(err)
		}
		copied := *one
		found = append(found, &copied)
	}
	return found
}

// trueTrips returns each way from a berth to a berth that was over, as its departure and its arrival.
func (x *sailed) trueTrips() (all [][2]sim.Truth) {
	left := map[ais.MMSI]sim.Truth{}
	for _, e := range x.truth {
		switch e.Kind {
		case sim.Departure:
			left[e.MMSI] = e
		case sim.Berthing:
			if from, known := left[e.MMSI]; known && !e.Shift {
				all = append(all, [2]sim.Truth{from, e})
			}
			delete(left, e.MMSI)
		}
	}
	return all
}

// isTrip reports whether a record is a true trip: the ship, both ports, and both times within a quarter of an hour.
func (x *sailed) isTrip(r *Record, trip [2]sim.Truth) bool {
	near := func(c *portcalls.KeptCall, at time.Time, e sim.Truth) bool {
		return c.Found.Port == x.ports[e.Port] && at.Sub(e.Time).Abs() <= 15*time.Minute
	}
	return r.Call.MMSI == trip[0].MMSI && near(r.Call, r.Call.Departed(), trip[0]) && near(r.Next, r.Next.Arrived(), trip[1])
}

// TestStatisticsOfSimulatedHarbours holds statistics against what was true: at least 98 % is found, and at most 2 % of what is found is wrong. STATS_DAYS makes it
// longer.
func TestStatisticsOfSimulatedHarbours(t *testing.T) {
	days := 1
	if n, err := strconv.Atoi(os.Getenv("STATS_DAYS")); err == nil {
		days = n
	}
	x := newSailed(t, time.Duration(days)*24*time.Hour)
	t.Run("trip", func(t *testing.T) { x.trips(t) })
	t.Run("pilotboat", func(t *testing.T) { x.outings(t) })
	t.Run("portcalls", func(t *testing.T) { x.calls(t) })
	t.Run("transitpilot", func(t *testing.T) { x.pilotages(t) })
	t.Run("nmss", func(t *testing.T) { x.encounters(t) })
	t.Run("trip by hand", func(t *testing.T) { x.tripsAgainstHand(t) })
	t.Run("pilots in parts", func(t *testing.T) { x.inParts(t) })
}

func (x *sailed) trips(t *testing.T) {
	found := slices.DeleteFunc(x.ask("trip", world), func(r *Record) bool { return r.Next == nil })
	compared(t, "trips", found, x.trueTrips(), x.isTrip)
}

// compared compares what was found with what was true.
func compared[F, T any](t *testing.T, what string, found []F, truth []T, is func(F, T) bool) {
	t.Helper()
	seen, wrong := 0, 0
	for _, one := range truth {
		if slices.ContainsFunc(found, func(f F) bool { return is(f, one) }) {
			seen++
		} else {
			t.Logf("%s: not found: %+v", what, one)
		}
	}
	for _, f := range found {
		if !slices.ContainsFunc(truth, func(one T) bool { return is(f, one) }) {
			wrong++
			t.Logf("%s: wrong: %s", what, textOf(f))
		}
	}
	held(t, what, seen, len(truth), wrong, len(found))
}

// textOf tells what was found.
func textOf(found any) string {
	if r, ok := found.(*Record); ok {
		return fmt.Sprintf("%d %v %v %s", r.Call.MMSI, r.Call.Arrived(), r.Call.Departed(), r.Data)
	}
	return fmt.Sprintf("%+v", found)
}

// held tells how much was found, and wants at least 98 % of it and at most 2 % wrong.
func held(t *testing.T, what string, seen, all, wrong, found int) {
	t.Helper()
	if t.Logf("%s: %d of %d found, %d of %d wrong", what, seen, all, wrong, found); all < 30 || 100*seen < 98*all || 100*wrong > 2*found {
		t.Errorf("%s: %d of %d found, %d of %d wrong", what, seen, all, wrong, found)
	}
}

// served is an operation of a result.
type served struct {
	Ship struct{ MMSI ais.MMSI }
	At   time.Time `json:"timestamp"`
	Kind string
}

func (x *sailed) outings(t *testing.T) {
	found := x.ask("pilotboat", world)
	seen, wrong, all, kinds := 0, 0, 0, 0
	for _, r := range found {
		var one struct {
			Ship       struct{ MMSI ais.MMSI }
			Operations []served
		}
		if err := json.Unmarshal(r.Data, &one); err != nil {
			t.Fatal(err)
		}
		for _, o := range one.Operations {
			if all++; !x.isTransfer(one.Ship.MMSI, o) {
				wrong++
			} else if seen++; x.purpose(o) == o.Kind {
				kinds++
			}
		}
	}
	transfers := 0
	for _, e := range x.truth {
		if e.Kind == sim.PilotTransfer {
			transfers++
		}
	}
	held(t, "transfers", seen, transfers, wrong, all)
	// Of ships that let go in the first minutes no departure is known, and so what their first transfers were.
	if t.Logf("%d of %d of the right kind", kinds, seen); 100*kinds < 95*seen {
		t.Errorf("%d of %d of the right kind", kinds, seen)
	}
	truth := x.trueOutings()
	found = slices.DeleteFunc(found, func(r *Record) bool { return r.Call == nil || r.Next == nil })
	compared(t, "outings", found, truth, isOuting)
}

// isTransfer reports whether an operation of a boat was true.
func (x *sailed) isTransfer(boat ais.MMSI, o served) bool {
	return slices.ContainsFunc(x.truth, func(e sim.Truth) bool { return x.isTransferOf(o.At, o.Ship.MMSI, boat, &e) })
}

// isTransferOf reports whether a boat that was alongside a ship at a time is a true transfer.
func (x *sailed) isTransferOf(at time.Time, m, boat ais.MMSI, e *sim.Truth) bool {
	return e.Kind == sim.PilotTransfer && e.MMSI == m && e.Other == boat && at.After(e.Time.Add(-3*time.Minute)) && at.Before(*e.Until)
}

// purpose tells what a transfer truly was: a pilot goes if the ship last let go of a berth, or sails next, and comes if it last came into the area, or berths next.
func (x *sailed) purpose(o served) (kind string) {
	for _, e := range x.truth {
		if e.MMSI != o.Ship.MMSI {
			continue
		}
		before := e.Time.Before(o.At)
		switch {
		case e.Kind == sim.Departure && before, e.Kind == sim.Sailing && !before && kind == "":
			kind = statistic.Disembark
		case e.Kind == sim.Arrival && before, e.Kind == sim.Berthing && !before && kind == "":
			kind = statistic.Board
		}
	}
	return kind
}

// trueOutings returns each way of a pilot boat from a berth to a berth on which it served a ship, as its departure and its arrival.
func (x *sailed) trueOutings() (all [][2]sim.Truth) {
	left, boats := map[ais.MMSI]sim.Truth{}, map[ais.MMSI]bool{}
	for _, e := range x.truth { // a transfer is told when it is over
		switch e.Kind {
		case sim.Departure:
			left[e.MMSI], boats[e.MMSI] = e, false
		case sim.PilotTransfer:
			boats[e.Other] = true
		case sim.Berthing:
			if from, known := left[e.MMSI]; known && boats[e.MMSI] {
				all = append(all, [2]sim.Truth{from, e})
			}
			boats[e.MMSI] = false
		}
	}
	return all
}

// isOuting reports whether a record is a true outing: the boat, and both times within a quarter of an hour.
func isOuting(r *Record, way [2]sim.Truth) bool {
	return r.Call != nil && r.Next != nil && r.Call.MMSI == way[0].MMSI && r.Call.LeftFrom(r.Stay).Sub(way[0].Time).Abs() <= 15*time.Minute &&
		r.Next.CameTo(r.Berth).Sub(way[1].Time).Abs() <= 15*time.Minute
}
