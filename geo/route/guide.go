package route

import (
	"context"
	"errors"
	"math"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// Numbers of ways between a stop and a vertex, in the hops of a guided search.
const (
	outward = 1 << 30 // and the index of a way out of the first stop
	inward  = 1 << 31 // and the index of a way in to the last
)

// guide is one search over the network and the fairways.
type guide struct {
	*search
	f        *fairways
	ctx      context.Context
	to       sea.UnitVector
	closed   passage.PassageSet
	open     []bool // by fairway
	out, in  []access
	goals    map[uint32][]uint32 // indexes of in, by vertex
	most     float64             // kilometres that are too many
	from, at uint32              // where the best way leaves and arrives: the index of out, and of in
}

// leastGain is how many kilometres a way must be shorter than the one that is known.
const leastGain = 0.01

// shortest returns the way that keeps to open fairways, w where none is shorter, which may be nil. It fails with the error of the context.
func (f *fairways) shortest(ctx context.Context, q question, open []bool, w *Way) (*Way, error) {
	ends := [2]*end{}
	for i, p := range []geo.Point{q.from, q.to} {
		e, err := f.n.joinStop(ctx, p)
		if err != nil && !errors.Is(err, ErrOnLand) {
			return nil, err
		}
		ends[i] = e
	}
	s := f.scratch.Get().(*search)
	defer f.scratch.Put(s)
	g := &guide{search: s, f: f, ctx: ctx, to: sea.At(q.to), closed: q.closed | q.tooSmall | q.unsure | q.flats&^passagesOf(w), open: open, goals: map[uint32][]uint32{},
		out: f.accesses(q.from, ends[0], open, true), in: f.accesses(q.to, ends[1], open, false), most: f.countedKm(w) - leastGain}
	if len(g.out) == 0 || len(g.in) == 0 {
		return w, nil
	}
	best := w
	if straight := g.wayAlongLeg(); straight != nil {
		best = straight
	}
	path, err := g.find()
	if err != nil {
		return nil, err
	}
	if path == nil {
		return best, nil
	}
	// Drawn straight, the way may count a little more than the search found: it turns elsewhere.
	if drawn := g.draw(path); g.f.countedKm(drawn) < g.f.countedKm(best) {
		best = drawn
	}
	return best, nil
}

// wayAlongLeg returns the way between two places beside one leg of a fairway, nil where another is known that is no longer.
func (g *guide) wayAlongLeg() *Way {
	var from, to *access
	for i := range g.out {
		for k := range g.in {
			a, b := &g.out[i], &g.in[k]
			if a.line < 0 || b.line < 0 || a.leg != b.leg || g.f.lines[a.line].OneWay && b.share < a.share {
				continue
			}
			leg := g.f.legs[a.leg]
			if km := a.begun + b.begun + math.Abs(b.share-a.share)*sea.Km(g.f.at[leg.From], g.f.at[leg.To]); km < g.most {
				g.most, from, to = km, a, b
			}
		}
	}
	if from == nil {
		return nil
	}
	return g.joinedWay(from, to, nil)
}

// find returns the vertices of the shortest way; none where it counts too much.
func (g *guide) find() ([]uint32, error) {
	g.fillQueue()
	for len(g.queue) > 0 {
		if g.popped++; g.popped%1024 == 0 && g.ctx.Err() != nil {
			return nil, g.ctx.Err()
		}
		top := g.queue.Pop().Value
		switch {
		case top.at >= inward:
			if a := &g.in[top.at-inward]; g.isClearAccess(a) {
				g.at = top.at - inward
				return g.pathTo(top.from), nil
			}
			continue
		case top.from >= outward:
			if top.km >= g.km[top.at] || !g.isClearAccess(&g.out[top.from-outward]) {
				continue
			}
			g.km[top.at], g.parent[top.at] = top.km, top.from
		case top.km > g.km[top.at]:
			continue // a shorter way was found since
		}
		g.offerLegs(top)
	}
	return nil, nil
}

// fillQueue fills the queue with the ways out of the first stop.
func (g *guide) fillQueue() {
	g.search.startSearch()
	for i, a := range g.in {
		g.goals[a.vertex] = append(g.goals[a.vertex], uint32(i))
	}
	for i, a := range g.out {
		g.offerVertex(a.vertex, float32(a.km), outward+uint32(i))
	}
}

// isClearAccess reports whether the leg between a way and its vertex may be sailed.
func (g *guide) isClearAccess(a *access) bool {
	return a.joined || a.line >= 0 || g.f.n.isFreeLeg(sea.At(a.way[len(a.way)-1]), g.f.placeOf(a.vertex), g.closed, sea.Exact)
}

// offerLegs offers what the legs from a vertex lead to.
func (g *guide) offerLegs(top hop) {
	f := g.f
	for _, i := range g.goals[top.at] {
		if km := top.km + float32(g.in[i].km); float64(km) < g.most {
			g.queue.Push(km, hop{km, inward + i, top.at})
		}
	}
	legs := f.in[top.at]
	if top.at >= f.first {
		legs = f.out[top.at-f.first]
	} else {
		at := f.n.file.At(top.at)
		f.n.halves(top.at, g.closed, func(to uint32) { g.offerVertex(to, top.km+float32(f.weighLeg(at, f.n.file.At(to))), top.at) })
	}
	for _, l := range legs {
		if l.gates&g.closed == 0 && (l.line < 0 || g.open[l.line]) {
			g.offerVertex(l.to, top.km+float32(l.km), top.at)
		}
	}
}

// offerVertex queues a way to a vertex unless a shorter one is known, or it counts too much.
func (g *guide) offerVertex(v uint32, km float32, from uint32) {
	if g.stamp[v] != g.round {
		g.stamp[v], g.km[v], g.rest[v] = g.round, math.MaxFloat32, float32(sea.Km(g.f.placeOf(v), g.to))
	}
	if km >= g.km[v] || float64(km+g.rest[v]) >= g.most {
		return
	}
	if from < outward {
		g.km[v], g.parent[v] = km, from
	}
	g.queue.Push(km+g.rest[v], hop{km, v, from})
}

// pathTo returns the vertices up to one, and notes the way out.
func (g *guide) pathTo(v uint32) (path []uint32) {
	for ; v < outward; v = g.parent[v] {
		path = append(path, v)
	}
	g.from = v - outward
	slices.Reverse(path)
	return path
}

// draw makes a way of the vertices that were found.
func (g *guide) draw(path []uint32) *Way { return g.joinedWay(&g.out[g.from], &g.in[g.at], path) }

// guidedLine is a line with the fairway of each leg that is fixed, -1 for a canal or an approach.
type guidedLine struct {
	line
	fairway []int
}

func (l *guidedLine) add(p geo.Point, at sea.UnitVector, fixed bool, fairway int) {
	legs := len(l.fixed)
	if l.line.add(p, at, fixed); fixed && len(l.fixed) > legs {
		l.fairway = append(l.fairway, fairway)
	}
}

// joinedWay makes a way of a way out, vertices and a way in. Without vertices both meet the same leg of a fairway.
func (g *guide) joinedWay(from, to *access, path []uint32) *Way {
	l, f := &guidedLine{}, g.f
	for i, p := range from.way {
		l.add(p, sea.At(p), i > 0 && !f.n.afloat(from.way[i-1], p), -1)
	}
	for i, v := range path {
		at, fixed, line := f.placeOf(v), from.line >= 0, from.line
		if i > 0 {
			fixed, line = f.legKind(path[i-1], v)
		} else if from.joined {
			continue // the last point of its way
		}
		if i == len(path)-1 && to.joined {
			l.add(to.way[len(to.way)-1], at, fixed, line)
			continue
		}
		l.add(at.Point(), at, fixed, line)
	}
	for i := len(to.way) - 1; i >= 0; i-- {
		p, fixed, line := to.way[i], to.line >= 0, to.line
		if i < len(to.way)-1 {
			fixed, line = !f.n.afloat(to.way[i+1], p), -1
		} else if to.joined && len(path) > 0 {
			continue
		}
		l.add(p, sea.At(p), fixed, line)
	}
	return f.makeWay(l, g.closed, from.onLand, to.onLand)
}

// legKind reports whether a leg is kept as it is, and which fairway it is a part of.
func (f *fairways) legKind(a, b uint32) (fixed bool, line int) {
	if a < f.first && b < f.first {
		return f.n.forced(a, b), -1
	}
	if a >= f.first {
		for _, l := range f.out[a-f.first] {
			if l.to == b && l.line >= 0 {
				return true, l.line
			}
		}
	}
	return false, -1
}

// makeWay makes a way of a line, drawn straight where it leads over open water outside of the areas.
func (f *fairways) makeWay(l *guidedLine, closed passage.PassageSet, snapFrom, snapTo float64) *Way {
	open := f.n.open(closed)
	free := func(a, b sea.UnitVector, step float64) bool { return open(a, b, step) && f.kmInside(a, b) == 0 }
	w := f.n.makeWay(tighten(smooth(&l.line, free), free, nil), snapFrom, snapTo)
	at := 0 // fixed legs stay as they are, so they are counted
	for i, fixed := range w.fixed {
		if !fixed {
			continue
		}
		if k := l.fairway[at]; k >= 0 {
			line := &f.lines[k]
			if line.Name != "" && !slices.Contains(w.Fairways, line.Name) {
				w.Fairways = append(w.Fairways, line.Name)
			}
			if line.Speed > 0 {
				w.addLimit(SpeedLimit{line.Speed, geo.Distance(w.Points[i], w.Points[i+1])})
			}
		}
		at++
	}
	return w
}

// passagesOf returns the passages of a way; none of none.
func passagesOf(w *Way) passage.PassageSet {
	if w == nil {
		return 0
	}
	return w.gates
}
