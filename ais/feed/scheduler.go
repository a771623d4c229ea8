package feed

import "sync"

// Priority is the setting priority of a subscriber.
type Priority uint8

// The priorities.
const (
	Normal Priority = iota
	Low
	High
)

// turns lets only so many subscribers at once filter and format, so that the rest of the box keeps its share. When more
// want to than may, those of high priority come first, then the normal ones, then the low ones; within one priority who
// came first. Each eighth turn goes the other way round, so that nobody starves. What is written to a socket is written
// outside of a turn: a slow peer keeps nobody waiting.
type turns struct {
	mu      sync.Mutex
	free    int
	given   int
	waiting [3][]chan struct{} // by rank
}

func newTurns(n int) *turns { return &turns{free: max(n, 1)} }

// rank gives the order of priorities, 0 first.
func (p Priority) rank() int {
	switch p {
	case High:
		return 0
	case Low:
		return 2
	}
	return 1
}

// take waits for a turn; it is not long, because nobody blocks in one.
func (t *turns) take(p Priority) {
	t.mu.Lock()
	if t.free > 0 {
		t.free--
		t.mu.Unlock()
		return
	}
	mine := make(chan struct{})
	t.waiting[p.rank()] = append(t.waiting[p.rank()], mine)
	t.mu.Unlock()
	<-mine
}

// give ends a turn.
func (t *turns) give() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given++
	for i := range t.waiting {
		rank := i
		if t.given%8 == 0 {
			rank = len(t.waiting) - 1 - i
		}
		if line := t.waiting[rank]; len(line) > 0 {
			t.waiting[rank] = line[1:]
			close(line[0])
			return
		}
	}
	t.free++
}
