package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/users/access"
	"quaywatch/users/document"
	"quaywatch/users/library"
)

// TestAPIAndImportHoldTheSameRules writes a register entry, a ship list and a shape by the API and by an import. Both take the same, and
// refuse the same in the same words.
func TestAPIAndImportHoldTheSameRules(t *testing.T) {
	s := newSite(t)
	long := strings.Repeat("x", form.MaxText+1)
	points := strings.Repeat(`[1,2],`, 10000)
	for kind, rows := range map[string][]string{
		"register": {
			`{"name":"x","draught":25.6}`, `{"name":"x","draught":-1}`, `{"name":"x","length":1023}`, `{"name":"x","width":127}`, `{"name":"x","dim_a":512}`, `{"name":"x","dim_d":512}`,
			`{"name":"x","imo":10000000}`, `{"mmsi":9007199254740993}`, `{"mmsi":-1}`, `{"name":"x","dwt":2147483649}`, `{"name":"x","gt":-1}`, `{"name":"x","displacement":-0.1}`,
			`{"name":"x","class":"C"}`, `{"name":"x","note":"` + long + `"}`, `{"name":"` + long + `"}`, `{"name":"x","callsign":"` + long + `"}`, `{}`, `{"name":"  "}`, `{"callsign":"OXAB2"}`,
			`{"name":"x","position":{"type":"Point","coordinates":[1,91]}}`, `{"name":"x","imo":1234568}`, `{"name":"x","imo":5}`, `{"name":"x","eta":"soon"}`, `{"mmsi":9900000001}`,
		},
		"shiplist": {
			`{"name":"l","ships":[{}]}`, `{"name":"l","ships":[{"mmsi":5},{"name":" "}]}`, `{"name":"l","ships":[{"imo":4294967296}]}`, `{"name":"l","ships":[{"name":"` + long + `"}]}`,
			`{"name":"l","ships":[{"callsign":"` + long + `"}]}`, `{"name":"l","ships":[],"max":2147483648}`,
		},
		"shape": {
			`{"name":"s"}`, `{"name":"s","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":0}}`, `{"name":"s","circle":{"center":{"type":"Point","coordinates":[181,2]},"radius":5}}`,
			`{"name":"s","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":30000000}}`,
			`{"name":"s","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5},"line":{"type":"LineString","coordinates":[[1,2],[3,4]]}}`,
			`{"name":"s","polygon":{"type":"LineString","coordinates":[[1,2],[3,4]]}}`, `{"name":"s","line":{"type":"Polygon","coordinates":[[[1,2],[3,4],[3,2],[1,2]]]}}`,
			`{"name":"s","polygon":{"type":"Polygon","coordinates":[[[1,2],[3,4]]]}}`, `{"name":"s","line":{"type":"LineString","coordinates":[` + points + `[3,4]]}}`,
			`{"name":"s","line":{"type":"LineString","coordinates":[[1,2],[3,4]]},"color":"javascript:alert(1)"}`,
			`{"name":"s","line":{"type":"LineString","coordinates":[[1,2],[3,4]]},"color":"#ff00"}`, `{"name":"s","line":{"type":"LineString","coordinates":[[1,2],[3,4]]},"color":"#12345g"}`,
			`{"name":"s","line":{"type":"LineString","coordinates":[[1,2],[3,4]]},"color":"ff0000"}`, `{"name":"s","line":{"type":"LineString","coordinates":[[1,2],[3,4]]},"region":2147483648}`,
		},
	} {
		path := map[string]string{"register": registerPath, "shiplist": configPath + "/shiplist", "shape": configPath + "/shape"}[kind]
		for _, row := range rows {
			a := s.post(path, row).is(t, 400, "bad_request").json(t)
			err := s.take(map[string]string{"register": "register", "shiplist": "shiplists", "shape": "shapes"}[kind], row)
			if err == nil {
				t.Errorf("an import takes the %s %.90s", kind, row)
				continue
			}
			for _, one := range a["errors"].([]any) {
				if rule := one.(map[string]any)["detail"].(string); !strings.Contains(err.Error(), rule) {
					t.Errorf("%s %.90s: the API says %q, the import %.200q", kind, row, rule, err)
				}
			}
		}
		for _, fine := range map[string][]string{
			"register": {`{"mmsi":5,"imo":9999993,"eta":"2026-11-21T18:30:00","length":1022,"width":126,"dim_a":511,"draught":25.5,"class":"aton","dwt":2147483648,"note":"` + long[1:] + `"}`},
			"shiplist": {`{"name":"l","ships":[{"mmsi":5},{"callsign":"OXAB2"}],"max":2}`},
			"shape":    {`{"name":"s","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5},"region":2147483647}`},
		}[kind] {
			s.post(path, fine).is(t, 200)
			if err := s.take(map[string]string{"register": "register", "shiplist": "shiplists", "shape": "shapes"}[kind], fine); err != nil {
				t.Errorf("an import refuses the %s %.90s: %v", kind, fine, err)
			}
		}
	}
	s.post(configPath+"/shiplist", `{"name":"","ships":[]}`).is(t, 400, "bad_request")
	s.post(groups, `{"name":""}`).is(t, 400, "bad_request")
	s.call("admin", "PUT", groups, `{"name":" "}`).is(t, 400, "bad_request")
	for _, text := range []string{"2027-01-02", "2027-01-02T03:04", "2027-01-02T03:04:05", "2027-01-02 03:04:05", "2027-01-02T03:04:05.5+01:00",
		"2027-01-02T03:04Z", "soon", "2027-13-01", "03:04"} {
		s.addUser("anna", access.GroupViewer)
		err := s.take("users", `{"name":"anna","expiration_time":"`+text+`"}`)
		var imported time.Time
		if user, _ := s.users.User("anna"); err == nil {
			imported = user.Expires
		}
		a := s.call("admin", "PUT", usersPath+"/anna", `{"expiration_time":"`+text+`"}`)
		if (a.status == 200) != (err == nil) {
			t.Errorf("%s: the API answers %d, the import %v", text, a.status, err)
		}
		if user, _ := s.users.User("anna"); err == nil && !user.Expires.Equal(imported) {
			t.Errorf("%s: %v by the API, %v by an import", text, user.Expires, imported)
		}
		s.call("admin", "DELETE", usersPath+"/anna", "").is(t, 204)
	}
}

