package live

import (
	"sync"
)

// StreamsOfOne is the most live streams of one caller.
const StreamsOfOne = 32

// clients counts the open live streams.
type clients struct {
	most int

	mu        sync.Mutex
	streams   map[string]int // by owner
	count     int
	strangers int // of them without a name
	dropped   uint64
}

// enter takes a place for a stream of the caller, if there is one. A quarter of the places is for callers that signed in.
func (l *clients) enter(owner string, stranger bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count >= l.most || l.streams[owner] >= StreamsOfOne || stranger && l.strangers >= l.most-l.most/4 {
		return false
	}
	if stranger {
		l.strangers++
	}
	l.count++
	l.streams[owner]++
	return true
}

// leave gives the place back; dropped tells that the client did not read.
func (l *clients) leave(owner string, stranger, dropped bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if stranger {
		l.strangers--
	}
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
