//go:build linux

package feed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
)

// trace is what must not depend on the way by which a log comes in.
type trace struct {
	hash     uint64
	received time.Time
	sent     time.Time
	own      bool
	channel  byte
	station  string
}

// hear runs one source that follows the log's clock and returns all that it reported. say writes to the source when it is open. A source
// that does not end by itself is stopped when its counters have the number of lines.
func hear(t *testing.T, url string, lines uint64, say func(at string, flow func(sent uint64))) ([]trace, ais.Counters) {
	t.Helper()
	log := make(events, 1000)
	f, err := New([]Source{{Name: "log", URL: url, Clock: ais.LogClock}}, ais.NewPool(64), slog.New(log))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := make(chan *ais.Batch, 1<<16)
	ended := make(chan error, 1)
	go func() { ended <- f.Run(ctx, out); close(out) }()
	if say != nil {
		at := <-log
		deadline := time.Now().Add(patience)
		flow := func(sent uint64) {
			for f.Status()[0].Counters.Lines < sent {
				if time.Now().After(deadline) {
					t.Fatalf("%s: %d lines of %d", url, f.Status()[0].Counters.Lines, sent)
				}
				runtime.Gosched()
			}
		}
		say(at.at, flow)
		flow(lines)
		stop()
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	var all []trace
	for b := range out {
		for _, r := range b.Reports {
			all = append(all, trace{r.Hash, r.Received, r.Sent, r.Own, r.Channel, r.Station})
		}
		b.Release()
	}
	if s := f.Status()[0]; s.Overflow.Batches+s.KernelDrops != 0 {
		t.Errorf("%s: overflow %+v, kernel drops %d", url, s.Overflow, s.KernelDrops)
	}
	return all, f.Status()[0].Counters
}

// A log that is played over UDP, a serial line or TCP gives what its file gives: reports, their times and counters.
func testWays(t *testing.T, content []byte) {
	path := logFile(t, "day.nmea", content)
	want, counters := hear(t, "file://"+path+"?speed=0", 0, nil)
	if len(want) == 0 {
		t.Fatal("the log has no message")
	}
	same := func(way string, got []trace, c ais.Counters) {
		t.Helper()
		if c != counters {
			t.Errorf("%s: counters %+v; from the file %+v", way, c, counters)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d reports, other than the file's %d", way, len(got), len(want))
		}
	}
	write := func(w io.Writer) {
		if _, err := w.Write(content); err != nil {
			t.Error(err)
		}
	}

	again, c := hear(t, "file://"+path+"?speed=1000000", 0, nil)
	same("at a pace", again, c)

	got, c := hear(t, "udp://127.0.0.1:0", counters.Lines, func(at string, flow func(uint64)) {
		conn, err := net.Dial("udp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		sent := uint64(0)
		for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
			if len(lines.Bytes()) == 0 {
				continue
			}
			send(t, conn, lines.Text())
			if sent++; sent%1000 == 0 {
				flow(sent)
			}
		}
	})
	same("udp", got, c)

	got, c = hear(t, "tcp-listen://127.0.0.1:0", counters.Lines, func(at string, _ func(uint64)) {
		conn, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		write(conn)
	})
	same("tcp-listen", got, c)

	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	got, c = hear(t, "tcp://"+server.Addr().String(), counters.Lines, func(string, func(uint64)) {
		conn := accept(t, server)
		t.Cleanup(func() { conn.Close() })
		write(conn)
	})
	same("tcp", got, c)

	port := filepath.Join(t.TempDir(), "ttyUSB0")
	receiver := plug(t, port)
	got, c = hear(t, "serial://"+port, counters.Lines, func(string, func(uint64)) { write(receiver) })
	same("serial", got, c)
}

func TestWays(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("a banner that is no sentence\r\n\r\n")
	for i := range 300 {
		if i > 20 && i%7 == 0 {
			fmt.Fprintf(&b, "%s\r\n", checked(fmt.Sprintf("$GPRMC,1200%02d.00,A,5430.0,N,01200.0,E,7.5,90.0,310713,,", i%60)))
		}
		b.WriteString(position(t, ais.MMSI(211000000+i%40)))
		if i%11 == 0 {
			b.WriteString(static(t, ais.MMSI(211000000+i%40)))
		}
	}
	testWays(t, b.Bytes())
}

// checked ends a sentence with its checksum.
func checked(text string) string {
	sum := byte(0)
	for _, c := range []byte(text[1:]) {
		sum ^= c
	}
	return fmt.Sprintf("%s*%02X", text, sum)
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
