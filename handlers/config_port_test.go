package handlers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
	"quaywatch/users/registry"
)

// ring writes a GeoJSON polygon around west, south, east and north.
func ring(w, s, e, n float64) string {
	return fmt.Sprintf(`{"type":"Polygon","coordinates":[[[%[1]v,%[2]v],[%[3]v,%[2]v],[%[3]v,%[4]v],[%[1]v,%[4]v],[%[1]v,%[2]v]]]}`, w, s, e, n)
}

// corners counts the points of a polygon in an answer.
func corners(polygon any) int {
	return len(polygon.(map[string]any)["coordinates"].([]any)[0].([]any))
}

func TestPortShapes(t *testing.T) {
	s := newSite(t)
	for _, ref := range []string{"copenhagen", "K%C3%B8benhavn", "kobenhavn"} {
		if p := s.get(portPath+"/"+ref).is(t, 200).json(t); p["locode"] != "DKCPH" {
			t.Errorf("%s: %v", ref, p)
		}
	}
	for _, ref := range []string{"22781475", "DKAAR", "dk%20aar", "AARHUS", "%20aarhus"} {
		p := s.get(portPath+"/"+ref).is(t, 200).json(t)
		if p["id"] != 22781475.0 || p["locode"] != "DKAAR" || p["name"] != "Aarhus" || p["country"] != "Denmark" || p["country_code"] != "DK" ||
			p["timezone"] != "Europe/Copenhagen" ||
			p["default"] != true || p["made"] != false || len(p["inner"].([]any)) != 0 || corners(p["outer"]) != 65 {
			t.Errorf("%s: %v", ref, p)
		}
	}
	s.get(portPath+"/Nowhere").is(t, 404, "not_found")
	s.get(portPath+"/22781474").is(t, 404, "not_found")
	twins := s.get(portPath+"/portland").is(t, 409, "ambiguous_port")
	if r := recordsOf(t, twins); len(r) != 2 || r[0]["locode"] == r[1]["locode"] || r[0]["position"] == nil || r[0]["id"] == nil {
		t.Errorf("candidates: %s", twins.body)
	}
	if p := s.get(portPath+"/CLCAP").is(t, 200).json(t); p["outer"] != nil || p["position"] != nil { // nobody knows where
		t.Errorf("%v", p)
	}

	outer, inner := ring(10.15, 56.1, 10.35, 56.2), ring(10.21, 56.14, 10.25, 56.16)
	berths := `[{"name":"Quay 4","quay_id":124,"length":220.5,"max_draught":12.1,"position":{"type":"Point","coordinates":[10.227,56.151]}},{"id":7,"name":"Ro-ro"}]`
	put := s.call("admin", "PUT", portPath+"/dkaar", `{"outer":`+outer+`,"inner":[`+inner+`],"berths":`+berths+`}`).is(t, 200)
	if string(put.body) != string(s.get(portPath+"/DKAAR").body) {
		t.Errorf("a GET gives another answer than the PUT: %s", put.body)
	}
	s.restart()
	now := s.get(portPath+"/DKAAR").is(t, 200).json(t)
	quay, roro := now["berths"].([]any)[0].(map[string]any), now["berths"].([]any)[1].(map[string]any)
	if now["default"] != false || corners(now["outer"]) != 5 || corners(now["inner"].([]any)[0]) != 5 || now["timezone"] != "Europe/Copenhagen" ||
		quay["id"] != 8.0 || roro["id"] != 7.0 || quay["quay_id"] != 124.0 || quay["position"].(map[string]any)["type"] != "Point" {
		t.Errorf("%v", now)
	}
	// What is not given stays; a new inner takes the place of all.
	now = s.call("admin", "PUT", portPath+"/DKAAR", `{"inner":[]}`).is(t, 200).json(t)
	if now["default"] != false || len(now["inner"].([]any)) != 0 || len(now["berths"].([]any)) != 2 {
		t.Errorf("%v", now)
	}
	// What GET gives can be written back.
	s.call("admin", "PUT", portPath+"/DKAAR", string(s.get(portPath+"/DKAAR").body)).is(t, 200)
	for range 2 { // the second has nothing to do
		s.call("admin", "DELETE", portPath+"/DKAAR", "").is(t, 204)
	}
	now = s.get(portPath+"/DKAAR").is(t, 200).json(t)
	if now["default"] != true || now["berths"] != nil || now["name"] != "Aarhus" {
		t.Errorf("back to default: %v", now)
	}
}

