package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"quaywatch/handlers/statistics"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
)

// definitionsToMove are definitions of many kinds, as a user posts them: they name a ship list, a shape, a port made here and ships.
func definitionsToMove() map[string]string {
	const period = `"begin":"2026-11-19","end":"2026-11-20","execute":false,`
	return map[string]string{
		"area":            period + `"name":"roads","shape":{"shape_id":"Roads"},"filter":"sog > 3","acl":["crew","bert"]`,
		"passageline":     period + `"name":"gate","passageline":{"type":"LineString","coordinates":[[10.2,56.1],[10.4,56.1]]}`,
		"sogdist":         period + `"shiplist":"tugs","sog_threshold":1.5`,
		"portcalls":       period + `"name":"calls","ports":[{"name":"New quay"}],"acl":[]`,
		"multiship":       period + `"name":"nordic","ships":[{"name":"NORDIC HAV"}]`,
		"historicaltrack": period + `"name":"track","ships":[{"imo":9321483},{"mmsi":219018765}],"resolution":"00:01:00"`,
	}
}

// exporting makes a box with statistics of two users, and returns its document.
func exporting(t *testing.T) (*site, string) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.addUser("anna", "operator")
	s.addUser("bert", "operator")
	s.post(configPath+"/shiplist", `{"name":"tugs","ships":[{"mmsi":219018765}],"acl":["anna"]}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"Roads","acl":["anna"],"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`).is(t, 200)
	s.post(portPath, `{"name":"New quay","position":{"type":"Point","coordinates":[10.5,56.3]}}`).is(t, 200)
	for kind, body := range definitionsToMove() {
		s.statistic("anna", kind, "{"+body+"}")
	}
	s.statistic("bert", "portcalls", heldCalls)
	return s, s.document()
}

