//go:build !race

package access

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"syscall"
	"testing"
	"time"
)

// cost is what a refusal took.
type cost struct{ clock, processor time.Duration }

func (c cost) String() string { return fmt.Sprint(c.clock, ", of the processor ", c.processor) }

// TestUnknownNamesCostTheSame: how long a refusal takes must not tell which names exist. The tries take turns, so that what else the machine does falls
// on both alike. The clock decides; on a machine that lets the test wait, the time of the processor does.
func TestUnknownNamesCostTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("hashes 120 passwords; the race detector blurs the time, so make test runs this without it")
	}
	const tries = 60
	h := newHouse(t)
	users, err := OpenUsers(h.db.Database, Options{Dir: h.dir, SignInTries: tries})
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
		t.Logf("known %v, unknown %v", known, unknown)
		waits := known.clock > 5*known.processor/4
		if alike(known.clock, unknown.clock) || waits && alike(known.processor, unknown.processor) {
			break
		}
		if round == rounds-1 {
			t.Errorf("a known name takes %v, an unknown one %v", known, unknown)
		}
	}
	// With the tries used up the lock-out is there.
	var locked *Locked
	if err := h.verify("known", "a wrong password", address); !errors.As(err, &locked) {
		t.Errorf("after %d tries: %v", tries, err)
	}
}

// alike reports whether two times are the same to a tenth.
func alike(a, b time.Duration) bool { return max(a-b, b-a)*10 < min(a, b) }

// refusals returns what a tenth of so many tries of a known and of an unknown name take at most. Whoever guesses names looks at the quickest answers, and at the
// median a collector that comes with half of the tries decides. Which of the two is first in a pair follows the sequence of Thue and
// Morse. The collector comes after each second, third or fourth hash, and in any order that comes again it would always meet the same name.
func (h *house) refusals(tries int, address string) (known, unknown cost) {
	h.t.Helper()
	try := func(name string, i int) cost {
		began, used := time.Now(), processor(h.t)
		if err := h.verify(name, fmt.Sprint("a wrong password ", i), address); !errors.Is(err, ErrWrong) {
			h.t.Fatalf("try %d of %s: %v", i, name, err)
		}
		return cost{time.Since(began), processor(h.t) - used}
	}
	var ofKnown, ofUnknown []cost
	for i := range tries {
		knownFirst := bits.OnesCount(uint(i))%2 == 0
		if knownFirst {
			ofKnown = append(ofKnown, try("known", i))
		}
		ofUnknown = append(ofUnknown, try("unknown", i))
		if !knownFirst {
			ofKnown = append(ofKnown, try("known", i))
		}
	}
	return firstTenth(ofKnown), firstTenth(ofUnknown)
}

// processor returns the time of the processor that the test took until now.
func processor(t testing.TB) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// firstTenth returns the times that a tenth of all does not exceed.
func firstTenth(all []cost) cost {
	tenth := func(of func(cost) time.Duration) time.Duration {
		var list []time.Duration
		for _, c := range all {
			list = append(list, of(c))
		}
		slices.Sort(list)
		return list[len(list)/10]
	}
	return cost{tenth(func(c cost) time.Duration { return c.clock }), tenth(func(c cost) time.Duration { return c.processor })}
}
