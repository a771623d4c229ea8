package handlers

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/ship"
	"quaywatch/users/access"
)

// What the session says of the user: own ships, where to begin, and that the user expires. None of it hides anything.
func TestSessionTellsWhereTheUserIs(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 60.3, 6.14, 112, 1814))
	s.addUser("anna", access.GroupViewer)
	for _, shape := range []string{
		`{"name":"bay","region":3,"polygon":` + harbour + `}`,
		`{"name":"quay","region":4,"polygon":{"type":"Polygon","coordinates":[[[179,0],[-179,0],[-179,1],[179,1],[179,0]]]}}`,
		`{"name":"island","region":9,"polygon":{"type":"Polygon","coordinates":[[[-178,2],[-177,2],[-177,3],[-178,3],[-178,2]]]}}`,
	} {
		s.call("admin", "POST", configPath+"/shape", shape).is(t, 200)
	}
	for _, row := range []struct{ settings, start string }{
		{`{}`, "<nil>"},
		{`{"origin_region":3}`, "map[bbox:[10.2 56.1 10.4 56.2]]"},
		{`{"origin_region":3,"region_mask":"10"}`, "map[bbox:[10.2 56.1 10.4 56.2]]"},
		{`{"region_mask":"10"}`, "map[bbox:[179 0 -179 1]]"},
		{`{"region_mask":"0210"}`, "map[bbox:[179 0 -177 3]]"},
		{`{"origin_region":7,"region_mask":""}`, "<nil>"},
		{`{"origin_country":219}`, "map[filter:country_code = DK]"},
		{`{"origin_country":799}`, "<nil>"},
		{`{"origin_country":220,"origin_region":3}`, "map[bbox:[10.2 56.1 10.4 56.2] filter:country_code = DK]"},
	} {
		s.set(`{"origin_region":null,"region_mask":null,"origin_country":null}`)
		s.set(row.settings)
		who := s.call("anna", "GET", "/api/session", "").is(t, 200).json(t)
		if got := fmt.Sprint(who["start"]); got != row.start {
			t.Errorf("%s: start is %s, want %s", row.settings, got, row.start)
		}
		if filter, ok := who["start"].(map[string]any); ok && filter["filter"] != nil {
			if _, err := ship.ParseFilter(filter["filter"].(string), s.server.settings.Lookup(access.Anonymous())); err != nil {
				t.Error(err)
			}
		}
		s.call("anna", "GET", portserver+"/ship/position/219018765", "").is(t, 200)
	}
	s.set(`{"mmsi_list":[219000002,219018765],"default_mmsi":0}`)
	if a := s.call("anna", "GET", "/api/session", "").json(t); ownShips(a) != "[2.19000002e+08 2.19018765e+08] 2.19000002e+08" {
		t.Errorf("own ships: %v", a)
	}
	s.set(`{"default_mmsi":219000007}`)
	if a := s.call("anna", "GET", "/api/session", "").json(t); ownShips(a) != "[2.19000002e+08 2.19000007e+08 2.19018765e+08] 2.19000007e+08" {
		t.Errorf("own ships: %v", a)
	}
}

// ownShips returns the own ships of a session, and the one that is shown first.
func ownShips(session map[string]any) string {
	return fmt.Sprint(session["mmsi_list"], session["default_mmsi"])
}

func TestExpiryIsTold(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	s.call("admin", "PUT", usersPath+"/anna", `{"expiration_time":"2026-12-01T00:00:00Z","period_before_expire":10}`).is(t, 200)
	told := func(want any) {
		t.Helper()
		if who := s.call("anna", "GET", "/api/session", "").is(t, 200).json(t); who["warn"] != want ||
			want != nil && who["expiration_time"] != "2026-12-01T00:00:00Z" {
			t.Errorf("the session says %v", who)
		}
		if user := s.call("admin", "GET", usersPath+"/anna", "").is(t, 200).json(t); user["warn"] != want {
			t.Errorf("the user says %v", user["warn"])
		}
	}
	told(nil)
	s.clock.pass(12 * time.Hour) // it is 21 November now
	told("expires_soon")
	s.call("admin", "PUT", usersPath+"/anna", `{"period_before_expire":0}`).is(t, 200)
	told(nil)
	s.clock.pass(10 * 24 * time.Hour)
	s.call("anna", "GET", "/api/session", "").is(t, 401)
}

func TestUsersOfAnLSSGroup(t *testing.T) {
	s := newSite(t)
	for name, settings := range map[string]string{"anna": `{"lss_group":"Pilots","is_gad_user":true}`, "bert": `{"lss_group":"Pilots"}`,
		"carl": `{"is_gad_user":true}`, "dora": `{"lss_group":"Tugs","is_gad_user":true}`} {
		s.addUser(name, access.GroupViewer)
		s.call("admin", "PUT", usersPath+"/"+name, `{"settings":`+settings+`}`).is(t, 200)
	}
	for query, want := range map[string]string{"?lss_group=%20pilots": "anna", "?lss_group=tugs": "dora", "?lss_group=": "", "?lss_group=none": "",
		"": "admin,anna,bert,carl,dora"} {
		names := ""
		for i, u := range recordsOf(t, s.get(usersPath+query).is(t, 200)) {
			if i > 0 {
				names += ","
			}
			names += u["name"].(string)
		}
		if names != want {
			t.Errorf("%q gives %s, want %s", query, names, want)
		}
	}
}

func TestHostsOfDirectAccess(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	for _, host := range []string{"10.0.0.300", "10.0.0.0/33", "a b", "-a", "", "ship.example:10110", "<b>", "::1%eth0/64"} {
		a := s.call("admin", "PUT", usersPath+"/anna", fmt.Sprintf(`{"direct_access":{"enabled":true,"hosts":["10.0.0.1",%q]}}`, host))
		if a.is(t, 400, "bad_request"); a.json(t)["errors"].([]any)[0].(map[string]any)["pointer"] != "/direct_access/hosts" {
			t.Errorf("%q: %s", host, a.body)
		}
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"direct_access":{"enabled":true,"hosts":["10.0.0.1","10.1.0.0/16","2001:db8::/32","ecdis.example","box-7"]}}`).is(t, 200)
	// What is refused changes nothing of what is there.
	s.call("admin", "PUT", usersPath+"/anna", `{"direct_access":{"hosts":["192.0.2.1","x y"]}}`).is(t, 400)
	if u := s.get(usersPath + "/anna").json(t); fmt.Sprint(u["direct_access"]) != "map[enabled:true hosts:[10.0.0.1 10.1.0.0/16 2001:db8::/32 ecdis.example box-7]]" {
		t.Errorf("%v", u["direct_access"])
	}
}
