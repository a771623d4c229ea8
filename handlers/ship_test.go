package handlers

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

func TestShipInfoBeforeAndAfterANameChange(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon(), 10*time.Second, 3) // a number on the air is believed from the third report on
	s.hear(noon().Add(time.Minute), voyage(nordic, "SOUTHERN HAV"))
	s.hear(noon().Add(54*time.Minute), voyage(nordic, "NORDIC HAV")) // one report alone may be corrupt
	s.hear(noon().Add(time.Hour), voyage(nordic, "NORDIC HAV"))
	s.settle()
	for _, row := range []struct{ body, want string }{
		{`{"mmsi":219018765}`, "NORDIC HAV"},
		{`{"mmsi":219018765,"time":"2026-11-20T12:30:00Z"}`, "SOUTHERN HAV"},
		{`{"mmsi":219018765,"time":"2026-11-20T14:30:00+02:00"}`, "SOUTHERN HAV"},
		{`{"mmsi":219018765,"time":"2026-11-20T13:00:00"}`, "NORDIC HAV"},
		{`{"imo":9321483,"time":"2026-11-20T12:59:59Z"}`, "SOUTHERN HAV"},
		{`{"name":"southern hav","time":"2026-11-20T12:30:00Z"}`, "SOUTHERN HAV"},
		{`{"callsign":"OWKN2","name":"","mmsi":0,"unknown":{"a":[1]}}`, "NORDIC HAV"},
	} {
		got := s.post("/api/portserver/ship/info", row.body).is(t, 200).json(t)
		if got["name"] != row.want || got["mmsi"] != float64(nordic) || got["type"] != "Cargo" || got["eta"] != "2026-11-21T18:30:00" {
			t.Errorf("%s: %v, want %s", row.body, got, row.want)
		}
	}
	before := s.post("/api/portserver/ship/info", `{"mmsi":219018765,"time":"2026-11-20"}`).is(t, 422, "too_old").json(t)
	if detail, _ := before["detail"].(string); !strings.Contains(detail, "before 2026-11-20T12:") {
		t.Errorf("at midnight nothing was known of the ship: %v", before)
	}
	latest := s.get("/api/portserver/ship/info/219018765").is(t, 200).json(t)
	for key, want := range map[string]any{"name": "NORDIC HAV", "length": 134.0, "width": 22.0, "draught": 7.4, "dim_a": 118.0, "country": "Denmark",
		"country_code": "DK", "class": "A", "source": "ais", "updated": "2026-11-20T13:00:00Z", "type_code": 70.0, "destination": "DKAAR"} {
		if latest[key] != want {
			t.Errorf("%s is %v, want %v", key, latest[key], want)
		}
	}
	if byIMO := s.get("/api/portserver/ship/info/9321483").is(t, 200).json(t); byIMO["mmsi"] != float64(nordic) {
		t.Errorf("by IMO number: %v", byIMO)
	}
}

func TestShipInfoNamesWhatContradicts(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	got := s.post("/api/portserver/ship/info", `{"mmsi":219018765,"imo":9321483,"name":"OTHER"}`).is(t, 200).json(t)
	if warnings, ok := got["warnings"].([]any); !ok || len(warnings) != 1 || !strings.HasPrefix(warnings[0].(string), "name") {
		t.Errorf("warnings are %v", got["warnings"])
	}
}

