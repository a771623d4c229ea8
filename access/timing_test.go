package access

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestUnknownNamesCostTheSame: how long a refusal takes must not tell which names exist. The tries take turns, so that what else
// the machine does falls on both alike.
func TestUnknownNamesCostTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 400 passwords")
	}
	const tries = 200
	h := newHouse(t)
	users, err := OpenUsers(h.db, Options{Dir: h.dir, SignInTries: tries})
	if err != nil {
		t.Fatal(err)
	}
	h.users = users
	h.add("known", GroupViewer)
	var known, unknown []time.Duration
	try := func(name string, i int) time.Duration {
		t.Helper()
		began := time.Now()
		if err := h.verify(name, fmt.Sprint("a wrong password ", i), "192.0.2.1"); !errors.Is(err, ErrWrong) {
			t.Fatalf("try %d of %s: %v", i, name, err)
		}
		return time.Since(began)
	}
	for i := range tries {
		known = append(known, try("known", i))
		unknown = append(unknown, try("unknown", i))
	}
	a, b := median(known), median(unknown)
	t.Logf("known %s, unknown %s", a, b)
	if difference := max(a-b, b-a); difference*10 >= min(a, b) {
		t.Errorf("a known name takes %s, an unknown one %s", a, b)
	}
	// With the tries used up the lock-out is there.
	var locked *Locked
	if err := h.verify("known", "a wrong password", "192.0.2.1"); !errors.As(err, &locked) {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
