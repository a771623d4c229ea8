//go:build linux

package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"golang.org/x/sys/unix"

	"quaywatch/ais"
	"quaywatch/app/config"
	"quaywatch/internal/await"
	"quaywatch/notify"
	"quaywatch/notify/mqtt/brokertest"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	testPassword = "correct horse battery"
	patience     = 2 * time.Minute // how long a test waits for what must come; it is no measure of anything
)

// site is a service at work, with a receiver that is a TCP connection and a user that may do all.
type site struct {
	t        *testing.T
	app      *App
	http     string
	receiver net.Conn
	told     int // sentences, so that no two are the same
}

// newSite starts a service with what change says.
func newSite(t *testing.T, change func(*config.Config)) *site {
	t.Helper()
	return siteOf(t, false, change)
}

// siteOf is newSite for a service that sends nothing where it is silent.
func siteOf(t *testing.T, silent bool, change func(*config.Config)) *site {
	t.Helper()
	return siteBy(t, Options{Silent: silent}, change)
}

// siteBy is newSite for a service with further options.
func siteBy(t *testing.T, o Options, change func(*config.Config)) *site {
	t.Helper()
	s := &site{t: t, http: brokertest.Free(t)}
	feed := brokertest.Free(t)
	c := config.Default()
	c.DataDir, c.HTTP.Listen, c.HTTP.TLS = t.TempDir(), s.http, "off"
	c.Feed = []config.Feed{{Name: "roof", URL: "tcp-listen://" + feed}}
	change(&c)
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	var err error
	o.Config, o.AdminPassword, o.Log = c, testPassword, slog.New(slog.DiscardHandler)
	if s.app, err = New(o); err != nil {
		t.Fatal(err)
	}
	_, err = s.app.Users.Create(access.User{Name: "anna", Profile: access.Profile{Phone: "+45 12 34 56 78", Email: "anna@port.example", Rights: rights()}}, testPassword)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.app.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := errors.Join(<-ended, s.app.Close()); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-s.app.Moving():
	case <-time.After(patience):
		t.Fatal("the service does not move")
	}
	s.until("the receiver is taken", func() bool {
		s.receiver, err = net.Dial("tcp", feed)
		return err == nil
	})
	t.Cleanup(func() { s.receiver.Close() })
	return s
}

func rights() map[right.Name]right.Verdict {
	all := map[right.Name]right.Verdict{}
	for _, r := range right.All() {
		all[r] = right.Allow
	}
	return all
}

// until waits until something is so.
func (s *site) until(what string, is func() bool) {
	s.t.Helper()
	await.That(s.t, what, is)
}

// call asks the API as anna.
func (s *site) call(method, path, body string) (status int, answer string) {
	s.t.Helper()
	r, err := http.NewRequest(method, "http://"+s.http+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.SetBasicAuth("anna", testPassword)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// watch defines a watchdog of the roads, with further fields.
func (s *site) watch(fields string) {
	s.t.Helper()
	before := s.app.watch.Status().Watching
	status, answer := s.call(http.MethodPost, "/api/watchdog/definition", `{"name":"Roads","type":"polygon","severity":"alert",`+fields+
		`,"polygon":{"type":"Polygon","coordinates":[[[10.3,56.1],[10.4,56.1],[10.4,56.2],[10.3,56.2],[10.3,56.1]]]}}`)
	if status/100 != 2 {
		s.t.Fatalf("%d %s", status, answer)
	}
	t := s.t
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("notices %+v, events %d, watchdogs %+v, feeds %+v", s.app.outbox.Of(1), s.app.watch.Last(), s.app.watch.Status(), s.app.feeds.Status())
		}
	})
	s.until("it watches", func() bool { return s.app.watch.Status().Watching > before })
}

// hear lets the receiver hear a ship in the roads until the watchdog has told of it: a ship counts from its third report on.
func (s *site) hear(m ais.MMSI) {
	s.t.Helper()
	for s.app.watch.Last() == 0 {
		if s.told == 999 {
			s.t.Fatal("the watchdog tells nothing")
		}
		s.say(s.slow(m))
	}
}

