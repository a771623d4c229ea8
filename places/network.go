package places

import "net/netip"

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
