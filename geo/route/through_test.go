//go:build !race

package route

import (
	"context"
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
