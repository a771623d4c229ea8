package route

import (
	"cmp"
	"context"
	"math"
	"slices"

	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/queue"
	"quaywatch/geo/route/sea"
)

// limits are what a search may not do, and what it may rely on.
type limits struct {
	closed passage.PassageSet
	quick  bool // landmarks and reaches hold: what is closed is what they were made with
}

// Vertices that are none.
const (
	none    = math.MaxUint32
	start   = none - 1 // the end that the search begins at
	arrived = none - 2 // the end that it looks for
)

// search is the memory of one A* search.
type search struct {
	round   uint32
	stamp   []uint32
	km      []float32 // from the start
	rest    []float32 // to the goal at least
	parent  []uint32
	queue   queue.Queue[float32, hop]
	goals   map[uint32]float64 // legs to the goal, by vertex
	marks   []int              // the landmarks that help most
	markTo  []float64          // what they say of the goal
	markOff float64            // kilometres that they may be wrong
	popped  int
}

// hop is the last step of a way in the queue. One from an end is tested against the land when it is its turn.
type hop struct {
	km       float32
	at, from uint32
}

func newSearch(vertices int) *search {
	return &search{stamp: make([]uint32, vertices), km: make([]float32, vertices), rest: make([]float32, vertices), parent: make([]uint32, vertices),
		goals: map[uint32]float64{}}
}

// quest is one search between two ends.
type quest struct {
	*search
	n        *Network
	from, to *end
	far      bool // the start lies on the open sea, where it sees thousands of vertices and none nearby
	limits
}

// find returns the vertices of the shortest way from one end to the other; none where the direct leg is free.
func (s *search) find(ctx context.Context, n *Network, from, to *end, l limits) ([]uint32, error) {
	if n.isFreeLeg(from.at, to.at, l.closed, sea.Exact) {
		return nil, nil
	}
	q := &quest{search: s, n: n, from: from, to: to, limits: l}
	q.fillQueue()
	for len(s.queue) > 0 {
		if s.popped++; s.popped%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		top := s.queue.Pop().Value
		if top.at == arrived {
			if n.isFreeLeg(n.file.At(top.from), to.at, l.closed, sea.Exact) {
				return s.pathTo(top.from), nil
			}
			continue
		}
		if top.from == start && top.km >= s.km[top.at] || top.from != start && top.km > s.km[top.at] {
			continue // a shorter way was found since
		}
		if top.from == start && !(from.port && top.at == from.vertex) && !n.isFreeLeg(from.at, n.file.At(top.at), l.closed, sea.Exact) {
			continue
		}
		s.km[top.at], s.parent[top.at] = top.km, top.from
		if to.port && top.at == to.vertex {
			return s.pathTo(top.at), nil
		}
		q.offerEdges(top)
	}
	return nil, ErrNoRoute
}

// startSearch forgets the search before.
func (s *search) startSearch() {
	s.round++
	if s.round == 0 {
		clear(s.stamp)
		s.round = 1
	}
	s.queue, s.popped = s.queue[:0], 0
	clear(s.goals)
}

// fillQueue fills the queue with what can be reached from the start.
func (q *quest) fillQueue() {
	s := q.search
	s.startSearch()
	q.quick = q.quick && q.to.coastal()
	q.far = q.quick && !q.from.coastal()
	q.chooseMarks()
	for _, j := range q.to.joins {
		s.goals[j.vertex] = j.km
	}
	if !q.to.port && q.to.near {
		s.goals[q.to.vertex] = q.to.off
	}
	if q.from.port || q.from.near {
		q.offerVertex(q.from.vertex, float32(q.from.off), start)
	}
	for _, j := range q.from.joins {
		q.offerVertex(j.vertex, float32(j.km), start)
	}
}

