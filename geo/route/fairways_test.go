//go:build !race

package route

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/geo"
	"quaywatch/geo/route/fairway"
	"quaywatch/geo/route/queue"
)

func TestAWayLeadsUpARiverOnAFairway(t *testing.T) {
	n := guided(t, drawn([2]string{`"name":"Seine","max_draught":10,"max_beam":40,"speed":8`, seine}))
	w, err := n.Find(context.Background(), Query{From: leHavre, To: rouen})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(w.Fairways, []string{"Seine"}) || w.SnapTo > 300 || w.Distance < 100_000 || w.Distance > 125_000 {
		t.Errorf("the way to Rouen takes %v, has %.0f m and ends %.0f m from the water", w.Fairways, w.Distance, w.SnapTo)
	}
	if first, last := w.Points[0], w.Points[len(w.Points)-1]; first != leHavre || last != rouen {
		t.Errorf("the way leads from %v to %v", first, last)
	}
	if slow, fast := w.Time(8), w.Time(16); slow.Round(time.Second) != hours(w.Distance/1852/8) || fast < 7*slow/10 || fast > 9*slow/10 {
		t.Errorf("it takes %v at 8 knots, and %v at 16", slow, fast)
	}
	back, err := n.Find(context.Background(), Query{From: rouen, To: leHavre})
	if err != nil || math.Abs(back.Distance-w.Distance) > 50 {
		t.Errorf("the way back has %.0f m, there %.0f, %v", back.Distance, w.Distance, err)
	}
	for _, c := range []struct {
		q    Query
		want error
	}{
		{Query{Draught: 10, Beam: 40, Length: 300}, nil},
		{Query{Draught: 10.1}, ErrTooDeep},
		{Query{Beam: 41}, ErrTooLarge},
		{Query{Beam: 41, Draught: 11}, ErrTooLarge},
	} {
		c.q.From, c.q.To = leHavre, vernon
		if _, err := n.Find(context.Background(), c.q); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, err, c.want)
		}
	}
}

func hours(h float64) time.Duration {
	return time.Duration(h * float64(time.Hour)).Round(time.Second)
}

// Lanes north of Skagen, in an area down to the coast: ships keep to their own.
const (
	eastbound  = `{"type":"LineString","coordinates":[[10.2,57.76],[10.66,57.80],[11.2,57.70]]}`
	westbound  = `{"type":"LineString","coordinates":[[11.2,57.76],[10.66,57.86],[10.2,57.82]]}`
	skagenArea = `{"type":"Polygon","coordinates":[[[10.2,57.60],[11.2,57.60],[11.2,58.06],[10.2,58.06],[10.2,57.60]]]}`
)

func TestShipsKeepToTheLaneOfTheirCourse(t *testing.T) {
	n := guided(t, drawn([2]string{`"name":"east","one_way":true`, eastbound}, [2]string{`"name":"west","one_way":true`, westbound}, [2]string{``, skagenArea}))
	west, east := geo.Point{Lon: 9.6, Lat: 57.75}, geo.Point{Lon: 11.4, Lat: 57.7}
	for _, c := range []struct {
		from, to geo.Point
		lane     string
	}{{west, east, "east"}, {east, west, "west"}} {
		w, err := n.Find(context.Background(), Query{From: c.from, To: c.to})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.Fairways, []string{c.lane}) {
			t.Errorf("from %v to %v the way takes %v, want %s", c.from, c.to, w.Fairways, c.lane)
		}
		if direct := geo.Distance(c.from, c.to); w.Distance > 1.05*direct {
			t.Errorf("from %v to %v: %.0f m, and %.0f straight", c.from, c.to, w.Distance, direct)
		}
	}
	across, err := n.Find(context.Background(), Query{From: geo.Point{Lon: 10.8, Lat: 58.1}, To: geo.Point{Lon: 10.85, Lat: 57.58}})
	if err != nil || len(across.Fairways) > 0 {
		t.Errorf("a ship that crosses the lanes takes %v, %v", across.Fairways, err)
	}
}

