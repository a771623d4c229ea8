package feed

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// numbered is a message whose bytes tell its number; about says it again.
func numbered(n uint64) (*format.Outgoing, *uint64) {
	return &format.Outgoing{Raw: fmt.Appendf(nil, "!%d%s", n, strings.Repeat("x", int(n%97))), Traits: ais.Traits{MMSI: ais.MMSI(n)}}, &n
}

func checkNumbered(t *testing.T, it *item[uint64]) {
	t.Helper()
	o, _ := numbered(it.about)
	if !bytes.Equal(it.Raw, o.Raw) || it.Traits.MMSI != ais.MMSI(it.about) {
		t.Fatalf("message %d reads %q of %d", it.about, it.Raw, it.Traits.MMSI)
	}
}

func (r *ring[K]) put2(n uint64, now time.Time) {
	o, _ := numbered(n)
	about, _ := any(n).(K)
	r.putMessage(o, &about, "", now)
}

// readSome reads at most n messages from p on; wanted is the number of the next one, and the result that of the one after.
func readSome(t *testing.T, r *ring[uint64], p place, wanted uint64, n int) (place, uint64) {
	t.Helper()
	p, lost, _ := r.read(p, func(it *item[uint64]) bool {
		if n == 0 {
			return false
		}
		n--
		checkNumbered(t, it)
		if it.about != wanted {
			t.Fatalf("got message %d, want %d", it.about, wanted)
		}
		wanted++
		return true
	})
	return p, wanted + lost
}

// TestRingForgetsByTimeAndSize: what no reader can still want is not kept.
func TestRingForgetsByTimeAndSize(t *testing.T) {
	began := time.Unix(0, 0)
	r := newRing[uint64](began)
	pages := func() uint64 { return r.head.Load() - r.tail.Load() + 1 }
	for n := range uint64(100 * pageItems) {
		r.put2(n, began.Add(time.Duration(n)*10*time.Millisecond)) // 256 s, and 20 s are kept
	}
	if b := pages(); b < 8 || b > 10 {
		t.Errorf("%d pages after 256 s at 100 messages/s; 20 s take 8", b)
	}
	r.setDelay(100 * time.Second)
	for n := range uint64(100 * pageItems) {
		r.put2(n, began.Add(time.Duration(n+100*pageItems)*10*time.Millisecond))
	}
	if b := pages(); b < 46 || b > 49 {
		t.Errorf("%d pages with a delay of 100 s; 120 s take 47", b)
	}
	r.setDelay(0)
	for n := range uint64(1000 * pageItems) {
		r.put2(n, began.Add(600*time.Second)) // all at once
	}
	if b := int64(pages()); b > r.most.Load() {
		t.Errorf("%d pages, at most %d", b, r.most.Load())
	}
}

// TestRingReadWhileWritten: readers of every speed see whole messages, in order, while the writer goes round and round. They are told of
// each one that they miss. It is for the race detector.
func TestRingReadWhileWritten(t *testing.T) {
	const messages = 200 * pageItems
	r := newRing[uint64](time.Now())
	r.most.Store(3)
	var readers sync.WaitGroup
	for k := range 6 {
		p := r.endPlace()
		readers.Go(func() {
			for next := uint64(0); next < messages; {
				lost, left := uint64(0), 1+50*k // the first looks anew all the time
				p, lost, _ = r.read(p, func(it *item[uint64]) bool {
					if left--; left < 0 {
						return false
					}
					if it.about != next {
						t.Errorf("reader %d: message %d, want %d", k, it.about, next)
					}
					checkNumbered(t, it)
					next++
					return true
				})
				if lost > 0 {
					next += lost
				}
				r.behind(p, time.Now())
				if next > messages {
					t.Errorf("reader %d: at %d of %d", k, next, messages)
				}
			}
		})
	}
	for n := range uint64(messages) {
		r.put2(n, time.Now())
	}
	readers.Wait()
}

// TestRingTurnsPagesQuickly is TestRingReadWhileWritten with messages so long that a page holds one or two: readers and the writer
// meet at its ends all the time. A message must stay what it is for as long as a reader looks at it.
func TestRingTurnsPagesQuickly(t *testing.T) {
	const messages = 5_000
	r := newRing[uint64](time.Now())
	r.most.Store(2)
	text := func(n uint64) byte { return byte('A' + n%23) }
	whole := func(it *item[uint64]) bool {
		want, length := text(it.about), len(it.Raw)
		return it.Traits.MMSI == ais.MMSI(it.about) && it.Raw[0] == want && it.Raw[length/2] == want && it.Raw[length-1] == want
	}
	var readers sync.WaitGroup
	for k := range 4 {
		p := r.endPlace()
		readers.Go(func() {
			for next := uint64(0); next < messages; {
				var lost uint64
				p, lost, _ = r.read(p, func(it *item[uint64]) bool {
					if it.about != next {
						t.Errorf("reader %d: message %d, want %d", k, it.about, next)
					}
					before := whole(it)
					runtime.Gosched()
					if !before || !whole(it) {
						t.Errorf("reader %d: message %d is not what it was", k, it.about)
					}
					next++
					return true
				})
				next += lost
				if t.Failed() {
					return
				}
			}
		})
	}
	for n := range uint64(messages) {
		o := &format.Outgoing{Raw: bytes.Repeat([]byte{text(n)}, pageBytes/2-100+int(n%7)*40), Traits: ais.Traits{MMSI: ais.MMSI(n)}}
		r.putMessage(o, &n, "", time.Now())
		if n%8 == 0 {
			runtime.Gosched()
		}
	}
	readers.Wait()
}
