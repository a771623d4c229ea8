package tracking

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/registry/portfile"
	"quaywatch/ship"
	"quaywatch/ship/destination"
	"quaywatch/ship/portcall"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/voyage"
)

var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// box is a service without its interface: a store, a picture, calls and tracks.
type box struct {
	t       testing.TB
	dir     string
	db      *store.DB
	picture *traffic.Picture
	voyages *voyage.Voyages
	tracks  *Tracks
	ports   *chart.Ports
	network *route.Network
	count   uint64
	ticked  time.Time
	end     func() // of the store's work
}

func newBox(t testing.TB, ports []*chart.Port) *box {
	t.Helper()
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	network, err := route.Open(land.Coast())
	if err != nil {
		t.Fatal(err)
	}
	b := &box{t: t, dir: t.TempDir(), ports: chart.NewPorts(ports), network: network}
	b.open()
	t.Cleanup(func() { b.end(); _ = b.db.Close() })
	return b
}

func (b *box) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(store.Options{Dir: b.dir}); err != nil {
		b.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	go func() { defer close(over); _ = b.db.Run(ctx) }()
	b.end = func() { cancel(); <-over }
	b.picture = traffic.New(traffic.DefaultConfig())
	b.picture.Restore(b.db.States())
	ports := func() *chart.Ports { return b.ports }
	told := func(c *voyage.Call) { b.tracks.Called(c) }
	if b.voyages, err = voyage.Open(voyage.Config{DB: b.db, Ports: ports, Told: told}); err != nil {
		b.t.Fatal(err)
	}
	c := Config{DB: b.db, Ports: ports, Find: b.network.Find, Calls: b.voyages.Calls, Said: b.voyages.Said}
	c.Ship = func(m ais.MMSI) (ship.State, bool) {
		if s, ok := b.picture.Ship(m); ok {
			return s, true
		}
		s, err := b.db.Ship(m)
		return s, err == nil
	}
	if b.tracks, err = Open(c); err != nil {
		b.t.Fatal(err)
	}
	b.settle()
}

// settle does what the service does once a second.
func (b *box) settle() {
	b.voyages.Save()
	b.tracks.Seek(context.Background())
	b.tracks.Read(context.Background())
	b.tracks.tellCalls(context.Background())
	b.tracks.Save()
}

// restart opens the store again. After a kill what was not stored is lost.
func (b *box) restart(kill bool) {
	b.t.Helper()
	if !kill {
		b.voyages.Stop()
		b.tracks.Stop()
	}
	b.end()
	if err := b.db.Close(); err != nil {
		b.t.Fatal(err)
	}
	b.open()
}

// hear takes one message.
func (b *box) hear(at time.Time, m ais.Message) {
	b.count++ // no message is a duplicate
	observers := []traffic.Observer{b.db, b.voyages, b.tracks}
	if second := at.Truncate(time.Second); second.After(b.ticked) {
		b.ticked = second
		b.picture.Tick(second, observers...)
	}
	b.picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Received: at, Sent: at, Feed: "roof", Hash: b.count}}}, observers...)
}

// start begins a track of a ship to a port.
func (b *box) start(m ais.MMSI, port uint64, at time.Time) int64 {
	b.t.Helper()
	s, ok := b.picture.Ship(m)
	if !ok {
		b.t.Fatalf("%d is not heard", m)
	}
	id, _, err := b.tracks.Start(Request{Source: End{Ship: m}, Destination: End{Port: port}, State: &s, At: at}, nothing)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// nothing is written beside a track.
func nothing(int64) store.Change { return func(*store.Batch) error { return nil } }

// simulatedPorts gives the ports of the two harbours of the demo.
func simulatedPorts(t testing.TB, h *sim.Harbour) (ports []*chart.Port) {
	t.Helper()
	var text bytes.Buffer
	if err := h.WritePorts(&text); err != nil {
		t.Fatal(err)
	}
	rows, refused, err := portfile.Read(portfile.File{Name: "ports.json", Text: text.String()})
	if err != nil || len(refused) > 0 {
		t.Fatal(err, refused)
	}
	for i, r := range rows {
		ports = append(ports, &chart.Port{ID: uint64(i + 1), LOCODE: r.Ref, Name: r.Ref, Position: *r.Position, Placed: true,
			Outer: r.Outer, Inner: r.Inner, Berths: r.Berths})
	}
	return ports
}

// goodness counts how good ETAs were so long before the arrivals.
type goodness struct {
	signed, errors []float64 // minutes by which the ship came after its ETA, and either way
	shares         []float64 // of what was still to sail
	held, of       int       // arrivals in the interval
	basis          map[Basis]int
}

func (g *goodness) take(e Estimate, arrived portcall.Millis) {
	late := arrived.Since(e.ETA)
	g.signed = append(g.signed, late.Minutes())
	g.errors = append(g.errors, math.Abs(late.Minutes()))
	g.shares = append(g.shares, math.Abs(late.Seconds())/arrived.Since(e.At).Seconds())
	if g.of++; e.Low <= arrived && arrived <= e.High {
		g.held++
	}
	if g.basis == nil {
		g.basis = map[Basis]int{}
	}
	g.basis[e.Basis]++
}

func (g *goodness) String() string {
	return fmt.Sprintf("%d, median error %.1f min (%+.1f), %.1f %% of the time, %.0f %% in the interval, %v", g.of,
		median(g.errors), median(g.signed), 100*median(g.shares),
		100*float64(g.held)/float64(g.of), g.basis)
}

func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	if len(list) == 0 {
		return math.NaN()
	}
	return list[len(list)/2]
}