// slow returns the next report of a ship that hardly moves in the roads.
func (s *site) slow(m ais.MMSI) *ais.PositionReport {
	return &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, SOG: ais.SOGTenths(s.told % 5), COG: ais.COGTenths(900), Heading: ais.HeadingDegrees(s.told % 360),
		Second: 60, Place: ais.Place{Lon: 10.35 * 600000, Lat: 56.15 * 600000}}
}

// say has the receiver hear a report, and waits until the service has it.
func (s *site) say(p *ais.PositionReport) {
	s.t.Helper()
	text, err := ais.NewEncoder("AIVDM").Sentences(nil, p, 'A')
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.receiver.Write(text); err != nil {
		s.t.Fatal(err)
	}
	s.told++
	s.until("the report is in the picture", func() bool {
		stats := s.app.picture.Stats()
		return stats.Reports+stats.Duplicates >= uint64(s.told)
	})
}

// becomes waits until the only notice of the only event is in a state.
func (s *site) becomes(want notify.NoticeState) notify.Record {
	s.t.Helper()
	var all []notify.Record
	s.until(string(want), func() bool {
		all = s.app.outbox.Of(1)
		return len(all) == 1 && all[0].State == want
	})
	return all[0]
}

// awaited returns what a program got.
func awaited(t *testing.T, got chan request) request {
	t.Helper()
	select {
	case r := <-got:
		return r
	case <-time.After(patience):
		t.Fatal("no request came")
		return request{}
	}
}

const nordic = ais.MMSI(219018765)

// request is what a program got.
type request struct {
	header http.Header
	query  string
	body   string
}