func TestPortShapesRefused(t *testing.T) {
	s := newSite(t)
	outer := ring(10.15, 56.1, 10.35, 56.2)
	many := make([]string, 0, 10001)
	for i := range 10000 {
		many = append(many, fmt.Sprintf("[%v,56.15]", 10.2+float64(i)/1e6))
	}
	many = append(many, many[0])
	for _, row := range []struct{ body, pointer string }{
		{`[]`, ""},
		{`{"outer":{"type":"Point","coordinates":[10,56]}}`, "/outer/type"},
		{`{"outer":{"type":"LineString","coordinates":[[10.2,56.1],[10.3,56.2]]}}`, "/outer/type"},
		{`{"outer":{"type":"MultiPolygon","coordinates":[]}}`, "/outer/type"},
		{`{"outer":{"type":"Polygon","coordinates":[[[10.2,56.1],[10.3,56.1],[10.3,56.2],[10.2,56.2]]]}}`, "/outer/coordinates/0/3"},
		{`{"outer":{"type":"Polygon","coordinates":[[[10.2,56.1],[10.3,96.1],[10.3,56.2],[10.2,56.1]]]}}`, "/outer/coordinates/0/1/1"},
		{`{"outer":{"type":"Polygon","coordinates":[[` + strings.Join(many, ",") + `]]}}`, "/outer/coordinates/0"},
		{`{"outer":` + ring(56.1, 10.15, 56.2, 10.35) + `}`, "/outer"}, // longitude and latitude exchanged
		{`{"outer":` + ring(0, 40, 20, 60) + `}`, "/outer"},
		{`{"outer":` + outer + `,"inner":{}}`, "/inner"},
		{`{"outer":` + outer + `,"inner":[null]}`, "/inner/0"},
		{`{"outer":` + outer + `,"inner":[` + ring(10.2, 56.14, 10.25, 56.16) + `,` + ring(10.3, 56.14, 10.4, 56.16) + `]}`, "/inner/1/coordinates/0/0"},
		{`{"inner":[` + ring(10.2, 56.14, 10.4, 56.16) + `]}`, "/inner/0/coordinates/0/0"}, // of the default circle
		{`{"outer":` + outer + `,"berths":[{"id":1}]}`, "/berths/0/name"},
		{`{"berths":[{"name":"a"},{"name":"b","length":-1}]}`, "/berths/1/length"},
		{`{"berths":[{"id":3,"name":"a"},{"id":3,"name":"b"}]}`, "/berths/1/id"},
		{`{"berths":[{"name":"a","position":[10,56]}]}`, "/berths/0/position"},
		{`{"berths":["a"]}`, "/berths/0"},
		{`{"berths":[{"name":"a\u0007"}]}`, "/berths/0/name"},
		{`{"name":"4711"}`, "/name"}, {`{"name":""}`, "/name"}, {`{"name":7}`, "/name"},
		{`{"locode":"DKAAL"}`, "/locode"}, {`{"locode":"D4AAR"}`, "/locode"},
		{`{"position":{"type":"Point","coordinates":[10,96]}}`, "/position"},
	} {
		a := s.call("admin", "PUT", portPath+"/DKAAR", row.body).is(t, 400, "bad_request")
		errs, _ := a.json(t)["errors"].([]any)
		if len(errs) == 0 || errs[0].(map[string]any)["pointer"] != row.pointer {
			t.Errorf("%.120s: %s", row.body, a.body)
		}
	}
	if p := s.get(portPath + "/DKAAR").json(t); p["default"] != true {
		t.Errorf("%v", p)
	}
	s.call("admin", "PUT", portPath+"/portland", `{"outer":`+outer+`}`).is(t, 409, "ambiguous_port")
	s.call("admin", "PUT", portPath+"/nowhere", `{"outer":`+outer+`}`).is(t, 404, "not_found")
	s.call("admin", "DELETE", portPath+"/nowhere", ``).is(t, 404, "not_found")
}

// A position that is wrong or missing in the list is put right together with the border.
func TestPortOfUnknownPlace(t *testing.T) {
	s := newSite(t)
	s.call("admin", "PUT", portPath+"/CLCAP", `{"inner":[`+ring(-73.17, -36.74, -73.16, -36.73)+`]}`).is(t, 400)
	p := s.call("admin", "PUT", portPath+"/CLCAP", `{"name":"Caleta","position":{"type":"Point","coordinates":[-73.17,-36.73]}}`).is(t, 200).json(t)
	if p["default"] != true || corners(p["outer"]) != 65 || p["name"] != "Caleta" {
		t.Errorf("%v", p)
	}
	if p := s.get(portPath+"/san%20vicente").is(t, 200).json(t); p["locode"] != "CLSVE" { // the old name is an alias now, and a name comes first
		t.Errorf("%v", p)
	}
	s.call("admin", "DELETE", portPath+"/CLCAP", "").is(t, 204)
	s.get(portPath+"/San%20Vicente").is(t, 409, "ambiguous_port")
}

