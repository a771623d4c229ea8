//go:build !race

package route

import (
	"slices"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
)

// fjord is a straight of learned water some 180 m wide from the sea off Djursland to the west, and places on it.
type fjord struct {
	shore  geo.Point // where it begins
	inland geo.Point // 4 km behind the shore
	deep   geo.Point // 13 km behind it
	water  *water.Overlay
}

func newFjord(t *testing.T, c *chart.Chart) (f fjord) {
	t.Helper()
	at := geo.Point{Lon: 11.2, Lat: 56.4}
	for !c.Land(at) {
		at = geo.Destination(at, 270, 50)
	}
	f.shore, f.inland, f.deep = at, geo.Destination(at, 270, 4000), geo.Destination(at, 270, 13_000)
	if !c.Land(f.inland) || !c.Land(f.deep) {
		t.Fatal("the places lie at sea")
	}
	var cells []water.Square
	for metres := -100.0; metres < 13_100; metres += 10 {
		middle := geo.Destination(at, 270, metres)
		for aside := -90.0; aside <= 90; aside += 10 {
			cells = append(cells, water.CellAt(geo.Destination(middle, 0, aside)))
		}
	}
	f.water, _ = water.New(cells, nil)
	return f
}

// TestWaysBeginInLearnedWater holds that a way to a place on learned water leads over it, over no other land, for at most 10 km; and that nothing of it is
// remembered when the water is no longer learned.
func TestWaysBeginInLearnedWater(t *testing.T) {
	c, _ := charts(t)
	n, err := Open(c.Coast())
	if err != nil {
		t.Fatal(err)
	}
	f := newFjord(t, c)
	gothenburg := geo.Point{Lon: 11.6, Lat: 57.6}
	before, far := find(t, n, f.inland, gothenburg), find(t, n, f.deep, gothenburg)
	if before.SnapFrom < 1000 {
		t.Fatalf("without learned water the place is %.0f m on land", before.SnapFrom)
	}
	cells, _ := f.water.Cells()
	seen, _ := water.New(nil, cells)
	apart, _ := water.New(slices.DeleteFunc(slices.Clone(cells), func(c water.Square) bool {
		return geo.Distance(c.Center(), f.inland) > 2000
	}), nil)
	for what, o := range map[string]*water.Overlay{"only seen": seen, "joined to no other": apart} {
		n.Learn(o)
		if w := find(t, n, f.inland, gothenburg); w.SnapFrom != before.SnapFrom || w.Distance != before.Distance {
			t.Errorf("a way leads over water that is %s", what)
		}
	}
	n.Learn(f.water)
	taught := c.With(f.water)
	for _, turned := range []bool{false, true} {
		from, to := f.inland, gothenburg
		if turned {
			from, to = to, from
		}
		w := find(t, n, from, to)
		if w.SnapFrom+w.SnapTo > 0 {
			t.Errorf("%.0f and %.0f m of the way are land", w.SnapFrom, w.SnapTo)
		}
		line := w.Line(0.05)
		for i := 1; i < len(line); i++ {
			if taught.LegCrossesLand(line[i-1], line[i]) {
				t.Errorf("from %v to %v the way crosses land", line[i-1], line[i])
			}
		}
		if line[0] != from || line[len(line)-1] != to {
			t.Errorf("the way leads from %v to %v", line[0], line[len(line)-1])
		}
	}
	beside := geo.Destination(f.inland, 0, 200)
	if w := find(t, n, beside, gothenburg); w.SnapFrom < 50 || w.SnapFrom > 250 {
		t.Errorf("200 m beside learned water %.0f m are land", w.SnapFrom)
	}
	if w := find(t, n, f.deep, gothenburg); w.SnapFrom != far.SnapFrom || w.Distance != far.Distance {
		t.Errorf("13 km inland: %.0f m of %.0f, without learned water %.0f of %.0f", w.SnapFrom, w.Distance, far.SnapFrom, far.Distance)
	}
	n.Learn(nil)
	if w := find(t, n, f.inland, gothenburg); w.SnapFrom != before.SnapFrom || w.Distance != before.Distance {
		t.Error("the way is remembered after the water was rejected")
	}
}
