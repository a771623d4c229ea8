package store

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quaywatch/ship"
	"quaywatch/store/track"
)

// testLog makes an empty log and a writer that fills it.
func testLog(t testing.TB) *wal {
	t.Helper()
	path := filepath.Join(t.TempDir(), walName)
	must(t, createWAL(path, [16]byte{1, 2, 3}))
	w, err := openWAL(path)
	must(t, err)
	t.Cleanup(func() { w.f.Close() })
	return w
}

// put writes the records of one sync as the store does.
func put(t testing.TB, w *wal, sequence uint64, records ...byte) {
	t.Helper()
	must(t, w.write(&batch{sequence: sequence, base: at0, data: append(make([]byte, batchFront), records...)}))
}

// replayed opens the log anew and gives the records of every frame.
func replayed(t testing.TB, path string, firstLive uint64) (got []string, damage []error) {
	t.Helper()
	w, err := openWAL(path)
	must(t, err)
	defer w.f.Close()
	damage, err = w.replay(firstLive, func(segment) {}, func(records []byte) error {
		got = append(got, string(records))
		return nil
	})
	must(t, err)
	return got, damage
}

func TestLogForgetsWhatWasBeforeATear(t *testing.T) {
	w := testLog(t)
	put(t, w, 1, 'a', 'b', 'c')
	put(t, w, 1, 'd', 'e', 'f')
	put(t, w, 1, 'g', 'h', 'i')
	// The second frame is torn; the log goes on there with a frame of the same length. The third must not come back.
	at := segmentAt(0) + segmentHeader + frameHeader + 3
	_, err := w.f.WriteAt([]byte{0xFF}, at+frameHeader)
	must(t, err)
	if got, _ := replayed(t, w.path, 0); !slices.Equal(got, []string{"abc"}) {
		t.Fatalf("after a tear: %q", got)
	}
	again, err := openWAL(w.path)
	must(t, err)
	defer again.f.Close()
	_, err = again.replay(0, func(segment) {}, func([]byte) error { return nil })
	must(t, err)
	put(t, again, 1, 'x', 'y', 'z')
	if got, _ := replayed(t, w.path, 0); !slices.Equal(got, []string{"abc", "xyz"}) {
		t.Fatalf("after writing on: %q", got)
	}
}

func TestLogUsesSegmentsAgain(t *testing.T) {
	w := testLog(t)
	for sequence := uint64(1); sequence <= 7; sequence++ {
		put(t, w, sequence, byte('0'+sequence), 'a')
		put(t, w, sequence, byte('0'+sequence), 'b')
		w.release(sequence) // only the current one is live
	}
	if len(w.segments) != spareSegments {
		t.Errorf("%d segments, want %d used in turn", len(w.segments), spareSegments)
	}
	if got, damage := replayed(t, w.path, 7); !slices.Equal(got, []string{"7a", "7b"}) || len(damage) != 0 {
		t.Errorf("replayed %q, %v", got, damage)
	}
	// The segment before holds whole frames of an earlier time: they are live only if the database says so.
	if got, _ := replayed(t, w.path, 6); !slices.Equal(got, []string{"6a", "6b", "7a", "7b"}) {
		t.Errorf("replayed %q", got)
	}
}

func TestLogSaysWhatIsMissing(t *testing.T) {
	w := testLog(t)
	put(t, w, 1, 'a')
	put(t, w, 1, 'b')
	put(t, w, 2, 'c')
	_, err := w.f.WriteAt([]byte{0xFF}, segmentAt(0)+segmentHeader+frameHeader+1+frameHeader)
	must(t, err)
	if got, damage := replayed(t, w.path, 0); !slices.Equal(got, []string{"a", "c"}) || len(damage) != 1 {
		t.Errorf("replayed %q, damage %v", got, damage)
	}
}

// TestLogReplaysEveryPrefix cuts and tears a log at random places: what is replayed is always the frames before, whole.
func TestLogReplaysEveryPrefix(t *testing.T) {
	w := testLog(t)
	random := rand.New(rand.NewPCG(4, 4))
	var want []string
	var ends []int
	for i := range 60 {
		records := []byte(fmt.Sprintf("frame %d %s", i, strings.Repeat("x", random.IntN(700))))
		put(t, w, 1, records...)
		want, ends = append(want, string(records)), append(ends, w.segments[0].used)
	}
	whole, err := os.ReadFile(w.path)
	must(t, err)
	path := filepath.Join(t.TempDir(), walName)
	for range 40 {
		torn := slices.Clone(whole)
		// A lost sector: 512 bytes with what stood there before.
		at := random.IntN(ends[len(ends)-1]-segmentHeader) + segmentHeader
		sector := (int(segmentAt(0)) + at) / 512 * 512
		clear(torn[max(sector, int(segmentAt(0))+segmentHeader) : sector+512])
		first := sector - int(segmentAt(0))
		must(t, os.WriteFile(path, torn, 0o600))
		n, _ := slices.BinarySearch(ends, first+1)
		got, _ := replayed(t, path, 0)
		if len(got) < n-1 || len(got) >= len(want) || !slices.Equal(got, want[:len(got)]) {
			t.Fatalf("sector at %d of the segment lost: %d frames, want about %d of %d", first, len(got), n, len(want))
		}
	}
}

// FuzzReplay: no bytes in the log's segment make the replay panic, and what is accepted is a fix that can be coded.
func FuzzReplay(f *testing.F) {
	var w logWriter
	v := vessel{mmsi: 219000001}
	for i, fix := range sail(at0, 20, 10_000) {
		if i%5 == 0 {
			w.ship(&v.stream, v.mmsi, track.EncodeState(nil, &updateOf(v.mmsi, fix).Now), at0)
			w.late(&v.stream, v.mmsi, sail(at0-1000, 1, 0)[0])
		}
		w.fix(&v.stream, v.mmsi, fix, track.KeepThis)
	}
	records := w.open.data[batchFront:]
	f.Add(records, true)
	f.Add(records[:len(records)-3], true)
	f.Add([]byte{0, 0, 0, 4, 1, 2, 3, 4, 5, 6, 7, 8}, false)
	f.Fuzz(func(t *testing.T, b []byte, framed bool) {
		if framed {
			frame := binary.BigEndian.AppendUint32(nil, uint32(len(b)))
			frame = binary.BigEndian.AppendUint32(frame, frameSum(7, b))
			b = append(frame, b...)
		}
		reader := logReader{base: at0}
		take := func(_ *introduced, f ship.Fix) {
			if f.At < 0 || f.At > track.MaxMillis {
				t.Fatalf("fix of the time %d", f.At)
			}
			var coder track.Coder
			coder.Append(nil, f)
		}
		visit := logVisitor{fix: func(in *introduced, f ship.Fix, _ track.Keeping) { take(in, f) }, late: take, ship: func(*introduced, ship.State) {}}
		s, _ := frames(segment{chain: 7}, b, func(records []byte) error { return reader.read(records, visit) })
		if s.used > len(b) {
			t.Fatalf("read %d of %d bytes", s.used, len(b))
		}
	})
}
