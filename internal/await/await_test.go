package await_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/internal/await"
)

// failing keeps what a test would fail with.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, args ...any) {
	for _, a := range args {
		if text, is := a.(string); is {
			f.said += text
		}
	}
	runtime.Goexit()
}

// TestWaitsUntilItHolds: at once when it holds already, and else soon after it does.
func TestWaitsUntilItHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		await.That(t, "what holds", func() bool { return true })
		if took := time.Since(began); took != 0 {
			t.Errorf("what holds already took %v", took)
		}
		await.That(t, "a second", func() bool { return time.Since(began) >= time.Second })
		if took := time.Since(began); took > time.Second+20*time.Millisecond {
			t.Errorf("what holds after a second took %v", took)
		}
	})
}

// TestSaysWhatItWaitedFor: when the limit is over, and not before.
func TestSaysWhatItWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, f, ended := time.Now(), &failing{TB: t}, make(chan struct{})
		go func() {
			defer close(ended)
			await.Within(f, time.Minute, "the ship sails", func() bool { return false })
			t.Error("it went on")
		}()
		<-ended
		if took := time.Since(began); took < time.Minute || took > time.Minute+time.Second || !strings.Contains(f.said, "the ship sails") {
			t.Errorf("after %v: %q", took, f.said)
		}
	})
}

// TestThereIsALook: also after a limit that was over at once, and the rounds are counted.
func TestThereIsALook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		if looks := slices.Collect(await.Looks(-1)); !slices.Equal(looks, []int{0}) {
			t.Errorf("no time: looks %v", looks)
		}
		looks := 0
		for range await.Looks(time.Second) {
			looks++
			time.Sleep(time.Hour)
		}
		if looks != 2 {
			t.Errorf("looks that take an hour: %d, want the one after the limit", looks)
		}
	})
}
