package tracking

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/geo"
)

// TestASkippedWaypoint holds that a ship which leaves a waypoint out is not led back to it once it lies abaft the beam, and is before.
func TestASkippedWaypoint(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"never", "stopped", "killed"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			v := newVoyager(t, off(westPort.Position, 90, 2), how)
			v.restart = func(n int) { // a start makes a new way: the ship has to leave it by two miles again
				if how != "never" && n%40 == 0 {
					v.box.restart(how == "killed")
				}
			}
			v.report(12, ais.StatusUnderWayEngine)
			s, _ := v.picture.Ship(vessel)
			middle := off(westPort.Position, 90, 15.5)
			detour, last := off(middle, 0, 8), off(eastPort.Position, 270, 5)
			id, _, err := v.tracks.Start(Request{Source: End{Ship: vessel}, Destination: End{Port: 2}, State: &s, At: v.at, Waypoints: []geo.Point{detour, last}}, nothing)
			if err != nil {
				t.Fatal(err)
			}
			v.sail(off(v.place, 180, 4), 12) // off the way and back, far from the waypoint
			v.sail(off(westPort.Position, 180, 4), 12)
			v.sail(off(middle, 270, 3), 12)
			one := v.is(id, UnderWay)
			if w := one.Waypoints[0]; w.Skipped || w.ATA != 0 || w.ETA == 0 {
				t.Fatalf("before it is abeam the waypoint is %+v", w)
			}
			v.sail(off(middle, 90, 6), 12)
			one = v.is(id, UnderWay)
			if w := one.Waypoints; !w[0].Skipped || w[0].ATA != 0 || w[0].ETA != 0 || w[1].Skipped || w[1].ATA != 0 || w[1].ETA == 0 {
				t.Errorf("abaft the beam: %+v", w)
			}
			if left := one.Latest.Distance / 1852; left < 9 || left > 11.5 {
				t.Errorf("%.1f nautical miles are left, and the port lies 9.5 off", left)
			}
			v.sail(off(eastPort.Position, 270, 3), 12)
			if w := v.is(id, UnderWay).Waypoints; w[1].ATA == 0 || w[0].ATA != 0 {
				t.Errorf("after the last waypoint: %+v", w)
			}
		})
	}
}

// TestOtherWaypoints holds that a track takes other waypoints, also before its way was found.
func TestOtherWaypoints(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 90, 6), "never")
	v.report(12, ais.StatusUnderWayEngine)
	s, _ := v.picture.Ship(vessel)
	r := Request{Source: End{Ship: vessel}, Destination: End{Port: 2}, State: &s, At: v.at}
	for i, settled := range []bool{false, true, true} {
		r.Waypoints = []geo.Point{off(eastPort.Position, 270, 10+float64(i))}
		id, _, err := v.tracks.Start(r, nothing)
		if err != nil {
			t.Fatal(err)
		}
		if one, err := v.tracks.Get(id); err != nil || len(one.Waypoints) != 1 || one.Waypoints[0].Position != r.Waypoints[0] {
			t.Errorf("asked for %v it has %v (%v)", r.Waypoints, one.Waypoints, err)
		}
		if settled {
			v.settle()
		}
	}
}
