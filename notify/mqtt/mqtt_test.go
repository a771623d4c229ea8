package mqtt

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"quaywatch/internal/rule"
	"quaywatch/notify/mqtt/brokertest"
	"quaywatch/notify/outbound"
	"quaywatch/notify/outbound/gatetest"
)

const patience = 2 * time.Minute // how long a test waits for what must come; it is no measure of anything

// mosquitto is a broker at work, with a user "port" whose password is "harbour".
type mosquitto struct {
	plain, secure string // host:port
	ca            string
	stop          func()
	process       *os.Process
	subscribers   int
}

// startBroker starts a broker at an address, "" for any.
func startBroker(t *testing.T, at string) *mosquitto {
	t.Helper()
	brokertest.Need(t)
	dir := t.TempDir()
	m := &mosquitto{ca: filepath.Join(dir, "cert.pem")}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	web := httptest.NewTLSServer(http.NotFoundHandler()) // which has a certificate of 127.0.0.1
	defer web.Close()
	key, err := x509.MarshalPKCS8PrivateKey(web.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	write("cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: web.Certificate().Raw})))
	write("key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
	passwords := write("passwords", "")
	if out, err := exec.Command("mosquitto_passwd", "-b", passwords, "port", "harbour").CombinedOutput(); err != nil {
		t.Fatalf("mosquitto_passwd: %v: %s", err, out)
	}
	m.process, m.stop = brokertest.Start(t, func() (string, []string) {
		if m.plain, m.secure = at, brokertest.Free(t); at == "" {
			m.plain = brokertest.Free(t)
		}
		host, port, _ := net.SplitHostPort(m.plain)
		_, securePort, _ := net.SplitHostPort(m.secure)
		return fmt.Sprintf("allow_anonymous false\npassword_file %s\nlistener %s %s\nlistener %s %s\ncertfile %s\nkeyfile %s\n",
			passwords, port, host, securePort, host, m.ca, filepath.Join(dir, "key.pem")), []string{m.plain, m.secure}
	})
	return m
}

func (m *mosquitto) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := m.process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// subscribe returns what the broker hands on.
func subscribe(t *testing.T, m *mosquitto) <-chan paho.Message {
	t.Helper()
	got := make(chan paho.Message, 100)
	m.subscribers++
	c := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + m.plain).SetUsername("port").SetPassword("harbour").
		SetClientID(fmt.Sprint("subscriber", m.subscribers)).SetAutoReconnect(false))
	for _, step := range []func() paho.Token{c.Connect, func() paho.Token {
		return c.Subscribe("#", 1, func(_ paho.Client, m paho.Message) { got <- m })
	}} {
		if token := step(); !token.WaitTimeout(patience) || token.Error() != nil {
			t.Fatal(token.Error())
		}
	}
	t.Cleanup(func() { c.Disconnect(0) })
	return got
}

func next(t *testing.T, got <-chan paho.Message) paho.Message {
	t.Helper()
	select {
	case m := <-got:
		return m
	case <-time.After(patience):
		t.Fatal("no message came")
		return nil
	}
}

func newBroker(t *testing.T, o Options) *Broker {
	t.Helper()
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.Close()
		noneLeft(t)
	})
	return b
}

// noneLeft holds that no goroutine of a connection of ours is alive.
func noneLeft(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	for deadline := time.Now().Add(patience); ; runtime.Gosched() {
		left := ""
		for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(g, "notify/mqtt.(*bounded)") && !strings.Contains(g, "testing.") {
				left = g
			}
		}
		if left == "" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a goroutine is left:\n%s", left)
		}
	}
}

