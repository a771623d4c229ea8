package route

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route/fairway"
)

func TestManyAskAtOnce(t *testing.T) {
	n, _ := world(t)
	places := joined(t, n)[:12]
	alone := map[[2]int]float64{}
	for i := range places {
		w, _ := n.Find(context.Background(), Query{From: places[i], To: places[0], Closed: arctic})
		alone[[2]int{i, 0}] = w.Distance
	}
	n.asked = newMemory(4)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for i := range places {
				from := (i + 3*g) % len(places)
				w, _ := n.Find(context.Background(), Query{From: places[from], To: places[0], Closed: arctic})
				if w.Distance != alone[[2]int{from, 0}] {
					t.Errorf("%d: %.0f m, alone %.0f", from, w.Distance, alone[[2]int{from, 0}])
				}
			}
		})
	}
	all.Wait()
}

// Fairways are read anew while ways are asked for: each answer is of the old ones or of the new ones.
func TestFairwaysChangeWhileWaysAreAsked(t *testing.T) {
	n := guided(t, drawn([2]string{`"name":"old"`, seine}))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 6 {
			guideBy(t, n, drawn([2]string{`"name":"` + []string{"new", "old"}[i%2] + `"`, seine}))
		}
	}()
	for over := false; !over; {
		select {
		case <-done:
			over = true
		default:
		}
		w, err := n.Find(context.Background(), Query{From: leHavre, To: vernon})
		if err != nil || len(w.Fairways) != 1 || !slices.Contains([]string{"old", "new"}, w.Fairways[0]) {
			t.Fatalf("by %v, %v", w.Fairways, err)
		}
	}
	if w, err := n.Find(context.Background(), Query{From: leHavre, To: vernon}); err != nil || w.Fairways[0] != "old" {
		t.Errorf("by %v, %v", w.Fairways, err)
	}
}

// arctic are the passages that are shut unless a user opens them.
var arctic = []string{"Northeast Passage", "Northwest Passage", "Antarctic"}

// world opens the network, and returns the place of a port.
func world(t testing.TB) (*Network, func(code string) geo.Point) {
	t.Helper()
	c, ports := charts(t)
	n, err := Open(c.Coast())
	if err != nil {
		t.Fatal(err)
	}
	return n, func(code string) geo.Point {
		p, ok := ports.ByLOCODE(code)
		if !ok || !p.Placed {
			t.Fatal(fmt.Sprint("there is no port ", code))
		}
		return p.Position
	}
}

func charts(t testing.TB) (*chart.Chart, *chart.Ports) {
	t.Helper()
	c, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	ports, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	return c, ports
}

// drawn is a file of features, each as properties and a geometry.
func drawn(features ...[2]string) string {
	var all []string
	for _, f := range features {
		all = append(all, fmt.Sprintf(`{"type":"Feature","properties":{%s},"geometry":%s}`, f[0], f[1]))
	}
	return `{"type":"FeatureCollection","features":[` + strings.Join(all, ",") + `]}`
}

// guided returns a network that keeps to fairways.
func guided(t testing.TB, file string) *Network {
	t.Helper()
	n, _ := world(t)
	guideBy(t, n, file)
	return n
}

func guideBy(t testing.TB, n *Network, file string) {
	t.Helper()
	set, err := fairway.Parse([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Guide(set); err != nil {
		t.Fatal(err)
	}
}

// The Seine up to Rouen, which our land lacks.
const seine = `{"type":"LineString","coordinates":[[0.0,49.44],[0.22,49.43],[0.37,49.46],[0.47,49.48],[0.53,49.49],[0.72,49.53],[0.78,49.48],[0.82,49.40],[0.88,49.36],[0.93,49.36],[1.02,49.41],[1.07,49.44],[1.1,49.32],[1.2,49.31],[1.3,49.2],[1.48,49.09]]}`

var (
	leHavre = geo.Point{Lon: -0.2, Lat: 49.5}
	rouen   = geo.Point{Lon: 1.072, Lat: 49.441}
	vernon  = geo.Point{Lon: 1.482, Lat: 49.092} // too far inland for an approach
)

// joined returns the places of the ports that the network joins, in a random order that is the same for each test.
func joined(t testing.TB, n *Network) (places []geo.Point) {
	t.Helper()
	_, ports := charts(t)
	for _, p := range ports.All() {
		if _, ok := n.file.ApproachAt(p.Position); ok && p.Placed {
			places = append(places, p.Position)
		}
	}
	if len(places) < 1200 {
		t.Fatalf("only %d ports are joined", len(places))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	return places
}
