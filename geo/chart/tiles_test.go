package chart_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"quaywatch/geo/chart"
)

func TestTilesAreThoseOfTheChart(t *testing.T) {
	c := load(t)
	tiles := chart.NewTiles(c)
	for range 2 { // cut, then kept
		for _, at := range [][3]int{{0, 0, 0}, {6, 35, 18}, {12, 2190, 1282}, {9, 0, 250}} {
			want, err := c.Tile(at[0], at[1], at[2])
			if err != nil {
				t.Fatal(err)
			}
			got, err := tiles.Tile(at[0], at[1], at[2])
			if err != nil || !bytes.Equal(got.Data, want) || !strings.HasPrefix(got.Tag, `"`) {
				t.Errorf("%v: %d bytes with tag %s, %v; the chart gives %d", at, len(got.Data), got.Tag, err, len(want))
			}
		}
	}
	if _, err := tiles.Tile(1, 2, 0); err == nil {
		t.Error("a tile that does not exist is given")
	}
}

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
