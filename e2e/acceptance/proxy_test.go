package acceptance

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBehindAReverseProxy runs the real binary behind a proxy, as docs/operations.md describes it. The path and the host stay, and
// the proxy adds the caller's address. Each caller has an address of this machine's loopback network. A proxy on a port's server
// sees such addresses as well.
func TestBehindAReverseProxy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "quaywatch.toml")
	config := "[http]\nbase_path = \"/ais\"\ntrusted_proxies = [\"127.0.0.1\"]\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, dir, "serve", "--config", path)
	target, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"] // what the caller says of itself stays in front
			r.SetXForwarded()
			r.Out.Header.Set("X-Forwarded-Proto", "https") // as if the proxy had the certificate
		},
	})
	t.Cleanup(proxy.Close)
	ask := func(from, method, path, body string, edit func(*http.Request)) *http.Response {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		t.Cleanup(cancel)
		request, err := http.NewRequestWithContext(ctx, method, proxy.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", proxy.URL)
		edit(request)
		dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { response.Body.Close() })
		return response
	}
	as := func(password string) func(*http.Request) {
		return func(r *http.Request) {
			r.SetBasicAuth("admin", password)
			r.Header.Set("X-Forwarded-For", "127.0.0.3") // a guesser that gives the address of another caller
		}
	}
	for range 5 {
		if got := ask("127.0.0.2", "GET", "/ais/api/session", "", as("a wrong password")); got.StatusCode != 401 {
			t.Fatalf("a guess: %s", got.Status)
		}
	}
	if got := ask("127.0.0.2", "GET", "/ais/api/session", "", as(adminPassword)); got.StatusCode != 429 {
		t.Errorf("after five guesses: %s", got.Status)
	}
	if got := ask("127.0.0.3", "GET", "/ais/api/session", "", as(adminPassword)); got.StatusCode != 200 {
		t.Errorf("another caller: %s", got.Status)
	}

	signedIn := ask("127.0.0.3", "POST", "/ais/api/session", `{"name":"admin","password":"`+adminPassword+`"}`, func(*http.Request) {})
	if cookies := signedIn.Cookies(); signedIn.StatusCode != 200 || len(cookies) != 1 || !cookies[0].Secure || cookies[0].Path != "/ais/" {
		t.Fatalf("sign-in: %s %v", signedIn.Status, cookies)
	}
	withCookie := func(r *http.Request) { r.AddCookie(signedIn.Cookies()[0]) }
	text := func(path string) string {
		t.Helper()
		response := ask("127.0.0.3", "GET", path, "", withCookie)
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != 200 {
			t.Fatalf("%s: %s %s %v", path, response.Status, body, err)
		}
		return string(body)
	}
	if sessions := text("/ais/api/session/all"); !strings.Contains(sessions, `"address":"127.0.0.3"`) {
		t.Errorf("the session is %s", sessions)
	}
	if audit := text("/ais/api/audit?user=admin"); !strings.Contains(audit, `"address":"127.0.0.2"`) || !strings.Contains(audit, `"count":5`) ||
		strings.Contains(audit, `"address":"127.0.0.1"`) {
		t.Errorf("the audit log is %s", audit)
	}
	if page := text("/ais/"); !strings.Contains(page, "<html") {
		t.Errorf("the client is %.200s", page)
	}

	// The stream comes through as it is written.
	began := time.Now()
	stream := ask("127.0.0.3", "GET", "/ais/api/live", "", withCookie)
	line, err := bufio.NewReader(stream.Body).ReadString('\n')
	if err != nil || stream.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("the stream: %q, %v after %s, %v", line, err, time.Since(began), stream.Header)
	}
	if strings.Contains(p.stderr.String(), "trusted_proxies") {
		t.Errorf("a trusted proxy is warned of:\n%s", p.stderr.String())
	}
}

// TestProxyThatNobodyTrusts: the callers are one, what they say of themselves is not believed, and the log says so once.
func TestProxyThatNobodyTrusts(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir(), "serve")
	for range 3 {
		request, err := http.NewRequestWithContext(t.Context(), "GET", p.base+"/api/session", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth("admin", "a wrong password")
		request.Header.Set("X-Forwarded-For", "198.51.100.7")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if _, audit := p.do("GET", "/api/audit?user=admin", ""); !strings.Contains(string(audit), `"address":"127.0.0.1"`) ||
		!strings.Contains(string(audit), `"count":3`) ||
		strings.Contains(string(audit), "198.51.100.7") {
		t.Errorf("the audit log is %s", audit)
	}
	eventually(t, patience, "the log says that a proxy is not trusted", func() bool { return strings.Contains(p.stderr.String(), "trusted_proxies") })
	if n := strings.Count(p.stderr.String(), "trusted_proxies"); n != 1 {
		t.Errorf("said %d times:\n%s", n, p.stderr.String())
	}
}

func TestTrustedProxiesAreChecked(t *testing.T) {
	t.Parallel()
	path := configFile(t, "[http]\ntrusted_proxies = [\"127.0.0.1\", \"localhost\", \"0.0.0.0/0\"]\n")
	_, stderr, code := runCommand(t, "", "check-config", "--config", path)
	if code != 2 || strings.Count(stderr, "http.trusted_proxies: ") != 2 || !strings.Contains(stderr, `"localhost" must be an address or a network`) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	path = configFile(t, "[http]\ntrusted_proxies = [\"127.0.0.1\", \"fd00::/8\"]\n")
	if out, stderr, code := runCommand(t, "", "check-config", "--config", path); code != 0 ||
		!strings.Contains(out, "trusted_proxies = ['127.0.0.1', 'fd00::/8']") {
		t.Errorf("exit %d\n%s%s", code, out, stderr)
	}
}
