//go:build !race

package portcalls

import (
	"reflect"
	"testing"
	"time"

	"quaywatch/geo/chart"
)

// TestABorderDrawnLater holds that a port that is drawn after the traffic has the calls that it would have if it had been drawn before, whichever way it
// was drawn first.
func TestABorderDrawnLater(t *testing.T) {
	shapes := map[string]*chart.Port{
		"no port":       nil,
		"the circle":    plainHarbour(),
		"8 km":          drawnHarbour(8000, berths(t)),
		"2 km":          drawnHarbour(2000, nil),
		"8 km, no quay": drawnHarbour(8000, nil),
	}
	first := map[string][]string{}
	for name, port := range shapes {
		first[name] = harbourOf(t, port).told(10 * time.Second)
	}
	for before, was := range shapes {
		for after, port := range shapes {
			if before == after || port == nil { // a port that is taken from the list keeps its calls
				continue
			}
			h := harbourOf(t, was)
			h.drawAnew(port)
			compare(t, before+", then "+after, h.told(10*time.Second), first[after])
			h.restart(false)
			compare(t, before+", then "+after+", after a restart", h.told(10*time.Second), first[after])
		}
	}
	if a, b := first["8 km"], first["the circle"]; len(a) < 8 || reflect.DeepEqual(a, b) {
		t.Errorf("the borders give %d calls and %d: that tells little", len(a), len(b))
	}
}

// TestABorderDrawnMeanwhile draws a port while ships lie in it, and lets the traffic go on: the calls that go on are those of the border too.
func TestABorderDrawnMeanwhile(t *testing.T) {
	drawn := drawnHarbour(8000, berths(t))
	want := harbourOf(t, drawn).told(10 * time.Second)
	for what, was := range map[string]*chart.Port{"no port": nil, "the circle": plainHarbour(), "2 km": drawnHarbour(2000, nil)} {
		h := newHarbour(t, nil)
		h.ports = chart.NewPorts(nil)
		if was != nil {
			h.ports = chart.NewPorts([]*chart.Port{was})
		}
		h.followPorts()
		h.review()
		h.hear(func(minute int) (stop, kill bool) {
			if minute == 95 {
				h.drawAnew(drawn)
			}
			return minute == 130, true
		})
		compare(t, what, h.told(10*time.Second), want)
		open := 0
		for _, m := range h.Callers() {
			err := h.OfShip(t.Context(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
				if c.Found.Open() {
					open++
					if call, ok := h.Visiting(m, begin.Add(length)); !ok || call.Port != 7 {
						t.Errorf("%s: %d has an open call, and filters find it in port %d", what, m, call.Port)
					}
				}
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if open < 5 || open != h.Open() {
			t.Errorf("%s: %d calls are open, filters know %d", what, open, h.Open())
		}
	}
}
