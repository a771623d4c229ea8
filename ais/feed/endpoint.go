package feed

import (
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
)

// Endpoint is where a feed, an output or another listener of the box is open, or the address that it calls. It is enough to tell from a
// configuration which endpoints cannot be open together, and which output would come back as a feed. The zero Endpoint touches no other.
type Endpoint struct {
	kind    kind
	listens bool
	host    string     // as written, in lower case; "" is every address
	address netip.Addr // of host, where it says one
	port    int        // 0 is any that is free
	card    string     // of a multicast group the one interface, "" is all
	path    string     // of a serial port
}

// SourceEndpoint returns the endpoint of a feed's URL; the zero one where Parse refuses it.
func SourceEndpoint(url string) Endpoint {
	t, err := parseURL(url, sourceSchemes)
	if err != nil {
		return Endpoint{}
	}
	return t.endpoint(t.kind == kindUDP || t.kind == kindTCPListen)
}

// OutputEndpoint returns the endpoint of an output's URL; the zero one where ParseOutput refuses it.
func OutputEndpoint(url string) Endpoint {
	t, err := parseURL(url, outputSchemes)
	if err != nil {
		return Endpoint{}
	}
	return t.endpoint(t.kind == kindTCPListen)
}

// ListenEndpoint returns the endpoint of a TCP listener at host:port; the port may be the name of a service.
func ListenEndpoint(address string) (Endpoint, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return Endpoint{}, fmt.Errorf("%q: want address:port, or :port for every address of the box", address)
	}
	port, err := net.LookupPort("tcp", service)
	if err != nil {
		return Endpoint{}, fmt.Errorf("%q: the port must be a number from 0 to 65535", address)
	}
	return newEndpoint(kindTCPListen, true, host, port), nil
}

func (t target) endpoint(listens bool) Endpoint {
	switch t.kind {
	case kindSerial:
		path := filepath.Clean(t.address)
		if real, err := filepath.EvalSymlinks(path); err == nil { // a port has a name of its own for each way to it
			path = real
		}
		return Endpoint{kind: kindSerial, path: path}
	case kindUDP, kindTCP, kindTCPListen:
		host, text, _ := net.SplitHostPort(t.address) // as netTarget has joined it
		port, _ := strconv.Atoi(text)
		e := newEndpoint(t.kind, listens, host, port)
		e.card = t.multicast
		return e
	}
	return Endpoint{}
}

func newEndpoint(k kind, listens bool, host string, port int) Endpoint {
	e := Endpoint{kind: k, listens: listens, host: strings.ToLower(host), port: port}
	if e.host == "localhost" {
		e.host = "127.0.0.1"
	}
	if a, err := netip.ParseAddr(e.host); err == nil {
		e.address = a.Unmap()
	}
	return e
}

// every reports whether e listens on every address, or calls the box itself by none.
func (e Endpoint) every() bool { return e.host == "" || e.address.IsUnspecified() }

// String names the port that e listens on.
func (e Endpoint) String() string {
	switch e.kind {
	case kindSerial:
		return e.path
	case kindUDP:
		return fmt.Sprintf("UDP port %d", e.port)
	}
	return fmt.Sprintf("TCP port %d", e.port)
}

// Clashes reports whether two endpoints cannot be open together on one box: the same serial port, or a port that both listen on.
// Two feeds of one multicast group can be, and would hear everything twice: they clash unless each names another interface.
func (e Endpoint) Clashes(o Endpoint) bool {
	switch {
	case e.kind == kindSerial:
		return e == o && e.path != ""
	case e.kind != o.kind || !e.listens || !o.listens || e.port != o.port || e.port == 0:
		return false
	case e.every() && o.every():
		return true
	case e.every():
		return e.coversAddress(o)
	case o.every():
		return o.coversAddress(e)
	}
	return e.sameAddress(o)
}

// coversAddress reports whether e, on every address, is on that of o as well. UDP on 0.0.0.0 is on those of IPv4 alone.
func (e Endpoint) coversAddress(o Endpoint) bool {
	return e.kind != kindUDP || !e.address.Is4() || !o.address.IsValid() || o.address.Is4()
}

// sameAddress reports whether both name one address, and of a multicast group perhaps one interface.
func (e Endpoint) sameAddress(o Endpoint) bool {
	if e.address.IsValid() && e.address.IsMulticast() && e.card != "" && o.card != "" && e.card != o.card {
		return false
	}
	return e.host == o.host || e.address.IsValid() && e.address == o.address
}

// Calls reports whether e, which sends or connects, reaches o, which listens, on a box that has these addresses beside those of
// loopback. Host names other than localhost are not looked up: what they mean is known only when they are used.
func (e Endpoint) Calls(o Endpoint, own []netip.Prefix) bool {
	udp := e.kind == kindUDP && o.kind == kindUDP
	tcp := e.kind == kindTCP && o.kind == kindTCPListen
	switch {
	case !udp && !tcp || e.listens || !o.listens || e.port != o.port || e.port == 0:
		return false
	case e.every():
		return o.every() || o.address.IsLoopback()
	case o.every():
		return o.coversAddress(e) && e.isOwn(own)
	}
	return e.sameAddress(o)
}

// isOwn reports whether e calls an address of the box, or all boxes of one of its networks.
func (e Endpoint) isOwn(own []netip.Prefix) bool {
	if !e.address.IsValid() {
		return false // a name, which may mean anything
	}
	if e.address.IsLoopback() || e.address == netip.AddrFrom4([4]byte{255, 255, 255, 255}) {
		return true
	}
	for _, p := range own {
		if e.address == p.Addr().Unmap() || e.kind == kindUDP && e.address == broadcastOf(p) {
			return true
		}
	}
	return false
}

// broadcastOf returns the address that means all boxes of an IPv4 network, none for IPv6.
func broadcastOf(p netip.Prefix) netip.Addr {
	if !p.Addr().Is4() {
		return netip.Addr{}
	}
	bytes := p.Addr().As4()
	for bit := p.Bits(); bit < 32; bit++ {
		bytes[bit/8] |= 1 << (7 - bit%8)
	}
	return netip.AddrFrom4(bytes)
}
