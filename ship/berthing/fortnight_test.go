package berthing_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"maps"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/berthing"
	"quaywatch/ship/portcall"
)

var (
	days = flag.Int("days", 0, "sail so many days anew for TestSimulatedHarbours; 0 reads the fortnight of testdata")
	keep = flag.Bool("keep", false, "write what was sailed to testdata")
)

// sailed is what was found and what is true: the stays, and the berths by their names.
type sailed struct {
	Alongside, Anchored []berthing.BerthStay
	Berths              map[string]*berth
}

// harbours are two simulated harbours, and what is found in the positions of their ships. The simulator has its ships' antennas at the berths;
// here its places are those of the middle of each ship, and what is heard is where its antenna is.
type harbours struct {
	sizes  map[ais.MMSI]ais.Dimensions
	heard  map[ais.MMSI]*heard
	limits ship.Limits
	engine *portcall.Engine
	number ais.MMSI                 // of the ship that the engine works on
	made   map[ais.MMSI][]geo.Point // where the ship was made fast
	came   []berthing.BerthStay     // alongside, of ships that were seen coming
	sailed
}

// heard is what is known of a ship.
type heard struct {
	state    ship.State
	gate     ship.Gate
	follower *portcall.Follower
}

// berth is a true berth: how often ships lay there, and where.
type berth struct {
	Times int
	Ships map[ais.MMSI]bool
	At    geo.Point // the mean
}

func (h *harbours) hear(at time.Time, m ais.Message, _ byte) {
	number := m.Head().MMSI
	switch m := m.(type) {
	case *ais.StaticVoyage:
		h.sizes[number] = m.Dimensions
	case *ais.StaticReport:
		if m.Part == 1 {
			h.sizes[number] = m.Dimensions
		}
	case *ais.PositionReport:
		h.toAntenna(m)
	}
	s := h.heard[number]
	if s == nil {
		s = &heard{}
		h.heard[number] = s
	}
	out := ship.Merge(&s.state, s.gate, &ais.Report{Message: m, Received: at, Sent: at, Feed: "roof"}, &h.limits)
	s.state, s.gate = out.Now, out.Gate
	if out.Change&ship.ChangedFix == 0 {
		return
	}
	if s.follower == nil {
		s.follower = portcall.Begin(ship.Fix{}, 0)
	}
	h.number = number
	h.engine.Step(s.follower, out.Fix)
}

// toAntenna moves a reported place from the middle of the ship to its antenna.
func (h *harbours) toAntenna(m *ais.PositionReport) {
	heading, ok := m.Heading.Degrees()
	d := h.sizes[m.MMSI]
	if !ok || d.Length() == 0 || !m.Place.Known() {
		return
	}
	lon, lat := m.Place.Degrees()
	aft, left := (float64(d.Stern)-float64(d.Bow))/2, (float64(d.Port)-float64(d.Starboard))/2
	p := geo.Destination(geo.Destination(geo.Point{Lon: lon, Lat: lat}, float64(heading), aft), float64(heading)+90, left)
	m.Place = ais.Place{Lon: int32(math.Round(p.Lon * 600000)), Lat: int32(math.Round(p.Lat * 600000))}
}

// called takes the stays of a call that is over.
func (h *harbours) called(c *portcall.Call) {
	if !c.Open() {
		h.take(c)
	}
}

func (h *harbours) take(c *portcall.Call) {
	for _, s := range c.Stays {
		d := h.sizes[h.number]
		stay := berthing.BerthStay{
			MMSI: h.number, Middle: berthing.Middle(geo.Point{Lon: s.Lon, Lat: s.Lat}, s.Heading(), d), Direction: s.Heading(),
			Length: float64(d.Length()), Lasted: s.Last.Since(s.Seen),
		}
		if s.Kind == portcall.Anchored {
			h.Anchored = append(h.Anchored, stay)
			continue
		}
		h.Alongside = append(h.Alongside, stay)
		if s.From != 0 {
			h.came = append(h.came, stay)
		}
	}
}

// tell takes what a ship did.
func (h *harbours) tell(e sim.Truth) {
	if e.Kind != sim.Berthing {
		return
	}
	h.made[e.MMSI] = append(h.made[e.MMSI], geo.Point{Lon: e.Lon, Lat: e.Lat})
	name := e.Port + " " + e.Berth
	b := h.Berths[name]
	if b == nil {
		b = &berth{Ships: map[ais.MMSI]bool{}}
		h.Berths[name] = b
	}
	b.Times++
	b.Ships[e.MMSI] = true
	b.At.Lon += (e.Lon - b.At.Lon) / float64(b.Times)
	b.At.Lat += (e.Lat - b.At.Lat) / float64(b.Times)
}

