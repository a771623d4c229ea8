package request

import (
	"fmt"
	"testing"
	"time"
)

// TestEqualDenialsAreLoggedOnceAMinute, with the number of those in between; others have lines of their own, and fill no memory.
func TestEqualDenialsAreLoggedOnceAMinute(t *testing.T) {
	var d denials
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	anna := denial{"anna", "PUT /api/config/user/:name", "change_user"}
	for i := range 100 {
		if _, due := d.countDenial(anna, at.Add(time.Duration(i)*time.Second/2)); due != (i == 0) {
			t.Fatalf("denial %d: %t", i, due)
		}
	}
	if _, due := d.countDenial(denial{"bert", anna.route, anna.right}, at); !due {
		t.Error("another user's is not logged")
	}
	if unlogged, due := d.countDenial(anna, at.Add(denialEvery)); !due || unlogged != 99 {
		t.Errorf("after a minute: %t, %d", due, unlogged)
	}
	for i := range 3 * mostDenials {
		d.countDenial(denial{user: fmt.Sprint(i)}, at)
	}
	if len(d.known) > mostDenials {
		t.Errorf("%d are known", len(d.known))
	}
}
