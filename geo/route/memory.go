package route

import (
	"sync"

	"quaywatch/geo"
	"quaywatch/geo/route/fairway"
	"quaywatch/geo/route/passage"
)

// mostAsked is how many ways are remembered.
const mostAsked = 1024

// question is what a way between two stops depends on.
type question struct {
	from, to               geo.Point
	closed                 passage.PassageSet // by the caller
	tooSmall, deep, unsure passage.PassageSet // for the ship: too small in any way, not deep enough, and small without knowing the ship
	flats                  passage.PassageSet // that the ship keeps off unless no other way leads
	size                   fairway.ShipSize   // where fairways may be closed to it
}

// memory holds the ways that were found last.
type memory struct {
	mu    sync.Mutex
	ways  map[question]*Way
	order []question // a ring
	next  int
	round uint64 // how often all was forgotten
}

func newMemory(most int) *memory {
	return &memory{ways: make(map[question]*Way), order: make([]question, most)}
}

// get returns the way of a question, and the round for put.
func (m *memory) get(q question) (w *Way, round uint64, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w, ok = m.ways[q]
	return w, m.round, ok
}

// putWay remembers a way in the place of the oldest, unless all was forgotten since its round.
func (m *memory) putWay(q question, w *Way, round uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.ways[q]; ok || round != m.round {
		return
	}
	delete(m.ways, m.order[m.next])
	m.ways[q], m.order[m.next] = w, q
	m.next = (m.next + 1) % len(m.order)
}

// clearWays forgets all.
func (m *memory) clearWays() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.ways)
	m.round++
}
