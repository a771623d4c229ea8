package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access/right"
)

// enteredAndLeft lets a ship sail into the roads and out again, half an hour each way.
func (s *site) enteredAndLeft(m ais.MMSI, name string, from time.Time) (to time.Time) {
	s.t.Helper()
	s.hear(from, voyage(m, name))
	for i := range 40 {
		to = from.Add(time.Duration(i) * time.Minute)
		s.hear(to, position(m, 10.25+float64(i)/200, 56.14, 50, 900)) // 10.31 at 12, 10.40 at 30
	}
	s.settle()
	return to.Add(time.Minute)
}

// reasonsOf returns the words of why a dry run raised nothing.
func reasonsOf(result map[string]any) (words []string) {
	list, _ := result["why"].([]any)
	for _, one := range list {
		words = append(words, one.(map[string]any)["rule"].(string))
	}
	return words
}

// TestADryRunTellsWhatWouldHaveHappened: a watchdog that nobody made gives the events of the past, as it would have raised them, and none is kept.
func TestADryRunTellsWhatWouldHaveHappened(t *testing.T) {
	s := newSite(t)
	from := noon()
	to := s.enteredAndLeft(nordic, "NORDIC HAV", from)
	result := s.rehearse(`{"name":"Roads","type":"polygon",`+roads+`,"severity":"alert"}`, from, to, "")
	events := result["events"].([]any)
	if len(events) != 2 || result["count"] != 2.0 || result["ships"] != 1.0 || result["more"] != false || result["why"] != nil {
		t.Fatalf("%v", result)
	}
	first, last := events[0].(map[string]any), events[1].(map[string]any)
	if first["id"] != nil || first["event"] != "enter" || first["message"] != "NORDIC HAV entered Roads" || first["severity"] != "alert" ||
		first["time"] != "2026-11-20T12:12:00Z" || first["deactivated"] != last["time"] || last["event"] != "leave" || last["time"] != "2026-11-20T12:30:00Z" {
		t.Errorf("%v\n%v", first, last)
	}
	if list := result["warnings"].([]any); len(list) != 0 { // also while nothing of the hour is in the database yet
		t.Errorf("%v", list)
	}
	early := s.rehearse(`{"type":"polygon",`+roads+`}`, from.Add(-3*time.Hour), to, "")
	if text := fmt.Sprint(early["warnings"]); early["count"] != 2.0 || !strings.Contains(text, "nothing is recorded before 2026-11-20T12:00:00Z") {
		t.Errorf("from before anything was heard on: %v", text)
	}
	if kept := s.get(eventPath + "?after_id=0").events(t); len(kept) != 0 {
		t.Errorf("kept: %v", kept)
	}
	if later := s.rehearse(`{"type":"polygon",`+roads+`}`, from.Add(15*time.Minute), to, "")["events"].([]any); len(later) != 2 || later[0].(map[string]any)["initial"] != true {
		t.Errorf("inside from the beginning: %v", later)
	}
	none := s.rehearse(`{"type":"polygon",`+roads+`}`, from.Add(-3*time.Hour), from.Add(-2*time.Hour), "")
	if none["count"] != 0.0 || !strings.Contains(fmt.Sprint(none["warnings"]), "nothing is recorded") {
		t.Errorf("before anything was heard: %v", none)
	}
}

