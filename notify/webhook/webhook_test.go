package webhook

import (
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/internal/rule"
	"quaywatch/notify/outbound"
)

// received is a request as a receiver sees it.
type received struct {
	header http.Header
	body   string
}

// receiver is a program that listens, with TLS.
func receiver(t *testing.T, status int) (url, ca string, got chan received) {
	t.Helper()
	got = make(chan received, 10)
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("%s: %v", r.Method, err)
		}
		got <- received{r.Header, string(body)}
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	ca = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return server.URL, ca, got
}

// A receiver gets the body as it is, can verify by openssl that we sent it, and knows a repeated notice by its number.
func TestSigned(t *testing.T) {
	url, ca, got := receiver(t, http.StatusNoContent)
	secret := "a secret of the port"
	hook, err := New(Options{URL: url + "/hook?a=b", Token: "t0ken", Secret: secret, CA: ca})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Unix(1800000000, 0)
	body := `{"version":1,"ship":"<SCRIPT> \r\n Bcc: x"}`
	for range 2 {
		if err := hook.Send(t.Context(), "event-17-a", []byte(body), now); err != nil {
			t.Fatal(err)
		}
	}
	first, second := <-got, <-got
	h := first.header
	if first.body != body || h.Get("Content-Type") != "application/json" || h.Get("Authorization") != "Bearer t0ken" || h.Get("Webhook-Timestamp") != "1800000000" {
		t.Errorf("%q %v", first.body, h)
	}
	for _, name := range []string{"Webhook-Id", "Idempotency-Key"} {
		if id, err := strconv.Unquote(`"` + strings.Trim(h.Get(name), `"`) + `"`); err != nil || id != "event-17-a" || second.header.Get(name) != h.Get(name) {
			t.Errorf("%s: %q", name, h.Get(name))
		}
	}
	if got, want := h.Get("Webhook-Signature"), "v1,"+byOpenSSL(t, secret, "event-17-a.1800000000."+body); got != want {
		t.Errorf("signed %q, openssl says %q", got, want)
	}
}

// byOpenSSL signs as the manual tells a receiver to.
func byOpenSSL(t *testing.T, secret, text string) string {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("needs openssl")
	}
	sign := exec.Command("openssl", "dgst", "-sha256", "-hmac", secret, "-binary")
	sign.Stdin = strings.NewReader(text)
	mac, err := sign.Output()
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(mac)
}

// The example of the specification Standard Webhooks 1.0 has this signature in its libraries.
func TestSignatureOfStandardWebhooks(t *testing.T) {
	key, err := keyOf("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	mac := Signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", []byte(`{"test": 2432232314}`))
	if got := base64.StdEncoding.EncodeToString(mac); got != "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Error(got)
	}
}

// A receiver that refuses, sends elsewhere, answers nothing or is gone.
func TestFailures(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	refusing, ca, _ := receiver(t, http.StatusForbidden)
	busy, busyCA, _ := receiver(t, http.StatusTooManyRequests)
	moved, movedCA, _ := receiver(t, http.StatusMovedPermanently)
	for _, c := range []struct {
		url, ca, word string
		final         bool
	}{
		{"http://" + gone.Addr().String(), "", "notice_unreached", false},
		{"http://" + silent.Addr().String(), "", "notice_no_answer", false},
		{refusing, ca, "notice_refused", true},
		{busy, busyCA, "notice_refused", false},
		{moved, movedCA, "notice_redirected", false},
	} {
		wait := time.Duration(0)
		if c.word == "notice_no_answer" {
			wait = 300 * time.Millisecond
		}
		hook, err := New(Options{URL: c.url, CA: c.ca, Wait: wait})
		if err != nil {
			t.Fatal(err)
		}
		if err := hook.Send(t.Context(), "1", []byte("{}"), time.Now()); err == nil || rule.Of(err).Word != c.word || outbound.IsFinal(err) != c.final {
			t.Errorf("%s: %v, want %s", c.url, err, c.word)
		}
	}
}

func TestOptions(t *testing.T) {
	for want, o := range map[string]Options{
		"url: must begin":              {URL: "ftp://x"},
		"url: 169.254":                 {URL: "http://169.254.169.254/"},
		"token: ":                      {URL: "http://x", Token: "a\r\nX: y"},
		"secret: needs at least":       {URL: "http://x", Secret: "short"},
		"secret: after whsec_ it must": {URL: "http://x", Secret: "whsec_!!"},
		"ca: ":                         {URL: "http://x", CA: "/nowhere"},
	} {
		if _, err := New(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
