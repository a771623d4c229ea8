package traffic

import "time"

// recent remembers the hashes of the messages of the last seconds. It is an open table: a hash stands in one of the
// places from its own on, an expired one makes way, and the table grows while live ones would have to, up to 16 MiB.
type recent struct {
	window time.Duration
	table  []heardHash
}

type heardHash struct {
	hash uint64
	at   time.Duration // since Picture.base
}

const (
	recentLeast = 1 << 12
	recentMost  = 1 << 20
	recentProbe = 8
)

func newRecent(window time.Duration) recent {
	return recent{window: window, table: make([]heardHash, recentLeast)}
}

// seen tells whether the hash was heard within the window before at, and remembers it if not. Hash 0 is no hash.
func (r *recent) seen(hash uint64, at time.Duration) bool {
	if hash == 0 || r.window <= 0 {
		return false
	}
	oldest := r.home(hash, 0)
	for i := range recentProbe {
		h := r.home(hash, i)
		if h.hash == hash && r.live(h, at) {
			return true
		}
		if h.hash == 0 || h.at < oldest.at && oldest.hash != 0 {
			oldest = h
		}
	}
	if oldest.hash != 0 && r.live(oldest, at) && len(r.table) < recentMost {
		r.grow(at)
		return r.seen(hash, at)
	}
	*oldest = heardHash{hash, at}
	return false
}

func (r *recent) home(hash uint64, step int) *heardHash {
	return &r.table[(hash+uint64(step))&uint64(len(r.table)-1)]
}

func (r *recent) live(h *heardHash, at time.Duration) bool {
	age := at - h.at
	return age < r.window && age > -r.window
}

// grow doubles the table and keeps what is still live.
func (r *recent) grow(at time.Duration) {
	old := r.table
	r.table = make([]heardHash, 2*len(old))
	for i := range old {
		h := &old[i]
		if h.hash == 0 || !r.live(h, at) {
			continue
		}
		for step := range recentProbe {
			if to := r.home(h.hash, step); to.hash == 0 {
				*to = *h
				break
			}
		}
	}
}
