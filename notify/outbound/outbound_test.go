package outbound

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/internal/rule"
)

// The addresses that serve a machine its secrets are refused in each of their forms; the box, its network and the world are not.
func TestForbiddenAddresses(t *testing.T) {
	for _, text := range []string{"169.254.169.254", "169.254.0.1", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::169.254.169.254",
		"fe80::1", "fe80::1%eth0", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255"} {
		if !forbidden(netip.MustParseAddr(text)) {
			t.Errorf("%s may be called", text)
		}
	}
	for _, text := range []string{"127.0.0.1", "::1", "10.1.2.3", "192.168.0.7", "fd12::1", "192.0.2.1", "2001:db8::1", "64:ff9b::c000:201"} {
		if forbidden(netip.MustParseAddr(text)) {
			t.Errorf("%s may not be called", text)
		}
	}
}

// An address of secrets is refused when it is called, whatever name or number led to it, and no other attempt would help.
func TestDialJudgesTheAddress(t *testing.T) {
	for _, at := range []string{"169.254.169.254:80", "[::ffff:169.254.169.254]:80", "[fe80::1%lo]:80", "0.0.0.0:80"} {
		conn, err := Dial(t.Context(), "tcp", at)
		if err == nil {
			conn.Close()
			t.Errorf("%s was called", at)
		} else if err := Unreached(err); !IsFinal(err) || rule.Of(err).Word != "notice_address" {
			t.Errorf("%s: %v", at, err)
		}
	}
}

func TestCheckURL(t *testing.T) {
	for text, want := range map[string]string{
		"https://hooks.example/x?y=1":      "",
		"http://127.0.0.1:8080":            "",
		"http://[::1]/":                    "",
		"ftp://example":                    "must begin with http:// or https://",
		"example/x":                        "must begin with",
		"http:///x":                        "must begin with",
		"http://u:secret@a b/":             "is no address",
		"http://a/#x":                      "no #",
		"http://169.254.169.254/latest":    "169.254.169.254",
		"http://[fe80::1%25eth0]/":         "may not go",
		"http://metadata.google.internal/": "may not go",
	} {
		_, err := CheckURL(text, "http", "https")
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func post(t *testing.T, c *Client, ctx context.Context, url string) ([]byte, error) {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	return c.Do(ctx, r, "yes")
}

// Each answer is judged: what is taken, what may be taken later, and what never will be.
func TestAnswers(t *testing.T) {
	reached := 0
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer target.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		fmt.Sscanf(r.URL.Path, "/%d", &status)
		w.Header().Set("Location", target.URL)
		w.WriteHeader(status)
		w.Write(bytes.Repeat([]byte("x"), 10*mostAnswer))
	}))
	defer server.Close()
	client := NewClient(nil, 0)
	for status, want := range map[int]string{200: "", 202: "", 204: "", 301: "notice_redirected", 302: "notice_redirected", 307: "notice_redirected",
		400: "notice_refused", 401: "notice_refused", 404: "notice_refused", 408: "notice_refused", 410: "notice_refused", 429: "notice_refused",
		500: "notice_refused", 503: "notice_refused"} {
		answer, err := post(t, client, t.Context(), fmt.Sprintf("%s/%d", server.URL, status))
		if (want == "") != (err == nil) || err != nil && rule.Of(err).Word != want {
			t.Errorf("%d: %v", status, err)
		}
		if final := status == 400 || status == 401 || status == 404 || status == 410; IsFinal(err) != final {
			t.Errorf("%d: final is %v", status, !final)
		}
		if status == 200 && len(answer) != mostAnswer {
			t.Errorf("%d bytes of the answer are kept", len(answer))
		}
	}
	if reached != 0 {
		t.Error("a redirect was followed")
	}
}

// A server that is dead, silent, unknown, or that nobody vouches for, each has its words. None of them is the last word, and none tells a secret.
func TestUnreached(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := closed.Addr().String()
	closed.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // its queue takes the connection, and nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	defer secure.Close()
	hurried, patient := NewClient(nil, 300*time.Millisecond), NewClient(nil, 0)
	for at, want := range map[string]string{
		"http://" + dead:                             "notice_unreached",
		"http://" + silent.Addr().String():           "notice_no_answer",
		"https://" + secure.Listener.Addr().String(): "notice_certificate",
	} {
		client := patient
		if want == "notice_no_answer" {
			client = hurried
		}
		_, err := post(t, client, t.Context(), at+"/?token=secret")
		if err == nil || rule.Of(err).Word != want || IsFinal(err) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %s", at, err, want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := post(t, patient, ended, "http://"+silent.Addr().String()); !errors.Is(err, context.Canceled) {
		t.Errorf("ended by the caller: %v", err)
	}
}

// A box trusts the authority of a file, beside those of the system.
func TestTrust(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	trust, err := Trust(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := post(t, NewClient(trust, 0), t.Context(), server.URL); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("none"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{file, file + ".gone"} {
		if _, err := Trust(wrong); err == nil {
			t.Errorf("%s is trusted", wrong)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for text, want := range map[string]string{
		"OK":                           "OK",
		" a\r\n\tb\x00\x1b[31m\u202e ": "a b[31m",
		"pass=p%26w and p&w":           "pass=*** and ***",
		strings.Repeat("x", 1000):      strings.Repeat("x", 120) + "…",
		"\xff\xfe":                     "",
	} {
		if got := Excerpt([]byte(text), "p&w", ""); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
