package acceptance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/mail"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/notify/mail/mailtest"
)

// The load of TestEventsUnderLoadOutliveAKill: QUAYWATCH_EVENTS sets another number of events a second, QUAYWATCH_KILLS another number of kills.
const (
	loadKills     = 3
	eventsASecond = 100
	eachEvent     = 30     // positions for an event
	newShips      = 1500   // most of a life, at 1000 events a second
	mailedShips   = 4      // of a life
	mostAgain     = 2000   // ships that ring at once at the end: the ceiling of a watchdog is 3000
	mostRaised    = 75_000 // in all: the store keeps 100,000 events
	firstNew      = ais.MMSI(211000001)
	firstMailed   = ais.MMSI(219000001)
	firstFar      = ais.MMSI(230000001) // outside of the watched area
)

// listed is an event as the clients get it.
type listed struct {
	eventSeen
	Definition uint64 `json:"definition_id"`
}

// watcher is what one way of asking has told.
type watcher struct {
	name string

	mu    sync.Mutex
	seen  map[uint64]listed
	last  uint64
	wrong []string
}

func newWatcher(name string) *watcher { return &watcher{name: name, seen: map[uint64]listed{}} }

// take notes events in the order in which they came.
func (w *watcher) take(records ...listed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range records {
		if e.ID <= w.last {
			w.wrong = append(w.wrong, fmt.Sprintf("event %d comes after %d", e.ID, w.last))
		}
		w.last, w.seen[e.ID] = max(w.last, e.ID), e
	}
}

func (w *watcher) after() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.last
}

// poll asks again and again until the box is gone.
func (w *watcher) poll(p *process, path func() string) {
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for {
		r, text, err := p.try("GET", path(), "")
		var answer struct{ Records []listed }
		if err != nil || r.StatusCode != http.StatusOK || json.Unmarshal(text, &answer) != nil {
			return
		}
		w.take(answer.Records...)
		if len(answer.Records) == 0 {
			<-pace.C
		}
	}
}

// follow reads the stream of events from the last one on until the box is gone.
func (w *watcher) follow(p *process) {
	r, err := http.NewRequestWithContext(p.t.Context(), "GET", p.base+"/api/watchdog/stream?after_id=0", nil)
	if err != nil {
		return
	}
	r.SetBasicAuth("admin", adminPassword)
	if last := w.after(); last > 0 {
		r.Header.Set("Last-Event-ID", strconv.FormatUint(last, 10))
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		var e listed
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok && json.Unmarshal([]byte(data), &e) == nil {
			w.take(e)
		}
	}
}

// agrees holds what was told against what is stored: each event is there as it was told, and of those up to the last that was told none is left out, but
// where an answer was cut off.
func (w *watcher) agrees(t *testing.T, stored map[uint64]listed, from uint64, cuts int) (lost int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, text := range w.wrong {
		t.Errorf("%s: %s", w.name, text)
	}
	w.wrong = nil
	for id, e := range w.seen {
		if id > from && stored[id] != e {
			t.Errorf("%s was told %v, and %v is stored", w.name, e, stored[id])
		}
	}
	gaps, open := 0, false
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		if id > w.last {
			break
		}
		if _, told := w.seen[id]; told {
			open = false
			continue
		}
		if lost++; !open {
			gaps, open = gaps+1, true
		}
	}
	if gaps > cuts {
		t.Errorf("%s was not told %d events at %d places", w.name, lost, gaps)
	}
	return lost
}

// load offers positions by UDP.
type load struct {
	conn   net.Conn
	rate   int // events a second
	ships  int // new ones so far
	mailed int // the same, of those that are mailed
	beyond int // positions of those that sail outside
	tries  int // for those that have no event
	lines  atomic.Int64
}

// far is a ship that nothing watches.
func far(i, step int) *ais.PositionReport {
	r := aShip(firstFar+ais.MMSI(i), step)
	r.Place.Lat += 3 * 600000
	return r
}

