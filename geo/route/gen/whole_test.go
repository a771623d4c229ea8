//go:build !race

package main

import (
	"bytes"
	"log"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
)

// The network of a small box is the same each time, opens, and joins the ports in it.
func TestANetworkIsTheSameEachTime(t *testing.T) {
	log.SetOutput(t.Output())
	defer log.SetOutput(os.Stderr)
	var made [][]byte
	for range 2 {
		out := filepath.Join(t.TempDir(), "route.bin")
		if err := generate("../../chart/land.bin", out, "9.5,55.9,13,58"); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, data)
	}
	if !bytes.Equal(made[0], made[1]) {
		t.Error("two runs give different bytes")
	}
	all, err := passage.All()
	if err != nil {
		t.Fatal(err)
	}
	f, err := graph.Open(string(made[0]), all)
	if err != nil {
		t.Fatal(err)
	}
	if f.Vertices() < 500 || f.Halves() < 2*f.Vertices() || f.Approaches() < 5 {
		t.Errorf("%d vertices, %d half edges, %d approaches", f.Vertices(), f.Halves(), f.Approaches())
	}
	for i := range f.Approaches() {
		a := f.Approach(i)
		if from, to := f.Row(a.Vertex); from == to {
			t.Errorf("no way leads from %v", a.Place)
		}
		if off := geo.Distance(a.Way[len(a.Way)-1], f.At(a.Vertex).Point()); a.Way[0] != a.Place || off > 0.1 {
			t.Errorf("the approach of %v begins at %v and ends %.1f m beside its vertex", a.Place, a.Way[0], off)
		}
	}
}
