package request

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"quaywatch/internal/admission"
)

// The headers in which a proxy names its own caller.
const (
	forwardedFor   = "X-Forwarded-For"
	forwardedProto = "X-Forwarded-Proto"
)

// Proxies are the machines that the service believes about the address of a caller.
type Proxies []netip.Prefix

// ParseProxy reads what one entry of http.trusted_proxies trusts: an address or a network as 10.0.0.0/24, but not every address.
func ParseProxy(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil && a.Zone() == "" {
		a = a.Unmap()
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	switch {
	case err != nil || p.Addr().Is4In6():
		return p, fmt.Errorf("%q must be an address or a network as 10.0.0.0/24", text)
	case p.Bits() == 0:
		return p, fmt.Errorf("%q would trust every address", text)
	}
	return p.Masked(), nil
}

func (p Proxies) Trust(a netip.Addr) bool {
	return slices.ContainsFunc(p, func(trusted netip.Prefix) bool { return trusted.Contains(a) })
}

// parseHop reads one address of a chain of proxies, with a port or without.
func parseHop(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if at, err := netip.ParseAddrPort(text); err == nil {
		return at.Addr().Unmap().WithZone(""), true
	}
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	a, err := netip.ParseAddr(text)
	return a.Unmap().WithZone(""), err == nil
}

// caller returns the address of the caller. That is the address of the connection. Behind trusted proxies it is the last address of their chain that is not a
// trusted proxy. Any client may have written what stands before it.
//
// The address is not certain in two cases. The chain may hold something that is not an address; then caller returns the proxy that
// wrote it. Or a machine that is not trusted claims to be a proxy.
func (p Proxies) caller(r *http.Request) (at netip.Addr, certain bool) {
	at, ok := parseHop(r.RemoteAddr)
	if !ok {
		return netip.Addr{}, false
	}
	chain := strings.Join(r.Header.Values(forwardedFor), ",") // a proxy may add a line of its own
	if !p.Trust(at) {
		return at, chain == "" && r.Header.Get("Forwarded") == ""
	}
	for more := chain != ""; more && p.Trust(at); {
		i := strings.LastIndexByte(chain, ',')
		hop, ok := parseHop(chain[i+1:])
		if !ok {
			return at, false
		}
		at, more = hop, i >= 0
		chain = chain[:max(i, 0)]
	}
	return at, true
}

// Address returns the address of the caller, "" if it is not known.
func (p Proxies) Address(r *http.Request) string {
	at, _ := p.caller(r)
	if !at.IsValid() {
		return ""
	}
	return at.String()
}

// network returns what jobs and limits of a caller without a name go by: its address, of IPv6 its network.
func (p Proxies) network(r *http.Request) string {
	from, _ := p.caller(r)
	return "address " + admission.Network(from).String()
}

// fromThisMachine reports whether the request was made on this machine. The word of a proxy elsewhere, or of one that is not
// trusted, is not enough.
func (p Proxies) fromThisMachine(r *http.Request) bool {
	peer, ok := parseHop(r.RemoteAddr)
	at, certain := p.caller(r)
	return ok && certain && isLocal(peer.String()) && (at == peer || isLocal(at.String()))
}

// Encrypted reports whether the browser uses HTTPS, to the service or to a trusted proxy.
func (p Proxies) Encrypted(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	peer, ok := parseHop(r.RemoteAddr)
	proto, _, _ := strings.Cut(r.Header.Get(forwardedProto), ",")
	return ok && p.Trust(peer) && strings.EqualFold(strings.TrimSpace(proto), "https")
}

// Direct reports whether a request came without a trusted proxy.
func (p Proxies) Direct(r *http.Request) bool {
	peer, ok := parseHop(r.RemoteAddr)
	return ok && !p.Trust(peer)
}

// NoticeProxy says once in the log that a proxy on this machine is not trusted: then all callers behind it have one address.
func (b *Base) NoticeProxy(r *http.Request) {
	chain := r.Header.Get(forwardedFor)
	if chain == "" || b.noticed.Load() {
		return
	}
	peer, ok := parseHop(r.RemoteAddr)
	from, said := parseHop(chain[strings.LastIndexByte(chain, ',')+1:])
	if !ok || !said || b.Proxies.Trust(peer) || isLocal(from.String()) || !isLocal(peer.String()) {
		return
	}
	if b.noticed.CompareAndSwap(false, true) {
		b.Log.Warn("a proxy on this machine is not trusted: all callers behind it count as one address, for the lock-out and the audit log; "+
			"name it in http.trusted_proxies", "proxy", peer, "says", from)
	}
}
