package feed

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
)

func logFile(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// stamped puts a TAG block with the Unix time before a sentence.
func stamped(second int64, line string) string { return string(ais.AppendTag(nil, "", second)) + line }

func zipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func manyShips(t testing.TB, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(position(t, ais.MMSI(211000000+i)))
	}
	return b.String()
}

// A file is read whole and in order however slow its reader is, and Run returns at its end.
func TestFile(t *testing.T) {
	const ships = 5000
	text := manyShips(t, ships)
	text = strings.TrimSpace(text) // the last line has no end
	for name, content := range map[string][]byte{"plain": []byte(text), "packed": zipped(t, text)} {
		t.Run(name, func(t *testing.T) {
			f, err := New([]Source{{Name: "log", URL: "file://" + logFile(t, name, content) + "?speed=0"}},
				ais.NewPool(4), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			out := make(chan *ais.Batch) // no reader waits at it, so every send blocks
			ended := make(chan error, 1)
			go func() { ended <- f.Run(t.Context(), out) }()
			next := ais.MMSI(211000000)
			for next < 211000000+ships {
				b := <-out
				for _, r := range b.Reports {
					if m := r.Message.Head().MMSI; m != next {
						t.Fatalf("heard %d, want %d", m, next)
					}
					next++
				}
				b.Release()
			}
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			<-f.Done()
			if s := f.Status()[0]; s.Overflow.Batches != 0 || s.Counters.Messages[1] != ships || s.Connected {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestEmptyFile(t *testing.T) {
	r := start(t, Source{Name: "log", URL: "file://" + logFile(t, "empty", nil)})
	if all := r.rest(); len(all) != 0 {
		t.Errorf("heard %v", all)
	}
	if err := <-r.err; err != nil {
		t.Error(err)
	}
}

func TestBadFiles(t *testing.T) {
	torn := zipped(t, manyShips(t, 100))
	torn = torn[:len(torn)-20]
	for name, row := range map[string]struct{ path, say string }{
		"missing":   {filepath.Join(t.TempDir(), "none.nmea"), "none.nmea"},
		"directory": {t.TempDir(), "no regular file"},
		"torn gzip": {logFile(t, "torn.gz", torn), "torn.gz: unexpected EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t, Source{Name: "log", URL: "file://" + row.path + "?speed=0"})
			r.rest()
			err := <-r.err
			if err == nil || !strings.Contains(err.Error(), row.say) || !strings.Contains(err.Error(), "feed log") {
				t.Errorf("%v; want %q", err, row.say)
			}
			if name == "missing" && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%v is not fs.ErrNotExist", err)
			}
			if s := r.feeds.Status()[0]; !strings.Contains(s.LastError, row.say) {
				t.Errorf("status says %q", s.LastError)
			}
		})
	}
}

// A log goes at its own pace times the speed; a step back or over an hour is not waited for.
func TestPace(t *testing.T) {
	seconds := []int64{0, 10, 10, 25, 3, 5, 5 + 7200, 5 + 7260}
	atSpeed10 := []float64{0, 1, 1, 2.5, 2.5, 2.7, 2.7, 8.7}
	var b strings.Builder
	for i, s := range seconds {
		b.WriteString(stamped(1375259851+s, position(t, ais.MMSI(211000000+i))))
	}
	path := logFile(t, "paced.nmea", []byte(b.String()))
	for _, clock := range []ais.Clock{ais.ReceiverClock, ais.LogClock} {
		atSpeed10 := slices.Clone(atSpeed10)
		if clock == ais.LogClock { // the first time, and one after a jump, wait for the next to support them
			atSpeed10[0], atSpeed10[6] = 1, 8.7
		}
		synctest.Test(t, func(t *testing.T) {
			f, err := New([]Source{{Name: "log", URL: "file://" + path + "?speed=10", Clock: clock}},
				ais.NewPool(4), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			out := make(chan *ais.Batch)
			begin := time.Now()
			go func() {
				if err := f.Run(t.Context(), out); err != nil {
					t.Error(err)
				}
				close(out)
			}()
			i := 0
			for b := range out {
				for _, r := range b.Reports {
					at := time.Since(begin).Seconds()
					if d := at - atSpeed10[i]; d > 0.001 || d < -0.001 {
						t.Errorf("line %d came at %v s, want %v", i, at, atSpeed10[i])
					}
					if clock == ais.LogClock && r.Received.Unix() != 1375259851+seconds[i] {
						t.Errorf("line %d is received at %v", i, r.Received)
					}
					i++
				}
				b.Release()
			}
			if i != len(seconds) {
				t.Errorf("%d lines of %d", i, len(seconds))
			}
		})
	}
}

// Stopping does not wait for the log's next line, and is not an end.
func TestStopWhileWaiting(t *testing.T) {
	text := stamped(1375259851, position(t, 1)) + stamped(1375259851+3000, position(t, 2))
	r := start(t, Source{Name: "log", URL: "file://" + logFile(t, "slow.nmea", []byte(text))})
	r.expect(t, 1)
	r.stop()
	r.rest()
	if err := <-r.err; err != nil {
		t.Errorf("Run: %v", err)
	}
	select {
	case <-r.feeds.Done():
		t.Error("done, though stopped")
	default:
	}
}

// With a live source beside it, the end of a file is not the end of all.
func TestFileBesideLive(t *testing.T) {
	path := logFile(t, "short.nmea", []byte(position(t, 211000001)))
	r := start(t, Source{Name: "log", URL: "file://" + path}, Source{Name: "roof", URL: "udp://127.0.0.1:0"})
	if e := r.events.await(t, "feed ended"); e.at != "" {
		t.Errorf("the end of a file is told with %q", e.at)
	}
	select {
	case <-r.feeds.Done():
		t.Error("done, though one feed lives")
	default:
	}
	r.stop()
	r.rest()
}

func TestStdin(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	r := prepare(t, Source{Name: "pipe", URL: "stdin://"})
	r.feeds.inlets[0].stdin = read
	r.run(t)
	say := func(text string) {
		if _, err := write.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	say(position(t, 211000001))
	r.expect(t, 211000001) // at once, not only at the end
	say(strings.TrimSpace(position(t, 211000002)))
	write.Close()
	r.expect(t, 211000002)
	<-r.feeds.Done()
}

// Run ends though standard input stays open.
func TestStdinStops(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	defer write.Close()
	r := prepare(t, Source{Name: "pipe", URL: "stdin://"})
	r.feeds.inlets[0].stdin = read
	r.run(t)
	r.events.await(t, "feed opened")
	r.stop()
	if err := <-r.err; err != nil {
		t.Error(err)
	}
}

// A stopped reader does not keep a file's feed from stopping.
func TestStopWhileBlocked(t *testing.T) {
	f, err := New([]Source{{Name: "log", URL: "file://" + logFile(t, "log", []byte(manyShips(t, 1000))) + "?speed=0"}},
		ais.NewPool(4), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	out := make(chan *ais.Batch)
	go func() { ended <- f.Run(ctx, out) }()
	<-out
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
