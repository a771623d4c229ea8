package handlers

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/users/access"
	"quaywatch/users/document"
)

// Keys that nobody knows are kept as they came, of everything that users keep and of users and groups, and bounded.
func TestUnknownKeysAreKept(t *testing.T) {
	const unknown = `"of_tomorrow":{"b":[1,null,1.50],"a":"<"}`
	const told = `"of_tomorrow":{"b":[1,null,1.50],"a":"\u003c"}`
	s := newSite(t)
	things := map[string]string{
		usersPath: `{"name":"x1","password":"` + adminPassword + `",` + unknown + `}`, groups: `{"name":"x1",` + unknown + `}`,
		configPath + "/shiplist": `{"name":"x1","ships":[],` + unknown + `}`, configPath + "/filter": `{"name":"x1","filter":"",` + unknown + `}`,
		configPath + "/shape": `{"name":"x1","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852},` + unknown + `}`,
	}
	for path, body := range things {
		s.post(path, body).is(t, 200)
	}
	s.restart()
	for path := range things {
		for _, at := range []string{path + "/x1", path} {
			if a := s.get(at).is(t, 200); !strings.Contains(string(a.body), told) {
				t.Errorf("%s: %s", at, a.body)
			}
		}
		change := func(more string) answer {
			return s.call("admin", "PUT", path+"/x1", `{"name":"x1","ships":[],"revision":"","uid":"x","password":null,`+more+`}`)
		}
		if a := change(`"second":2`).is(t, 200); !strings.Contains(string(a.body), told) || !strings.Contains(string(a.body), `"second":2`) ||
			strings.Contains(string(a.body), `"uid":"x"`) {
			t.Errorf("%s: %s", path, a.body)
		}
		if a := change(`"of_tomorrow":null`).is(t, 200); strings.Contains(string(a.body), "of_tomorrow") || !strings.Contains(string(a.body), `"second":2`) {
			t.Errorf("%s: %s", path, a.body)
		}
		change(`"big":"`+strings.Repeat("x", 9000)+`"`).is(t, 400, "bad_request")
		many := []string{}
		for i := range 40 {
			many = append(many, fmt.Sprintf(`"k%d":1`, i))
		}
		change(strings.Join(many, ",")).is(t, 400, "bad_request")
	}
	s.post(usersPath+"/x1/clone", `{"name":"x2"}`).is(t, 200)
	if a := s.get(usersPath + "/x2"); !strings.Contains(string(a.body), `"second":2`) {
		t.Errorf("the clone: %s", a.body)
	}
	s.addUser("viewer", access.GroupViewer)
	s.call("viewer", "PUT", usersPath+"/viewer", `{"email":"v@port","of_tomorrow":1}`).is(t, 403, "forbidden")
}

// TestAUserSeesWhatItKeeps: the user and an administrator are told the bytes, which are those of the places and not of what stood beside them.
func TestAUserSeesWhatItKeeps(t *testing.T) {
	s := newSite(t)
	s.may("anna")
	kept := func(user string) float64 {
		u := s.call(user, "GET", usersPath+"/anna", "").is(t, 200).json(t)
		if u["max_stored_bytes"] != float64(16<<20) {
			t.Errorf("%v", u["max_stored_bytes"])
		}
		return u["stored_bytes"].(float64)
	}
	if n := kept("anna"); n != 0 {
		t.Errorf("at first %v", n)
	}
	s.call("anna", "POST", configPath+"/shape", `{"name":"a","polygon":{"type":"Polygon","crs":"`+strings.Repeat("x", 100000)+`",
		"coordinates":[[[10,56],`+strings.Repeat(" ", 100000)+`[11,56],[11,57],[10,56]]]}}`).is(t, 200)
	if n, told := kept("anna"), kept("admin"); n < 100 || n > 1000 || told != n {
		t.Errorf("%v, to the administrator %v", n, told)
	}
	if a := s.call("anna", "GET", configPath+"/shape/a", "").is(t, 200); len(a.body) > 1000 {
		t.Errorf("%.300s", a.body)
	}
}

// imports reports whether a document is taken.
func (s *site) imports(text string) bool {
	s.t.Helper()
	doc, err := document.Read([]byte(text))
	if err != nil {
		s.t.Fatal(err)
	}
	_, err = s.areas.Box.Import(s.t.Context(), doc, true)
	return err == nil
}

// What looks like a right and has no effect where it stands is refused, also in a document, and not kept unread.
func TestNothingThatLooksLikeARightIsKeptUnread(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.addUser("anna", access.GroupViewer)
	s.call("admin", "PUT", usersPath+"/anna", `{"groups":["crew"]}`).is(t, 200)
	for _, row := range []struct{ body, pointer string }{
		{`{"disabled":true}`, "/disabled"}, {`{"expiration_time":"2026-12-01"}`, "/expiration_time"}, {`{"groups":["admin"]}`, "/groups"},
		{`{"direct_access":{"enabled":true,"hosts":["10.0.0.9"]}}`, "/direct_access"}, {`{"period_before_expire":3}`, "/period_before_expire"},
		{`{"password":"a good password"}`, "/password"}, {`{"effective_rights":["view_port"]}`, "/effective_rights"},
		{`{"members":["admin"]}`, "/members"}, {`{"members":[]}`, "/members"}, {`{"view_port":"allow"}`, "/view_port"},
		{`{"transmit_filter":{"areas":[]}}`, "/transmit_filter/areas"}, {`{"transmit_filter":{"countries":[211]}}`, "/transmit_filter/countries"},
	} {
		a := s.call("admin", "PUT", groups+"/crew", row.body).is(t, 400, "bad_request")
		if wrong := a.json(t)["errors"].([]any)[0].(map[string]any); wrong["pointer"] != row.pointer {
			t.Errorf("%s: %s", row.body, a.body)
		}
		if row.body != `{"members":[]}` { // as a new group has
			s.post(groups, strings.Replace(row.body, "{", `{"name":"new",`, 1)).is(t, 400, "bad_request")
		}
		document := strings.Replace(row.body, "{", `{"name":"crew",`, 1)
		if s.imports(`{"version":1,"groups":[` + document + `]}`) {
			t.Errorf("a document with %s is taken", row.body)
		}
	}
	if s.imports(`{"version":1,"groups":[{"name":"crew","other":{"disabled":true}}]}`) {
		t.Error("a document with other is taken")
	}
	for _, body := range []string{`{"view_port":"allow"}`, `{"transmit_filter":{"delay":60}}`} {
		s.call("admin", "PUT", usersPath+"/anna", body).is(t, 400, "bad_request")
	}
	read := string(s.get(groups+"/crew").is(t, 200).body)
	s.call("admin", "PUT", groups+"/crew", read).is(t, 200) // what was read may be written back
	for _, key := range []string{"disabled", "direct_access", "view_port", "delay"} {
		if strings.Contains(read, key) {
			t.Errorf("%s is kept: %s", key, read)
		}
	}
}
