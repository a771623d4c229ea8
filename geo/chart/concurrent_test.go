package chart_test

import (
	"sync"
	"testing"

	"quaywatch/geo/chart"
)

// Callers share the bytes of a tile: it is cut once, also when all ask at the same time.
func TestTilesAreCutOnce(t *testing.T) {
	tiles := chart.NewTiles(load(t))
	var callers sync.WaitGroup
	first := make([]*byte, 50)
	for i := range first {
		callers.Go(func() {
			tile, err := tiles.Tile(6, 35, 18)
			if err != nil {
				t.Error(err)
				return
			}
			first[i] = &tile.Data[0]
		})
	}
	callers.Wait()
	for i := range first {
		if first[i] != first[0] {
			t.Fatalf("caller %d got another copy", i)
		}
	}
}

func load(t testing.TB) *chart.Chart {
	t.Helper()
	c, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}
