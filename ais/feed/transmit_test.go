//go:build linux

package feed

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"quaywatch/ais"
)

// transponder is a source that can be written to, and the receipts that came from it.
func transponder(url string) (Source, chan ais.OwnReceipt) {
	receipts := make(chan ais.OwnReceipt, 100)
	return Source{Name: "transponder", URL: url, Transmit: true, Receipt: func(r ais.OwnReceipt) { receipts <- r }}, receipts
}

// abm returns the sentences of an addressed text.
func abm(t testing.TB, text string) string {
	t.Helper()
	b, err := ais.AppendABM(nil, &ais.AddressedSafety{Header: ais.Header{Type: 12}, Sequence: 2, Destination: 219000001, Text: text}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// withChecksum ends a sentence.
func withChecksum(sentence string) string { return checked(sentence) + "\r\n" }

// A transponder on a serial port is read and written over one open port. Its ABK is told, and after it was plugged in again it takes messages again.
func TestASerialTransponder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB0")
	device := plug(t, path)
	source, receipts := transponder("serial://" + path)
	r := start(t, source)
	for range 3 {
		r.events.await(t, "feed opened")
		lines := bufio.NewReader(device)
		long := abm(t, strings.Repeat("KEEP CLEAR ", 14))
		if n, err := r.feeds.Transmit("transponder", []byte(long)); err != nil || n != len(long) {
			t.Fatalf("%d of %d bytes, %v", n, len(long), err)
		}
		for want := range strings.Lines(long) {
			if got, err := lines.ReadString('\n'); err != nil || got != want {
				t.Fatalf("the device has %q, want %q (%v)", got, want, err)
			}
		}
		say(t, device, position(t, 211000001)+withChecksum("$AIABK,219000001,B,12,2,0"))
		r.expect(t, 211000001)
		if got := <-receipts; got.MMSI != 219000001 || got.Channel != 'B' || got.Type != 12 || got.Sequence != 2 || got.Result != 0 {
			t.Errorf("the receipt is %+v", got)
		}
		unplug(t, device, path)
		r.events.await(t, "feed lost")
		if n, err := r.feeds.Transmit("transponder", []byte(long)); n != 0 || !errors.Is(err, ErrNotOpen) {
			t.Errorf("while unplugged: %d bytes, %v", n, err)
		}
		device = plug(t, path)
	}
	if s := r.feeds.Status()[0]; !s.Transmits || s.Transmitted != 3 {
		t.Errorf("%+v", s)
	}
}

// whenOpened calls itself when a feed logs that it is open.
type whenOpened func()

func (whenOpened) Enabled(context.Context, slog.Level) bool { return true }
func (w whenOpened) WithAttrs([]slog.Attr) slog.Handler     { return w }
func (w whenOpened) WithGroup(string) slog.Handler          { return w }

func (w whenOpened) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "feed opened" {
		w()
	}
	return nil
}

// Who is told that a transponder is open can write to it: the log tells nothing that is not true yet.
func TestATransponderThatIsSaidToBeOpenIsOpen(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	path := filepath.Join(t.TempDir(), "ttyUSB0")
	plug(t, path)
	for _, url := range []string{"serial://" + path, "tcp://" + listener.Addr().String()} {
		source, _ := transponder(url)
		r := prepare(t, source)
		open := make(chan bool, 1)
		r.feeds.inlets[0].log = slog.New(whenOpened(func() {
			_, now := r.feeds.Transmitters()
			open <- now[0]
		}))
		r.run(t)
		if !<-open {
			t.Errorf("%s is said to be open before it is", url)
		}
		r.stop()
	}
}

// A transponder that takes nothing is still heard, and its writer gives up.
func TestATransponderThatTakesNothing(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	source, receipts := transponder("tcp://" + listener.Addr().String())
	r := prepare(t, source)
	r.feeds.inlets[0].outlet.within /= 10
	r.run(t)
	device, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer device.Close()
	r.events.await(t, "feed opened")
	full := make(chan error)
	go func() {
		much := []byte(strings.Repeat(abm(t, "KEEP CLEAR"), 100_000))
		for {
			if n, err := r.feeds.Transmit("transponder", much); err != nil {
				if n == len(much) {
					err = errors.Join(err, errors.New("all was taken"))
				}
				full <- err
				return
			}
		}
	}()
	said := []byte(position(t, 211000001) + withChecksum("$AIABK,,,14,3,3"))
	if _, err := device.Write(said); err != nil {
		t.Fatal(err)
	}
	r.expect(t, 211000001)
	if got := <-receipts; got.MMSI != 0 || got.Type != 14 || got.Sequence != 3 || got.Result != 3 {
		t.Errorf("the receipt is %+v", got)
	}
	if err := <-full; !strings.Contains(err.Error(), "timeout") {
		t.Errorf("%v", err)
	}
	device.Write([]byte(position(t, 211000002)))
	r.expect(t, 211000002)
}

// A transponder on a serial port that never reads is given up in time, and heard meanwhile. When it reads again it gets whole sentences again: the one that was
// cut off is ended.
func TestASerialTransponderThatNeverReads(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB0")
	device := plug(t, path)
	source, _ := transponder("serial://" + path)
	r := prepare(t, source)
	r.feeds.inlets[0].outlet.within /= 100
	r.run(t)
	r.events.await(t, "feed opened")
	text, taken := abm(t, strings.Repeat("KEEP CLEAR ", 14)), 0
	for full := false; !full; {
		n, err := r.feeds.Transmit("transponder", []byte(text))
		if full = err != nil; full && (n == len(text) || !strings.Contains(err.Error(), "timeout")) {
			t.Fatalf("%d bytes, %v", n, err)
		}
		taken += n
	}
	r.feeds.inlets[0].outlet.within = patience // from here on it takes what is written, however late
	say(t, device, position(t, 211000001))
	r.expect(t, 211000001)
	if _, err := io.ReadFull(device, make([]byte, taken)); err != nil {
		t.Fatal(err)
	}
	if n, err := r.feeds.Transmit("transponder", []byte(text)); err != nil || n != len(text) {
		t.Fatalf("%d of %d bytes, %v", n, len(text), err)
	}
	lines, want := bufio.NewReader(device), text
	if taken%len(text) != 0 {
		want = "\r\n" + text
	}
	for want := range strings.Lines(want) {
		if got, err := lines.ReadString('\n'); err != nil || got != want {
			t.Fatalf("the device has %q, want %q (%v)", got, want, err)
		}
	}
}

func TestOnlyATransponderCanBeWrittenTo(t *testing.T) {
	for _, url := range []string{"serial://auto", "udp://127.0.0.1:10110", "tcp-listen://127.0.0.1:0", "file:///log", "stdin://"} {
		if err := Parse(Source{Name: "a", URL: url, Transmit: true}); !errors.Is(err, errTransmit) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if err := Parse(Source{Name: "a", URL: "tcp://127.0.0.1:1", Transmit: true, Clock: ais.LogClock}); err == nil {
		t.Error("a log can be written to")
	}
	f, err := New([]Source{{Name: "roof", URL: "udp://127.0.0.1:0"}}, ais.NewPool(1), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := f.Transmit("roof", []byte("x")); n != 0 || !errors.Is(err, ErrNoTransmitter) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
