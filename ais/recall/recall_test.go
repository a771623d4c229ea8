package recall

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestMemoryIsAMapOfTenMinutes holds the memory against a map, with few and many messages, and a clock that goes back now and then. What was
// once too old may be forgotten though the clock goes back to where it is not.
func TestMemoryIsAMapOfTenMinutes(t *testing.T) {
	type first struct {
		at  time.Duration
		tag uint32
	}
	rapid.Check(t, func(r *rapid.T) {
		var m Memory
		known := map[uint64]first{}
		var at, latest time.Duration
		kinds := rapid.SampledFrom([]int{3, 300, 3000}).Draw(r, "kinds")
		for i := range 3000 {
			at += time.Duration(rapid.IntRange(-500, 3000).Draw(r, "ms")) * time.Millisecond
			latest = max(latest, at)
			hash := uint64(rapid.IntRange(0, kinds).Draw(r, "hash"))*0x9E3779B97F4A7C15 + 1
			was, remembered := known[hash]
			remembered = remembered && (at-was.at).Abs() < Span
			ago, tag, again := m.Heard(hash, at, uint32(i))
			if !again && latest-was.at >= Span {
				remembered = false
			}
			if again != remembered || again && (ago != at-was.at || tag != was.tag) {
				t.Fatalf("message %d at %v: %v ago, tag %d, %v; want %v", i, at, ago, tag, again, was)
			}
			if !again {
				known[hash] = first{at, uint32(i)}
			}
			if again && i%7 == 0 {
				m.Renew(hash, at, 7)
				known[hash] = first{at, 7}
			}
		}
	})
}

// TestMemoryIsBounded sends more than fits: the memory stays in its bounds, what is young is known, and a full memory allocates nothing.
func TestMemoryIsBounded(t *testing.T) {
	var m Memory
	hash := func(i int) uint64 { return uint64(i+1) * 0xD1B54A32D192ED03 }
	const all = 2 * slots * most
	for i := range all {
		m.Heard(hash(i), time.Duration(i)*time.Microsecond, 0)
	}
	if len(m.buckets) != most {
		t.Fatalf("%d buckets, want %d", len(m.buckets), most)
	}
	lost := 0
	for i := all - 1000; i < all; i++ {
		if _, _, again := m.Heard(hash(i), all*time.Microsecond, 0); !again {
			lost++
		}
	}
	if lost > 10 {
		t.Errorf("%d of the last 1000 are forgotten", lost)
	}
	i := all
	if n := testing.AllocsPerRun(1000, func() { i++; m.Heard(hash(i), all*time.Microsecond, 0) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestMemoryOutlivesItsClock: the milliseconds begin anew after 49 days, and what was heard before is still told right.
func TestMemoryOutlivesItsClock(t *testing.T) {
	var m Memory
	end := time.Duration(1<<32) * time.Millisecond
	m.Heard(1, end-time.Minute, 5)
	if ago, tag, again := m.Heard(1, end+time.Minute, 6); !again || ago != 2*time.Minute || tag != 5 {
		t.Errorf("%v ago, tag %d, %v", ago, tag, again)
	}
}