// program is a server that gives a status to each request in turn, and the last one for ever.
func program(t *testing.T, statuses ...int) (url string, got chan request) {
	t.Helper()
	got = make(chan request, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.WriteHeader(statuses[0])
		if len(statuses) > 1 {
			statuses = statuses[1:]
		}
		io.WriteString(w, "accepted")
		got <- request{r.Header, r.URL.RawQuery, string(body)}
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

// A ship that enters is told to the telephone of the owner by the gateway of the operator.
func TestSMSByGateway(t *testing.T) {
	url, got := program(t, http.StatusOK)
	s := newSite(t, func(c *config.Config) {
		c.SMS.URL, c.SMS.Success, c.SMS.Password = url+"/?to=%digits%&text=%text%&p=%password%", "accepted", "s3cret"
	})
	s.watch(`"sms_to":["anna"],"sms_template":"%watchdog%: %mmsi% 100% & <b>"`)
	s.hear(nordic)
	if r := awaited(t, got); r.query != "to=4512345678&text=Roads%3A+219018765+100%25+%26+%3Cb%3E&p=s3cret" {
		t.Error(r.query)
	}
	s.becomes(notify.Sent)
	if status, answer := s.call(http.MethodGet, "/api/watchdog/event?after_id=0", ""); !strings.Contains(answer, `"notices":[{"channel":"sms","to":"anna","state":"sent"`) {
		t.Errorf("%d %s", status, answer)
	}
}

// A program gets the event as JSON of a version, each time with the same number, and a refusal for good is told on the event.
func TestWebhooks(t *testing.T) {
	url, got := program(t, http.StatusServiceUnavailable, http.StatusGone)
	s := newSite(t, func(c *config.Config) {
		c.Webhook = []config.Webhook{{Name: "vts", URL: url + "/secret-path", Secret: "sixteen bytes are enough"}}
	})
	if status, answer := s.call(http.MethodPost, "/api/watchdog/definition", `{"name":"X","type":"line","webhooks":["http://evil.example"],
		"line":{"type":"LineString","coordinates":[[10,56],[11,56]]}}`); status != http.StatusBadRequest || !strings.Contains(answer, "no_webhook") {
		t.Errorf("a user names a host: %d %s", status, answer)
	}
	s.watch(`"webhooks":["vts"]`)
	s.hear(nordic)
	first := awaited(t, got)
	var body struct {
		Version int
		Type    string
		Data    struct {
			Event, Watchdog string
			Ship            struct{ MMSI int }
		}
	}
	if err := json.Unmarshal([]byte(first.body), &body); err != nil || body.Version != 1 || body.Type != "watchdog.event" || body.Data.Event != "enter" ||
		body.Data.Watchdog != "Roads" || body.Data.Ship.MMSI != int(nordic) {
		t.Errorf("%v %s", err, first.body)
	}
	if !strings.HasPrefix(first.header.Get("Webhook-Signature"), "v1,") || first.header.Get("Webhook-Id") == "" {
		t.Errorf("%v", first.header)
	}
	s.until("the first try is noted", func() bool { of := s.app.outbox.Of(1); return len(of) == 1 && of[0].Error != "" })
	if of := s.app.outbox.Of(1)[0]; of.State != notify.Waiting || of.Error != "the server refuses with status 503" {
		t.Errorf("%+v", of)
	}
}

// A program that refuses for good gets a notice once.
func TestWebhookRefusesForGood(t *testing.T) {
	url, got := program(t, http.StatusGone)
	s := newSite(t, func(c *config.Config) { c.Webhook = []config.Webhook{{Name: "vts", URL: url + "/secret-path"}} })
	s.watch(`"webhooks":["vts"]`)
	s.hear(nordic)
	awaited(t, got)
	if of := s.becomes(notify.Failed); of.Error != "the server refuses with status 410" {
		t.Errorf("%+v", of)
	}
}

// A ship that enters is told by a modem on a serial port.
func TestSMSByModem(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB2")
	far := modemAt(t, path)
	s := newSite(t, func(c *config.Config) { c.SMS.Modem = "serial://" + path + "?baud=115200" })
	s.watch(`"sms_to":["+45 87654321"],"sms_template":"hellohello"`)
	s.hear(nordic)
	got := make(chan string, 1)
	go func() { got <- answerModem(far) }()
	select {
	case pdu := <-got:
		if !strings.HasPrefix(pdu, "0011000A9154785634120000A70AE8329BFD4697D9EC37") {
			t.Error(pdu)
		}
	case <-time.After(patience):
		t.Fatal("nothing was said to the modem")
	}
	s.becomes(notify.Sent)
}

// answerModem says OK to all commands, and returns the text of the message.
func answerModem(far *os.File) string {
	in := bufio.NewReader(far)
	for {
		command, err := in.ReadString('\r')
		if err != nil {
			return err.Error()
		}
		if !strings.HasPrefix(command, "AT+CMGS=") {
			fmt.Fprint(far, "\r\nOK\r\n")
			continue
		}
		fmt.Fprint(far, "\r\n> ")
		text, err := in.ReadString(0x1a)
		if err != nil {
			return err.Error()
		}
		fmt.Fprint(far, "\r\n+CMGS: 1\r\n\r\nOK\r\n")
		return text
	}
}

// modemAt makes a pseudo-terminal whose near end is at path.
func modemAt(t *testing.T, path string) *os.File {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		t.Skipf("needs pseudo-terminals: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := far.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	n, numbered := 0, error(nil)
	err = raw.Control(func(fd uintptr) {
		if numbered = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); numbered == nil {
			n, numbered = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err := errors.Join(err, numbered, os.Symlink(fmt.Sprintf("/dev/pts/%d", n), path)); err != nil {
		t.Fatal(err)
	}
	near, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0) // the far end of one that nobody has open is broken
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		far.Close()
		near.Close()
	})
	return far
}

// broker starts a broker that takes everybody, and returns what it hands on.
func broker(t *testing.T) (address string, got chan paho.Message) {
	t.Helper()
	brokertest.Start(t, func() (string, []string) {
		address = brokertest.Free(t)
		_, port, _ := net.SplitHostPort(address)
		return "allow_anonymous true\nlistener " + port + " 127.0.0.1\n", []string{address}
	})
	got = make(chan paho.Message, 100)
	client := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + address).SetClientID("erp").SetConnectRetry(true).SetConnectRetryInterval(10 * time.Millisecond))
	for _, step := range []func() paho.Token{client.Connect, func() paho.Token {
		return client.Subscribe("#", 1, func(_ paho.Client, m paho.Message) { got <- m })
	}} {
		if token := step(); !token.WaitTimeout(patience) || token.Error() != nil {
			t.Fatal(token.Error())
		}
	}
	t.Cleanup(func() { client.Disconnect(0) })
	return address, got
}

