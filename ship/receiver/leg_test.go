package receiver

import (
	"fmt"
	"math"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// statuses are what the crew of a ship at its berth may say: moored, nothing as on class B, or still under way.
var statuses = []ais.NavStatus{ais.StatusMoored, 15, ais.StatusUnderWayEngine}

// stay has a ship of some status lie at its berth for some time.
func (v *voyage) stay(long time.Duration, status ais.NavStatus) {
	every := 3 * time.Minute
	for range int(long / every) {
		v.hear(every, 0, 0, status, 0)
	}
}

// TestALegThatNobodySailsIsALie: it is one whatever the crew says and whatever speed the receiver tells, and the ship is trusted when it is back.
func TestALegThatNobodySailsIsALie(t *testing.T) {
	for _, status := range statuses {
		for name, c := range map[string]struct {
			metres float64
			knots  func(i int) float64
			jump   ship.Mark
		}{
			"20 km off, a steady speed": {20_000, func(int) float64 { return 12 }, ship.NewSegment},
			"3 km off, a steady speed":  {3000, func(int) float64 { return 12 }, 0},
			"5 km off, noise":           {5000, func(i int) float64 { return float64(i%4) * 0.6 }, 0},
			"60 km off, 25 knots":       {60_000, func(int) float64 { return 25 }, ship.NewSegment},
		} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				v := newVoyage()
				v.stay(time.Hour, status)
				v.hear(2*time.Minute, c.metres, c.knots(0), status, c.jump)
				for i := range 99 {
					v.hear(20*time.Second, c.metres+float64(i%5)*20, c.knots(i), status, 0)
				}
				v.stay(time.Hour, status)
				if n := v.untrusted(); n != 100 {
					t.Errorf("%d fixes are untrusted, want 100", n)
				}
			})
		}
	}
}

// TestAReceiverThatGoesRoundIsALie: the places of a deceived receiver agree with its speed, and still the ship comes nowhere.
func TestAReceiverThatGoesRoundIsALie(t *testing.T) {
	for _, status := range statuses {
		for _, c := range []struct{ off, radius, knots float64 }{{30_000, 500, 10}, {30_000, 800, 20}, {8000, 1000, 12}, {8000, 300, 9}} {
			t.Run(fmt.Sprint(status, c), func(t *testing.T) {
				v := newVoyage()
				v.stay(time.Hour, status)
				mark := ship.NewSegment
				for i := range 360 {
					angle := c.knots * 1852 / 3600 * 10 * float64(i) / c.radius
					v.hearAt(10*time.Second, geo.Vector{X: c.off + c.radius*math.Cos(angle), Y: c.radius * math.Sin(angle)}, c.knots, status, mark)
					mark = 0
				}
				v.stay(time.Hour, status)
				if n := v.untrusted(); n != 360 {
					t.Errorf("%d fixes are untrusted, want 360", n)
				}
			})
		}
	}
}

// TestAShipThatSailsIsTrusted: whatever its crew says, and where it is first heard again far off.
func TestAShipThatSailsIsTrusted(t *testing.T) {
	for _, status := range statuses {
		for name, sails := range map[string]func(v *voyage){
			"8 miles out and back": func(v *voyage) {
				v.sailAs(0, 14_816, 12, status)
				v.sailAs(14_816, 0, 12, status)
			},
			"heard after 20 minutes, 5 miles out": func(v *voyage) {
				v.hear(20*time.Minute, 9260, 15, status, 0)
				v.sailAs(9400, 20_000, 15, status)
			},
			"heard after 8 minutes at 20 knots": func(v *voyage) {
				v.hear(8*time.Minute, 4500, 20, status, 0)
				v.sailAs(4600, 20_000, 20, status)
			},
			"has cast off, and is fast a minute later": func(v *voyage) {
				v.hear(70*time.Second, 60, 10.8, status, 0)
				v.hear(62*time.Second, 838, 28.2, status, 0)
				v.sailAs(1700, 20_000, 28, status)
			},
			"has cast off, and crosses a river to another berth": func(v *voyage) {
				v.hear(70*time.Second, 16, 7.7, status, 0)
				v.hear(126*time.Second, 1250, 11.5, status, 0)
				v.hear(62*time.Second, 1560, 9.1, status, 0)
				for range 20 {
					v.hear(time.Minute, 1570, 0.1, status, 0)
				}
			},
			"to another berth": func(v *voyage) { v.sailAs(0, 900, 4, status) },
			"away, and jumps on its way": func(v *voyage) {
				v.sailAs(0, 3000, 10, status)
				v.hear(10*time.Second, 60_000, 10, status, ship.NewSegment)
				v.sailAs(60_050, 70_000, 10, status)
			},
		} {
			t.Run(fmt.Sprint(status, " ", name), func(t *testing.T) {
				v := newVoyage()
				v.stay(time.Hour, status)
				if sails(v); v.untrusted() != 0 {
					t.Errorf("%d of %d fixes are untrusted", v.untrusted(), len(v.fixes))
				}
			})
		}
	}
}
