// Package inflight bounds the memory that the bodies of requests take while they arrive and are worked on.
//
// It promises that all bodies together never hold more bytes than the budget has, that no caller holds more than a share of it, and that
// strangers leave room for callers that have signed in. What counts is the memory that was taken, not what a request says of its length.
//
// Not counted is what a handler makes of a body. A Hold is for one goroutine, and must be released when the request has been answered.
package inflight

import (
	"errors"
	"io"
	"sync"
)

// Errors of Read.
var (
	ErrFull  = errors.New("read a body: all callers together, or this one, hold too many bytes")
	ErrLarge = errors.New("read a body: it is longer than it may be")
)

// Limits are how many bytes bodies may hold: all together, those of one caller, and those of all callers that have not signed in.
type Limits struct {
	All, Share, Strangers int64
}

// Budget is what the bodies of one server hold.
type Budget struct {
	limits Limits

	mu              sync.Mutex
	used, strangers int64
	of              map[string]int64 // by caller
}

// New makes an empty budget.
func New(l Limits) *Budget { return &Budget{limits: l, of: map[string]int64{}} }

// Used gives how many bytes are held now.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Hold begins what one request of a caller holds. It holds nothing yet.
func (b *Budget) Hold(caller string, stranger bool) *Hold {
	return &Hold{budget: b, caller: caller, stranger: stranger}
}

// Hold is what one request holds.
type Hold struct {
	budget   *Budget
	caller   string
	stranger bool
	bytes    int64
}

// Release gives everything back.
func (h *Hold) Release() { h.take(-h.bytes) }

// take holds n more bytes; it is false where there is no room. A negative n gives bytes back, which always succeeds.
func (h *Hold) take(n int64) bool {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	full := b.used+n > b.limits.All || b.of[h.caller]+n > b.limits.Share || h.stranger && b.strangers+n > b.limits.Strangers
	if n > 0 && full {
		return false
	}
	b.used += n
	h.bytes += n
	if h.stranger {
		b.strangers += n
	}
	if b.of[h.caller] += n; b.of[h.caller] == 0 {
		delete(b.of, h.caller)
	}
	return true
}

// firstRoom is the room for a body before any of it has come.
const firstRoom = 512

// Read reads a body of at most most bytes to its end. said is the length that the request says, -1 where it says none. The room for the
// body grows with what has come. It fails with ErrLarge, with ErrFull, or with the reader's error.
func (h *Hold) Read(r io.Reader, most, said int64) ([]byte, error) {
	if said > most {
		return nil, ErrLarge
	}
	if said < 0 {
		said = most
	}
	end := said + 1 // one more byte shows the end, or that the body is too long
	var body []byte
	for {
		if len(body) == cap(body) {
			room := min(max(2*int64(cap(body)), firstRoom), end)
			if !h.take(room - int64(cap(body))) {
				return nil, ErrFull
			}
			body = append(make([]byte, 0, room), body...)
		}
		n, err := r.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case int64(len(body)) > said:
			return nil, ErrLarge
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
	}
}
