package tracking

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/ship"
)

// The two ports of the scripts lie south of Sweden, with 31 nautical miles of open sea between them.
var (
	westPort = chart.Port{ID: 1, LOCODE: "XXAAA", Name: "WEST", Position: geo.Point{Lon: 13.2, Lat: 54.9}, Placed: true}
	eastPort = chart.Port{ID: 2, LOCODE: "XXBBB", Name: "EAST", Position: geo.Point{Lon: 14.1, Lat: 54.9}, Placed: true}
)

const vessel ais.MMSI = 219000001

// voyager is a ship in a script. Before each of its reports the box may be restarted.
type voyager struct {
	*box
	at      time.Time
	place   geo.Point
	restart func(report int)
	reports int
}

// newVoyager puts a ship at a place. How tells how often the box is restarted.
func newVoyager(t *testing.T, at geo.Point, how string) *voyager {
	v := &voyager{box: newBox(t, []*chart.Port{&westPort, &eastPort}), at: begin, place: at}
	v.restart = func(n int) {
		if how != "never" && n%7 == 0 {
			v.box.restart(how == "killed")
		}
	}
	return v
}

// report lets the ship report once, a minute later.
func (v *voyager) report(knots float64, status ais.NavStatus) {
	v.t.Helper()
	v.reports++
	v.settle()
	v.restart(v.reports)
	v.at = v.at.Add(time.Minute)
	v.hear(v.at, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: vessel}, Status: status, Second: 60, SOG: ais.SOGTenths(int(10*knots + 0.5)),
		Place: ais.Place{Lon: int32(v.place.Lon * 600000), Lat: int32(v.place.Lat * 600000)}})
	v.settle()
}

// lie lets the ship lie still.
func (v *voyager) lie(minutes int, status ais.NavStatus) {
	v.t.Helper()
	for range minutes {
		v.report(0, status)
	}
}

// sail lets the ship sail to a place at a speed.
func (v *voyager) sail(to geo.Point, knots float64) {
	v.t.Helper()
	for step := knots * 1852 / 60; ; {
		left := geo.Distance(v.place, to)
		if left < step {
			v.place = to
			v.report(knots, ais.StatusUnderWayEngine)
			return
		}
		v.place = geo.Destination(v.place, geo.Bearing(v.place, to), step)
		v.report(knots, ais.StatusUnderWayEngine)
	}
}

// silence lets nothing be heard of the ship.
func (v *voyager) silence(length time.Duration) {
	v.at = v.at.Add(length)
	v.hear(v.at, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 219000099}, Second: 60, Place: ais.Place{Lon: 12 * 600000, Lat: 57 * 600000}})
	v.settle()
}

// is checks the status of a track.
func (v *voyager) is(id int64, want Status) TrackedShip {
	v.t.Helper()
	one, err := v.tracks.Get(id)
	if err != nil || one.Status != want {
		v.t.Fatalf("report %d: the track is %v, want %v (%v)", v.reports, one.Status, want, err)
	}
	return one
}

// off returns a place so many nautical miles in a direction from another.
func off(p geo.Point, bearing, nm float64) geo.Point { return geo.Destination(p, bearing, nm*1852) }

