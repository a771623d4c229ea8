package sim

import "math"

// field holds, for one goal, the best next step from every cell: all ways to a place are asked for again and again.
type field struct {
	next []uint8 // direction, or noWay where there is none and at the goal
}

const noWay = 255

// way is a cell waiting in the queue of the search, with what it costs to come from it to the goal.
type way struct {
	cost float32
	cell int32
}

// to gives the field of a goal, by Dijkstra's search from it outward. A metre near the shore costs up to five times a
// metre in open water, so that ways keep off the shore.
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
	queue := []way{{0, goal}}
	for len(queue) > 0 {
		var from way
		from, queue = pop(queue)
		if from.cost > costs[from.cell] {
			continue
		}
		queue = w.relax(f, costs, from, queue)
	}
	w.fields[goal] = f
	return f
}

// relax offers the way over a cell to its neighbours.
func (w *water) relax(f *field, costs []float32, from way, queue []way) []way {
	for d := range 8 {
		if w.links[from.cell]>>d&1 == 0 {
			continue
		}
		to := w.step(from.cell, d)
		cost := from.cost + w.stepCost(to, d)
		if cost < costs[to] {
			costs[to], f.next[to] = cost, uint8(d+4)&7
			queue = push(queue, way{cost, to})
		}
	}
	return queue
}

func (w *water) stepCost(c int32, d int) float32 {
	length := float32(cellSize)
	if directions[d].dx != 0 && directions[d].dy != 0 {
		length *= math.Sqrt2
	}
	return length * (1 + 4*float32(max(0, 7-int(w.room[c])))/6)
}

// path gives the middles of the cells from a cell to a goal, both included; nil when there is no way.
func (w *water) path(from, goal int32) []vec {
	f := w.to(goal)
	if f.next[from] == noWay && from != goal {
		return nil
	}
	out := []vec{w.middle(from)}
	for c := from; c != goal; {
		c = w.step(c, int(f.next[c]))
		out = append(out, w.middle(c))
	}
	return out
}

// push and pop keep the ways in a binary heap, the cheapest first.
func push(q []way, v way) []way {
	q = append(q, v)
	for i := len(q) - 1; i > 0; {
		up := (i - 1) / 2
		if q[up].cost <= q[i].cost {
			break
		}
		q[up], q[i] = q[i], q[up]
		i = up
	}
	return q
}

func pop(q []way) (way, []way) {
	top := q[0]
	q[0] = q[len(q)-1]
	q = q[:len(q)-1]
	for i := 0; ; {
		down := 2*i + 1
		if down >= len(q) {
			return top, q
		}
		if down+1 < len(q) && q[down+1].cost < q[down].cost {
			down++
		}
		if q[i].cost <= q[down].cost {
			return top, q
		}
		q[i], q[down] = q[down], q[i]
		i = down
	}
}
