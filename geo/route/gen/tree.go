package main

import (
	"math"

	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/queue"
)

// adjacency returns the edges by vertex, without those through passages that are closed to most ships.
func (b *build) adjacency() [][]half {
	shut := passage.Shut(b.passages) | passage.Flats(b.passages)
	next := make([][]half, len(b.nodes))
	for i := range b.edges {
		e := &b.edges[i]
		e.gates = b.gates.Of(b.nodes[e.a].at, b.nodes[e.b].at)
		if e.gates&shut == 0 {
			next[e.a] = append(next[e.a], half{to: e.b, km: e.km})
			next[e.b] = append(next[e.b], half{to: e.a, km: e.km})
		}
	}
	return next
}

// tree is the shortest ways from a vertex.
type tree struct {
	km     []float64
	parent []int32
	order  []int32 // the vertices, nearest first
	queue  queue.Queue[float64, hop]
}

func newTree(n int) *tree { return &tree{km: make([]float64, n), parent: make([]int32, n)} }

func (t *tree) growFrom(next [][]half, root int32) {
	for i := range t.km {
		t.km[i] = math.Inf(1)
	}
	t.order = t.order[:0]
	t.km[root], t.parent[root] = 0, root
	t.queue = t.queue[:0]
	t.queue.Push(0, hop{0, root})
	for len(t.queue) > 0 {
		top := t.queue.Pop().Value
		if top.km > t.km[top.at] {
			continue
		}
		t.order = append(t.order, top.at)
		for _, h := range next[top.at] {
			if km := top.km + h.km; km < t.km[h.to] {
				t.km[h.to], t.parent[h.to] = km, top.at
				t.queue.Push(km, hop{km, h.to})
			}
		}
	}
}

// landmarks chooses vertices far from each other, and keeps the ways from them. The first is found from that with the most edges.
func (b *build) landmarks() {
	next := b.adjacency()
	root := 0
	for i := range next {
		if len(next[i]) > len(next[root]) {
			root = i
		}
	}
	t := newTree(len(b.nodes))
	t.growFrom(next, int32(root))
	nearest := append([]float64(nil), t.km...)
	for range graph.Landmarks {
		far := t.order[0]
		for i, km := range nearest {
			if !math.IsInf(km, 1) && km > nearest[far] {
				far = int32(i)
			}
		}
		if len(b.marks) == 0 {
			for i := range nearest {
				nearest[i] = math.Inf(1)
			}
		}
		t.growFrom(next, far)
		b.marks = append(b.marks, append([]float64(nil), t.km...))
		for i, km := range t.km {
			nearest[i] = min(nearest[i], km)
		}
	}
}

// findReaches finds for each vertex how far at most both ends of a shortest way through it are, of all ways from ports.
func (b *build) findReaches() {
	next := b.adjacency()
	const run = 32
	parts := parallel(len(b.approaches), run, func(from, to int) []float32 {
		reach := make([]float32, len(b.nodes))
		high := make([]float64, len(b.nodes))
		t := newTree(len(b.nodes))
		for _, a := range b.approaches[from:to] {
			t.growFrom(next, int32(a.Vertex))
			clear(high)
			for i := len(t.order) - 1; i > 0; i-- {
				v := t.order[i]
				p := t.parent[v]
				high[p] = max(high[p], high[v]+t.km[v]-t.km[p])
				reach[v] = max(reach[v], float32(min(t.km[v], high[v])))
			}
		}
		return reach
	})
	b.reaches = make([]float64, len(b.nodes))
	for _, part := range parts {
		for i, km := range part {
			b.reaches[i] = max(b.reaches[i], float64(km))
		}
	}
}

// parts returns what the file holds.
func (b *build) parts() graph.NetworkParts {
	p := graph.NetworkParts{Field: b.field, Approaches: b.approaches, Passages: b.passages, Marks: b.marks}
	for i, n := range b.nodes {
		p.Vertices = append(p.Vertices, graph.Vertex{At: n.at, Scale: uint8(n.scale), Start: uint8(n.start), Span: uint8(n.span), Reach: b.reaches[i]})
	}
	for _, e := range b.edges {
		p.Edges = append(p.Edges, graph.Edge{A: uint32(e.a), B: uint32(e.b), Gates: e.gates, Forced: e.forced})
	}
	return p
}