// A list takes 50,000 ships and no more, and a user over the limit is refused in the form of every limit.
func TestTooManyAreRefused(t *testing.T) {
	s := newSite(t)
	path := configPath + "/shiplist"
	list := func(count int) string {
		return `{"name":"all","ships":[{"mmsi":5}` + strings.Repeat(`,{"mmsi":6}`, count-1) + `]}`
	}
	const words = "there may be at most 50000 ships in a ship list"
	if a := s.post(path, list(library.MaxListed+1)).is(t, 409, "limit_reached"); a.json(t)["detail"] != words {
		t.Errorf("%s", a.body)
	}
	if err := s.take("shiplists", list(library.MaxListed+1)); err == nil || !strings.Contains(err.Error(), words) {
		t.Errorf("by an import: %v", err)
	}
	s.post(path, list(library.MaxListed)).is(t, 200)
	for kind, count := range map[string]int{"too many": 1001, "nobody": 1} {
		shared := `{"name":"shared","ships":[],"acl":["nobody"` + strings.Repeat(`,"nobody"`, count-1) + `]}`
		rule := map[string]string{"too many": "may name at most 1000", "nobody": "must name a group or user"}[kind]
		if a := s.post(path, shared).is(t, 400, "bad_request"); !strings.Contains(fmt.Sprint(a.json(t)["errors"]), rule) {
			t.Errorf("%s", a.body)
		}
		if err := s.take("shiplists", shared); err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("by an import: %v", err)
		}
	}
	var made []string
	for i := range access.MaxGroups - len(s.users.Groups().All()) {
		made = append(made, fmt.Sprintf(`{"name":"group %d"}`, i))
	}
	if err := s.take("groups", strings.Join(made, ",")); err != nil {
		t.Fatal(err)
	}
	s.post(groups, `{"name":"more"}`).is(t, 409, "limit_reached")
	s.post(groups+"/viewer/clone", `{"name":"more"}`).is(t, 409, "limit_reached")
	s.call("admin", "DELETE", groups+"/group%200", "").is(t, 204)
	s.post(groups, `{"name":"more"}`).is(t, 200)
}

// take imports a document of one thing.
func (s *site) take(kind, thing string) error {
	doc, err := document.Read(fmt.Appendf(nil, `{"%s":[%s]}`, kind, thing))
	if err == nil {
		_, err = s.areas.Box.Import(s.t.Context(), doc, false)
	}
	return err
}
