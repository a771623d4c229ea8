package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/live"
	"quaywatch/users/access/right"
)

const linkPath = "/api/session/link"

// link makes a link of a user, and returns its number and text.
func (s *site) link(of, name, until string, rights ...right.Name) (id int64, text string) {
	s.t.Helper()
	quoted := []string{}
	for _, r := range rights {
		quoted = append(quoted, `"`+string(r)+`"`)
	}
	body := fmt.Sprintf(`{"name":%q,"link":true,"expiration_time":%q,"rights":[%s]}`, name, until, strings.Join(quoted, ","))
	made := s.call(of, "POST", tokensPath, body).is(s.t, 200).json(s.t)
	if made["link"] != true {
		s.t.Fatalf("made %v", made)
	}
	return int64(made["id"].(float64)), made["token"].(string)
}

// follow opens a link as a browser does, and returns its cookie.
func (s *site) follow(text string) (cookie string, a answer) {
	s.t.Helper()
	a = s.send("POST", linkPath, `{"link":"`+text+`"}`, "Content-Type", "application/json")
	return strings.Split(a.header.Get("Set-Cookie"), ";")[0], a
}

// asGuest asks with the cookie of a link.
func (s *site) asGuest(cookie, method, path, body string) answer {
	s.t.Helper()
	return s.send(method, path, body, "Cookie", cookie, "Content-Type", "application/json")
}

func TestALinkShowsWhatItsMakerShares(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	s.may("anna", right.WebOnlineAccess, right.ViewPort, right.ViewHistory, right.ConfigureWatchdogDefinitions, right.ViewWatchdog)
	_, text := s.link("anna", "Agents", "2026-11-27", right.ViewPort)

	cookie, a := s.follow(text)
	who := a.is(t, 200).json(t)
	if who["name"] != "" || who["link"] != "Agents" || fmt.Sprint(who["rights"]) != "[view_port web_online_access]" || who["expiration_time"] != "2026-11-27T00:00:00Z" {
		t.Errorf("signed in as %v", who)
	}
	if set := a.header.Get("Set-Cookie"); !strings.Contains(set, fmt.Sprintf("Max-Age=%d", int((6*24+12)*time.Hour/time.Second))) || !strings.Contains(set, "HttpOnly") {
		t.Errorf("the cookie is %s", set)
	}
	anna, _ := s.users.User("anna")
	again := s.asGuest(cookie, "GET", "/api/session", "").is(t, 200)
	if now := again.json(t); fmt.Sprint(now) != fmt.Sprint(who) || strings.Contains(string(again.body), "anna") || strings.Contains(string(again.body), anna.UID) {
		t.Errorf("the session is %v", now)
	}
	if got := s.asGuest(cookie, "GET", portserver+"/ship/position/219018765", "").is(t, 200); !strings.Contains(string(got.body), "219018765") {
		t.Errorf("%s", got.body)
	}
	s.asGuest(cookie, "GET", portPath, "").is(t, 200)
	calls := s.asGuest(cookie, "POST", portserver+"/ship/historical/port", `{"mmsi":219018765}`)
	if calls.is(t, 403, "forbidden").json(t)["rule"] != "needs_right" { // its maker has the right, and did not give it
		t.Errorf("calls: %s", calls.body)
	}
}

// TestALinkOnlyLooks: whatever the rights of its maker, a link changes nothing, and opens nothing that a caller without a name could never see.
func TestALinkOnlyLooks(t *testing.T) {
	s := newSite(t)
	_, text := s.link("admin", "all", "2026-11-27", right.OfLink()...)
	cookie, a := s.follow(text)
	a.is(t, 200)
	asked := 0
	for _, r := range s.server.routeTable() {
		if r.Read || r.Leave || r.Need != 0 {
			continue
		}
		asked++
		path := strings.NewReplacer(":name", "admin", ":id", "1", ":mmsi", "219018765", ":owner", "x", ":uid", "x", ":file", "x").Replace(r.Path)
		if got := s.asGuest(cookie, r.Method, path, `{}`); got.status != http.StatusForbidden || !strings.Contains(string(got.body), "a link lets you look alone") {
			t.Errorf("%s %s: %d %.200s", r.Method, path, got.status, got.body)
		}
	}
	if asked < 80 {
		t.Errorf("only %d routes were asked", asked)
	}
	s.asProgram(text, "GET", "/api/session", "").is(t, 401, "unauthorized") // it is no token for programs
	s.send("POST", linkPath, `{"link":"`+text+`"}`, "Content-Type", "application/json", "Origin", "https://evil.example").is(t, 403)
	admin, _ := s.users.User("admin")
	_, program := s.token(admin, "program")
	if _, a := s.follow(program); a.status != 401 {
		t.Errorf("the token of a program opens the client: %d", a.status)
	}
}

