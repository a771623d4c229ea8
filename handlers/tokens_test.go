package handlers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/settings"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const tokensPath = settings.TokensPath

// token makes a token of a user, and returns its number and text.
func (s *site) token(of *access.User, name string, rights ...right.Name) (uint64, string) {
	s.t.Helper()
	made, text, err := s.users.Tokens().Make(of, access.Token{Name: name, Rights: rights, Expires: s.clock.now().AddDate(1, 0, 0)})
	if err != nil {
		s.t.Fatal(err)
	}
	return made.ID, text
}

// asProgram asks by a token.
func (s *site) asProgram(text, method, path, body string) answer {
	s.t.Helper()
	return s.send(method, path, body, "Authorization", "Bearer "+text, "Content-Type", "application/json")
}

func TestTokenLife(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	s.may("anna", right.WebOnlineAccess, right.ViewPort, right.ChangeMMSIEntries)
	cookie := s.signIn("anna", adminPassword)
	inSession := func(method, path, body string) answer {
		return s.send(method, path, body, "Cookie", cookie, "Content-Type", "application/json")
	}
	body := `{"name":"gdal","rights":["view_port"],"expiration_time":"2026-12-01"`
	inSession("POST", tokensPath, body+"}").is(t, 400, "bad_request")
	inSession("POST", tokensPath, body+`,"current_password":"not the right one"}`).is(t, 403, "forbidden")
	a := inSession("POST", tokensPath, body+`,"current_password":"`+adminPassword+`"}`).is(t, 200).json(t)
	text := a["token"].(string)
	if a["name"] != "gdal" || fmt.Sprint(a["rights"]) != "[allow_web_service view_port]" || a["expiration_time"] != "2026-12-01T00:00:00Z" || len(text) < 40 {
		t.Errorf("%v", a)
	}
	inSession("POST", tokensPath, body+`,"current_password":"`+adminPassword+`"}`).is(t, 409, "name_taken")

	who := s.asProgram(text, "GET", "/api/session", "").is(t, 200).json(t)
	if who["name"] != "anna" || len(who["rights"].([]any)) != 2 {
		t.Errorf("%v", who)
	}
	s.asProgram(text, "GET", portserver+"/ship/position/219018765", "").is(t, 200)
	s.asProgram(text, "PUT", registerPath+"/211000001", `{"note":"x"}`).is(t, 403, "forbidden")
	s.asProgram(text+"x", "GET", "/api/session", "").is(t, 401, "unauthorized")
	s.asProgram("", "GET", "/api/session", "").is(t, 401, "unauthorized")

	list := inSession("GET", tokensPath, "").is(t, 200)
	if r := recordsOf(t, list); len(r) != 1 || r[0]["last_used"] != "2026-11-20T12:00:00Z" || r[0]["address"] != "192.0.2.1" || r[0]["expired"] != false {
		t.Errorf("%s", list.body)
	}
	if strings.Contains(string(list.body), text) || strings.Contains(s.logged.String(), text) {
		t.Error("the token is given away")
	}
	s.restart()
	s.asProgram(text, "GET", "/api/session", "").is(t, 200)
	s.clock.pass(11 * 24 * time.Hour)
	s.asProgram(text, "GET", "/api/session", "").is(t, 401)
	r := recordsOf(t, s.call("anna", "GET", tokensPath, "").is(t, 200))
	if r[0]["expired"] != true {
		t.Errorf("%v", r)
	}
	s.call("anna", "DELETE", fmt.Sprintf("%s/%v", tokensPath, r[0]["id"]), "").is(t, 204)
	s.call("anna", "DELETE", fmt.Sprintf("%s/%v", tokensPath, r[0]["id"]), "").is(t, 404, "not_found")
	if left := recordsOf(t, s.call("anna", "GET", tokensPath, "").is(t, 200)); len(left) != 0 {
		t.Errorf("%v", left)
	}
}

