package portcall_test

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais/sim"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// TestMooredOrAnchored: without inner shapes and berths the motion of a ship tells how it lies, right for 98 of 100. That holds for ships
// whose crews do not set the status too; they fall back on their chains before they are seen to rest.
func TestMooredOrAnchored(t *testing.T) {
	port := &chart.Port{ID: 1, Name: "PLAIN", Position: sim.DefaultAt, Placed: true, Outer: circle(sim.DefaultAt, 40_000)}
	ports := portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil)
	days := []*day{simulate(t, 1, 10*time.Hour), simulate(t, 2, 10*time.Hour), simulate(t, 3, 10*time.Hour)}
	for name, plain := range map[string]bool{"with status": false, "without status": true} {
		t.Run(name, func(t *testing.T) {
			all, wrong := map[portcall.StayKind]int{}, 0
			for _, d := range days {
				for number, list := range d.truth {
					found := stays(ports, statusOf(d.fixes[number], plain))
					for _, e := range list {
						kind := portcall.Anchored
						if e.Kind == sim.Berthing || e.Kind == sim.Departure {
							kind = portcall.Berthed
						}
						all[kind]++
						if s, by := nearest(found, e); by > 10*time.Minute || s.Kind != kind {
							t.Logf("%d %s at %s: %+v, off by %s", number, e.Kind, e.Time, s, by)
							wrong++
						}
					}
				}
			}
			n := all[portcall.Berthed] + all[portcall.Anchored]
			t.Logf("%d alongside, %d at anchor, %d of them wrong", all[portcall.Berthed], all[portcall.Anchored], wrong)
			if all[portcall.Berthed] < 200 || all[portcall.Anchored] < 10 || 100*wrong > 2*n {
				t.Errorf("%d of %d wrong", wrong, n)
			}
		})
	}
}

// statusOf returns positions as they are, or with the status of a ship whose crew never sets another.
func statusOf(fixes []ship.Fix, plain bool) []ship.Fix {
	if !plain {
		return fixes
	}
	fixes = slices.Clone(fixes)
	for i := range fixes {
		fixes[i].Status = 0
	}
	return fixes
}
