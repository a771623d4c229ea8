package feed

import (
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/internal/await"
)

func accept(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// A TCP server that dies and comes back is connected to again; the half sentence that it died in is dropped.
func TestTCPReconnects(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := server.Addr().String()
	r := start(t, Source{Name: "coast", URL: "tcp://" + at})
	conn := accept(t, server)
	send(t, conn, position(t, 211000001))
	r.expect(t, 211000001)
	half := position(t, 211000002)
	send(t, conn, half[:30])
	server.Close()
	conn.Close()
	r.events.await(t, "feed lost")
	if s := r.feeds.Status()[0]; s.Connected || s.LastError == "" {
		t.Errorf("while the server is down: %+v", s)
	}

	await.That(t, "the port is free: another program may have had it for a moment", func() bool {
		server, err = net.Listen("tcp4", at)
		return err == nil
	})
	defer server.Close()
	conn = accept(t, server)
	defer conn.Close()
	send(t, conn, half[30:]+position(t, 211000003))
	r.expect(t, 211000003)
	s := r.feeds.Status()[0]
	if !s.Connected || s.Connects != 2 || s.Counters.Messages[1] != 2 {
		t.Errorf("after the return: %+v", s)
	}
}

// Both kinds of TCP feed ask the kernel to find out about a peer that vanished, within 30 s.
func TestTCPNoticesDeadPeers(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	r := start(t, Source{Name: "a", URL: "tcp-listen://127.0.0.1:0"},
		Source{Name: "b", URL: "tcp://" + server.Addr().String()})
	other, err := net.Dial("tcp4", r.events.await(t, "feed listens").at)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	conn := accept(t, server)
	defer conn.Close()
	send(t, other, position(t, 211000001))
	send(t, conn, position(t, 211000002))
	r.expect(t, 211000001, 211000002)
	// /proc/net/tcp: column 2 is the local address, 3 the remote one, 6 "timer:when"; timer 2 is keepalive. A port of the other side alone would not do:
	// connections of other programs may have it too.
	table, err := os.ReadFile("/proc/self/net/tcp")
	if err != nil {
		t.Skipf("which connections are kept alive is read from /proc: %v", err)
	}
	column := func(a net.Addr) string { return fmt.Sprintf("0100007F:%04X", a.(*net.TCPAddr).Port) }
	for _, peer := range []net.Conn{conn, other} {
		local, remote := column(peer.RemoteAddr()), column(peer.LocalAddr())
		found := false
		for line := range strings.Lines(string(table)) {
			f := strings.Fields(line)
			if len(f) < 6 || f[1] != local || f[2] != remote || f[3] != "01" {
				continue
			}
			found = true
			ticks, err := strconv.ParseUint(strings.TrimPrefix(f[5], "02:"), 16, 64) // of 1/100 s
			if err != nil || ticks > 1500 {
				t.Errorf("%s: timer %s, want keepalive within 15 s", remote, f[5])
			}
		}
		if !found {
			t.Errorf("no connection to %s", remote)
		}
	}
}

// Two senders that speak at the same time in parts do not spoil each other's messages.
func TestTCPListen(t *testing.T) {
	r := start(t, Source{Name: "coast", URL: "tcp-listen://127.0.0.1:0"})
	at := r.events.await(t, "feed listens").at
	one, two := static(t, 211000001), static(t, 211000002)
	a, err := net.Dial("tcp4", at)
	if err != nil {
		t.Fatal(err)
	}
	b, err := net.Dial("tcp4", at)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for i := range max(len(one), len(two)) { // byte by byte, alternating
		send(t, a, one[min(i, len(one)):min(i+1, len(one))])
		send(t, b, two[min(i, len(two)):min(i+1, len(two))])
	}
	r.expect(t, 211000001, 211000002)
	a.Close()
	r.events.await(t, "sender went")
	send(t, b, position(t, 211000003))
	r.expect(t, 211000003)
	s := r.feeds.Status()[0]
	if s.Senders != 1 || s.Counters.Messages[5] != 2 || s.Counters.Messages[1] != 1 || s.Connects != 2 {
		t.Errorf("%+v", s)
	}
}

// TestSilentSendersGiveWay: they hold all places, from one address and from many. A sender with something to say gets in, and keeps its place
// while it is silent itself.
func TestSilentSendersGiveWay(t *testing.T) {
	r := start(t, Source{Name: "coast", URL: "tcp-listen://127.0.0.1:0"})
	at := r.events.await(t, "feed listens").at
	from := func(address string) net.Conn {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
		conn, err := dialer.Dial("tcp4", at)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		r.events.await(t, "sender came")
		return conn
	}
	for range maxSenders {
		from("127.0.0.2")
	}
	honest := from("127.0.0.1")
	send(t, honest, position(t, 211000001))
	r.expect(t, 211000001)
	for i := range 2 * maxSenders {
		from(fmt.Sprintf("127.0.1.%d", 1+i))
	}
	send(t, honest, position(t, 211000002))
	r.expect(t, 211000002)
}

// TestAllow: what comes from elsewhere is dropped and counted.
func TestAllow(t *testing.T) {
	allow := []netip.Prefix{netip.MustParsePrefix("127.0.0.8/29")}
	for url, network := range map[string]string{"tcp-listen://127.0.0.1:0": "tcp4", "udp://127.0.0.1:0": "udp4"} {
		t.Run(network, func(t *testing.T) {
			r := start(t, Source{Name: "coast", URL: url, Allow: allow})
			at := r.events.await(t, map[string]string{"tcp4": "feed listens", "udp4": "feed opened"}[network]).at
			say := func(address string, mmsi ais.MMSI) {
				var local net.Addr = &net.TCPAddr{IP: net.ParseIP(address)}
				if network == "udp4" {
					local = &net.UDPAddr{IP: net.ParseIP(address)}
				}
				dialer := net.Dialer{LocalAddr: local}
				conn, err := dialer.Dial(network, at)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { conn.Close() })
				if _, err := io.WriteString(conn, position(t, mmsi)); err != nil && address == "127.0.0.9" {
					t.Fatal(err)
				}
			}
			say("127.0.0.1", 211000001)
			say("127.0.0.9", 211000002)
			r.expect(t, 211000002)
			await.That(t, "one is counted", func() bool { return r.feeds.Status()[0].Refused > 0 })
		})
	}
}

func TestTCPListenTurnsAwayTheOneTooMany(t *testing.T) {
	r := start(t, Source{Name: "coast", URL: "tcp-listen://127.0.0.1:0"})
	at := r.events.await(t, "feed listens").at
	for i := range maxSenders {
		conn, err := net.Dial("tcp4", at)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		mmsi := ais.MMSI(211000000 + i)
		send(t, conn, position(t, mmsi))
		r.expect(t, mmsi)
	}
	conn, err := net.Dial("tcp4", at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("read: %v, want the end", err)
	}
	if s := r.feeds.Status()[0]; s.Senders != maxSenders || s.Refused != 1 {
		t.Errorf("%d senders, %d refused", s.Senders, s.Refused)
	}
}
