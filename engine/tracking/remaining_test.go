package tracking

import (
	"testing"
	"time"

	"quaywatch/geo"
)

// TestShipThatSailsAwayHasFartherToSail lets a ship sail away from the beginning of its way.
func TestShipThatSailsAwayHasFartherToSail(t *testing.T) {
	t.Parallel()
	v := newVoyager(t, off(westPort.Position, 180, 6), "never")
	v.sail(off(v.place, 90, 4), 17)
	id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Port: 2}, Waypoints: []geo.Point{off(v.place, 90, 12)}, At: v.at}, nothing)
	if err != nil {
		t.Fatal(err)
	}
	v.report(17, 0)
	begun, from := v.is(id, UnderWay), v.place
	v.sail(off(v.place, 270, 1), 17)
	away := v.is(id, UnderWay)
	if grown := away.Latest.Distance - begun.Latest.Distance; grown < 0.95*1852 || grown > 1.05*1852 {
		t.Errorf("a mile farther away it has %.0f m more to sail", grown)
	}
	// It lost the time out, and has to sail the mile once more.
	if later := away.Latest.ETA.Time().Sub(begun.Latest.ETA.Time()); later < 6*time.Minute || later > 9*time.Minute {
		t.Errorf("a mile farther away it comes %v later", later)
	}
	if later := away.Waypoints[0].ETA.Time().Sub(begun.Waypoints[0].ETA.Time()); later < 6*time.Minute || later > 9*time.Minute {
		t.Errorf("a mile farther away it comes to its waypoint %v later", later)
	}
	if way := away.Route(); geo.Distance(way[0], from) > 600 {
		t.Errorf("a mile away the way was found anew, from %v", way[0])
	}
	v.sail(off(v.place, 270, 2), 17)
	anew := v.is(id, UnderWay)
	if way := anew.Route(); geo.Distance(way[0], v.place) > 1852 {
		t.Errorf("three miles away its way still begins %.0f m from it", geo.Distance(way[0], v.place))
	}
}

// TestOtherWaypointsMakeAnotherLength gives a tracked ship a waypoint far off its way.
func TestOtherWaypointsMakeAnotherLength(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"never", "killed"} {
		v := newVoyager(t, off(westPort.Position, 180, 6), how)
		v.report(12, 0)
		id := v.start(vessel, 2, v.at)
		v.sail(off(v.place, 90, 4), 12)
		s, _ := v.picture.Ship(vessel)
		far := []geo.Point{off(v.place, 180, 15)}
		if _, fresh, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: End{Port: 2}, Waypoints: far, State: &s, At: v.at}, nothing); err != nil || fresh {
			t.Fatal(fresh, err)
		}
		v.sail(off(v.place, 180, 1), 12)
		track := v.is(id, UnderWay)
		if rest, whole := track.Latest.Distance, track.Length; rest > whole || rest < whole-1.2*1852 {
			t.Errorf("restarted %s it has %.0f m left of %.0f", how, rest, whole)
		}
	}
}
