package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Two ships meet in this shape, at this place.
const (
	meetShape  = `{"type":"Polygon","coordinates":[[[10.2,56],[10.5,56],[10.5,56.3],[10.2,56.3],[10.2,56]]]}`
	meetPlace  = `{"type":"Point","coordinates":[10.35,56.15]}`
	westerly   = ais.MMSI(219000700)
	meetPeriod = `"begin":"2026-11-20T10:05:00Z","end":"2026-11-20T11:30:00Z",`
)

// nearMiss lets two ships meet at half past ten, 110 m from each other.
func (s *site) nearMiss() {
	from := noon().Add(-2 * time.Hour)
	s.heardBy(from, voyage(nordic, "NORDIC HAV"), "roof")
	s.heardBy(from, voyage(westerly, "WESTER"), "roof")
	for i := range 60 {
		at := from.Add(time.Duration(i) * time.Minute)
		s.heardBy(at, position(nordic, 10.35+float64(i-30)*0.004, 56.15, 80, 900), "roof")
		s.heardBy(at, position(westerly, 10.35-float64(i-30)*0.004, 56.151, 80, 2700), "roof")
	}
	s.settle()
}

// nearResult asks for a statistic and returns its number and its records.
func (s *site) nearResult(kind, ask string) (id string, found []map[string]any) {
	s.t.Helper()
	id = s.statistic("admin", kind, `{`+meetPeriod+ask+`}`)
	if now := s.ran(id); now["status"] != "completed" {
		s.t.Fatalf("%s: %v", kind, now)
	}
	return id, recordsOf(s.t, s.get(statPath+"/"+kind+"/result"+id).is(s.t, 200))
}

// nearAsks are definitions of the kinds that tell where ships were.
func nearAsks() map[string]string {
	return map[string]string{
		"nmss":            `"shape":` + meetShape + `,"distance":{"max":300},"duration":["00:01:00"]`,
		"nmsp":            `"shape":` + meetPlace + `,"distance":{"max":300}`,
		"multiship":       `"ships":[{"imo":9321483,"name":"NORDIC HAV"},{"mmsi":219000700}]`,
		"historicaltrack": `"mmsi":[219018765,219000700],"resolution":"00:10:00","shape":` + meetShape,
	}
}

// TestWhereShipsWere: the results of near misses, near points, changes and tracks as a caller reads them.
func TestWhereShipsWere(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	asks := nearAsks()
	_, misses := s.nearResult("nmss", asks["nmss"])
	if len(misses) != 1 || misses[0]["timestamp"] != "2026-11-20T10:30:00Z" || len(misses[0]["ship"].([]any)) != 2 || misses[0]["mmsi"] != nil {
		t.Fatalf("nmss: %v", misses)
	}
	want := "map[callsign:OWKN2 cog:90 draught:7.4 imo:9.321483e+06 mmsi:2.19018765e+08 name:NORDIC HAV position:map[coordinates:[10.35 56.15] type:Point] sog:8]"
	if other := fmt.Sprint(misses[0]["ship"].([]any)[1]); other != want || misses[0]["distance"] != 111.3 {
		t.Errorf("nmss: %v, %v", misses[0]["distance"], other)
	}
	id, points := s.nearResult("nmsp", asks["nmsp"])
	if len(points) != 2 || points[0]["name"] == nil || points[0]["ship"].(map[string]any)["name"] == nil {
		t.Errorf("nmsp: %v", points)
	}
	if later := recordsOf(t, s.get(statPath+"/nmsp/result"+id+"?release=134").is(t, 200)); later[0]["name"] != nil || later[0]["timestamp"] == nil {
		t.Errorf("nmsp: %v", later)
	}
	_, changes := s.nearResult("multiship", asks["multiship"])
	if first := changes[0]; len(changes) != 4 || first["change"] != 4.0 || first["timestamp"] != "2026-11-20T10:04:00Z" || first["name"] == nil || first["eta"] != "2026-11-21T18:30:00" || first["latitude"] == nil {
		t.Errorf("multiship: %v", changes)
	}
	_, tracks := s.nearResult("historicaltrack", asks["historicaltrack"])
	if numbersOf(tracks) != "219000700 219018765" || tracks[0]["name"] != "WESTER" {
		t.Fatalf("historicaltrack: %v", tracks)
	}
	line := tracks[0]["track"].(map[string]any)
	if list := line["coordinates"].([]any); line["type"] != "LineString" || fmt.Sprint(line["extensions"]) != "[time cog sog]" || len(list) != 6 ||
		fmt.Sprint(list[1]) != "[10.43 56.151 2026-11-20T10:10:00Z 270 8]" {
		t.Errorf("historicaltrack: %v", line)
	}
}

