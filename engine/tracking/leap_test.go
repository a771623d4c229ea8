package tracking

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// TestALegThroughTheDestination: a ship that reports each six minutes, and passes its waypoints and its destination between two reports, passed each when it was there. It
// arrived and departed.
func TestALegThroughTheDestination(t *testing.T) {
	t.Parallel()
	const knots = 20
	goal := off(westPort.Position, 90, 13)
	square := func(nm float64) geo.Polygon {
		return geo.Polygon{{off(goal, 315, nm), off(goal, 45, nm), off(goal, 135, nm), off(goal, 225, nm), off(goal, 315, nm)}}
	}
	for name, d := range map[string]End{
		"position": {Position: &goal},
		"point":    {Location: []LocationPart{{Position: &goal}}},
		"areas":    {Location: []LocationPart{{Area: square(0.3)}, {Area: square(2)}, {Area: square(0.5)}}},
	} {
		for _, how := range []string{"never", "killed"} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				v := newVoyager(t, off(westPort.Position, 90, 1), how)
				begin, from := v.at.Add(time.Minute), v.place
				passes := func(to geo.Point) time.Time {
					return begin.Add(time.Duration(geo.Distance(from, to) / 1852 / knots * float64(time.Hour)))
				}
				v.report(knots, ais.StatusUnderWayEngine)
				s, _ := v.picture.Ship(vessel)
				via := []geo.Point{off(westPort.Position, 90, 5), off(westPort.Position, 90, 9.3)}
				id, _, err := v.tracks.Start(NewTrack{Source: End{Ship: vessel}, Destination: d, State: &s, At: v.at, Waypoints: via}, nothing)
				if err != nil {
					t.Fatal(err)
				}
				for range 10 {
					v.place = geo.Destination(v.place, 90, knots*1852/10)
					v.at = v.at.Add(5 * time.Minute)
					v.report(knots, ais.StatusUnderWayEngine)
				}
				one := v.is(id, Departed)
				near := func(what string, at, want time.Time, within time.Duration) {
					t.Helper()
					if at.Sub(want).Abs() > within {
						t.Errorf("%s at %v, want %v", what, at, want)
					}
				}
				for i, w := range one.Waypoints {
					near("it passed a waypoint", w.ATA.Time(), passes(via[i]), 20*time.Second)
				}
				near("it arrived", one.Visits[1].ATA.Time(), passes(goal), time.Minute)
				near("it departed", one.Visits[1].ATD.Time(), passes(goal), 2*time.Minute)
				if one.Visits[1].ATA >= one.Visits[1].ATD {
					t.Errorf("it arrived at %v and departed at %v", one.Visits[1].ATA.Time(), one.Visits[1].ATD.Time())
				}
			})
		}
	}
}
