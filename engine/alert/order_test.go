package alert

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"
)

// told has the alerts tell of what goes on, as an outbox that keeps what it is told by key, and that fails while err is one.
func (b *box) told(err *error) map[string]TellOrder {
	all := map[string]TellOrder{}
	b.tell = func(_ context.Context, o TellOrder) error {
		if *err == nil {
			all[o.Key] = o
		}
		return *err
	}
	b.start()
	return all
}

// TestAStepIsToldToThoseItGoesTo: the step to those of escalate_to is an order, once, of what nobody acknowledged; the step to everybody is none.
func TestAStepIsToldToThoseItGoesTo(t *testing.T) {
	b := newBox(t)
	var none error
	all := b.told(&none)
	b.put(sectorOf("00:01:00"))
	b.guard("alert", "")
	b.enters(219000001, 219000002)
	if _, err := b.AcknowledgeEvent(1, "anna", b.now); err != nil {
		t.Fatal(err)
	}
	b.pass(58 * time.Second)
	b.Carry(t.Context())
	if len(all) != 0 {
		t.Fatalf("told before it is time: %v", all)
	}
	for range 4 { // to those of escalate_to, and then to everybody
		b.pass(time.Minute)
		b.Carry(t.Context())
	}
	chiefs := []string{b.areas.Users.Groups().Admin().UID}
	if o := all["2.1"]; len(all) != 1 || !slices.Equal(o.Events, []uint64{2}) || !slices.Equal(o.To, chiefs) {
		t.Errorf("%+v", all)
	}
	if a, _ := b.One(1); a.Level != 2 || len(b.orders) != 0 {
		t.Errorf("level %d, %d orders wait", a.Level, len(b.orders))
	}
	b.acknowledge(1)
	b.pass(time.Second)
	b.enters(219000003) // the steps begin anew, with a key of their own
	b.pass(61 * time.Second)
	b.Carry(t.Context())
	if o := all["3.1"]; len(all) != 2 || !slices.Equal(o.Events, []uint64{3}) {
		t.Errorf("%+v", all)
	}
}

// TestAKillBetweenAStepAndItsOrder: a step that was stored is told after the kill, whether the kill came before it was told or after.
func TestAKillBetweenAStepAndItsOrder(t *testing.T) {
	b := newBox(t)
	broken := errors.New("the outbox cannot store it")
	all := b.told(&broken)
	b.put(sectorOf("00:01:00"))
	b.guard("alert", "")
	b.enters(219000001)
	b.pass(61 * time.Second)
	b.Carry(t.Context())
	b.start() // before it was told
	b.Carry(t.Context())
	if len(b.orders) != 1 || len(all) != 0 {
		t.Fatalf("%v wait, told %v", b.orders, all)
	}
	broken = nil
	id, order := uint64(0), (*TellOrder)(nil)
	for id, order = range b.orders {
	}
	if err := b.config.Tell(t.Context(), *order); err != nil { // and the kill comes before the row goes
		t.Fatal(err)
	}
	b.start()
	if again := b.orders[id]; again == nil || again.Key != order.Key {
		t.Fatalf("%+v", b.orders)
	}
	b.Carry(t.Context())
	b.start()
	if len(b.orders) != 0 || len(all) != 1 {
		t.Errorf("%v wait, told %v", b.orders, all)
	}
}

// TestAnOrderIsStoredWithItsStep: where the commit fails there is neither.
func TestAnOrderIsStoredWithItsStep(t *testing.T) {
	b := newBox(t)
	var none error
	all := b.told(&none)
	b.put(sectorOf("00:01:00"))
	b.guard("alert", "")
	b.enters(219000001)
	b.now = b.now.Add(2 * time.Minute)
	b.Tick(b.now)
	b.fails = errors.New("the disk is full")
	b.Step()
	b.Carry(t.Context())
	if a, _ := b.One(1); a.Level != 0 || len(all) != 0 {
		t.Errorf("level %d, told %v", a.Level, all)
	}
	b.fails = nil
	b.Step()
	b.Carry(t.Context())
	if a, _ := b.One(1); a.Level != 1 || len(all) != 1 {
		t.Errorf("level %d, told %v", a.Level, all)
	}
}
