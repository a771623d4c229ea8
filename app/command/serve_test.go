package command

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"quaywatch/app/config"
)

// TestHTTPSIsAnnouncedWhereItIs: not where its port is of another program, and not where a browser needs to be told nothing.
func TestHTTPSIsAnnouncedWhereItIs(t *testing.T) {
	own := config.Default()
	off := own
	off.HTTP.TLS = "off"
	for _, row := range []struct {
		cfg  config.Config
		port int
		want string
	}{{own, 8443, "By HTTPS too"}, {own, 0, ""}, {off, 8443, ""}} {
		var out strings.Builder
		if announceSecure(&out, row.cfg, row.port); (out.Len() > 0) != (row.want != "") || !strings.HasPrefix(out.String(), row.want) {
			t.Errorf("tls %s at port %d: %q", row.cfg.HTTP.TLS, row.port, out.String())
		}
	}
}

func TestTheHeapIsCollectedWhenItHoldsMuchMore(t *testing.T) {
	start := time.Date(2026, 11, 28, 23, 59, 30, 0, time.UTC)
	const low = 20 << 20
	for _, c := range []struct {
		name  string
		bytes uint64
		after time.Duration
		want  bool
	}{
		{"little more", low + heapSpare - 1, heapRest, false},
		{"a sign-in more", low + 19<<20, heapRest, true},
		{"as much as is worth it", low + heapSpare, heapRest, true},
		{"too soon", low + 19<<20, heapRest - time.Second, false},
		{"less than before", low - 1, time.Hour, false},
	} {
		h := heapLevel{low: low, collected: start}
		if got := h.isHigh(c.bytes, start.Add(c.after)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTheHeapIsComparedWithTheLeastThatItHeld(t *testing.T) {
	start := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	h := heapLevel{low: 40 << 20, collected: start}
	if h.isHigh(20<<20, start.Add(heapRest)) {
		t.Fatal("a heap that became smaller is to be collected")
	}
	if !h.isHigh(33<<20, start.Add(heapRest)) {
		t.Fatal("a heap that took 13 MiB again is not to be collected")
	}
}

func TestALargeHeapIsCollectedSeldom(t *testing.T) {
	start := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		bytes uint64
		after time.Duration
		want  bool
	}{
		{"after its time", 10 * heapPace, 8 * heapRest, true},
		{"before its time", 16 * heapPace, 8*heapRest - time.Second, false},
		{"for little", 10*heapPace - 1, time.Hour, false},
	} {
		h := heapLevel{low: 8 * heapPace, collected: start}
		if got := h.isHigh(c.bytes, start.Add(c.after)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestWhatAMomentNeededIsGivenBack(t *testing.T) {
	debug.FreeOSMemory() // what other tests left would be taken first
	before := heapBytes()
	block := make([]byte, 64<<20)
	for i := range block { // a page that nobody wrote is not held
		block[i] = 1
	}
	if held := heapBytes(); held < before+48<<20 {
		t.Fatalf("the heap holds %d bytes after 64 MiB were taken, and %d before", held, before)
	}
	runtime.KeepAlive(block)
	debug.FreeOSMemory()
	if held := heapBytes(); held > before+16<<20 {
		t.Errorf("the heap still holds %d bytes, and %d before 64 MiB were taken", held, before)
	}
}
