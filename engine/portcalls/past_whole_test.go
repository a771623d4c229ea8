//go:build !race

package portcalls

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship/learn"
)

// TestCatchUpKnowsWhatTheCrewTyped kills the box an hour after the engine saw the last position. What the ships near the port did since is in
// the store, and so is what their crews typed.
func TestCatchUpKnowsWhatTheCrewTyped(t *testing.T) {
	inner := berths(t)
	plain, late := newHarbour(t, inner), newHarbour(t, inner)
	near, cut := map[ais.MMSI]bool{}, begin.Add(2*time.Hour)
	sail(t, func(at time.Time, m ais.Message) {
		if typed, ok := m.(*ais.StaticVoyage); ok && at.After(begin.Add(length-time.Hour)) {
			deeper := *typed
			deeper.Draught = 99
			m = &deeper
		}
		plain.take(at, m, plain.db, plain.Calls)
		switch {
		case at.Before(cut):
			late.take(at, m, late.db, late.Calls)
			return
		case len(near) == 0:
			late.Save()
			for m := range late.ships {
				near[m] = true
			}
		}
		late.take(at, m, late.db)
	})
	late.restart(true)
	plain.Stop()
	late.Stop()
	deeper := 0
	for m := range near {
		if got, want := late.draughts(m), plain.draughts(m); !slices.Equal(got, want) {
			t.Errorf("%d: draughts on arrival and departure %v, want %v", m, got, want)
		}
		got, want := late.ships[m], plain.ships[m]
		if got == nil || want == nil {
			continue
		}
		if got.Draught != want.Draught {
			t.Errorf("%d: the latest draught is %d cm, want %d", m, got.Draught, want.Draught)
		}
		if want.Draught == 990 {
			deeper++
		}
	}
	if deeper == 0 {
		t.Error("no ship near the port typed a draught after the engine saw it")
	}
}

// TestCallsOverRestarts holds that restarts change no call. After a kill times may differ by what the store left out.
func TestCallsOverRestarts(t *testing.T) {
	inner := berths(t)
	plain := newHarbour(t, inner)
	plain.hear(never)
	want := plain.all(time.Millisecond)
	if len(want) < 8 {
		t.Fatalf("only %d calls", len(want))
	}
	stopped := newHarbour(t, inner)
	stopped.hear(func(minute int) (stop, kill bool) { return minute%17 == 0, false })
	compare(t, "stopped and started", stopped.all(time.Millisecond), want)

	killed := newHarbour(t, inner)
	killed.hear(func(minute int) (stop, kill bool) { return minute%23 == 0, true })
	compare(t, "killed", killed.all(20*time.Minute), plain.all(20*time.Minute))
}

// TestWhoJumpedAshoreTeachesNothing has three ships sail to and fro 34 km from the water of the chart for two days, over a restart. They teach
// there when they are first heard there, and nothing when they jumped there.
func TestWhoJumpedAshoreTeachesNothing(t *testing.T) {
	ashore := geo.Point{Lon: 9.75, Lat: 54.05}
	for _, jumps := range []bool{false, true} {
		c := canalHeardAt(t, ashore)
		for n := range 3 {
			m := ais.MMSI(219000001 + n)
			at := begin.Add(time.Duration(n) * 72 * time.Hour)
			hear := func(p geo.Point, tenths, course int) {
				c.hear(at, &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, SOG: ais.SOGTenths(tenths), COG: ais.COGTenths(course),
					Heading: ais.HeadingDegrees(course / 10), Place: ais.Place{Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000)}, Second: 60})
			}
			c.hear(at, &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: m}, Name: "SHIP", ShipType: 70})
			for range 40 {
				if jumps {
					hear(fjord, 0, 0)
				}
				at = at.Add(2 * time.Minute)
			}
			for i := range 48 * 60 {
				metres, course := float64(i%20)*247, 900
				if i/20%2 == 1 {
					metres, course = 19*247-metres, 2700
				}
				hear(geo.Destination(ashore, 90, metres), 80, course)
				if at = at.Add(time.Minute); i == 90 {
					c.Learn(at, true)
					c.restart()
				}
			}
		}
		c.Learn(begin.Add(9*24*time.Hour), true)
		if learned, seen := c.overlay.Cells(); jumps && len(learned)+len(seen) > 0 || !jumps && len(learned) < 100 {
			t.Errorf("jumps %v: %d cells are learned, %d seen", jumps, len(learned), len(seen))
		}
		if past, err := c.LearnWater(t.Context(), Learning{Alone: learn.Alone}); err != nil || jumps && past.Learned+past.Seen > 0 || !jumps && past.Learned < 100 {
			t.Errorf("jumps %v: out of what is recorded %+v, %v", jumps, past, err)
		}
	}
}
