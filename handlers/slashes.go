package handlers

import (
	"net/http"
	"net/url"
	"strings"
)

// Handler returns the whole site, API and client, for a test server or a mux of the caller's. Several slashes in a row of an address count as a single slash. A
// base address that ends in a slash, before a path that begins with a slash, makes them.
func (s *Server) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.EscapedPath(), "//") {
			r = withSingleSlashes(r)
		}
		s.engine.ServeHTTP(w, r)
	})
}

// withSingleSlashes returns the request of the address without slashes that follow a slash. An escaped slash is none.
func withSingleSlashes(r *http.Request) *http.Request {
	var b strings.Builder
	for i, c := range []byte(r.URL.EscapedPath()) {
		if c != '/' || i == 0 || !strings.HasSuffix(b.String(), "/") {
			b.WriteByte(c)
		}
	}
	path, err := url.PathUnescape(b.String())
	if err != nil { // it was escaped rightly before
		return r
	}
	to, address := r.WithContext(r.Context()), *r.URL
	address.Path, address.RawPath = path, b.String()
	to.URL = &address
	return to
}
