package traffic

import (
	"time"

	"quaywatch/ais"
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

// seen gives what is remembered of a message, and whether it was heard within the window before at. If it was not, it is remembered from
// now on. The result is valid until the next call, and nil for hash 0, which is no hash.
func (r *recent) seen(hash uint64, at time.Duration) (h *heardHash, again bool) {
	if hash == 0 || r.window <= 0 {
		return nil, false
	}
	oldest := r.home(hash, 0)
	for i := range recentProbe {
		h := r.home(hash, i)
		if h.hash == hash && r.live(h, at) {
			return h, true
		}
		if h.hash == 0 || h.at < oldest.at && oldest.hash != 0 {
			oldest = h
		}
	}
	if oldest.hash != 0 && r.live(oldest, at) && len(r.table) < recentMost {
		r.grow(at)
		return r.seen(hash, at)
	}
	*oldest = heardHash{hash: hash, at: at}
	return oldest, false
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

// Bounds of what is remembered of messages that may come again late, by a slow way.
const (
	copyMemory  = 600             // seconds in which the same payload is a copy
	staticApart = 2 * time.Minute // static data that come again later, or on the other channel, were sent again
	earlierAge  = 18              // bits for the time in seconds
	earlierMask = 1<<earlierAge - 1
	earlierMost = 1 << 17 // buckets: 8 MiB
)

// earlier remembers for ten minutes which messages were heard, in eight bytes each: the upper bits of the hash, and the time. Each bucket is a
// line of the processor's cache. It grows instead of losing what is young, up to 8 MiB.
type earlier struct{ buckets [][8]uint64 }

// heard gives how many seconds ago the message was heard first, and notes one that was not. It is not ok for one that was not.
func (m *earlier) heard(hash uint64, at time.Duration) (seconds int64, ok bool) {
	if m.buckets == nil {
		m.buckets = make([][8]uint64, 1<<8)
	}
	hash, now := hash*0x9E3779B97F4A7C15&^earlierMask|1<<63, uint64(at/time.Second)&earlierMask
	bucket := m.bucket(hash)
	oldest := 0
	for i, one := range bucket {
		age := ageOf(one, now)
		if one != 0 && one&^earlierMask == hash && age < copyMemory && age > -copyMemory {
			return age, true
		}
		if one == 0 || bucket[oldest] != 0 && age > ageOf(bucket[oldest], now) {
			oldest = i
		}
	}
	if age := ageOf(bucket[oldest], now); bucket[oldest] != 0 && age < copyMemory && len(m.buckets) < earlierMost {
		m.grow(now)
		return m.heard(hash, at)
	}
	bucket[oldest] = hash | now
	return 0, false
}

func (m *earlier) bucket(hash uint64) *[8]uint64 {
	return &m.buckets[(hash>>earlierAge)&uint64(len(m.buckets)-1)]
}

// ageOf gives the seconds from what is remembered to now; below 0 when the clock went back.
func ageOf(one, now uint64) int64 {
	return int64((now-one)&earlierMask<<(64-earlierAge)) >> (64 - earlierAge)
}

// grow doubles the memory and keeps what is young.
func (m *earlier) grow(now uint64) {
	old := m.buckets
	m.buckets = make([][8]uint64, 2*len(old))
	for i := range old {
		for _, one := range old[i] {
			if age := ageOf(one, now); one == 0 || age >= copyMemory || age <= -copyMemory {
				continue
			}
			to := m.bucket(one)
			for k := range to {
				if to[k] == 0 {
					to[k] = one
					break
				}
			}
		}
	}
}

// isCopy tells whether a message is a copy of one that was heard before, as it comes late by a slow way. A ship that lies says the same
// again where it lies, and the same static data each six minutes: those are no copies. Static data are one when something newer was heard
// since.
func (m *earlier) isCopy(e *entry, r *ais.Report, at time.Duration) bool {
	static := false
	var place ais.Place
	var sog ais.SOG
	second := ais.Second(60)
	switch t := r.Message.(type) {
	case *ais.PositionReport:
		place, sog, second = t.Place, t.SOG, t.Second
	case *ais.ClassBReport:
		place, sog, second = t.Place, t.SOG, t.Second
	case *ais.ExtendedClassBReport:
		place, sog, second = t.Place, t.SOG, t.Second
	case *ais.SARAircraftReport:
		place, sog, second = t.Place, t.SOG, t.Second
	case *ais.StaticVoyage, *ais.StaticReport:
		static = true
	}
	if _, known := second.Known(); r.Hash == 0 || !static && !known {
		return false
	}
	hash := r.Hash
	if static && r.Channel == 'B' {
		hash ^= 1 << 40 // sent again on the other channel
	}
	ago, again := m.heard(hash, at)
	if !again || e == nil {
		return false
	}
	s := &e.state
	if static {
		first := r.Received.UnixMilli() - ago*1000
		return ago < int64(staticApart/time.Second) || s.StaticChanged() > first+1000
	}
	knots, moves := sog.Knots()
	return s.HasFix && (s.Fix.Lon != place.Lon || s.Fix.Lat != place.Lat || moves && knots >= 0.5)
}
