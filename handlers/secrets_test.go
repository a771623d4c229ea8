package handlers

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"quaywatch/handlers/request"
	"quaywatch/users"
	"quaywatch/users/access"
)

// lines keeps what is logged.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestNoSecretIsToldAnywhere: no password, hash or token stands in any answer of the configuration, the log at its most talkative,
// or the audit log.
func TestNoSecretIsToldAnywhere(t *testing.T) {
	s := newSite(t)
	s.close()
	log := &lines{}
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s.open(func(c *Config, d *Deps) {
		areas, err := users.Open(s.db.Database, access.Options{Dir: s.dir, Now: c.Now, Log: logger, HashMemory: 64})
		if err != nil {
			t.Fatal(err)
		}
		s.areas, s.users, d.Users, d.Library, d.Box, d.Log = areas, areas.Users, areas.Users, areas.Library, areas.Box, logger
	})
	const first, second, wrong = "first secret of anna", "second secret of anna", "a wrong secret entirely"
	secrets := []string{adminPassword, first, second, wrong, "argon2", `"hash"`, `"password"`, `"token"`}
	keep := func(cookie string) string {
		token := strings.TrimPrefix(cookie, request.PlainCookie+"=")
		secrets = append(secrets, token)
		return cookie
	}
	var answers bytes.Buffer
	ask := func(method, path, body string) answer {
		a := s.call("admin", method, path, body)
		answers.Write(a.body)
		return a
	}
	admin := keep(s.signIn("admin", adminPassword))
	ask("POST", usersPath, `{"name":"anna","password":"`+first+`","groups":["viewer"],"hash":"x"}`).is(t, 200)
	keep(s.signIn("anna", first))
	ask("PUT", usersPath+"/anna", `{"password":"`+second+`","description":"d"}`).is(t, 200)
	keep(s.signIn("anna", second))
	ask("POST", usersPath, `{"name":"bad name","password":"`+first+`"}`).is(t, 400)
	ask("POST", usersPath, `{"name":"short","password":"`+first[:8]+`"}`).is(t, 400)
	ask("POST", usersPath, `{"name":5,"password":["`+first+`"]}`).is(t, 400)
	ask("POST", usersPath+"/anna/clone", `{"name":"bert"}`).is(t, 200)
	ask("POST", configPath+"/filter", `{"name":"f","filter":"sog > 3"}`).is(t, 200)
	answers.Write(s.send("POST", "/api/session", `{"name":"anna","password":"`+wrong+`"}`, "Content-Type", "application/json").is(t, 401).body)
	answers.Write(s.send("GET", "/api/session", "", "Authorization", basic("anna", wrong)).is(t, 401).body)
	answers.Write(s.send("GET", "/api/session", "", "Cookie", request.PlainCookie+"=nonsense").is(t, 401).body)
	asked := 0
	for _, r := range (&Server{}).routeTable() {
		if r.Method != "GET" ||
			!strings.HasPrefix(r.Path, configPath) && !strings.HasPrefix(r.Path, "/api/session") && r.Path != "/api/audit" && r.Path != "/api/status" && r.Path != "/metrics" {
			continue
		}
		for _, name := range []string{"admin", "anna", "bert", "viewer", "f", "DKAAR"} {
			path := strings.NewReplacer(":name", name, ":id", name).Replace(r.Path)
			answers.Write(ask("GET", path, "").body)
			answers.Write(s.send("GET", path, "", "Cookie", admin).body)
			asked++
		}
	}
	if asked < 80 {
		t.Errorf("only %d addresses were asked", asked)
	}
	for _, u := range s.users.List() {
		if u.Hash == "" {
			t.Errorf("%s has no hash", u.Name)
		}
		secrets = append(secrets, u.Hash)
	}
	for what, text := range map[string]string{"an answer": answers.String(), "the log": log.String()} {
		if len(text) < 300 {
			t.Errorf("%s says nearly nothing: %s", what, text)
		}
		for _, secret := range secrets {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s tells %q: %.200s", what, secret, text[max(0, at-100):])
			}
		}
	}
}
