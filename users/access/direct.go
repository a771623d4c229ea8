package access

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
)

const (
	resolveEvery  = 5 * time.Minute  // the addresses of a host name are used for so long
	resolveAgain  = 20 * time.Second // until a name without an answer is looked up again
	resolveWithin = 10 * time.Second // the time of one look-up
	noticeEvery   = time.Second      // a new name is seen within it
	maxHosts      = 256              // of one user
)

// Hosts knows from which addresses a user needs no password: the hosts of direct_access, with the addresses of their names as they
// were last resolved.
type Hosts struct {
	users  *Users
	mu     sync.RWMutex
	byName map[string][]netip.Addr
}

// User returns the user that needs no password from this address. The user is active, has lss_access and direct_access, and lists
// the address among its hosts. Of several such users the first by name is taken. User asks no name server; see Resolve.
func (h *Hosts) User(from netip.Addr) (*User, bool) {
	from = from.Unmap().WithZone("")
	now := h.users.opts.Now()
	for _, user := range h.users.List() {
		if user.Direct.Enabled && user.Active(now) && user.May(right.LSSAccess) && h.matchesAddress(user.Direct.Hosts, from) {
			return &user, true
		}
	}
	return nil, false
}

// matchesAddress reports whether one of the hosts has the address.
func (h *Hosts) matchesAddress(hosts []string, from netip.Addr) bool {
	return slices.ContainsFunc(hosts, func(host string) bool {
		host = fold.Name(host)
		if a, err := netip.ParseAddr(host); err == nil {
			return a.Unmap() == from
		}
		if p, err := netip.ParsePrefix(host); err == nil {
			return p.Contains(from)
		}
		h.mu.RLock()
		defer h.mu.RUnlock()
		return slices.Contains(h.byName[host], from)
	})
}

// Resolve keeps the addresses of the host names of direct_access until the context ends. It looks up new names within a second or two, and names that were not
// answered every 20 seconds. It looks up all of them anew every five minutes. A name keeps its addresses while name servers do not answer; one that no longer
// exists loses them.
func (h *Hosts) Resolve(ctx context.Context) {
	tick := time.NewTicker(noticeEvery)
	defer tick.Stop()
	var seen uint64
	var whole, asked time.Time // when all names were looked up last, and when any was
	answered := true
	for {
		generation, all := h.users.Generation(), time.Since(whole) >= resolveEvery
		if all || generation != seen || !answered && time.Since(asked) >= resolveAgain {
			seen, asked = generation, time.Now()
			if all {
				whole = asked
			}
			answered = h.resolveNames(ctx, h.hostNames(), all)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// hostNames returns the hosts of direct_access that are names, folded.
func (h *Hosts) hostNames() []string {
	var all []string
	for _, user := range h.users.List() {
		for _, host := range user.Direct.Hosts {
			if user.Direct.Enabled && !isAddress(host) {
				all = append(all, fold.Name(host))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// resolveNames looks up all names, or only those without addresses. It forgets names that no user lists any more. It reports whether
// every name got an answer.
func (h *Hosts) resolveNames(ctx context.Context, hosts []string, all bool) (answered bool) {
	answered = true
	now := make(map[string][]netip.Addr, len(hosts))
	for _, host := range hosts {
		h.mu.RLock()
		was, known := h.byName[host]
		h.mu.RUnlock()
		if known && !all {
			now[host] = was
			continue
		}
		found, err := lookUp(ctx, host)
		switch {
		case err == nil:
			now[host] = found
		case known:
			now[host] = was
		default:
			answered = false
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.byName = now
	return answered
}

// lookUp returns the addresses of a name. A name that does not exist has none.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	if err := ctx.Err(); err != nil { // the resolver may answer nevertheless
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, resolveWithin)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	var missing *net.DNSError
	if errors.As(err, &missing) && missing.IsNotFound {
		return nil, nil
	}
	for i := range found {
		found[i] = found[i].Unmap().WithZone("")
	}
	return found, err
}

func isAddress(host string) bool {
	host = fold.Name(host)
	a, notAddress := netip.ParseAddr(host)
	_, notPrefix := netip.ParsePrefix(host)
	return notAddress == nil && a.Zone() == "" || notPrefix == nil
}

// checkHosts returns what is wrong with the hosts of direct_access. They are names, addresses and CIDR ranges, at most 256.
func checkHosts(hosts []string) error {
	if len(hosts) > maxHosts {
		return rule.New("too_many_hosts", "may have at most {max} hosts", "max", maxHosts)
	}
	for i, host := range hosts {
		if !isAddress(host) && !isHostName(strings.TrimSuffix(fold.Name(host), ".")) {
			return rule.New("host", "host {place} must be a name, an address or CIDR as 10.0.0.0/24", "place", i+1)
		}
	}
	return nil
}

// isHostName reports whether a folded text is a host name of RFC 1123. A name whose last part is a number is a mistyped address.
func isHostName(text string) bool {
	parts := strings.Split(text, ".")
	for _, part := range parts {
		if part == "" || len(part) > 63 || part[0] == '-' || part[len(part)-1] == '-' || strings.Trim(part, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return len(text) <= 253 && strings.Trim(parts[len(parts)-1], "0123456789") != ""
}
