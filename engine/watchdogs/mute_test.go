package watchdogs

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// passes lets a ship come into the area of 10 to 11° E, or leave it.
func (b *box) passes(m ais.MMSI, in bool, at time.Time) {
	b.t.Helper()
	lon := map[bool]float64{true: 10.0005, false: 9.9995}[in]
	b.hear(m, at, geo.Point{Lon: lon, Lat: 54.5}, 100)
	b.watch.Save(false)
}

// atABound are times just before, on and just after a bound.
var atABound = []time.Duration{-time.Millisecond, 0, time.Millisecond}

// TestAMuteEndsAtItsTime: what a ship does a millisecond before the end of its mute is not told, and what it does at the end is. So it is with two ships that
// come too close.
func TestAMuteEndsAtItsTime(t *testing.T) {
	for _, off := range atABound {
		b := newBox(t)
		b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
		b.passes(211000001, true, begin)
		if _, err := b.watch.Mute(1, "anna", begin, time.Hour); err != nil {
			t.Fatal(err)
		}
		b.passes(211000001, false, begin.Add(5*time.Minute))
		b.passes(211000001, true, begin.Add(time.Hour+off))
		if e, err := b.watch.Get(2); (off < 0) != errors.Is(err, ErrUnknown) {
			t.Errorf("%v after the end of the mute: %v %v", off, e.Kind, err)
		}
	}
	const rings = 130 * time.Second // as in TestAWatchdogOfPairsThatGoes
	for _, off := range atABound {
		b := newBox(t)
		id := b.define(fmt.Sprintf(guard, areaOf(10, 54, 11, 55)))
		b.watch.mutes[pair{watchdog: id, mmsi: 211000002}] = muted{until: begin.Add(rings - off).UnixMilli()}
		b.meeting(300, func(int) {})
		if n := len(b.log()); n != map[bool]int{true: 0, false: 1}[off < 0] {
			t.Errorf("two ships, %v after the end of the mute: %d events", off, n)
		}
	}
}

// TestUntilWhenAShipIsMute: each event of the ship has the end of the mute as long as it lasts; afterwards the event that it came with has it alone. Where a
// user ended it early no event has it until then.
func TestUntilWhenAShipIsMute(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	b.passes(211000001, true, begin)
	b.passes(211000001, false, begin.Add(time.Minute))
	until := begin.Add(time.Hour)
	mute := func(event uint64, length time.Duration) {
		t.Helper()
		if _, err := b.watch.Mute(event, "anna", until.Add(-time.Hour), length); err != nil {
			t.Fatal(err)
		}
	}
	is := func(when string, event uint64, want [3]bool) {
		t.Helper()
		e, err := b.watch.Get(event)
		if err != nil {
			t.Fatal(err)
		}
		for i, off := range atABound {
			if got := MutedUntil(b.watch, &e, until.Add(off).UnixMilli()); got != map[bool]int64{true: until.UnixMilli()}[want[i]] {
				t.Errorf("%s, event %d, %v after the end: %d", when, event, off, got)
			}
		}
	}
	mute(1, time.Hour)
	is("mute", 1, [3]bool{true, true, true})
	is("mute", 2, [3]bool{true, false, false})
	mute(2, 0)
	is("ended early", 1, [3]bool{false, true, true})
	is("ended early", 2, [3]bool{})
}

// TestAMuteThatIsEndedLeavesNothing: no row, and the ship can be mute again.
func TestAMuteThatIsEndedLeavesNothing(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	b.passes(211000001, true, begin)
	for i, one := range []struct {
		length time.Duration
		left   int
	}{{time.Hour, 1}, {0, 0}, {0, 0}, {time.Hour, 1}, {2 * time.Hour, 1}, {0, 0}} {
		if _, err := b.watch.Mute(1, "anna", begin.Add(time.Minute), one.length); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		if rows, err := b.watch.muteRows.All(); err != nil || len(rows) != one.left || len(b.watch.mutes) != one.left {
			t.Errorf("step %d: %d rows, %d mutes, %v", i, len(rows), len(b.watch.mutes), err)
		}
	}
}

// TestSoManyShipsMayBeMute: one beyond the bound may not, but its mute can be ended, and another's made longer. One that is over gives its place up.
func TestSoManyShipsMayBeMute(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"area","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	for i := range 3 {
		b.passes(ais.MMSI(211000001+i), true, begin)
	}
	for i := range mostMutes - 2 {
		b.watch.mutes[pair{watchdog: 1000, mmsi: ais.MMSI(212000001 + i)}] = muted{until: begin.Add(day).UnixMilli(), row: 1}
	}
	mute := func(event uint64, at, length time.Duration, want error) {
		t.Helper()
		if _, err := b.watch.Mute(event, "anna", begin.Add(at), length); !errors.Is(err, want) {
			t.Errorf("event %d at %v for %v: %v", event, at, length, err)
		}
	}
	mute(1, 0, time.Hour, nil)
	mute(2, 0, 2*time.Hour, nil) // the last place
	mute(3, 0, time.Hour, ErrMutes)
	mute(3, 0, 0, nil)
	mute(2, 0, 3*time.Hour, nil)
	mute(3, time.Hour-time.Millisecond, time.Hour, ErrMutes)
	mute(3, time.Hour, time.Hour, nil)
}