// offer sends positions until stop is closed: new ships come in, each with a few reports, at most so many of one life. When all are in, they report again now and
// then, as the box may not have heard them. All others sail outside.
func (l *load) offer(t *testing.T, stop <-chan struct{}) {
	ships, mails := l.ships+newShips*l.rate/1000, l.mailed+mailedShips
	const reports = 4      // of a new ship
	apart := l.rate/10 + 1 // new ships between two of them: a tenth of a second
	var young, life []ais.MMSI
	repeats := 0
	var datagram []byte
	inside := 0
	say := func(r *ais.PositionReport) {
		datagram = append(datagram, sentences(t, r)...)
		if inside++; inside%10 == 0 {
			_, _ = l.conn.Write(datagram) // the box may be gone
			datagram = datagram[:0]
		}
		l.lines.Add(1)
	}
	began, said := time.Now(), 0
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
		}
		for due := int(time.Since(began).Seconds() * float64(l.rate)); said < due; said++ {
			var m ais.MMSI
			switch {
			case l.mailed < mails && said%20 == 0:
				m = firstMailed + ais.MMSI(l.mailed)
				l.mailed++
			case l.ships < ships:
				m = firstNew + ais.MMSI(l.ships)
				l.ships++
			}
			young = append(young, m)
			others := eachEvent
			switch {
			case m != 0:
				life = append(life, m)
			case len(life) > 0:
				say(aShip(life[repeats%len(life)], 10+repeats/len(life)))
				repeats, others = repeats+1, others-1
			}
			for i := range reports { // of the ships that came in a while ago
				if k := len(young) - 1 - i*apart; k >= 0 && young[k] != 0 {
					say(aShip(young[k], i))
					others--
				}
			}
			for range others {
				l.beyond++
				say(far(l.beyond%(eachEvent*l.rate), l.beyond/(eachEvent*l.rate)))
			}
		}
	}
}

// again offers each ship that has no event yet once more.
func (l *load) again(t *testing.T, missing []ais.MMSI) {
	pace := time.NewTicker(20 * time.Millisecond)
	defer pace.Stop()
	for range 4 {
		l.tries++
		for _, m := range missing {
			_, _ = l.conn.Write(sentences(t, aShip(m, 1000+l.tries)))
		}
		<-pace.C
	}
}

// allEvents returns the stored events after a number.
func (p *process) allEvents(after uint64) map[uint64]listed {
	p.t.Helper()
	all := map[uint64]listed{}
	for {
		var part struct {
			Records []listed
			More    bool
		}
		p.get(fmt.Sprint("/api/watchdog/event?after_id=", after), &part)
		for _, e := range part.Records {
			all[e.ID], after = e, e.ID
		}
		if !part.More {
			return all
		}
	}
}

