package handlers

import (
	"net/url"
	"strings"
	"testing"

	"quaywatch/handlers/live"
	"quaywatch/users/access"
	"quaywatch/users/document"
)

// TestRefusalsBeginWithAWord: of a field with its pointer, of the body as a whole with the rule.
func TestRefusalsBeginWithAWord(t *testing.T) {
	s := newSite(t)
	for body, want := range map[string]string{
		`[]`: "must be a JSON object", `{"name":"s"}`: "needs exactly one of polygon, line and circle", `{"name":5}`: "/name must be a string",
		`{"name":"s","type":"circle"}`: "needs exactly one of polygon, line and circle",
		`{"name":"s","type":"square","circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":5}}`:                "/type must be one of polygon, line, circle",
		`{"name":"s","type":"line","circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":5}}`:                  "/type must be circle, which is given",
		`{"name":"s","circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":50000000}}`:                         "/circle/radius must be metres above 0, and at most 20004000",
		`{"name":"s","polygon":{"type":"Polygon","coordinates":[[[0,0],[9,0],[9,9],[0,0]],[[20,0],[21,0],[21,1],[20,0]]]}}`: "/polygon/coordinates/1 must lie inside of the outer ring",
	} {
		if detail := s.post(configPath+"/shape", body).is(t, 400, "bad_request").json(t)["detail"]; detail != want {
			t.Errorf("%s: %q, want %q", body, detail, want)
		}
	}
	if detail := s.post(registerPath, `{}`).is(t, 400).json(t)["detail"].(string); detail == "" || detail[0] == ' ' || detail[0] == '/' {
		t.Errorf("an empty register entry: %q", detail)
	}
}

// TestRefusalsTellWhatIsMeant: of a time that was not given, of a number beyond all numbers, and of what is missing.
func TestRefusalsTellWhatIsMeant(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	for _, row := range []struct{ method, path, body, detail string }{
		{"POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20T06:00:00Z"}`, "/begin must be before 2026-11-20T00:00:00Z: that is the end where none is given"},
		{"POST", trackPath, `{"mmsi":219018765,"end":"2026-11-18"}`, "/end must be after 2026-11-19T00:00:00Z: that is the begin where none is given"},
		{"POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-19","end":"2026-11-18"}`, "/begin must be before end"},
		{"GET", visitsPath + "/22781475?begin=2027-01-01", "", "begin must be before 2026-11-20T12:00:01Z: that is the end where none is given"},
		{"GET", routePath + "/9223372036854775808", "", "id must be from 1 to 9223372036854775807"},
		{"GET", routePath + "/-9223372036854775809", "", "id must be a whole number above 0"},
		{"POST", usersPath, `{"name":"anna"}`, "/password is required"},
		{"POST", usersPath, `{"name":"anna","password":""}`, "/password is required"},
		{"POST", usersPath, `{"name":"anna","password":7}`, "/password must be a string"},
		{"POST", usersPath + "/admin/clone", `{}`, "/name is required"},
		{"POST", groups + "/crew/clone", `{}`, "/name is required"},
	} {
		if detail := s.call("admin", row.method, row.path, row.body).is(t, 400, "bad_request").json(t)["detail"]; detail != row.detail {
			t.Errorf("%s %s: %q, want %q", row.path, row.body, detail, row.detail)
		}
	}
}

// TestWhatClientsWrite: texts that cannot be kept are refused, and what other programs write for the same value is taken, by each door.
func TestWhatClientsWrite(t *testing.T) {
	s := newSite(t)
	for body, word := range map[string]string{
		"{\"name\":\"Hafen \xfc\",\"ships\":[]}": "no_utf8", `{"name":"half \ud83d","ships":[]}`: "half_character",
	} {
		if a := s.post(configPath+"/shiplist", body).is(t, 400, "bad_request"); a.json(t)["rule"] != word {
			t.Errorf("%q: %s", body, a.body)
		}
		if _, err := document.Read([]byte(`{"shiplists":[` + body + `]}`)); err == nil {
			t.Errorf("a document with %q is taken", body)
		}
	}
	s.post(configPath+"/shiplist", "\xef\xbb\xbf"+`{"name":"Tugs","max":5.0,"ships":[{"mmsi":219001262.0}]}`).is(t, 200)
	if list := string(s.get(configPath+"/shiplist/tugs").is(t, 200).body); !strings.Contains(list, `"mmsi":219001262`) || !strings.Contains(list, `"max":5`) {
		t.Error(list)
	}
	s.call("admin", "PUT", usersPath+"/admin", `{"settings":{"max_message_rate":7.0}}`).is(t, 200)
	s.get(configPath+"/shiplist?full=False").is(t, 200)
	s.get(configPath+"/shiplist?full=maybe").is(t, 400, "bad_request")
}

