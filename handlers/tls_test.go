package handlers

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quaywatch/box/certs"
	"quaywatch/handlers/request"
)

// certificate makes a certificate for this machine alone, and returns its files and a client that trusts it.
func certificate(t *testing.T) (cert, key string, client *http.Client) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: signed}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	parsed, err := x509.ParseCertificate(signed)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return cert, key, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
}

// secured returns a site with a page HTTPS with a certificate of files, and a client that trusts it.
func secured(t *testing.T, change ...func(*Config)) (s *site, client *http.Client) {
	t.Helper()
	cert, key, client := certificate(t)
	files, err := certs.OpenFiles(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	s = newSite(t, func(c *Config, d *Deps) {
		d.Certificates, d.Web = files, fstest.MapFS{"index.html": {Data: []byte("<!doctype html>")}}
		for _, f := range change {
			f(c)
		}
	})
	return s, client
}

// listening serves a site on a free port of each kind, and returns their addresses.
func (s *site) listening(plainToo bool, clients ...*http.Client) (plain, secure string) {
	s.t.Helper()
	var listeners [2]net.Listener
	for i := range listeners {
		var err error
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			s.t.Fatal(err)
		}
	}
	plain, secure = "http://"+listeners[0].Addr().String(), "https://"+listeners[1].Addr().String()
	if !plainToo {
		listeners[0].Close()
		listeners[0] = nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.server.Serve(ctx, listeners[0], listeners[1]) }()
	s.t.Cleanup(func() {
		for _, client := range clients {
			client.CloseIdleConnections()
		}
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
	return plain, secure
}

func TestTLS(t *testing.T) {
	s, client := secured(t, func(c *Config) { c.TLSAlone = true })
	_, secure := s.listening(false, client)
	body := strings.NewReader(`{"name":"admin","password":"` + adminPassword + `"}`)
	response, err := client.Post(secure+"/api/session", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != 200 || response.Header.Get("Strict-Transport-Security") == "" || !response.Cookies()[0].Secure {
		t.Errorf("%d %v", response.StatusCode, response.Header)
	}
}

// TestTLS12TakesNoCBC: a client of TLS 1.2 gets the suites with authenticated encryption and forward secrecy, and no other.
func TestTLS12TakesNoCBC(t *testing.T) {
	s, client := secured(t)
	_, secure := s.listening(false, client)
	taken := 0
	for _, suite := range slices.Concat(tls.CipherSuites(), tls.InsecureCipherSuites()) {
		if !slices.Contains(suite.SupportedVersions, tls.VersionTLS12) || !strings.Contains(suite.Name, "_ECDSA_") {
			continue // the key of the test is of ECDSA
		}
		secret := client.Transport.(*http.Transport).TLSClientConfig.Clone()
		secret.MaxVersion, secret.CipherSuites = tls.VersionTLS12, []uint16{suite.ID}
		conn, err := tls.Dial("tcp", strings.TrimPrefix(secure, "https://"), secret)
		if err == nil {
			taken++
			conn.Close()
		}
		if good := strings.Contains(suite.Name, "_GCM_") || strings.Contains(suite.Name, "_CHACHA20_"); good != (err == nil) {
			t.Errorf("%s: %v", suite.Name, err)
		}
	}
	if taken != 3 {
		t.Errorf("%d suites are taken", taken)
	}
}

// TestHTTPSBesideHTTP: both answer, and programs are led nowhere, whatever cookies they have.
func TestHTTPSBesideHTTP(t *testing.T) {
	s, client := secured(t)
	plain, secure := s.listening(true, client, http.DefaultClient)
	for _, path := range []string{"/healthz", "/readyz", "/metrics", "/api/status", "/api/session", "/api/openapi.yaml", "/api/tls", "/api/live"} {
		for _, base := range []string{plain, secure} {
			ctx, cancel := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, "GET", base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			request.SetBasicAuth("admin", adminPassword)
			request.AddCookie(&http.Cookie{Name: trustedCookie, Value: "1"})
			response, err := client.Transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			cancel()
			strict := response.Header.Get("Strict-Transport-Security") != "" // it would turn http://box:8080 into https://box:8080
			if response.StatusCode != 200 || strict {
				t.Errorf("%s%s: %d %v", base, path, response.StatusCode, response.Header)
			}
		}
	}
}

// TestHTTPSAloneMayBeAskedFor: of browsers that know the authority, and that lose no port of HTTP by it.
func TestHTTPSAloneMayBeAskedFor(t *testing.T) {
	own, err := certs.OpenOwn(filepath.Join(t.TempDir(), "tls"), certs.Look("", nil), time.Time{}, noon())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		own, strict, encrypted, want bool
	}{
		{false, true, true, true}, {false, true, false, false}, {false, false, true, false}, {true, true, true, false},
	} {
		s := newSite(t, func(_ *Config, d *Deps) {
			if row.own {
				d.Certificates = own
			}
		})
		s.server.strict.Store(row.strict)
		r := httptest.NewRequest("GET", "/healthz", nil)
		if row.encrypted {
			r.TLS = &tls.ConnectionState{}
		}
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		if got := w.Header().Get("Strict-Transport-Security") != ""; got != row.want {
			t.Errorf("%+v: %v", row, got)
		}
	}
}

// TestABrowserThatTrustsTheBoxIsLedOver: pages alone are, and only a browser that said so.
func TestABrowserThatTrustsTheBoxIsLedOver(t *testing.T) {
	s, _ := secured(t)
	s.server.securePort.Store(8443)
	ask := func(path string, header ...string) *http.Response {
		r := httptest.NewRequest("GET", "http://box.local:8080"+path, nil)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		return w.Result()
	}
	trusts := []string{"Cookie", trustedCookie + "=1"}
	for path, to := range map[string]string{
		"/": "https://box.local:8443/", "/index.html?a=b": "https://box.local:8443/index.html?a=b", "/ships/2": "https://box.local:8443/ships/2",
		"/%2f%2fevil": "https://box.local:8443/%2f%2fevil",
	} {
		if got := ask(path, trusts...); got.StatusCode != 302 || got.Header.Get("Location") != to {
			t.Errorf("%s: %d %q", path, got.StatusCode, got.Header.Get("Location"))
		}
		if got := ask(path); got.StatusCode != 200 {
			t.Errorf("%s without the cookie: %d", path, got.StatusCode)
		}
	}
	for _, path := range []string{"/api/tls", "/healthz", "/readyz", "/assets/none.js", "/api/none", "/metrics"} {
		if got := ask(path, trusts...); got.StatusCode == 302 {
			t.Errorf("%s is led over", path)
		}
	}
	if got := ask("/?http", trusts...); got.StatusCode != 200 || len(got.Cookies()) != 1 || got.Cookies()[0].MaxAge >= 0 {
		t.Errorf("a way back: %d %v", got.StatusCode, got.Cookies())
	}
	if got := ask("/"); !strings.HasSuffix(got.Header.Get("Content-Security-Policy"), "; connect-src 'self' https://box.local:8443") {
		t.Errorf("the page may not ask: %v", got.Header)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "x;script-src *"
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	if got := w.Header().Get("Content-Security-Policy"); got != contentPolicy {
		t.Errorf("a host writes the policy: %s", got)
	}
}

// TestCookiesOfHTTPS: HTTP and HTTPS beside each other have sessions of their own, and what was signed in over HTTPS before goes on.
func TestCookiesOfHTTPS(t *testing.T) {
	for _, row := range []struct {
		base, forwarded string
		alone           bool
		name            string
		oldGoesOn       bool
	}{
		{"", "", false, "__Host-quaywatch_session", false},
		{"/ais", "", false, "__Secure-quaywatch_session", false},
		{"", "", true, "__Host-quaywatch_session", true},
		{"/ais", "https", false, "__Secure-quaywatch_session", true},
		{"", "http", false, "quaywatch_session", true},
	} {
		s := newSite(t, func(c *Config, _ *Deps) {
			c.BasePath, c.TLSAlone = row.base, row.alone
			c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")} // the address of test requests
		})
		ask := func(method, cookie, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, row.base+"/api/session", strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			if r.Header.Set("X-Forwarded-Proto", row.forwarded); row.forwarded == "" {
				r.TLS = &tls.ConnectionState{}
			}
			if cookie != "" {
				r.Header.Set("Cookie", cookie)
			}
			w := httptest.NewRecorder()
			s.server.Handler().ServeHTTP(w, r)
			return w
		}
		got := ask("POST", "", `{"name":"admin","password":"`+adminPassword+`"}`).Result().Cookies()
		if len(got) != 1 || got[0].Name != row.name || got[0].Path != row.base+"/" || got[0].Secure != (row.forwarded != "http") {
			t.Fatalf("%+v: %v", row, got)
		}
		if w := ask("GET", got[0].Name+"="+got[0].Value, ""); w.Code != 200 {
			t.Errorf("%+v: the cookie gives %d", row, w.Code)
		}
		old := ask("GET", request.PlainCookie+"="+got[0].Value, "")
		if (old.Code == 200) != row.oldGoesOn {
			t.Errorf("%+v: the cookie of before gives %d", row, old.Code)
		}
		if w := ask("DELETE", got[0].Name+"="+got[0].Value, ""); w.Code != 204 || ask("GET", got[0].Name+"="+got[0].Value, "").Code == 200 {
			t.Errorf("%+v: the sign-out gives %d", row, w.Code)
		}
	}
}

// TestPasswordsInClear: they are counted and named, and refused only where the operator wants that.
func TestPasswordsInClear(t *testing.T) {
	s := newSite(t)
	asked := func(s *site, peer string, header ...string) int {
		r := httptest.NewRequest("GET", "/api/session", nil)
		r.RemoteAddr = peer
		r.SetBasicAuth("admin", adminPassword)
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		return w.Code
	}
	for range 3 {
		asked(s, "127.0.0.1:9")
	}
	if n := s.server.base.Clear.Total(); n != 0 {
		t.Errorf("%d passwords left this machine", n)
	}
	for range 3 {
		if got := asked(s, "192.0.2.9:9"); got != 200 {
			t.Errorf("status %d", got)
		}
	}
	if got := s.get("/api/status").json(t)["plain_sign_ins"]; got != 4.0 { // with this one
		t.Errorf("%v are told", got)
	}
	if text := s.get("/metrics").body; !strings.Contains(string(text), "quaywatch_plain_sign_ins_total 5\n") {
		t.Errorf("the metrics do not tell")
	}
	if got := s.server.SentInClear(noon()); !slices.Equal(got, []string{"admin"}) {
		t.Errorf("the users are %v", got)
	}
	if got := s.server.SentInClear(noon().Add(25 * time.Hour)); len(got) != 0 {
		t.Errorf("a day later the users are %v", got)
	}
	closed := newSite(t, func(c *Config, _ *Deps) {
		c.RefusePlainSignIn = true
		c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}
	})
	for _, row := range []struct {
		peer, proto string
		want        int
	}{
		{"192.0.2.9:9", "", 403}, {"192.0.2.9:9", "https", 403}, {"127.0.0.1:9", "", 200}, {"192.0.2.1:9", "https", 200}, {"192.0.2.1:9", "http", 403},
	} {
		header := []string{"X-Forwarded-For", "198.51.100.1"}
		if row.proto != "" {
			header = append(header, "X-Forwarded-Proto", row.proto)
		}
		if row.peer == "127.0.0.1:9" {
			header = nil
		}
		if got := asked(closed, row.peer, header...); got != row.want {
			t.Errorf("from %s, %q: %d", row.peer, row.proto, got)
		}
	}
	r := httptest.NewRequest("POST", "/api/session", strings.NewReader(`{"name":"admin","password":"`+adminPassword+`"}`))
	r.RemoteAddr = "192.0.2.9:9"
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	if closed.server.Handler().ServeHTTP(w, r); w.Code != 403 || !strings.Contains(w.Body.String(), `"rule":"plain_sign_in"`) {
		t.Errorf("a sign-in in clear: %d %s", w.Code, w.Body)
	}
}

// TestWhatASignInPageIsTold: what a password would be, the way by HTTPS, and the authority of the box.
func TestWhatASignInPageIsTold(t *testing.T) {
	s := newSite(t)
	if a := s.send("GET", "/api/tls", "").is(t, 200).json(t); a["in_clear"] != true || a["plain_sign_in"] != true || a["https"] != nil || a["ca"] != nil {
		t.Errorf("without HTTPS: %v", a)
	}
	s.send("GET", "/api/tls/ca.crt", "").is(t, 404, "not_found")
	own, err := certs.OpenOwn(filepath.Join(t.TempDir(), "tls"), certs.Look("", nil), time.Time{}, noon())
	if err != nil {
		t.Fatal(err)
	}
	s = newSite(t, func(_ *Config, d *Deps) { d.Certificates = own })
	s.server.securePort.Store(443)
	authority, _ := own.Authority()
	a := s.send("GET", "/api/tls", "", "X-Forwarded-For", "127.0.0.1").is(t, 200)
	told := a.json(t)
	if told["https"] != "https://example.com/" || told["ca"].(map[string]any)["fingerprint"] != authority.Fingerprint || told["in_clear"] != true {
		t.Errorf("%v", told)
	}
	if a.header.Get("Cross-Origin-Resource-Policy") != "cross-origin" || a.header.Get("Strict-Transport-Security") != "" {
		t.Errorf("%v", a.header)
	}
	if file := s.send("GET", "/api/tls/ca.crt", "").is(t, 200); string(file.body) != string(authority.PEM) {
		t.Errorf("%s", file.body)
	}
	if got := s.get("/api/status").json(t)["https"].(map[string]any); got["ca_fingerprint"] != authority.Fingerprint || got["port"] != 443.0 {
		t.Errorf("%v", got)
	}
}

func TestConfigurationsThatAreRefused(t *testing.T) {
	s := newSite(t)
	if _, err := New(Config{CORS: []string{"not an origin"}}, s.server.deps); err == nil {
		t.Error("an origin that is none is taken")
	}
	if _, err := New(Config{}, Deps{}); err == nil {
		t.Error("a server without a picture is made")
	}
}