// TestADryRunSaysWhyItDidNotRing: for each thing that can hold a watchdog back there is a reason, with an example.
func TestADryRunSaysWhyItDidNotRing(t *testing.T) {
	const other = 211222333
	s := newSite(t)
	from := noon()
	to := s.enteredAndLeft(nordic, "NORDIC HAV", from)
	line := `"line":{"type":"LineString","coordinates":[[10.35,56.1],[10.35,56.2]]}`
	for _, row := range []struct{ body, why string }{
		{`{"type":"polygon",` + roads + `,"filter":"type = tanker"}`, "[why_filter]"},
		{`{"type":"polygon",` + roads + `,"draught":20}`, "[why_draught]"},
		{`{"type":"polygon",` + roads + `,"check_direction":true,"min_cog":180,"max_cog":270}`, "[why_course]"},
		{`{"type":"polygon",` + roads + `,"samples_to_activate":50}`, "[why_count]"},
		{`{"type":"polygon","polygon":{"type":"Polygon","coordinates":[[[11,57],[11.1,57],[11.1,57.1],[11,57]]]}}`, "[why_far]"},
		{`{"type":"line","line":{"type":"LineString","coordinates":[[10.3,56.15],[10.4,56.15]]}}`, "[why_not_crossed]"},
		{`{"type":"line",` + line + `,"samples_to_activate":40}`, "[why_count]"},
		{`{"type":"cable","cable":{"type":"LineString","coordinates":[[10.35,56.1],[10.35,56.2]]}}`, "[why_sails]"},
		{`{"type":"fishing","fishing":` + harbour + `}`, "[why_type]"},
		{`{"type":"fishing","any_type":true,"max_sog":1,"min_sog":0.5,"fishing":` + harbour + `}`, "[why_speed why_window]"},
		{`{"type":"port","port":"DKCPH"}`, "[why_far]"},
	} {
		result := s.rehearse(row.body, from, to, `,"mmsi":219018765`)
		if got := fmt.Sprint(reasonsOf(result)); got != row.why || result["count"] != 0.0 {
			t.Errorf("%s\nwhy %s, want %s: %v", row.body, got, row.why, result)
		}
	}
	far := s.rehearse(`{"type":"polygon","polygon":{"type":"Polygon","coordinates":[[[10.2,56.15],[10.5,56.15],[10.5,56.2],[10.2,56.15]]]}}`, from, to, `,"mmsi":219018765`)
	one := far["why"].([]any)[0].(map[string]any)
	if metres := one["distance_m"].(float64); metres < 500 || metres > 1200 || one["time"] == nil || one["detail"] == nil || one["params"].(map[string]any)["metres"] != metres {
		t.Errorf("%v", one)
	}
	if rang := s.rehearse(`{"type":"polygon",`+roads+`}`, from, to, `,"mmsi":219018765`); rang["why"] != nil || rang["count"] != 2.0 {
		t.Errorf("it rang: %v", rang)
	}
	if got := reasonsOf(s.rehearse(`{"type":"polygon",`+roads+`}`, from, to, fmt.Sprint(`,"mmsi":`, other))); fmt.Sprint(got) != "[why_unheard]" {
		t.Errorf("%v", got)
	}
	for i, at := range []time.Duration{0, 1, 2, 22} { // a way over the line that took twenty minutes
		s.hear(to.Add(at*time.Minute), position(other, 10.333+float64(i)/150, 56.14, 20, 900))
	}
	s.settle()
	if got := reasonsOf(s.rehearse(`{"type":"line",`+line+`}`, from, to.Add(time.Hour), fmt.Sprint(`,"mmsi":`, other))); fmt.Sprint(got) != "[why_jump]" {
		t.Errorf("%v", got)
	}
}

// TestAHiddenShipIsInNoDryRun: a dry run has the ships that the caller may see, and those it may see by the time of the answer. Of one that is hidden it says
// what it says of one that was not heard.
func TestAHiddenShipIsInNoDryRun(t *testing.T) {
	const other = 211222333
	s := newSite(t)
	s.may("anna", right.ConfigureWatchdogDefinitions, right.ViewHistory)
	s.setFilter("anna", `{"expression":"mmsi = 211222333"}`)
	to := s.enteredAndLeft(nordic, "NORDIC HAV", noon())
	s.enteredAndLeft(other, "TWIN", noon().Add(time.Second))
	ask := func(more string) string {
		body := fmt.Sprintf(`{"definition":{"type":"polygon",%s},"from":%q,"to":%q%s}`, roads, noon().Format(time.RFC3339), to.Format(time.RFC3339), more)
		return dryrunPath + "/" + s.started(s.call("anna", "POST", dryrunPath, body), 200)
	}
	path := ask("")
	a := s.finish("anna", path).is(t, 200)
	if result := a.json(t); result["count"] != 2.0 || result["ships"] != 1.0 || strings.Contains(string(a.body), "219018765") {
		t.Errorf("%s", a.body)
	}
	unknown, hidden := s.finish("anna", ask(`,"mmsi":244000000`)).is(t, 200).json(t), s.finish("anna", ask(`,"mmsi":219018765`)).is(t, 200).json(t)
	delete(unknown, "id")
	delete(hidden, "id")
	if fmt.Sprint(unknown) != fmt.Sprint(hidden) {
		t.Errorf("%v\n%v", unknown, hidden)
	}
	one := ask(`,"mmsi":211222333`)
	s.finish("anna", one).is(t, 200)
	s.setFilter("anna", `{"expression":"mmsi = 219018765"}`)
	if again := s.finish("anna", path).is(t, 200).json(t); again["count"] != 0.0 || len(again["events"].([]any)) != 0 {
		t.Errorf("hidden since: %v", again)
	}
	s.finish("anna", one).is(t, 404)
	s.finish("admin", path).is(t, 404)
}

