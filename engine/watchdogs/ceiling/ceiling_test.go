package ceiling

import (
	"testing"
	"time"

	"quaywatch/ais"
)

// small are limits that a test reaches by hand.
func small() Limits {
	return Limits{Definition: Rate{10, 60}, Owner: Rate{20, 120}, All: Rate{50, 300}, Pause: time.Minute, Longest: 4 * time.Minute}
}

// ring lets a definition ring so often at a moment, and returns how many events were told.
func ring(c *Ceiling, m *Meter, now int64, times int) (told int) {
	for range times {
		if is, _ := c.Ring(m, now); is {
			told++
		}
	}
	return told
}

// TestADefinitionIsPaused: what rings more than its rate is paused, each event that is not told is counted, and the pause ends by itself.
func TestADefinitionIsPaused(t *testing.T) {
	c := New(small())
	m := c.Meter(1, "crowd")
	if told := ring(c, m, 1000, 25); told != 10 || !m.Paused() {
		t.Fatalf("%d told, paused: %t", told, m.Paused())
	}
	if p, _ := m.Pause(); p.Held != 15 || p.Since != 1000 || p.Until != 61_000 || p.Owner != "crowd" {
		t.Errorf("%+v", p)
	}
	if over := c.Over(60_999); over != nil {
		t.Errorf("over too early: %v", over)
	}
	over := c.Over(61_000)
	if len(over) != 1 || over[0].ID != 1 || over[0].Held != 15 || m.Paused() || c.Paused() != 0 {
		t.Fatalf("%+v", over)
	}
	if told := ring(c, m, 61_000, 10); told != 10 {
		t.Errorf("%d told after the pause", told)
	}
}

// TestARateIsNotPaused: what rings as often as its rate says rings for ever.
func TestARateIsNotPaused(t *testing.T) {
	c := New(small())
	m := c.Meter(1, "port")
	for second := range int64(10_000) {
		if told, _ := c.Ring(m, second*1000); !told {
			t.Fatalf("paused in second %d", second)
		}
	}
}

// TestTheLoudestIsPaused: where an owner rings too much, the definition that rings most gives way, and one that rings seldom goes on.
func TestTheLoudestIsPaused(t *testing.T) {
	c := New(small())
	quiet := c.Meter(1, "crowd")
	loud := []*Meter{c.Meter(2, "crowd"), c.Meter(3, "crowd"), c.Meter(4, "crowd")}
	other := c.Meter(5, "harbour")
	ring(c, quiet, 0, 1)
	for range 12 {
		for _, m := range loud {
			ring(c, m, 0, 1)
		}
	}
	if told := ring(c, quiet, 0, 1); told != 1 || quiet.Paused() {
		t.Errorf("the one that rings seldom: %d told", told)
	}
	for _, m := range loud {
		if !m.Paused() {
			t.Errorf("definition %d goes on", m.pause.ID)
		}
	}
	if told := ring(c, other, 0, 10); told != 10 {
		t.Errorf("%d events of another owner told", told)
	}
}

// TestTheLargestOwnerGivesWay: where all ring too much together, the owner that rings most does.
func TestTheLargestOwnerGivesWay(t *testing.T) {
	l := small()
	l.All = Rate{15, 60}
	c := New(l)
	crowd, other, harbour := c.Meter(1, "crowd"), c.Meter(2, "crowd"), c.Meter(3, "harbour")
	ring(c, crowd, 0, 6)
	ring(c, other, 0, 7)
	if told := ring(c, harbour, 0, 5); told != 5 || harbour.Paused() || !other.Paused() {
		t.Errorf("%d told of the smaller owner, paused %t; the loudest of the larger is paused: %t", told, harbour.Paused(), other.Paused())
	}
}

// TestNothingIsLost: each event of a crowd of definitions is told or counted, and what is told has its bound.
func TestNothingIsLost(t *testing.T) {
	c := New(Usual())
	var all []*Meter
	for i := range uint64(1000) {
		all = append(all, c.Meter(i+1, "crowd"))
	}
	told := 0
	const ships = 1500
	for ship := range int64(ships) {
		for _, m := range all {
			told += ring(c, m, ship, 1)
		}
	}
	held := uint64(0)
	for _, m := range all {
		p, _ := m.Pause()
		held += p.Held
	}
	if told+int(held) != ships*len(all) || told > 8_000 || told < 4_000 {
		t.Errorf("%d told and %d held back of %d", told, held, ships*len(all))
	}
}

