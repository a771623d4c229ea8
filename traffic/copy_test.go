package traffic_test

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// timed is a position of a ship at a speed, with the UTC second in it.
func timed(lon float64, tenths, second int) ais.Message {
	m := position(anna, at(54, lon))
	m.SOG, m.Second = ais.SOGTenths(tenths), ais.Second(second)
	return m
}

func named(name string) ais.Message {
	return &ais.StaticReport{Header: ais.Header{Type: 24, MMSI: anna}, Name: name}
}

// TestALateCopyIsARepeat sends each report of a ship again 75 s later by a slow way, whatever the window of duplicates is.
func TestALateCopyIsARepeat(t *testing.T) {
	for _, window := range []time.Duration{0, time.Second, 10 * time.Second} {
		for _, delay := range []float64{21, 45, 75, 120, 590} {
			config := traffic.DefaultConfig()
			config.DuplicateWindow = window
			p := traffic.New(config)
			var c counter
			for i := range 200 {
				s := float64(6 * i)
				p.Apply(batch(heardBy("roof", timed(10+0.0001*float64(i), 150, 6*i%60), uint64(i+1)<<20, s)), &c)
				if j := i - int(delay)/6; j >= 0 {
					p.Apply(batch(heardBy("sky", timed(10+0.0001*float64(j), 150, 6*j%60), uint64(j+1)<<20, 6*float64(j)+delay)), &c)
				}
				if now, _ := p.Ship(anna); now.Fix.At != noon.Add(time.Duration(s)*time.Second).UnixMilli() {
					t.Fatalf("window %v, delay %v: at report %d the fix is of %v", window, delay, i, now.Fix.Time())
				}
			}
			if c.updates != 200 {
				t.Errorf("window %v, delay %v: %d updates of 200 reports", window, delay, c.updates)
			}
		}
	}
}

// TestWhatIsSaidAgainIsNoCopy: a ship that lies says the same again where it lies, and one that comes back after ten minutes is there.
func TestWhatIsSaidAgainIsNoCopy(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	lies := timed(10, 0, 30)
	for _, second := range []float64{0, 180, 360, 540} {
		p.Apply(batch(heardBy("roof", lies, 1<<20, second)))
		if now, _ := p.Ship(anna); now.Fix.At != noon.Add(time.Duration(second)*time.Second).UnixMilli() {
			t.Errorf("after %v s the fix is of %v", second, now.Fix.Time())
		}
	}
	p.Apply(batch(heardBy("roof", timed(10.01, 100, 10), 2<<20, 600), heardBy("roof", timed(10.02, 100, 40), 3<<20, 700)))
	p.Apply(batch(heardBy("roof", timed(10.01, 100, 10), 2<<20, 1201)))
	if now, _ := p.Ship(anna); now.Fix.Lon != at(54, 10.01).Lon {
		t.Errorf("after ten minutes the ship is at %v", now.Fix.Point())
	}
}

// TestLateStaticDataRevertNothing: copies of an older name do not undo a newer one, and one report and its copy are one witness.
func TestLateStaticDataRevertNothing(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	name := func(seconds float64, text string, hash uint64) string {
		p.Apply(batch(heardBy("roof", named(text), hash<<20, seconds)))
		now, _ := p.Ship(anna)
		return now.Static.Name
	}
	for _, step := range []struct {
		seconds   float64
		text      string
		hash      uint64
		want, why string
	}{
		{0, "OLD", 1, "OLD", "nothing was known"},
		{360, "BAD", 2, "OLD", "one corrupt report"},
		{435, "BAD", 2, "OLD", "its copy"},
		{720, "OLD", 1, "OLD", "as before"},
		{1080, "NEW", 3, "OLD", "the first with the new name"},
		{1440, "NEW", 3, "NEW", "the second"},
		{1450, "OLD", 1, "NEW", "a copy of the last with the old name"},
		{1500, "OLD", 1, "NEW", "and one more"},
		{1800, "NEW", 3, "NEW", "as before"},
	} {
		if got := name(step.seconds, step.text, step.hash); got != step.want {
			t.Errorf("after %v s (%s): %q, want %q", step.seconds, step.why, got, step.want)
		}
	}
}

// TestCopiesAreRememberedInBounds: the memory grows with what is heard in ten minutes, and no position costs an allocation.
func TestCopiesAreRememberedInBounds(t *testing.T) {
	p := traffic.New(traffic.DefaultConfig())
	hash, second := uint64(0), 0
	b := batch(heardBy("roof", timed(10, 150, 0), 1, 0))
	m := b.Reports[0].Message.(*ais.PositionReport)
	one := func() {
		hash += 0x9E3779B97F4A7C15
		second++
		m.Second, m.Place = ais.Second(second%60), at(54, 10+float64(second%2)*1e-5)
		b.Reports[0].Hash, b.Reports[0].Received = hash, noon.Add(time.Duration(second)*10*time.Millisecond)
		p.Apply(b)
	}
	for range 60000 {
		one()
	}
	if n := testing.AllocsPerRun(5000, one); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if s, _ := p.Ship(anna); s.Reports < 64000 || s.Class != ship.ClassA {
		t.Errorf("%d reports were taken", s.Reports)
	}
}
