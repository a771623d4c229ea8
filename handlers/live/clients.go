package live

import (
	"sync"
)

// StreamsOfOne is the most live streams of one caller.
const StreamsOfOne = 32

// clients counts the open live streams.
type clients struct {
	most int

	mu      sync.Mutex
	streams map[string]int // by owner
	count   int
	dropped uint64
}

// enter takes a place for a stream of the caller, if there is one.
func (l *clients) enter(owner string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count >= l.most || l.streams[owner] >= StreamsOfOne {
		return false
	}
	l.count++
	l.streams[owner]++
	return true
}

// leave gives the place back; dropped tells that the client did not read.
func (l *clients) leave(owner string, dropped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count--
	if l.streams[owner]--; l.streams[owner] <= 0 {
		delete(l.streams, owner)
	}
	if dropped {
		l.dropped++
	}
}

// figures gives how many streams are open and how many were cut off because they did not read.
func (l *clients) figures() (open int, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.dropped
}