// TestEveryStatus sails a ship through the statuses of a track, with and without restarts and kills.
func TestEveryStatus(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"never", "stopped", "killed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			v := newVoyager(t, westPort.Position, how)
			id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Port: 2}, At: v.at}, nothing)
			if err != nil {
				t.Fatal(err)
			}
			v.is(id, Pending)
			v.lie(30, ais.StatusMoored)
			v.sail(off(westPort.Position, 90, 6), 12)
			one := v.is(id, UnderWay)
			if way := one.Latest.Distance / 1852; way < 24 || way > 27 {
				t.Errorf("%.1f nautical miles are left", way)
			}
			if late := one.Latest.ETA.Time().Sub(v.at.Add(130 * time.Minute)); late.Abs() > 10*time.Minute { // the last mile at 6 knots
				t.Errorf("the ETA is %v off", late)
			}
			v.sail(off(westPort.Position, 60, 12), 12)
			v.lie(20, ais.StatusUnderWayEngine)
			if one = v.is(id, Stopped); one.Latest.ETA != 0 || one.Latest.After < 90*60 || one.Latest.After > 130*60 {
				t.Errorf("a ship that lies still comes at %v, %d s after it sails on", one.Latest.ETA.Time(), one.Latest.After)
			}
			v.sail(off(v.place, 90, 1), 12)
			if one = v.is(id, UnderWay); one.Latest.ETA == 0 || one.Latest.After != 0 {
				t.Errorf("a ship that sails on has %+v", one.Latest)
			}
			v.silence(62 * time.Minute)
			if one = v.is(id, PositionLost); !one.Stale || one.Latest.ETA == 0 {
				t.Error("the ETA does not stand still")
			}
			v.silence(2 * time.Hour)
			if one = v.is(id, PositionLost); one.Latest.ETA != 0 {
				t.Errorf("the ETA of a ship that was not heard when it was due is still %v at %v", one.Latest.ETA.Time(), v.at)
			}
			v.report(0, ais.StatusAtAnchor)
			if one = v.is(id, UnderWay); one.Stale || one.Latest.ETA != 0 || one.Latest.After == 0 {
				t.Errorf("a ship that is heard at anchor has %+v", one.Latest)
			}
			v.lie(20, ais.StatusUnderWayEngine)
			v.is(id, Stopped)
			v.sail(off(eastPort.Position, 270, 1), 12)
			v.is(id, Approaching)
			v.sail(eastPort.Position, 6)
			v.lie(20, ais.StatusMoored)
			if one = v.is(id, Arrived); one.Visits[1].ATA == 0 || one.Latest.ETA != 0 {
				t.Errorf("arrived with %+v and an ETA %v", one.Visits[1], one.Latest.ETA)
			}
			v.sail(off(eastPort.Position, 0, 8), 12)
			if one = v.is(id, Departed); one.Visits[1].ATD == 0 {
				t.Error("it departed at no time")
			}
			v.silence(DefaultKeep + time.Minute)
			if _, err := v.tracks.Get(id); !errors.Is(err, ErrUnknown) {
				t.Errorf("a day later: %v", err)
			}
			v.box.restart(true)
			if _, err := v.tracks.Get(id); !errors.Is(err, ErrUnknown) {
				t.Errorf("after a start it is there again: %v", err)
			}
		})
	}
}

// TestInTheDeparturePort tracks a ship that lies in port. It may be bound for the same port: then it has to leave before it arrives.
func TestInTheDeparturePort(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"never", "killed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			v := newVoyager(t, off(westPort.Position, 180, 10), how)
			v.sail(westPort.Position, 12)
			v.lie(30, ais.StatusMoored)
			id := v.start(vessel, 1, v.at)
			v.lie(5, ais.StatusMoored)
			one := v.is(id, InDeparturePort)
			if one.Visits[0].Port != 1 || one.Visits[0].ATA == 0 || one.Visits[0].ATD != 0 {
				t.Errorf("the departure is %+v", one.Visits[0])
			}
			v.sail(off(westPort.Position, 90, 8), 12)
			if one = v.is(id, UnderWay); one.Visits[0].ATD == 0 {
				t.Error("it departed at no time")
			}
			v.sail(westPort.Position, 12)
			v.lie(20, ais.StatusMoored)
			if one = v.is(id, Arrived); one.Visits[1].ATA <= one.Visits[0].ATD {
				t.Errorf("arrived at %v after the departure at %v", one.Visits[1].ATA.Time(), one.Visits[0].ATD.Time())
			}
		})
	}
}

