//go:build linux

package app

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/app/config"
	"quaywatch/notify"
	"quaywatch/notify/mail/mailtest"
	"quaywatch/notify/outbound/gatetest"
)

// noticeClock is the clock of the outbox.
type noticeClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *noticeClock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *noticeClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// tally counts what far ends got.
type tally struct {
	mu  sync.Mutex
	got map[string]map[string]int // by channel, then by the number of the notice
}

func (c *tally) add(channel, id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.got[channel] == nil {
		c.got[channel] = map[string]int{}
	}
	c.got[channel][id]++
}

// of returns how many notices of a channel came, and of those how many more than once.
func (c *tally) of(channel string) (came, twice int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.got[channel] {
		came++
		twice += n - 1
	}
	return came, twice
}

// troubled is a service whose ways out are real servers behind gates.
type troubled struct {
	*site
	clock  *noticeClock
	gates  map[string]*gatetest.Gate // by channel
	came   tally
	mails  *mailtest.Server
	events uint64
}

// counts makes a program that counts the requests for a channel.
func (c *tally) counts(t *testing.T, channel string) (address string) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.add(channel, r.Header.Get("Idempotency-Key"))
		io.WriteString(w, "accepted")
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// transponder answers each text with ABK, and counts them by ship.
func (c *tally) transponder(t *testing.T) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					f := strings.Split(lines.Text(), ",")
					if len(f) < 8 || f[1] != f[2] {
						continue
					}
					c.add(notify.Ship, f[4])
					_, _ = conn.Write(ais.EndSentence(fmt.Appendf(nil, "$AIABK,%s,A,12,%s,0", f[4], f[3]), 0))
				}
			}()
		}
	}()
	return l.Addr().String()
}

func newTroubled(t *testing.T) *troubled {
	s := &troubled{clock: &noticeClock{now: time.Now()}, gates: map[string]*gatetest.Gate{}, came: tally{got: map[string]map[string]int{}},
		mails: mailtest.New(t, false, nil)}
	mosquitto, published := broker(t)
	go func() {
		for m := range published {
			s.came.add(notify.MQTT, string(m.Payload()))
		}
	}()
	for channel, address := range map[string]string{notify.Mail: fmt.Sprintf("127.0.0.1:%d", s.mails.Port), notify.SMS: s.came.counts(t, notify.SMS),
		notify.Webhook: s.came.counts(t, notify.Webhook), notify.MQTT: mosquitto, notify.Ship: s.came.transponder(t)} {
		s.gates[channel] = gatetest.New(t, address)
	}
	s.site = siteBy(t, Options{NoticeClock: s.clock.read}, func(c *config.Config) {
		host, port, err := net.SplitHostPort(s.gates[notify.Mail].Address)
		if err != nil {
			t.Fatal(err)
		}
		c.Mail.Host, c.Mail.From, c.Mail.CA = host, "quaywatch@port.example", s.mails.CA
		fmt.Sscan(port, &c.Mail.Port)
		c.SMS.URL, c.SMS.Success = "http://"+s.gates[notify.SMS].Address+"/?to=%digits%&text=%text%", "accepted"
		c.Webhook = []config.Webhook{{Name: "vts", URL: "http://" + s.gates[notify.Webhook].Address}}
		c.MQTT.URL, c.MQTT.UserName = "mqtt://"+s.gates[notify.MQTT].Address, "anna"
		c.Feed = append(c.Feed, config.Feed{Name: "mast", URL: "tcp://" + s.gates[notify.Ship].Address, Transmit: true})
		c.Safety.PerMinute = 1000
	})
	s.watch(`"mail_to":["anna"],"sms_to":["anna"],"webhooks":["vts"],"mqtt":true,"send_ship_notification":true,"ship_notification_text":"KEEP CLEAR"`)
	return s
}

// enter lets a further ship enter the roads, until its event is there for a client. No notice need be sent for that.
func (s *troubled) enter() (event uint64) {
	s.t.Helper()
	s.events++
	for step := 0; s.app.watch.Last() < s.events; step++ {
		if step == 1000 {
			s.t.Fatal("the watchdog tells nothing")
		}
		s.say(s.slow(nordic + ais.MMSI(s.events)))
	}
	if _, answer := s.call(http.MethodGet, fmt.Sprintf("/api/watchdog/event?after_id=%d", s.events-1), ""); !strings.Contains(answer, fmt.Sprintf(`"id":%d`, s.events)) {
		s.t.Fatalf("no client sees the event: %s", answer)
	}
	s.until("its notices", func() bool { return len(s.app.outbox.Of(s.events)) == 5 })
	return s.events
}

