package feed

import (
	"bufio"
	"context"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"quaywatch/ais"
)

// gatekeeper is a SignIn that knows one name, and accepts it until it is closed.
type gatekeeper struct {
	closed atomic.Bool
	strict atomic.Bool // takes even numbers only
}

func (d *gatekeeper) open(_ context.Context, name, password string, from netip.Addr) (*Sender, error) {
	if name != "Port Office" || password != "secret words" || !from.IsLoopback() {
		return nil, Refusal("wrong name or password")
	}
	return d.sender(), nil
}

func (d *gatekeeper) sender() *Sender {
	strict := d.strict.Load()
	return &Sender{
		User: "Port Office",
		May:  func(r *ais.Report) bool { return !strict || r.Message.Head().MMSI%2 == 0 },
		Renew: func() (*Sender, error) {
			if d.closed.Load() {
				return nil, Refusal("user disabled or expired")
			}
			return d.sender(), nil
		},
	}
}

// knock connects to a feed with sign-in and sends a first piece.
func knock(t *testing.T, r *rig, first string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp4", r.events.await(t, "feed listens").at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	send(t, conn, first)
	return conn, bufio.NewReader(conn)
}

// answered reads a line without its checksum.
func answered(t *testing.T, in *bufio.Reader) string {
	t.Helper()
	line, err := in.ReadString('\n')
	if err != nil {
		t.Fatalf("read %q: %v", line, err)
	}
	line, _, _ = strings.Cut(line, "*")
	return line
}

const login = "LOGIN \"Port Office\" secret words\r\n"

// What came behind the sign-in in one piece is heard, and what the filter holds back is not and is counted.
func TestSenderSignsIn(t *testing.T) {
	d := &gatekeeper{}
	d.strict.Store(true)
	r := start(t, Source{Name: "ferry", URL: "tcp-listen://127.0.0.1:0", SignIn: d.open})
	conn, in := knock(t, r, login+position(t, 211000001)+position(t, 211000002))
	if got := answered(t, in); got != "$PQWA,ok,Port Office" {
		t.Errorf("answer %q", got)
	}
	send(t, conn, static(t, 211000003)+static(t, 211000004))
	if first := <-r.heard; first != 211000002 {
		t.Errorf("heard %d first", first)
	}
	r.expect(t, 211000004)
	s := r.feeds.Status()[0]
	if s.Filtered != 2 || s.Counters.Messages[1] != 2 || s.Counters.Messages[5] != 2 || s.Unsigned != 0 {
		t.Errorf("%+v", s)
	}
	d.strict.Store(false) // as when the filter is changed
	for {
		send(t, conn, position(t, 211000005))
		select {
		case <-r.heard:
			return
		default:
		}
	}
}

func TestSenderIsTurnedAway(t *testing.T) {
	for first, want := range map[string]string{
		"LOGIN \"Port Office\" wrong\r\n":       "$PQWA,refused,wrong name or password",
		"LOGIN nobody secret words\r\n":         "$PQWA,refused,wrong name or password",
		position(t, 211000001):                  "$PQWA,refused,expected LOGIN name password",
		strings.Repeat("LOGIN", loginBytes/5+1): "$PQWA,refused,expected LOGIN name password",
	} {
		t.Run(want, func(t *testing.T) {
			d := &gatekeeper{}
			r := start(t, Source{Name: "ferry", URL: "tcp-listen://127.0.0.1:0", SignIn: d.open})
			_, in := knock(t, r, first)
			if got := answered(t, in); got != want {
				t.Errorf("%.40q: answer %q, want %q", first, got, want)
			}
			r.events.await(t, "sender went")
			s := r.feeds.Status()[0]
			if s.Unsigned != 1 || s.Senders != 0 || s.Counters.Lines != 0 {
				t.Errorf("%.40q: %+v", first, s)
			}
		})
	}
}

// A sender that is no longer allowed is told why and cut, though it is silent.
func TestSenderIsCut(t *testing.T) {
	d := &gatekeeper{}
	r := start(t, Source{Name: "ferry", URL: "tcp-listen://127.0.0.1:0", SignIn: d.open})
	conn, in := knock(t, r, login)
	answered(t, in)
	send(t, conn, position(t, 211000001))
	r.expect(t, 211000001)
	d.closed.Store(true)
	if got := answered(t, in); got != "$PQWA,refused,user disabled or expired" {
		t.Errorf("answer %q", got)
	}
	if _, err := in.ReadByte(); err == nil {
		t.Error("the connection is still open")
	}
	r.events.await(t, "sender went")
	if s := r.feeds.Status()[0]; s.Revoked != 1 || s.Unsigned != 0 || s.Senders != 0 {
		t.Errorf("%+v", s)
	}
}

// Connections that say nothing give way to one that signs in, also where it comes from the same address.
func TestStrangersTakeNoRoomOfUsers(t *testing.T) {
	d := &gatekeeper{}
	r := start(t, Source{Name: "ferry", URL: "tcp-listen://127.0.0.1:0", SignIn: d.open})
	at := r.events.await(t, "feed listens").at
	for range 2 * mostWaitingOf {
		conn, err := net.Dial("tcp4", at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	conn, err := net.Dial("tcp4", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	send(t, conn, login)
	if got := answered(t, bufio.NewReader(conn)); got != "$PQWA,ok,Port Office" {
		t.Errorf("answer %q", got)
	}
}

func TestOnlyListenersAsForSignIn(t *testing.T) {
	d := &gatekeeper{}
	if _, err := New([]Source{{Name: "a", URL: "udp://127.0.0.1:0", SignIn: d.open}}, ais.NewPool(1), slog.New(slog.DiscardHandler)); err == nil {
		t.Error("a datagram cannot sign in")
	}
}
