package outbound

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"quaywatch/internal/rule"
)

// Dial connects to a host that the operator named. Every address that the name leads to is judged when it is called. So a name that changes its address between
// two looks does not pass.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: Wait, KeepAlive: 30 * time.Second, ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
		return checkAddress(address)
	}}
	return dialer.DialContext(ctx, network, address)
}

// checkAddress refuses an address with its port that may not be called.
func checkAddress(text string) error {
	at, err := netip.ParseAddrPort(text)
	if err != nil || forbidden(at.Addr()) {
		return Final(rule.New("notice_address", "the address of the server is one that notices may not go to"))
	}
	return nil
}

// checkHost refuses a host that is written as an address that may not be called.
func checkHost(host string) error {
	if a, err := netip.ParseAddr(host); err == nil && forbidden(a) {
		return fmt.Errorf("%s: notices may not go to this address", host)
	}
	if metadataName(host) {
		return fmt.Errorf("%s: notices may not go to this host", host)
	}
	return nil
}

// metadataName tells names that clouds give to their services of metadata. Their addresses are refused too.
func metadataName(host string) bool {
	switch strings.TrimSuffix(strings.ToLower(host), ".") {
	case "metadata", "metadata.google.internal", "instance-data":
		return true
	}
	return false
}

// forbidden reports whether an address is that of no server that an operator would name. Such are those of the link, of groups, of nothing, and those at which
// clouds give machines their secrets. The box itself and its network are allowed.
func forbidden(a netip.Addr) bool {
	a = innermost(a)
	return !a.IsValid() || a.IsUnspecified() || a.IsMulticast() || a.IsLinkLocalUnicast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255}) || isMetadata(a)
}

// isMetadata tells addresses of services of metadata that are not addresses of the link.
func isMetadata(a netip.Addr) bool {
	for _, text := range []string{"100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"} {
		if a == netip.MustParseAddr(text) {
			return true
		}
	}
	return false
}

// innermost returns the IPv4 address that an IPv6 address leads to: mapped, compatible, by NAT64 or by 6to4. Others it returns without their zone.
func innermost(a netip.Addr) netip.Addr {
	a = a.WithZone("").Unmap()
	if !a.Is6() {
		return a
	}
	b := a.As16()
	last, middle := netip.AddrFrom4([4]byte(b[12:16])), netip.AddrFrom4([4]byte(b[2:6]))
	switch {
	case netip.MustParsePrefix("64:ff9b::/96").Contains(a):
		return last
	case netip.MustParsePrefix("2002::/16").Contains(a):
		return middle
	case netip.MustParsePrefix("::/96").Contains(a) && b[12] != 0:
		return last
	}
	return a
}