// TestPausesGrow: a definition that is paused again soon is paused for twice as long, up to a bound, and begins anew after a quiet while.
func TestPausesGrow(t *testing.T) {
	c := New(small())
	m := c.Meter(1, "crowd")
	now := int64(0)
	for i, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, 4 * time.Minute} {
		ring(c, m, now, 20)
		p, _ := m.Pause()
		if got := time.Duration(p.Until-p.Since) * time.Millisecond; got != want {
			t.Fatalf("pause %d has %v", i, got)
		}
		now = p.Until
		c.Over(now)
	}
	now += (8 * time.Minute).Milliseconds()
	ring(c, m, now, 20)
	if p, _ := m.Pause(); p.Until-p.Since != 60_000 {
		t.Errorf("after a while: %+v", p)
	}
}

// TestAShipIsCountedOnce: a ship that would ring in a pause counts once in each, whatever the number of its reports.
func TestAShipIsCountedOnce(t *testing.T) {
	c := New(small())
	m, other := c.Meter(1, "crowd"), c.Meter(2, "crowd")
	ring(c, m, 0, 11)
	ring(c, other, 0, 11)
	for range 5 {
		for ship := range ais.MMSI(100) {
			for _, of := range []*Meter{m, other} {
				if n := c.Number(211000000 + ship); !of.Counted(n) {
					of.HoldShip(n)
				}
			}
		}
	}
	for _, of := range []*Meter{m, other} {
		if p, _ := of.Pause(); p.Held != 101 && p.Held != 102 {
			t.Errorf("%+v", p)
		}
	}
}

// TestAPauseOutlivesARestart, and the press of its owner ends it once.
func TestAPauseOutlivesARestart(t *testing.T) {
	c := New(small())
	m := c.Meter(7, "crowd")
	c.Resume(m, RingPause{ID: 7, Owner: "crowd", Since: 1000, Until: 61_000, Held: 40})
	if told := ring(c, m, 2000, 2); told != 0 {
		t.Errorf("%d told in the pause", told)
	}
	p, was := c.Release(m, 3000)
	if _, again := c.Release(m, 3000); !was || p.Held != 42 || again || m.Paused() {
		t.Errorf("%+v, %t, again %t", p, was, again)
	}
	if told := ring(c, m, 3000, 3); told != 3 {
		t.Errorf("%d told afterwards", told)
	}
	c.Keep(4000, func(uint64) bool { return false })
	if len(c.meters) != 0 || c.Meter(7, "crowd").Paused() {
		t.Error("a definition that is gone is remembered")
	}
}

// TestOfEqualOnesTheOneThatRingsGivesWay: of two definitions of an owner, and of two owners, that have rung as much, the one whose event is too many is paused.
func TestOfEqualOnesTheOneThatRingsGivesWay(t *testing.T) {
	l := small()
	l.Owner = Rate{11, 60}
	c := New(l)
	first, second := c.Meter(1, "crowd"), c.Meter(2, "crowd")
	ring(c, first, 0, 5)
	ring(c, second, 0, 6)
	if ring(c, first, 0, 1); !first.Paused() || second.Paused() {
		t.Errorf("of two definitions the first is paused: %t, the second: %t", first.Paused(), second.Paused())
	}
	for range 30 { // owners have no order
		l := small()
		l.All = Rate{11, 60}
		c := New(l)
		crowd, harbour := c.Meter(1, "crowd"), c.Meter(2, "harbour")
		ring(c, crowd, 0, 6)
		ring(c, harbour, 0, 5)
		if ring(c, harbour, 0, 1); !harbour.Paused() || crowd.Paused() {
			t.Fatalf("of two owners that of the event is paused: %t, the other: %t", harbour.Paused(), crowd.Paused())
		}
	}
}