// What is published comes to a subscriber, in the clear and by TLS, with both qualities of service; what is retained comes to a later one.
func TestPublish(t *testing.T) {
	m := startBroker(t, "")
	got := subscribe(t, m)
	for i, o := range []Options{
		{URL: "mqtt://" + m.plain, QoS: 1}, {URL: "mqtts://" + m.secure, QoS: 1, CA: m.ca}, {URL: "mqtt://" + m.plain, QoS: 0},
	} {
		o.User, o.Password, o.ClientID, o.Prefix = "port", "harbour", "quaywatch", "port/ais"
		b := newBroker(t, o)
		for n := range 3 {
			body := fmt.Sprintf(`{"n":%d,"name":"<SCRIPT>\r\n"}`, n)
			if err := b.Publish(t.Context(), "event/17", []byte(body), i == 1); err != nil {
				t.Fatal(err)
			}
			if one := next(t, got); one.Topic() != "port/ais/event/17" || string(one.Payload()) != body || one.Qos() != byte(o.QoS) {
				t.Errorf("%s %s", one.Topic(), one.Payload())
			}
		}
		b.Close()
	}
	if one := next(t, subscribe(t, m)); !one.Retained() || !strings.Contains(string(one.Payload()), `"n":2`) {
		t.Errorf("retained: %s", one.Payload())
	}
}

// A broker that goes away and comes back is used again, and what it had no time to confirm is told as not published.
func TestBrokerRestarts(t *testing.T) {
	m := startBroker(t, "")
	b := newBroker(t, Options{URL: "mqtt://" + m.plain, User: "port", Password: "harbour", ClientID: "quaywatch", Prefix: "p", QoS: 1})
	if err := b.Publish(t.Context(), "x", []byte("1"), false); err != nil {
		t.Fatal(err)
	}
	m.stop()
	if err := b.Publish(t.Context(), "x", []byte("2"), false); err == nil || outbound.IsFinal(err) {
		t.Errorf("published at a dead broker: %v", err)
	}
	again := startBroker(t, m.plain)
	got := subscribe(t, again)
	if err := b.Publish(t.Context(), "x", []byte("3"), false); err != nil {
		t.Fatal(err)
	}
	if one := next(t, got); string(one.Payload()) != "3" {
		t.Errorf("%s", one.Payload())
	}
}

// A broker that refuses the sign-in, is dead, or whose certificate nobody vouches for, each has its words.
func TestRefused(t *testing.T) {
	m := startBroker(t, "")
	for _, c := range []struct {
		o    Options
		word string
	}{
		{Options{URL: "mqtt://" + m.plain, User: "port", Password: "wrong"}, "mqtt_sign_in"},
		{Options{URL: "mqtt://" + m.plain}, "mqtt_sign_in"},
		{Options{URL: "mqtt://" + brokertest.Free(t)}, "notice_unreached"},
		{Options{URL: "mqtts://" + m.secure, User: "port", Password: "harbour"}, "notice_certificate"},
	} {
		c.o.Prefix, c.o.QoS = "p", 1
		err := newBroker(t, c.o).Publish(t.Context(), "x", []byte("1"), false)
		if err == nil || rule.Of(err).Word != c.word || outbound.IsFinal(err) {
			t.Errorf("%v, want %s", err, c.word)
		}
	}
}

// server is a broker that says fixed bytes to each connection and then nothing more.
func server(t *testing.T, says string) string {
	t.Helper()
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
				io.WriteString(conn, says)
				io.Copy(io.Discard, conn)
			}()
		}
	}()
	return l.Addr().String()
}

