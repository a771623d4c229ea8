package sim_test

import (
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route/passage"
)

// crossing is a ship in a passage with a limit of draught.
type crossing struct {
	mmsi    ais.MMSI
	passage string
}

// crossings follows what a receiver hears, and finds the ships that go through passages with limits of draught.
type crossings struct {
	passages      []passage.Passage
	typed         map[ais.MMSI]float64
	place         map[ais.MMSI]geo.Point
	heard         map[ais.MMSI]time.Time
	tooDeep       map[crossing][]time.Time
	all, atLimits int
}

func (c *crossings) hear(now time.Time, m ais.Message, _ byte) {
	switch m := m.(type) {
	case *ais.StaticVoyage:
		c.typed[m.MMSI], _ = m.Draught.Metres()
	case *ais.PositionReport:
		var at geo.Point
		at.Lon, at.Lat = m.Place.Degrees()
		before := c.place[m.MMSI]
		recent := now.Sub(c.heard[m.MMSI]) < 4*time.Minute
		c.place[m.MMSI], c.heard[m.MMSI] = at, now
		for i := range c.passages {
			p := &c.passages[i]
			if !recent || !p.CrossedBy(before, at) {
				continue
			}
			c.all++
			if c.typed[m.MMSI] > p.Limits.Draught {
				c.tooDeep[crossing{m.MMSI, p.Name}] = append(c.tooDeep[crossing{m.MMSI, p.Name}], now)
			} else if c.typed[m.MMSI] > p.Limits.Draught-0.1 {
				c.atLimits++
			}
		}
	}
}

// TestShipsKeepToLimits: by what a receiver hears, no ship goes through a strait with more than its limit of draught but those that the truth
// declares, which are the declared share of the ships that would be too deep. The true draught of these keeps to the limit.
func TestShipsKeepToLimits(t *testing.T) {
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	passages, err := passage.All()
	if err != nil {
		t.Fatal(err)
	}
	passages = slices.DeleteFunc(passages, func(p passage.Passage) bool { return p.Name != "Drogden" && p.Name != "Flintrännan" })
	all, atLimits, declared := 0, 0, 0
	for seed := range int64(2) {
		h, err := sim.New(sim.Options{At: sim.DefaultAt, Seed: seed, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
		if err != nil {
			t.Fatal(err)
		}
		c := crossings{passages, map[ais.MMSI]float64{}, map[ais.MMSI]geo.Point{}, map[ais.MMSI]time.Time{}, map[crossing][]time.Time{}, 0, 0}
		var told []sim.Truth
		h.Step(begin.Add(2*24*time.Hour), c.hear, func(truth sim.Truth) {
			if truth.Kind == sim.TooDeep {
				told = append(told, truth)
			}
		})
		for _, truth := range told {
			if truth.Draught > truth.Limit || truth.Typed <= truth.Limit {
				t.Errorf("%d went through %s of %v m with %v m and typed %v m", truth.MMSI, truth.Passage, truth.Limit, truth.Draught, truth.Typed)
			}
			one := crossing{truth.MMSI, truth.Passage}
			heard := c.tooDeep[one]
			for i, at := range heard {
				if at.Sub(truth.Time).Abs() < 2*time.Minute {
					c.tooDeep[one] = append(heard[:i:i], heard[i+1:]...)
					declared++
					break
				}
			}
			if len(c.tooDeep[one]) == len(heard) {
				t.Errorf("seed %d: nobody heard %+v", seed, truth)
			}
		}
		for one, times := range c.tooDeep {
			for _, at := range times {
				t.Errorf("seed %d: at %v %d went through %s with %v m, which the truth does not declare", seed, at, one.mmsi, one.passage, c.typed[one.mmsi])
			}
		}
		all, atLimits = all+c.all, atLimits+c.atLimits
	}
	share := 100 * float64(declared) / float64(declared+atLimits)
	t.Logf("%d ways through passages with limits, %d with as much as the limit, %d declared with more: %.1f %%", all, atLimits, declared, share)
	if all < 1000 || atLimits < 300 || share < sim.StaleDraughts/2.0 || share > 2*sim.StaleDraughts {
		t.Errorf("%d ways, %d with as much as the limit, %.1f %% with more; want %d %%", all, atLimits, share, sim.StaleDraughts)
	}
}
