//go:build !race

package route

import (
	"context"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/queue"
	"quaywatch/geo/route/sea"
)

// pairs is how many pairs of ports the tests of properties ask for: go test ./geo/route -args -pairs 1000
var pairs = flag.Int("pairs", 60, "pairs of ports that properties are tested with")

// find asks for a way with the Arctic closed.
func find(t testing.TB, n *Network, from, to geo.Point, closed ...string) Way {
	t.Helper()
	w, err := n.Find(context.Background(), Query{From: from, To: to, Closed: slices.Concat(closed, arctic)})
	if err != nil {
		t.Fatalf("from %v to %v: %v", from, to, err)
	}
	return w
}

// checkWay tests each leg against the chart by a second routine, and that the way begins and ends where it was asked for.
func checkWay(t *testing.T, c *chart.Chart, w Way, from, to geo.Point) {
	t.Helper()
	if w.Points[0] != from || w.Points[len(w.Points)-1] != to {
		t.Errorf("the way from %v to %v leads from %v to %v", from, to, w.Points[0], w.Points[len(w.Points)-1])
	}
	if direct := geo.Distance(from, to); w.Distance < 0.9999*direct {
		t.Errorf("from %v to %v: %.0f m is shorter than the direct way, %.0f", from, to, w.Distance, direct)
	}
	for i := 1; i < len(w.Points); i++ {
		if !w.fixed[i-1] && overLand(c, w.Points[i-1], w.Points[i]) {
			t.Errorf("from %v to %v: the leg from %v to %v crosses land", from, to, w.Points[i-1], w.Points[i])
		}
	}
}

// overLand walks a leg in steps of 2 km and asks the chart of each, without the field that the search relies on.
func overLand(c *chart.Chart, a, b geo.Point) bool {
	u, v := sea.At(a), sea.At(b)
	n := u.Cross(v)
	angle := math.Atan2(math.Sqrt(n.Dot(n)), u.Dot(v))
	steps := math.Ceil(angle * sea.Radius / 2)
	last := a
	for i := 1.0; i <= steps; i++ {
		next := sea.UnitVector{}.Plus(math.Sin((1-i/steps)*angle), u).Plus(math.Sin(i/steps*angle), v).Point()
		if i == steps {
			next = b
		}
		if c.LegCrossesLand(last, next) {
			return true
		}
		last = next
	}
	return false
}

func TestNoLegCrossesLand(t *testing.T) {
	n, _ := world(t)
	c, _ := charts(t)
	places := joined(t, n)
	for i := range *pairs {
		from, to := places[i%len(places)], places[(7*i+1)%len(places)]
		if from == to {
			continue
		}
		w, err := n.Find(context.Background(), Query{From: from, To: to, Closed: arctic})
		if errors.Is(err, ErrNoRoute) && (enclosed(from) || enclosed(to)) {
			continue
		}
		if err != nil {
			t.Errorf("from %v to %v: %v", from, to, err)
			continue
		}
		checkWay(t, c, w, from, to)
	}
}

// enclosed tells the waters that no way leads out of: the Caspian and Lake Victoria.
func enclosed(p geo.Point) bool {
	return p.Lon > 46 && p.Lon < 55 && p.Lat > 36 && p.Lat < 48 || p.Lon > 31 && p.Lon < 35 && p.Lat > -3.5 && p.Lat < 1
}

// waterPoint returns a place in open water, anywhere but near the poles.
func waterPoint(c *chart.Chart, r *rand.Rand) geo.Point {
	for {
		p := geo.Point{Lon: r.Float64()*360 - 180, Lat: math.Asin(r.Float64()*1.8-0.9) * 180 / math.Pi}
		open := !c.Land(p) && !enclosed(p) && p.Lat > -60 && p.Lat < 66
		for bearing := 0.0; bearing < 360 && open; bearing += 45 {
			open = !c.Land(geo.Destination(p, bearing, 20_000))
		}
		if open {
			return p
		}
	}
}

func TestWaysBetweenPlacesAtSea(t *testing.T) {
	n, _ := world(t)
	c, _ := charts(t)
	r := rand.New(rand.NewPCG(3, 4))
	for range *pairs / 2 {
		from, to := waterPoint(c, r), waterPoint(c, r)
		w, err := n.Find(context.Background(), Query{From: from, To: to, Closed: arctic})
		if err != nil {
			t.Errorf("from %v to %v: %v", from, to, err)
			continue
		}
		checkWay(t, c, w, from, to)
		if w.SnapFrom != 0 || w.SnapTo != 0 {
			t.Errorf("from %v to %v: %.0f and %.0f m on land", from, to, w.SnapFrom, w.SnapTo)
		}
	}
}

