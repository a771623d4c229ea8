package handlers

import (
	"sync"
)

// streamsOfOne is the most live streams of one caller.
const streamsOfOne = 32

// liveClients counts the open live streams.
type liveClients struct {
	most int

	mu      sync.Mutex
	streams map[string]int // by owner
	count   int
	dropped uint64
}

// enter takes a place for a stream of the caller, if there is one.
func (l *liveClients) enter(owner string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.count >= l.most || l.streams[owner] >= streamsOfOne {
		return false
	}
	l.count++
	l.streams[owner]++
	return true
}

// leave gives the place back; dropped tells that the client did not read.
func (l *liveClients) leave(owner string, dropped bool) {
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

// clients gives how many streams are open and how many were cut off because they did not read.
func (l *liveClients) clients() (open int, dropped uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count, l.dropped
}
