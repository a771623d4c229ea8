package acceptance

import (
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/notify/mail/mailtest"
)

// watchdogKills is how often the plug is pulled right after a client got events; QUAYWATCH_KILLS sets another number.
const watchdogKills = 20

// eventSeen is what a client got.
type eventSeen struct {
	ID    uint64 `json:"id"`
	Event string `json:"event"`
	Time  string `json:"time"`
	Ship  struct {
		MMSI ais.MMSI `json:"mmsi"`
	} `json:"ship"`
}

// TestEventsOutliveAKill pulls the plug right after a client got events: each of them is there after the restart under its number, the cursor stands, and
// no ship that stays inside enters again.
func TestEventsOutliveAKill(t *testing.T) {
	t.Parallel()
	port := freePort(t, "udp")
	dir, config := t.TempDir(), fmt.Sprintf("[[feed]]\nname = \"roof\"\nurl = \"udp://127.0.0.1:%d\"\n", port)
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	seen := map[uint64]eventSeen{}
	ships, step := 0, 0
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for try := range killsOr(t, watchdogKills) {
		p := startServe(t, dir, config)
		if try == 0 {
			if r, answer := p.do("POST", "/api/watchdog/definition", `{"name":"all","type":"polygon",
				"polygon":{"type":"Polygon","coordinates":[[[0,40],[20,40],[20,70],[0,70],[0,40]]]}}`); r.StatusCode != 200 {
				t.Fatalf("%d %s", r.StatusCode, answer)
			}
		}
		stillThere(t, p, seen)
		var latest struct{ Records []eventSeen }
		ships += 5
		eventually(t, patience, "events of the new ships", func() bool {
			for range 4 { // a ship counts from its third report on
				step++
				for m := range ships {
					if _, err := conn.Write(sentences(t, aShip(ais.MMSI(211000001+m), step))); err != nil {
						return false // the feed is not open yet
					}
				}
				<-pace.C
			}
			var waited struct{ Triggered bool }
			if p.get("/api/watchdog/wait?timeout=1", &waited); waited.Triggered {
				p.get("/api/watchdog/event", &latest)
			}
			return waited.Triggered
		})
		p.kill()
		for _, e := range latest.Records {
			if _, twice := seen[e.ID]; twice {
				t.Errorf("event %d was told before the kill", e.ID)
			}
			seen[e.ID] = e
		}
	}
	p := startServe(t, dir, config)
	stillThere(t, p, seen)
	entered := map[ais.MMSI]uint64{}
	for _, e := range events(p) {
		if was, twice := entered[e.Ship.MMSI]; twice && e.Event == "enter" {
			t.Errorf("ship %d enters with %d and with %d", e.Ship.MMSI, was, e.ID)
		}
		entered[e.Ship.MMSI] = e.ID
	}
	if len(seen) < watchdogKills || len(entered) < watchdogKills {
		t.Errorf("%d events of %d ships", len(seen), len(entered))
	}
}

// events returns all events.
func events(p *process) []eventSeen {
	return allEvents(p, func(e eventSeen) uint64 { return e.ID })
}

// allEvents reads all events as records of a type, a page after the other.
func allEvents[E any](p *process, id func(E) uint64) (all []E) {
	for after := uint64(0); ; after = id(all[len(all)-1]) {
		var page struct{ Records []E }
		p.get(fmt.Sprintf("/api/watchdog/event?after_id=%d", after), &page)
		if len(page.Records) == 0 {
			return all
		}
		all = append(all, page.Records...)
	}
}

// stillThere checks that what a client got is there.
func stillThere(t *testing.T, p *process, seen map[uint64]eventSeen) {
	t.Helper()
	there := map[uint64]eventSeen{}
	for _, e := range events(p) {
		there[e.ID] = e
	}
	for id, e := range seen {
		if there[id] != e {
			t.Errorf("event %d was %v, and is %v", id, e, there[id])
		}
	}
}

// BenchmarkEvent measures how long after its datagram an event answers a caller that waits for it, while the outbox is at rest and while it mails.
func BenchmarkEvent(b *testing.B) {
	b.Run("quiet", func(b *testing.B) { benchmarkEvent(b, 0) })
	b.Run("mailing", func(b *testing.B) { benchmarkEvent(b, 10) })
}

// benchmarkEvent has each event told by so many mails.
func benchmarkEvent(b *testing.B, mails int) {
	var taken atomic.Int64
	far := mailtest.New(b, false, func(s *mailtest.Server) { s.Taken = func(mailtest.Received) { taken.Add(1) } })
	port := freePort(b, "udp")
	p := startServe(b, b.TempDir(), fmt.Sprintf("[[feed]]\nname = \"roof\"\nurl = \"udp://127.0.0.1:%d\"\n", port)+mailConfig(far))
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	targets := make([]string, mails)
	for i := range targets {
		targets[i] = fmt.Sprintf("watch%d@port.example", i)
	}
	to, _ := json.Marshal(targets)
	p.want(200, "POST", "/api/watchdog/definition", around(fmt.Sprintf(`"mail_to":%s`, to)))
	var took []time.Duration
	silence := time.NewTicker(100 * time.Millisecond)
	defer silence.Stop()
	for i := range b.N {
		m := ais.MMSI(211000001 + i)
		say := func(step int) {
			if _, err := conn.Write(sentences(b, aShip(m, step))); err != nil {
				b.Fatal(err)
			}
		}
		for step := range 2 {
			say(1 + step)
			eventually(b, patience, "the report is heard", func() bool {
				heard, _ := feedCounters(p)["sentences"].(float64)
				return heard == float64(3*i+1+step)
			})
		}
		answered := make(chan time.Time)
		var waited struct {
			Triggered bool
			Count     int
		}
		go func() {
			p.get("/api/watchdog/wait?timeout=10", &waited)
			answered <- time.Now()
		}()
		eventually(b, patience, "the caller waits", func() bool {
			_, figures := p.do("GET", "/metrics", "")
			return strings.Contains(string(figures), "\nquaywatch_watchdog_waits 1\n")
		})
		silence.Reset(100 * time.Millisecond)
		<-silence.C // what comes shortly after another report gathers, and that is not measured
		said := time.Now()
		say(3)
		took = append(took, (<-answered).Sub(said))
		if !waited.Triggered || waited.Count != 1 {
			b.Fatalf("event %d: %+v", i, waited)
		}
		var events struct{ Records []eventSeen }
		p.get("/api/watchdog/event", &events)
	}
	if mails > 0 && b.N > 1 && taken.Load() == 0 {
		b.Fatal("no mail went out")
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-p50")
	b.ReportMetric(took[len(took)*99/100].Seconds()*1000, "ms-p99")
	b.ReportMetric(float64(taken.Load()), "mails")
	b.ReportMetric(0, "ns/op")
}