func TestThereAndBackIsOneWay(t *testing.T) {
	n, _ := world(t)
	places := joined(t, n)
	for i := range *pairs / 4 {
		from, to := places[i], places[i+len(places)/2]
		if enclosed(from) || enclosed(to) {
			continue
		}
		there := find(t, n, from, to)
		n.asked = newMemory(8) // so that the way back is looked for
		back := find(t, n, to, from)
		slices.Reverse(back.Points)
		if !slices.Equal(there.Points, back.Points) || math.Abs(there.Distance-back.Distance) > 0.01 || there.SnapFrom != back.SnapTo {
			t.Errorf("from %v to %v: %.0f m, and %.0f back", from, to, there.Distance, back.Distance)
		}
	}
}

func TestNoDetourIsShorter(t *testing.T) {
	n, _ := world(t)
	places := joined(t, n)
	for i := range *pairs / 4 {
		a, b, c := places[i], places[i+300], places[i+600]
		if enclosed(a) || enclosed(b) || enclosed(c) {
			continue
		}
		direct, over := find(t, n, a, c).Distance, find(t, n, a, b).Distance+find(t, n, b, c).Distance
		if direct > 1.005*over {
			t.Errorf("from %v to %v: %.0f m, by %v %.0f m", a, c, direct, b, over)
		}
	}
}

// The quick search finds what Dijkstra's finds, without landmarks, reaches and bounds.
func TestSearchFindsTheShortestWay(t *testing.T) {
	n, _ := world(t)
	places := joined(t, n)
	s := newSearch(n.file.Vertices())
	longer, asked := 0, 0
	for i := range max(*pairs/10, 3) {
		root := places[i]
		km := n.dijkstra(n.port(t, root).vertex)
		for j := range 10 {
			to := n.port(t, places[(i+37*j+100)%len(places)])
			path, err := s.find(context.Background(), n, n.port(t, root), to, limits{closed: n.usualClosed(), quick: true})
			if math.IsInf(km[to.vertex], 1) || path == nil && err == nil {
				continue
			}
			if err != nil {
				t.Fatalf("from %v to %v: %v", root, to.way[0], err)
			}
			asked++
			if got := n.length(path); got > 1.001*km[to.vertex]+0.01 {
				longer++
				t.Logf("from %v to %v: %.1f km, the shortest way has %.1f", root, to.way[0], got, km[to.vertex])
				if got > 1.005*km[to.vertex] {
					t.Errorf("from %v to %v: %.1f km, the shortest way has %.1f", root, to.way[0], got, km[to.vertex])
				}
			}
		}
	}
	t.Logf("%d of %d more than 0.1 %% longer", longer, asked)
	if asked < 20 || 100*longer > asked {
		t.Errorf("%d of %d are more than 0.1 %% longer than the shortest way", longer, asked)
	}
}

// A ship on the open sea sees thousands of vertices, all far off. The quick search from there finds what the other search finds, and there and back are one way.
func TestTheQuickSearchFromTheOpenSea(t *testing.T) {
	n, _ := world(t)
	places, r := joined(t, n), rand.New(rand.NewPCG(7, 8))
	longer, asked := 0, 0
	for asked < max(*pairs/10, 12) {
		from := geo.Point{Lon: 360*r.Float64() - 180, Lat: 100*r.Float64() - 45}
		if !n.water.Afloat(from) {
			continue
		}
		ship, err := n.joinStop(t.Context(), from)
		if err != nil || ship.coastal() {
			continue
		}
		port := n.port(t, places[r.IntN(len(places))])
		there := &pair{from: ship, to: port}
		want, err := n.findWay(t.Context(), there, limits{closed: n.usualClosed()})
		if err != nil {
			continue
		}
		asked++
		for _, p := range []*pair{there, {from: port, to: ship}} {
			got, err := n.findWay(t.Context(), p, limits{closed: n.usualClosed(), quick: true})
			if err != nil {
				t.Fatalf("from %v to %v: %v", from, port.at.Point(), err)
			}
			if got.Distance > 1.005*want.Distance {
				t.Errorf("from %v to %v: %.1f km, the shortest way has %.1f", from, port.at.Point(), got.Distance/1000, want.Distance/1000)
			} else if got.Distance > 1.001*want.Distance {
				longer++
			}
			if first, last := got.Points[0], got.Points[len(got.Points)-1]; first != p.from.way[0] || last != p.to.way[0] {
				t.Errorf("from %v to %v: the way leads from %v to %v", p.from.way[0], p.to.way[0], first, last)
			}
		}
	}
	if 50*longer > asked {
		t.Errorf("%d of %d are more than 0.1 %% longer than the shortest way", longer, asked)
	}
}