// TestATokenIsRefusedByRule: what a user asks for is judged when the token is made, and again at each call.
func TestATokenIsRefusedByRule(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewPort)
	for _, row := range []struct{ body, pointer string }{
		{`{"rights":[]}`, "/name"},
		{`{"name":"x"}`, "/rights"},
		{`{"name":"x","rights":"view_port"}`, "/rights"},
		{`{"name":"x","rights":[7]}`, "/rights"},
		{`{"name":"x","rights":["view_port","view_history"]}`, "/rights/1"},
		{`{"name":"x","rights":["of_tomorrow"]}`, "/rights/0"},
		{`{"name":"x","rights":[],"expiration_time":"2026-11-20"}`, "/expiration_time"},
		{`{"name":"x","rights":[],"expiration_time":"2037-01-01"}`, "/expiration_time"},
		{`{"name":"` + strings.Repeat("x", 65) + `","rights":[]}`, "/name"},
	} {
		a := s.call("anna", "POST", tokensPath, row.body).is(t, 400, "bad_request").json(t)
		if errs := a["errors"].([]any); errs[0].(map[string]any)["pointer"] != row.pointer {
			t.Errorf("%s: %v", row.body, errs)
		}
	}
	var last string
	for i := range 20 {
		last = s.call("anna", "POST", tokensPath, fmt.Sprintf(`{"name":"t%d","rights":["view_port"]}`, i)).is(t, 200).json(t)["token"].(string)
	}
	s.call("anna", "POST", tokensPath, `{"name":"one more","rights":[]}`).is(t, 409, "limit_reached")
	s.asProgram(last, "GET", portPath, "").is(t, 200)
	s.allow("anna", []right.Name{right.AllowWebService, right.ViewHistory})
	s.asProgram(last, "GET", portPath, "").is(t, 403, "forbidden") // the user lost it
	s.allow("anna", []right.Name{right.ViewPort})
	s.asProgram(last, "GET", portPath, "").is(t, 403, "forbidden")
	s.call("admin", "PUT", usersPath+"/anna", `{"access_rights":{"allow_web_service":"allow"},"settings":{"user_type":"proxy"}}`).is(t, 200)
	s.asProgram(last, "GET", portPath, "").is(t, 403, "forbidden")
}

// TestATokenGivesNoLastingAccess: the finder of a token cannot turn it into a password, another token or a user.
func TestATokenGivesNoLastingAccess(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	admin, _ := s.users.User("admin")
	id, text := s.token(admin, "all", right.All()...)
	cookie := s.signIn("admin", adminPassword)
	for _, row := range [][3]string{
		{"POST", tokensPath, `{"name":"x","rights":[],"current_password":"` + adminPassword + `"}`},
		{"DELETE", fmt.Sprintf("%s/%d", tokensPath, id), ""},
		{"DELETE", sessionsPath, ""},
		{"PUT", usersPath + "/admin", `{"password":"a completely new one","current_password":"` + adminPassword + `"}`},
		{"PUT", usersPath + "/admin", `{"email":"me@example.com"}`},
		{"PUT", usersPath + "/admin", `{"expiration_time":"2036-01-01"}`},
		{"PUT", usersPath + "/anna", `{"password":"a completely new one"}`},
		{"POST", usersPath, `{"name":"mine","password":"a completely new one","groups":["admin"]}`},
		{"POST", usersPath + "/anna/clone", `{"name":"mine"}`},
	} {
		a := s.asProgram(text, row[0], row[1], row[2]).is(t, 403, "forbidden").json(t)
		if a["rule"] != "not_by_token" {
			t.Errorf("%v: %v", row, a)
		}
	}
	s.send("GET", "/api/session", "", "Cookie", cookie).is(t, 200)
	s.asProgram(text, "PUT", usersPath+"/anna", `{"description":"of the port"}`).is(t, 200)
	if e := recordsOf(t, s.get("/api/audit?kind=changes"))[0]; e["action"] != "PUT user" || e["object"] != "anna" || e["user"] != "admin" ||
		e["token"] != "all" || e["result"] != "ok" {
		t.Errorf("the audit log says %v", e)
	}
	if e := recordsOf(t, s.get("/api/audit?kind=refusals"))[0]; e["result"] != "denied" || e["token"] != "all" {
		t.Errorf("the audit log says %v", e)
	}
}

// TestATokenEndsWithItsUser: disabling ends it for good, and so does deletion; a new name or password does not end it.
func TestATokenEndsWithItsUser(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewPort)
	anna, _ := s.users.User("anna")
	_, text := s.token(anna, "one", right.ViewPort)
	s.call("admin", "PUT", usersPath+"/anna", `{"name":"anne","password":"a completely new one"}`).is(t, 200)
	s.asProgram(text, "GET", portPath, "").is(t, 200)
	s.call("admin", "PUT", usersPath+"/anne", `{"expiration_time":"2026-11-21"}`).is(t, 200)
	s.clock.pass(24 * time.Hour)
	s.asProgram(text, "GET", portPath, "").is(t, 401)
	s.call("admin", "PUT", usersPath+"/anne", `{"expiration_time":""}`).is(t, 200)
	s.asProgram(text, "GET", portPath, "").is(t, 200)
	s.call("admin", "PUT", usersPath+"/anne", `{"disabled":true}`).is(t, 200)
	s.asProgram(text, "GET", portPath, "").is(t, 401)
	s.call("admin", "PUT", usersPath+"/anne", `{"disabled":false}`).is(t, 200)
	s.asProgram(text, "GET", portPath, "").is(t, 401)
	anne, _ := s.users.User("anne")
	if _, text = s.token(anne, "one"); len(s.users.Tokens().Of(anne)) != 1 {
		t.Error("the name of the old token is taken")
	}
	s.restart()
	s.asProgram(text, "GET", "/api/session", "").is(t, 200)
	s.call("admin", "DELETE", usersPath+"/anne", "").is(t, 204)
	s.asProgram(text, "GET", "/api/session", "").is(t, 401)
	s.restart()
	s.asProgram(text, "GET", "/api/session", "").is(t, 401)
}

