package handlers

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"quaywatch/geo/chart"
	"quaywatch/handlers/ports"
	"quaywatch/users/access"
)

// portPage is an answer of /port/list.
type portPage struct {
	Records              []map[string]any
	Total, Offset, Limit int
}

func (s *site) portList(query string) (p portPage) {
	s.t.Helper()
	a := s.get(ports.Path+"/list"+query).is(s.t, 200)
	if err := json.Unmarshal(a.body, &p); err != nil {
		s.t.Fatal(err)
	}
	return p
}

// codes returns the LOCODEs of a page.
func (p portPage) codes() string {
	var codes []string
	for _, r := range p.Records {
		codes = append(codes, fmt.Sprint(r["locode"]))
	}
	return strings.Join(codes, " ")
}

func TestPortList(t *testing.T) {
	s := newSite(t)
	at := `"position":{"type":"Point","coordinates":[10.5,56.3]}`
	made := s.post(portPath, `{"name":"Ærø <Havn>","locode":"dkfe1",`+at+`}`).is(t, 200).json(t)["id"]
	s.post(portPath, `{"name":"Aarhus",`+at+`}`).is(t, 200)
	s.post(portPath, `{"name":"Gone",`+at+`}`).is(t, 200)
	s.call("admin", "DELETE", portPath+"/gone", "").is(t, 204)

	all := s.portList("")
	if n := len(all.Records); n != 2353 || all.Total != n || all.Offset != 0 || all.Limit != 10000 {
		t.Errorf("%d records of %d from %d, limit %d", n, all.Total, all.Offset, all.Limit)
	}
	one := s.portList("?pattern=DKAAR").Records
	if len(one) != 1 || one[0]["id"] != 22781475.0 || one[0]["name"] != "Aarhus" || one[0]["country"] != "Denmark" || one[0]["country_code"] != "DK" ||
		fmt.Sprint(one[0]["position"]) != "map[coordinates:[10.22 56.15] type:Point]" {
		t.Errorf("%v", one)
	}
	for pattern, want := range map[string]string{
		"aarhus": "DKAAR <nil>", "AARH*": "DKAAR <nil>", "*arhus": "DKAAR <nil>", "a*rh*s": "DKAAR <nil>", "a?rhu?": "DKAAR <nil>", "d?aar": "DKAAR",
		"dkfe1": "DKFE1", "ærø <havn>": "DKFE1", "aero*": "DKFE1",
		"cndal": "CNDLC", "copenhagen": "DKCPH", "K%C3%B8benhavn": "", "København": "DKCPH", " dkaar ": "DKAAR",
		"aarh": "", "gone": "", "22781475": "", "<script>": "", "\x00": "", "\xff*": "",
	} {
		p := s.portList("?pattern=" + url.QueryEscape(pattern))
		if got := p.codes(); got != want || p.Total != len(p.Records) {
			t.Errorf("%q: %s, want %s; total %d", pattern, got, want, p.Total)
		}
	}
	for _, star := range []string{"*", "**", "", strings.Repeat("*", chart.MostPattern)} {
		if p := s.portList("?pattern=" + star); p.Total != all.Total {
			t.Errorf("%.5q gives %d", star, p.Total)
		}
	}
	if p := s.portList("?offset=2352&limit=5"); len(p.Records) != 1 || p.Total != 2353 || p.Offset != 2352 || p.Limit != 5 {
		t.Errorf("the last page: %+v", p)
	}
	if p := s.portList("?offset=99999"); p.Records == nil || len(p.Records) != 0 || p.Total != 2353 {
		t.Errorf("behind the end: %+v", p)
	}
	if last := s.portList("?pattern=dkfe1").Records[0]; last["id"] != made || last["name"] != "Ærø <Havn>" {
		t.Errorf("%v", last)
	}
}

