package tracking

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
)

// berthAt asks for a ship at its berth at a time.
func berthAt(at time.Time) Requested { return RequestedAt(portcalls.Berth, at, nil, "", at) }

// TestRequestedTimes asks a ship for the pilot and the berth, with restarts and kills: what was asked for stays, and stands in its call.
func TestRequestedTimes(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"never", "killed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			v := newVoyager(t, off(eastPort.Position, 270, 20), how)
			v.report(12, ais.StatusUnderWayEngine)
			id := v.start(vessel, 2, v.at)
			v.report(12, ais.StatusUnderWayEngine)
			pilot := off(eastPort.Position, 270, 5)
			ask := func(place portcalls.PlaceKind, in time.Duration, where *geo.Point) {
				t.Helper()
				at := time.Time{}
				if in != 0 {
					at = begin.Add(in)
				}
				if err := v.tracks.Ask(id, RequestedAt(place, at, where, "anna", v.at), nothing(id)); err != nil {
					t.Fatal(err)
				}
				v.report(12, ais.StatusUnderWayEngine)
			}
			ask(portcalls.Berth, 4*time.Hour, nil)
			ask(portcalls.Pilot, 3*time.Hour, &pilot)
			ask(portcalls.Pilot, 3*time.Hour, &pilot) // says nothing new
			ask(portcalls.Pilot, 2*time.Hour, &pilot)
			ask(portcalls.Berth, 0, nil)
			ask(portcalls.Anchorage, 0, nil) // nothing to take back
			v.report(12, ais.StatusUnderWayEngine)
			one := v.is(id, UnderWay)
			if all := one.Standing(); len(all) != 1 || all[0].Place != portcalls.Pilot || all[0].Value.Time() != begin.Add(2*time.Hour) || all[0].By != "anna" {
				t.Fatalf("the port asks for %+v", all)
			}
			if len(one.Requests) != 4 {
				t.Errorf("the history is %+v", one.Requests)
			}
			next, ok := one.Next(v.at)
			speeds, can := v.tracks.SpeedFor(id, next)
			want := geo.Distance(v.place, pilot) / 1852 / begin.Add(2*time.Hour).Sub(v.at).Hours()
			if !ok || !can || speeds.Usual < want*0.99 || speeds.Usual > want*1.01 {
				t.Errorf("for the pilot it needs %v, want %.2f; %v %v", speeds, want, ok, can)
			}
			if _, can := v.tracks.SpeedFor(id, RequestedAt(portcalls.Pilot, next.Value.Time(), nil, "", v.at)); can {
				t.Error("there is an advice for a pilot whose boarding place nobody told")
			}
			border, can := v.tracks.SpeedFor(id, RequestedAt(portcalls.Border, next.Value.Time(), nil, "", v.at))
			if berth, _ := v.tracks.SpeedFor(id, berthAt(next.Value.Time())); !can || border.Usual <= speeds.Usual || border.Usual >= berth.Usual {
				t.Errorf("for the border it needs %v, for the berth %v; %v", border, berth, can)
			}
			if _, later := one.Next(begin.Add(2 * time.Hour)); later {
				t.Error("a time that is past is the next one")
			}
			v.sail(off(pilot, 90, 0.5), speeds.Usual)
			if _, can := v.tracks.SpeedFor(id, next); can {
				t.Error("there is an advice for a place that the ship has passed")
			}
			if late := v.at.Sub(begin.Add(2 * time.Hour)); late < 0 || late > 8*time.Minute {
				t.Errorf("half a mile after the pilot it is %v late", late)
			}
			v.sail(eastPort.Position, 12)
			v.lie(20, ais.StatusMoored)
			call, err := v.voyages.Call(v.is(id, Arrived).Call)
			if err != nil {
				t.Fatal(err)
			}
			said := 0
			for _, time := range call.Times {
				if time.Kind == portcalls.Requested && time.By == "anna" {
					said++
				}
			}
			if said != 4 || call.Arrived().IsZero() {
				t.Errorf("the call was told %d requests, and the arrival is %v: %+v", said, call.Arrived(), call.Times)
			}
		})
	}
}

// TestRequestsStayBounded holds that the first request and the last of each place stay.
func TestRequestsStayBounded(t *testing.T) {
	var all []Requested
	at := begin
	for i := range 200 {
		place := portcalls.Pilot
		if i == 50 {
			place = portcalls.Anchorage
		}
		at = at.Add(time.Minute)
		all = addRequest(all, RequestedAt(place, at, nil, "", at))
	}
	one := TrackedShip{Requests: all}
	if standing := one.Standing(); len(all) != mostRequests || all[0].Value.Time() != begin.Add(time.Minute) || len(standing) != 2 {
		t.Errorf("%d requests from %v on, and these stand: %+v", len(all), all[0].Value.Time(), standing)
	}
}
