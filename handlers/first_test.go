package handlers

import (
	"slices"
	"strings"
	"testing"

	"quaywatch/users/access"
)

const firstPath = "/api/session/first"

func TestTheFirstAdministratorChoosesAPassword(t *testing.T) {
	s := newSite(t)
	link := s.users.Invite()
	choose := func(link, password string) answer {
		return s.send("POST", firstPath, `{"link":"`+link+`","password":"`+password+`"}`, "Content-Type", "application/json")
	}
	for what, body := range map[string]string{
		"no link": `{"password":"` + adminPassword + `"}`, "no password": `{"link":"` + link + `"}`, "a number": `{"link":7,"password":"x"}`,
	} {
		if a := s.send("POST", firstPath, body, "Content-Type", "application/json"); a.status != 400 && a.status != 401 {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	if a := choose(link, "short").is(t, 400); !strings.Contains(string(a.body), "/password") {
		t.Errorf("a short password: %s", a.body)
	}
	choose("another", "a password of my own").is(t, 401)
	own := `{"link":"` + link + `","password":"a password of my own"}`
	s.send("POST", firstPath, own, "Content-Type", "application/json", "Origin", "https://evil.example").is(t, 403)
	a := choose(link, "a password of my own").is(t, 200)
	if a.json(t)["name"] != access.AdminName {
		t.Errorf("signed in as %s", a.body)
	}
	cookie := strings.Split(a.header.Get("Set-Cookie"), ";")[0]
	s.send("GET", "/api/session", "", "Cookie", cookie).is(t, 200)
	s.send("GET", "/api/session", "", "Authorization", basic("admin", "a password of my own")).is(t, 200)
	choose(link, "a password of another").is(t, 401)
	events := recordsOf(t, s.send("GET", "/api/audit", "", "Cookie", cookie).is(t, 200))
	var told []any
	for _, e := range events {
		told = append(told, e["action"], e["result"])
		for _, value := range e {
			if text, ok := value.(string); ok && (strings.Contains(text, link) || strings.Contains(text, "of my own")) {
				t.Errorf("the audit log gives away the link or the password: %v", e)
			}
		}
	}
	if !slices.Contains(told, any("choose the first password")) || !slices.Contains(told, any("failed")) {
		t.Errorf("the audit log says %v", told)
	}
}