// TestETAOfSimulatedVoyages tracks each merchant ship that leaves one harbour for the other, and compares its ETAs with when it was made fast. ETA_DAYS
// makes it longer: the figures of docs/voyage.md are those of seven days.
func TestETAOfSimulatedVoyages(t *testing.T) {
	if raceDetector {
		t.Skip("one goroutine works here, and it takes minutes with -race: make test runs it without")
	}
	days := 3
	if n, err := strconv.Atoi(os.Getenv("ETA_DAYS")); err == nil {
		days = n
	}
	land, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	h, err := sim.New(sim.Options{At: sim.DefaultAt, Second: &sim.DefaultSecond, Seed: 3, Start: begin, Land: land.Land, Crosses: land.LegCrossesLand})
	if err != nil {
		t.Fatal(err)
	}
	ports := simulatedPorts(t, h)
	id := map[string]uint64{}
	for _, p := range ports {
		id[p.LOCODE] = p.ID
	}
	other := map[string]uint64{"DKCPH": id["DKAAR"], "DKAAR": id["DKCPH"]}
	b := newBox(t, ports)
	all, err := chart.LoadPorts()
	if err != nil {
		t.Fatal(err)
	}
	current := destination.NewCurrent(func() *chart.Ports { return all })
	bound := func(destination string) uint64 {
		if port := current.Port(destination); port != nil {
			return id[port.LOCODE]
		}
		return 0
	}
	tracked, finished, minute := map[int64]bool{}, map[int64]Track{}, 0
	var departed []sim.Truth
	h.Step(begin.Add(time.Duration(days)*24*time.Hour), func(at time.Time, m ais.Message, _ byte) {
		if now := int(at.Sub(begin) / time.Minute); now > minute {
			minute = now
			for _, d := range departed {
				s, _ := b.picture.Ship(d.MMSI)
				merchant := s.HasFix && s.Static != nil && s.Static.Type >= 60 && s.Static.Type < 90
				if merchant && other[d.Port] != 0 && s.Voyage != nil && bound(s.Voyage.Destination) == other[d.Port] {
					tracked[b.start(d.MMSI, other[d.Port], at)] = true
				}
			}
			departed = departed[:0]
			b.settle()
			for n := range tracked {
				if one, err := b.tracks.Get(n); err == nil && one.Visits[1].ATA != 0 {
					finished[n] = one
				}
			}
		}
		b.hear(at, m)
	}, func(e sim.Truth) {
		if e.Kind == sim.Departure {
			departed = append(departed, e)
		}
	})
	sailing := map[int]*goodness{1: {}, 3: {}, 6: {}} // without ships at anchor before the port
	good := map[int]*goodness{1: {}, 3: {}, 6: {}}
	for n, one := range finished {
		for _, e := range one.History {
			if e.ETA != 0 && e.ETA < e.At {
				t.Errorf("track %d: the ETA %v lies before its report at %v", n, e.ETA.Time(), e.At.Time())
			}
		}
		for hours, g := range good {
			for _, e := range slices.Backward(one.History) {
				if left := one.Visits[1].ATA.Since(e.At); left >= time.Duration(hours)*time.Hour && e.Status.sailing() {
					if left < time.Duration(hours)*time.Hour+20*time.Minute {
						g.take(e, one.Visits[1].ATA)
						if e.Status != Approaching || e.Distance > 3*1852 {
							sailing[hours].take(e, one.Visits[1].ATA)
						}
					}
					break
				}
			}
		}
	}
	t.Logf("%d tracks, %d arrived", len(tracked), len(finished))
	for _, hours := range []int{1, 3, 6} {
		g := good[hours]
		t.Logf("%d h before: %v", hours, g)
		if share := float64(g.held) / float64(g.of); g.of < 50 || share < 0.75 || share > 0.9 {
			t.Errorf("%d h before: the interval held %d of %d arrivals, want 75 to 90 %% of 50 at least", hours, g.held, g.of)
		}
		if hours == 1 && median(g.errors) > 10 || hours > 1 && median(g.shares) > 0.05 {
			t.Errorf("%d h before: ETAs are too far off", hours)
		}
		t.Logf("%d h before, not at anchor: %v", hours, sailing[hours])
	}
}
