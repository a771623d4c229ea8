//go:build !race

package portcalls

import (
	"strconv"
	"testing"
	"time"
)

// TestEvaluate compares the kept calls with lists that differ from them in a known way.
func TestEvaluate(t *testing.T) {
	h := newHarbour(t, berths(t))
	h.hear(never)
	var list []ListedCall
	err := h.InTime(t.Context(), begin, begin.Add(length), func(c *KeptCall) bool {
		if !c.Arrived().IsZero() {
			list = append(list, ListedCall{Ship: strconv.Itoa(int(c.MMSI)), Port: "harbour", ATA: c.Arrived(), ATD: c.Departed()})
		}
		return true
	})
	if err != nil || len(list) < 5 {
		t.Fatalf("%d calls, %v", len(list), err)
	}
	from, to := list[0].ATA, begin.Add(length)
	same, err := h.Evaluate(t.Context(), list, from, to)
	if err != nil || same.Both != len(list) || same.Found < same.Both || len(same.Missed) != 0 || same.Arrival[len(same.Arrival)-1] != 0 {
		t.Fatalf("the same list: %+v, %v", same, err)
	}
	other := append([]ListedCall{{Ship: "NEVER HEARD", Port: "harbour", ATA: from}}, list[1:]...) // one is missing, and one is of another ship
	other[1].ATA = other[1].ATA.Add(-3 * time.Minute)
	e, err := h.Evaluate(t.Context(), other, from, to)
	if err != nil || e.Known != len(list) || e.Both != len(list)-1 || len(e.Missed) != 1 || len(e.Unheard) != 1 || len(e.Extra) != len(same.Extra)+1 {
		t.Errorf("another list: %+v, %v", e, err)
	}
	if worst := e.Arrival[len(e.Arrival)-1]; worst != 3*time.Minute {
		t.Errorf("the worst arrival is off by %s", worst)
	}
}