func next(t *testing.T, got chan paho.Message) paho.Message {
	t.Helper()
	select {
	case m := <-got:
		return m
	case <-time.After(patience):
		t.Fatal("no message came")
		return nil
	}
}

// An event of a watchdog with mqtt stands at the topic of the watchdog.
func TestEventsByMQTT(t *testing.T) {
	address, got := broker(t)
	s := newSite(t, func(c *config.Config) { c.MQTT.URL, c.MQTT.Prefix = "mqtt://"+address, "port/ais" })
	s.watch(`"mqtt":true`)
	s.hear(nordic)
	m := next(t, got)
	if !strings.HasPrefix(m.Topic(), "port/ais/event/") || m.Retained() || m.Qos() != 1 || !bytes.Contains(m.Payload(), []byte(`"version":1,"type":"watchdog.event"`)) ||
		!bytes.Contains(m.Payload(), []byte(`"mmsi":219018765`)) {
		t.Errorf("%s %s", m.Topic(), m.Payload())
	}
	s.becomes(notify.Sent)
}

// With a user of [mqtt] nothing is published that this user is not told of.
func TestMQTTUserMayNotSee(t *testing.T) {
	address, got := broker(t)
	s := newSite(t, func(c *config.Config) { c.MQTT.URL, c.MQTT.UserName = "mqtt://"+address, "erp" })
	if _, err := s.app.Users.Create(access.User{Name: "erp", Profile: access.Profile{Rights: map[right.Name]right.Verdict{right.ViewWatchdog: right.Allow}}}, testPassword); err != nil {
		t.Fatal(err)
	}
	s.watch(`"mqtt":true`) // which anna does not share
	s.hear(nordic)
	if of := s.becomes(notify.Refused); of.Error != "the user of [mqtt] may not see the event" {
		t.Errorf("%+v", of)
	}
	select {
	case m := <-got:
		t.Errorf("published: %s", m.Payload())
	default:
	}
}

// A tracked ship is published as the user of [mqtt] is told of it, and the broker forgets it when it is gone.
func TestTracksByMQTT(t *testing.T) {
	address, got := broker(t)
	s := newSite(t, func(c *config.Config) { c.MQTT.URL, c.MQTT.UserName, c.MQTT.Retain = "mqtt://"+address, "anna", true })
	at := func(lon float64) {
		t.Helper()
		s.say(&ais.PositionReport{Header: ais.Header{Type: 1, MMSI: nordic}, SOG: ais.SOGTenths(100), COG: ais.COGTenths(900),
			Heading: ais.HeadingDegrees(s.told % 360), Second: 60, Place: ais.Place{Lon: int32(lon * 600000), Lat: 56.15 * 600000}})
	}
	for range 3 {
		at(10.35)
	}
	status, answer := s.call(http.MethodPost, "/api/portserver/ship/track", `{"source":{"ship":{"mmsi":219018765}},"destination":{"position":{"type":"Point","coordinates":[10.36,56.15]}}}`)
	if status/100 != 2 {
		t.Fatalf("%d %s", status, answer)
	}
	first := next(t, got)
	if !strings.HasPrefix(first.Topic(), "quaywatch/track/") || !bytes.HasPrefix(first.Payload(), []byte(`{"version":1,"type":"track","`)) ||
		!bytes.Contains(first.Payload(), []byte(`"mmsi":219018765`)) {
		t.Errorf("%s %s", first.Topic(), first.Payload())
	}
	if status, answer := s.call(http.MethodDelete, "/api/portserver/ship/track/"+strings.TrimPrefix(first.Topic(), "quaywatch/track/"), ""); status/100 != 2 {
		t.Fatalf("%d %s", status, answer)
	}
	for m := next(t, got); len(m.Payload()) > 0; m = next(t, got) { // until the broker has forgotten it
	}
}
