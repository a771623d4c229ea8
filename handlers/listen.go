package handlers

import (
	"net"
	"net/netip"
	"sync"

	"quaywatch/handlers/call"
)

// cappedListener takes only so many connections, in all and from one address, so that one slow or hostile client cannot
// take them all. A proxy that is trusted may have as many as there are: all its clients come from one address. What is too much is
// closed at once.
type cappedListener struct {
	net.Listener
	most, each int
	trusted    call.Proxies

	mu     sync.Mutex
	open   int
	byAddr map[netip.Addr]int
}

func newCappedListener(l net.Listener, most, each int, trusted call.Proxies) *cappedListener {
	return &cappedListener{Listener: l, most: most, each: each, trusted: trusted, byAddr: map[netip.Addr]int{}}
}

// Accept gives the next connection that is within the caps.
func (l *cappedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := address(conn)
		if l.take(from) {
			return &cappedConn{Conn: conn, listener: l, from: from}, nil
		}
		conn.Close()
	}
}

func (l *cappedListener) take(from netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= l.most || l.byAddr[from] >= l.each && !l.trusted.Trust(from) {
		return false
	}
	l.open++
	l.byAddr[from]++
	return true
}

func (l *cappedListener) give(from netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if l.byAddr[from]--; l.byAddr[from] <= 0 {
		delete(l.byAddr, from)
	}
}

// cappedConn gives its place back once, when it is closed.
type cappedConn struct {
	net.Conn
	listener *cappedListener
	from     netip.Addr
	once     sync.Once
}

// Close closes the connection.
func (c *cappedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { c.listener.give(c.from) })
	return err
}

func address(conn net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{} // all that have no address share one
	}
	return at.Addr().Unmap()
}