// document returns what is configured.
func (s *site) document() string {
	s.t.Helper()
	doc, err := s.areas.Box.Export()
	if err != nil {
		s.t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// bring imports a document, and returns how many statistics it added, changed and left.
func (s *site) bring(text string) (string, error) {
	doc, err := document.Read([]byte(text))
	if err != nil {
		return "", err
	}
	report, err := s.areas.Box.Import(s.t.Context(), doc, false)
	if err != nil {
		return "", err
	}
	count := map[string]int{}
	for _, one := range report.Things {
		if one.Kind == "statistic" {
			count[one.What]++
		}
	}
	return fmt.Sprint(count["added"], count["changed"], count["unchanged"]), nil
}

// TestStatisticsMoveToAnotherBox: with their owners and access lists, and what they name. There they wait for their owners.
func TestStatisticsMoveToAnotherBox(t *testing.T) {
	s, doc := exporting(t)
	other := newSite(t)
	for _, want := range []string{"7 0 0", "0 0 7"} {
		if got, err := other.bring(doc); err != nil || got != want {
			t.Fatalf("added, changed, unchanged: %s, want %s: %v", got, want, err)
		}
	}
	if again := other.document(); statisticsOf(t, again) != statisticsOf(t, doc) {
		t.Errorf("there:\n%s\nhere:\n%s", statisticsOf(t, again), statisticsOf(t, doc))
	}
	check := func(when string) {
		seen := map[string]int{}
		for _, one := range other.get(statPath+"/statistic").is(t, 200).json(t)["records"].([]any) {
			j := one.(map[string]any)
			seen[fmt.Sprint(j["owner"], " ", j["type"], " ", j["status"])]++
			other.get(statPath+"/"+j["type"].(string)+"/"+idOf(j)).is(t, 200)
		}
		for kind := range definitionsToMove() {
			if seen["anna "+kind+" idle"] != 1 {
				t.Errorf("%s: %s of anna: %v", when, kind, seen)
			}
		}
		if len(seen) != 7 || seen["bert portcalls idle"] != 1 {
			t.Errorf("%s: %v", when, seen)
		}
	}
	check("imported")
	other.restart()
	check("after a restart")
	if here, there := s.post(groups+"/crew/reassign", `{"name":"viewer"}`), `"statistics":1`; !strings.Contains(string(here.is(t, 200).body), there) {
		t.Errorf("%s", here.body)
	}
	if got := s.call("admin", "POST", usersPath+"/anna/reassign", `{"name":"bert"}`).is(t, 200); !strings.Contains(string(got.body), `"statistics":6`) {
		t.Errorf("%s", got.body)
	}
	if got, err := s.bring(doc); err != nil || got != "0 6 1" {
		t.Errorf("back to its owners: %s, %v", got, err)
	}
	if statisticsOf(t, s.document()) != statisticsOf(t, doc) {
		t.Error("the document does not bring back owners and access lists")
	}
}

// statisticsOf returns the statistics of a document.
func statisticsOf(t *testing.T, doc string) string {
	var sections struct{ Statistics json.RawMessage }
	if err := json.Unmarshal([]byte(doc), &sections); err != nil || len(sections.Statistics) == 0 {
		t.Fatalf("%v: %s", err, doc)
	}
	return string(sections.Statistics)
}

// TestAnImportedStatisticRunsAsItsOwnerMay: by the rights and limits that the owner has here.
func TestAnImportedStatisticRunsAsItsOwnerMay(t *testing.T) {
	_, doc := exporting(t)
	s := newSite(t)
	if _, err := s.bring(doc); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, one := range s.get(statPath+"/statistic").is(t, 200).json(t)["records"].([]any) {
		j := one.(map[string]any)
		ids[fmt.Sprint(j["owner"], j["type"])] = "/" + idOf(j)
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"settings":{"report_permissions":{"area":"deny"},"report_max_job_size":7,"report_priority":"high"}}`).is(t, 200)
	s.call("admin", "PUT", statPath+"/statistic"+ids["annaarea"], `{"execute":true}`).is(t, 403)
	s.call("admin", "PUT", statPath+"/statistic"+ids["annapassageline"], `{"execute":"2026-11-30"}`).is(t, 200)
	all := s.server.deps.Stats.All()
	for _, j := range all {
		if "/"+fmt.Sprint(j.ID) == ids["annapassageline"] && (j.Most != 7 || j.Priority != 1) {
			t.Errorf("at most %d records, priority %d", j.Most, j.Priority)
		}
	}
	s.call("admin", "PUT", usersPath+"/bert", `{"access_rights":{"view_history":"deny"}}`).is(t, 200)
	if a := s.call("admin", "PUT", statPath+"/statistic"+ids["bertportcalls"], `{"execute":true}`).is(t, 403); !strings.Contains(string(a.body), string(right.ViewHistory)) {
		t.Errorf("%s", a.body)
	}
}

// TestWrongStatisticsOfADocument: each is refused by its key, and nothing is written.
func TestWrongStatisticsOfADocument(t *testing.T) {
	s := newSite(t)
	const period, line = `"begin":"2026-11-19","end":"2026-11-20",`, `"passageline":{"type":"LineString","coordinates":[[10.2,56.1],[10.4,56.1]]}`
	const uid = `"uid":"11111111-2222-4333-8444-555555555555",`
	if err := s.take("statistics", `{`+uid+`"name":"gate","type":"passageline","owner":"admin",`+period+line+`}`); err != nil {
		t.Fatal(err)
	}
	before := s.document()
	for _, row := range []struct{ thing, want string }{
		{`{"type":"passageline",` + period + line + `}`, `statistic 1: name: is required where there is no uid`},
		{`{"name":"x",` + period + line + `}`, `statistic "x": type: is required`},
		{`{"name":"x","type":"weather",` + period + line + `}`, `statistic "x": type: `},
		{`{"name":"x","type":"passageline",` + line + `}`, `statistic "x": begin: is required`},
		{`{"name":"x","type":"passageline","begin":"2026-11-21","end":"2026-11-20",` + line + `}`, `statistic "x": begin: must be before end`},
		{`{"name":"x","type":"passageline",` + period + `"passageline":{"type":"LineString","coordinates":[[10.2,56.1]]}}`, `statistic "x": passageline`},
		{`{"name":"x","type":"passageline","execute":true,` + period + line + `}`, `statistic "x": execute: `},
		{`{"name":"x","type":"passageline","colour":"red",` + period + line + `}`, `statistic "x": colour: unknown key`},
		{`{"name":"x","type":"passageline","owner":"nobody",` + period + line + `}`, `statistic "x": owner: `},
		{`{"name":"x","type":"passageline","acl":["nobody"],` + period + line + `}`, `statistic "x": acl/0: `},
		{`{"name":"x","type":"passageline","filter":"sog >",` + period + line + `}`, `statistic "x": filter: `},
		{`{"name":"x","type":"area",` + period + `"shape":{"shape_id":"none"}}`, `statistic "x": shape/shape_id: `},
		{`{"name":"x","type":"sogdist",` + period + `"shiplist":"none"}`, `statistic "x": shiplist: `},
		{`{"name":"x","type":"portcalls",` + period + `"ports":[{"locode":"XXXXX"}]}`, `statistic "x": ports/0: `},
		{`{"name":"x","type":"multiship",` + period + `"ships":[{"name":"NORDIC HAV"}]}`, `statistic "x": ships/0: must have an mmsi`},
		{`{"name":"gate","type":"passageline","begin":"2026-11-18"}`, `statistic "gate": begin: is not what this statistic asks here`},
		{`{` + uid + `"name":"new","type":"area"}`, `statistic "new": type: is not what this statistic asks here`},
		{`{"uid":"12","name":"x"}`, `statistic "x": uid: `},
		{`{"name":"y","type":"passageline",` + period + line + `},{"name":"y","type":"passageline",` + period + line + `}`, `statistic "y": the same as `},
		{strings.Repeat(`{},`, 5000) + `{}`, `there may be at most 5000 statistics`},
	} {
		if err := s.take("statistics", row.thing); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%.80s: %v\nwant %s", row.thing, err, row.want)
		}
	}
	if s.document() != before {
		t.Error("a document that was refused left something")
	}
	if err := s.take("statistics", `{"name":"gate","acl":["admin"]}`); err != nil {
		t.Error(err)
	}
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	if err := s.take("statistics", `{"name":"gate","acl":["crew"]}`); err != nil {
		t.Error(err)
	}
	if a := s.call("admin", "DELETE", groups+"/crew", "").is(t, 409); !strings.Contains(string(a.body), "the statistic gate") {
		t.Errorf("a group that a statistic is shared with: %s", a.body)
	}
	s.call("admin", "DELETE", statistics.Path+"/statistic/"+idOf(s.get(statPath + "/statistic").json(t)["records"].([]any)[0].(map[string]any)), "").is(t, 204)
	s.call("admin", "DELETE", groups+"/crew", "").is(t, 204)
}
