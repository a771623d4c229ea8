//go:build !race

package feed

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestRingAgainstASlice: whatever is put in, read, forgotten and cleared, readers get every message in order, or are told
// how many they missed.
func TestRingAgainstASlice(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		began := time.Unix(0, 0)
		r := newRing[uint64](began)
		r.most.Store(int64(2 + random.IntN(6)))
		now := began
		put := uint64(0)
		places := make([]place, 4)
		next := make([]uint64, len(places))
		for i := range places {
			places[i] = r.endPlace()
		}
		for range 3000 {
			now = now.Add(time.Duration(random.IntN(2000)) * time.Millisecond)
			switch k := random.IntN(len(places)); random.IntN(12) {
			case 0: // a reader begins anew
				places[k], next[k] = r.endPlace(), put
			case 1:
				if random.IntN(50) == 0 {
					r.dropPages()
				}
			case 2, 3, 4, 5:
				for range random.IntN(200) {
					r.put2(put, now)
					put++
				}
			default:
				places[k], next[k] = readSome(t, r, places[k], next[k], random.IntN(400))
			}
		}
		for k := range places {
			for more := true; more; {
				before := next[k]
				places[k], next[k] = readSome(t, r, places[k], next[k], 1<<30)
				more = next[k] != before
			}
			if next[k] != put {
				t.Fatalf("seed %d: reader %d ended at %d of %d", seed, k, next[k], put)
			}
		}
	}
}
