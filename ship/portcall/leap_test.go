package portcall_test

import (
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// TestABerthToWhichAShipLeapsBackIsOneStay: a receiver drifts off and says that the ship lies still. Then it is back at once, as no ship sails. A ship that
// sails back there makes a second stay.
func TestABerthToWhichAShipLeapsBackIsOneStay(t *testing.T) {
	for name, c := range map[string]struct {
		tenths int // while it is off
		sails  bool
		stays  int
	}{
		"drifts and leaps back":          {0, false, 1},
		"drifts with a speed, and leaps": {60, false, 1},
		"sails out and back":             {60, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var latest portcall.Call
			calls := 0
			home := geo.Point{Lon: 10, Lat: 54}
			port := &chart.Port{ID: 1, Position: home, Placed: true}
			e := portcall.NewEngine(portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil), func(c *portcall.Call) {
				if c.Ref == 0 {
					calls++
					c.Ref = uint64(calls)
				}
				latest = *c
			})
			f, at := portcall.Begin(ship.Fix{}, 0), 0
			hear := func(metres float64, tenths int) {
				at++
				e.Step(f, fixAt(at, home, 90, metres, tenths))
			}
			for metres := 6000.0; metres > 0; metres -= 180 {
				hear(metres, 60)
			}
			arrived := at + 1
			for range 60 {
				hear(0, 0)
			}
			for metres := 180.0; metres < 3600; metres += 180 {
				hear(metres, c.tenths)
			}
			for metres := 3600.0; c.sails && metres > 0; metres -= 180 {
				hear(metres, 60)
			}
			for range 60 {
				hear(0, 0)
			}
			left := at + 1
			for metres := 180.0; metres < 6000; metres += 180 {
				hear(metres, 60)
			}
			if calls != 1 || len(latest.Stays) != c.stays {
				t.Fatalf("%d calls, the last with the stays %+v", calls, latest.Stays)
			}
			if off := (latest.Arrived().Time().Sub(begin).Minutes() - float64(arrived)); off > 2 || off < -4 {
				t.Errorf("it arrived %v minutes late", off)
			}
			if off := (latest.Departed().Time().Sub(begin).Minutes() - float64(left)); off > 2 || off < -4 {
				t.Errorf("it departed %v minutes late", off)
			}
		})
	}
}
