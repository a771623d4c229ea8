package access

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// order lets programs wait in this order while one has the turn, and returns the order in which their turns come.
func order(t *testing.T, networks []string, proven ...string) (got []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		turns := newTurns(1)
		for _, network := range proven {
			turns.prove(network, time.Now())
		}
		if err := turns.takeTurn(t.Context(), "before", time.Now()); err != nil {
			t.Fatal(err)
		}
		for _, network := range networks {
			go func() {
				if err := turns.takeTurn(t.Context(), network, time.Now()); err != nil {
					t.Error(err)
				}
				got = append(got, network)
				turns.give()
			}()
			synctest.Wait()
		}
		turns.give()
		synctest.Wait()
		if len(turns.waiting) != 0 || len(turns.served) != 0 || turns.free != 1 {
			t.Errorf("%d wait, %d were served, %d are free", len(turns.waiting), len(turns.served), turns.free)
		}
	})
	return got
}

func place(list []string, of string) int {
	for i, one := range list {
		if one == of {
			return i
		}
	}
	return len(list)
}

// TestTurnsAreSharedByAddress: however many guesses wait, a try from elsewhere waits for one of each address at most.
func TestTurnsAreSharedByAddress(t *testing.T) {
	var crowd []string
	for range 100 {
		for from := range 12 {
			crowd = append(crowd, fmt.Sprint("guesser ", from))
		}
	}
	if i := place(order(t, append(crowd, "honest")), "honest"); i > 12 {
		t.Errorf("%d come before it", i)
	}
	if i := place(order(t, append(crowd, "honest"), "honest"), "honest"); i > 1 {
		t.Errorf("%d come before one that is known", i)
	}
	var known []string
	for range 100 {
		known = append(known, "known")
	}
	if i := place(order(t, append(known, "stranger"), "known"), "stranger"); i > strangerTurn {
		t.Errorf("%d known ones come before a stranger", i)
	}
}

// TestTurnsGoOn: one that gives up takes no turn.
func TestTurnsGoOn(t *testing.T) {
	turns := newTurns(1)
	if err := turns.takeTurn(t.Context(), "a", time.Now()); err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := turns.takeTurn(gone, "b", time.Now()); err == nil {
		t.Error("a turn that was taken")
	}
	turns.give()
	if err := turns.takeTurn(t.Context(), "c", time.Now()); err != nil {
		t.Error(err)
	}
}

// TestARememberedPasswordWaitsForNobody: neither for those that guess its name at the same address, nor for the hashing.
func TestARememberedPasswordWaitsForNobody(t *testing.T) {
	const address = "10.0.0.1"
	h := newHouse(t)
	if err := h.users.Add("anna", goodPassword); err != nil {
		t.Fatal(err)
	}
	if err := h.verify("anna", goodPassword, address); err != nil {
		t.Fatal(err)
	}
	p := h.users.passwords
	p.hashing.mu.Lock()
	p.hashing.free = 0 // nobody hashes any more
	p.hashing.mu.Unlock()
	named := p.lock.guardOf(guardKey{"anna", address}, h.now())
	named.turn <- struct{}{} // somebody guesses
	within, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := p.Verify(within, "anna", goodPassword, address); err != nil {
		t.Errorf("%v", err)
	}
	for range SignInTries {
		p.lock.countFailure(named, h.now())
	}
	if p.lock.early(named, h.now()) {
		t.Error("a remembered password can be guessed while the name has to wait")
	}
}
