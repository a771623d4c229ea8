package handlers

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"quaywatch/users/access"
)

// TestHead: what answers GET answers HEAD with the same headers and without a body, but for what a HEAD would take from its caller, and for streams.
func TestHead(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	net := httptest.NewServer(s.server.Handler())
	defer net.Close()
	ask := func(method, path string) *http.Response {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, net.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetBasicAuth(access.AdminName, adminPassword)
		r.Header.Set("Accept-Encoding", "identity")
		got, err := net.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(got.Body)
		if got.Body.Close(); err != nil || method == http.MethodHead && len(body) > 0 {
			t.Errorf("%s %s: %d bytes, %v", method, path, len(body), err)
		}
		return got
	}
	for _, path := range []string{"/healthz", "/api/session", "/api/status", portserver + "/port/list", portserver + "/ship/position/219018765", configPath + "/user/nobody"} {
		head, get := ask(http.MethodHead, path), ask(http.MethodGet, path)
		for _, name := range []string{"Content-Type", "Cache-Control", "Vary"} {
			if head.StatusCode != get.StatusCode || head.Header.Get(name) != get.Header.Get(name) {
				t.Errorf("%s: %d %q, and GET %d %q", path, head.StatusCode, head.Header.Get(name), get.StatusCode, get.Header.Get(name))
			}
		}
	}
	for _, r := range (&Server{}).routeTable() {
		if r.Method != http.MethodGet || r.AnswersHead() {
			continue
		}
		if got := ask(http.MethodHead, strings.NewReplacer(":id", "1", ":name", "x").Replace(r.Path)); got.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("HEAD %s: %d", r.Path, got.StatusCode)
		}
	}
	if got := ask(http.MethodHead, eventPath); got.StatusCode != http.StatusMethodNotAllowed || !strings.Contains(got.Header.Get("Allow"), "GET") {
		t.Errorf("a HEAD that moves a cursor: %d, %v", got.StatusCode, got.Header)
	}
}