// notice returns the notice of an event by a channel.
func (s *troubled) notice(event uint64, channel string) notify.Record {
	for _, r := range s.app.outbox.Of(event) {
		if r.Channel == channel {
			return r
		}
	}
	return notify.Record{}
}

// sent waits until the notices of the events up to one are sent, but those of some channels.
func (s *troubled) sent(last uint64, but ...string) {
	s.t.Helper()
	for channel := range s.gates {
		for event := uint64(1); event <= last && !slices.Contains(but, channel); event++ {
			s.until(fmt.Sprintf("event %d is told by %s", event, channel), func() bool { return s.notice(event, channel).State == notify.Sent })
		}
	}
}

// fails waits until a try by a channel has failed at the time of the clock.
func (s *troubled) fails(event uint64, channel string) {
	s.t.Helper()
	s.until(fmt.Sprintf("a try of event %d by %s fails", event, channel), func() bool {
		r := s.notice(event, channel)
		return r.State == notify.Waiting && r.Error != "" && r.Time.UnixMilli() == s.clock.read().UnixMilli()
	})
}

// TestTheWaysOutFail: each way out in turn, and then all at once, stands still, is dead, and comes back. No event waits for them; the others go on; the one
// that failed is left alone for 10 s, then 20 s; and then each far end has each notice once.
func TestTheWaysOutFail(t *testing.T) {
	t.Parallel()
	s := newTroubled(t)
	s.sent(s.enter())
	channels := slices.Sorted(maps.Keys(s.gates))
	notices := slices.DeleteFunc(slices.Clone(channels), func(c string) bool { return c == notify.Ship }) // which has an outbox of its own
	for _, channel := range notices {
		gate := s.gates[channel]
		gate.Set(gatetest.Silent)
		calls := gate.Calls()
		first := s.enter()
		s.until("a try is under way", func() bool { return gate.Calls() > calls })
		second := s.enter()
		s.sent(second, channel)
		gate.Set(gatetest.Dead) // ends the try
		s.fails(first, channel)
		calls = gate.Calls()
		gate.Set(gatetest.Open)
		s.sent(s.enter(), channel)
		if r := s.notice(first, channel); r.State != notify.Waiting || gate.Calls() != calls {
			t.Errorf("%s is not left alone: %+v, %d calls", channel, r, gate.Calls()-calls)
		}
		s.clock.pass(10 * time.Second)
		s.sent(s.enter())
	}
	s.allFail(channels, notices)
	s.onceEach(channels)
}

// allFail lets all ways out fail at once, twice.
func (s *troubled) allFail(channels, notices []string) {
	s.t.Helper()
	for _, channel := range channels {
		s.gates[channel].Set(gatetest.Dead)
	}
	s.until("the transponder is gone", func() bool { return !s.app.feeds.Status()[1].Connected })
	first := s.enter()
	for _, channel := range notices {
		s.fails(first, channel)
	}
	s.clock.pass(10 * time.Second)
	s.enter()
	for _, channel := range notices {
		s.fails(first, channel)
	}
	failed := s.clock.read().UnixMilli()
	s.clock.pass(20*time.Second - time.Millisecond)
	s.enter()
	status := s.app.outbox.Status()
	if len(status.Trouble) != len(notices) || status.Waiting < 3*len(notices) || status.Pushed != 0 {
		s.t.Errorf("%+v", status)
	}
	for _, channel := range notices {
		if r := s.notice(first, channel); r.State != notify.Waiting || r.Time.UnixMilli() != failed {
			s.t.Errorf("%s is not left alone for longer: %+v", channel, r)
		}
	}
	for _, channel := range channels {
		s.gates[channel].Set(gatetest.Open)
	}
	s.clock.pass(time.Millisecond)
	s.sent(s.enter())
	if status := s.app.outbox.Status(); status.Waiting+len(status.Trouble) != 0 || status.Pushed != 0 {
		s.t.Errorf("%+v", status)
	}
}

// onceEach checks that each far end has a notice of each event, and none twice.
func (s *troubled) onceEach(channels []string) {
	s.t.Helper()
	for _, m := range s.mails.Mails() {
		_, id, _ := strings.Cut(m.Text, "Message-ID: ")
		id, _, _ = strings.Cut(id, "\r\n")
		s.came.add(notify.Mail, id)
	}
	for _, channel := range channels {
		s.until("all by "+channel, func() bool { came, _ := s.came.of(channel); return came >= int(s.events) })
		if came, twice := s.came.of(channel); came != int(s.events) || twice != 0 {
			s.t.Errorf("%s: %d of %d notices came, %d of them twice", channel, came, s.events, twice)
		}
	}
}