// TestNearMissesByDomainAreATable: the columns of how both met and of the domain, which are empty without one. A reader from whom a ship is hidden has no row.
func TestNearMissesByDomainAreATable(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	shape := nearAsks()["nmss"]
	for more, want := range map[string]string{
		``: `2026-11-20T10:30:00Z,111.3,head-on,,,219000700,`,
		`,"domain":{"type":"ellipse","ahead":5,"abeam":5}`: `,head-on,`,
	} {
		id, all := s.nearResult("nmss", shape+more)
		csv := string(s.get(statPath+"/nmss/result"+id+"?format=csv").is(t, 200).body)
		if len(all) != 1 || !strings.HasPrefix(csv, "timestamp,distance,meeting,domain,domain_of,mmsi_1,") || !strings.Contains(csv, want) {
			t.Errorf("%s: %s %v", more, csv, all)
		}
		if more == "" {
			continue
		}
		if ratio, _ := all[0]["domain"].(float64); !(ratio > 0 && ratio < 1) || all[0]["domain_of"] == nil {
			t.Errorf("%v", all[0])
		}
		s.addUser("anna", access.GroupAdmin)
		s.setFilter("anna", `{"expression":"mmsi = 219018765"}`)
		if some := recordsOf(t, s.call("anna", "GET", statPath+"/nmss/result"+id, "").is(t, 200)); len(some) != 0 {
			t.Errorf("hidden: %v", some)
		}
	}
}

// TestAHiddenShipIsNowhere: none of these results has it.
func TestAHiddenShipIsNowhere(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	s.addUser("anna", access.GroupAdmin)
	for kind, ask := range nearAsks() {
		id, all := s.nearResult(kind, ask)
		s.setFilter("anna", `{"expression":"mmsi = 219018765"}`)
		a := s.call("anna", "GET", statPath+"/"+kind+"/result"+id, "").is(t, 200)
		some := recordsOf(t, a)
		if strings.Contains(string(a.body), "WESTER") || strings.Contains(string(a.body), "219000700") || len(some) >= len(all) {
			t.Errorf("%s: %s", kind, a.body)
		}
		if kind != "nmss" && len(some) == 0 {
			t.Errorf("%s: the other ship is not there", kind)
		}
		s.setFilter("anna", `{"psss":["pier"]}`)
		if got := recordsOf(t, s.call("anna", "GET", statPath+"/"+kind+"/result"+id, "").is(t, 200)); len(got) != 0 {
			t.Errorf("%s: of another feed: %v", kind, got)
		}
		s.setFilter("anna", `{"expression":"sog > 50"}`)
		if got := recordsOf(t, s.call("anna", "GET", statPath+"/"+kind+"/result"+id, "").is(t, 200)); len(got) != 0 {
			t.Errorf("%s: too slow: %v", kind, got)
		}
	}
	s.setFilter("anna", `{"expression":"mmsi = 219018765"}`)
	s.call("anna", "POST", statPath+"/multiship", `{`+meetPeriod+`"ships":[{"mmsi":219000700}]}`).is(t, 422, "ship_not_found")
}

// TestTracksAreCutFixByFix: a reader gets the part of a track that it might have seen.
func TestTracksAreCutFixByFix(t *testing.T) {
	s := newSite(t)
	from := noon().Add(-2 * time.Hour)
	for i := range 40 {
		feed := "roof"
		if i >= 20 {
			feed = "pier"
		}
		s.heardBy(from.Add(time.Duration(i)*time.Minute), position(nordic, 10.3+float64(i)*0.004, 56.15, 80, 900), feed)
	}
	s.settle()
	id, all := s.nearResult("historicaltrack", `"mmsi":[219018765]`)
	s.addUser("anna", access.GroupAdmin)
	s.setFilter("anna", `{"psss":["pier"]}`)
	some := recordsOf(t, s.call("anna", "GET", statPath+"/historicaltrack/result"+id, "").is(t, 200))
	count := func(list []map[string]any) int { return len(list[0]["track"].(map[string]any)["coordinates"].([]any)) }
	if len(all) != 1 || len(some) != 1 || count(some) == 0 || count(some) >= count(all) {
		t.Errorf("%v of %v", some, all)
	}
}

