// Package queue is a priority queue for searches on a network: what has the least rank comes first.
package queue

import "cmp"

// Item is a value with its rank.
type Item[R cmp.Ordered, V any] struct {
	Rank  R
	Value V
}

// Queue is a heap of four children, which keeps near in memory what is compared. The zero Queue is empty; q[:0] empties one and keeps its room.
type Queue[R cmp.Ordered, V any] []Item[R, V]

// children is how many items stand below each item of the heap.
const children = 4

// Push adds a value.
func (q *Queue[R, V]) Push(rank R, value V) {
	heap := append(*q, Item[R, V]{rank, value})
	i := len(heap) - 1
	for i > 0 {
		parent := (i - 1) / children
		if heap[parent].Rank <= rank {
			break
		}
		heap[i], i = heap[parent], parent
	}
	heap[i] = Item[R, V]{rank, value}
	*q = heap
}

// Pop takes the item of the least rank out of a queue that is not empty.
func (q *Queue[R, V]) Pop() Item[R, V] {
	heap := *q
	top, last := heap[0], heap[len(heap)-1]
	heap = heap[:len(heap)-1]
	*q = heap
	if len(heap) == 0 {
		return top
	}
	i := 0
	for {
		least := children*i + 1
		if least >= len(heap) {
			break
		}
		for c := least + 1; c < min(children*(i+1)+1, len(heap)); c++ {
			if heap[c].Rank < heap[least].Rank {
				least = c
			}
		}
		if heap[least].Rank >= last.Rank {
			break
		}
		heap[i], i = heap[least], least
	}
	heap[i] = last
	return top
}
