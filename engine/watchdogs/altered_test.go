package watchdogs

import "testing"

// TestAlteredRemembersTheLast: a reader that asks often has each change once, in order, and one that comes too late is told so.
func TestAlteredRemembersTheLast(t *testing.T) {
	var a altered
	if changes, last, whole := a.changesSince(0); len(changes) != 0 || last != 0 || !whole {
		t.Errorf("at the start: %d changes, the last is %d, whole: %v", len(changes), last, whole)
	}
	number, next := uint64(0), uint64(1)
	for i := range uint64(5 * mostAltered) {
		a.add(Alteration{Event: i + 1})
		if i%7 != 0 {
			continue
		}
		changes, last, whole := a.changesSince(number)
		if !whole || last != i+1 {
			t.Fatalf("after %d: the last is %d, whole: %v", i+1, last, whole)
		}
		for _, c := range changes {
			if c.Event != next {
				t.Fatalf("change of event %d in the place of %d", c.Event, next)
			}
			next++
		}
		number = last
	}
	if _, last, whole := a.changesSince(1); whole || last != 5*mostAltered {
		t.Errorf("after all: the last is %d, whole: %v", last, whole)
	}
	if changes, _, whole := a.changesSince(4 * mostAltered); !whole || len(changes) != mostAltered {
		t.Errorf("%d changes, whole: %v", len(changes), whole)
	}
	if _, _, whole := a.changesSince(6 * mostAltered); whole {
		t.Error("a number that is still to come is whole")
	}
}
