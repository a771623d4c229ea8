package main

import (
	"log"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
)

// What is made side by side shares nothing: the race detector sees all stages, over the water of a small box.
func TestANetworkIsMadeSideBySide(t *testing.T) {
	log.SetOutput(t.Output())
	defer log.SetOutput(os.Stderr)
	out := filepath.Join(t.TempDir(), "route.bin")
	if err := generate("../../chart/land.bin", out, "9.5,55.9,13,58"); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	all, err := passage.All()
	if err != nil {
		t.Fatal(err)
	}
	f, err := graph.Open(string(data), all)
	if err != nil {
		t.Fatal(err)
	}
	if f.Vertices() < 500 || f.Halves() < 2*f.Vertices() {
		t.Errorf("%d vertices, %d half edges", f.Vertices(), f.Halves())
	}
}

func TestRunsOfDirections(t *testing.T) {
	var m mask
	if runs := m.gaps(); len(runs) != 1 || runs[0].span != 256 {
		t.Errorf("of nothing: %v", runs)
	}
	m.setRange(250, 20) // over north
	m.setRange(100, 50)
	m.setRange(152, 90) // 2 bins behind: too short a run
	if runs := m.gaps(); len(runs) != 2 || runs[0] != (run{14, 86}) || runs[1] != (run{242, 8}) {
		t.Errorf("runs %v", runs)
	}
	m.setRange(0, 256)
	if runs := m.gaps(); len(runs) != 0 || !m.isFull() {
		t.Errorf("of all: %v", runs)
	}
}
