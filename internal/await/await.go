// Package await lets tests wait for what another goroutine or program does in its own time. Only tests import it. It has the one pause between two looks
// that there is in the tests.
package await

import (
	"iter"
	"testing"
	"time"
)

// Limit is how long a test waits for what must come, also on a slow and busy machine. It is no measure of anything.
const Limit = 2 * time.Minute

// The pause between two looks grows from the shortest to the longest. What is near is seen soon, and what takes long is not asked in vain too often.
const (
	shortest = 50 * time.Microsecond
	longest  = 10 * time.Millisecond
)

// That waits until something holds, and fails the test when it does not within the limit.
func That(t testing.TB, what string, holds func() bool) {
	t.Helper()
	Within(t, Limit, what, holds)
}

// Within is That with a limit of its own.
func Within(t testing.TB, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	for range Looks(limit) {
		if holds() {
			return
		}
	}
	t.Fatalf("waited %v in vain: %s", limit, what)
}

// Looks is one round for each look, for a test that has more to say in the end. The test leaves the loop when it saw what it waits for. The loop ends by itself
// when the limit is over. There is a last look after that, however long the others took.
func Looks(limit time.Duration) iter.Seq[int] {
	return func(look func(int) bool) {
		pause, ends := shortest, time.Now().Add(limit)
		for i := 0; ; i++ {
			over := time.Now().After(ends)
			if !look(i) || over {
				return
			}
			time.Sleep(pause) // nothing tells of what may be anything: the one pause of all that waits
			pause = min(2*pause, longest)
		}
	}
}