// Where no fairway is near, ways are what they are without.
func TestFairwaysFarAwayChangeNothing(t *testing.T) {
	n, _ := world(t)
	places := joined(t, n)
	type pair struct{ from, to geo.Point }
	var asked []pair
	var before []Way
	for i := range *pairs {
		p := pair{places[i%len(places)], places[(5*i+2)%len(places)]}
		if p.from == p.to {
			continue
		}
		w, err := n.Find(context.Background(), Query{From: p.from, To: p.to, Closed: arctic})
		if err == nil {
			asked, before = append(asked, p), append(before, w)
		}
	}
	guideBy(t, n, drawn([2]string{`"name":"Ross Sea"`, `{"type":"LineString","coordinates":[[-170,-70],[-170,-70.2],[-169.7,-70.3]]}`}))
	for i, p := range asked {
		w, err := n.Find(context.Background(), Query{From: p.from, To: p.to, Closed: arctic})
		if err != nil || !slices.Equal(w.Points, before[i].Points) || w.Distance != before[i].Distance {
			t.Errorf("from %v to %v: %.0f m before, %.0f m with a fairway in the Ross Sea, %v", p.from, p.to, before[i].Distance, w.Distance, err)
		}
	}
	if len(asked) < *pairs/2 {
		t.Errorf("only %d pairs have a way", len(asked))
	}
}

// What a way counts never grows by a fairway, its legs cross no land but where they are fixed, and no fairway is sailed against its direction.
func TestGuidedWaysAreNoLonger(t *testing.T) {
	n := guided(t, drawn([2]string{`"name":"east","one_way":true`, eastbound}, [2]string{`"name":"west","one_way":true`, westbound}, [2]string{``, skagenArea},
		[2]string{`"name":"Seine"`, seine}))
	c, _ := charts(t)
	f, taken := n.fairways.Load(), map[string]int{}
	places := append(joined(t, n), rouen, vernon)
	for i := range *pairs {
		from, to := geo.Point{Lon: 11.2 + 0.05*float64(i%7), Lat: 57.3}, places[len(places)-1-i%40]
		if i%2 == 0 {
			from, to = to, from
		}
		if i == 0 { // the drawn way counted more than the search had found
			from, to = geo.Point{Lon: 9.96684, Lat: 57.58695}, geo.Point{Lon: 11.2, Lat: 57.3}
		}
		closed, err := n.passageSet(arctic)
		if err != nil {
			t.Fatal(err)
		}
		q := question{from: from, to: to, closed: closed | n.flats}
		plain, err := n.unguided(context.Background(), q)
		w, errGuided := f.guided(context.Background(), q, plain, err)
		if errGuided != nil {
			if err == nil {
				t.Errorf("from %v to %v: %v", from, to, errGuided)
			}
			continue
		}
		if counted := f.countedKm(w); counted > f.countedKm(plain)+0.1 {
			t.Errorf("from %v to %v: counts %.1f km, without fairways %.1f", from, to, counted, f.countedKm(plain))
		}
		checkWay(t, c, *w, from, to)
		for _, name := range w.Fairways {
			taken[name]++
		}
		checkDirection(t, f, w)
	}
	t.Logf("%v of %d ways take a fairway", taken, *pairs)
	if len(taken) < 3 {
		t.Errorf("only %v were taken", taken)
	}
}

// checkDirection looks for legs of a way that lead against a fairway.
func checkDirection(t *testing.T, f *fairways, w *Way) {
	t.Helper()
	for i, fixed := range w.fixed {
		for _, l := range f.legs {
			a, b := w.Points[i], w.Points[i+1]
			if fixed && f.lines[l.Line].OneWay && geo.Distance(a, f.points[l.To]) < 1 && geo.Distance(b, f.points[l.From]) < 1 {
				t.Errorf("the leg from %v to %v leads against %s", a, b, f.lines[l.Line].Name)
			}
		}
	}
}

func TestTwoBerthsOnOneLegOfAFairway(t *testing.T) {
	n := guided(t, drawn([2]string{`"name":"Seine","one_way":true`, seine}))
	a, b := geo.Point{Lon: 1.22, Lat: 49.29}, geo.Point{Lon: 1.27, Lat: 49.235}
	w, err := n.Find(context.Background(), Query{From: a, To: b})
	if direct := geo.Distance(a, b); err != nil || w.Distance > direct+2000 || len(w.Fairways) != 1 {
		t.Errorf("along one leg: %.0f m, straight %.0f, by %v, %v", w.Distance, direct, w.Fairways, err)
	}
	if _, err := n.Find(context.Background(), Query{From: b, To: a}); !errors.Is(err, ErrOnLand) {
		t.Errorf("against the direction of a river: %v", err)
	}
}

