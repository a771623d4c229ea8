package handlers

import (
	"encoding/json"
	"strings"
	"testing"
)

// What hands write in one line loses its outer blanks at every door, and two blanks inside become one.
func TestNamesLoseOuterBlanks(t *testing.T) {
	s := newSite(t)
	const name = `"name":"  Anna  Berg\t"`
	for _, door := range []struct{ path, body, key string }{
		{groups, `{` + name + `,"common_name":" Crew  of Anna ","email":" a@port ","phone":" 1 2 "}`, "uid"},
		{configPath + "/shiplist", `{` + name + `,"ships":[{"mmsi":211000001,"name":" Anna  Berg ","callsign":" DA1 "}]}`, "uid"},
		{configPath + "/filter", `{` + name + `,"filter":"sog > 1"}`, "uid"},
		{configPath + "/shape", `{` + name + `,"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`, "uid"},
		{registerPath, `{` + name + `,"mmsi":211000001,"callsign":" DA1 ","destination":" Kiel  Canal "}`, "mmsi"},
		{portPath, `{` + name + `,"position":{"type":"Point","coordinates":[1,2]},"berths":[{"name":" Pier  1 ","locode":" P1 "}]}`, "id"},
	} {
		made := s.post(door.path, door.body).is(t, 200)
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(made.body, &keys); err != nil {
			t.Fatal(err)
		}
		path := door.path + "/" + strings.Trim(string(keys[door.key]), `"`)
		for _, change := range []string{"", door.body} {
			if change != "" {
				s.call("admin", "PUT", path, change).is(t, 200)
			}
			body := string(s.get(path).is(t, 200).body)
			if !strings.Contains(body, `"name":"Anna Berg"`) || strings.Contains(body, `" `) || strings.Contains(body, ` "`) {
				t.Errorf("%s after %q: %s", path, change, body)
			}
		}
	}
	s.post(usersPath, `{"name":" anna ","common_name":"  Anna  Berg ","password":"`+adminPassword+`"}`).is(t, 200)
	if body := string(s.get(usersPath+"/anna").is(t, 200).body); !strings.Contains(body, `"common_name":"Anna Berg"`) {
		t.Errorf("the user: %s", body)
	}
	s.post(usersPath, `{"name":"an na","password":"`+adminPassword+`"}`).is(t, 400, "bad_request")
}
