package admission

import (
	"net"
	"net/netip"
)

// AddressOf returns the address of the other end of a connection. All that have none share the zero one.
func AddressOf(conn net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// Network returns what counts as one address: an IPv4 address itself, of IPv6 the /64 that one customer gets.
func Network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if !a.Is6() {
		return a
	}
	p, err := a.Prefix(64)
	if err != nil {
		return a
	}
	return p.Addr()
}