func TestShipInfoErrors(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(219000001, "TWIN"))
	second := voyage(219000002, "TWIN")
	second.IMO, second.CallSign = 0, ""
	s.hear(noon(), second)
	for _, row := range []struct {
		body, code string
		status     int
		pointer    string
	}{
		{`{"mmsi":1}`, "ship_not_found", 422, ""},
		{`{"name":"TWIN"}`, "ambiguous_ship", 409, ""},
		{`{}`, "bad_request", 400, ""},
		{`{"mmsi":"219018765"}`, "bad_request", 400, "/mmsi"},
		{`{"mmsi":-1}`, "bad_request", 400, "/mmsi"},
		{`{"mmsi":1.5}`, "bad_request", 400, "/mmsi"},
		{`{"mmsi":1e999}`, "bad_request", 400, "/mmsi"},
		{`{"mmsi":99999999999999999999}`, "bad_request", 400, "/mmsi"},
		{`{"mmsi":1,"time":"soon"}`, "bad_request", 400, "/time"},
		{`{"mmsi":1,"time":5}`, "bad_request", 400, "/time"},
		{`{"name":5}`, "bad_request", 400, "/name"},
		{`{"mmsi":1,"draught":NaN}`, "bad_request", 400, ""},
		{`[]`, "bad_request", 400, ""},
		{``, "bad_request", 400, ""},
		{`{"mmsi":1`, "bad_request", 400, ""},
		{`{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "bad_request", 400, ""},
		{`{"name":"` + strings.Repeat("x", 2<<20) + `"}`, "too_large", 413, ""},
	} {
		a := s.post("/api/portserver/ship/info", row.body).is(t, row.status, row.code)
		if row.pointer != "" {
			errs, _ := a.json(t)["errors"].([]any)
			if len(errs) == 0 || errs[0].(map[string]any)["pointer"] != row.pointer {
				t.Errorf("%.60s: errors %v, want the pointer %s", row.body, errs, row.pointer)
			}
		}
	}
	twins := s.post("/api/portserver/ship/info", `{"name":"TWIN"}`).json(t)["records"].([]any)
	if len(twins) != 2 {
		t.Errorf("%d candidates, want 2", len(twins))
	}
	s.post("/api/portserver/ship/info", `{"mmsi":1}`, "Content-Type", "text/plain").is(t, 415, "unsupported")
	s.get("/api/portserver/ship/info/219999999").is(t, 404, "not_found")
	s.get("/api/portserver/ship/info/abc").is(t, 400, "bad_request")
	s.get("/api/portserver/nothing").is(t, 404, "not_found")
	s.get("/api/portserver/ship/area").is(t, 405)
	s.send("PATCH", "/api/session", "").is(t, 405)
	if length := len(s.get("/api/portserver/ship/search/TWIN?format=xml").is(t, 400).body); length == 0 {
		t.Error("an unknown format has no explanation")
	}
}

func TestShipPosition(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3071, 56.1402, 112, 1814))
	got := s.get("/api/portserver/ship/position/219018765").is(t, 200)
	want := `{"mmsi":219018765,"nav_status":0,"nav_status_text":"Under way using engine","heading":181,"rot":-3,` +
		`"position":{"type":"Point","extensions":["time","cog","sog"],"coordinates":[10.3071,56.1402,"2026-11-20T12:00:00Z",181.4,11.2]}}`
	if string(got.body) != want {
		t.Errorf("got  %s\nwant %s", got.body, want)
	}
	s.hear(noon(), voyage(219000009, "NEVER PLACED"))
	s.get("/api/portserver/ship/position/219000009").is(t, 404, "no_position")
	s.get("/api/portserver/ship/position/219000010").is(t, 404, "not_found")
	feature := s.get("/api/portserver/ship/position/219018765", "Accept", "application/geo+json").is(t, 200).json(t)
	if at := feature["geometry"].(map[string]any)["coordinates"].([]any); at[0] != 10.3071 || at[1] != 56.1402 {
		t.Errorf("feature lies at %v", at)
	}
}

// A ship that is gone from the picture is found in the store: also after a restart without the picture's help.
func TestShipOfTheStore(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon(), time.Minute, 5)
	s.hear(noon().Add(5*time.Minute), voyage(nordic, "NORDIC HAV"))
	s.settle()
	s.restart()
	s.get("/api/portserver/ship/position/219018765").is(t, 200)
	if found := recordsOf(t, s.get("/api/portserver/ship/search/nordic").is(t, 200)); len(found) != 1 {
		t.Errorf("found %v after a restart", found)
	}
}

func TestShipSearch(t *testing.T) {
	s := newSite(t)
	for i, name := range []string{"HAV", "HAVANA", "OLD HAV", "TOR/2 A", "A+B/C", "50%"} {
		m := voyage(ais.MMSI(219000001+i), name)
		m.IMO, m.CallSign = uint32(9100000+i), fmt.Sprintf("OX%d", i)
		s.hear(noon().Add(time.Duration(i)*time.Minute), m)
	}
	for _, row := range []struct {
		query string
		want  []string
	}{
		{"hav", []string{"HAV", "HAVANA", "OLD HAV"}},
		{"HAV*", []string{"HAV", "HAVANA"}},
		{"h?v", []string{"HAV"}},
		{"ox2", []string{"OLD HAV"}},
		{"219000002", []string{"HAVANA"}},
		{"9100003", []string{"TOR/2 A"}},
		{"tor/2 a", []string{"TOR/2 A"}},
		{"a+b", []string{"A+B/C"}},
		{"a+b/c", []string{"A+B/C"}},
		{"50%", []string{"50%"}},
		{"nothing", nil},
	} {
		var names []string
		for _, r := range recordsOf(t, s.get("/api/portserver/ship/search/"+escaped(row.query)).is(t, 200)) {
			names = append(names, r["name"].(string))
		}
		slices.Sort(names) // their order is the picture's affair, but for the best
		if !slices.Equal(names, row.want) {
			t.Errorf("%s finds %q, want %q", row.query, names, row.want)
		}
	}
	if one := recordsOf(t, s.get("/api/portserver/ship/search/hav?limit=1").is(t, 200)); len(one) != 1 || one[0]["name"] != "HAV" {
		t.Errorf("the best of all is %v", one)
	}
	for _, limit := range []string{"0", "1001", "x", "-1"} {
		s.get("/api/portserver/ship/search/hav?limit="+limit).is(t, 400, "bad_request")
	}
}

// What the air says is text, whatever it looks like.
func TestHostileNames(t *testing.T) {
	s := newSite(t)
	s.sail(219000001, noon(), time.Minute, 3)
	s.sail(219000002, noon(), time.Minute, 3)
	s.hear(noon(), voyage(219000001, `<SCRIPT SRC=//A.CO>`))
	formula := voyage(219000002, `=CMD|' /C calc'!A0`)
	formula.Destination = "@SUM(A1)"
	s.hear(noon(), formula)
	s.settle()
	body := s.get("/api/portserver/ship/search/219").is(t, 200).body
	if strings.Contains(string(body), "<") || !strings.Contains(string(body), `\u003cSCRIPT`) {
		t.Errorf("JSON holds a tag: %s", body)
	}
	table := s.get("/api/portserver/ship/search/219?format=csv").is(t, 200)
	rows, err := csv.NewReader(strings.NewReader(string(table.body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || !strings.HasPrefix(table.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("%d rows, %v", len(rows), table.header)
	}
	seen := 0
	for _, row := range rows[1:] {
		for i, text := range row {
			switch rows[0][i] {
			case "name", "destination", "callsign", "type":
				if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
					t.Errorf("%s is the formula %q", rows[0][i], text)
				}
				if text == `'=CMD|' /C calc'!A0` || text == "'@SUM(A1)" || text == `<SCRIPT SRC=//A.CO>` {
					seen++
				}
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d of 3 hostile texts came through as text: %q", seen, rows)
	}
}

// TestSearchGivesPages: all pages together are the whole, each ship once, in one order, with ships that left the picture among them.
func TestSearchGivesPages(t *testing.T) {
	s := newSite(t)
	for i := range 25 {
		m := ais.MMSI(219000100 + i)
		at := noon().Add(time.Duration(i%2) * 40 * time.Hour)
		s.hear(at, position(m, 10.3, 56.14, 112, 1814))
		s.hear(at.Add(time.Second), voyage(m, fmt.Sprintf("PAGED %02d", i)))
	}
	s.clock.pass(41 * time.Hour)
	s.picture.Tick(s.clock.now(), s.db, s.sight)
	s.settle()
	const path = portserver + "/ship/search/paged"
	var whole, paged []any
	for _, r := range recordsOf(t, s.get(path+"?limit=1000")) {
		whole = append(whole, r["mmsi"])
	}
	for offset := 0; offset < 30; offset += 7 {
		a := s.get(fmt.Sprintf("%s?limit=7&offset=%d", path, offset)).is(t, 200)
		if total := a.json(t)["total"]; total != 25.0 {
			t.Errorf("from %d: total %v", offset, total)
		}
		for _, r := range recordsOf(t, a) {
			paged = append(paged, r["mmsi"])
		}
	}
	if len(whole) != 25 || fmt.Sprint(paged) != fmt.Sprint(whole) {
		t.Errorf("pages %v\nwhole %v", paged, whole)
	}
	s.get(path+"?offset=-1").is(t, 400, "bad_request")
	if total := s.get(portserver+"/ship/search/nothing").is(t, 200).json(t)["total"]; total != 0.0 {
		t.Errorf("nothing: %v", total)
	}
}
