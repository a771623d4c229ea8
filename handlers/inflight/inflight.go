// Package inflight bounds the memory that the bodies of requests take while they arrive and are worked on. It also bounds that of answers while they are sent.
// Each has a budget of its own.
//
// It promises that all bodies together never hold more bytes than the budget has, and that no caller holds more than a share of it. It also promises that
// strangers leave room for callers that have signed in. Where there is no room, a body that still arrives goes for a caller that holds less. First a stranger's
// body goes for a user, else a body of the caller that holds most. What counts is the memory that was taken, not what a request says of its length.
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
	of              map[string]*account // by caller
}

// account is what one caller holds.
type account struct {
	bytes    int64
	stranger bool
	arriving map[*Hold]struct{} // bodies that have not come to their end
}

// New makes an empty budget.
func New(l Limits) *Budget { return &Budget{limits: l, of: map[string]*account{}} }

// Share returns how many bytes one caller may hold.
func (b *Budget) Share() int64 { return b.limits.Share }

// Used returns how many bytes are held now.
func (b *Budget) Used() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Hold begins what one request of a caller holds. It holds nothing yet. When the body goes for another caller's while it arrives, or is sent, cut is called
// once. It should end that, must not wait, and must not use the budget.
func (b *Budget) Hold(caller string, stranger bool, cut func()) *Hold {
	return &Hold{budget: b, caller: caller, stranger: stranger, cut: cut}
}

// Hold is what one request holds.
type Hold struct {
	budget   *Budget
	caller   string
	stranger bool
	cut      func()

	// Under the lock of the budget.
	bytes int64
	lost  bool // the body went for another caller's
}

// Lost reports whether the body went for another caller's: its reading should end.
func (h *Hold) Lost() bool {
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	return h.lost
}

// Release gives everything back.
func (h *Hold) Release() {
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.markArrived()
	h.countBytes(-h.bytes)
}

// Take holds n more bytes, more than 0, of a body that arrives or is sent; it is false where there is no room. The cut of what goes for it is
// called under the lock: whatever was cut is released after that, so its request has not ended.
func (h *Hold) Take(n int64) bool {
	b := h.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if h.lost || b.bytesOf(h.caller)+n > b.limits.Share {
		return false
	}
	for b.isFull(h, n) {
		other := b.holdYielding(h, n)
		if other == nil {
			return false
		}
		other.markArrived()
		other.countBytes(-other.bytes)
		other.lost = true
		other.cut()
	}
	h.countBytes(n)
	b.of[h.caller].arriving[h] = struct{}{}
	return true
}

// isFull reports whether there is no room for n more bytes of a body.
func (b *Budget) isFull(h *Hold, n int64) bool {
	return b.used+n > b.limits.All || h.stranger && b.strangers+n > b.limits.Strangers
}

func (b *Budget) bytesOf(caller string) int64 {
	if a := b.of[caller]; a != nil {
		return a.bytes
	}
	return 0
}

// holdYielding returns the body that goes for n bytes of another caller's, nil when none does: the largest one of the caller that holds most.
func (b *Budget) holdYielding(h *Hold, n int64) (gone *Hold) {
	var from *account
	for caller, a := range b.of {
		below := a.stranger && !h.stranger // a stranger goes for a user, whatever it holds
		switch {
		case caller == h.caller || len(a.arriving) == 0 || h.stranger && !a.stranger:
		case !below && a.bytes <= b.bytesOf(h.caller)+n:
		case from == nil, a.stranger && !from.stranger, a.stranger == from.stranger && a.bytes > from.bytes:
			from = a
		}
	}
	if from == nil {
		return nil
	}
	for hold := range from.arriving {
		if gone == nil || hold.bytes > gone.bytes {
			gone = hold
		}
	}
	return gone
}

// countBytes counts n bytes more, or less. The lock is held.
func (h *Hold) countBytes(n int64) {
	b := h.budget
	if n == 0 {
		return
	}
	a := b.of[h.caller]
	if a == nil {
		a = &account{stranger: h.stranger, arriving: map[*Hold]struct{}{}}
		b.of[h.caller] = a
	}
	b.used += n
	h.bytes += n
	if h.stranger {
		b.strangers += n
	}
	if a.bytes += n; a.bytes == 0 {
		delete(b.of, h.caller)
	}
}

// markArrived notes that the body arrives no more. The lock is held.
func (h *Hold) markArrived() {
	if a := h.budget.of[h.caller]; a != nil {
		delete(a.arriving, h)
	}
}

// endArrival notes that the body arrives no more. It reports whether the body is still there.
func (h *Hold) endArrival() bool {
	h.budget.mu.Lock()
	defer h.budget.mu.Unlock()
	h.markArrived()
	return !h.lost
}

// firstRoom is the room for a body before any of it has come.
const firstRoom = 512

// Read reads a body of at most most bytes to its end. said is the length that the request says, -1 where it says none. The room for the
// body grows with what has come. It fails with ErrLarge, with ErrFull, also when the body goes for another caller's, or with the reader's error.
func (h *Hold) Read(r io.Reader, most, said int64) ([]byte, error) {
	body, err := h.read(r, most, said)
	if !h.endArrival() {
		return nil, ErrFull
	}
	return body, err
}

func (h *Hold) read(r io.Reader, most, said int64) ([]byte, error) {
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
			if !h.Take(room - int64(cap(body))) {
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
