package handlers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/users/access"
)

// pipes is a listener whose connections are in memory, so that time-outs pass in no time.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	near, far := net.Pipe()
	p.conns <- far
	return near
}

// onPipes runs a test against the server with all its time-outs, on a clock that only waiting moves.
func onPipes(t *testing.T, test func(*site, *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		p := &pipes{make(chan net.Conn), make(chan struct{})}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- s.server.Serve(ctx, p, nil) }()
		defer func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		test(s, p)
	})
}

func rawRequest(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: box\r\nAuthorization: " + basic(access.AdminName, adminPassword) + "\r\n\r\n"
}

func TestHalfARequestIsCutOff(t *testing.T) {
	for _, row := range []struct {
		name, text string
		within     time.Duration
	}{
		{"half a header", "GET /healthz HTTP/1.1\r\nHost: b", headerTimeout},
		{"half a body", "POST /api/session HTTP/1.1\r\nHost: box\r\nContent-Length: 100\r\n\r\n{", bodyTimeout},
		{"nothing", "", headerTimeout},
		{"nothing more", "GET /healthz HTTP/1.1\r\nHost: box\r\n\r\n", idleTimeout},
	} {
		onPipes(t, func(_ *site, p *pipes) {
			conn := p.dial()
			defer conn.Close()
			begin := time.Now()
			if _, err := io.WriteString(conn, row.text); err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil {
				t.Errorf("%s: %v", row.name, err)
			}
			if took := time.Since(begin); took > row.within+5*time.Second { // net/http lingers a moment after an answer
				t.Errorf("%s: cut off after %s, want %s", row.name, took, row.within)
			}
		})
	}
}

func TestClientThatDoesNotReadIsCutOff(t *testing.T) {
	onPipes(t, func(s *site, p *pipes) {
		for i := range 200 {
			s.hear(noon(), position(ais.MMSI(219000001+i), 10, 56, 0, 0))
		}
		conn := p.dial()
		defer conn.Close()
		if _, err := io.WriteString(conn, rawRequest(live.Path)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(live.ReadWithin + time.Second) // of the bubble's clock
		synctest.Wait()
		if open, dropped := s.server.live.Clients(); open != 0 || dropped != 1 {
			t.Errorf("%d streams are open, %d were dropped", open, dropped)
		}
	})
}

func TestQuietStreamLivesOnAndSaysSo(t *testing.T) {
	onPipes(t, func(_ *site, p *pipes) {
		conn := p.dial()
		defer conn.Close()
		if _, err := io.WriteString(conn, rawRequest(live.Path)); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		statuses, comments, begin := 0, 0, time.Now()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() && time.Since(begin) < 3*time.Minute { // beyond every time-out for requests
			if strings.HasPrefix(lines.Text(), "event: status") {
				statuses++
			}
			if strings.HasPrefix(lines.Text(), ":") {
				comments++
			}
		}
		if statuses < 36 || comments < 11 {
			t.Errorf("%d statuses and %d comments in %s: %v", statuses, comments, time.Since(begin), lines.Err())
		}
	})
}

// TestSilentConnectionsGiveWay: connections that say nothing, and those that wait for a next request, go when others want their places. One
// over which a user signed in stays.
func TestSilentConnectionsGiveWay(t *testing.T) {
	s := newSite(t)
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.server.config.Connections, s.server.config.AddressLimit = 20, 10
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.server.Serve(ctx, port, nil) }()
	defer func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}()
	dial := func(from string) net.Conn {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		conn, err := dialer.DialContext(ctx, "tcp", port.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ask := func(conn net.Conn) {
		t.Helper()
		if _, err := io.WriteString(conn, rawRequest("/api/session")); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v %v", response, err)
		}
		io.Copy(io.Discard, response.Body)
	}
	honest := dial("127.0.0.2")
	ask(honest)
	for from := range 6 {
		for range 12 {
			dial(fmt.Sprint("127.0.0.", 3+from))
		}
	}
	ask(honest)
	ask(dial("127.0.0.2"))
}
