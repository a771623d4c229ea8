package handlers

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// The headers in which a proxy says who asked it.
const (
	forwardedFor   = "X-Forwarded-For"
	forwardedProto = "X-Forwarded-Proto"
)

// proxies are the machines whose word is taken about who calls.
type proxies []netip.Prefix

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
		return p, fmt.Errorf("%q would believe everybody who says who they are", text)
	}
	return p.Masked(), nil
}

func (p proxies) trust(a netip.Addr) bool {
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

// caller gives the address that asks: that of the connection, and where this is a proxy's that is trusted, the last in its chain
// that is none. What stands before that anyone may have written. It is not certain where the chain breaks off in something else
// than an address, which gives the proxy that wrote it, or where somebody who is not trusted says to be a proxy.
func (p proxies) caller(r *http.Request) (at netip.Addr, certain bool) {
	at, ok := parseHop(r.RemoteAddr)
	if !ok {
		return netip.Addr{}, false
	}
	chain := strings.Join(r.Header.Values(forwardedFor), ",") // a proxy may add a line of its own
	if !p.trust(at) {
		return at, chain == "" && r.Header.Get("Forwarded") == ""
	}
	for more := chain != ""; more && p.trust(at); {
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

// address gives the address that asks, "" when it is not known.
func (s *Server) address(r *http.Request) string {
	at, _ := s.trusted.caller(r)
	if !at.IsValid() {
		return ""
	}
	return at.String()
}

// fromThisMachine tells whether the call was made on this machine. Who is only said to be here, by a proxy elsewhere or by somebody
// who is not trusted, is not.
func (s *Server) fromThisMachine(r *http.Request) bool {
	peer, ok := parseHop(r.RemoteAddr)
	at, certain := s.trusted.caller(r)
	return ok && certain && isLocal(peer.String()) && (at == peer || isLocal(at.String()))
}

// encrypted tells whether the browser speaks HTTPS, to us or to a proxy that is trusted.
func (s *Server) encrypted(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	peer, ok := parseHop(r.RemoteAddr)
	proto, _, _ := strings.Cut(r.Header.Get(forwardedProto), ",")
	return ok && s.trusted.trust(peer) && strings.EqualFold(strings.TrimSpace(proto), "https")
}

// noticeProxy says once in the log that a proxy on this machine is not trusted: then all who come through it have one address.
func (s *Server) noticeProxy(r *http.Request) {
	chain := r.Header.Get(forwardedFor)
	if chain == "" || s.noticed.Load() {
		return
	}
	peer, ok := parseHop(r.RemoteAddr)
	from, said := parseHop(chain[strings.LastIndexByte(chain, ',')+1:])
	if !ok || !said || s.trusted.trust(peer) || isLocal(from.String()) || !isLocal(peer.String()) {
		return
	}
	if s.noticed.CompareAndSwap(false, true) {
		s.deps.Log.Warn("a proxy on this machine is not trusted: all who come through it count as one address, for the lock-out and the audit log; "+
			"name it in http.trusted_proxies", "proxy", peer, "says", from)
	}
}
