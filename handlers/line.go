package handlers

import (
	"context"
	"slices"
	"sync"

	"quaywatch/access"
)

// waitingLine lets a few jobs run at once. When one leaves, of those that wait the one with the highest priority comes next, and
// of equal ones that which came first.
type waitingLine struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter // in the order in which they come
}

type waiter struct {
	priority access.Priority
	turn     chan struct{} // closed when it comes
}

func newWaitingLine(atOnce int) *waitingLine { return &waitingLine{free: atOnce} }

// enter waits for a place. It fails with the context's error, and holds no place then.
func (l *waitingLine) enter(ctx context.Context, priority access.Priority) error {
	w := l.stand(priority)
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	l.mu.Lock()
	at := slices.Index(l.waiting, w)
	if at >= 0 {
		l.waiting = slices.Delete(l.waiting, at, at+1)
	}
	l.mu.Unlock()
	if at < 0 { // its turn came at the same moment
		l.leave()
	}
	return ctx.Err()
}

// stand takes a free place, or the end of the line of its priority.
func (l *waitingLine) stand(priority access.Priority) *waiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := &waiter{priority, make(chan struct{})}
	if l.free > 0 {
		l.free--
		close(w.turn)
		return w
	}
	at := slices.IndexFunc(l.waiting, func(o *waiter) bool { return o.priority < priority })
	if at < 0 {
		at = len(l.waiting)
	}
	l.waiting = slices.Insert(l.waiting, at, w)
	return w
}

// leave gives the place to the next.
func (l *waitingLine) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		l.free++
		return
	}
	close(l.waiting[0].turn)
	l.waiting = l.waiting[1:]
}
