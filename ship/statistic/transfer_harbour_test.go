package statistic_test

import (
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store/track"
)

// pilotHarbour is a time in a simulated harbour: what was heard, as a store keeps it, and the true transfers of pilots.
type pilotHarbour struct {
	begin, end time.Time
	tracks     tracks
	known      map[ais.MMSI]*ship.State
	truth      []sim.Truth
}

// simulatedPilots sails a harbour for a time. thinned keeps of the reports what a store keeps.
func simulatedPilots(t testing.TB, seed int64, length time.Duration, thinned bool) *pilotHarbour {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	x := &pilotHarbour{begin: time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC), tracks: tracks{}, known: map[ais.MMSI]*ship.State{}}
	x.end = x.begin.Add(length)
	harbour, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: seed, Ships: 90, Start: x.begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	limits, gates := ship.DefaultLimits(), map[ais.MMSI]ship.Gate{}
	harbour.Step(x.end, func(at time.Time, m ais.Message, _ byte) {
		number := m.Head().MMSI
		if x.known[number] == nil {
			x.known[number] = &ship.State{}
		}
		s := x.known[number]
		out := ship.Merge(s, gates[number], &ais.Report{Message: m, Received: at, Sent: at, Feed: "roof"}, &limits)
		*s, gates[number] = out.Now, out.Gate
		if all := x.tracks[number]; out.Change&ship.ChangedFix != 0 && (len(all) == 0 || out.Fix.At > all[len(all)-1].At) {
			x.tracks[number] = append(all, out.Fix)
		}
	}, func(e sim.Truth) {
		if e.Kind == sim.PilotTransfer {
			x.truth = append(x.truth, e)
		}
	})
	if thinned {
		for m, all := range x.tracks {
			x.tracks[m] = track.Thin(all, false)
		}
	}
	return x
}

// boats returns the ships that call themselves pilot vessels.
func (x *pilotHarbour) boats() (all []ais.MMSI) {
	for m := range x.tracks {
		if x.hull(statistic.Moment{MMSI: m}).Pilot {
			all = append(all, m)
		}
	}
	return all
}

// hull is what is known of a ship.
func (x *pilotHarbour) hull(m statistic.Moment) (h statistic.Hull) {
	if s := x.known[m.MMSI]; s != nil && s.Static != nil {
		h.Size, h.Pilot = s.Static.Dimensions, s.Static.Type == 50
	}
	return h
}

// transfers asks for all transfers.
func (x *pilotHarbour) transfers() (found []statistic.Transfer) {
	q := statistic.TransferQuestion{Period: statistic.Period{Begin: x.begin, End: x.end}, Boats: x.boats(), Known: x.hull}
	x.tracks.whole(statistic.NewTransfers(q, func(one statistic.Transfer) { found = append(found, one) }))
	return found
}

// saw reports whether a transfer is that of a truth: the same two, at the same time.
func saw(one *statistic.Transfer, e *sim.Truth) bool {
	return one.Boat.MMSI == e.Other && one.Ship.MMSI == e.MMSI && one.BoatEnd.Fix.At >= e.Time.UnixMilli() && one.At() <= e.Until.UnixMilli()
}

// TestTransfersOfASimulatedHarbour holds what is found against what was true, in the reports that were heard and in those that a store keeps of them: at least
// 98 % of the transfers are found, each once, and at most 2 % of those that are found are wrong. PILOT_DAYS makes it longer.
func TestTransfersOfASimulatedHarbour(t *testing.T) {
	length := 24 * time.Hour
	if n, err := strconv.Atoi(os.Getenv("PILOT_DAYS")); err == nil {
		length = time.Duration(n) * 24 * time.Hour
	}
	for _, row := range []struct {
		seed    int64
		thinned bool
	}{{9, false}, {9, true}, {17, true}} {
		x := simulatedPilots(t, row.seed, length, row.thinned)
		found, seen, wrong := x.transfers(), 0, 0
		for i := range x.truth {
			n := 0
			for k := range found {
				if saw(&found[k], &x.truth[i]) {
					n++
				}
			}
			if seen += min(n, 1); n > 1 {
				t.Errorf("found %d times: %+v", n, x.truth[i])
			}
		}
		for k := range found {
			over := found[k].BoatEnd.Fix.Time().Before(x.end.Add(-10 * time.Minute)) // the truth is told when the boat has left
			if over && !slices.ContainsFunc(x.truth, func(e sim.Truth) bool { return saw(&found[k], &e) }) {
				wrong++
			}
		}
		t.Logf("seed %d, thinned %v: %d of %d found, %d of %d wrong", row.seed, row.thinned, seen, len(x.truth), wrong, len(found))
		if len(x.truth) < 40 || 100*seen < 98*len(x.truth) || 100*wrong > 2*len(found) {
			t.Errorf("seed %d, thinned %v: %d of %d found, %d of %d wrong", row.seed, row.thinned, seen, len(x.truth), wrong, len(found))
		}
	}
}
