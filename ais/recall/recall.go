// Package recall remembers for ten minutes which messages were heard, in bounded memory. A copy of a message may come that late by a slow way,
// or back from a receiver of what was sent. The package opens nothing and reads no clock.
package recall

import "time"

// Span is for how long a message is remembered.
const Span = 10 * time.Minute

const (
	slots = 4       // of a bucket, which is a line of the processor's cache
	least = 1 << 6  // buckets
	most  = 1 << 17 // buckets: 8 MiB
)

// Memory is what was heard. It grows instead of losing what is young, up to 8 MiB; beyond that the oldest makes way. The zero Memory is empty. It
// belongs to one goroutine.
type Memory struct{ buckets [][slots]slot }

// slot holds one message in 16 bytes. A free one has the hash 0.
type slot struct {
	hash uint64
	at   uint32 // milliseconds, which begin anew after 49 days
	tag  uint32
}

// Heard tells how long ago a message was heard first, and the tag that was given then. One that was not heard within Span is remembered with
// tag from now on, and is not again. The time at counts from any moment; it may go back.
func (m *Memory) Heard(hash uint64, at time.Duration, tag uint32) (ago time.Duration, first uint32, again bool) {
	if m.buckets == nil {
		m.buckets = make([][slots]slot, least)
	}
	hash = max(1, hash)
	now := uint32(at / time.Millisecond)
	for {
		bucket := m.bucketOf(hash)
		oldest := &bucket[0]
		for i := range bucket {
			s := &bucket[i]
			if s.hash == hash && s.young(now) {
				return s.age(now), s.tag, true
			}
			if oldest.young(now) && (!s.young(now) || s.age(now) > oldest.age(now)) {
				oldest = s
			}
		}
		if !oldest.young(now) || len(m.buckets) >= most {
			*oldest = slot{hash, now, tag}
			return 0, tag, false
		}
		m.growBuckets(now)
	}
}

// Renew makes a message one that was heard now with tag, for one that Heard told of.
func (m *Memory) Renew(hash uint64, at time.Duration, tag uint32) {
	hash = max(1, hash)
	bucket := m.bucketOf(hash)
	for i := range bucket {
		if s := &bucket[i]; s.hash == hash {
			s.at, s.tag = uint32(at/time.Millisecond), tag
		}
	}
}

// bucketOf returns the bucket of a hash. Multiplying by 2^64 over the golden ratio spreads hashes that are alike.
func (m *Memory) bucketOf(hash uint64) *[slots]slot {
	return &m.buckets[hash*0x9E3779B97F4A7C15>>40&uint64(len(m.buckets)-1)]
}

// age returns the time from what is remembered to now; below 0 when the clock went back.
func (s *slot) age(now uint32) time.Duration {
	return time.Duration(int32(now-s.at)) * time.Millisecond
}

// young reports whether the slot is in use.
func (s *slot) young(now uint32) bool { return s.hash != 0 && s.age(now).Abs() < Span }

// growBuckets doubles the memory and keeps what is young.
func (m *Memory) growBuckets(now uint32) {
	old := m.buckets
	m.buckets = make([][slots]slot, 2*len(old))
	for i := range old {
		for _, s := range old[i] {
			if s.young(now) {
				m.putSlot(s)
			}
		}
	}
}

// putSlot takes a slot of the smaller memory: a bucket of that became two, so there is room.
func (m *Memory) putSlot(s slot) {
	to := m.bucketOf(s.hash)
	for k := range to {
		if to[k].hash == 0 {
			to[k] = s
			return
		}
	}
}
