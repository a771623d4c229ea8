// Package gatetest stands between the program and a real server on loopback, and lets the server be dead, silent, late, or slow.
package gatetest

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Mode is what a gate does with a connection.
type Mode int

// The modes.
const (
	Open   Mode = iota // all goes to and fro
	Dead               // a connection is reset
	Silent             // a connection is taken, and nothing is read of it
	Late               // the server gets all, and its answer waits until the mode changes
	Drip               // all goes to and fro, one byte at a time
	Half               // the first bytes of the answer come, one at a time, and no more
)

// half is how many bytes of an answer Half lets through.
const half = 2

// Gate is a way to a server. It ends with the test.
type Gate struct {
	Address string // host:port

	to string

	mu      sync.Mutex
	mode    Mode
	changed chan struct{} // closed when the mode changes
	conns   map[net.Conn]bool
	calls   int
}

// New makes a gate before a server, which is open.
func New(t testing.TB, to string) *Gate {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &Gate{Address: l.Addr().String(), to: to, changed: make(chan struct{}), conns: map[net.Conn]bool{}}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			mode, changed := g.came()
			open.Go(func() { g.serveConn(conn, mode, changed) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		g.Set(Dead)
		open.Wait()
	})
	return g
}

// Set changes the mode, for the connections to come. Those that stand are cut off; of a late gate they go on.
func (g *Gate) Set(m Mode) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.mode != Late || m == Dead {
		for conn := range g.conns {
			conn.Close()
		}
	}
	g.mode = m
	close(g.changed)
	g.changed = make(chan struct{})
}

// Calls returns how many connections came.
func (g *Gate) Calls() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls
}

// came counts a connection, and returns what to do with it.
func (g *Gate) came() (Mode, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls++
	return g.mode, g.changed
}

// noteConn notes a connection that Set cuts off; release closes it.
func (g *Gate) noteConn(conn net.Conn, changed <-chan struct{}) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-changed: // the mode changed meanwhile
		conn.Close()
	default:
		g.conns[conn] = true
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.conns, conn)
		conn.Close()
	}
}

func (g *Gate) serveConn(conn net.Conn, mode Mode, changed <-chan struct{}) {
	if mode == Dead {
		_ = conn.(*net.TCPConn).SetLinger(0) // closed with a reset
		conn.Close()
		return
	}
	defer g.noteConn(conn, changed)()
	if mode == Silent {
		<-changed
		return
	}
	server, err := net.Dial("tcp", g.to)
	if err != nil {
		return
	}
	defer g.noteConn(server, changed)()
	var asked sync.WaitGroup
	asked.Go(func() {
		_ = carry(server, conn, mode == Drip, -1)
		server.Close()
	})
	switch mode {
	case Late:
		<-changed
		_ = carry(conn, server, false, -1)
	case Half:
		if carry(conn, server, true, half) == nil {
			<-changed
		}
	default:
		_ = carry(conn, server, mode == Drip, -1)
	}
	conn.Close()
	asked.Wait()
}

// carry copies so many bytes, -1 for all, one at a time where that is wanted.
func carry(to io.Writer, from io.Reader, single bool, count int64) error {
	var buffer []byte
	if single {
		buffer = make([]byte, 1)
		to, from = struct{ io.Writer }{to}, struct{ io.Reader }{from} // else the kernel copies
	}
	if count >= 0 {
		from = struct{ io.Reader }{io.LimitReader(from, count)}
	}
	_, err := io.CopyBuffer(to, from, buffer)
	return err
}
