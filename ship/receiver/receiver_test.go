package receiver

import (
	"math"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

var berth = geo.Point{Lon: 10.14, Lat: 54.33}

// voyage is the fixes of one ship, told one after the other.
type voyage struct {
	memory ReceiverMemory
	fixes  []ship.Fix
	now    int64
}

func newVoyage() *voyage {
	return &voyage{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC).UnixMilli()}
}

// hear has the ship report after some time, so many metres east of its berth.
func (v *voyage) hear(after time.Duration, metres, knots float64, status ais.NavStatus, mark ship.Mark) {
	v.hearAt(after, geo.Vector{X: metres}, knots, status, mark)
}

// hearAt has it report after some time from a place relative to its berth.
func (v *voyage) hearAt(after time.Duration, off geo.Vector, knots float64, status ais.NavStatus, mark ship.Mark) {
	v.now += after.Milliseconds()
	at := geo.PlaneAt(berth)
	p := at.Point(off)
	f := ship.Fix{At: v.now, Lon: int32(math.Round(p.Lon * 600000)), Lat: int32(math.Round(p.Lat * 600000)), SOG: ais.SOGTenths(int(10 * knots)),
		COG: 3600, Heading: 511, Status: status, Mark: mark}
	before := ship.Fix{}
	if n := len(v.fixes); n > 0 {
		before = v.fixes[n-1]
	}
	v.fixes = append(v.fixes, v.memory.Take(before, f))
}

// lie has it lie for some time, a report each three minutes.
func (v *voyage) lie(long time.Duration, metres float64) {
	for range int(long / (3 * time.Minute)) {
		v.hear(3*time.Minute, metres, 0, ais.StatusMoored, 0)
	}
}

// untrusted returns how many fixes are.
func (v *voyage) untrusted() (n int) {
	for _, f := range v.fixes {
		if !f.Trusted() {
			n++
		}
	}
	return n
}

// TestReceiversThatLie: a ship lies at its berth for an hour, and what its receiver tells then is a lie or none.
func TestReceiversThatLie(t *testing.T) {
	for name, c := range map[string]struct {
		tells func(v *voyage)
		lies  int  // of the fixes
		ends  bool // trusted in the end
	}{
		"jumps 5 km for 20 minutes": {func(v *voyage) { v.lie(20*time.Minute, 5000); v.lie(time.Hour, 0) }, 6, true},
		"jumps 5 km for an hour":    {func(v *voyage) { v.lie(time.Hour, 5000); v.lie(time.Hour, 0) }, 20, true},
		"jumps back and forth": {func(v *voyage) {
			for range 5 {
				v.lie(9*time.Minute, 3000)
				v.lie(9*time.Minute, 0)
			}
		}, 15, true},
		"wanders about": {func(v *voyage) {
			for i := range 10 {
				v.lie(3*time.Minute, 3000+float64(i%3)*900)
			}
			v.lie(time.Hour, 20)
		}, 10, true},
		"tells a speed after a jump": {func(v *voyage) {
			v.hear(3*time.Minute, 20_000, 14, ais.StatusMoored, ship.NewSegment)
			v.lie(9*time.Minute, 20_000)
			v.lie(time.Hour, 0)
		}, 4, true},
		"is somewhere else each time, and tells any speed": {func(v *voyage) {
			for i, knots := range []float64{12, 0, 29, 4, 17, 0.8, 8, 22, 0, 15} {
				v.hear(3*time.Minute, 5000-float64(i%4)*1800, knots, ais.StatusMoored, 0)
			}
			v.lie(time.Hour, 0)
		}, 10, true},
		"sails at 35 knots after two minutes of silence, and still says that it is moored": {func(v *voyage) {
			v.hear(2*time.Minute, 1500, 35, ais.StatusMoored, 0)
			for i := range 90 {
				v.hear(10*time.Second, 1500+float64(i+1)*180, 35, ais.StatusMoored, 0)
			}
		}, 0, true},
		"drifts at 8 knots": {func(v *voyage) {
			for i := range 7 {
				v.lie(3*time.Minute, 740*float64(i+1))
			}
			v.lie(time.Hour, 0)
		}, 7, true},
		"drifts at a knot and a half": {func(v *voyage) {
			for i := range 20 {
				v.lie(3*time.Minute, 140*float64(i+1))
			}
			v.lie(time.Hour, 0)
		}, 20, true},
		"lies elsewhere for more than two hours": {func(v *voyage) { v.lie(3*time.Hour, 5000) }, 40, true},
		"noise":                                  {func(v *voyage) { v.lie(time.Hour, 40); v.lie(time.Hour, -30) }, 0, true},
		"is warped along the quay": {func(v *voyage) {
			v.hear(3*time.Minute, 60, 0.4, ais.StatusMoored, 0)
			v.hear(3*time.Minute, 150, 0.6, ais.StatusMoored, 0)
			v.lie(time.Hour, 200)
		}, 0, true},
		"sails to another berth":      {func(v *voyage) { v.sail(0, 5000, 10); v.lie(time.Hour, 5000); v.sail(5000, 0, 10); v.lie(time.Hour, 0) }, 0, true},
		"is silent for forty minutes": {func(v *voyage) { v.hear(40*time.Minute, 8000, 0, ais.StatusMoored, 0); v.lie(time.Hour, 8000) }, 0, true},
		"sails away after a lie": {func(v *voyage) {
			v.lie(20*time.Minute, 5000)
			v.sail(5000, 12_000, 12)
			v.lie(time.Hour, 12_000)
		}, -1, true},
		"only jumps while it is under way": {func(v *voyage) {
			v.sail(0, 3000, 10)
			v.hear(10*time.Second, 60_000, 10, ais.StatusUnderWayEngine, ship.NewSegment)
			v.hear(10*time.Second, 60_050, 10, ais.StatusUnderWayEngine, 0)
		}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVoyage()
			v.lie(time.Hour, 0)
			c.tells(v)
			if n := v.untrusted(); n != c.lies && (c.lies >= 0 || n == 0) {
				t.Errorf("%d fixes are untrusted, want %d", n, c.lies)
			}
			if last := v.fixes[len(v.fixes)-1]; last.Trusted() != c.ends {
				t.Errorf("at the end trusted is %v", last.Trusted())
			}
		})
	}
}

