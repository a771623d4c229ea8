//go:build !race

package tracking

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo/chart"
	"quaywatch/ship/destination"
	"quaywatch/ship/portcall"
)

// TestETAOfSimulatedVoyages tracks each merchant ship that leaves one harbour for the other, and compares its ETAs with when it was made fast. ETA_DAYS
// makes it longer: the figures of docs/tracking.md are those of three weeks.
func TestETAOfSimulatedVoyages(t *testing.T) {
	days := 3
	if n, err := strconv.Atoi(os.Getenv("ETA_DAYS")); err == nil {
		days = n
	}
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Second: &sim.DefaultSecond, Seed: 3, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	ports := simulatedPorts(t, h)
	id := map[string]uint64{}
	for _, p := range ports {
		id[p.LOCODE] = p.ID
	}
	other := map[string]uint64{"DKCPH": id["DKAAR"], "DKAAR": id["DKCPH"]}
	b := newBox(t, ports)
	all, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	current := destination.NewCurrent(func() *chart.Ports { return all })
	bound := func(destination string) uint64 {
		if port := current.Port(destination); port != nil {
			return id[port.LOCODE]
		}
		return 0
	}
	polls := map[int64][]poll{}
	tracked, finished, minute := map[int64]bool{}, map[int64]TrackedShip{}, 0
	var departed []sim.Truth
	h.Step(begin.Add(time.Duration(days)*24*time.Hour), func(at time.Time, m ais.Message, _ byte) {
		if now := int(at.Sub(begin) / time.Minute); now > minute {
			minute = now
			for _, d := range departed {
				s, _ := b.picture.Ship(d.MMSI)
				merchant := s.HasFix && s.Static != nil && s.Static.Type >= 60 && s.Static.Type < 90
				if merchant && other[d.Port] != 0 && s.Voyage != nil && bound(s.Voyage.Destination) == other[d.Port] {
					tracked[b.start(d.MMSI, other[d.Port], at)] = true
				}
			}
			departed = departed[:0]
			b.settle()
			for n := range tracked {
				one, err := b.tracks.Get(n)
				if err == nil && one.Visits[1].ATA != 0 {
					finished[n] = one
					continue
				}
				polls[n] = append(polls[n], poll{portcall.Millis(at.UnixMilli()), one.Latest})
			}
		}
		b.hear(at, m)
	}, func(e sim.Truth) {
		if e.Kind == sim.Departure {
			departed = append(departed, e)
		}
	})
	sailing := map[int]*goodness{1: {}, 3: {}, 6: {}} // without ships at anchor before the port
	good := map[int]*goodness{1: {}, 3: {}, 6: {}}
	for n, one := range finished {
		for _, e := range one.History {
			if e.ETA != 0 && e.ETA < e.At {
				t.Errorf("track %d: the ETA %v lies before its report at %v", n, e.ETA.Time(), e.At.Time())
			}
		}
		for hours, g := range good {
			for _, e := range slices.Backward(one.History) {
				if left := one.Visits[1].ATA.Since(e.At); left >= time.Duration(hours)*time.Hour && e.Status.sailing() {
					if left < time.Duration(hours)*time.Hour+20*time.Minute {
						g.take(e, one.Visits[1].ATA)
						if e.Status != Approaching || e.Distance > 3*1852 {
							sailing[hours].take(e, one.Visits[1].ATA)
						}
					}
					break
				}
			}
		}
	}
	for _, one := range finished {
		for _, e := range one.History {
			if e.ETA != 0 && e.ETA < e.At {
				t.Errorf("track %d: the ETA %v lies before its report at %v", one.ID, e.ETA.Time(), e.At.Time())
			}
		}
	}
	t.Logf("%d tracks, %d arrived", len(tracked), len(finished))
	for _, before := range pollsBefore {
		g := &goodness{}
		for n, one := range finished {
			g.poll(polls[n], one.Visits[1].ATA, before)
		}
		t.Logf("%v before: %v, the median interval has %.0f min; %d lay still and were told no ETA", before, g, median(g.ranges), g.untold)
		if g.past > 0 {
			t.Errorf("%v before: %d ETAs were over", before, g.past)
		}
		if before > 6*time.Hour {
			continue // a voyage takes nine hours: only ships that were to wait for hours were on their way so long before
		}
		if share := float64(g.held) / float64(g.of); g.of < 50 || share < 0.75 || share > 0.9 {
			t.Errorf("%v before: the interval held %d of %d arrivals, want 75 to 90 %% of 50 at least", before, g.held, g.of)
		}
		if before <= time.Hour && (median(g.errors) > 10 || median(g.ranges) > 32) || before > time.Hour && median(g.shares) > 0.05 || before == 3*time.Hour && median(g.ranges) > 120 {
			t.Errorf("%v before: ETAs are too far off", before)
		}
	}
}