func TestListPorts(t *testing.T) {
	s := newSite(t)
	names := func(query string) []string {
		t.Helper()
		got := []string{}
		for _, r := range recordsOf(t, s.get(portPath+query).is(t, 200)) {
			got = append(got, r["name"].(string))
		}
		return got
	}
	if n := len(names("")); n < 1600 {
		t.Errorf("%d ports", n)
	}
	for query, want := range map[string][]string{
		"?q=aarh": {"Aarhus"}, "?q=DKAAR": {"Aarhus"}, "?q=dkaa*": {"Aabenraa", "Aalborg", "Aarhus"}, "?q=copenh": {"København"}, "?q=K%C3%B8benh*": {"København"}, "?q=nowhere": {}, "?q=*rotter*": {"Rotterdam", "Rotterdam"},
		"?bbox=10.1,56.1,10.3,56.2": {"Aarhus"}, "?bbox=10.27,56.1,10.3,56.2": {"Aarhus"}, "?bbox=10.4,56.1,10.41,56.2": {},
		"?bbox=10.1,56.1,10.3,56.2&q=x": {}, "?q=%3Cscript%3E": {},
	} {
		if got := names(query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
	if pacific := names("?bbox=177,-20,-178,-15"); !slices.Contains(pacific, "Suva") || slices.Contains(pacific, "Aarhus") {
		t.Errorf("over the date line: %v", pacific)
	}
	s.get(portPath+"?bbox=1,2,3").is(t, 400, "bad_request")
}

func TestPortsMadeByHand(t *testing.T) {
	s := newSite(t)
	at := `"position":{"type":"Point","coordinates":[10.5,56.3]}`
	id := s.post(portPath, `{"name":"<b>Ferry & Co","locode":"dk fe1",`+at+`}`).is(t, 200).json(t)["id"]
	if id != 100000001.0 {
		t.Errorf("id %v", id)
	}
	s.post(portPath, `{"name":"<B>ferry  & co",`+at+`}`).is(t, 409, "name_taken")
	s.post(portPath, `{"name":"Other","locode":"DKFE1",`+at+`}`).is(t, 409, "name_taken")
	s.post(portPath, `{"name":"Other","locode":"CNDAL",`+at+`}`).is(t, 409, "name_taken") // the second LOCODE of Dalian
	s.post(portPath, `{"name":"Other"}`).is(t, 400)
	s.post(portPath, `{`+at+`}`).is(t, 400)
	s.post(portPath, `{"name":"Aarhus",`+at+`}`).is(t, 200) // in another country there may be one
	s.get(portPath+"/aarhus").is(t, 409, "ambiguous_port")
	s.restart()
	made := s.get(portPath+"/DKFE1").is(t, 200).json(t)
	if made["id"] != id || made["made"] != true || made["name"] != "<b>Ferry & Co" || made["country"] != "Denmark" || made["default"] != true {
		t.Errorf("%v", made)
	}
	changed := s.call("admin", "PUT", portPath+"/100000001", `{"name":"Ferry","locode":"","outer":`+ring(10.45, 56.25, 10.55, 56.35)+`}`).is(t, 200).json(t)
	if changed["locode"] != nil || changed["name"] != "Ferry" || changed["default"] != false || changed["country"] != nil {
		t.Errorf("%v", changed)
	}
	s.call("admin", "DELETE", portPath+"/ferry", "").is(t, 204)
	s.get(portPath+"/100000001").is(t, 404)
	s.restart()
	s.get(portPath+"/ferry").is(t, 404)
	if next := s.post(portPath, `{"name":"Ferry",`+at+`}`).is(t, 200).json(t)["id"]; next != 100000003.0 {
		t.Errorf("the next id is %v", next)
	}
}

func TestPortsAreDrawnByRight(t *testing.T) {
	s := newSite(t)
	s.may("looker", right.ViewPort)
	s.may("drawer", right.AdminPort)
	body := `{"outer":` + ring(10.15, 56.1, 10.35, 56.2) + `}`
	s.call("looker", "GET", portPath+"/DKAAR", "").is(t, 200)
	s.call("looker", "PUT", portPath+"/DKAAR", body).is(t, 403, "forbidden")
	s.call("drawer", "GET", portPath+"/DKAAR", "").is(t, 403, "forbidden")
	s.clock.pass(time.Second) // the log orders kinds of one moment as it likes
	s.call("drawer", "PUT", portPath+"/DKAAR", body).is(t, 200)
	s.clock.pass(time.Second)
	if _, err := s.users.Change("drawer", func(u *access.User) error {
		u.Rights = map[right.Name]right.Verdict{right.AllowWebService: right.Allow, right.AdminPort: right.Allow}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s.call("drawer", "DELETE", portPath+"/DKAAR", "").is(t, 403, "forbidden") // from another machine
	var log []string
	for _, e := range recordsOf(t, s.get("/api/audit").is(t, 200)) {
		if strings.HasSuffix(e["action"].(string), " port") {
			log = append(log, fmt.Sprint(e["user"], " ", e["action"], " ", e["object"], " ", e["result"], " ", e["detail"]))
		}
	}
	want := []string{"drawer DELETE port DKAAR denied <nil>", "drawer PUT port Aarhus ok outer", "looker PUT port DKAAR denied <nil>"}
	if !slices.Equal(log, want) {
		t.Errorf("audit log: %q", log)
	}
}

// Two users change the same port: the second is refused, and nothing is lost. handlers/settings makes a conflict of the error.
func TestPortChangedMeanwhile(t *testing.T) {
	s := newSite(t)
	was, ok := s.server.deps.Ports.Current().ByLOCODE("DKAAR")
	if !ok {
		t.Fatal("no Aarhus")
	}
	s.call("admin", "PUT", portPath+"/DKAAR", `{"berths":[{"name":"a"}]}`).is(t, 200)
	if _, err := s.server.deps.Ports.Change(was, *was); !errors.Is(err, form.ErrStale) {
		t.Errorf("%v", err)
	}
	if err := s.server.deps.Ports.Delete(was); !errors.Is(err, form.ErrStale) {
		t.Errorf("%v", err)
	}
}

// The ports stand beside the shapes: one that is named port is not lost.
func TestShapeNamedPort(t *testing.T) {
	s := newSite(t)
	uid := s.post(configPath+"/shape", `{"name":"port","polygon":`+ring(10.15, 56.1, 10.35, 56.2)+`}`).is(t, 200).json(t)["uid"].(string)
	if shape := s.get(configPath+"/shape/"+uid).is(t, 200).json(t); shape["name"] != "port" {
		t.Errorf("%v", shape)
	}
	s.call("admin", "DELETE", configPath+"/shape/"+uid, "").is(t, 204)
}

// What was acknowledged is on the disk, and what one box kept another can take over.
func TestPortsOutliveAKillAndMoveToAnotherBox(t *testing.T) {
	s := newSite(t)
	for i := range 6 {
		s.post(portPath, fmt.Sprintf(`{"name":"port %d","position":{"type":"Point","coordinates":[10.5,56.3]}}`, i)).is(t, 200)
		if ports := s.portsAsKilled(); len(ports.Current().Find(fmt.Sprint("port ", i))) != 1 {
			t.Errorf("port %d is lost", i)
		}
	}
	s.call("admin", "DELETE", portPath+"/port%200", "").is(t, 204)
	s.call("admin", "PUT", portPath+"/DKAAR", `{"outer":`+ring(10.15, 56.1, 10.35, 56.2)+
		`,"aliases":["Aros"],"max_draught":9.5,"berths":[{"name":"a","position":{"type":"Point","coordinates":[10.2,56.1]}}]}`).is(t, 200)
	if ports := s.portsAsKilled(); len(ports.Export("ports")) != 6 || len(ports.Current().Find("port 0")) != 0 {
		t.Errorf("%v", ports.Export("ports"))
	}

	whole, err := s.areas.Box.Export()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(whole)
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(text, &sections); err != nil {
		t.Fatal(err)
	}
	doc, err := document.Read(fmt.Appendf(nil, `{"ports":%s}`, sections["ports"]))
	if err != nil {
		t.Fatal(err)
	}
	other := newSite(t)
	other.post(portPath, `{"name":"PORT 3","position":{"type":"Point","coordinates":[0,0]}}`).is(t, 200)
	for range 2 { // and again: it is the same then
		if _, err := other.areas.Box.Import(t.Context(), doc, false); err != nil {
			t.Error(err)
		}
	}
	for _, ref := range []string{"DKAAR", "port%201", "port%205"} {
		if here, there := s.get(portPath+"/"+ref).body, other.get(portPath+"/"+ref).body; string(here) != string(there) {
			t.Errorf("%s here and there:\n%s\n%s", ref, here, there)
		}
	}
	if p := other.get(portPath+"/port%203").is(t, 200).json(t); p["id"] != 100000001.0 || p["position"].(map[string]any)["coordinates"].([]any)[0] != 10.5 {
		t.Errorf("the one of the same name: %v", p)
	}
	if n := len(other.server.deps.Ports.Export("ports")); n != 6 {
		t.Errorf("%d are kept there", n)
	}
}

// portsAsKilled returns the ports of a copy of the files as they lie on the disk now, as after a kill.
func (s *site) portsAsKilled() *registry.PortTable {
	s.t.Helper()
	listed, err := chart.LoadPorts()
	if err != nil {
		s.t.Fatal(err)
	}
	ports, err := registry.OpenPorts(s.copyAsKilled().Database, listed, s.clock.now, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return ports
}
