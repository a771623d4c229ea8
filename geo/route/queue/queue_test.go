package queue

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLeastFirst holds that whatever is pushed comes out by its rank, each once, with its value.
func TestLeastFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q Queue[float64, int]
	var held []float64
	for range 20_000 {
		if len(held) > 0 && random.IntN(3) == 0 {
			least := slices.Min(held)
			if top := q.Pop(); top.Rank != least || top.Value != int(least*1000) {
				t.Fatalf("%v came before %v", top, least)
			}
			held = slices.Delete(held, slices.Index(held, least), slices.Index(held, least)+1)
		}
		if len(held) < 300 {
			rank := float64(random.IntN(1000)) / 8
			held = append(held, rank)
			q.Push(rank, int(rank*1000))
		}
	}
	if len(q) != len(held) || len(held) < 100 {
		t.Errorf("%d are left, want %d", len(q), len(held))
	}
}
