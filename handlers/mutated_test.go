package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/handlers/live"
	"quaywatch/handlers/request"
	"quaywatch/handlers/requesttest"
	"quaywatch/internal/await"
)

// aSite is how many requests one site gets: they delete users and end sessions, and after a while nobody would be left to ask.
const aSite = 1000

// askMutatedRound sends at most count requests to new sites side by side, and returns how many it sent. Then no goroutine of a site is left.
func askMutatedRound(t *testing.T, maker *requesttest.Maker, seed uint64, count int, answers *[600]atomic.Int64) (sent int) {
	before := runtime.NumGoroutine()
	t.Run("round", func(t *testing.T) {
		for site := uint64(0); sent < count && site < 8; site++ {
			some := min(aSite, count-sent)
			sent += some
			t.Run("site", func(t *testing.T) {
				t.Parallel()
				askMutated(t, maker.Seeded(seed+site), some, answers)
			})
		}
	})
	after := 0
	for range await.Looks(await.Limit) { // those of ended requests need a moment
		if after = runtime.NumGoroutine(); after <= before+2 {
			return sent
		}
	}
	t.Errorf("%d goroutines before, %d after", before, after)
	return sent
}

// askMutated sends count requests to a new site.
func askMutated(t *testing.T, maker *requesttest.Maker, count int, answers *[600]atomic.Int64) {
	t.Helper()
	s := newSite(t, func(c *Config, _ *Deps) { c.JobWait = 5 * time.Millisecond })
	s.invite()
	for _, thing := range []string{"shiplist", "shape", "filter"} {
		s.by("owner", "POST", configPath+"/"+thing, map[string]string{
			"shiplist": `{"name":"tugs","ships":[{"mmsi":219018765}]}`, "filter": `{"name":"fast","filter":"sog > 3"}`,
			"shape": `{"name":"quay","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`,
		}[thing]).is(t, 200)
	}
	var cookies [7]string
	for i := range count {
		r := maker.Next()
		if strings.HasSuffix(r.Target, "/session") && r.Method == "POST" && i%50 != 0 {
			continue // a guess waits a second
		}
		caller := i % len(cookies)
		if cookies[caller] == "" {
			cookies[caller] = s.session(callers()[caller])
		}
		if a, ok := s.askBroken(r, cookies[caller]); ok {
			if a.status == http.StatusUnauthorized {
				cookies[caller] = "" // a request ended it, or the user
			}
			answers[a.status].Add(1)
			s.judge(r, a)
		}
		if t.Failed() {
			break
		}
	}
}

// session begins a session and returns its cookie, "" for nobody and for a user that is gone.
func (s *site) session(name string) string {
	s.t.Helper()
	user, ok := s.users.User(name)
	if !ok {
		return ""
	}
	token, err := s.users.Sessions().Begin(user, "192.0.2.1")
	if err != nil {
		s.t.Fatal(err)
	}
	return request.PlainCookie + "=" + token
}

// askBroken sends a request that may be broken, and is false for one that net/http itself would refuse.
func (s *site) askBroken(broken requesttest.Unsigned, cookie string) (a answer, ok bool) {
	s.t.Helper()
	target, err := url.ParseRequestURI(broken.Target)
	if err != nil {
		return a, false
	}
	limit := 5 * time.Second
	if target.Path == live.Path || target.Path == streamPath {
		limit = 2 * time.Millisecond // it has no end of its own
	}
	ctx, cancel := context.WithTimeout(s.t.Context(), limit)
	defer cancel()
	r := &http.Request{
		Method: broken.Method, URL: target, RequestURI: broken.Target, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: "box", RemoteAddr: "192.0.2.1:1234",
		Header: broken.Header.Clone(), Body: io.NopCloser(bytes.NewReader(broken.Body)), ContentLength: int64(len(broken.Body)),
	}
	if cookie != "" && r.Header.Get("Cookie") == "" {
		r.Header.Set("Cookie", cookie)
	}
	w := httptest.NewRecorder()
	defer func() {
		if fault := recover(); fault != nil && fault != http.ErrAbortHandler {
			s.t.Errorf("%s %.300q with %.2000q: %v", broken.Method, broken.Target, broken.Body, fault)
		}
	}()
	s.server.Handler().ServeHTTP(w, r.WithContext(ctx))
	return answer{w.Code, w.Header(), w.Body.Bytes()}, true
}

// judge holds an answer against what every answer has to be.
func (s *site) judge(r requesttest.Unsigned, a answer) {
	s.t.Helper()
	fault := ""
	switch {
	case a.status == http.StatusServiceUnavailable && a.header.Get("Retry-After") != "":
	case a.status >= 500:
		fault = "an answer of ours that says that we failed"
	case a.status >= 400 && a.header.Get("Content-Encoding") == "" && strings.HasPrefix(a.header.Get("Content-Type"), "application/problem+json"):
		var problem struct{ Code, Rule string }
		if err := json.Unmarshal(a.body, &problem); err != nil && len(a.body) > 0 || len(a.body) > 0 && problem.Code == "" {
			fault = "a problem without a code"
		}
	}
	if fault != "" {
		s.t.Errorf("%s: %d %.300q\nto %s %.300q %v with %.2000q\n%.3000s", fault, a.status, a.body, r.Method, r.Target, r.Header, r.Body, s.logged.String())
	}
	checkHeaders(s.t, r.Method+" "+r.Target, a.header)
}