// port returns a port as an end.
func (n *Network) port(t *testing.T, p geo.Point) *end {
	t.Helper()
	e, err := n.joinStop(context.Background(), p)
	if err != nil || !e.port {
		t.Fatalf("%v: %v", p, err)
	}
	return e
}

// dijkstra returns the lengths of the shortest ways from a vertex, without passages that are closed to most ships.
func (n *Network) dijkstra(root uint32) []float64 {
	km := make([]float64, n.file.Vertices())
	for i := range km {
		km[i] = math.Inf(1)
	}
	km[root] = 0
	var waiting queue.Queue[float64, uint32]
	waiting.Push(0, root)
	for len(waiting) > 0 {
		at := waiting.Pop().Value
		first, last := n.file.Row(at)
		for e := first; e < last; e++ {
			to, _ := n.file.Half(e)
			if n.file.Gates(e)&n.usualClosed() != 0 {
				continue
			}
			if far := km[at] + sea.Km(n.file.At(at), n.file.At(to)); far < km[to] {
				km[to] = far
				waiting.Push(far, to)
			}
		}
	}
	return km
}

func (n *Network) length(path []uint32) (km float64) {
	for i := 1; i < len(path); i++ {
		km += sea.Km(n.file.At(path[i-1]), n.file.At(path[i]))
	}
	return km
}

func TestAClosedPassageLeadsRound(t *testing.T) {
	n, at := world(t)
	c, _ := charts(t)
	for _, x := range []struct {
		from, to, closed string
		least, most      float64 // nautical miles, of the way round
	}{
		{"NLRTM", "SGSIN", "Suez", 11600, 11900}, {"USNYC", "USSFO", "Panama", 12900, 13400}, {"PLGDN", "DEHAM", "Kiel", 700, 760},
		{"YEADE", "SAJED", "Bab-el-Mandeb", 10000, 14000}, {"NLRTM", "ITGOA", "Gibraltar", 11000, 14500}, {"DEHAM", "NLAMS", "North Sea Canal", 230, 320},
		{"JPYOK", "NLRTM", "Malacca", 11000, 12500},
	} {
		open, round := find(t, n, at(x.from), at(x.to)), find(t, n, at(x.from), at(x.to), x.closed)
		if !slices.Contains(open.Passages, x.closed) && x.closed != "North Sea Canal" || slices.Contains(round.Passages, x.closed) {
			t.Errorf("%s to %s: through %v, with %s closed through %v", x.from, x.to, open.Passages, x.closed, round.Passages)
		}
		if nm := round.Distance / 1852; nm < x.least || nm > x.most || round.Distance < open.Distance && x.closed != "North Sea Canal" {
			t.Errorf("%s to %s without %s: %.0f nm, with it %.0f", x.from, x.to, x.closed, nm, open.Distance/1852)
		}
		checkWay(t, c, round, at(x.from), at(x.to))
	}
	open, err := n.Find(context.Background(), Query{From: at("NLRTM"), To: at("JPYOK")})
	if err != nil || !slices.Contains(open.Passages, "Bering") || open.Distance > 8000*1852 {
		t.Errorf("by the Arctic: %v, %.0f nm through %v", err, open.Distance/1852, open.Passages)
	}
	_, err = n.Find(context.Background(), Query{From: at("TRIST"), To: at("UAODS"), Closed: []string{"bosphorus"}})
	if !errors.Is(err, ErrNoRoute) {
		t.Errorf("to the Black Sea without the Bosporus: %v", err)
	}
	_, err = n.Find(context.Background(), Query{From: at("TRIST"), To: at("UAODS"), Closed: []string{"Styx"}})
	if unknown := new(UnknownPassage); !errors.As(err, &unknown) || unknown.Name != "Styx" || !slices.Contains(unknown.Known, "Suez") {
		t.Errorf("the Styx: %v", err)
	}
}