// TestEventsUnderLoadOutliveAKill pulls the plug while ships raise events under a load of positions, and mails of some go out. Three clients follow the
// events: by the cursor, after the last one, and by the stream. No event that one of them saw is lost or another one afterwards, none comes twice to one of
// them, and a ship enters once. After each restart the clients go on where they were. No mail comes twice but the one whose answer was on its way.
// The test says how much was offered and taken in, and judges no speed.
func TestEventsUnderLoadOutliveAKill(t *testing.T) {
	kills, rate := killsOr(t, loadKills), eventsASecond
	if text := os.Getenv("QUAYWATCH_EVENTS"); text != "" {
		var err error
		if rate, err = strconv.Atoi(text); err != nil || rate < 10 {
			t.Fatalf("QUAYWATCH_EVENTS is %q", text)
		}
	}
	kills = min(kills, mostRaised*1000/(newShips*rate))
	var mailsTaken atomic.Int64
	server := mailtest.New(t, false, func(s *mailtest.Server) {
		s.Taken = func(mailtest.Received) { mailsTaken.Add(1); slowly() }
	})
	port := freePort(t, "udp")
	dir, config := t.TempDir(), fmt.Sprintf("[[feed]]\nname = \"roof\"\nurl = \"udp://127.0.0.1:%d\"\n", port)+mailConfig(server)
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	l := &load{conn: conn, rate: rate}
	cursor, asked, followed := newWatcher("the cursor"), newWatcher("after_id"), newWatcher("the stream")
	var took time.Duration
	var lines, dropped, checked uint64
	raised := 0
	for life := range kills {
		p := startServe(t, dir, config)
		if life == 0 {
			const area = `"type":"polygon","polygon":{"type":"Polygon","coordinates":[[[0,55],[20,55],[20,57],[0,57],[0,55]]]}`
			p.want(200, "POST", "/api/watchdog/definition", `{"name":"all",`+area+`}`)
			p.want(200, "POST", "/api/watchdog/definition", `{"name":"mailed",`+area+`,"filter":"mmsi > 219000000 and mmsi < 220000000","mail_to":["watch@port.example"]}`)
		}
		stored := p.allEvents(checked)
		for _, w := range []*watcher{cursor, asked, followed} {
			w.agreesSoFar(t, stored, checked)
		}
		for id := range stored {
			checked = max(checked, id)
		}
		stop, mailsBefore, began := make(chan struct{}), mailsTaken.Load(), time.Now()
		first := asked.after()
		var clients sync.WaitGroup
		clients.Go(func() { cursor.poll(p, func() string { return "/api/watchdog/event" }) })
		clients.Go(func() {
			asked.poll(p, func() string { return fmt.Sprint("/api/watchdog/event?after_id=", asked.after()) })
		})
		clients.Go(func() { followed.follow(p) })
		clients.Go(func() { l.offer(t, stop) })
		wanted := checked + uint64(newShips*rate/1000/2)
		var status struct {
			Feeds []struct {
				Lines       uint64
				KernelDrops uint64 `json:"kernel_drops"`
			}
		}
		eventually(t, patience, "half of the events of a life, and some mails", func() bool {
			return min(asked.after(), followed.after(), cursor.after()) > wanted && mailsTaken.Load() >= mailsBefore+2
		})
		p.get("/api/status", &status)
		took += time.Since(began)
		lines, dropped = lines+status.Feeds[0].Lines, dropped+status.Feeds[0].KernelDrops
		raised += int(asked.after() - first)
		p.kill()
		close(stop)
		clients.Wait()
	}
	offered := float64(l.lines.Load()) / took.Seconds()

	p := startServe(t, dir, config)
	missing := func() (ships []ais.MMSI) {
		count := map[ais.MMSI]int{}
		for _, e := range p.allEvents(0) {
			count[e.Ship.MMSI]++
		}
		for i := range l.mailed {
			if m := firstMailed + ais.MMSI(i); count[m] < 2 {
				ships = append(ships, m)
			}
		}
		for i := range l.ships {
			if m := firstNew + ais.MMSI(i); count[m] == 0 {
				ships = append(ships, m)
			}
		}
		return ships
	}
	unheard := len(missing())
	left := max(0, unheard-mostAgain) // are offered no more
	eventually(t, 2*patience, "an event of each ship that is offered again", func() bool {
		ships := missing()
		again := ships[:len(ships)-left]
		l.again(t, again)
		return len(again) == 0
	})
	stored := p.allEvents(0)
	times := map[string]int{}
	for _, e := range stored {
		times[fmt.Sprint(e.Definition, " ", e.Event, " ", e.Ship.MMSI)]++
	}
	for what, n := range times {
		if n != 1 || !strings.Contains(what, " enter ") {
			t.Errorf("%d events %s", n, what)
		}
	}
	if len(times) != l.ships+2*l.mailed-left {
		t.Errorf("%d events of %d ships, %d of them mailed", len(times), l.ships+l.mailed, l.mailed)
	}
	for _, w := range []*watcher{asked, followed} {
		w.agrees(t, stored, 0, 0)
	}
	cut := cursor.agrees(t, stored, 0, kills)
	came, twice := mailsOf(t, p, server, l.mailed)
	if twice > kills {
		t.Errorf("%d mails came twice after %d kills", twice, kills)
	}
	t.Logf("%d kills; in %.0f s of load %.0f positions/s were offered, %.0f/s taken in, %d datagrams dropped by the kernel; %.0f events/s were told, %d in all; "+
		"%d ships were not heard three times before a kill; %d mails, %d twice; %d events were in answers of the cursor that the kill cut off",
		kills, took.Seconds(), offered, float64(lines)/took.Seconds(), dropped, float64(raised)/took.Seconds(), len(stored), unheard, came, twice, cut)
}

// agreesSoFar holds that each event that was told since a number is stored as it was told.
func (w *watcher) agreesSoFar(t *testing.T, stored map[uint64]listed, from uint64) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, e := range w.seen {
		if id > from && stored[id] != e {
			t.Errorf("after a restart: %s was told %v, and %v is stored", w.name, e, stored[id])
		}
	}
}

// mailsOf waits until each ship that is mailed has its mail, and counts those that came twice: the one that was sent when the plug was pulled comes again
// before any other.
func mailsOf(t *testing.T, p *process, server *mailtest.Server, ships int) (came, twice int) {
	t.Helper()
	at := map[string]int{}
	eventually(t, patience, "a mail of each event", func() bool {
		clear(at)
		twice = 0
		for i, one := range server.Mails() {
			m, err := mail.ReadMessage(strings.NewReader(one.Text))
			if err != nil {
				t.Fatal(err)
			}
			id := m.Header.Get("Message-Id")
			if before, again := at[id]; again {
				if twice++; before != i-1 {
					t.Errorf("the mail %s came as number %d and %d", id, before, i)
				}
			}
			at[id] = i
		}
		return len(at) >= ships
	})
	if len(at) != ships {
		t.Errorf("%d mails of %d ships", len(at), ships)
	}
	return len(at), twice
}