func TestPortListRefused(t *testing.T) {
	s := newSite(t)
	for query, parameter := range map[string]string{
		"?limit=0": "limit", "?limit=10001": "limit", "?limit=-1": "limit", "?limit=x": "limit", "?limit=1e3": "limit",
		"?offset=-1": "offset", "?offset=1.5": "offset",
		"?offset=99999999999999999999": "offset", "?pattern=" + strings.Repeat("a", chart.MostPattern+1): "pattern",
	} {
		a := s.get(ports.Path+"/list"+query).is(t, 400, "bad_request")
		if !strings.Contains(string(a.body), `"parameter":"`+parameter+`"`) || parameter == "offset" && strings.Contains(string(a.body), "from 1") {
			t.Errorf("%.40s: %s", query, a.body)
		}
	}
	s.get(portPath+"?q="+strings.Repeat("*a", chart.MostPattern)).is(t, 400, "bad_request")
}

func TestPortInfo(t *testing.T) {
	s := newSite(t)
	info := ports.Path + "/info/"
	keys := func(p map[string]any) string { return strings.Join(slices.Sorted(maps.Keys(p)), " ") }
	p := s.get(info+"22781475").is(t, 200).json(t)
	if got := keys(p); got != "aliases country country_code default id inner locode made name outer position revision shapes timezone" {
		t.Errorf("fields: %s", got)
	}
	shapes := p["shapes"].([]any)
	if p["name"] != "Aarhus" || p["default"] != true || p["timezone"] != "Europe/Copenhagen" || fmt.Sprint(p["aliases"]) != "[Arhus]" ||
		corners(p["outer"]) != 65 ||
		len(shapes) != 1 || corners(shapes[0].(map[string]any)["geometry"]) != 65 {
		t.Errorf("%v", p)
	}
	unplaced, ok := s.server.deps.Ports.Current().ByLOCODE("CLCAP")
	if !ok {
		t.Fatal("no CLCAP")
	}
	p = s.get(fmt.Sprint(info, unplaced.ID)).is(t, 200).json(t)
	if got := keys(p); got != "country country_code default id inner locode made name revision shapes" || len(p["shapes"].([]any)) != 0 {
		t.Errorf("a port of unknown place: %s", got)
	}
	dalian := s.portList("?pattern=CNDAL").Records[0]["id"].(float64)
	if p = s.get(fmt.Sprintf("%s%.0f", info, dalian)).is(t, 200).json(t); fmt.Sprint(p["other_locodes"]) != "[CNDAL]" {
		t.Errorf("%v", p["other_locodes"])
	}

	s.call("admin", "PUT", portPath+"/DKAAR", `{"outer":`+ring(10.15, 56.1, 10.35, 56.2)+
		`,"inner":[`+ring(10.21, 56.14, 10.25, 56.16)+`],"berths":[{"name":"Quay 4",`+
		`"max_draught":12.1,"position":{"type":"Point","coordinates":[10.227,56.151]}},{"name":"Ro-ro","length":220.5}]}`).is(t, 200)
	p = s.get(info+"22781475").is(t, 200).json(t)
	var kinds []string
	for _, one := range p["shapes"].([]any) {
		f := one.(map[string]any)
		what := f["properties"].(map[string]any)
		kinds = append(kinds, fmt.Sprint(what["kind"], " ", what["name"], " ", f["geometry"].(map[string]any)["type"]))
	}
	if got := strings.Join(kinds, ", "); got != "outer Aarhus Polygon, inner Aarhus Polygon, berth Quay 4 Point" {
		t.Errorf("shapes: %s", got)
	}
	borders := s.get(portPath+"/DKAAR").is(t, 200).json(t)
	for _, key := range []string{"outer", "inner", "berths", "default", "made"} {
		if fmt.Sprint(p[key]) != fmt.Sprint(borders[key]) {
			t.Errorf("%s is %v here and %v there", key, p[key], borders[key])
		}
	}
}

