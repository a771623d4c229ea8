package feed

import "sync"

// OutputPriority is the setting priority of a subscriber.
type OutputPriority uint8

// The priorities.
const (
	Normal OutputPriority = iota
	Low
	High
)

// scheduler lets only so many subscribers filter and format at once, so that the rest of the box keeps its share. When more want to,
// those of high priority come first, then normal, then low; within one priority the first that came. Each eighth slot goes in reverse
// order, so that none starves. A subscriber writes to its socket outside of a slot: a slow peer delays no other.
type scheduler struct {
	mu      sync.Mutex
	free    int
	given   int
	waiting [3][]chan struct{} // by rank
}

func newScheduler(n int) *scheduler { return &scheduler{free: max(n, 1)} }

// rank returns the order of priorities, 0 first.
func (p OutputPriority) rank() int {
	switch p {
	case High:
		return 0
	case Low:
		return 2
	}
	return 1
}

// acquire waits for a slot. It is not long, because no subscriber blocks in one.
func (t *scheduler) acquire(p OutputPriority) {
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

// endSlot ends a slot.
func (t *scheduler) endSlot() {
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
