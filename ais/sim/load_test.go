package sim_test

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/geo"
)

func newLoad(t testing.TB, ships int, rate float64) *sim.Load {
	t.Helper()
	l, err := sim.NewLoad(sim.LoadOptions{Ships: ships, Rate: rate, Seed: 1, Start: begin})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The load has the promised mix and number of ships, and its ships move at the speed that they report.
func TestLoad(t *testing.T) {
	const ships = 500
	l := newLoad(t, ships, 250)
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: "load"})
	types := map[uint8]int{}
	last := map[ais.MMSI]geo.Point{}
	when := map[ais.MMSI]time.Time{}
	total := 0
	for l.Now().Before(begin.Add(time.Minute)) {
		at := l.Now()
		out, err := l.Next(nil)
		if err != nil {
			t.Fatal(err)
		}
		batch := ais.NewPool(1).Get()
		for line := range bytes.Lines(out) {
			decoder.Line(batch, bytes.TrimRight(line, "\r\n"), at)
		}
		if len(batch.Reports) != 1 {
			t.Fatalf("%d reports of %q", len(batch.Reports), out)
		}
		m := batch.Reports[0].Message
		types[m.Head().Type]++
		total++
		if place, sog, ok := motion(m); ok {
			checkSpeed(t, m.Head().MMSI, place, sog, at, last, when)
		}
	}
	positions := types[1] + types[2] + types[3] + types[18]
	if share := float64(positions) / float64(total); math.Abs(share-0.85) > 0.01 {
		t.Errorf("%.3f of the messages are position reports, want 0.85", share)
	}
	if share := float64(types[5]+types[24]) / float64(total); math.Abs(share-0.10) > 0.01 {
		t.Errorf("%.3f of the messages are static data, want 0.10", share)
	}
	if len(last) != ships {
		t.Errorf("%d ships, want %d", len(last), ships)
	}
}

func motion(m ais.Message) (p geo.Point, sog float64, ok bool) {
	switch m := m.(type) {
	case *ais.PositionReport:
		p.Lon, p.Lat = m.Place.Degrees()
		sog, ok = m.SOG.Knots()
	case *ais.ClassBReport:
		p.Lon, p.Lat = m.Place.Degrees()
		sog, ok = m.SOG.Knots()
	}
	return p, sog, ok
}

func checkSpeed(t testing.TB, m ais.MMSI, p geo.Point, sog float64, at time.Time, last map[ais.MMSI]geo.Point, when map[ais.MMSI]time.Time) {
	t.Helper()
	if was, ok := last[m]; ok {
		run, want := geo.Distance(was, p), sog*1852/3600*at.Sub(when[m]).Seconds()
		if math.Abs(run-want) > 0.1*want+5 {
			t.Fatalf("%d ran %.0f m, at its speed it is %.0f", m, run, want)
		}
	}
	last[m], when[m] = p, at
}

// TestLoadKeepsItsRate: also when it is faster than real. At speed 0 it does not wait at all, and gives the same.
func TestLoadKeepsItsRate(t *testing.T) {
	for speed, want := range map[float64]time.Duration{1: 2 * time.Second, 4: 500 * time.Millisecond, 0: 0} {
		synctest.Test(t, func(t *testing.T) {
			sentences, begun := 0, time.Now()
			err := newLoad(t, 1000, 3000).Run(t.Context(), speed, 2*time.Second, func(b []byte) error {
				sentences += bytes.Count(b, []byte("\n"))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(begun)
			if took < want || took > want+10*time.Millisecond || speed == 0 && took > 0 {
				t.Errorf("speed %v: took %v, want %v", speed, took, want)
			}
			if sentences < 6000 || sentences > 6001 {
				t.Errorf("speed %v: %d sentences, want 6000", speed, sentences)
			}
		})
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct {
		name string
		o    sim.LoadOptions
		want string
	}{
		{"no ships", sim.LoadOptions{Rate: 1}, "0 ships"},
		{"too many ships", sim.LoadOptions{Ships: 1000000, Rate: 1}, "not 1 to 900000"},
		{"no rate", sim.LoadOptions{Ships: 1}, "rate must be above 0"},
		{"a rate that is no number", sim.LoadOptions{Ships: 1, Rate: math.NaN()}, "rate must be above 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := sim.NewLoad(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	l := newLoad(b, 60000, 30000)
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = l.Next(buf[:0])
	}
	if len(buf) == 0 {
		b.Fatal("the load says nothing")
	}
}
