package handlers

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/handlers/settings"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

func TestSessionsAreSeenAndEnded(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	s.addUser("bert", access.GroupViewer)
	harbour := s.signIn("anna", adminPassword)
	s.clock.pass(time.Hour)
	home, bert := s.signIn("anna", adminPassword), s.signIn("bert", adminPassword)
	s.clock.pass(time.Minute)
	a := s.send("GET", sessionsPath, "", "Cookie", harbour).is(t, 200)
	list := recordsOf(t, a)
	if len(list) != 2 || list[0]["current"] != true || list[0]["since"] != "2026-11-20T12:00:00Z" || list[0]["last_used"] != "2026-11-20T13:01:00Z" ||
		list[1]["current"] != false || list[1]["since"] != "2026-11-20T13:00:00Z" || list[1]["address"] != "192.0.2.1" {
		t.Fatalf("%s", a.body)
	}
	for _, cookie := range []string{harbour, home} {
		if strings.Contains(string(a.body), strings.TrimPrefix(cookie, request.PlainCookie+"=")) {
			t.Error("the token is given away")
		}
	}
	theirs := recordsOf(t, s.send("GET", sessionsPath, "", "Cookie", bert).is(t, 200))
	s.send("DELETE", fmt.Sprintf("%s/%v", sessionsPath, theirs[0]["id"]), "", "Cookie", harbour).is(t, 404, "not_found")
	s.send("DELETE", fmt.Sprintf("%s/%v", sessionsPath, list[1]["id"]), "", "Cookie", harbour).is(t, 204)
	s.send("GET", "/api/session", "", "Cookie", home).is(t, 401)
	home = s.signIn("anna", adminPassword)
	s.send("DELETE", sessionsPath, "", "Cookie", harbour).is(t, 204)
	s.send("GET", "/api/session", "", "Cookie", home).is(t, 401)
	s.restart()
	if left := recordsOf(t, s.send("GET", sessionsPath, "", "Cookie", harbour).is(t, 200)); len(left) != 1 || left[0]["address"] != "192.0.2.1" {
		t.Errorf("after a restart: %v", left)
	}
	s.send("GET", "/api/session", "", "Cookie", bert).is(t, 200)
}

func TestSessionsOfOthers(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	s.may("clerk", append(right.All()[:0:0], right.ChangeUser, right.UserConfigurationAccess, right.WebOnlineAccess)...)
	s.may("reader", right.UserConfigurationAccess)
	anna, admin := s.signIn("anna", adminPassword), s.signIn("admin", adminPassword)
	list := recordsOf(t, s.get(usersPath+"/anna/sessions").is(t, 200))
	if len(list) != 1 || list[0]["current"] != false {
		t.Fatalf("%v", list)
	}
	s.call("reader", "GET", usersPath+"/anna/sessions", "").is(t, 403, "forbidden")
	s.call("clerk", "GET", usersPath+"/admin/sessions", "").is(t, 200)
	s.call("clerk", "DELETE", usersPath+"/admin/sessions", "").is(t, 403, "forbidden") // a user with more rights
	s.get(usersPath+"/nobody/sessions").is(t, 404, "not_found")
	s.call("admin", "DELETE", usersPath+"/anna/sessions/999", "").is(t, 404, "not_found")
	s.call("admin", "DELETE", usersPath+"/anna/sessions/x", "").is(t, 400, "bad_request")
	s.call("admin", "DELETE", fmt.Sprintf("%s/anna/sessions/%v", usersPath, list[0]["id"]), "").is(t, 204)
	s.send("GET", "/api/session", "", "Cookie", anna).is(t, 401)
	anna = s.signIn("anna", adminPassword)
	s.send("DELETE", usersPath+"/anna/sessions", "", "Cookie", admin).is(t, 204)
	s.send("GET", "/api/session", "", "Cookie", anna).is(t, 401)
	s.send("DELETE", usersPath+"/admin/sessions", "", "Cookie", admin).is(t, 204)
	s.send("GET", "/api/session", "", "Cookie", admin).is(t, 200) // the one that asks is spared
	events := recordsOf(t, s.get("/api/audit?user=admin&kind=changes"))
	if e := events[0]; e["action"] != "DELETE sessions" || e["object"] != "admin" {
		t.Errorf("the audit log says %v", e)
	}
}

func TestRunningConfiguration(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) {
		c.Running = []settings.RunningKey{{Key: "http.listen", Value: ":8080", From: "default"}, {Key: "feed", Value: []map[string]any{{"name": "roof"}}, From: "file"}}
	})
	if list := recordsOf(t, s.get(configPath+"/running").is(t, 200)); len(list) != 2 || list[1]["key"] != "feed" || list[1]["from"] != "file" {
		t.Errorf("%v", list)
	}
}

func TestReassignOfAGroup(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"old", "new"} {
		s.call("admin", "PUT", groups, `{"name":"`+name+`","access_rights":{"allow_web_service":"allow"}}`).is(t, 200)
	}
	s.addUser("anna", "old")
	s.addUser("bert", "old", "new")
	s.post(configPath+"/filter", `{"name":"fast","filter":"sog > 9","acl":["old","anna"]}`).is(t, 200)
	s.may("clerk", right.ChangeUser, right.UserConfigurationAccess)
	s.call("clerk", "POST", groups+"/admin/reassign", `{"name":"new"}`).is(t, 403, "forbidden")
	s.post(groups+"/old/reassign", `{"name":"OLD"}`).is(t, 400, "bad_request")
	s.post(groups+"/admin/reassign", `{"name":"new"}`).is(t, 409, "conflict") // the last administrator
	s.call("admin", "PUT", groups, `{"name":"new","locked":true}`).is(t, 200)
	s.call("clerk", "POST", groups+"/old/reassign", `{"name":"new"}`).is(t, 403, "forbidden")
	got := s.post(groups+"/old/reassign", `{"name":"new"}`).is(t, 200).json(t)["reassigned"].(map[string]any)
	if got["users"] != 2.0 || got["filters"] != 1.0 || got["shapes"] != 0.0 {
		t.Errorf("%v", got)
	}
	s.call("anna", "GET", configPath+"/filter/fast", "").is(t, 200)
	s.restart()
	if g := s.get(groups+"/new").is(t, 200).json(t); len(g["members"].([]any)) != 2 {
		t.Errorf("%v", g)
	}
	acl := s.get(configPath+"/filter/fast").is(t, 200).json(t)["acl"].([]any)
	if len(acl) != 2 || acl[0].(map[string]any)["name"] != "new" {
		t.Errorf("%v", acl)
	}
	s.call("admin", "DELETE", groups+"/old", "").is(t, 204)
}