// TestPortsHaveOtherNamesAndADraught: what users give, beside what the list knows.
func TestPortsHaveOtherNamesAndADraught(t *testing.T) {
	s := newSite(t)
	put := func(body string) map[string]any {
		t.Helper()
		return s.call("admin", "PUT", portPath+"/DKAAR", body).is(t, 200).json(t)
	}
	names := func(p map[string]any) string { return fmt.Sprint(p["aliases"]) }
	p := put(`{"aliases":["Aros  City","AROS CITY","aarhus","Arhus","Smilets By"],"max_draught":14.5}`)
	if names(p) != "[Arhus Aros City Smilets By]" || p["max_draught"] != 14.5 {
		t.Errorf("%v", p)
	}
	s.restart()
	read := s.get(ports.Path+"/info/22781475").is(t, 200).json(t)
	if names(read) != names(p) || read["max_draught"] != 14.5 || s.portList("?pattern=smilets*").codes() != "DKAAR" {
		t.Errorf("after a restart: %v", read)
	}
	s.get(portPath+"/aros%20city").is(t, 200)
	// What was read can be written back, and what is not given stays.
	if again := put(string(s.get(portPath + "/DKAAR").body)); names(again) != names(p) || again["max_draught"] != 14.5 {
		t.Errorf("written back: %v", again)
	}
	if p = put(`{"name":"Århus"}`); names(p) != "[Arhus Aarhus Aros City Smilets By]" &&
		names(p) != "[Arhus Aros City Smilets By Aarhus]" || p["max_draught"] != 14.5 {
		t.Errorf("renamed: %v", p)
	}
	if p = put(`{"aliases":[],"max_draught":0,"name":"Aarhus"}`); names(p) != "[Arhus]" || p["max_draught"] != nil {
		t.Errorf("without: %v", p)
	}
	for body, pointer := range map[string]string{
		`{"aliases":"x"}`: "/aliases", `{"aliases":["x",""]}`: "/aliases/1", `{"aliases":["4711"]}`: "/aliases/0", `{"aliases":["a\u0007"]}`: "/aliases/0",
		`{"aliases":["` + strings.Repeat("x", 65) + `"]}`: "/aliases/0", `{"aliases":[1]}`: "/aliases",
		`{"aliases":["a"` + strings.Repeat(`,"a"`, 100) + `]}`: "/aliases",
		`{"max_draught":-1}`: "/max_draught", `{"max_draught":101}`: "/max_draught", `{"max_draught":"7"}`: "/max_draught",
	} {
		a := s.call("admin", "PUT", portPath+"/DKAAR", body).is(t, 400, "bad_request")
		if !strings.Contains(string(a.body), `"pointer":"`+pointer+`"`) {
			t.Errorf("%.60s: %s", body, a.body)
		}
	}
}

func TestPortInfoRefused(t *testing.T) {
	s := newSite(t)
	for _, id := range []string{"DKAAR", "0", "-1", "1.5", "0x10", "99999999999999999999", "%20", "aarhus"} {
		s.get(ports.Path+"/info/"+id).is(t, 400, "bad_request")
	}
	id := s.post(portPath, `{"name":"Gone","position":{"type":"Point","coordinates":[10.5,56.3]}}`).is(t, 200).json(t)["id"].(float64)
	path := fmt.Sprintf("%s/info/%.0f", ports.Path, id)
	s.get(path).is(t, 200)
	s.call("admin", "DELETE", portPath+"/gone", "").is(t, 204)
	s.get(path).is(t, 404, "not_found")
	s.get(ports.Path+"/info/9223372036854775807").is(t, 404, "not_found")
}

// BenchmarkPortList is one whole request for all ports of the list, Basic authentication included.
func BenchmarkPortList(b *testing.B) {
	for name, query := range map[string]string{"all": "", "pattern": "?pattern=" + strings.Repeat("*a", chart.MostPattern/2-1) + "*"} {
		b.Run(name, func(b *testing.B) {
			s := newSite(b)
			r := httptest.NewRequest("GET", ports.Path+"/list"+query, nil)
			r.SetBasicAuth(access.AdminName, adminPassword)
			for b.Loop() {
				w := httptest.NewRecorder()
				s.server.Handler().ServeHTTP(w, r)
				if full := w.Body.Len() > 100_000; w.Code != 200 || full != (query == "") {
					b.Fatal(w.Code, w.Body.Len())
				}
			}
		})
	}
}
