package request

import (
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"quaywatch/internal/rule"
	"quaywatch/users/access"
)

// Cleartext counts the passwords and tokens that came in clear over plain HTTP from other machines. The zero value has counted none.
type Cleartext struct {
	mu    sync.Mutex
	total uint64
	users map[string]time.Time // the last time of each
}

// Cleartext names users of so long ago, and so many.
const (
	clearKept  = 24 * time.Hour
	clearUsers = 1000
)

// countSignIn counts a password or token of a user.
func (n *Cleartext) countSignIn(user string, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.total++
	if n.users == nil {
		n.users = map[string]time.Time{}
	}
	if _, known := n.users[user]; known || len(n.users) < clearUsers {
		n.users[user] = now
	}
}

// Total returns how many came in clear.
func (n *Cleartext) Total() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.total
}

// LastDay returns the users of what came in clear in the last day, by name.
func (n *Cleartext) LastDay(now time.Time) []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.DeleteFunc(n.users, func(_ string, last time.Time) bool { return now.Sub(last) > clearKept })
	return slices.Sorted(maps.Keys(n.users))
}

// InClear reports whether what a caller sends can be read on the network. Then it comes from another machine, and neither to us nor to a trusted proxy by
// HTTPS. Of a trusted proxy that does not say how its caller came, nothing is known, and it counts as encrypted.
func (b *Base) InClear(r *http.Request) bool {
	if b.Proxies.Encrypted(r) || b.Proxies.fromThisMachine(r) {
		return false
	}
	peer, ok := parseHop(r.RemoteAddr)
	return !ok || !b.Proxies.Trust(peer) || r.Header.Get(forwardedProto) != ""
}

// refuseClear refuses credentials in clear where the operator wants none. It comes before they are looked at.
func (b *Base) refuseClear(r *http.Request) error {
	if !b.RefuseClear || !b.InClear(r) {
		return nil
	}
	return Forbidden(rule.New("plain_sign_in", "a password or token in clear is not taken: use HTTPS"))
}

// noteClear counts credentials that were right, and came in clear.
func (b *Base) noteClear(r *http.Request, user *access.User) {
	if b.InClear(r) {
		b.Clear.countSignIn(user.Name, b.Now())
	}
}

// CookieName returns the name of the session cookie. HTTPS has one of its own: browsers do not let a page over HTTP write over it.
func (b *Base) CookieName(r *http.Request) string {
	switch {
	case !b.Proxies.Encrypted(r):
		return PlainCookie
	case b.CookiePath == "/":
		return "__Host-" + PlainCookie
	}
	return "__Secure-" + PlainCookie // __Host- is for the path / alone
}

// OldCookie reports whether a session of PlainCookie goes on, whatever CookieName is.
func (b *Base) OldCookie(r *http.Request) bool { return r.TLS == nil || b.TLSAlone }

// Cookie returns the session cookie of a request, "" for none. Where HTTP does not stand beside HTTPS, a session from before HTTPS had a cookie
// of its own goes on.
func (b *Base) Cookie(r *http.Request) string {
	name := b.CookieName(r)
	cookie, err := r.Cookie(name)
	if err != nil && b.OldCookie(r) {
		cookie, err = r.Cookie(PlainCookie)
	}
	if err != nil {
		return ""
	}
	return cookie.Value
}