// A user's selections and jobs go along with what the user keeps.
func TestReassignTakesEverythingAlong(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	s.addUser("anna", access.GroupViewer)
	s.addUser("bert", access.GroupViewer)
	s.may("clerk", right.AddRemoveUsers, right.UserConfigurationAccess)
	for _, owner := range []string{"erp1", "erp2"} {
		s.call("anna", "POST", selectPath, `{"owner":"`+owner+`","ships":[{"mmsi":219018765}]}`).is(t, 200)
	}
	s.call("bert", "POST", selectPath, `{"owner":"erp2","ships":[]}`).is(t, 200)
	id := s.call("anna", "POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-21"}`).is(t, 202).json(t)["id"].(float64)
	s.allow("anna", []right.Name{right.PCSAccess})
	s.call("anna", "POST", shipTrackPath, `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":{"locode":"DKSKA"}}}`).is(t, 200)
	s.call("clerk", "POST", usersPath+"/anna/reassign", `{"name":"bert"}`).is(t, 403, "forbidden")
	s.post(usersPath+"/anna/reassign", `{"name":"anna"}`).is(t, 400, "bad_request")
	got := s.post(usersPath+"/anna/reassign", `{"name":"bert"}`).is(t, 200).json(t)["reassigned"].(map[string]any)
	const all = "area_jobs dryrun_jobs filters route_jobs selections shapes shiplists statistics track_jobs tracks watchdogs"
	if strings.Join(slices.Sorted(maps.Keys(got)), " ") != all || got["selections"] != 1.0 || got["track_jobs"] != 1.0 || got["tracks"] != 1.0 || got["area_jobs"] != 0.0 {
		t.Errorf("%v", got)
	}
	texts, err := os.ReadFile("../web/src/admin/en.json")
	for kind := range got {
		if err != nil || !strings.Contains(string(texts), `"moved.`+kind+`"`) {
			t.Errorf("the client has no word for %s: %v", kind, err)
		}
	}
	track := fmt.Sprintf("%s?id=%.0f", trackPath, id)
	s.call("anna", "GET", track, "").is(t, 404)
	if status := s.call("bert", "GET", track, "").status; status != 200 && status != 202 {
		t.Errorf("the track of the other: %d", status)
	}
	s.restart()
	if list := recordsOf(t, s.call("bert", "GET", selectPath, "")); len(list) != 1 || list[0]["owner"] != "erp1" {
		t.Errorf("%v", list)
	}
	if list := recordsOf(t, s.call("anna", "GET", selectPath, "")); len(list) != 0 {
		t.Errorf("%v", list)
	}
}

// A browser that was left open is not enough to take the user over.
func TestOwnPasswordBySessionAsksForTheCurrentOne(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	anna := s.signIn("anna", adminPassword)
	change := func(body string) answer {
		return s.send("PUT", usersPath+"/anna", body, "Cookie", anna, "Content-Type", "application/json")
	}
	const fresh = "a completely new one"
	for _, row := range []struct {
		body   string
		status int
	}{
		{`{"password":"` + fresh + `"}`, 400},
		{`{"password":"` + fresh + `","current_password":""}`, 400},
		{`{"password":"` + fresh + `","current_password":"not the right one"}`, 403},
	} {
		errs, _ := change(row.body).is(t, row.status).json(t)["errors"].([]any)
		if len(errs) != 1 || errs[0].(map[string]any)["pointer"] != "/current_password" {
			t.Errorf("%s: %v", row.body, errs)
		}
	}
	if n := strings.Count(string(s.get("/api/audit?user=anna").body), `"result":"failed"`); n != 1 {
		t.Errorf("the audit log has %d failed sign-ins", n)
	}
	change(`{"common_name":"Anna"}`).is(t, 200) // nothing to prove
	s.call("anna", "PUT", usersPath+"/anna", `{"common_name":"Anna A"}`).is(t, 200)
	for range access.SignInTries {
		change(`{"password":"` + fresh + `","current_password":"not the right one"}`)
	}
	change(`{"password":"`+fresh+`","current_password":"`+adminPassword+`"}`).is(t, 429, "limit_reached")
	s.clock.pass(time.Minute)
	change(`{"password":"`+fresh+`","current_password":"`+adminPassword+`"}`).is(t, 200)
	s.send("GET", "/api/session", "", "Cookie", anna).is(t, 401)
	s.signIn("anna", fresh)
	s.send("PUT", usersPath+"/anna", `{"password":"`+adminPassword+`"}`, "Authorization", basic("anna", fresh), "Content-Type", "application/json").is(t, 200)
	admin := s.signIn("admin", adminPassword) // somebody else's takes the right alone
	s.send("PUT", usersPath+"/anna", `{"password":"`+fresh+`"}`, "Cookie", admin, "Content-Type", "application/json").is(t, 200)
}