func TestTheDraughtClosesPassages(t *testing.T) {
	n, at := world(t)
	ask := func(from, to string, draught float64) (Way, error) {
		return n.Find(context.Background(), Query{From: at(from), To: at(to), Closed: arctic, Draught: draught})
	}
	for _, x := range []struct {
		from, to string
		draught  float64
		limited  bool
		by       string
		err      error
	}{
		{"SEGOT", "RULED", 14.9, true, "Great Belt", nil}, {"SEGOT", "RULED", 15.1, false, "", ErrTooDeep}, {"DKFRC", "DEFLF", 15.1, false, "", ErrTooDeep},
		{"NLRTM", "SGSIN", 0, false, "Suez", nil}, {"NLRTM", "SGSIN", 15, false, "Suez", nil}, {"NLRTM", "SGSIN", 20.3, true, "", nil},
		{"PLGDN", "DEHAM", 9.4, false, "Kiel", nil}, {"PLGDN", "DEHAM", 9.6, true, "Great Belt", nil}, {"PLGDN", "DEHAM", 7.8, false, "Kiel", nil},
		{"NLRTM", "USNYC", 24, false, "", nil}, {"USMKE", "NLRTM", 12, false, "", ErrTooDeep},
	} {
		w, err := ask(x.from, x.to, x.draught)
		if !errors.Is(err, x.err) || w.DraughtLimited != x.limited || x.by != "" && !slices.Contains(w.Passages, x.by) ||
			x.limited && slices.Contains(w.Passages, "Suez") {
			t.Errorf("%s to %s with %.1f m: limited %v, through %v, error %v", x.from, x.to, x.draught, w.DraughtLimited, w.Passages, err)
		}
	}
}

func TestPlacesOfAllKinds(t *testing.T) {
	n, at := world(t)
	c, _ := charts(t)
	point := func(lon, lat float64) geo.Point { return geo.Point{Lon: lon, Lat: lat} }
	for _, x := range []struct {
		name        string
		from, to    geo.Point
		least, most float64 // nautical miles
		err         error
	}{
		{"over the date line", at("FJSUV"), at("WSAPW"), 600, 680, nil},
		{"over the date line at sea", point(179, 30), point(-179, 30), 103, 105, nil},
		{"both sides of 180°", point(180, 30), point(-180, 31), 59, 61, nil},
		{"Bering", point(-173.2, 64.42), point(-165.4, 64.49), 180, 320, nil},
		{"Svalbard", point(15.55, 78.24), at("NOTOS"), 480, 620, nil},
		{"from the North Pole", point(0, 90), at("NOTOS"), 1200, 1500, nil},
		{"in the Southern Ocean", point(-60, -64), point(100, -62), 3000, 6000, nil},
		{"one place", point(-30, 30), point(-30, 30), 0, 0.001, nil},
		{"one port", at("DKCPH"), at("DKCPH"), 0, 40, nil},
		{"within a harbour", point(10.25, 56.14), point(10.235, 56.15), 0.4, 3, nil},
		{"in the middle of the Suez canal", point(32.32, 30.7), at("EGPSD"), 25, 60, nil},
		{"in the middle of the Kiel canal", point(9.7, 54.33), at("DEKEL"), 10, 35, nil},
		{"deep in the Sognefjord", point(7.10, 61.22), at("NOBGO"), 80, 190, nil},
		{"Madrid", point(-3.7, 40.4), at("NLRTM"), 0, 0, ErrOnLand},
		{"the South Pole", at("NLRTM"), point(0, -90), 0, 0, ErrOnLand},
		{"out of the Caspian", at("AZBAK"), at("NLRTM"), 0, 0, ErrNoRoute},
		{"on the Caspian", at("AZBAK"), point(49.5, 37.5), 100, 260, nil},
		{"up the Great Lakes", at("USMKE"), at("NLRTM"), 3600, 4300, nil},
	} {
		w, err := n.Find(context.Background(), Query{From: x.from, To: x.to, Closed: arctic})
		if nm := w.Distance / 1852; !errors.Is(err, x.err) || err == nil && (nm < x.least || nm > x.most) {
			t.Errorf("%s: %.1f nm, %v, want %.0f to %.0f", x.name, nm, err, x.least, x.most)
		}
		if err == nil && x.name != "both sides of 180°" {
			checkWay(t, c, w, x.from, x.to)
		}
	}
}

// TestWhichStopIsOnLand holds that the error names the stop, whichever end the search began at.
func TestWhichStopIsOnLand(t *testing.T) {
	n, _ := world(t)
	north, south, madrid := geo.Point{Lon: 2, Lat: 56}, geo.Point{Lon: -10, Lat: 40}, geo.Point{Lon: -3.7, Lat: 40.4}
	for want, q := range []Query{
		{From: madrid, To: north, Via: []geo.Point{south}},
		{From: north, Via: []geo.Point{madrid}, To: south},
		{From: south, Via: []geo.Point{north}, To: madrid},
	} {
		_, err := n.Find(context.Background(), q)
		var ashore *OnLand
		if !errors.As(err, &ashore) || ashore.Stop != want || !errors.Is(err, ErrOnLand) {
			t.Errorf("%v, want stop %d", err, want)
		}
	}
}

