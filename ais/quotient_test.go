package ais

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// TestQuotients: what is printed without floats is what strconv prints of the float.
func TestQuotients(t *testing.T) {
	check := func(t interface{ Errorf(string, ...any) }, v, per, decimals int) {
		want := strconv.FormatFloat(float64(v)/float64(per), 'f', decimals, 64)
		if got := string(appendQuotient([]byte("x"), v, per, decimals)); got != "x"+want {
			t.Errorf("%d/%d with %d decimals is %s, want %s", v, per, decimals, got[1:], want)
		}
	}
	kinds := []struct{ per, decimals int }{{10, 1}, {600_000, 7}, {600, 4}, {6000, 5}, {1000, 3}, {100, 2}, {60_000, 6}, {3, 1}, {2, 0}}
	for _, k := range kinds {
		for v := -5000; v <= 5000; v++ {
			check(t, v, k.per, k.decimals)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.SampledFrom(kinds).Draw(t, "kind")
		check(t, rapid.IntRange(-1<<28, 1<<28).Draw(t, "v"), k.per, k.decimals)
	})
}
