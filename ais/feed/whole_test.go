//go:build !race

package feed

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// TestRingAgainstASlice: whatever is put in, read, forgotten and cleared, readers get every message in order, or are told
// how many they missed.
func TestRingAgainstASlice(t *testing.T) {
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 1))
		began := time.Unix(0, 0)
		r := newRing[uint64](began)
		r.most.Store(int64(2 + random.IntN(6)))
		now := began
		put := uint64(0)
		places := make([]place, 4)
		next := make([]uint64, len(places))
		for i := range places {
			places[i] = r.end()
		}
		for range 3000 {
			now = now.Add(time.Duration(random.IntN(2000)) * time.Millisecond)
			switch k := random.IntN(len(places)); random.IntN(12) {
			case 0: // a reader begins anew
				places[k], next[k] = r.end(), put
			case 1:
				if random.IntN(50) == 0 {
					r.clear()
				}
			case 2, 3, 4, 5:
				for range random.IntN(200) {
					r.put2(put, now)
					put++
				}
			default:
				places[k], next[k] = readSome(t, r, places[k], next[k], random.IntN(400))
			}
		}
		for k := range places {
			for more := true; more; {
				before := next[k]
				places[k], next[k] = readSome(t, r, places[k], next[k], 1<<30)
				more = next[k] != before
			}
			if next[k] != put {
				t.Fatalf("seed %d: reader %d ended at %d of %d", seed, k, next[k], put)
			}
		}
	}
}

// The same with a recorded log of 3.7 hours.
func TestWaysOfRecordedLog(t *testing.T) {
	directory := os.Getenv("QUAYWATCH_TESTDATA")
	if directory == "" {
		directory = "../../../shared/data"
	}
	file, err := os.Open(filepath.Join(directory, "nmea", "kadetrenden_2013-07-31.nmea.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded data is not here (%s); QUAYWATCH_TESTDATA names its folder", "the Kadetrenden")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	testWays(t, content)
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
		p := r.end()
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
		r.put(o, &n, time.Now())
		if n%8 == 0 {
			runtime.Gosched()
		}
	}
	readers.Wait()
}
