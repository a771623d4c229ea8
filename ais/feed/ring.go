package feed

import (
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"quaywatch/ais/feed/format"
	"quaywatch/ais/recall"
)

// Sizes of the ring.
const (
	pageItems  = 256       // messages of one page
	pageBytes  = 32 << 10  // of their sentences
	ringBytes  = 32 << 20  // the ring holds no more while no subscriber has a delay
	delayBytes = 128 << 20 // and no more when one has
	ringSlots  = 2048      // pages that the ring can name; more than delayBytes takes
	spareMost  = 8         // pages kept for use again
)

// ring holds the latest outgoing messages, each with what goes with it (K). One goroutine puts messages in and never waits. Any number of
// readers read, each at a place of its own, without a lock and without copying. A reader that is slower than the ring is long finds that
// the oldest are gone, and is told how many.
//
// The ring is made of pages. A page that left the ring is used again, unless a reader has pinned it; then a new one is made.
type ring[K any] struct {
	began time.Time
	hold  atomic.Int64 // nanoseconds for which a message stays, at least while there is room
	most  atomic.Int64 // pages at most

	next  atomic.Uint64 // number of the next message
	head  atomic.Uint64 // number of the newest page, the first is 1
	tail  atomic.Uint64 // number of the oldest page; head+1 when there is none
	slots [ringSlots]atomic.Pointer[page[K]]

	// What follows belongs to the goroutine that puts messages in.
	current *page[K]
	spare   []*page[K]
}

// page is some messages in a row.
type page[K any] struct {
	number uint64
	first  uint64        // number of its first message
	pins   atomic.Int32  // readers that look at it
	state  atomic.Uint32 // how many messages may be read, and sealed when there will be no more
	items  []item[K]
	raw    []byte
}

// sealed is the bit of page.state that says that no more messages come. It stands in one word with their number. A reader that read the
// two at different moments could take a page for finished before its last message.
const sealed = 1 << 31

// countReadable returns how many messages may be read, and whether there will be no more.
func (b *page[K]) countReadable() (n uint32, all bool) {
	state := b.state.Load()
	return state &^ sealed, state&sealed != 0
}

// item is one message of the ring.
type item[K any] struct {
	format.Outgoing
	about K
	at    time.Duration // when it came, since the ring began
	echo  string        // the feed that told it before, when it comes back; "" when it does not
}

// place is how far a reader is.
type place struct {
	page   uint64
	index  uint32
	number uint64 // of the next message
}

func newRing[K any](began time.Time) *ring[K] {
	r := &ring[K]{began: began}
	r.tail.Store(1)
	r.setDelay(0)
	return r
}

// setDelay says for how long messages are wanted, beyond what any reader may need to catch up.
func (r *ring[K]) setDelay(delay time.Duration) {
	bytes := ringBytes
	if delay > 0 {
		bytes = delayBytes
	}
	each := pageItems*int(unsafe.Sizeof(item[K]{})) + pageBytes
	r.hold.Store(int64(delay + 2*stalled))
	r.most.Store(int64(min(bytes/each, ringSlots-1)))
}

// putMessage copies a message into the ring. One whose sentences are longer than a page, which no decoder lets through, is left out.
func (r *ring[K]) putMessage(o *format.Outgoing, about *K, echo string, now time.Time) {
	if len(o.Raw) > pageBytes {
		return
	}
	b := r.current
	if b == nil || len(b.raw)+len(o.Raw) > pageBytes || b.state.Load() == pageItems {
		b = r.turnPage(now)
	}
	n := b.state.Load()
	it := &b.items[n]
	from := len(b.raw)
	b.raw = append(b.raw, o.Raw...)
	it.Outgoing, it.about, it.echo, it.at = *o, *about, echo, now.Sub(r.began)
	it.Raw = b.raw[from:len(b.raw):len(b.raw)]
	b.state.Store(n + 1)
	r.next.Add(1)
}

// turnPage begins a new page, and drops those that no reader can still want.
func (r *ring[K]) turnPage(now time.Time) *page[K] {
	if b := r.current; b != nil {
		b.state.Store(b.state.Load() | sealed)
	}
	head := r.head.Load() + 1
	for tail := r.tail.Load(); tail < head; tail++ {
		b := r.slots[tail%ringSlots].Load()
		n, _ := b.countReadable()
		last := b.items[n-1].at
		if head-tail < uint64(r.most.Load()) && now.Sub(r.began)-last < time.Duration(r.hold.Load()) {
			break
		}
		r.retire(b)
	}
	b := r.freshPage()
	b.number, b.first = head, r.next.Load()
	r.slots[head%ringSlots].Store(b)
	r.head.Store(head)
	r.current = b
	return b
}

