package traffic

import (
	"time"

	"quaywatch/ship"
)

// recent remembers the hashes of the messages of the last seconds. It is an open table: a hash stands in one of the eight places from its
// own on. An expired hash makes way; the table grows instead of losing a live one, up to 32 MiB.
type recent struct {
	window time.Duration
	table  []heardHash
}

// heardHash is a message that was heard, with what became of it the first time.
type heardHash struct {
	hash    uint64
	at      time.Duration // since Picture.base
	feeds   uint64        // bit i: feed i heard it
	refused ship.Reason
	placed  bool // its place was taken
}

const (
	recentLeast = 1 << 12
	recentMost  = 1 << 20
	recentProbe = 8
)

func newRecent(window time.Duration) recent {
	return recent{window: window, table: make([]heardHash, recentLeast)}
}

// seenBefore returns what is remembered of a message, and whether it was heard within the window before at. If it was not, it is remembered from
// now on. The result is valid until the next call, and nil for hash 0, which is no hash.
func (r *recent) seenBefore(hash uint64, at time.Duration) (h *heardHash, again bool) {
	if hash == 0 || r.window <= 0 {
		return nil, false
	}
	oldest := r.slotAt(hash, 0)
	for i := range recentProbe {
		h := r.slotAt(hash, i)
		if h.hash == hash && r.live(h, at) {
			return h, true
		}
		if h.hash == 0 || h.at < oldest.at && oldest.hash != 0 {
			oldest = h
		}
	}
	if oldest.hash != 0 && r.live(oldest, at) && len(r.table) < recentMost {
		r.growTable(at)
		return r.seenBefore(hash, at)
	}
	*oldest = heardHash{hash: hash, at: at}
	return oldest, false
}

func (r *recent) slotAt(hash uint64, step int) *heardHash {
	return &r.table[(hash+uint64(step))&uint64(len(r.table)-1)]
}

func (r *recent) live(h *heardHash, at time.Duration) bool {
	age := at - h.at
	return age < r.window && age > -r.window
}

// growTable doubles the table and keeps what is still live.
func (r *recent) growTable(at time.Duration) {
	old := r.table
	r.table = make([]heardHash, 2*len(old))
	for i := range old {
		h := &old[i]
		if h.hash == 0 || !r.live(h, at) {
			continue
		}
		for step := range recentProbe {
			if to := r.slotAt(h.hash, step); to.hash == 0 {
				*to = *h
				break
			}
		}
	}
}