// The straits that a coarse coast would close are open.
func TestStraitsAreOpen(t *testing.T) {
	n, _ := world(t)
	for _, x := range []struct {
		name                         string
		lon1, lat1, lon2, lat2, most float64 // nautical miles
	}{
		{"Bosporus", 28.95, 40.95, 29.15, 41.3, 28}, {"Dardanelles", 25.9, 40.0, 27.2, 40.5, 80}, {"Øresund", 12.5, 56.2, 12.75, 55.4, 65}, {"Great Belt", 10.9, 55.7, 10.9, 55.0, 60},
		{"Little Belt", 9.85, 55.6, 9.8, 55.1, 50}, {"Messina", 15.7, 38.35, 15.5, 37.9, 35}, {"Bonifacio", 8.8, 41.3, 9.6, 41.3, 45}, {"Euripos", 23.3, 38.65, 23.8, 38.3, 45},
		{"Kerch", 36.6, 44.9, 36.8, 45.6, 55}, {"Kalmarsund", 16.3, 56.2, 16.9, 57.3, 80}, {"Hormuz", 55.8, 26.3, 56.8, 25.9, 75}, {"Bab-el-Mandeb", 42.9, 13.2, 43.8, 12.3, 90},
		{"Singapore", 103.2, 1.15, 104.6, 1.3, 95}, {"Sunda", 105.0, -6.3, 106.3, -5.5, 105}, {"Torres", 141.5, -10.5, 143.2, -10.6, 130}, {"Magellan", -68.0, -52.6, -75.0, -52.7, 330},
		{"Beagle", -66.5, -55.0, -70.0, -54.9, 145}, {"Kanmon", 130.7, 34.05, 131.15, 33.9, 40}, {"Tsugaru", 139.8, 41.2, 141.6, 41.6, 95}, {"San Bernardino", 124.6, 12.9, 123.9, 12.4, 60},
		{"Surigao", 125.9, 10.3, 125.1, 9.8, 75}, {"Cook", 174.0, -40.5, 174.9, -41.6, 85}, {"Seymour", -125.1, 49.9, -125.6, 50.4, 50}, {"Solent", -1.9, 50.6, -0.9, 50.7, 45},
	} {
		w := find(t, n, geo.Point{Lon: x.lon1, Lat: x.lat1}, geo.Point{Lon: x.lon2, Lat: x.lat2})
		if nm := w.Distance / 1852; nm > x.most {
			t.Errorf("%s: %.0f nm, want at most %.0f", x.name, nm, x.most)
		}
	}
}

func TestAWayPassesItsPlaces(t *testing.T) {
	n, at := world(t)
	over := geo.Point{Lon: -30, Lat: 30}
	w, err := n.Find(context.Background(), Query{From: at("NLRTM"), Via: []geo.Point{over, at("PTLIS")}, To: at("GIGIB"), Closed: arctic})
	if err != nil {
		t.Fatal(err)
	}
	i, j := slices.Index(w.Points, over), slices.Index(w.Points, at("PTLIS"))
	if i < 1 || j <= i || j >= len(w.Points)-1 || len(w.fixed) != len(w.Points)-1 || w.Distance < find(t, n, at("NLRTM"), at("GIGIB")).Distance {
		t.Errorf("the way passes its places as points %d and %d of %d", i, j, len(w.Points))
	}
}

// TestAWayToTheSamePlaceIsNone holds that nobody is sent out to sea and back, also where a waypoint is the stop before.
func TestAWayToTheSamePlaceIsNone(t *testing.T) {
	n, at := world(t)
	for _, p := range []geo.Point{at("DKCPH"), at("NLRTM"), {Lon: 11.2, Lat: 56.6}} {
		if w := find(t, n, p, p); w.Distance != 0 || len(w.Points) != 1 || w.SnapFrom != 0 || w.SnapTo != 0 {
			t.Errorf("from %v to itself: %+v", p, w)
		}
	}
	cph, aar := at("DKCPH"), at("DKAAR")
	w, err := n.Find(context.Background(), Query{From: cph, Via: []geo.Point{cph, aar, aar}, To: aar, Closed: arctic})
	if plain := find(t, n, cph, aar); err != nil || !slices.Equal(w.Points, plain.Points) || len(w.fixed) != len(plain.fixed) || w.Distance != plain.Distance {
		t.Errorf("%v, %.0f m over %d points, plain %.0f m over %d", err, w.Distance, len(w.Points), plain.Distance, len(plain.Points))
	}
	if _, err := n.Find(context.Background(), Query{From: geo.Point{Lon: 21, Lat: 52}, To: geo.Point{Lon: 21, Lat: 52}}); !errors.Is(err, ErrOnLand) {
		t.Errorf("on land: %v", err)
	}
}