// chooseMarks takes the four landmarks that say most of the two ends, or of the goal where the start sees none. Without reaches there are none. What they say is a little different from vertex to
// vertex. A search that is not held together by reaches would come back to each vertex again and again.
func (q *quest) chooseMarks() {
	s := q.search
	s.marks, s.markTo = s.marks[:0], s.markTo[:0]
	if !q.quick || q.from.marked == none && !q.far || q.to.marked == none || q.to.away > mostAway {
		return
	}
	var all [graph.Landmarks]struct {
		landmark int
		says, to float64
	}
	for l := range all {
		from, known := 0.0, true
		if q.from.marked != none {
			from, known = q.n.file.Mark(l, q.from.marked)
		}
		to, also := q.n.file.Mark(l, q.to.marked)
		all[l].landmark, all[l].to = l, to
		if known && also {
			all[l].says = math.Abs(from - to)
		}
	}
	slices.SortFunc(all[:], func(a, b struct {
		landmark int
		says, to float64
	}) int {
		return cmp.Compare(b.says, a.says)
	})
	s.markOff = q.to.away + 0.5
	for _, a := range all[:4] {
		if a.says > 0 {
			s.marks, s.markTo = append(s.marks, a.landmark), append(s.markTo, a.to)
		}
	}
}

// offerEdges offers what the edges of a vertex lead to.
func (q *quest) offerEdges(top hop) {
	s, f := q.search, q.n.file
	if leg, ok := s.goals[top.at]; ok {
		km := top.km + float32(leg)
		s.queue.Push(km, hop{km, arrived, top.at})
	}
	at := f.At(top.at)
	q.n.halves(top.at, q.closed, func(to uint32) { q.offerVertex(to, top.km+float32(sea.Km(at, f.At(to))), top.at) })
}

// halves visits where the edges of a vertex lead that go through no closed passage.
func (n *Network) halves(v uint32, closed passage.PassageSet, visit func(to uint32)) {
	first, last := n.file.Row(v)
	for e := first; e < last; e++ {
		to, flags := n.file.Half(e)
		if flags&(graph.Gated|graph.Shut) == 0 || n.file.Gates(e)&closed == 0 {
			visit(to)
		}
	}
}

// offerVertex queues a way to a vertex unless a shorter one is known, or no shortest way goes so far from both ends through it.
func (q *quest) offerVertex(v uint32, km float32, from uint32) {
	s := q.search
	if s.stamp[v] != s.round {
		at := q.n.file.At(v)
		rest := sea.Km(at, q.to.at)
		s.stamp[v], s.km[v] = s.round, math.MaxFloat32
		if q.quick && (from != start || q.far && v != q.from.vertex) {
			if far := q.reaches(v); rest > far && sea.Km(at, q.from.at) > far {
				s.km[v] = 0 // no way is shorter
				return
			}
		}
		if from != start {
			rest = max(rest, float64(s.rest[from]-(km-s.km[from])))
		}
		s.rest[v] = float32(q.leastKm(v, rest))
	}
	if km >= s.km[v] {
		return
	}
	if from != start {
		s.km[v], s.parent[v] = km, from
	}
	s.queue.Push(km+s.rest[v], hop{km, v, from})
}

// reaches returns how far in kilometres at most an end lies from a vertex that is on a shortest way. Between ports the reach of the file is exact, for
// the ways from all of them are in it. For other places it is a hint, and twice as much is allowed. Of 1,500 ways from the open sea 3 were longer by 0.05 to
// 0.1 % than without it.
func (q *quest) reaches(v uint32) float64 {
	const rounded, near = 2, 40 // kilometres
	reach := q.n.file.Reach(v)
	if q.from.port && q.to.port {
		return rounded + reach
	}
	return near + 2*reach
}

// mostAway is how far from the goal the vertex may lie by which landmarks are asked.
const mostAway = 200 // kilometres

// leastKm returns the kilometres from a vertex to the goal at least. A vertex without marks has what the one before it had, less the leg.
func (q *quest) leastKm(v uint32, direct float64) float64 {
	if !q.n.file.Marked(v) {
		return direct
	}
	for i, l := range q.search.marks {
		if km, ok := q.n.file.Mark(l, v); ok {
			direct = max(direct, math.Abs(km-q.markTo[i])-q.markOff)
		}
	}
	return direct
}

// pathTo returns the vertices from the start to one.
func (s *search) pathTo(v uint32) (path []uint32) {
	for ; v != start; v = s.parent[v] {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}