// sail has it sail from one place to another, a report each ten seconds.
func (v *voyage) sail(from, to, knots float64) { v.sailAs(from, to, knots, ais.StatusUnderWayEngine) }

// sailAs has it do so with some status.
func (v *voyage) sailAs(from, to, knots float64, status ais.NavStatus) {
	step := math.Copysign(knots*1852/360, to-from)
	for at := from; (to-at)*step > 0; at += step {
		v.hear(10*time.Second, at, knots, status, 0)
	}
}

// TestAfterAStartALieIsStillOne: what is remembered is lost with the program, and the mark of the last fix is kept.
func TestAfterAStartALieIsStillOne(t *testing.T) {
	v := newVoyage()
	v.lie(time.Hour, 0)
	v.lie(9*time.Minute, 5000)
	v.memory = ReceiverMemory{}
	v.lie(9*time.Minute, 5000)
	if n := v.untrusted(); n != 6 {
		t.Errorf("%d fixes are untrusted, want 6", n)
	}
	if v.lie(9*time.Minute, 0); v.untrusted() != 6 {
		t.Errorf("back at the berth the ship is untrusted")
	}
}

// TestLateFixes: those of the time of a lie are a lie too, but for those at the berth.
func TestLateFixes(t *testing.T) {
	v := newVoyage()
	v.lie(time.Hour, 0)
	v.lie(20*time.Minute, 5000)
	late := slices.Clone(v.fixes)
	for i, f := range late {
		f.Mark = 0
		if got := v.memory.Late(f).Trusted(); got != (i < 20) {
			t.Errorf("fix %d is trusted: %v", i, got)
		}
	}
}

// TestARuleTakesNoMemory: the picture asks it with each position.
func TestARuleTakesNoMemory(t *testing.T) {
	v := newVoyage()
	v.lie(time.Hour, 0)
	before, after := v.fixes[len(v.fixes)-2], v.fixes[len(v.fixes)-1]
	if n := testing.AllocsPerRun(100, func() { m := v.memory; m.Take(before, after) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkTake(b *testing.B) {
	v := newVoyage()
	v.lie(time.Hour, 0)
	before, after := v.fixes[len(v.fixes)-2], v.fixes[len(v.fixes)-1]
	for b.Loop() {
		m := v.memory
		m.Take(before, after)
	}
}
