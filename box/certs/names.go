package certs

import (
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
)

// HostNames are what callers may call the box. All are sorted.
type HostNames struct {
	DNS   []string     // as "box", "box.local", "localhost"
	Own   []netip.Addr // the addresses of the box
	Given []netip.Addr // addresses that the operator gave: of a router in front of the box, say
}

// mostAddresses bounds how many addresses of the box count.
const mostAddresses = 64

// Look returns a function that tells the names of this box as they are when it is called. These are its host name, its addresses, and those of given. Where the
// box listens on one address, host is that address, and of the box's own addresses it alone counts.
func Look(host string, given []string) func() HostNames {
	return func() HostNames {
		hostname, err := os.Hostname()
		if err != nil {
			hostname = ""
		}
		own := addresses()
		if address, err := netip.ParseAddr(host); err == nil && !address.IsUnspecified() {
			own = []netip.Addr{address.Unmap()}
		}
		return makeNames(hostname, own, given)
	}
}

// makeNames puts the names together: the host name with and without its domain and in .local, and what the operator gave.
func makeNames(hostname string, own []netip.Addr, given []string) HostNames {
	n := HostNames{DNS: []string{"localhost"}, Own: own}
	hostname = strings.ToLower(strings.TrimSuffix(hostname, "."))
	label, _, _ := strings.Cut(hostname, ".")
	for _, name := range append([]string{hostname, label, label + ".local"}, given...) {
		name = strings.ToLower(name)
		if a, err := netip.ParseAddr(name); err == nil {
			n.Given = append(n.Given, a.Unmap().WithZone(""))
		} else if IsName(name) {
			n.DNS = append(n.DNS, name)
		}
	}
	n.DNS = tidyList(n.DNS, strings.Compare)
	n.Own = tidyList(n.Own, netip.Addr.Compare)
	n.Own = n.Own[:min(len(n.Own), mostAddresses)]
	n.Given = tidyList(n.Given, netip.Addr.Compare)
	return n
}

func tidyList[T comparable](list []T, compare func(a, b T) int) []T {
	list = slices.Clone(list)
	slices.SortFunc(list, compare)
	return slices.Compact(list)
}

// All returns the addresses of both kinds.
func (n HostNames) All() []netip.Addr {
	return tidyList(slices.Concat(n.Own, n.Given), netip.Addr.Compare)
}

// IsName reports whether a text can be the name of a box in a certificate: labels of letters, digits and hyphens. An address is not one.
func IsName(text string) bool {
	if len(text) == 0 || len(text) > 253 {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		other := func(c rune) bool {
			return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
		}
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, other) {
			return false
		}
	}
	_, err := netip.ParseAddr(text)
	return err != nil
}

// addresses returns the addresses of the interfaces that are up. Addresses of one link alone do not count, as no browser can use them. Nor
// do the temporary ones of IPv6, which change each day.
func addresses() []netip.Addr {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	text, err := os.ReadFile("/proc/net/if_inet6")
	if err != nil {
		text = nil // no IPv6, or no Linux
	}
	passing := temporary(string(text))
	var own []netip.Addr
	for _, a := range list {
		p, err := netip.ParsePrefix(a.String())
		if err != nil {
			continue
		}
		if at := p.Addr().Unmap(); !at.IsLinkLocalUnicast() && !at.IsMulticast() && !slices.Contains(passing, at) {
			own = append(own, at)
		}
	}
	return own
}

// temporary returns the temporary addresses of a table as Linux writes it: address, interface, prefix, scope, flags and name, in hexadecimal.
func temporary(table string) (list []netip.Addr) {
	const flag = 0x01
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 6 || len(words[0]) != 32 {
			continue
		}
		flags, err := strconv.ParseUint(words[4], 16, 32)
		if err != nil || flags&flag == 0 {
			continue
		}
		var bytes [16]byte
		for i := range bytes {
			b, err := strconv.ParseUint(words[0][2*i:2*i+2], 16, 8)
			if err != nil {
				return list
			}
			bytes[i] = byte(b)
		}
		list = append(list, netip.AddrFrom16(bytes))
	}
	return list
}
