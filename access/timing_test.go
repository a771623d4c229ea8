//go:build !race

package access

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

// TestUnknownNamesCostTheSame: how long a refusal takes must not tell which names exist. The tries take turns, so that what else
// the machine does falls on both alike; on a machine that is busy with more, a difference has to be there three times to count.
func TestUnknownNamesCostTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 400 passwords; the race detector blurs the time, so make test runs this without it")
	}
	const tries = 200
	h := newHouse(t)
	users, err := OpenUsers(h.db, Options{Dir: h.dir, SignInTries: tries})
	if err != nil {
		t.Fatal(err)
	}
	h.users = users
	h.add("known", GroupViewer)
	const rounds = 3
	address := ""
	for round := range rounds {
		address = fmt.Sprint("192.0.2.", round)
		known, unknown := h.refusals(tries, address)
		t.Logf("known %s, unknown %s", known, unknown)
		if max(known-unknown, unknown-known)*10 < min(known, unknown) {
			break
		}
		if round == rounds-1 {
			t.Errorf("a known name takes %s, an unknown one %s", known, unknown)
		}
	}
	// With the tries used up the lock-out is there.
	var locked *Locked
	if err := h.verify("known", "a wrong password", address); !errors.As(err, &locked) {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

// refusals gives the median time that so many tries of a known and of an unknown name take.
func (h *house) refusals(tries int, address string) (known, unknown time.Duration) {
	h.t.Helper()
	try := func(name string, i int) time.Duration {
		began := time.Now()
		if err := h.verify(name, fmt.Sprint("a wrong password ", i), address); !errors.Is(err, ErrWrong) {
			h.t.Fatalf("try %d of %s: %v", i, name, err)
		}
		return time.Since(began)
	}
	var ofKnown, ofUnknown []time.Duration
	for i := range tries {
		if i%2 == 0 {
			ofKnown = append(ofKnown, try("known", i))
		}
		ofUnknown = append(ofUnknown, try("unknown", i))
		if i%2 == 1 { // else the collector, which comes after every other hash, would always meet the same name
			ofKnown = append(ofKnown, try("known", i))
		}
	}
	return median(ofKnown), median(ofUnknown)
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
