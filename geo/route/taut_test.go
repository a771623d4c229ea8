//go:build !race

package route

import (
	"context"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/sea"
)

// TestHarboursThatAreSeenFromFarOff: their mouths open to one side, and ways led to them from the far end of what is seen there. Each is no longer than a way over a
// place a few kilometres off the harbour, and some miles longer than the great circle at most.
func TestHarboursThatAreSeenFromFarOff(t *testing.T) {
	n, at := world(t)
	for _, c := range []struct {
		from, to string
		most     float64 // nautical miles
	}{
		{"PLGDN", "RUBLT", 50}, {"ITMNP", "ITBDS", 39}, {"ITVCE", "ITBDS", 390}, {"ITBRI", "ITBDS", 66}, {"GRPIR", "ITBDS", 475}, {"CASUM", "CAPTO", 80},
		{"USCLE", "USCDY", 62}, {"ITFAE", "ITPCS", 26}, {"CUNVT", "CUMNT", 36}, {"ZADUR", "OMDQM", 3360},
	} {
		w := find(t, n, at(c.from), at(c.to))
		if miles := w.Distance / 1852; miles > c.most {
			t.Errorf("%s to %s: %.1f miles, at most %.0f are sailed", c.from, c.to, miles, c.most)
		}
	}
}

// TestAPlaceOnTheWayShortensNone: a way over a place on its own last leg is as long as the way.
func TestAPlaceOnTheWayShortensNone(t *testing.T) {
	n, _ := world(t)
	places := joined(t, n)
	asked, loose := 0, 0
	for _, to := range places[:min(len(places), 10**pairs)] {
		from, ok := neighbour(places, to)
		if !ok {
			continue
		}
		w, err := n.Find(context.Background(), Query{From: from, To: to, Closed: arctic})
		if err != nil {
			continue
		}
		last := len(w.Points) - 1
		for last > 0 && geo.Distance(w.Points[last-1], w.Points[last]) < 10_000 {
			last--
		}
		if last == 0 || w.fixed[last-1] {
			continue
		}
		asked++
		leg := geo.Distance(w.Points[last-1], w.Points[last])
		via := alongLeg(sea.At(w.Points[last-1]), sea.At(w.Points[last]), 1-3000/leg).Point()
		over, err := n.Find(context.Background(), Query{From: from, To: to, Via: []geo.Point{via}, Closed: arctic})
		if err == nil && over.Distance < 0.98*w.Distance-2000 {
			loose++
			t.Logf("from %v to %v: %.1f km, and over %v %.1f", from, to, w.Distance/1000, via, over.Distance/1000)
		}
	}
	if t.Logf("%d ways, %d of them loose", asked, loose); asked < *pairs || 100*loose > asked {
		t.Errorf("%d of %d ways are longer than one over a place on them", loose, asked)
	}
}

// neighbour returns the place nearest to a place that lies 50 km off or more.
func neighbour(places []geo.Point, p geo.Point) (nearest geo.Point, ok bool) {
	least := 500_000.0
	for _, q := range places {
		if m := geo.Distance(p, q); m > 50_000 && m < least {
			nearest, least, ok = q, m, true
		}
	}
	return nearest, ok
}

// TestCanalsAreEnteredWithoutALoop: a canal begins where it sees the network, and a way neither sails past its end nor back to it.
func TestCanalsAreEnteredWithoutALoop(t *testing.T) {
	n, at := world(t)
	for name, c := range map[string]struct {
		from, to geo.Point
		most     float64 // nautical miles
	}{
		"Suez":                {geo.Point{Lon: 32.4, Lat: 31.8}, geo.Point{Lon: 32.6, Lat: 29.7}, 136},
		"Port Said to Suez":   {at("EGPSD"), at("EGSUZ"), 97},
		"Panama":              {geo.Point{Lon: -79.9, Lat: 9.6}, geo.Point{Lon: -79.5, Lat: 8.6}, 73},
		"Cristobal to Balboa": {at("PAONX"), at("PABLB"), 53},
	} {
		w := find(t, n, c.from, c.to)
		if miles := w.Distance / 1852; miles > c.most {
			t.Errorf("%s: %.1f miles, at most %.0f are sailed", name, miles, c.most)
		}
		for i := 1; i+1 < len(w.Points); i++ {
			u, v, x := sea.At(w.Points[i-1]), sea.At(w.Points[i]), sea.At(w.Points[i+1])
			if sea.Km(u, x) < 0.5*max(sea.Km(u, v), sea.Km(v, x)) {
				t.Errorf("%s: the way turns back at %v", name, w.Points[i])
			}
		}
	}
}