// TestPlansStayWithTheCall holds that what the ERP system planned, and what we told, stands beside the times of the call.
func TestPlansStayWithTheCall(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"never", "killed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			v := newVoyager(t, off(westPort.Position, 90, 6), how)
			v.report(12, ais.StatusUnderWayEngine)
			id := v.start(vessel, 2, v.at)
			for _, erp := range []string{`{"eta":"2026-03-01T03:00:00Z","etd":"bad"}`,
				`{"warp":[{"eta":"2026-03-01T03:30:00Z","first_line":"2026-03-01T03:40:00Z"},{"etd":"2026-03-02T12:00:00Z"}]}`,
				`{"eta":"2026-03-01T03:30:00Z","warp":"none"}`, `[1,2]`} {
				v.report(12, ais.StatusUnderWayEngine)
				if err := v.tracks.Update(id, json.RawMessage(erp), v.at, nothing(id)); err != nil {
					t.Fatal(err)
				}
			}
			v.sail(eastPort.Position, 12)
			v.lie(20, ais.StatusMoored)
			line := v.at.Add(-10 * time.Minute).Format(time.RFC3339)
			if err := v.tracks.Update(id, json.RawMessage(`{"first_line":"`+line+`"}`), v.at, nothing(id)); err != nil {
				t.Fatal(err)
			}
			v.lie(1, ais.StatusMoored)
			one := v.is(id, Arrived)
			call, err := v.voyages.Call(one.Call)
			if err != nil {
				t.Fatal(err)
			}
			var told []string
			for _, said := range call.Times {
				if said.Source == portcalls.Detected {
					continue
				}
				value := "taken back"
				if said.Value != 0 {
					value = said.Value.Time().Format("2 15:04")
				}
				if said.Source == portcalls.Computed {
					value = "near " + one.Visits[1].ATA.Time().Sub(said.Value.Time()).Round(time.Hour).String()
				}
				told = append(told, fmt.Sprint(said.Event, " ", said.Kind, " ", said.Source, " ", value))
			}
			want := []string{"arrival planned erp 1 03:00", "arrival planned erp 1 03:30", "departure planned erp 2 12:00", "first_line planned erp 1 03:40",
				"departure planned erp taken back", "first_line planned erp taken back", "arrival planned erp taken back", "arrival estimated computed near 0s"}
			if !slices.Equal(told[:min(len(told), len(want))], want) {
				t.Errorf("the call was told %q", told)
			}
			last := "first_line actual erp " + v.at.Add(-11*time.Minute).Format("2 15:04")
			if !slices.Contains(told, last) {
				t.Errorf("the call was told %q, not %s", told, last)
			}
			if call.Arrived().IsZero() || call.Arrived() != one.Visits[1].ATA.Time() {
				t.Errorf("the arrival of the call is %v, of the track %v", call.Arrived(), one.Visits[1].ATA.Time())
			}
		})
	}
}

// TestOffTheRoute holds that another way is looked for when a ship leaves its way for three reports.
func TestOffTheRoute(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, westPort.Position, "never") // a restart would look for another way by itself
	v.report(12, ais.StatusUnderWayEngine)
	id := v.start(vessel, 2, v.at)
	v.sail(off(westPort.Position, 90, 5), 12)
	before := v.is(id, UnderWay)
	v.sail(off(v.place, 180, 3.5), 12)
	left := func(e Estimate) bool { return e.Status == OffRoute }
	if after := v.is(id, UnderWay); slices.Equal(after.Route(), before.Route()) || !slices.ContainsFunc(after.History, left) {
		t.Errorf("no other way was found; history %+v", after.History)
	}
	v.box.restart(true)
	v.report(12, ais.StatusUnderWayEngine)
	v.is(id, UnderWay)
}

// TestARestartInPassing restarts the box in the statuses that last for a moment alone, and in the last one.
func TestARestartInPassing(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		v := newVoyager(t, off(westPort.Position, 90, 6), "never")
		v.report(12, ais.StatusUnderWayEngine)
		s, _ := v.picture.Ship(vessel)
		id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Port: 2}, State: &s, At: v.at}, nothing)
		if err != nil {
			t.Fatal(err)
		}
		v.is(id, Calculating)
		v.box.restart(killed)
		v.report(12, ais.StatusUnderWayEngine) // a kill may take the last second of the picture
		if one := v.is(id, UnderWay); one.Route() == nil {
			t.Error("after a restart the way is not looked for")
		}

		v.sail(off(v.place, 90, 2), 12)
		before := v.is(id, UnderWay)
		for range 20 { // to the south, and nobody looks for another way meanwhile
			v.at, v.place = v.at.Add(time.Minute), off(v.place, 180, 0.2)
			v.hear(v.at, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: vessel}, Second: 60, SOG: 120,
				Place: ais.Place{Lon: int32(v.place.Lon * 600000), Lat: int32(v.place.Lat * 600000)}})
		}
		v.is(id, OffRoute)
		v.tracks.Save()
		v.box.restart(killed)
		v.report(12, ais.StatusUnderWayEngine)
		if one := v.is(id, UnderWay); slices.Equal(one.Route(), before.Route()) {
			t.Error("after a restart no other way was found")
		}

		v.box.ports = chart.NewPorts([]*chart.Port{&westPort})
		v.tracks.followPorts()
		v.is(id, Ended)
		v.tracks.Save()
		v.box.restart(killed)
		v.is(id, Ended)
	}
}

