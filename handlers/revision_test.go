package handlers

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/handlers/ports"
	"quaywatch/users/access"
)

// Two users that read the same thing cannot overwrite each other unasked, even if the clock stands still between their changes.
func TestTheSecondEditorIsTold(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.post(configPath+"/shiplist", `{"name":"Tugs","ships":[]}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"Outer","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`).is(t, 200)
	s.post(configPath+"/filter", `{"name":"Danes","filter":"sog > 1"}`).is(t, 200)
	s.post(registerPath, `{"mmsi":219000001,"name":"PILOT"}`).is(t, 200)
	borders := func(at string) string {
		return `"outer":{"type":"Polygon","coordinates":[[[10.2,56.1],[10.4,56.1],[10.4,` + at + `],[10.2,` + at + `],[10.2,56.1]]]}`
	}
	s.post(portPath, `{"name":"Little Harbour","position":{"type":"Point","coordinates":[10.5,56.3]}}`).is(t, 200)
	for _, row := range []struct{ path, one, other string }{
		{portPath + "/DKAAR", borders("56.2"), borders("56.3")},
		{portPath + "/Little%20Harbour", `"max_draught":5`, `"max_draught":6`},
		{usersPath + "/anna", `"description":"one"`, `"description":"other"`},
		{groups + "/crew", `"description":"one"`, `"description":"other"`},
		{configPath + "/shiplist/Tugs", `"ships":[{"mmsi":219000001}]`, `"ships":[{"mmsi":219000002}]`},
		{configPath + "/shape/Outer", `"color":"#ff0000"`, `"color":"#00ff00"`},
		{configPath + "/filter/Danes", `"filter":"sog = 2"`, `"filter":"sog = 3"`},
		{registerPath + "/219000001", `"note":"one"`, `"note":"other"`},
	} {
		t.Run(row.path, func(t *testing.T) {
			read := s.get(row.path).is(t, 200).json(t)["revision"].(string)
			put := func(fields, revision string) answer {
				return s.call("admin", "PUT", row.path, fmt.Sprintf(`{%s,"revision":"%s"}`, fields, revision))
			}
			one := put(row.one, read).is(t, 200).json(t)["revision"].(string)
			late := put(row.other, read).is(t, 409, "conflict")
			if !strings.Contains(string(late.body), `"pointer":"/revision"`) {
				t.Errorf("%s", late.body)
			}
			now := s.get(row.path).is(t, 200)
			if now.json(t)["revision"] != one || one == read || !strings.Contains(string(now.body), row.one[strings.Index(row.one, ":"):]) {
				t.Errorf("read %s, the first wrote %s, now %s", read, one, now.body)
			}
			s.call("admin", "PUT", row.path, `{`+row.other+`,"revision":5}`).is(t, 400, "bad_request")
			put(row.other, one).is(t, 200)
			put(row.one, "").is(t, 200)
		})
	}
	port := s.get(portPath+"/DKAAR").is(t, 200).json(t)["revision"]
	listed := recordsOf(t, s.get(registerPath))[0]["revision"]
	s.restart()
	if again := s.get(portPath+"/DKAAR").is(t, 200).json(t)["revision"]; again != port || s.get(ports.Path+"/info/22781475").is(t, 200).json(t)["revision"] != port {
		t.Errorf("a restart made %v of the revision %v of a port", again, port)
	}
	if again := s.get(registerPath+"/219000001").is(t, 200).json(t)["revision"]; again != listed {
		t.Errorf("a restart made %v of the revision %v", again, listed)
	}
}

// A new password is a change of the user: the answer tells the revision of after it.
func TestTheRevisionOfANewPassword(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	told := s.call("admin", "PUT", usersPath+"/anna", `{"description":"x","password":"a completely new one"}`).is(t, 200).json(t)["revision"].(string)
	s.call("admin", "PUT", usersPath+"/anna", `{"description":"y","revision":"`+told+`"}`).is(t, 200)
}
