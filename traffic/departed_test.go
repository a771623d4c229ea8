package traffic_test

import (
	"testing"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// Each ship that was there often enough is in the picture or among those that departed, once, at its last place and by its name;
// after a start from what a store has, too.
func TestAShipIsInThePictureOrDeparted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := traffic.DefaultConfig()
		c.MaxShips = rapid.IntRange(1, 12).Draw(t, "most")
		p := traffic.New(c)
		states := fleet(30)
		last := map[ais.MMSI]*ship.State{}
		if rapid.Bool().Draw(t, "started") {
			for i := range states {
				states[i].Heard += int64(i)
				last[states[i].MMSI] = &states[i]
			}
			p.Restore(states)
		}
		seconds := 0.0
		for range rapid.IntRange(0, 60).Draw(t, "heard") {
			s := &states[rapid.IntRange(0, len(states)-1).Draw(t, "ship")]
			seconds += 10000
			for range ship.ConfirmedReports {
				seconds++
				p.Apply(batch(heard(position(s.MMSI, ais.Place{Lon: s.Fix.Lon, Lat: s.Fix.Lat}), seconds)))
			}
			last[s.MMSI] = s
			checkDeparted(t, p, last)
		}
		checkDeparted(t, p, last)
	})
}

// checkDeparted looks for every ship that must be somewhere.
func checkDeparted(t *rapid.T, p *traffic.Picture, last map[ais.MMSI]*ship.State) {
	world := geo.Rect{West: -180, South: -90, East: 180, North: 90}
	found := map[ais.MMSI]int{}
	for _, m := range departedIn(p, world, 0) {
		found[m]++
	}
	if like := p.DepartedLike(ship.Signature{}); len(like) != len(found) {
		t.Fatalf("%d departed by name, %d by place", len(like), len(found))
	}
	for m, s := range last {
		if _, in := p.Ship(m); in {
			found[m]++
		} else {
			at := s.Fix.Point()
			near := geo.Rect{West: at.Lon - 0.01, South: at.Lat - 0.01, East: at.Lon + 0.01, North: at.Lat + 0.01}
			if count(departedIn(p, near, 0), m) != 1 || count(departedIn(p, near, s.Fix.At+1e12), m) != 0 {
				t.Fatalf("%d is not where it was", m)
			}
			known := ship.State{MMSI: m}
			if count(p.DepartedLike(known.Signature()), m) != 1 {
				t.Fatalf("%d is not found by its number", m)
			}
		}
		if found[m] != 1 {
			t.Fatalf("%d is at %d places", m, found[m])
		}
		delete(found, m)
	}
	if len(found) > 0 {
		t.Fatalf("never there: %v", found)
	}
}

func departedIn(p *traffic.Picture, r geo.Rect, since int64) []ais.MMSI {
	return p.Near(r, since, func(*ship.State) bool { return true })
}

func count(list []ais.MMSI, m ais.MMSI) (n int) {
	for _, one := range list {
		if one == m {
			n++
		}
	}
	return n
}