// TestALongSearch holds that what is new does not wait for the way of a track, and that the search for it ends.
func TestALongSearch(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 90, 6), "never")
	v.report(12, ais.StatusUnderWayEngine)
	searching := make(chan struct{}, 100)
	v.tracks.config.Find = func(ctx context.Context, _ route.Query) (route.Way, error) {
		searching <- struct{}{}
		<-ctx.Done()
		return route.Way{}, ctx.Err()
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- v.tracks.Run(ctx) }()
	id := v.start(vessel, 2, v.at)
	<-searching
	news := v.tracks.Changed()
	if err := v.tracks.Update(id, json.RawMessage(`{}`), v.at, nothing(id)); err != nil {
		t.Fatal(err)
	}
	select {
	case <-news:
	case <-time.After(15 * time.Second):
		t.Error("readers wait for the way of a track")
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	v.tracks.search = time.Millisecond
	v.tracks.Seek(context.Background())
	v.report(12, ais.StatusUnderWayEngine)
	v.tracks.Seek(context.Background())
	v.is(id, NoRoute)
}

// TestNoRoute tracks a ship whose way is closed, and then is not.
func TestNoRoute(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 90, 6), "never")
	open := v.tracks.config.Find
	v.tracks.config.Find = func(context.Context, route.Query) (route.Way, error) { return route.Way{}, route.ErrNoRoute }
	v.report(12, ais.StatusUnderWayEngine)
	id := v.start(vessel, 2, v.at)
	v.report(12, ais.StatusUnderWayEngine)
	if one := v.is(id, NoRoute); one.Latest.ETA != 0 {
		t.Error("there is an ETA without a way")
	}
	v.tracks.config.Find = open
	v.sail(off(westPort.Position, 90, 12), 12)
	v.is(id, UnderWay)

	v.tracks.config.Find = func(context.Context, route.Query) (route.Way, error) { return route.Way{}, route.ErrTooDeep }
	v.tracks.mu.Lock()
	v.tracks.want(v.tracks.tracks[id])
	v.tracks.mu.Unlock()
	v.settle()
	v.is(id, NoRoute)
	v.box.restart(true)
	v.report(12, ais.StatusUnderWayEngine)
	v.is(id, UnderWay)
}

// TestANewerTrackEndsAnOlder holds that a ship that arrives elsewhere is not waited for.
func TestANewerTrackEndsAnOlder(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(eastPort.Position, 270, 8), "killed")
	v.report(12, ais.StatusUnderWayEngine)
	first := v.start(vessel, 1, v.at)
	second := v.start(vessel, 2, v.at)
	if again := v.start(vessel, 2, v.at); again != second || first == second {
		t.Errorf("tracks %d, %d and again %d", first, second, again)
	}
	v.sail(eastPort.Position, 12)
	v.lie(20, ais.StatusMoored)
	v.is(second, Arrived)
	v.is(first, Ended)
}

// TestPlacesAsDestinations tracks ships to a position, to an area and to another ship.
func TestPlacesAsDestinations(t *testing.T) {
	t.Parallel()
	goal := eastPort.Position
	square := geo.Polygon{{off(goal, 315, 3), off(goal, 45, 3), off(goal, 135, 3), off(goal, 225, 3), off(goal, 315, 3)}}
	for name, d := range map[string]End{
		"position": {Position: &goal},
		"location": {Location: []LocationPart{{Area: square}, {Position: &goal}, {Area: square}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVoyager(t, off(goal, 270, 12), "stopped")
			v.report(12, ais.StatusUnderWayEngine)
			s, _ := v.picture.Ship(vessel)
			via := off(goal, 270, 6)
			id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: d, State: &s, At: v.at,
				Waypoints: []geo.Point{via}, ERP: json.RawMessage(`{"id":1e400}`)}, nothing)
			if err != nil {
				t.Fatal(err)
			}
			v.sail(off(goal, 270, 7), 12)
			one := v.is(id, UnderWay)
			if w := one.Waypoints[0]; w.ETA == 0 || w.ATA != 0 || w.ETA >= one.Latest.ETA {
				t.Errorf("before the waypoint it is %+v, with the ETA %v", w, one.Latest.ETA)
			}
			v.sail(off(goal, 270, 4), 12)
			if w := v.is(id, UnderWay).Waypoints[0]; w.ETA != 0 || w.ATA == 0 {
				t.Errorf("after the waypoint it is %+v", w)
			}
			eta := v.is(id, UnderWay).Latest.ETA.Time()
			v.sail(goal, 12)
			one = v.is(id, Arrived)
			if late := one.Visits[1].ATA.Time().Sub(eta); late.Abs() > 3*time.Minute {
				t.Errorf("it arrived %v after its ETA", late)
			}
			v.sail(off(goal, 90, 6), 12)
			if one = v.is(id, Departed); one.Visits[1].ATD == 0 || string(one.ERP) != `{"id":1e400}` {
				t.Errorf("departed: %+v, %s", one.Visits[1], one.ERP)
			}
		})
	}
}