// TestAnImportEndsTheTokensOfTheDisabled: an export holds no token, and an import that disables a user ends those of the user.
func TestAnImportEndsTheTokensOfTheDisabled(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewPort)
	anna, _ := s.users.User("anna")
	_, text := s.token(anna, "one")
	doc, err := s.areas.Box.Export()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.areas.Box.Import(t.Context(), doc, false); err != nil {
		t.Fatal(err)
	}
	s.asProgram(text, "GET", "/api/session", "").is(t, 200)
	for _, disabled := range []string{"true", "false"} {
		if err := s.take("users", `{"name":"anna","disabled":`+disabled+`}`); err != nil {
			t.Fatal(err)
		}
		s.asProgram(text, "GET", "/api/session", "").is(t, 401)
	}
}

func TestTokensOfOthers(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewPort)
	s.may("clerk", right.ChangeUser, right.UserConfigurationAccess, right.ViewPort)
	anna, _ := s.users.User("anna")
	admin, _ := s.users.User("admin")
	id, text := s.token(anna, "one", right.ViewPort)
	strong, _ := s.token(admin, "strong")
	list := recordsOf(t, s.call("clerk", "GET", usersPath+"/anna/tokens", "").is(t, 200))
	if len(list) != 1 || list[0]["name"] != "one" {
		t.Errorf("%v", list)
	}
	s.call("clerk", "DELETE", fmt.Sprintf("%s/admin/tokens/%d", usersPath, strong), "").is(t, 403, "forbidden")
	s.call("clerk", "DELETE", fmt.Sprintf("%s/anna/tokens/%d", usersPath, strong), "").is(t, 404, "not_found")
	s.call("clerk", "DELETE", fmt.Sprintf("%s/anna/tokens/%d", usersPath, id), "").is(t, 204)
	s.asProgram(text, "GET", "/api/session", "").is(t, 401)
	if e := recordsOf(t, s.get("/api/audit?user=clerk&kind=changes"))[0]; e["action"] != "DELETE token" || e["object"] != "one of anna" {
		t.Errorf("the audit log says %v", e)
	}
}

// TestARevokedTokenEndsItsStream: what a program listens to ends with its token.
func TestARevokedTokenEndsItsStream(t *testing.T) {
	s := newSite(t)
	admin, _ := s.users.User("admin")
	id, text := s.token(admin, "display")
	server := s.serve()
	l := listenBy(t, "Authorization", "Bearer "+text, server.URL, "", "")
	defer l.close()
	l.until("picture")
	if err := s.users.Tokens().Revoke(admin, id); err != nil {
		t.Fatal(err)
	}
	for l.body.Scan() { // until it is cut; else the patience of the request ends, with an error
	}
	if err := l.body.Err(); err != nil {
		t.Errorf("the stream goes on: %v", err)
	}
}

// TestATokenTakesNoJobOfMoreRights: a program does not read what its user asked for with rights that the token has not.
func TestATokenTakesNoJobOfMoreRights(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	admin, _ := s.users.User("admin")
	_, text := s.token(admin, "poor")
	id := s.post(areaPath, `{"area":`+harbour+`}`).is(t, 200).json(t)["id"]
	s.get(fmt.Sprintf("%s/%.0f", areaPath, id)).is(t, 200)
	id = s.post(areaPath, `{"area":`+harbour+`}`).is(t, 200).json(t)["id"]
	if a := s.asProgram(text, "GET", fmt.Sprintf("%s/%.0f", areaPath, id), ""); a.status == http.StatusOK || strings.Contains(string(a.body), "219018765") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestTheUseOfATokenIsWrittenRarely: a thousand calls within an hour write the last use once.
func TestTheUseOfATokenIsWrittenRarely(t *testing.T) {
	s := newSite(t)
	admin, _ := s.users.User("admin")
	_, text := s.token(admin, "poller")
	used := func(u *access.Users) time.Time { return u.Tokens().Of(admin)[0].Used }
	s.asProgram(text, "GET", "/api/session", "").is(t, 200)
	s.settle()
	first := s.clock.now()
	for range 59 {
		s.clock.pass(time.Minute)
		s.asProgram(text, "GET", "/api/session", "").is(t, 200)
	}
	s.settle()
	if now, kept := used(s.users), used(s.asKilled().Users); !now.Equal(s.clock.now()) || kept.After(first) {
		t.Errorf("used %s, written %s, begun %s", now, kept, first)
	}
}

func TestAuthorizationIsBasicOrBearer(t *testing.T) {
	s := newSite(t)
	for _, header := range []string{"Digest x", "Bearer", "bearer  ", "Basic !", strings.Repeat("x", 8000)} {
		r := httptest.NewRequest("GET", "/api/status", nil)
		r.Header.Set("Authorization", header)
		w := httptest.NewRecorder()
		s.server.Handler().ServeHTTP(w, r)
		if w.Code != 401 {
			t.Errorf("%.20q: %d", header, w.Code)
		}
	}
}
