package traffic_test

import (
	"testing"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// transmits lets a picture hear a place of anna by a feed and a station.
func transmits(p *traffic.Picture, where ais.Place, seconds float64, feed, station string) *ship.Conflict {
	r := heard(position(anna, where), seconds)
	r.Feed, r.Station, r.Hash = feed, station, uint64(seconds*10)+1
	p.Apply(batch(r))
	s, _ := p.Ship(anna)
	return s.Conflict
}

// TestTwoTransmittersAreTold: two that take turns at places no ship joins are told with both places, until one has been silent for ten minutes.
func TestTwoTransmittersAreTold(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	here, there := at(56, 10), at(36, -5)
	var c *ship.Conflict
	for i := range 3 {
		if c = transmits(p, here, float64(20*i), "roof", "west"); c != nil {
			t.Fatalf("after %d reports of each: %+v", i, c)
		}
		transmits(p, there, float64(20*i+10), "pier", "south")
	}
	c = transmits(p, here, 60, "attic", "west")
	if c == nil {
		t.Fatal("the conflict is not told")
	}
	own, other := c.Places[0], c.Places[1]
	if own.Fix.Lat != here.Lat || other.Fix.Lat != there.Lat || own.Station != "west" || other.Station != "south" || other.Feed != "pier" {
		t.Errorf("%+v", c)
	}
	var feeds []string
	own.Feeds.Any(func(feed string) bool { feeds = append(feeds, feed); return false })
	if len(feeds) != 2 {
		t.Errorf("the first place is heard by %q", feeds)
	}
	c = transmits(p, there, 70, "pier", "")
	for i := range 4 { // now the other one is louder, and is the ship
		c = transmits(p, there, float64(80+10*i), "pier", "")
	}
	if c == nil || c.Places[0].Fix.Lat != there.Lat || c.Places[1].Fix.Lat != here.Lat {
		t.Fatalf("after the change %+v", c)
	}
	for i := range 80 {
		c = transmits(p, there, float64(120+10*i), "pier", "")
	}
	if c != nil {
		t.Errorf("the other is silent, and still %+v", c)
	}
}

// TestOneTransmitterIsNoConflict: a ship that moves, one whose receiver jumps and stays, and one that jumps to ever other places are none.
func TestOneTransmitterIsNoConflict(t *testing.T) {
	for what, where := range map[string]func(i int) ais.Place{
		"moves": func(i int) ais.Place { return at(56, 10+float64(i)*0.0005) },
		"jumps once": func(i int) ais.Place {
			if i < 10 {
				return at(56, 10)
			}
			return at(36, -5)
		},
		"jumps to other places": func(i int) ais.Place {
			if i%2 == 0 {
				return at(56, 10)
			}
			return at(-50+float64(i), 10)
		},
		"jumps twice": func(i int) ais.Place {
			if i%20 > 17 {
				return at(36, -5)
			}
			return at(56, 10)
		},
	} {
		p := traffic.New(traffic.DefaultConfig())
		for i := range 20 {
			if c := transmits(p, where(i), float64(10*i), "roof", ""); c != nil {
				t.Fatalf("%s: report %d: %+v", what, i, c)
			}
		}
	}
}