func TestASearchEndsWithItsContext(t *testing.T) {
	n, at := world(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := n.Find(ctx, Query{From: at("NLRTM"), To: at("SGSIN"), Closed: []string{"Suez"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

// A way that was asked for is remembered, and the memory is bounded.
func TestTheMemoryIsBounded(t *testing.T) {
	m := newMemory(3)
	for i := range 10 {
		q := question{from: geo.Point{Lon: float64(i)}}
		m.putWay(q, &Way{Distance: float64(i)}, 0)
		m.putWay(q, &Way{Distance: -1}, 0)
		if w, _, ok := m.get(q); !ok || w.Distance != float64(i) {
			t.Fatalf("%d: %v %v", i, w, ok)
		}
	}
	if len(m.ways) != 3 {
		t.Errorf("%d ways are remembered", len(m.ways))
	}
	q := question{from: geo.Point{Lon: 20}}
	_, round, _ := m.get(q)
	m.clearWays()
	if m.putWay(q, &Way{}, round); len(m.ways) > 0 {
		t.Error("a way that was found before all was forgotten is remembered")
	}
}

// The network is used in place.
func TestOpenTakesNoHeap(t *testing.T) {
	c, _ := charts(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Open(c.Coast()); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 256<<10 {
		t.Errorf("Open allocates %d bytes", bytes)
	}
}

// Each port is joined, or lies far from the sea in our chart.
func TestPortsAreJoined(t *testing.T) {
	n, at := world(t)
	for _, code := range []string{"DEHAM", "NLRTM", "BEANR", "DKCPH", "NOOSL", "DEBRE", "PLSZZ", "USNYC", "CAMTR", "SEGOT", "FIHEL", "GBLON", "USHOU"} {
		a, ok := n.file.ApproachAt(at(code))
		t.Logf("%s: %.1f km on land, %d points", code, a.OnLand, len(a.Way))
		if !ok {
			t.Errorf("%s is not joined", code)
		}
	}
}

// BenchmarkFind measures the search, and the search with the drawing, between ports that were not asked for before.
func BenchmarkFind(b *testing.B) {
	n, _ := world(b)
	places := joined(b, n)[:500]
	r := rand.New(rand.NewPCG(5, 6))
	var searched, drawn, again, popped []float64
	for range b.N {
		from, to := places[r.IntN(len(places))], places[r.IntN(len(places))]
		began := time.Now()
		s := n.scratch.Get().(*search)
		a, _ := n.joinStop(b.Context(), from)
		z, _ := n.joinStop(b.Context(), to)
		path, err := s.find(b.Context(), n, a, z, limits{closed: n.usualClosed(), quick: true})
		if err != nil {
			continue
		}
		searched = append(searched, float64(time.Since(began).Microseconds()))
		popped = append(popped, float64(s.popped))
		n.draw(a, z, path, n.usualClosed())
		drawn = append(drawn, float64(time.Since(began).Microseconds()))
		n.scratch.Put(s)
		q := Query{From: from, To: to, Closed: arctic}
		n.Find(b.Context(), q)
		began = time.Now()
		n.Find(b.Context(), q)
		again = append(again, float64(time.Since(began).Nanoseconds())/1000)
	}
	if len(drawn) == 0 {
		b.Fatal("no way was found")
	}
	for unit, list := range map[string][]float64{"search-%s-µs": searched, "drawn-%s-µs": drawn, "again-%s-µs": again, "%s-vertices": popped} {
		slices.Sort(list)
		b.ReportMetric(list[len(list)/2], strings.Replace(unit, "%s", "p50", 1))
		b.ReportMetric(list[len(list)*95/100], strings.Replace(unit, "%s", "p95", 1))
		b.ReportMetric(list[len(list)-1], strings.Replace(unit, "%s", "most", 1))
	}
}

// No way leads south of 60° S but one with an end there: great circles between southern ports lead into the ice.
func TestWaysKeepOutOfTheAntarctic(t *testing.T) {
	n, at := world(t)
	station := geo.Point{Lon: -64.2, Lat: -64.8} // off Palmer Station
	for _, x := range []struct {
		name     string
		from, to geo.Point
		south    bool
	}{
		{"Buenos Aires to Fremantle", at("ARBUE"), at("AUFRE"), false}, {"Wellington to Durban", at("NZWLG"), at("ZADUR"), false},
		{"Punta Arenas to Wellington", at("CLPUQ"), at("NZWLG"), false}, {"Ushuaia to a station", at("ARUSH"), station, true}, {"a station to Hobart", station, at("AUHBA"), true},
	} {
		w := find(t, n, x.from, x.to)
		south := 0.0
		for _, p := range w.Line(20) {
			south = min(south, p.Lat)
		}
		if (south < -60) != x.south || slices.Contains(w.Passages, "Antarctic") != x.south {
			t.Errorf("%s: south to %.1f, through %v", x.name, south, w.Passages)
		}
	}
}

// A ship of the sea goes round reefs and banks that a boat may cross.
func TestShipsKeepOffTheShallows(t *testing.T) {
	n, at := world(t)
	for _, x := range []struct {
		from, to, shallow string
		nm                float64 // for a ship, at least
	}{
		{"INMAA", "LKCMB", "Palk Strait", 540}, {"USMIA", "BSNAS", "Great Bahama Bank", 170}, {"USTPA", "USMIA", "Florida Keys", 330}, {"AUBNE", "AUSYD", "South Passage", 470},
	} {
		boat, err := n.Find(context.Background(), Query{From: at(x.from), To: at(x.to), Closed: arctic, Draught: 1.5})
		if err != nil {
			t.Fatal(err)
		}
		if unknown := find(t, n, at(x.from), at(x.to)); slices.Contains(unknown.Passages, x.shallow) || unknown.DraughtLimited {
			t.Errorf("%s to %s: a ship of unknown draught goes through %v", x.from, x.to, unknown.Passages)
		}
		ship, err := n.Find(context.Background(), Query{From: at(x.from), To: at(x.to), Closed: arctic, Draught: seagoing})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(boat.Passages, x.shallow) || slices.Contains(ship.Passages, x.shallow) || ship.DraughtLimited || len(ship.Obstacles) > 0 || ship.Distance/1852 < x.nm {
			t.Errorf("%s to %s: a boat goes %.0f nm through %v, a ship %.0f nm through %v", x.from, x.to, boat.Distance/1852, boat.Passages, ship.Distance/1852, ship.Passages)
		}
	}
	if w := find(t, n, at("CAPRR"), at("CAVAN")); w.Distance/1852 > 500 {
		t.Errorf("Prince Rupert to Vancouver: %.0f nm, not through Johnstone Strait", w.Distance/1852)
	}
}

// A ship that is not known to fit goes round small canals. One that is too large for a passage goes round it too, and is told why.
func TestTheSizeClosesPassages(t *testing.T) {
	n, at := world(t)
	for _, x := range []struct {
		from, to string
		ship     Query
		by       string // a passage of the way
		round    string // one that closed a shorter way
		fit      passage.Fit
	}{
		{"GRPIR", "ITVCE", Query{Draught: 5, Length: 90, Beam: 15}, "Corinth", "", passage.Fits},
		{"GRPIR", "ITVCE", Query{Draught: 7}, "", "Corinth", passage.Unsure}, {"GRPIR", "ITVCE", Query{}, "", "Corinth", passage.Unsure},
		{"GRPIR", "ITVCE", Query{Draught: 7, Length: 190, Beam: 28}, "", "Corinth", passage.TooWide}, {"GRPIR", "ITVCE", Query{Draught: 8}, "", "Corinth", passage.TooDeep},
		{"GBGLW", "GBINV", Query{}, "", "Caledonian Canal", passage.Unsure}, {"GBGLW", "GBINV", Query{Draught: 3, Length: 40, Beam: 9}, "Caledonian Canal", "", passage.Fits},
		{"GBGLW", "GBINV", Query{Draught: 3, Length: 50, Beam: 9}, "", "Caledonian Canal", passage.TooLong},
		{"SGSIN", "GBINV", Query{}, "Suez", "Caledonian Canal", passage.Unsure},
		{"PLGDN", "DEHAM", Query{Draught: 8, Beam: 40}, "Øresund", "Kiel", passage.TooWide}, {"PLGDN", "DEHAM", Query{Draught: 8, Air: 45}, "Øresund", "Kiel", passage.TooHigh},
		{"PLGDN", "DEHAM", Query{}, "Kiel", "", passage.Fits}, {"NLRTM", "SGSIN", Query{Length: 399, Beam: 62, Draught: 16}, "Suez", "", passage.Fits},
	} {
		x.ship.From, x.ship.To, x.ship.Closed = at(x.from), at(x.to), arctic
		w, err := n.Find(context.Background(), x.ship)
		if err != nil || x.by != "" && !slices.Contains(w.Passages, x.by) || slices.Contains(w.Passages, x.round) || slices.Contains(w.Passages, "Caledonian Canal") && x.by != "Caledonian Canal" {
			t.Errorf("%s to %s with %+v: through %v, %v", x.from, x.to, x.ship.shipSize(), w.Passages, err)
		}
		i := slices.IndexFunc(w.Obstacles, func(o Obstacle) bool { return o.Passage == x.round })
		if x.round != "" && (i < 0 || w.Obstacles[i].Fit != x.fit || w.DraughtLimited != (x.fit == passage.TooDeep)) || x.round == "" && len(w.Obstacles) > 0 {
			t.Errorf("%s to %s with %+v: obstacles %+v, limited %v", x.from, x.to, x.ship.shipSize(), w.Obstacles, w.DraughtLimited)
		}
	}
	if _, err := n.Find(context.Background(), Query{From: at("USMKE"), To: at("NLRTM"), Closed: arctic, Beam: 30}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a wide ship on the Great Lakes: %v", err)
	}
	if w, err := n.Find(context.Background(), Query{From: at("USMKE"), To: at("NLRTM"), Closed: arctic}); err != nil || !slices.Contains(w.Passages, "Welland") {
		t.Errorf("a ship of unknown size on the Great Lakes: %v", err)
	}
}

// Where closed passages leave no way, or one round half the world, that is said.
func TestNoWayIsAnAnswer(t *testing.T) {
	n, at := world(t)
	tiksi, pevek := geo.Point{Lon: 129.0, Lat: 71.75}, geo.Point{Lon: 170.2, Lat: 69.72}
	ask := func(from, to geo.Point, closed ...string) (Way, error) {
		return n.Find(context.Background(), Query{From: from, To: to, Closed: closed})
	}
	for _, x := range []struct{ from, to geo.Point }{{at("RUMMK"), tiksi}, {tiksi, at("JPYOK")}, {pevek, at("RUMMK")}} {
		_, err := ask(x.from, x.to, arctic...)
		if closed := new(Closed); !errors.As(err, &closed) || !errors.Is(err, ErrNoRoute) || !slices.Equal(closed.Passages, []string{"Northeast Passage"}) {
			t.Errorf("from %v to %v with the Northern Sea Route closed: %v", x.from, x.to, err)
		}
	}
	if w, err := ask(at("RUMMK"), tiksi); err != nil || w.Distance > 2500*1852 || !slices.Contains(w.Passages, "Northeast Passage") {
		t.Errorf("with the Northern Sea Route open: %.0f nm through %v, %v", w.Distance/1852, w.Passages, err)
	}
	if w, err := ask(tiksi, pevek, arctic...); err != nil || w.Distance > 1500*1852 {
		t.Errorf("within the Northern Sea Route: %.0f nm, %v", w.Distance/1852, err)
	}
	_, err := ask(at("AZBAK"), at("NLRTM"), arctic...)
	if closed := new(Closed); !errors.Is(err, ErrNoRoute) || errors.As(err, &closed) {
		t.Errorf("out of the Caspian: %v", err)
	}
	suez, port := geo.Point{Lon: 32.55, Lat: 29.85}, geo.Point{Lon: 32.35, Lat: 31.5} // the ends of the canal
	for _, x := range []struct {
		closed []string
		names  []string
	}{{append([]string{"Suez"}, arctic...), []string{"Suez"}}, {arctic, nil}} {
		w, err := ask(suez, port, x.closed...)
		var names []string
		for _, o := range w.Obstacles {
			names = append(names, o.Passage)
		}
		if err != nil || !slices.Equal(names, x.names) {
			t.Errorf("from end to end of the canal with %v closed: %.0f nm, obstacles %+v, %v", x.closed, w.Distance/1852, w.Obstacles, err)
		}
	}
	if w := find(t, n, at("NLRTM"), at("SGSIN"), "Suez"); len(w.Obstacles) > 0 { // longer, but not beyond measure
		t.Errorf("Rotterdam to Singapore round the Cape: %+v", w.Obstacles)
	}
}
