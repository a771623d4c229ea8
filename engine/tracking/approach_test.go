package tracking

import (
	"math"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// leg is a part of a track: so many nautical miles at a speed, or minutes at rest.
type leg struct {
	nm, knots float64
	minutes   int
}

// came returns the positions of a ship that came by some legs from the west, one a minute, and when it was alongside.
func came(legs ...leg) (track ship.Track, arrived portcall.Millis) {
	at, place := begin, geo.Point{Lon: 10, Lat: 56}
	add := func(knots float64) {
		track = append(track, ship.Fix{At: at.UnixMilli(), Lon: int32(place.Lon * 600000), Lat: int32(place.Lat * 600000), SOG: ais.SOGTenths(int(knots * 10))})
		at = at.Add(time.Minute)
	}
	for _, l := range legs {
		for range l.minutes {
			add(0)
		}
		for sailed := 0.0; sailed < l.nm-1e-9; sailed += l.knots / 60 {
			add(l.knots)
			place = geo.Destination(place, 90, l.knots/60*1852)
		}
	}
	add(0)
	return track, portcall.Millis(at.Add(-time.Minute).UnixMilli())
}

// TestHowAShipCameIn holds what is read out of the positions before an arrival.
func TestHowAShipCameIn(t *testing.T) {
	straight, arrived := came(leg{nm: 32, knots: 12}, leg{nm: 6, knots: 6}, leg{nm: 0.5, knots: 3})
	a, ok := approachOf(straight, arrived)
	if !ok || a.waited() || math.Abs(a.Knots-12) > 0.5 {
		t.Fatalf("%+v, %v", a, ok)
	}
	for i, minutes := range []float64{15, 25, 35, 55, 77.5, 97.5, 137.5, 187.5} {
		if got := float64(a.Took[i]) / 60; math.Abs(got-minutes) > 1.5 {
			t.Errorf("from %.0f nautical miles it took %.1f minutes, want %.1f", markAt(i)/1852, got, minutes)
		}
	}
	waited, arrived := came(leg{nm: 32, knots: 12}, leg{minutes: 120}, leg{nm: 3, knots: 6})
	if a, ok = approachOf(waited, arrived); !ok || !a.waited() || math.Abs(float64(a.Rest)-7200) > 120 {
		t.Errorf("after two hours at anchor: %+v, %v", a, ok)
	}
	short, arrived := came(leg{nm: 4, knots: 6})
	if a, ok = approachOf(short, arrived); !ok || a.Took[2] == 0 || a.Took[3] != 0 {
		t.Errorf("heard for 4 nautical miles: %+v, %v", a, ok)
	}
	for name, track := range map[string]ship.Track{"none": nil, "one": straight[len(straight)-1:], "long ago": straight[:20]} {
		if a, ok = approachOf(track, arrived); ok && name != "one" {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestProfiles holds from how many ships on there is a profile, and which ships make it.
func TestProfiles(t *testing.T) {
	ships := func(n, group int, from uint64, minutes int32) (list []Approach) {
		for range n {
			list = append(list, Approach{Group: group, From: from, Knots: 12, Took: [marks]int32{60 * minutes, 60 * (minutes + 5)}})
		}
		return list
	}
	if p := profileOf(append(ships(4, 7, 1, 10), ships(9, 3, 1, 10)...), 7, 1); p != nil {
		t.Error("four ships of the type make a profile")
	}
	all := append(ships(5, 7, 1, 10), ships(20, 7, 2, 30)...)
	for from, want := range map[uint64]float64{1: 5, 2: 25, 3: 25} { // a mile at 12 knots takes five minutes
		p := profileOf(all, 7, from)
		if p == nil || math.Abs(p.usual[0]/60-want) > 0.01 || !p.known[1] || p.known[2] {
			t.Errorf("from port %d: %+v", from, p)
		}
	}
	waiting := ships(6, 7, 1, 300)
	for i := range waiting {
		waiting[i].Rest = int32(3600 * (i + 1))
	}
	p := profileOf(append(ships(10, 7, 1, 10), waiting...), 7, 1)
	if math.Abs(p.usual[0]/60-5) > 0.01 || p.waiting[0]/60 < 100 || p.high[0]/60 > 10 {
		t.Errorf("ships that waited move the usual time to %.1f minutes; the slow ones are %.1f and %.1f", p.usual[0]/60, p.high[0]/60, p.waiting[0]/60)
	}
	for _, metres := range []float64{100, markAt(0), markAt(0) * 1.5, 1e6} {
		low, usual, straight := p.later(metres, true)
		least, middle, waiting := p.later(metres, false)
		if low != least || usual != middle || straight < usual || waiting < straight+3600 {
			t.Errorf("%.0f m before the berth: %v, %v, %v; with those that waited %v", metres, low, usual, straight, waiting)
		}
	}
}

// TestHistoryStaysBounded holds that a long voyage keeps its beginning and its end.
func TestHistoryStaysBounded(t *testing.T) {
	one := TrackedShip{}
	for i := range 5000 {
		one.Latest.At = portcall.Millis(i + 1)
		one.addToHistory()
	}
	first, last := one.History[0].At, one.History[len(one.History)-1].At
	if len(one.History) > mostHistory || first != 1 || last != 5000 {
		t.Errorf("%d entries from %d to %d", len(one.History), first, last)
	}
	for i := 1; i < len(one.History); i++ {
		if one.History[i].At <= one.History[i-1].At {
			t.Fatal("the history is out of order")
		}
	}
}

// TestTheShortestInterval: it holds the share that was asked for, and leaves out the side where the values lie far apart.
func TestTheShortestInterval(t *testing.T) {
	late := []float64{-5, -4, -3, -2, -1, 0, 1, 9, 20, 40}
	for share, want := range map[float64][2]float64{0.6: {-5, 0}, 0.61: {-5, 1}, 0.8: {-5, 9}, 1: {-5, 40}} {
		if low, high := shortest(late, share); [2]float64{low, high} != want {
			t.Errorf("%v of them lie from %v to %v, want %v", share, low, high, want)
		}
	}
	if low, high := shortest([]float64{-40, -1, 0, 1}, 0.75); low != -1 || high != 1 {
		t.Errorf("from %v to %v", low, high)
	}
	if low, high := shortest([]float64{7}, 0.9); low != 7 || high != 7 {
		t.Errorf("of a single value: from %v to %v", low, high)
	}
}

// TestAFerryDrivesOutNoOthers: what is kept of a type at a port has ships from each port, however often a ferry comes.
func TestAFerryDrivesOutNoOthers(t *testing.T) {
	var list []Approach
	come := func(group int, from uint64) {
		list = dropApproach(append(list, Approach{Group: group, From: from, At: portcall.Millis(len(list))}), group)
	}
	for range 7 {
		come(6, 30)
	}
	come(7, 40)
	for range 3 * mostApproaches {
		come(6, 10)
		come(6, 20)
	}
	come(6, 50)
	count := map[uint64]int{}
	for _, a := range list {
		count[a.From]++
	}
	if count[30] != 7 || count[40] != 1 || count[50] != 1 || count[10]+count[20] != mostApproaches-8 || max(count[10]-count[20], count[20]-count[10]) > 1 {
		t.Errorf("by the port that they came from there are %v", count)
	}
}