// A broker that never answers, or takes the connection and never confirms, has not published. One that sends what is no packet of a broker
// costs no memory.
func TestSilentBroker(t *testing.T) {
	const accepted = "\x20\x02\x00\x00"
	for says, want := range map[string]string{
		"":                                "notice_no_answer",
		accepted:                          "notice_no_answer",
		accepted + "\x30\xff\xff\xff\x7f": "notice_unreached",
		accepted + "\x30\xff\xff\xff\xff\xff\xff": "notice_unreached",
		"\x30\xff\xff\xff\x7f":                    "notice_unreached",
	} {
		wait := time.Duration(0)
		if want == "notice_no_answer" {
			wait = 300 * time.Millisecond
		}
		b := newBroker(t, Options{URL: "mqtt://" + server(t, says), Prefix: "p", QoS: 1, Wait: wait})
		if err := b.Publish(t.Context(), "x", []byte("1"), false); err == nil || rule.Of(err).Word != want || outbound.IsFinal(err) {
			t.Errorf("%q: %v, want %s", says, err, want)
		}
	}
	ctx, end := context.WithCancel(t.Context())
	b := newBroker(t, Options{URL: "mqtt://" + server(t, ""), Prefix: "p", QoS: 1, Wait: time.Hour})
	result := make(chan error)
	go func() { result <- b.Publish(ctx, "x", nil, false) }()
	end()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// A broker that takes the connection and never reads, or answers too late, has not published; the next message goes out all the same. One that speaks one
// byte at a time has.
func TestSlowBroker(t *testing.T) {
	m := startBroker(t, "")
	got := subscribe(t, m)
	gate := gatetest.New(t, m.plain)
	options := func(wait time.Duration) Options {
		return Options{URL: "mqtt://" + gate.Address, User: "port", Password: "harbour", Prefix: "p", QoS: 1, Wait: wait}
	}
	for name, mode := range map[string]gatetest.Mode{"never reads": gatetest.Silent, "greets late": gatetest.Late, "begins to greet": gatetest.Half} {
		gate.Set(mode)
		b := newBroker(t, options(100*time.Millisecond))
		if err := b.Publish(t.Context(), "x", []byte("1"), false); err == nil || rule.Of(err).Word != "notice_no_answer" || outbound.IsFinal(err) {
			t.Errorf("%s: %v", name, err)
		}
		if gate.Set(gatetest.Open); len(got) > 0 {
			t.Errorf("%s: it was published", name)
		}
	}
	gate.Set(gatetest.Drip)
	b := newBroker(t, options(time.Minute))
	if err := b.Publish(t.Context(), "x", []byte("byte by byte"), false); err != nil {
		t.Fatal(err)
	}
	if one := next(t, got); string(one.Payload()) != "byte by byte" {
		t.Errorf("%s", one.Payload())
	}
}

// A broker that stands still while it is connected has not published in time, neither what the network still takes nor what it takes no more. When it goes
// on, what it was given comes once more.
func TestBrokerStandsStill(t *testing.T) {
	m := startBroker(t, "")
	for name, body := range map[string][]byte{"small": []byte("1"), "large": make([]byte, 16<<20)} {
		got := subscribe(t, m)
		o := Options{URL: "mqtt://" + m.plain, User: "port", Password: "harbour", Prefix: "p", QoS: 1, Wait: time.Minute}
		b := newBroker(t, o)
		if err := b.Publish(t.Context(), "x", []byte("before"), false); err != nil {
			t.Fatal(err)
		}
		next(t, got)
		m.signal(t, syscall.SIGSTOP)
		b.options.Wait = 200 * time.Millisecond
		if err := b.Publish(t.Context(), "x", body, false); err == nil || rule.Of(err).Word != "notice_no_answer" {
			t.Errorf("%s: %v", name, err)
		}
		if err := b.Publish(t.Context(), "x", body, false); err == nil || rule.Of(err).Word != "notice_no_answer" {
			t.Errorf("%s, and again: %v", name, err)
		}
		m.signal(t, syscall.SIGCONT)
		b.options.Wait = time.Minute
		if err := b.Publish(t.Context(), "x", []byte("after"), false); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for one := next(t, got); string(one.Payload()) != "after"; one = next(t, got) {
			if len(one.Payload()) != 1 || name != "small" {
				t.Errorf("%s: %d bytes came", name, len(one.Payload()))
			}
		}
		b.Close()
	}
}

func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"url: must begin with mqtt": {URL: "http://x"},
		"url: must have the form":   {URL: "mqtt://u:p@x"},
		"url: 169.254":              {URL: "mqtt://169.254.169.254"},
		"qos: ":                     {URL: "mqtt://x", QoS: 2},
		"client_id: ":               {URL: "mqtt://x", ClientID: strings.Repeat("x", 65)},
		"password: ":                {URL: "mqtt://x", Password: "x"},
		"prefix: must have":         {URL: "mqtt://x"},
		"prefix: may hold no":       {URL: "mqtt://x", Prefix: "a/#"},
		"prefix: may not begin":     {URL: "mqtt://x", Prefix: "$SYS/x"},
		"ca: ":                      {URL: "mqtt://x", Prefix: "p", CA: "/nowhere"},
	} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