func TestFairwaysThatNothingLeadsTo(t *testing.T) {
	n, _ := world(t)
	set, err := fairway.Parse([]byte(drawn([2]string{`"name":"Loire"`, `{"type":"LineString","coordinates":[[2,47],[2.1,47]]}`})))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Guide(set); err == nil || !strings.Contains(err.Error(), `"Loire"`) || !strings.Contains(err.Error(), "2.1, 47") {
		t.Errorf("a fairway inland: %v", err)
	}
	if n.fairways.Load() != nil {
		t.Error("a fairway that nothing leads to is used")
	}
}

// Learned water, and fairways that were taken back, are asked anew.
func TestFairwaysAreTakenBack(t *testing.T) {
	n := guided(t, drawn([2]string{`"name":"Seine"`, seine}))
	for _, c := range []struct {
		change func()
		want   int
	}{{func() {}, 1}, {func() { n.Learn(nil) }, 1}, {func() { n.Guide(nil) }, 0}} {
		c.change()
		w, err := n.Find(context.Background(), Query{From: leHavre, To: rouen})
		if err != nil || len(w.Fairways) != c.want {
			t.Errorf("the way takes %v, want %d fairways, %v", w.Fairways, c.want, err)
		}
	}
}

// The guided search gives what a search in all directions gives.
func TestTheGuidedSearchFindsTheShortest(t *testing.T) {
	n := guided(t, drawn([2]string{`"name":"east","one_way":true`, eastbound}, [2]string{`"name":"west","one_way":true`, westbound}, [2]string{``, skagenArea}))
	f := n.fairways.Load()
	found := 0
	for i := range 12 {
		from, to := geo.Point{Lon: 8.5 + 0.2*float64(i), Lat: 57.9}, geo.Point{Lon: 11.2, Lat: 57.2 - 0.05*float64(i)}
		if i%2 == 0 {
			from, to = to, from
		}
		q := question{from: from, to: to}
		open, _ := f.passable(q.size)
		want := everyWay(t, f, q, open)
		w, err := f.shortest(context.Background(), q, open, nil)
		if err != nil || w == nil {
			t.Fatal(w, err)
		}
		if counted := f.countedKm(w); counted > want+0.05 { // drawing it straight makes it shorter, never longer
			t.Errorf("from %v to %v: counts %.3f km, the shortest %.3f", from, to, counted, want)
		}
		found += len(w.Fairways)
	}
	if found < 6 {
		t.Errorf("the ways take %d fairways", found)
	}
}

// everyWay returns what the shortest way counts by Dijkstra's search, which knows no goal.
func everyWay(t *testing.T, f *fairways, q question, open []bool) float64 {
	t.Helper()
	var ends [2]*end
	for i, p := range []geo.Point{q.from, q.to} {
		e, err := f.n.joinStop(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		ends[i] = e
	}
	g := &guide{f: f}
	km := map[uint32]float64{}
	var todo queue.Queue[float64, uint32]
	offer := func(v uint32, far float64) {
		if known, ok := km[v]; far < 400 && (!ok || far < known) {
			km[v] = far
			todo.Push(far, v)
		}
	}
	for _, a := range f.accesses(q.from, ends[0], open, true) {
		if g.isClearAccess(&a) {
			offer(a.vertex, a.km)
		}
	}
	for len(todo) > 0 {
		v := todo.Pop().Value
		at := f.placeOf(v)
		if v < f.first {
			n := f.n
			n.halves(v, 0, func(to uint32) { offer(to, km[v]+f.weighLeg(at, f.placeOf(to))) })
			for _, l := range f.in[v] {
				offer(l.to, km[v]+l.km)
			}
			continue
		}
		for _, l := range f.out[v-f.first] {
			offer(l.to, km[v]+l.km)
		}
	}
	least := math.Inf(1)
	for _, a := range f.accesses(q.to, ends[1], open, false) {
		if far, ok := km[a.vertex]; ok && far+a.km < least && g.isClearAccess(&a) {
			least = far + a.km
		}
	}
	return least
}

// BenchmarkGuided asks for ways between a port with fairways and others.
func BenchmarkGuided(b *testing.B) {
	n := guided(b, drawn([2]string{`"name":"east","one_way":true`, eastbound}, [2]string{`"name":"west","one_way":true`, westbound}, [2]string{``, skagenArea}))
	places := joined(b, n)
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		from := geo.Point{Lon: 10.9 + 0.0001*float64(i%997), Lat: 57.5}
		began := time.Now()
		if _, err := n.Find(context.Background(), Query{From: from, To: places[i%len(places)], Closed: arctic}); err != nil && !errors.Is(err, ErrNoRoute) {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
}
