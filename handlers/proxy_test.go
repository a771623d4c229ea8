package handlers

import (
	"fmt"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/users/access"
)

func parseProxies(t testing.TB, list ...string) (trusted request.Proxies) {
	t.Helper()
	for _, text := range list {
		p, err := request.ParseProxy(text)
		if err != nil {
			t.Fatal(err)
		}
		trusted = append(trusted, p)
	}
	return trusted
}

// TestAddressesBehindAProxy: lock-out, sessions and the audit log use the address of the proxy's caller, but only of a trusted proxy.
func TestAddressesBehindAProxy(t *testing.T) {
	for _, trusted := range []bool{true, false} {
		t.Run(fmt.Sprint("trusted ", trusted), func(t *testing.T) {
			s := newSite(t, func(c *Config, _ *Deps) {
				if trusted { // httptest asks from 192.0.2.1
					c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}
				}
			})
			from := func(address, password string) answer {
				return s.send("GET", "/api/session", "", "Authorization", basic("admin", password), "X-Forwarded-For", "127.0.0.1, "+address)
			}
			for range access.SignInTries {
				from("198.51.100.66", "a guess of a stranger").is(t, 401)
			}
			from("198.51.100.66", adminPassword).is(t, 429, "limit_reached")
			if !trusted {
				from("198.51.100.7", adminPassword).is(t, 429, "limit_reached")
				s.clock.pass(time.Hour)
			}
			from("198.51.100.7", adminPassword).is(t, 200)
			body := `{"name":"admin","password":"` + adminPassword + `"}`
			cookie := s.send("POST", "/api/session", body, "Content-Type", "application/json", "X-Forwarded-For", "198.51.100.7", "X-Forwarded-Proto",
				"https").is(t, 200).header.Get("Set-Cookie")
			if strings.Contains(cookie, "Secure") != trusted {
				t.Errorf("the cookie is %q", cookie)
			}
			want := map[bool]string{true: `"address":"198.51.100.7"`, false: `"address":"192.0.2.1"`}[trusted]
			sessions := string(s.get("/api/config/user/admin/sessions", "X-Forwarded-For", "198.51.100.7").is(t, 200).body)
			if !strings.Contains(sessions, want) || strings.Count(sessions, "address") != 1 {
				t.Errorf("the sessions are %s", sessions)
			}
			if audit := string(s.get("/api/audit?user=admin", "X-Forwarded-For", "198.51.100.7").is(t, 200).body); !strings.Contains(audit, want) ||
				strings.Contains(audit, "198.51.100.66") != trusted || strings.Contains(audit, "127.0.0.1") {
				t.Errorf("the audit log is %s", audit)
			}
		})
	}
}

// TestProxyThatIsNotTrustedIsNoticed once, and only where it is one on this machine.
func TestProxyThatIsNotTrustedIsNoticed(t *testing.T) {
	s := newSite(t)
	ask := func(peer, chain string) {
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.RemoteAddr = peer
		if chain != "" {
			r.Header.Set("X-Forwarded-For", chain)
		}
		s.server.Handler().ServeHTTP(httptest.NewRecorder(), r)
	}
	said := func() int { return strings.Count(s.logged.String(), "http.trusted_proxies") }
	for _, row := range [][2]string{{"192.0.2.7:1", "198.51.100.7"}, {"127.0.0.1:1", "127.0.0.1"}, {"127.0.0.1:1", "garbage"}, {"127.0.0.1:1", ""}} {
		ask(row[0], row[1])
	}
	if said() != 0 {
		t.Errorf("logged without a reason:\n%s", s.logged.String())
	}
	for range 3 {
		ask("127.0.0.1:1", "10.9.9.9, 198.51.100.7")
	}
	if said() != 1 || !strings.Contains(s.logged.String(), "198.51.100.7") {
		t.Errorf("logged %d times:\n%s", said(), s.logged.String())
	}
}

// TestTrustedProxyHasNoShare of the connections: it brings all clients.
func TestTrustedProxyHasNoShare(t *testing.T) {
	l := &boundedListener{nil, connections(5, 2), parseProxies(t, "127.0.0.1")}
	stranger, proxy, gone := netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("127.0.0.1"), 0
	for i, row := range []struct {
		from netip.Addr
		in   bool
		gone int
	}{
		{stranger, true, 0}, {stranger, true, 0}, {stranger, true, 1}, {proxy, true, 1}, {proxy, true, 1}, {proxy, true, 1}, {proxy, true, 2},
		{proxy, true, 3}, {proxy, false, 3}, {stranger, false, 3},
	} {
		if _, in := l.findPlace(row.from, func() { gone++ }); in != row.in || gone != row.gone {
			t.Errorf("connection %d from %s: %v, and %d had to go", i, row.from, in, gone)
		}
	}
}
