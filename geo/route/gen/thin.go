package main

import (
	"cmp"
	"slices"

	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/queue"
	"quaywatch/geo/route/sea"
)

// detour is how much longer a way may be than the edge that it replaces.
func detour(km float64) float64 {
	switch {
	case km < 20:
		return 1.02
	case km < 100:
		return 1.01
	}
	return 1.005
}

// half is one direction of an edge.
type half struct {
	to   int32
	km   float64
	flat bool
}

// thinEdges drops edges that shorter ones replace with hardly a detour. An edge off the flats is not replaced by a way over them, which is closed to most ships.
func (b *build) thinEdges() {
	slices.SortStableFunc(b.edges, func(x, y edge) int {
		if x.forced != y.forced {
			if x.forced {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.km, y.km), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	s := &seeker{nodes: b.nodes, next: make([][]half, len(b.nodes)), km: make([]float64, len(b.nodes)), stamp: make([]int32, len(b.nodes))}
	kept, flats := b.edges[:0:0], passage.Flats(b.passages)
	for _, e := range b.edges {
		flat := b.gates.Of(b.nodes[e.a].at, b.nodes[e.b].at)&flats != 0
		if !e.forced && s.areJoined(e.a, e.b, e.km*detour(e.km), flat) {
			continue
		}
		s.next[e.a] = append(s.next[e.a], half{e.b, e.km, flat})
		s.next[e.b] = append(s.next[e.b], half{e.a, e.km, flat})
		kept = append(kept, e)
	}
	b.edges = kept
}

// seeker looks for ways within a length.
type seeker struct {
	nodes []node
	next  [][]half
	km    []float64
	stamp []int32
	round int32
	queue queue.Queue[float64, hop]
}

// hop is a vertex in a queue, and how far it is.
type hop struct {
	km float64
	at int32
}

// areJoined reports whether the kept edges lead from a to b within a length, over flats or off them.
func (s *seeker) areJoined(a, b int32, most float64, flats bool) bool {
	s.round++
	s.queue = s.queue[:0]
	s.queue.Push(0, hop{0, a})
	s.km[a], s.stamp[a] = 0, s.round
	goal := s.nodes[b].at
	for len(s.queue) > 0 {
		top := s.queue.Pop().Value
		if top.at == b {
			return true
		}
		if top.km > s.km[top.at] {
			continue
		}
		for _, h := range s.next[top.at] {
			if h.flat && !flats {
				continue
			}
			km := top.km + h.km
			if s.stamp[h.to] == s.round && s.km[h.to] <= km {
				continue
			}
			rank := km + sea.Km(s.nodes[h.to].at, goal)
			if rank > most {
				continue
			}
			s.km[h.to], s.stamp[h.to] = km, s.round
			s.queue.Push(rank, hop{km, h.to})
		}
	}
	return false
}
