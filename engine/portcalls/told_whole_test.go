//go:build !race

package portcalls

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
)

// told is what was told of a call.
type told struct{ arrived, departed time.Time }

// telling returns what every call tells now.
func (h *harbour) telling() map[int64]told {
	h.t.Helper()
	calls := map[int64]told{}
	for m := range h.last {
		err := h.OfShip(context.Background(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
			calls[c.ID] = told{c.Arrived(), c.Departed()}
			return true
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return calls
}

// TestCallsThatWereToldOutliveAKill kills the box at any moment, also long after it has stored what it knows. Each call that a caller was told is there
// after the kill with its times. An arrival that was told becomes no other one.
func TestCallsThatWereToldOutliveAKill(t *testing.T) {
	random := rand.New(rand.NewPCG(26, 10))
	h := newHarbour(t, berths(t))
	first, saved := map[int64]time.Time{}, begin
	kills, arrivals := 0, 0
	sail(t, func(at time.Time, m ais.Message) {
		if at.Sub(saved) >= time.Minute {
			saved = at
			h.Save()
			for id, one := range h.telling() {
				switch was := first[id]; {
				case one.arrived.IsZero():
				case was.IsZero():
					first[id] = one.arrived
					arrivals++
				case !was.Equal(one.arrived):
					t.Errorf("call %d, after %d kills: the ship arrived at %v, and was told at %v", id, kills, one.arrived, was)
					first[id] = one.arrived
				}
			}
		}
		h.take(at, m, h.db, h.Calls)
		if random.IntN(300) > 0 {
			return
		}
		before := h.telling()
		h.restart(true)
		kills++
		after := h.telling()
		for id, one := range before {
			if after[id] != one {
				t.Errorf("call %d was told as %v and is %v after a kill", id, one, after[id])
			}
		}
	})
	if kills < 30 || arrivals < 8 {
		t.Fatalf("%d kills, %d arrivals", kills, arrivals)
	}
	t.Logf("%d kills, %d arrivals", kills, arrivals)
}
