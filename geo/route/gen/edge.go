package main

import (
	"math"
	"slices"

	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// edge joins two vertices.
type edge struct {
	a, b   int32
	km     float64
	forced bool // part of a canal
	gates  passage.PassageSet
}

// slack is how many bins a leg may be off the tangent.
const slack = 8

// tangent returns the directions in which a way can pass a vertex round its corner.
func (n *node) tangent() (m mask) {
	if n.span == 0 {
		m.setRange(0, sea.Bins)
	}
	for _, turn := range []int{sea.Bins / 4, 3 * sea.Bins / 4} {
		m.setRange(n.start+turn-slack+sea.Bins, n.span+2*slack)
	}
	return m
}

// askedFrom is how long a leg must be, in offsets, for its direction to be asked.
const askedFrom = 6

// nearest edge that a mask is asked for, in kilometres.
func (n *node) askedKm() float64 {
	if n.span == 0 {
		return math.Inf(1)
	}
	return askedFrom * scales[n.scale].offset
}

// joinKm is the longest near edge between two vertices.
func joinKm(a, b *node) float64 {
	fine, coarse := max(a.scale, b.scale), min(a.scale, b.scale)
	switch {
	case fine == coarse && fine < len(scales):
		return scales[fine].join
	case fine < len(scales):
		return 2.5 * scales[fine].join
	case coarse >= len(scales):
		return scales[coarse-1].join
	default: // a port joins farther than a corner
		return min(2.5*scales[coarse].join, scales[0].join)
	}
}

// joiner finds the edges of a vertex.
type joiner struct {
	b       *build
	masks   []mask
	byScale []*index
	numbers [][]int32 // of the vertices in byScale
}

func (b *build) newJoiner() *joiner {
	j := &joiner{b: b, masks: make([]mask, len(b.nodes))}
	for _, sc := range scales {
		j.byScale = append(j.byScale, newIndex(max(sc.join/8, 5)))
		j.numbers = append(j.numbers, nil)
	}
	for i := range b.nodes {
		n := &b.nodes[i]
		if n.scale >= len(scales) {
			continue
		}
		j.masks[i] = n.tangent()
		j.byScale[n.scale].add(n.at.Point())
		j.numbers[n.scale] = append(j.numbers[n.scale], int32(i))
	}
	return j
}

// edgesOf returns the near edges of a vertex to those of its own scale with higher numbers, and to coarser ones.
func (j *joiner) edgesOf(i int, step float64) (edges []edge) {
	n := &j.b.nodes[i]
	at := n.at.Point()
	for s := 0; s <= min(n.scale, len(scales)-1); s++ {
		reach := joinKm(n, &node{scale: s})
		j.byScale[s].visitNear(at, reach, func(k int32) bool {
			o := int(j.numbers[s][k])
			if n.scale == s && o <= i {
				return true
			}
			if km := sea.Km(n.at, j.b.nodes[o].at); km <= reach && j.passable(i, o, km) && j.b.water.Clear(n.at, j.b.nodes[o].at, step) {
				edges = append(edges, edge{a: int32(i), b: int32(o), km: km})
			}
			return true
		})
	}
	return edges
}

// passable reports whether a way can pass both ends of a leg in its direction.
func (j *joiner) passable(a, b int, km float64) bool {
	m, n := &j.b.nodes[a], &j.b.nodes[b]
	if km >= m.askedKm() && !j.masks[a].has(m.frame.Bin(n.at)) {
		return false
	}
	return km < n.askedKm() || j.masks[b].has(n.frame.Bin(m.at))
}

// nearEdges joins vertices of like scale that see each other.
func (b *build) nearEdges() {
	j := b.newJoiner()
	b.edges = slices.Concat(parallel(len(b.nodes), 64, func(from, to int) (edges []edge) {
		for i := from; i < to; i++ {
			edges = append(edges, j.edgesOf(i, sea.Quick)...)
		}
		return edges
	})...)
}

// farEdges joins the coarsest vertices over more than the longest near edge.
func (b *build) farEdges() {
	masks := b.farMasks()
	var coarse []int32
	for i := range masks {
		if masks[i].countBits() > 0 {
			coarse = append(coarse, int32(i))
		}
	}
	found := parallel(len(coarse), 16, func(from, to int) (edges []edge) {
		for k := from; k < to; k++ {
			edges = b.farEdgesOf(coarse[k], coarse[k+1:], masks, edges)
		}
		return edges
	})
	b.edges = append(b.edges, slices.Concat(found...)...)
}

func (b *build) farEdgesOf(i int32, others []int32, masks []mask, edges []edge) []edge {
	n := &b.nodes[i]
	for _, o := range others {
		m := &b.nodes[o]
		if !masks[i].has(n.frame.Bin(m.at)) || !masks[o].has(m.frame.Bin(n.at)) {
			continue
		}
		km := sea.Km(n.at, m.at)
		if km <= scales[0].join || km > 19_000 || !b.water.Clear(n.at, m.at, sea.Quick) {
			continue
		}
		edges = append(edges, edge{a: i, b: o, km: km})
	}
	return edges
}

// farMasks returns the directions of the coarsest vertices in which water is free for a while.
func (b *build) farMasks() []mask {
	const free = 80
	last := 0
	for last < len(b.nodes) && b.nodes[last].scale == 0 {
		last++
	}
	masks := make([]mask, last)
	parallel(last, 64, func(from, to int) struct{} {
		for i := from; i < to; i++ {
			n := &b.nodes[i]
			tangent := n.tangent()
			for bin := range sea.Bins {
				if tangent.has(uint8(bin)) && b.water.Clear(n.at, n.frame.Toward(n.at, float64(bin)+0.5, free), sea.Quick) {
					masks[i].setBin(bin)
				}
			}
		}
		return struct{}{}
	})
	return masks
}

// dropGrazing drops edges that a finer walk finds over land.
func (b *build) dropGrazing() {
	kept := parallel(len(b.edges), 256, func(from, to int) (kept []edge) {
		for _, e := range b.edges[from:to] {
			if e.forced || b.water.Clear(b.nodes[e.a].at, b.nodes[e.b].at, sea.Exact) {
				kept = append(kept, e)
			}
		}
		return kept
	})
	b.edges = slices.Concat(kept...)
}