// TestErrorsSayWhereTheyAre: fields by JSON pointer to the innermost member, parameters by name, and filters everywhere with their offset.
func TestErrorsSayWhereTheyAre(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	const bad = "sog >> 3"
	for _, row := range []struct {
		method, path, body, code, key, at string
	}{
		{"PUT", usersPath + "/anna", `{"receive_filter":{"expression":"` + bad + `"}}`, "filter_syntax", "pointer", "/receive_filter/expression"},
		{"PUT", groups + "/crew", `{"transmit_filter":{"expression":"` + bad + `"}}`, "filter_syntax", "pointer", "/transmit_filter/expression"},
		{"POST", configPath + "/filter", `{"name":"f","filter":"` + bad + `"}`, "filter_syntax", "pointer", "/filter"},
		{"GET", live.Path + "?filter=" + url.QueryEscape(bad), "", "filter_syntax", "parameter", "filter"},
		{"POST", configPath + "/shape", `{"name":"c","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":"x"}}`, "bad_request", "pointer", "/circle/radius"},
		{"POST", configPath + "/shape", `{"name":"c","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":-1}}`, "bad_request", "pointer", "/circle/radius"},
		{"POST", configPath + "/shape", `{"name":"c","circle":{"center":5,"radius":1}}`, "bad_request", "pointer", "/circle/center"},
		{"PUT", usersPath + "/anna", `{"direct_access":{"enabled":"yes"}}`, "bad_request", "pointer", "/direct_access/enabled"},
		{"PUT", usersPath + "/anna", `{"direct_access":{"hosts":[5]}}`, "bad_request", "pointer", "/direct_access/hosts"},
		{"PUT", usersPath + "/anna", `{"access_rights":{"a/b~c":"maybe"}}`, "bad_request", "pointer", "/access_rights/a~1b~0c"},
		{"GET", live.Path + "?bbox=1,2,3", "", "bad_request", "parameter", "bbox"},
		{"GET", portserver + "/ship/search/x?limit=0", "", "bad_request", "parameter", "limit"},
		{"GET", portserver + "/ship/search/x?format=doc", "", "bad_request", "parameter", "format"},
		{"GET", "/api/audit?from=never", "", "bad_request", "parameter", "from"},
	} {
		a := s.call("admin", row.method, row.path, row.body).is(t, 400, row.code)
		got := a.json(t)
		wrong := got["errors"].([]any)[0].(map[string]any)
		if wrong[row.key] != row.at || len(wrong["detail"].(string)) == 0 {
			t.Errorf("%s %s: %s", row.path, row.body, a.body)
		}
		if row.code == "filter_syntax" && (got["offset"] != 5.0 || got["rule"] == "filter") {
			t.Errorf("%s %s: %s", row.path, row.body, a.body)
		}
	}
}

// TestEachDoorRefusesWhatIsOnNoList: a slip in a value of a closed list would pick no ship for ever, or each ship where it is negated. It is refused
// wherever a filter comes in, and what was perhaps meant is named.
func TestEachDoorRefusesWhatIsOnNoList(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	const slip = "not type = tankr"
	for _, row := range []struct{ method, path, body string }{
		{"PUT", usersPath + "/anna", `{"receive_filter":{"expression":"` + slip + `"}}`},
		{"PUT", groups + "/" + access.GroupViewer, `{"transmit_filter":{"expression":"` + slip + `"}}`},
		{"POST", configPath + "/filter", `{"name":"f","filter":"` + slip + `"}`},
		{"GET", live.Path + "?filter=" + url.QueryEscape(slip), ""},
		{"POST", definitionPath, `{"name":"w","type":"polygon","polygon":` + harbour + `,"filter":"` + slip + `"}`},
		{"POST", "/api/jobserver/stat/area", `{"begin":"2026-11-01","end":"2026-11-02","area":` + harbour + `,"filter":"` + slip + `"}`},
	} {
		if a := s.call("admin", row.method, row.path, row.body).is(t, 400); !strings.Contains(string(a.body), "'tankr' is no type; near are tanker") {
			t.Errorf("%s %s: %s", row.method, row.path, a.body)
		}
	}
}
