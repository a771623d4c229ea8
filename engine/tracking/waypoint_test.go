package tracking

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship/portcall"
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
			id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Port: 2}, State: &s, At: v.at, Waypoints: []geo.Point{detour, last}}, nothing)
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
	r := NewTrack{Source: End{Ship: vessel}, Destination: End{Port: 2}, State: &s, At: v.at}
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

// TestTimesThatWereToldOutliveAKill kills the box at any moment, also before it has stored what it knows: each time of arrival or departure that a
// reader was told stays what it was.
func TestTimesThatWereToldOutliveAKill(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 2026))
			goal := eastPort.Position
			v := newVoyager(t, off(goal, 270, 12), "never")
			v.report(12, ais.StatusUnderWayEngine)
			s, _ := v.picture.Ship(vessel)
			id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Position: &goal}, State: &s, At: v.at,
				Waypoints: []geo.Point{off(goal, 270, 9), off(goal, 270, 5), off(goal, 270, 2)}}, nothing)
			if err != nil {
				t.Fatal(err)
			}
			v.settle()
			var told [5]portcall.Millis
			kills := 0
			look := func() {
				t.Helper()
				one, err := v.tracks.Get(id)
				if err != nil {
					t.Fatal(err)
				}
				for i, now := range []portcall.Millis{one.Waypoints[0].ATA, one.Waypoints[1].ATA, one.Waypoints[2].ATA, one.Visits[1].ATA, one.Visits[1].ATD} {
					if told[i] != 0 && now != told[i] {
						t.Fatalf("after %d kills time %d is %v, and was told as %v", kills, i, now.Time(), told[i].Time())
					}
					told[i] = now
				}
			}
			for range 90 { // past the destination and on
				v.place = geo.Destination(v.place, 90, 12*1852/60.0)
				v.at = v.at.Add(time.Minute)
				v.hear(v.at, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: vessel}, Second: 60, SOG: 120,
					Place: ais.Place{Lon: int32(v.place.Lon * 600000), Lat: int32(v.place.Lat * 600000)}})
				v.tracks.Seek(t.Context())
				look()
				if random.IntN(2) == 0 {
					v.tracks.Save()
					look()
				}
				if random.IntN(4) == 0 {
					v.box.restart(true)
					kills++
					v.tracks.Seek(t.Context())
					look()
				}
			}
			v.settle()
			look()
			if told[0] == 0 || told[3] == 0 || told[4] == 0 || kills < 5 {
				t.Errorf("told %v after %d kills", told, kills)
			}
		})
	}
}