func TestALinkIsRefusedByRule(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.WebOnlineAccess, right.ViewPort, right.ViewWatchdog)
	s.may("erp", right.ViewPort)
	for _, row := range []struct{ user, rest, pointer string }{
		{"anna", `"rights":["view_history"]`, "/rights/0"},
		{"anna", `"rights":["view_port","view_watchdog"]`, "/rights/1"},
		{"anna", `"rights":[],"expiration_time":"2027-02-21"`, "/expiration_time"},
		{"anna", `"rights":[],"expiration_time":"2026-11-20"`, "/expiration_time"},
		{"erp", `"rights":["view_port"]`, "/rights"}, // the client is not open to the user
	} {
		a := s.call(row.user, "POST", tokensPath, `{"name":"x","link":true,`+row.rest+`}`).is(t, 400, "bad_request").json(t)
		if errs := a["errors"].([]any); errs[0].(map[string]any)["pointer"] != row.pointer {
			t.Errorf("%s: %v", row.rest, errs)
		}
	}
	if made := s.call("anna", "POST", tokensPath, `{"name":"x","link":true,"rights":[]}`).is(t, 200).json(t); made["expiration_time"] != "2026-11-27T12:00:00Z" {
		t.Errorf("made %v", made)
	}
}

// TestALinkEnds: at its time, when it is revoked, and when its maker may no longer use the client.
func TestALinkEnds(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.WebOnlineAccess, right.ViewPort)
	over := func(what, cookie string) {
		t.Helper()
		if a := s.asGuest(cookie, "GET", "/api/session", ""); a.status != 401 || a.json(t)["rule"] != "link_over" {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	id, text := s.link("anna", "one", "2026-11-22")
	cookie, a := s.follow(text)
	a.is(t, 200)
	s.restart()
	s.asGuest(cookie, "GET", "/api/session", "").is(t, 200)
	s.call("anna", "DELETE", fmt.Sprintf("%s/%d", tokensPath, id), "").is(t, 204)
	over("revoked", cookie)
	if _, a := s.follow(text); a.status != 401 {
		t.Errorf("a revoked link opens: %d", a.status)
	}

	_, text = s.link("anna", "two", "2026-11-22")
	cookie, _ = s.follow(text)
	s.allow("anna", []right.Name{right.AllowWebService, right.ViewPort})
	s.asGuest(cookie, "GET", "/api/session", "").is(t, 403, "forbidden")
	s.allow("anna", []right.Name{right.AllowWebService, right.ViewPort, right.WebOnlineAccess})
	s.asGuest(cookie, "GET", "/api/session", "").is(t, 200)
	s.clock.pass(36 * time.Hour)
	over("its time", cookie)

	left := s.asGuest(cookie, "DELETE", "/api/session", "").is(t, 401)
	_, text = s.link("anna", "three", "2026-11-25")
	cookie, _ = s.follow(text)
	left = s.asGuest(cookie, "DELETE", "/api/session", "").is(t, 204)
	if set := left.header.Get("Set-Cookie"); !strings.Contains(set, "Max-Age=0") {
		t.Errorf("the browser keeps the link: %s", set)
	}
	var told []string
	for _, e := range recordsOf(t, s.get("/api/audit?user=anna")) {
		told = append(told, fmt.Sprint(e["action"], " ", e["token"], " ", e["result"]))
	}
	if all := strings.Join(told, "; "); !strings.Contains(all, "sign-in three ok") || strings.Contains(all, text) {
		t.Errorf("the audit log says %s", all)
	}
}

// TestAnEndedLinkEndsItsStream: the map of a guest stops within a second, and is not moved by what the maker of the link selects.
func TestAnEndedLinkEndsItsStream(t *testing.T) {
	s := newSite(t)
	id, text := s.link("admin", "display", "2026-11-27")
	cookie, _ := s.follow(text)
	server := s.serve()
	l := listenBy(t, "Cookie", cookie, server.URL, "", "")
	defer l.close()
	l.until("picture")
	if got := l.header.Get(live.UserHeader); got != fmt.Sprintf("link %d", id) {
		t.Errorf("the stream is for %q", got)
	}
	s.call("admin", "POST", selectPath, `{"owner":"erp","ships":[],"zoom":9}`).is(t, 200)
	s.call("admin", "DELETE", fmt.Sprintf("%s/%d", tokensPath, id), "").is(t, 204)
	for l.body.Scan() { // until it is cut; else the patience of the request ends, with an error
		if strings.Contains(l.body.Text(), "event: select") {
			t.Error("the guest's map goes where its maker's goes")
		}
	}
	if err := l.body.Err(); err != nil {
		t.Errorf("the stream goes on: %v", err)
	}
}
