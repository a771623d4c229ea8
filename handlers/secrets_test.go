package handlers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quaywatch/access"
)

// TestSecretsStandNowhere: no password, mistyped ones too, no hash and no token of a session stands in any answer, in the log or
// in the audit log.
func TestSecretsStandNowhere(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupAdmin)
	secrets := []string{adminPassword, "the first of anna", "the second of anna", "mistyped by anna", "argon2", "name and secret"}
	var told []string
	say := func(a answer) answer {
		told = append(told, a.header.Get("Content-Type")+" "+string(a.body))
		return a
	}
	say(s.post(users, `{"name":"bert","password":"the first of anna","groups":["admin"]}`)).is(t, 200)
	say(s.call("admin", "PUT", users+"/anna", `{"password":"the first of anna"}`)).is(t, 200)
	say(s.call("admin", "PUT", users+"/anna", `{"password":"the second of anna","settings":{"password":{"x":1}}}`)).is(t, 200)
	say(s.call("admin", "PUT", users+"/anna", `{"password":"the second of anna","settings":7}`)).is(t, 400)
	say(s.call("admin", "PUT", users+"/anna", `{"password":["the second of anna"]}`)).is(t, 400)
	say(s.call("admin", "PUT", users+"/anna", `{"password":"the second of anna"`)).is(t, 400)
	say(s.post(users+"/anna/clone", `{"name":"carl"}`)).is(t, 200)
	json := []string{"Content-Type", "application/json"}
	say(s.send("POST", "/api/session", `{"name":"anna","password":"mistyped by anna"}`, json...)).is(t, 401)
	say(s.send("POST", "/api/session", `{"name":["name and secret"],"password":"mistyped by anna"}`, json...)).is(t, 400)
	say(s.send("GET", "/api/session", "", "Authorization", basic("anna", "mistyped by anna"))).is(t, 401)
	say(s.send("GET", "/api/session", "", "Authorization", "Bearer mistyped by anna")).is(t, 401)
	cookie := s.signIn("anna", "the second of anna")
	_, token, _ := strings.Cut(cookie, "=")
	secrets = append(secrets, token)
	say(s.send("PUT", users+"/anna", `{"password":"the first of anna"}`, "Cookie", cookie, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin")).is(t, 200)
	for _, u := range s.users.List() {
		secrets = append(secrets, u.Hash)
	}
	for _, r := range routeTable() {
		if r.method != http.MethodGet || r.path == livePath {
			continue
		}
		path := strings.NewReplacer(":name", "anna", ":mmsi", "219018765", ":id", "1", ":owner", "anna", ":querystring", "anna", ":z", "0", ":x", "0", ":y", "0").Replace(r.path)
		if strings.Contains(path, ":") {
			t.Fatalf("%s: say what stands for the parameter", path)
		}
		say(s.get(path))
	}
	told = append(told, s.oneSecondLive())
	for _, secret := range secrets {
		for _, text := range told {
			if strings.Contains(text, secret) {
				t.Errorf("%q stands in an answer: %.300s", secret, text)
			}
		}
		if strings.Contains(s.logged.String(), secret) {
			t.Errorf("%q stands in the log", secret)
		}
	}
	if !strings.Contains(s.logged.String(), "sign-in failed") {
		t.Error("nothing was logged at all")
	}
}

// oneSecondLive gives what a live stream sends at its begin.
func (s *site) oneSecondLive() string {
	ctx, cancel := context.WithTimeout(s.t.Context(), 1500*time.Millisecond)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, "GET", livePath, nil)
	r.Header.Set("Authorization", basic(access.AdminName, adminPassword))
	w := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(w, r)
	return w.Body.String()
}