// TestRightsOfWhereShipsWere: places of the past need the right to see them.
func TestRightsOfWhereShipsWere(t *testing.T) {
	s := newSite(t)
	for kind, ask := range nearAsks() {
		needed := right.ViewHistory
		if kind == "historicaltrack" {
			needed = right.ViewHistoricalTracks
		}
		s.may("without-"+kind, right.ViewATAATD)
		s.may("with-"+kind, needed)
		if a := s.call("without-"+kind, "POST", statPath+"/"+kind, `{`+meetPeriod+ask+`}`).is(t, 403); !strings.Contains(string(a.body), string(needed)) {
			t.Errorf("%s: %s", kind, a.body)
		}
		if kind != "multiship" { // its ships are not known
			s.call("with-"+kind, "POST", statPath+"/"+kind, `{`+meetPeriod+ask+`}`).is(t, 200)
		}
	}
}

// TestUnknownShipsOfAStatistic: one that is not known, and one that is one of several, have the answers that they have elsewhere.
func TestUnknownShipsOfAStatistic(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	for _, kind := range []string{"multiship", "historicaltrack"} {
		a := s.post(statPath+"/"+kind, `{`+meetPeriod+`"ships":[{"mmsi":219018765},{"name":"NONE"}]}`).is(t, 422, "ship_not_found")
		if got := a.json(t)["errors"].([]any)[0].(map[string]any)["pointer"]; got != "/ships/1" {
			t.Errorf("%s: %s", kind, a.body)
		}
		s.post(statPath+"/"+kind, `{`+meetPeriod+`"ships":[{"imo":9321483}]}`).is(t, 409, "ambiguous_ship")
		s.post(statPath+"/"+kind, `{`+meetPeriod+`"ships":[{}]}`).is(t, 400)
	}
}

// TestWrongPeriodsOfEachKind: a period that ends before it begins is refused at begin, and NaN is no JSON.
func TestWrongPeriodsOfEachKind(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	for kind, ask := range nearAsks() {
		for body, pointer := range map[string]string{
			`{"begin":"2026-11-21","end":"2026-11-20",` + ask + `}`: "/begin",
			`{"begin":"2026-11-20","end":"2026-11-20",` + ask + `}`: "/begin",
			`{"end":"2026-11-20",` + ask + `}`:                      "/begin",
			`{` + meetPeriod + `"sog":{"min":NaN},` + ask + `}`:     "",
		} {
			a := s.post(statPath+"/"+kind, body).is(t, 400)
			if got := a.json(t)["errors"].([]any)[0].(map[string]any)["pointer"]; got != pointer {
				t.Errorf("%s %s: at %v", kind, body, got)
			}
		}
	}
}

// TestHowManyShipsLieIsNotToldToAll: the warning of a near miss counts ships that may be hidden from a reader.
func TestHowManyShipsLieIsNotToldToAll(t *testing.T) {
	s := newSite(t)
	for i := range 60 {
		at := noon().Add(-2*time.Hour + time.Duration(i)*time.Minute)
		s.heardBy(at, position(nordic, 10.35, 56.15, 0, 900), "roof")
		s.heardBy(at, position(westerly, 10.3501, 56.15, 0, 900), "roof")
	}
	s.settle()
	id, found := s.nearResult("nmss", nearAsks()["nmss"])
	s.addUser("anna", access.GroupAdmin)
	s.setFilter("anna", `{"expression":"mmsi = 219018765"}`)
	whole, part := fmt.Sprint(s.statusOf("admin", id)), fmt.Sprint(s.statusOf("anna", id))
	if len(found) != 0 || !strings.Contains(whole, "stat_rafted") || strings.Contains(part, "stat_rafted") || !strings.Contains(part, "stat_duration") {
		t.Errorf("%v\n%s\n%s", found, whole, part)
	}
}
