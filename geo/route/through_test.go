//go:build !race

package route

import (
	"context"
	"errors"
	"slices"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/passage"
)

// TestAShipTakesWhatItTakes holds the way of a ship that is too deep for the Drogden, from the south to Copenhagen: round Zealand, or through the
// passages that it is said to take, and what is said of these.
func TestAShipTakesWhatItTakes(t *testing.T) {
	n, _ := world(t)
	ask := func(q Query) Way {
		t.Helper()
		q.From, q.To, q.Draught = geo.Point{Lon: 12.4586, Lat: 55.5285}, geo.Point{Lon: 12.6, Lat: 55.7}, 8.8
		w, err := n.Find(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	round := ask(Query{})
	if round.Distance < 400_000 || len(round.Obstacles) == 0 || len(round.Tight) != 0 {
		t.Errorf("the way round has %.0f m, obstacles %+v and %+v on it", round.Distance, round.Obstacles, round.Tight)
	}
	for name, w := range map[string]Way{"any": ask(Query{Any: true}), "Drogden": ask(Query{Through: []string{"drogden"}})} {
		if w.Distance > 40_000 || len(w.Obstacles) != 0 || len(w.Tight) != 1 {
			t.Fatalf("%s: the way has %.0f m, obstacles %+v and %+v on it", name, w.Distance, w.Obstacles, w.Tight)
		}
		o := w.Tight[0]
		if o.Passage != "Drogden" || o.Fit != passage.TooDeep || o.Has != 8.8 || o.Most != 7.7 || o.Inside || o.Ahead < 12_000 || o.Ahead > 22_000 {
			t.Errorf("%s: the way leads through %+v", name, o)
		}
	}
	if w := ask(Query{Through: []string{"Kiel"}}); !slices.Equal(w.Points, round.Points) {
		t.Error("a ship that takes the Kiel Canal is not led round")
	}
	for place, inside := range map[geo.Point]bool{{Lon: 12.70, Lat: 55.59}: true, {Lon: 12.68, Lat: 55.50}: false} {
		w, err := n.Find(context.Background(), Query{From: place, To: geo.Point{Lon: 12.6, Lat: 55.7}, Draught: 8.8, Any: true})
		if err != nil || len(w.Tight) != 1 || w.Tight[0].Inside != inside {
			t.Errorf("from %v: %+v, %v", place, w.Tight, err)
		}
	}
	_, err := n.Find(context.Background(), Query{From: geo.Point{Lon: 10, Lat: 56}, To: geo.Point{Lon: 11, Lat: 56.5}, Through: []string{"nowhere"}})
	if err == nil {
		t.Error("a passage that nobody knows is taken")
	}
}

// TestALimitHoldsAlongACanal asks for ways that begin inside of a canal and lead out of each of its ends.
func TestALimitHoldsAlongACanal(t *testing.T) {
	n, _ := world(t)
	for _, c := range []struct {
		canal, way string
		from, to   geo.Point
	}{
		{"Kiel", "Rendsburg to the fjord", geo.Point{Lon: 9.66, Lat: 54.285}, geo.Point{Lon: 10.2, Lat: 54.45}},
		{"Kiel", "Rendsburg to the Elbe", geo.Point{Lon: 9.66, Lat: 54.285}, geo.Point{Lon: 8.9, Lat: 53.9}},
		{"Suez", "Ismailia to the Mediterranean", geo.Point{Lon: 32.31, Lat: 30.58}, geo.Point{Lon: 32.3, Lat: 32}},
		{"Suez", "the Great Bitter Lake to the Red Sea", geo.Point{Lon: 32.4, Lat: 30.33}, geo.Point{Lon: 32.6, Lat: 29.6}},
		{"Panama", "Gatun to the Pacific", geo.Point{Lon: -79.915, Lat: 9.24}, geo.Point{Lon: -79.5, Lat: 8.5}},
		{"Panama", "Gatun to the Caribbean", geo.Point{Lon: -79.915, Lat: 9.24}, geo.Point{Lon: -79.9, Lat: 9.7}},
	} {
		open, err := n.Find(context.Background(), Query{From: c.from, To: c.to})
		if err != nil || open.Distance > 170_000 || !slices.Contains(open.Passages, c.canal) {
			t.Errorf("%s: %.0f m, through %v, %v", c.way, open.Distance, open.Passages, err)
		}
		_, err = n.Find(context.Background(), Query{From: c.from, To: c.to, Closed: []string{c.canal}})
		if closed := new(Closed); !errors.As(err, &closed) || !slices.Equal(closed.Passages, []string{c.canal}) {
			t.Errorf("%s with the canal closed: %v", c.way, err)
		}
		if _, err = n.Find(context.Background(), Query{From: c.from, To: c.to, Draught: 25}); !errors.Is(err, ErrTooDeep) {
			t.Errorf("%s with a draught of 25 m: %v", c.way, err)
		}
	}
}
