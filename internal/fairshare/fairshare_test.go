package fairshare_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/internal/fairshare"
)

// Of two callers, one with 31 pieces of work and one with one, each has every second turn.
func TestOneCallerDoesNotKeepAnotherWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places, ctx := fairshare.New(1), t.Context()
		first, err := places.Take(ctx, "honest")
		if err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []string
		var work sync.WaitGroup
		for range 31 {
			work.Go(func() {
				turn, err := places.Take(ctx, "greedy")
				if err != nil {
					t.Error(err)
					return
				}
				defer turn.End()
				mu.Lock()
				order = append(order, "greedy")
				mu.Unlock()
			})
		}
		synctest.Wait() // all wait for a place
		for range 10 {
			time.Sleep(fairshare.Length) // so long a turn is, by the bubble's clock
			if err := first.Rest(ctx); err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			order = append(order, "honest")
			mu.Unlock()
		}
		first.End()
		work.Wait()
		if len(order) != 41 {
			t.Fatalf("%d turns", len(order))
		}
		for i, caller := range order[:20] { // later the greedy one is alone
			if caller != []string{"greedy", "honest"}[i%2] {
				t.Fatalf("turn %d is of the %s caller: %v", i+1, caller, order)
			}
		}
	})
}

// A caller that goes while it waits takes no place with it, and none is lost.
func TestACallerThatGoesKeepsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		places := fairshare.New(2)
		var work sync.WaitGroup
		for i := range 200 {
			work.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				if i%3 == 0 {
					cancel()
				}
				defer cancel()
				turn, err := places.Take(ctx, []string{"a", "b", "c"}[i%3])
				if err != nil {
					return
				}
				time.Sleep(time.Duration(i%5) * time.Millisecond)
				_ = turn.Rest(ctx)
				turn.End()
			})
		}
		work.Wait()
		for range 2 {
			if _, err := places.Take(t.Context(), "later"); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		if _, err := places.Take(ctx, "third"); err == nil {
			t.Error("there are more places than two")
		}
	})
}

// Of one caller as much work is under way as there are places, also while it rests. What waits to begin holds nothing.
func TestOfOneCallerLittleIsUnderWay(t *testing.T) {
	const count = 2
	places := fairshare.New(count)
	var under, most atomic.Int64
	var work sync.WaitGroup
	for range 50 {
		work.Go(func() {
			turn, err := places.Take(t.Context(), "greedy")
			if err != nil {
				t.Error(err)
				return
			}
			defer turn.End()
			for now := under.Add(1); now > most.Load(); now = under.Load() {
				most.Store(now)
			}
			for range 3 {
				if err := turn.Away(t.Context(), func() error { runtime.Gosched(); return nil }); err != nil {
					t.Error(err)
				}
			}
			under.Add(-1)
		})
	}
	work.Wait()
	if most.Load() > count {
		t.Errorf("%d pieces of work of one caller are under way", most.Load())
	}
}

// Work that is away holds no place, and ends when what it did fails.
func TestAwayLeavesThePlace(t *testing.T) {
	places := fairshare.New(1)
	turn, err := places.Take(t.Context(), "slow")
	if err != nil {
		t.Fatal(err)
	}
	failed := errors.New("the disk is gone")
	err = turn.Away(t.Context(), func() error {
		other, err := places.Take(t.Context(), "other")
		if err != nil {
			t.Fatal(err)
		}
		other.End()
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("away gives %v", err)
	}
	turn.End()
	for range 2 { // of the same caller: its work has ended
		if turn, err = places.Take(t.Context(), "slow"); err != nil {
			t.Fatal(err)
		}
		turn.End()
	}
}
