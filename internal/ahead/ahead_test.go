package ahead

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quaywatch/internal/await"
)

// count hands out 0, 1, 2, … up to n.
func count(n int) func(context.Context, func(int) error) error {
	return func(ctx context.Context, hand func(int) error) error {
		for i := range n {
			if err := hand(i); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestEverythingArrivesInOrder(t *testing.T) {
	for range 200 {
		n := rand.IntN(5 * batch)
		var got []int
		if err := Each(t.Context(), count(n), func(i int) error { got = append(got, i); return nil }); err != nil {
			t.Fatal(err)
		}
		want := make([]int, 0, n)
		for i := range n {
			want = append(want, i)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("of %d things came %v", n, got)
		}
	}
}

// TestTheReaderIsAFewBatchesAhead takes nothing until the reader stands still.
func TestTheReaderIsAFewBatchesAhead(t *testing.T) {
	const most = batch * (waiting + 2) // those that are taken, that wait, and that are being read
	read, taken := make(chan int, 100*batch), 0
	err := Each(t.Context(), func(ctx context.Context, hand func(int) error) error {
		return count(100*batch)(ctx, func(i int) error { read <- i; return hand(i) })
	}, func(int) error {
		if taken++; taken == 1 {
			await.That(t, "the reader is ahead", func() bool { return len(read) == most })
			for range 100 {
				runtime.Gosched()
			}
		}
		if ahead := len(read) - taken + 1; ahead > most {
			t.Fatalf("the reader is %d things ahead", ahead)
		}
		return nil
	})
	if err != nil || taken != 100*batch {
		t.Errorf("%v: %d taken", err, taken)
	}
}

func TestAnErrorOfTheCallerEndsTheReader(t *testing.T) {
	broken := errors.New("broken")
	ended := false
	err := Each(t.Context(), func(ctx context.Context, hand func(int) error) error {
		defer func() { ended = true }() // without a lock: the race detector says whether it is over when Each returns
		for {
			if err := hand(1); err != nil {
				return err
			}
		}
	}, func(int) error { return broken })
	if !errors.Is(err, broken) || !ended {
		t.Errorf("%v; the reader has ended: %v", err, ended)
	}
}

func TestAnErrorOfTheReaderComesBehindWhatItRead(t *testing.T) {
	broken := errors.New("broken")
	var got []int
	err := Each(t.Context(), func(ctx context.Context, hand func(int) error) error {
		return errors.Join(count(3)(ctx, hand), broken)
	}, func(i int) error { got = append(got, i); return nil })
	if !errors.Is(err, broken) || !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("%v after %v", err, got)
	}
}

func TestTheContextEndsAReaderThatWaits(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := Each(ctx, count(1000*batch), func(i int) error {
		if i == batch {
			cancel()
		}
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAPanicIsOneOfTheCaller lets each side panic: the caller's recovery gets it, and no goroutine is left.
func TestAPanicIsOneOfTheCaller(t *testing.T) {
	before := runtime.NumGoroutine()
	for name, each := range map[string]func(){
		"read": func() {
			_ = Each(t.Context(), func(context.Context, func(int) error) error { panic("here") }, func(int) error { return nil })
		},
		"take": func() { _ = Each(t.Context(), count(100*batch), func(int) error { panic("here") }) },
	} {
		func() {
			defer func() {
				if fault, _ := recover().(string); !strings.HasPrefix(fault, "here") {
					t.Errorf("%s: recovered %q", name, fault)
				}
			}()
			each()
			t.Errorf("%s: no panic", name)
		}()
	}
	await.That(t, "all goroutines are over", func() bool { return runtime.NumGoroutine() <= before })
}
