package sim

import "math"

// field holds, for one goal, the best next step from each cell. It is kept, because many ships sail to the same goal.
type field struct {
	next []uint8 // direction, or noWay where there is none and at the goal
}

const noWay = 255

// way is a cell in the queue of the search, with the cost of the way from it to the goal.
type way struct {
	cost float32
	cell int32
}

// queue holds ways in buckets by cost (Dial's variant of Dijkstra's search). A bucket is as wide as the cheapest step, so
// no way makes another of its bucket cheaper, and their order does not matter. The dearest step reaches eight buckets ahead.
type queue struct {
	step    float32 // cost of the cheapest step
	buckets [9][]way
	waiting int
}

func (q *queue) push(v way) {
	b := &q.buckets[int(v.cost/q.step)%len(q.buckets)]
	*b = append(*b, v)
	q.waiting++
}

// to returns the field of a goal. The search begins at the goal. A metre near the shore costs up to five times a metre in
// open water, so that ways keep off the shore.
func (w *water) to(goal int32) *field {
	if f := w.fields[goal]; f != nil {
		return f
	}
	f := &field{next: make([]uint8, len(w.open))}
	costs := make([]float32, len(w.open))
	for c := range f.next {
		f.next[c], costs[c] = noWay, math.MaxFloat32
	}
	costs[goal] = 0
	q := queue{step: float32(w.size)}
	q.push(way{0, goal})
	for at := 0; q.waiting > 0; at = (at + 1) % len(q.buckets) {
		for i := 0; i < len(q.buckets[at]); i++ {
			if from := q.buckets[at][i]; from.cost <= costs[from.cell] {
				w.relax(f, costs, from, &q)
			}
		}
		q.waiting -= len(q.buckets[at])
		q.buckets[at] = q.buckets[at][:0]
	}
	w.fields[goal] = f
	return f
}

// relax offers the way over a cell to its neighbours.
func (w *water) relax(f *field, costs []float32, from way, q *queue) {
	stride := [8]int32{}
	for d := range stride {
		stride[d] = int32(directions[d].dy*w.side + directions[d].dx)
	}
	for d, links := 0, w.links[from.cell]; links != 0; d, links = d+1, links>>1 {
		if links&1 == 0 {
			continue
		}
		to := from.cell + stride[d]
		cost := from.cost + w.stepCost(to, d)
		if cost < costs[to] {
			costs[to], f.next[to] = cost, uint8(d+4)&7
			q.push(way{cost, to})
		}
	}
}

func (w *water) stepCost(c int32, d int) float32 {
	length := float32(w.size)
	if directions[d].dx != 0 && directions[d].dy != 0 {
		length *= math.Sqrt2
	}
	return length * (1 + 4*float32(max(0, 7-int(w.room[c])))/6)
}

// pathBetween returns the middles of the cells from a cell to a goal, both included; nil when there is no way.
func (w *water) pathBetween(from, goal int32) []vec {
	f := w.to(goal)
	if f.next[from] == noWay && from != goal {
		return nil
	}
	out := []vec{w.middleOf(from)}
	for c := from; c != goal; {
		c = w.neighbourAt(c, int(f.next[c]))
		out = append(out, w.middleOf(c))
	}
	return out
}