// TestAShipAsDestination follows a ship to another one that moves.
func TestAShipAsDestination(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, westPort.Position, "never")
	target := off(westPort.Position, 90, 20)
	other := func() {
		v.hear(v.at, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 219000002}, Second: 60, SOG: ais.SOGTenths(100),
			Place: ais.Place{Lon: int32(target.Lon * 600000), Lat: int32(target.Lat * 600000)}})
	}
	v.report(12, ais.StatusUnderWayEngine)
	other()
	s, _ := v.picture.Ship(vessel)
	id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Ship: 219000002}, State: &s, At: v.at}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	v.report(12, ais.StatusUnderWayEngine)
	before := v.is(id, UnderWay).Latest.Distance
	for range 30 {
		target = off(target, 0, 0.17)
		v.report(0.6, ais.StatusUnderWayEngine)
		other()
	}
	v.settle()
	v.report(0.6, ais.StatusUnderWayEngine)
	if after := v.is(id, UnderWay); after.Latest.Distance < before+500 {
		t.Errorf("the ship that it follows went on, and the way is %.0f m after %.0f m", after.Latest.Distance, before)
	}
}

// TestAdviceOnSpeed holds that a ship that takes the speed of the advice arrives in time.
func TestAdviceOnSpeed(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(eastPort.Position, 270, 25), "never")
	v.report(12, ais.StatusUnderWayEngine)
	s, _ := v.picture.Ship(vessel)
	id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Position: &eastPort.Position}, State: &s, At: v.at}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	v.report(12, ais.StatusUnderWayEngine)
	at := v.at.Add(165 * time.Minute)
	speeds, ok := v.tracks.SpeedFor(id, berthAt(at))
	if !ok || speeds.Usual < 8 || speeds.Usual > 10 || speeds.Low >= speeds.Usual || speeds.High <= speeds.Usual || speeds.High > 12 {
		t.Fatalf("the advice is %.1f knots, %v", speeds, ok)
	}
	v.sail(eastPort.Position, speeds.Usual)
	if late := v.is(id, Arrived).Visits[1].ATA.Time().Sub(at); late.Abs() > 5*time.Minute {
		t.Errorf("it arrived %v after the time", late)
	}
	if _, ok := v.tracks.SpeedFor(id, berthAt(at)); ok {
		t.Error("there is an advice for a ship that has arrived")
	}
}

// TestThePortChanges holds that a track follows a port that is moved, and ends with a port that is gone.
func TestThePortChanges(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 90, 6), "never")
	v.report(12, ais.StatusUnderWayEngine)
	id := v.start(vessel, 2, v.at)
	v.report(12, ais.StatusUnderWayEngine)
	before := v.is(id, UnderWay).Latest.Distance
	moved := eastPort
	moved.Position = off(eastPort.Position, 90, 5)
	v.ports = chart.NewPorts([]*chart.Port{&westPort, &moved})
	v.tracks.followPorts()
	v.report(12, ais.StatusUnderWayEngine)
	if nm := (v.is(id, UnderWay).Latest.Distance - before) / 1852; nm < 4 || nm > 6 {
		t.Errorf("the way is %.1f nautical miles longer, want 5", nm)
	}
	v.ports = chart.NewPorts([]*chart.Port{&westPort})
	v.tracks.followPorts()
	v.is(id, Ended)
}

// TestTooManyTracks holds the bound, and that what is refused leaves nothing.
func TestTooManyTracks(t *testing.T) {
	v := newVoyager(t, westPort.Position, "never")
	for i := range Most {
		v.tracks.add(&TrackedShip{ID: int64(-i - 1)})
	}
	_, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Port: 2}, At: v.at}, nothing)
	if !errors.Is(err, ErrFull) || v.tracks.Tracked(vessel) {
		t.Errorf("%v; tracked %v", err, v.tracks.Tracked(vessel))
	}
}

