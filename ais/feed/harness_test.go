package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/await"
)

// patience is how long a test waits for what must come; it is no measure of anything.
const patience = 2 * time.Minute

// event is what a feed logged.
type event struct{ message, at string }

// events is a slog.Handler that sends what is logged on a channel, so that tests wait for a feed without sleeping.
type events chan event

func (e events) Enabled(context.Context, slog.Level) bool { return true }
func (e events) WithAttrs([]slog.Attr) slog.Handler       { return e }
func (e events) WithGroup(string) slog.Handler            { return e }

func (e events) Handle(_ context.Context, r slog.Record) error {
	v := event{message: r.Message}
	r.Attrs(func(a slog.Attr) bool {
		v.at = a.Value.String()
		return true
	})
	select {
	case e <- v:
	default: // more than a test ever looks at
	}
	return nil
}

// await returns the next event with this message, dropping others.
func (e events) await(t testing.TB, message string) event {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case v := <-e:
			if v.message == message {
				return v
			}
		case <-deadline:
			t.Fatalf("no %q within %v", message, patience)
		}
	}
}

// rig is a set of feeds at work and what came out of it.
type rig struct {
	feeds  *Sources
	events events
	heard  chan ais.MMSI
	err    chan error
	stop   context.CancelFunc
}

// start runs the sources until the test ends, and then holds that nothing of them is left.
func start(t testing.TB, sources ...Source) *rig {
	t.Helper()
	r := prepare(t, sources...)
	r.run(t)
	return r
}

func prepare(t testing.TB, sources ...Source) *rig {
	t.Helper()
	r := &rig{events: make(events, 1000), heard: make(chan ais.MMSI, 1<<16), err: make(chan error, 1)}
	var err error
	r.feeds, err = New(sources, ais.NewPool(64), slog.New(r.events))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) run(t testing.TB) {
	out := make(chan *ais.Batch, 256)
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	go func() {
		r.err <- r.feeds.Run(ctx, out)
		close(out)
	}()
	go func() { // reads the status all the time, for the race detector
		for tick := time.NewTicker(5 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			r.feeds.Status()
		}
	}()
	go func() {
		for b := range out {
			for i := range b.Reports {
				r.heard <- b.Reports[i].Message.Head().MMSI
			}
			b.Release()
		}
		close(r.heard)
	}()
	t.Cleanup(func() {
		stop()
		for range r.heard {
		}
		noneLeft(t)
	})
}

// noneLeft holds that no goroutine of this package but the test's own is alive.
func noneLeft(t testing.TB) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	left := ""
	for range await.Looks(await.Limit) {
		left = ""
		for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(g, "quaywatch/ais/feed.(") && !strings.Contains(g, "testing.") {
				left = g
			}
		}
		if left == "" {
			return
		}
	}
	t.Fatalf("a goroutine is left:\n%s", left)
}

// expect reads until every one of the MMSIs was heard.
func (r *rig) expect(t testing.TB, want ...ais.MMSI) {
	t.Helper()
	missing := map[ais.MMSI]bool{}
	for _, m := range want {
		missing[m] = true
	}
	deadline := time.After(patience)
	for len(missing) > 0 {
		select {
		case m, ok := <-r.heard:
			if !ok {
				t.Fatalf("the feeds ended; not heard: %v", missing)
			}
			delete(missing, m)
		case <-deadline:
			t.Fatalf("not heard: %v", missing)
		}
	}
}

// rest returns what is heard until the feeds end.
func (r *rig) rest() (all []ais.MMSI) {
	for m := range r.heard {
		all = append(all, m)
	}
	return all
}

// noSuchNetwork reports whether the machine has no such addresses: no IPv6, no multicast. Any other error is a fault.
func noSuchNetwork(err error) bool {
	for _, missing := range []error{syscall.EADDRNOTAVAIL, syscall.EAFNOSUPPORT, syscall.ENODEV, syscall.ENETUNREACH} {
		if errors.Is(err, missing) {
			return true
		}
	}
	return false
}

func openFiles(t testing.TB) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("open files are counted in /proc: %v", err)
	}
	return len(entries)
}

// position returns the sentence, CR LF ended, of a ship that reports its position.
func position(t testing.TB, mmsi ais.MMSI) string {
	return sentence(t, &ais.PositionReport{
		Header: ais.Header{Type: 1, MMSI: mmsi},
		SOG:    ais.SOGTenths(123), COG: ais.COGTenths(900), Heading: ais.HeadingDegrees(91), Second: 30,
		Place: ais.Place{Lon: 6_132_000, Lat: 33_690_000},
	})
}

// static returns the two sentences of a ship that reports its name.
func static(t testing.TB, mmsi ais.MMSI) string {
	return sentence(t, &ais.StaticVoyage{
		Header: ais.Header{Type: 5, MMSI: mmsi}, Name: fmt.Sprintf("SHIP %d", mmsi), CallSign: "DABC", Destination: "AARHUS",
	})
}

func sentence(t testing.TB, m ais.Message) string {
	t.Helper()
	b, err := ais.NewEncoder("AIVDM").Sentences(nil, m, 'A')
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