// retire takes the oldest page out of the ring.
func (r *ring[K]) retire(b *page[K]) {
	r.slots[b.number%ringSlots].Store(nil)
	r.tail.Store(b.number + 1)
	if b.pins.Load() == 0 && len(r.spare) < spareMost {
		r.spare = append(r.spare, b)
	}
}

// freshPage returns an empty page.
func (r *ring[K]) freshPage() *page[K] {
	n := len(r.spare)
	if n == 0 {
		return &page[K]{items: make([]item[K], pageItems), raw: make([]byte, 0, pageBytes)}
	}
	b := r.spare[n-1]
	r.spare = r.spare[:n-1]
	b.state.Store(0)
	b.raw = b.raw[:0]
	return b
}

// dropPages empties the ring and gives its memory back. It is for the goroutine that puts messages in.
func (r *ring[K]) dropPages() {
	for tail, head := r.tail.Load(), r.head.Load(); tail <= head; tail++ {
		r.retire(r.slots[tail%ringSlots].Load())
	}
	r.current, r.spare = nil, nil
}

// endPlace returns the place behind the newest message.
func (r *ring[K]) endPlace() place {
	for {
		head := r.head.Load()
		if b := r.pin(head); b != nil {
			n, _ := b.countReadable()
			b.pins.Add(-1)
			return place{head, n, b.first + uint64(n)}
		}
		if r.head.Load() == head { // the ring is empty
			return place{head + 1, 0, r.next.Load()}
		}
	}
}

// pin returns the page of that number and keeps it from being used again; nil when it is not in the ring.
func (r *ring[K]) pin(number uint64) *page[K] {
	slot := &r.slots[number%ringSlots]
	b := slot.Load()
	if b == nil {
		return nil
	}
	b.pins.Add(1)
	// Only a pin on a page that still stands in the ring counts. The writer looks at the pins after it has taken a page out.
	if slot.Load() != b || b.number != number {
		b.pins.Add(-1)
		return nil
	}
	return b
}

// read calls fn with the messages from p on, in order and at most those of one page, until fn returns false. That message is not taken.
// It returns the place to go on from, how many messages were gone before they could be read, and whether there may be more. A message is
// valid only during the call.
func (r *ring[K]) read(p place, fn func(*item[K]) bool) (on place, lost uint64, more bool) {
	b := r.pin(p.page)
	if b == nil {
		return r.catchUp(p)
	}
	defer b.pins.Add(-1)
	n, all := b.countReadable()
	p.number = b.first + uint64(p.index)
	for ; p.index < n; p.index, p.number = p.index+1, p.number+1 {
		if !fn(&b.items[p.index]) {
			return p, 0, true
		}
	}
	if all {
		return place{p.page + 1, 0, p.number}, 0, true
	}
	return p, 0, false
}

// catchUp goes on for a reader whose page is not in the ring: it has not begun, or it is gone.
func (r *ring[K]) catchUp(p place) (on place, lost uint64, more bool) {
	for {
		tail := r.tail.Load()
		if p.page >= tail {
			return p, 0, r.head.Load() >= p.page
		}
		if b := r.pin(tail); b != nil {
			first := b.first
			b.pins.Add(-1)
			return place{tail, 0, first}, missedBetween(p.number, first), true
		}
		if r.head.Load() < tail { // emptied
			next := r.next.Load()
			return place{tail, 0, next}, missedBetween(p.number, next), false
		}
	}
}

// missedBetween returns how many messages lie between two numbers. That of a place taken in an empty ring may be a few too high.
func missedBetween(from, to uint64) uint64 {
	if to < from {
		return 0
	}
	return to - from
}

// behind tells how long ago the message at p came: how far its reader is behind; 0 at the end.
func (r *ring[K]) behind(p place, now time.Time) time.Duration {
	b := r.pin(p.page)
	if b == nil {
		if p.page < r.tail.Load() {
			return time.Duration(r.hold.Load())
		}
		return 0
	}
	defer b.pins.Add(-1)
	if n, _ := b.countReadable(); p.index >= n {
		return 0
	}
	return now.Sub(r.began) - b.items[p.index].at
}

// echoes tells messages that an aggregator gives back: another feed told the same within ten minutes. What the
// same feed tells again is another message.
type echoes struct {
	memory recall.Memory
	feeds  []string // by tag
}

// earlierFeed returns the feed that told a message before, or "" for one that is new.
func (e *echoes) earlierFeed(o *format.Outgoing, at time.Duration) string {
	if o.Hash == 0 || o.Again {
		return ""
	}
	tag := slices.Index(e.feeds, o.Feed)
	if tag < 0 {
		tag, e.feeds = len(e.feeds), append(e.feeds, o.Feed)
	}
	_, first, again := e.memory.Heard(o.Hash, at, uint32(tag))
	switch {
	case !again:
		return ""
	case int(first) == tag:
		e.memory.Renew(o.Hash, at, uint32(tag))
		return ""
	}
	return e.feeds[first]
}
