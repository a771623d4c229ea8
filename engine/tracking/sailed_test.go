package tracking

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/engine/portcalls"
	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/traffic"
	"quaywatch/users/registry/portfile"
)

var begin = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// box is a service without its interface: a store, a picture, calls and tracks.
type box struct {
	t       testing.TB
	dir     string
	db      *store.DB
	picture *traffic.Picture
	voyages *portcalls.Calls
	tracks  *TrackedShips
	ports   *chart.Ports
	network *route.Network
	count   uint64
	ticked  time.Time
	end     func() // of the store's work
	log     bytes.Buffer
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
	told := func(c *portcalls.KeptCall) { b.tracks.Called(c) }
	if b.voyages, err = portcalls.Open(portcalls.Config{DB: b.db, Ports: ports, Told: told}); err != nil {
		b.t.Fatal(err)
	}
	c := Config{DB: b.db, Ports: ports, Find: b.network.Find, Calls: b.voyages.OfShip, Said: b.voyages.Said, Log: slog.New(slog.NewTextHandler(&b.log, nil))}
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
	id, _, err := b.tracks.Start(NewTrack{Source: End{Ship: m}, Destination: End{Port: port}, State: &s, At: at}, nothing)
	if err != nil {
		b.t.Fatal(err)
	}
	return id
}

// nothing is written beside a track.
func nothing(int64) records.CommitPart { return func(*records.Tx) error { return nil } }

// simulatedPorts returns the ports of the two harbours of the demo.
func simulatedPorts(t testing.TB, h *sim.Harbour) (ports []*chart.Port) {
	t.Helper()
	var text bytes.Buffer
	if err := h.WritePorts(&text); err != nil {
		t.Fatal(err)
	}
	rows, refused, err := portfile.Read(portfile.NamedFile{Name: "ports.json", Text: text.String()})
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
	ranges         []float64 // minutes from low to high
	untold, past   int       // polls without an ETA, and with one that was over
}

// poll is what a track told at a time.
type poll struct {
	at  portcall.Millis
	was Estimate
}

// pollsBefore is how long before an arrival its track is asked.
var pollsBefore = []time.Duration{12 * time.Hour, 6 * time.Hour, 3 * time.Hour, time.Hour, 15 * time.Minute}

// poll takes what was told so long before an arrival, if the ship was tracked by then.
func (g *goodness) poll(all []poll, arrived portcall.Millis, before time.Duration) {
	i, _ := slices.BinarySearchFunc(all, arrived.Add(-before), func(p poll, at portcall.Millis) int { return cmp.Compare(p.at, at) })
	if i == len(all) || i == 0 || !all[i].was.Status.sailing() {
		return
	}
	switch p := all[i]; {
	case p.was.ETA == 0:
		g.untold++
	case p.was.ETA < p.at:
		g.past++
		fallthrough
	default:
		p.was.At = p.at
		g.take(p.was, arrived)
		g.ranges = append(g.ranges, p.was.High.Since(p.was.Low).Minutes())
	}
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
