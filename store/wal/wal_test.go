package wal

import (
	"bytes"
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
func testLog(t testing.TB) *Log {
	t.Helper()
	path := filepath.Join(t.TempDir(), fileName)
	must(t, Create(path, [16]byte{1, 2, 3}))
	w, err := Open(path)
	must(t, err)
	t.Cleanup(func() { w.F.Close() })
	return w
}

// put writes the records of one sync as the store does.
func put(t testing.TB, w *Log, sequence uint64, records ...byte) {
	t.Helper()
	must(t, w.Write(&Bundle{sequence: sequence, base: at0, data: append(make([]byte, FrameHeader), records...)}))
}

// replayed opens the log anew and returns the records of every frame.
func replayed(t testing.TB, path string, firstLive uint64) (got []string, damage []Gap) {
	t.Helper()
	w, got, damage := reopened(t, path, firstLive)
	must(t, w.F.Close())
	return got, damage
}

func reopened(t testing.TB, path string, firstLive uint64) (w *Log, got []string, damage []Gap) {
	t.Helper()
	w, err := Open(path)
	must(t, err)
	must(t, w.ReadSequences())
	must(t, w.Replay(firstLive, func(f Frame) { got = append(got, string(f.records)) }, func(g Gap) { damage = append(damage, g) }))
	return w, got, damage
}

func TestLogGoesOnOverATornEnd(t *testing.T) {
	w := testLog(t)
	put(t, w, 1, 'a', 'b', 'c')
	put(t, w, 1, 'd', 'e', 'f')
	_, err := w.F.WriteAt([]byte{0xFF}, SegmentAt(0)+2*FrameHeader+3)
	must(t, err)
	again, got, damage := reopened(t, w.Path, 0)
	defer again.F.Close()
	if !slices.Equal(got, []string{"abc"}) || len(damage) > 0 {
		t.Fatalf("after a tear: %q, %v", got, damage)
	}
	put(t, again, 1, 'x', 'y', 'z')
	if got, damage := replayed(t, w.Path, 0); !slices.Equal(got, []string{"abc", "xyz"}) || len(damage) > 0 {
		t.Fatalf("after writing on: %q, %v", got, damage)
	}
}

// TestLogReadsOnBehindABadFrame: a whole frame behind a bad one shows that this is no torn end.
func TestLogReadsOnBehindABadFrame(t *testing.T) {
	for at := range FrameHeader + 3 {
		w := testLog(t)
		put(t, w, 1, 'a', 'b', 'c')
		put(t, w, 1, 'd', 'e', 'f')
		put(t, w, 1, 'g', 'h', 'i')
		b := make([]byte, 1)
		place := SegmentAt(0) + FrameHeader + 3 + int64(at)
		_, err := w.F.ReadAt(b, place)
		must(t, err)
		_, err = w.F.WriteAt([]byte{b[0] ^ 0x10}, place)
		must(t, err)
		again, got, damage := reopened(t, w.Path, 0)
		defer again.F.Close()
		if !slices.Equal(got, []string{"abc", "ghi"}) || len(damage) != 1 || !strings.Contains(damage[0].String(), "frames 2 to 2") {
			t.Fatalf("byte %d: %q, %v", at, got, damage)
		}
		put(t, again, 1, 'x')
		if got, _ := replayed(t, w.Path, 0); !slices.Equal(got, []string{"abc", "ghi", "x"}) {
			t.Fatalf("byte %d, written on: %q", at, got)
		}
	}
}

// TestLogFindsTheBeginningLost: a segment whose first frames are gone is still known.
func TestLogFindsTheBeginningLost(t *testing.T) {
	w := testLog(t)
	put(t, w, 1, 'a')
	put(t, w, 2, bytes.Repeat([]byte{'b'}, 5000)...)
	put(t, w, 2, 'c')
	put(t, w, 3, 'd')
	_, err := w.F.WriteAt(make([]byte, 4096), SegmentAt(1))
	must(t, err)
	if got, damage := replayed(t, w.Path, 0); !slices.Equal(got, []string{"a", "c", "d"}) || len(damage) != 1 {
		t.Errorf("replayed %q, damage %v", got, damage)
	}
}

func TestLogUsesSegmentsAgain(t *testing.T) {
	w := testLog(t)
	for sequence := uint64(1); sequence <= 7; sequence++ {
		put(t, w, sequence, byte('0'+sequence), 'a')
		put(t, w, sequence, byte('0'+sequence), 'b')
		w.Release(sequence) // only the current one is live
	}
	if len(w.Segments) != spareSegments {
		t.Errorf("%d segments, want %d used in turn", len(w.Segments), spareSegments)
	}
	if got, damage := replayed(t, w.Path, 7); !slices.Equal(got, []string{"7a", "7b"}) || len(damage) != 0 {
		t.Errorf("replayed %q, %v", got, damage)
	}
	// The segment before holds whole frames of an earlier time: they are live only if the database says so.
	if got, _ := replayed(t, w.Path, 6); !slices.Equal(got, []string{"6a", "6b", "7a", "7b"}) {
		t.Errorf("replayed %q", got)
	}
}

func TestLogSaysWhatIsMissing(t *testing.T) {
	w := testLog(t)
	put(t, w, 1, 'a')
	put(t, w, 1, 'b')
	put(t, w, 2, 'c')
	_, err := w.F.WriteAt([]byte{0xFF}, SegmentAt(0)+2*FrameHeader+1)
	must(t, err)
	if got, damage := replayed(t, w.Path, 0); !slices.Equal(got, []string{"a", "c"}) || len(damage) != 1 {
		t.Errorf("replayed %q, damage %v", got, damage)
	}
}

// TestLogLosesNoMoreThanASector loses sectors of a log at random places: every frame that none of them touches is there.
func TestLogLosesNoMoreThanASector(t *testing.T) {
	w := testLog(t)
	random := rand.New(rand.NewPCG(4, 4))
	var written []string
	var ends []int
	for i := range 60 {
		records := []byte(fmt.Sprintf("frame %d %s", i, strings.Repeat("x", random.IntN(700))))
		put(t, w, 1, records...)
		written, ends = append(written, string(records)), append(ends, w.Segments[0].Used)
	}
	whole, err := os.ReadFile(w.Path)
	must(t, err)
	path := filepath.Join(t.TempDir(), fileName)
	for range 60 {
		torn := slices.Clone(whole)
		at := random.IntN(ends[len(ends)-1]) / 512 * 512
		clear(torn[int(SegmentAt(0))+at:][:512])
		must(t, os.WriteFile(path, torn, 0o600))
		var want []string
		for i, text := range written {
			if begin := ends[i] - FrameHeader - len(text); ends[i] <= at || begin >= at+512 {
				want = append(want, text)
			}
		}
		got, damage := replayed(t, path, 0)
		atEnd := ends[len(ends)-1] <= at+512 // cannot be told from a torn end
		if !slices.Equal(got, want) || len(damage) == 0 && !atEnd {
			t.Fatalf("sector at %d lost: %d frames, want %d of %d; %v", at, len(got), len(want), len(written), damage)
		}
	}
}

// FuzzReplay: no bytes in the log's segment make the replay panic, and what is accepted is a fix that can be coded.
func FuzzReplay(f *testing.F) {
	const m = 219000001
	var stream Stream
	sets := map[ship.FeedSet][]string{}
	w := Writer{Names: func(n ship.FeedSet) []string { return sets[n] }}
	for i, fix := range sail(at0, 20, 10_000) {
		fix.Feeds = ship.FeedSet(1 + i/7)
		sets[fix.Feeds] = []string{fmt.Sprint("pier ", i/7), "roof"}
		if i%5 == 0 {
			w.Ship(&stream, m, track.EncodeState(nil, &ship.State{MMSI: m, HasFix: true, Fix: fix, First: at0, Heard: fix.At, Reports: 10}), fix.Feeds, at0)
			w.Late(&stream, m, sail(at0-1000, 1, 0)[0])
		}
		w.Fix(&stream, m, fix, track.KeepThis)
	}
	records := w.open.data[FrameHeader:]
	f.Add(records, true)
	f.Add(records[:len(records)-3], true)
	f.Add([]byte(frameMarker+"\x00\x00\x00\x04\x01\x02"), false)
	f.Fuzz(func(t *testing.T, b []byte, framed bool) {
		log := Log{next: 1}
		if framed {
			made := Bundle{sequence: 1, base: at0, data: append(make([]byte, FrameHeader), b...)}
			log.putFrame(&made)
			b = made.data
		}
		var reader Reader
		take := func(_ *Introduced, f ship.Fix) {
			if f.At < 0 || f.At > track.MaxMillis {
				t.Fatalf("fix of the time %d", f.At)
			}
			var coder track.Coder
			coder.Append(nil, f)
		}
		visit := LogVisitor{Feeds: func(ship.FeedSet, []string) bool { return true }, Fix: func(in *Introduced, f ship.Fix, _ track.Keeping) { take(in, f) }, Late: take,
			Ship: func(*Introduced, ship.State) {}}
		s := log.Frames(1, b, func(f Frame, _ int) { _ = reader.Read(f, visit) })
		if s.Used > len(b) {
			t.Fatalf("read %d of %d bytes", s.Used, len(b))
		}
	})
}
