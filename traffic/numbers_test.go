//go:build !race

package traffic_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/traffic"
)

// While numbers are invented by the hundred thousand, the ships that are there stay, and so does the memory.
func TestInventedNumbers(t *testing.T) {
	c := traffic.DefaultConfig()
	c.MaxUnconfirmed, c.MaxShips = 2000, 500
	c.FeedPositions = map[string]geo.Point{"roof": {Lon: 10, Lat: 54}}
	p := traffic.New(c)
	var seen counter
	random := rand.New(rand.NewPCG(7, 8))
	invented := 300000
	for i := range invented {
		seconds := float64(i) / 10000
		r := heard(position(ais.MMSI(300000000+random.IntN(400000000)), at(54+random.Float64(), 10+random.Float64())), seconds)
		p.Apply(batch(r), &seen)
		if every := invented / 1000; i%every == 0 { // 200 real ships speak five times each, long after each had to go for want of a second report
			r := heard(position(ais.MMSI(211000000+i/every%200), at(54, 10)), seconds)
			p.Apply(batch(r), &seen)
		}
	}
	stats := p.Stats()
	if stats.Unconfirmed > 2000 || p.Len() > 2500 {
		t.Errorf("%d unconfirmed of %d ships", stats.Unconfirmed, p.Len())
	}
	for i := range 200 {
		if s, ok := p.Ship(ais.MMSI(211000000 + i)); !ok || !s.Confirmed() {
			t.Fatalf("ship %d was lost among invented ones: %+v", i, s)
		}
	}
	if int(stats.Evicted) < invented-5000 || seen.updates < 2*invented-12000 {
		t.Errorf("%d evicted, %d updates", stats.Evicted, seen.updates)
	}
	if f := stats.Feeds["roof"]; f.Ships != p.Len() {
		t.Errorf("the feed hears %d of %d ships", f.Ships, p.Len())
	}
	found := inside(p, geo.Rect{West: -180, South: -90, East: 180, North: 90})
	if len(found) != p.Len() {
		t.Errorf("%d in the index, %d in the picture", len(found), p.Len())
	}
}

// Five million invented numbers, each once and with a name, leave the memory of the process small.
func TestFiveMillionInventedNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds, and minutes under the race detector; make test runs this without it")
	}
	p := traffic.New(traffic.DefaultConfig())
	var b ais.Batch
	b.Reports = make([]ais.Report, 2)
	var where ais.PositionReport
	var text ais.StaticReport
	for i := range 2500000 {
		m := ais.MMSI(200000000 + i*119%599999993)
		now := noon.Add(time.Duration(i) * 20 * time.Microsecond)
		where = ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, Place: at(float64(i%120)-60, float64(i%359)-179)}
		text = ais.StaticReport{Header: ais.Header{Type: 24, MMSI: m + 1}, Name: fmt.Sprintf("INVENTED %d", i)}
		b.Reports[0] = ais.Report{Message: &where, Received: now, Feed: "roof", Hash: uint64(i) * 0x9E3779B97F4A7C15}
		b.Reports[1] = ais.Report{Message: &text, Received: now, Feed: "roof", Hash: ^uint64(i) * 0x9E3779B97F4A7C15}
		p.Apply(&b)
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	const most = 400 << 20
	if memory.HeapSys > most {
		t.Errorf("heap of %d MiB", memory.HeapSys>>20)
	}
	t.Logf("heap %d MiB, evicted %d", memory.HeapSys>>20, p.Stats().Evicted)
}