// TestNoAllocationForOthers holds that a report of a ship that is not tracked, and one of a tracked ship between its ETAs, allocates nothing.
func TestNoAllocationForOthers(t *testing.T) {
	v := newVoyager(t, off(westPort.Position, 90, 6), "never")
	v.report(12, ais.StatusUnderWayEngine)
	id := v.start(vessel, 2, v.at)
	v.report(12, ais.StatusUnderWayEngine)
	v.is(id, UnderWay)
	s, _ := v.picture.Ship(vessel)
	u := &ship.Update{Was: s, Now: s, Change: ship.ChangedFix, Fix: s.Fix}
	other := *u
	other.Now.MMSI = 219000077
	for name, one := range map[string]*ship.Update{"tracked": u, "other": &other} {
		if n := testing.AllocsPerRun(1000, func() {
			one.Now.Fix.At += 10
			v.tracks.Observe(one)
		}); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if fmt.Sprint(v.is(id, UnderWay).Heard) == fmt.Sprint(s.Fix.At) {
		t.Error("the reports were not taken")
	}
}

// TestAtAnchorBeforeTheDestination tracks a ship that lies at anchor off the port that it is bound for: it has not departed from there.
func TestAtAnchorBeforeTheDestination(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(eastPort.Position, 270, 20), "killed")
	v.sail(off(eastPort.Position, 270, 1.2), 12)
	v.lie(40, ais.StatusAtAnchor)
	id := v.start(vessel, 2, v.at)
	v.lie(5, ais.StatusAtAnchor)
	v.is(id, Approaching)
	v.sail(eastPort.Position, 6)
	v.lie(40, ais.StatusMoored)
	v.is(id, Arrived)
}

// TestSilentShips holds that no track stays for ever, and that the ETA of a silent ship in port stands still.
func TestSilentShips(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 180, 10), "never")
	v.sail(westPort.Position, 12)
	v.lie(30, ais.StatusMoored)
	id := v.start(vessel, 2, v.at)
	v.lie(5, ais.StatusMoored)
	never, _, err := v.tracks.Start(NewTrack{Source: End{Ship: 219000055}, Destination: End{Port: 2}, At: v.at}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	v.silence(2 * time.Hour)
	if one := v.is(id, InDeparturePort); !one.Stale {
		t.Error("the ETA of a silent ship in port is not stale")
	}
	v.silence(31 * 24 * time.Hour)
	v.is(id, Ended)
	v.is(never, Ended)
}

// TestWhatAUserMayKeep holds the bounds of a user, whoever writes into its tracks, and that what is refused leaves nothing.
func TestWhatAUserMayKeep(t *testing.T) {
	v := newVoyager(t, westPort.Position, "never")
	large := json.RawMessage(`"` + strings.Repeat("x", mostOwnBytes-100) + `"`)
	id, _, err := v.tracks.Start(NewTrack{Owner: "anna", Source: End{Ship: vessel}, Destination: End{Port: 2}, At: v.at, ERP: large}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	square := geo.Polygon{{off(westPort.Position, 0, 1), off(westPort.Position, 90, 1), off(westPort.Position, 180, 1), off(westPort.Position, 0, 1)}}
	area := NewTrack{Owner: "anna", Source: End{Ship: vessel}, Destination: End{Location: []LocationPart{{Area: square}}}, At: v.at}
	if _, _, err := v.tracks.Start(area, nothing); !errors.Is(err, ErrOwnBytes) {
		t.Errorf("one more area: %v", err)
	}
	longer := json.RawMessage(`"` + strings.Repeat("x", mostOwnBytes) + `"`)
	if err := v.tracks.Update(id, longer, v.at, nothing(id)); !errors.Is(err, ErrOwnBytes) {
		t.Errorf("a longer plan: %v", err)
	}
	if err := v.tracks.Update(id, json.RawMessage(`1`), v.at, nothing(id)); err != nil {
		t.Errorf("a shorter plan: %v", err)
	}
	if _, _, err := v.tracks.Start(area, nothing); err != nil {
		t.Errorf("an area after the plan became short: %v", err)
	}
	for i := range MostOwn {
		v.tracks.add(&TrackedShip{ID: int64(-i - 1), Owner: "bert"})
	}
	more := NewTrack{Owner: "bert", Source: End{Ship: vessel}, Destination: End{Port: 1}, At: v.at}
	if _, _, err := v.tracks.Start(more, nothing); !errors.Is(err, ErrOwnTracks) {
		t.Errorf("one more track: %v", err)
	}
	if n := len(v.tracks.All()); n != MostOwn+2 {
		t.Errorf("there are %d tracks", n)
	}
}
