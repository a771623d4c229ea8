package request

import (
	"crypto/tls"
	"net/http/httptest"
	"strings"
	"testing"
)

func parseProxies(t testing.TB, list ...string) (trusted Proxies) {
	t.Helper()
	for _, text := range list {
		p, err := ParseProxy(text)
		if err != nil {
			t.Fatal(err)
		}
		trusted = append(trusted, p)
	}
	return trusted
}

func TestParseProxy(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1": "127.0.0.1/32", "::1": "::1/128", "10.1.2.3/8": "10.0.0.0/8", "fd00::/8": "fd00::/8", "::ffff:10.0.0.1": "10.0.0.1/32",
	} {
		if p, err := ParseProxy(text); err != nil || p.String() != want {
			t.Errorf("%s: %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "proxy", "localhost", "10.0.0.1:80", "10.0.0", "10.0.0.0/33", "0.0.0.0/0", "::/0", "fe80::1%eth0", "::ffff:10.0.0.0/104"} {
		if p, err := ParseProxy(text); err == nil {
			t.Errorf("%q is taken as %v", text, p)
		}
	}
}

// TestCallerBehindProxies: of what proxies wrote the last that is not one of ours counts, and nothing of what others say.
func TestCallerBehindProxies(t *testing.T) {
	trusted := parseProxies(t, "127.0.0.1", "10.0.0.0/24", "fd00::/8")
	for _, row := range []struct {
		peer    string
		chain   []string // lines of X-Forwarded-For
		want    string
		certain bool
	}{
		{"127.0.0.1:40000", nil, "127.0.0.1", true},
		{"127.0.0.1:40000", []string{"192.0.2.7"}, "192.0.2.7", true},
		{"127.0.0.1:40000", []string{"198.51.100.1, 192.0.2.7"}, "192.0.2.7", true}, // the first is the caller's own invention
		{"127.0.0.1:40000", []string{"127.0.0.1,192.0.2.7,10.0.0.9"}, "192.0.2.7", true},
		{"127.0.0.1:40000", []string{"198.51.100.1", "192.0.2.7"}, "192.0.2.7", true}, // a line of its own
		{"127.0.0.1:40000", []string{" 192.0.2.7 , 10.0.0.9 "}, "192.0.2.7", true},
		{"127.0.0.1:40000", []string{"192.0.2.7:4711"}, "192.0.2.7", true},
		{"127.0.0.1:40000", []string{"2001:db8::7"}, "2001:db8::7", true},
		{"127.0.0.1:40000", []string{"[2001:db8::7]"}, "2001:db8::7", true},
		{"127.0.0.1:40000", []string{"[2001:db8::7]:4711, fd00::1"}, "2001:db8::7", true},
		{"127.0.0.1:40000", []string{"::ffff:192.0.2.7"}, "192.0.2.7", true},
		{"[::ffff:127.0.0.1]:40000", []string{"192.0.2.7"}, "192.0.2.7", true},
		{"10.0.0.9:40000", []string{"10.0.0.8, 10.0.0.7"}, "10.0.0.8", true}, // a request of the proxy itself
		{"127.0.0.1:40000", []string{"192.0.2.7, unknown"}, "127.0.0.1", false},
		{"127.0.0.1:40000", []string{"192.0.2.7, unknown, 10.0.0.9"}, "10.0.0.9", false},
		{"127.0.0.1:40000", []string{"192.0.2.7,"}, "127.0.0.1", false},
		{"127.0.0.1:40000", []string{"<script>"}, "127.0.0.1", false},
		{"127.0.0.1:40000", []string{strings.Repeat(",", 60000)}, "127.0.0.1", false},
		{"127.0.0.1:40000", []string{strings.Repeat("10.0.0.1,", 6000) + "10.0.0.1"}, "10.0.0.1", true},
		{"192.0.2.99:40000", nil, "192.0.2.99", true},
		{"192.0.2.99:40000", []string{"198.51.100.1"}, "192.0.2.99", false}, // a machine that is not trusted may write anything
		{"192.0.2.99:40000", []string{"127.0.0.1"}, "192.0.2.99", false},
		{"@", []string{"192.0.2.7"}, "invalid IP", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = row.peer
		for _, line := range row.chain {
			r.Header.Add(forwardedFor, line)
		}
		if at, certain := trusted.caller(r); at.String() != row.want || certain != row.certain {
			t.Errorf("%s, %.60q: %v (%v), want %s (%v)", row.peer, row.chain, at, certain, row.want, row.certain)
		}
	}
}

// TestThisMachineBehindProxies: a header does not make a caller local.
func TestThisMachineBehindProxies(t *testing.T) {
	trusted := parseProxies(t, "127.0.0.1", "192.0.2.50")
	for _, row := range []struct {
		peer, chain string
		local       bool
	}{
		{"127.0.0.1:1", "", true},
		{"[::1]:1", "", true},
		{"127.0.0.1:1", "127.0.0.1", true},
		{"127.0.0.1:1", "192.0.2.7", false},
		{"127.0.0.1:1", "127.0.0.1, 192.0.2.7", false},
		{"127.0.0.1:1", "garbage", false},
		{"192.0.2.50:1", "127.0.0.1", false}, // on the proxy's machine
		{"[::1]:1", "127.0.0.1", false},      // a proxy here that is not trusted
		{"192.0.2.7:1", "127.0.0.1", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = row.peer
		if row.chain != "" {
			r.Header.Set(forwardedFor, row.chain)
		}
		if trusted.fromThisMachine(r) != row.local {
			t.Errorf("%s, %q: local is %v", row.peer, row.chain, !row.local)
		}
	}
}

func TestEncryptedBehindAProxy(t *testing.T) {
	trusted := parseProxies(t, "127.0.0.1")
	for _, row := range []struct {
		peer, proto string
		want        bool
	}{
		{"127.0.0.1:1", "", false}, {"127.0.0.1:1", "http", false}, {"127.0.0.1:1", "https", true}, {"127.0.0.1:1", "HTTPS, http", true},
		{"127.0.0.1:1", "httpsx", false}, {"192.0.2.7:1", "https", false},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = row.peer
		r.Header.Set(forwardedProto, row.proto)
		if trusted.Encrypted(r) != row.want {
			t.Errorf("%s %q: %v", row.peer, row.proto, !row.want)
		}
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.TLS = &tls.ConnectionState{}
	if !trusted.Encrypted(r) {
		t.Error("HTTPS to us is not encrypted")
	}
}

func TestIsLocal(t *testing.T) {
	for address, local := range map[string]bool{"127.0.0.1": true, "::1": true, "192.0.2.1": false, "": false} {
		if isLocal(address) != local {
			t.Errorf("isLocal(%q) = %v", address, !local)
		}
	}
}
