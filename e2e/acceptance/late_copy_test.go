package acceptance

import (
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/store"
)

// TestALateReceiverMovesNoShip runs the binary with two UDP feeds. One hears a ship each two seconds. The other sends each report again 50 s
// later, far beyond duplicate_window and without a stamp, so that its UTC second means another minute. The track is that of the first alone.
func TestALateReceiverMovesNoShip(t *testing.T) {
	t.Parallel()
	const (
		mmsi          = ais.MMSI(211378120)
		reports, late = 36, 25
		each          = 2 * time.Second
	)
	ports := [2]int{freePort(t, "udp"), freePort(t, "udp")}
	var receivers [2]net.Conn
	config := "[traffic]\nduplicate_window = \"5s\"\n" + everyFix
	for i, port := range ports {
		config += fmt.Sprintf("[[feed]]\nname = \"udp%d\"\nurl = \"udp://127.0.0.1:%d\"\n", i, port)
		conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		receivers[i] = conn
	}
	dir := t.TempDir()
	p := startServe(t, dir, config)
	canary(t, p, receivers[0], 211378121, 1, patience) // both feeds are open
	canary(t, p, receivers[1], 211378122, 1, patience)

	before := linesOf(p, "udp1")
	var said [reports][]byte
	due := time.Now()
	for i := range said {
		keepPace(due)
		report := aShip(mmsi, i)
		report.Second = ais.Second(time.Now().UTC().Second())
		said[i] = sentences(t, report)
		if _, err := receivers[0].Write(said[i]); err != nil {
			t.Fatal(err)
		}
		if i >= late {
			if _, err := receivers[1].Write(said[i-late]); err != nil {
				t.Fatal(err)
			}
		}
		due = due.Add(each)
	}
	eventually(t, patience, "all copies came", func() bool { return linesOf(p, "udp1") >= before+reports-late })
	if code := p.stop(patience); code != 0 {
		t.Fatalf("exit %d", code)
	}
	db, err := store.Open(store.Options{Dir: filepath.Join(dir, "data"), FullRate: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	fixes, err := db.Track(t.Context(), mmsi, time.UnixMilli(0), time.UnixMilli(store4000))
	if err != nil || len(fixes) != reports {
		t.Fatalf("%d fixes, want %d; %v", len(fixes), reports, err)
	}
	for i, f := range fixes { // in the order of their times
		if want := aShip(mmsi, i).Place; f.Lat != want.Lat || f.Lon != want.Lon {
			t.Fatalf("fix %d of %d is at %d, want %d", i, len(fixes), f.Lat, want.Lat)
		}
	}
}

// linesOf returns how many lines a feed has had.
func linesOf(p *process, feed string) uint64 {
	var status struct {
		Feeds []struct {
			Name  string
			Lines uint64
		}
	}
	p.get("/api/status", &status)
	for _, f := range status.Feeds {
		if f.Name == feed {
			return f.Lines
		}
	}
	return 0
}
