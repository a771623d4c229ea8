//go:build !race

package portcalls

import (
	"runtime"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship/berthing"
	"quaywatch/ship/portcall"
)

// TestPlacesOfCalls holds that the long stays of the calls at a port count for its places, that they are found again after ten minutes only, and that
// nothing is told of a port without calls.
func TestPlacesOfCalls(t *testing.T) {
	h := newHarbour(t, berths(t))
	if p, err := h.LainAt(t.Context(), 7, false); err != nil || p.All.Stays != 0 {
		t.Fatalf("before any call: %+v, %v", p, err)
	}
	h.hear(never)
	p, err := h.LainAt(t.Context(), 7, false)
	if err != nil || p.All.Stays < 5 {
		t.Fatalf("%d stays, %v", p.All.Stays, err)
	}
	if other, err := h.LainAt(t.Context(), 8, false); err != nil || other.All.Stays != 0 {
		t.Errorf("a port without calls: %+v, %v", other, err)
	}
	c, long := h.longest()
	if long == 0 {
		t.Fatal("no call has a stay of an hour")
	}
	if err := h.Delete(c.ID, "pilot"); err != nil {
		t.Fatal(err)
	}
	if again, err := h.LainAt(t.Context(), 7, false); err != nil || again.All.Stays != p.All.Stays {
		t.Errorf("at once again: %d stays, %v", again.All.Stays, err)
	}
	h.Tick(begin.Add(length + placesKept))
	if later, err := h.LainAt(t.Context(), 7, false); err != nil || later.All.Stays != p.All.Stays-long {
		t.Errorf("ten minutes later: %d stays, want those of the deleted call less; %v", later.All.Stays, err)
	}
}

// longest returns the call with the most stays of an hour or more.
func (h *harbour) longest() (most *KeptCall, stays int) {
	for _, m := range sorted(h.last) {
		err := h.OfShip(h.t.Context(), m, time.Time{}, endOfTime, func(c *KeptCall) bool {
			long := 0
			for _, s := range c.Found.Stays {
				if s.Last.Since(s.Seen) >= berthing.LeastStay {
					long++
				}
			}
			if long > stays {
				most, stays = c, long
			}
			return true
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return most, stays
}

// TestInventedShipsGrowNoPlaces holds that what is kept of the stays at a port has a bound, however many ships are invented and however often they
// lie there, and that places of few ships are found in it all the same.
func TestInventedShipsGrowNoPlaces(t *testing.T) {
	invented := func(ships int) (*Lain, uint64) {
		g := gathering{ports: map[uint64]*Lain{}, sizes: map[ais.MMSI]ais.Dimensions{}, feeds: map[string][]string{}}
		at := geo.Point{Lon: 10.22, Lat: 56.15}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range ships {
			c := KeptCall{MMSI: ais.MMSI(200_000_000 + i), Feeds: []string{"roof", "pier"}, Found: portcall.Call{Port: 7}}
			g.sizes[c.MMSI] = ais.Dimensions{} // it is not in a store
			for k := range 16 {
				p := geo.Destination(at, float64(i%360), float64(40*k))
				seen := portcall.Millis(begin.UnixMilli()).Add(time.Duration(2*k) * time.Hour)
				c.Found.Stays = append(c.Found.Stays, portcall.Stay{Kind: portcall.StayKind(1 + k%2), Lon: p.Lon, Lat: p.Lat, Seen: seen, Last: seen.Add(70 * time.Minute)})
			}
			g.addStays(&c)
		}
		g.sizes = nil
		runtime.GC()
		runtime.ReadMemStats(&after)
		return g.ports[7], after.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	}
	l, bytes := invented(mostPlaceCalls)
	if n := len(l.stays[0].stays); n != berthing.MostStays || n != len(l.stays[0].calls) || len(l.calls) > berthing.MostStays || len(l.stays[1].stays) != n {
		t.Errorf("%d and %d stays of %d calls are kept", n, len(l.stays[1].stays), len(l.calls))
	}
	if most := uint64(2 << 20); bytes > most {
		t.Errorf("%d bytes are kept", bytes)
	}
	began := time.Now()
	few := l.Few(func(*LainCall) bool { return true })
	t.Logf("%d bytes kept, %d berths and %d anchorages of invented ships in %v", bytes, len(few.Berths), len(few.Anchorages), time.Since(began))
	if few.Stays != 2*berthing.MostStays {
		t.Errorf("%d stays were looked at", few.Stays)
	}
}