// sail lets the ships of the harbours around some places sail for a time.
func sail(t *testing.T, ships int, length time.Duration, first geo.Point, second *geo.Point) *harbours {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	harbour := func() *sim.Harbour {
		h, err := sim.New(sim.Options{At: first, Second: second, Seed: 1, Ships: ships, Start: start, Land: land.Land, Crosses: land.LegCrossesLand})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := &harbours{sizes: map[ais.MMSI]ais.Dimensions{}, heard: map[ais.MMSI]*heard{}, limits: ship.DefaultLimits()}
	h.made, h.Berths = map[ais.MMSI][]geo.Point{}, map[string]*berth{}
	list := []*chart.Port{{ID: 1, Name: "FIRST", Position: first, Placed: true, Outer: circle(first, 45_000)}}
	if second != nil {
		list = append(list, &chart.Port{ID: 2, Name: "SECOND", Position: *second, Placed: true, Outer: circle(*second, 45_000)})
	}
	h.engine = portcall.NewEngine(portcall.NewPorts(chart.NewPorts(list), nil), h.called)
	sizes := func(_ time.Time, m ais.Message, _ byte) {
		if v, ok := m.(*ais.StaticVoyage); ok {
			h.sizes[v.MMSI] = v.Dimensions
		}
	}
	harbour().Step(start.Add(15*time.Minute), sizes, nil)
	harbour().Step(start.Add(length), h.hear, h.tell)
	for _, number := range slices.Sorted(maps.Keys(h.heard)) {
		if f := h.heard[number].follower; f != nil && f.Call != nil {
			h.number = number
			h.take(f.Call)
		}
	}
	return h
}

// circle is a polygon around a place.
func circle(at geo.Point, metres float64) geo.Polygon {
	ring := make([]geo.Point, 0, 33)
	for i := range 32 {
		ring = append(ring, geo.Destination(at, float64(i)*360/32, metres))
	}
	return geo.Polygon{append(ring, ring[0])}
}

// fortnight returns what was found in 14 days of Copenhagen and Aarhus with 180 ships.
func fortnight(t *testing.T) (s sailed) {
	t.Helper()
	const name = "testdata/fortnight.json.gz"
	if *days > 0 {
		second := sim.DefaultSecond
		s = sail(t, 180, time.Duration(*days)*24*time.Hour, sim.DefaultAt, &second).sailed
		if *keep {
			write(t, name, s)
		}
		return s
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z, err := gzip.NewReader(file)
	if err == nil {
		err = json.NewDecoder(z).Decode(&s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func write(t *testing.T, name string, s sailed) {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if err := errors.Join(json.NewEncoder(z).Encode(s), z.Close(), os.WriteFile(name, packed.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// used is how often a berth was used that must be found.
const used = 10

// TestSimulatedHarbours compares the places that are found with the berths at which the ships were made fast: those of three ships or more,
// which are for everybody, and all of them, as a caller has them that may see every ship.
func TestSimulatedHarbours(t *testing.T) {
	s := fortnight(t)
	everybody := berthing.Alongside(s.Alongside)
	t.Run("three ships", func(t *testing.T) { s.compare(t, everybody, 3, 20) })
	few := berthing.FewAlongside(s.Alongside, everybody)
	t.Run("any ship", func(t *testing.T) { s.compare(t, slices.Concat(everybody, few), 1, 100) })
	t.Run("fewer ships", func(t *testing.T) { s.none(t, few) })
	t.Logf("%d stays at anchor, %d anchorages", len(s.Anchored), len(berthing.Anchorages(s.Anchored)))
}

// compare holds that the berths are found which some ships or more used ten times, and that few places are none.
func (s *sailed) compare(t *testing.T, places []berthing.LyingPlace, ships, least int) {
	var off []float64
	wanted := 0
	for name, b := range s.Berths {
		if b.Times < used || len(b.Ships) < ships {
			continue
		}
		wanted++
		nearest := math.Inf(1)
		for _, p := range places {
			nearest = min(nearest, geo.Distance(p.Middle, b.At))
		}
		if nearest > 25 {
			t.Logf("%s, used %d times by %d ships, is not found: the nearest place is %.0f m off", name, b.Times, len(b.Ships), nearest)
			continue
		}
		off = append(off, nearest)
	}
	if wanted < least || len(off) == 0 {
		t.Fatalf("%d berths were used %d times, %d are found", wanted, used, len(off))
	}
	slices.Sort(off)
	t.Logf("%d stays alongside; of %d berths used %d times %d are found, half within %.1f m, all within %.1f m",
		len(s.Alongside), wanted, used, len(off), off[len(off)/2], off[len(off)-1])
	if 10*len(off) < 9*wanted {
		t.Errorf("%d of %d berths are found", len(off), wanted)
	}
	s.none(t, places)
}

// none holds that few places lie where there is no berth.
func (s *sailed) none(t *testing.T, places []berthing.LyingPlace) {
	wrong := 0
	for _, p := range places {
		if !slices.ContainsFunc(slices.Collect(maps.Values(s.Berths)), func(b *berth) bool { return geo.Distance(p.Middle, b.At) <= 25 }) {
			t.Logf("no berth lies at %v: %d stays of %d ships, %.0f m", p.Middle, p.Stays, p.Ships, p.Length)
			wrong++
		}
	}
	t.Logf("%d of %d places are none", wrong, len(places))
	if 20*wrong > len(places) {
		t.Errorf("%d of %d places are none", wrong, len(places))
	}
}

// TestStaysTellTheMiddle holds that a stay tells where the middle of the ship was, wherever its antenna is.
func TestStaysTellTheMiddle(t *testing.T) {
	h := sail(t, 60, 10*time.Hour, sim.DefaultAt, nil)
	far := 0
	for _, s := range h.came {
		nearest := math.Inf(1)
		for _, at := range h.made[s.MMSI] {
			nearest = min(nearest, geo.Distance(at, s.Middle))
		}
		if nearest > 15 && s.Lasted >= time.Hour {
			far++
			t.Logf("%d, %.0f m long, is found %.0f m from where it was made fast", s.MMSI, s.Length, nearest)
		}
	}
	if len(h.came) < 20 || far > 0 {
		t.Errorf("%d of %d stays are found elsewhere", far, len(h.came))
	}
}
