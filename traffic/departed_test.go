package traffic_test

import (
	"math"
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
		c.MaxNameless = rapid.IntRange(1, 12).Draw(t, "most nameless")
		p := traffic.New(c)
		states := fleet(30)
		for i := range states[10:] { // beside each other
			states[10+i].Fix.Lon, states[10+i].Fix.Lat = int32(6_000_000+1000*i), 33_000_000
		}
		for i := range rapid.IntRange(0, len(states)).Draw(t, "nameless") {
			states[i].Static = nil
		}
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
			if s.Static != nil {
				p.Apply(batch(heard(&ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: s.MMSI}, Name: s.Static.Name}, seconds)))
			}
			last[s.MMSI] = s
			checkDeparted(t, p, last, c.MaxNameless)
		}
		checkDeparted(t, p, last, c.MaxNameless)
	})
}

// Of ships that never told what they are, those that left last are still found. What millions of invented numbers take has an end.
func TestNamelessShipsThatLeftAreBounded(t *testing.T) {
	c := traffic.DefaultConfig()
	c.MaxShips, c.MaxNameless = 10, 1000
	p := traffic.New(c)
	states := fleet(5000)
	for i := range states {
		states[i].Heard += int64(i)
		states[i].Fix.At += int64(i)
		if i%5 > 0 {
			states[i].Static = nil
		}
	}
	p.Restore(states)
	left := departedIn(p, geo.Rect{West: -180, South: -90, East: 180, North: 90}, 0)
	nameless := 0
	for _, m := range left {
		if states[m-states[0].MMSI].Static == nil {
			nameless++
		}
	}
	if named := len(left) - nameless; nameless != c.MaxNameless || named != len(states)/5-c.MaxShips/5 {
		t.Errorf("%d nameless ships and %d others", nameless, named)
	}
	for i := len(states) - 100; i < len(states)-c.MaxShips; i++ {
		if count(left, states[i].MMSI) != 1 {
			t.Errorf("%d left just now", states[i].MMSI)
		}
	}
}

// checkDeparted looks for every ship that must be somewhere. Of those that never told what they are, so many at most are found when they left.
func checkDeparted(t *rapid.T, p *traffic.Picture, last map[ais.MMSI]*ship.State, mostNameless int) {
	world := geo.Rect{West: -180, South: -90, East: 180, North: 90}
	found := map[ais.MMSI]int{}
	for _, m := range departedIn(p, world, 0) {
		found[m]++
	}
	if like := p.DepartedLike(ship.Signature{}); len(like) != len(found) {
		t.Fatalf("%d departed by name, %d by place", len(like), len(found))
	}
	nameless := 0
	for m, s := range last {
		if _, in := p.Ship(m); in {
			found[m]++
		} else if s.Static == nil && found[m] == 0 {
			continue
		} else {
			if s.Static == nil {
				nameless++
			}
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
	if nameless > mostNameless {
		t.Fatalf("%d nameless ships that left", nameless)
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

func TestASmallBoxKeepsFewerShips(t *testing.T) {
	for _, c := range []struct {
		memory                       int64
		ships, unconfirmed, nameless int
	}{
		{math.MaxInt64, 250000, 150000, 250000},
		{1 << 30, 250000, 150000, 250000},
		{1 << 29, 191739, 75000, 125000},
		{1 << 20, 20000, 20000, 20000},
	} {
		config := traffic.DefaultConfig()
		config.FitMemory(c.memory)
		if config.MaxShips != c.ships || config.MaxUnconfirmed != c.unconfirmed || config.MaxNameless != c.nameless {
			t.Errorf("%d MiB: %d ships, %d unconfirmed, %d nameless", c.memory>>20, config.MaxShips, config.MaxUnconfirmed, config.MaxNameless)
		}
	}
	few := traffic.Config{MaxShips: 1000, MaxUnconfirmed: 10}
	few.FitMemory(1 << 20)
	if few.MaxShips != 1000 || few.MaxUnconfirmed != 10 || few.MaxNameless != 0 {
		t.Errorf("%+v", few)
	}
}
