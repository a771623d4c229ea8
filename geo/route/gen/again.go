package main

import (
	"os"
	"time"

	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// remakeNetwork makes a network from another one, which was made with other lines. Vertices, edges and approaches stay: an edge that was left out because the
// way through a new line is hardly longer is not found again.
func remakeNetwork(from, out string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := graph.Read(string(data))
	if err != nil {
		return err
	}
	b := &build{field: []byte(f.Field()), began: time.Now()}
	if b.passages, err = passage.All(); err != nil {
		return err
	}
	b.gates = passage.NewGates(b.passages)
	for v := range uint32(f.Vertices()) {
		scale, start, span := f.Shape(v)
		b.nodes = append(b.nodes, node{at: f.At(v), scale: int(scale), start: int(start), span: int(span)})
		first, last := f.Row(v)
		for e := first; e < last; e++ {
			if to, flags := f.Half(e); to > v {
				b.edges = append(b.edges, edge{a: int32(v), b: int32(to), km: sea.Km(f.At(v), f.At(to)), forced: flags&graph.Forced != 0})
			}
		}
	}
	for i := range f.Approaches() {
		b.approaches = append(b.approaches, f.Approach(i))
	}
	b.stage("read")
	b.landmarks()
	b.stage("landmarks")
	b.findReaches()
	b.stage("reach")
	return b.write(out)
}
