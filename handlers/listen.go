package handlers

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/internal/admission"
)

// Places of connections. A tenth of them is kept for addresses from which somebody signed in within the last hour.
const (
	mostConnections = 4096
	connectionsEach = 1024
	knownFor        = time.Hour
)

// boundedListener gives each connection a place. Idle connections go when another one wants their place, and a connection over which a user
// signed in goes last. A proxy that is trusted may have as many as there are: all its clients come from one address.
type boundedListener struct {
	net.Listener
	places  *admission.Guests
	trusted request.Proxies
}

// connections makes the places of all connections.
func connections(most, each int) *admission.Guests {
	return admission.New(admission.Limits{All: most, Each: each, Reserve: most / 10, Lately: knownFor})
}

// Accept returns the next connection that has a place.
func (l *boundedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if guest, ok := l.findPlace(admission.AddressOf(conn), func() { conn.Close() }); ok {
			return &placedConn{conn, guest}, nil
		}
		conn.Close()
	}
}

// findPlace finds a place for a connection, if there is one.
func (l *boundedListener) findPlace(from netip.Addr, leave func()) (*admission.Guest, bool) {
	if l.trusted.Trust(from) {
		return l.places.EnterSteady(from.String(), time.Now())
	}
	return l.places.Enter(admission.Network(from).String(), time.Now(), leave)
}

// placedConn gives its place back when it is closed.
type placedConn struct {
	net.Conn
	guest *admission.Guest
}

// Close closes the connection.
func (c *placedConn) Close() error {
	err := c.Conn.Close()
	c.guest.Leave()
	return err
}

// guestKey is the key of the place in the context of a request.
type guestKey struct{}

// withGuest puts the place of a connection into the context of its requests.
func withGuest(ctx context.Context, conn net.Conn) context.Context {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	if placed, ok := conn.(*placedConn); ok {
		return context.WithValue(ctx, guestKey{}, placed.guest)
	}
	return ctx
}

// guestOf returns the place of the connection of a request, nil where it has none.
func guestOf(r *http.Request) *admission.Guest {
	g, _ := r.Context().Value(guestKey{}).(*admission.Guest)
	return g
}

// welcome says that a connection serves a user that signed in. Until the end of the request nobody takes its place.
func welcome(c *request.Request) (end func()) {
	g := guestOf(c.HTTP)
	if c.Caller.Stranger() {
		g.Use(time.Now())
		return func() {}
	}
	g.Prove(time.Now())
	g.Begin()
	return func() { g.End(time.Now()) }
}