// TestWhatADryRunRefuses: times, types and rights.
func TestWhatADryRunRefuses(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ConfigureWatchdogDefinitions)
	s.may("bert", right.ConfigureWatchdogDefinitions, right.ViewHistory)
	body := func(definition, from, to string) string {
		return fmt.Sprintf(`{"definition":{%s},"from":%q,"to":%q}`, definition, from, to)
	}
	area := `"type":"polygon",` + roads
	for _, row := range []struct {
		user, body string
		status     int
		says       string
	}{
		{"anna", body(area, "2026-11-19", "2026-11-20"), 403, "view_history"},
		{"bert", body(area, "2026-11-20", "2026-11-19"), 400, "/from"},
		{"bert", body(area, "2026-01-19", "2026-11-19"), 400, "31 days"},
		{"bert", body(`"type":"polygon"`, "2026-11-19", "2026-11-20"), 400, "/definition/polygon"},
		{"bert", body(area+`,"filter":"nonsense ="`, "2026-11-19", "2026-11-20"), 400, "/definition/filter"},
		{"bert", body(`"type":"port","port":"DKAAR"`, "2026-11-19", "2026-11-20"), 403, "view_"},
		{"bert", body(`"type":"box","box":{}`, "2026-11-19", "2026-11-20"), 400, "box cannot be tried on the past: no track tells it"},
		{"bert", body(`"type":"feed","feed":"*"`, "2026-11-19", "2026-11-20"), 400, "feed cannot be tried on the past: no track tells it"},
		{"bert", `{"definition":{` + area + `}}`, 400, "/from"},
		{"bert", `{"from":"2026-11-19","to":"2026-11-20"}`, 400, "/definition"},
	} {
		if a := s.call(row.user, "POST", dryrunPath, row.body); a.status != row.status || !strings.Contains(string(a.body), row.says) {
			t.Errorf("%s\n%d %s", row.body, a.status, a.body)
		}
	}
	s.call("admin", "PUT", usersPath+"/bert", `{"settings":{"web_max_lookback_time":1}}`).is(t, 200)
	if a := s.call("bert", "POST", dryrunPath, body(area, "2026-11-19", "2026-11-20")); a.status != 403 || !strings.Contains(string(a.body), "web_max_lookback_time") {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestADryRunIsAborted: it tells that it runs, and is gone once it is deleted.
func TestADryRunIsAborted(t *testing.T) {
	s := newSite(t)
	letGo := s.hold()
	defer letGo()
	path := dryrunPath + "/" + s.started(s.post(dryrunPath, fmt.Sprintf(`{"definition":{"type":"polygon",%s},"from":"2026-11-19","to":"2026-11-20"}`, roads)), 200)
	if a := s.call("admin", "GET", path, "").is(t, 202).json(t); a["status"] != "running" {
		t.Errorf("%v", a)
	}
	s.call("admin", "DELETE", path, "").is(t, 204)
	s.call("admin", "GET", path, "").is(t, 404)
	s.call("admin", "DELETE", path, "").is(t, 404)
}
