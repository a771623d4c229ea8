package handlers

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/statistics"
	"quaywatch/internal/await"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	statPath  = statistics.Path
	heldCalls = `{"name":"calls N","begin":"2026-11-19","end":"2026-11-20","mmsi":[219018765],"execute":false}`
	aarhusDay = `{"name":"Aarhus","begin":"2026-11-20","end":"2026-11-22","ports":[{"locode":"DKAAR"}]}`
)

// statistic asks for a statistic and returns the end of its addresses.
func (s *site) statistic(user, kind, body string) string {
	s.t.Helper()
	return fmt.Sprintf("/%.0f", s.call(user, "POST", statPath+"/"+kind, body).is(s.t, 200).json(s.t)["id"])
}

// statusOf returns how a statistic does.
func (s *site) statusOf(user, id string) map[string]any {
	s.t.Helper()
	return s.call(user, "GET", statPath+"/statistic"+id, "").is(s.t, 200).json(s.t)
}

// ran waits until a statistic is over.
func (s *site) ran(id string) map[string]any {
	s.t.Helper()
	var now map[string]any
	await.That(s.t, "the statistic is over", func() bool {
		now = s.statusOf("admin", id)
		return now["status"] == "completed" || now["status"] == "aborted"
	})
	return now
}

// portCallsOf returns the records of a result.
func (s *site) portCallsOf(user, id, query string) []map[string]any {
	s.t.Helper()
	return recordsOf(s.t, s.call(user, "GET", statPath+"/portcalls/result"+id+query, "").is(s.t, 200))
}

// TestPortCallsTellTheWait: a ship that lay at anchor before it was alongside waited as long as the calls of ships say, for readers that are told times.
func TestPortCallsTellTheWait(t *testing.T) {
	s := newCalls(t)
	at := noon().Add(-8 * time.Hour)
	s.heardBy(at, voyage(nordic, "NORDIC HAV"), "roof")
	at = s.coming(nordic, at, geo.Destination(aarhus, 90, 2500), false, "roof")
	for i := range 40 {
		p := geo.Destination(geo.Destination(aarhus, 90, 2500), float64(i%4)*90, 32)
		report := position(nordic, p.Lon, p.Lat, 0, 900)
		report.Status = ais.StatusAtAnchor
		s.heardBy(at, report, "roof")
		at = at.Add(time.Minute)
	}
	for metres := 2500.0; metres >= 0; metres -= 250 {
		p := geo.Destination(aarhus, 90, metres)
		s.heardBy(at, position(nordic, p.Lon, p.Lat, 80, 2700), "roof")
		at = at.Add(time.Minute)
	}
	at = s.lying(nordic, at, aarhus, 30, "roof")
	s.settle()
	s.save(at)
	want := s.callsOf("admin", ofNordic)[0]["waiting"]
	id := s.statistic("admin", "portcalls", aarhusDay)
	s.ran(id)
	if got := s.portCallsOf("admin", id, "")[0]["waiting"]; want == nil || got != want {
		t.Errorf("waited %v, want %v", got, want)
	}
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	s.clock.pass(time.Hour)
	s.tick(noon().Add(time.Hour))
	if told := s.portCallsOf("clerk", id, ""); len(told) != 1 || told[0]["waiting"] != nil {
		t.Errorf("told without times: %v", told)
	}
}

// TestPortCalls: what is asked for comes, by ports, by ships, by a shape and by a ship list, in the form of each release.
func TestPortCalls(t *testing.T) {
	s := newCalls(t)
	first, left, second, _ := s.harbour()
	s.post(configPath+"/shiplist", `{"name":"cargo ships","ships":[{"name":"NORDIC HAV"}]}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"bay","circle":{"center":{"type":"Point","coordinates":[10.22,56.15]},"radius":5000}}`).is(t, 200)
	id := s.statistic("admin", "portcalls", aarhusDay)
	if now := s.ran(id); now["status"] != "completed" || now["progress"] != 100.0 || now["records"] != 2.0 || now["name"] != "Aarhus" || now["owner"] != "admin" {
		t.Fatalf("%v", now)
	}
	found := s.portCallsOf("admin", id, "")
	if numbersOf(found) != "219018765 219000700" {
		t.Fatalf("%v", found)
	}
	near(t, "ata", found[0]["ata"], first)
	near(t, "atd", found[0]["atd"], left)
	near(t, "ata", found[1]["ata"], second)
	port, ship := found[0]["port"].(map[string]any), found[0]["ship"].(map[string]any)
	if port["locode"] != "DKAAR" || found[0]["draught_a"] != 7.4 || found[0]["confidence"] != 4.0 || found[1]["atd"] != nil {
		t.Errorf("%v", found)
	}
	if ship["name"] != "NORDIC HAV" || ship["imo"] != 9321483.0 || ship["length"] != 134.0 || ship["type"] != "Cargo" || found[0]["callsign"] != "OWKN2" {
		t.Errorf("%v", found[0])
	}
	if old := s.portCallsOf("admin", id, "?release=133")[0]; old["ship"] != nil || old["mmsi"] != 219018765.0 {
		t.Errorf("release 133: %v", old)
	}
	if later := s.portCallsOf("admin", id, "?release=134")[0]; later["ship"] == nil || later["mmsi"] != nil {
		t.Errorf("release 134: %v", later)
	}
	s.get(statPath+"/portcalls/result"+id+"?release=135").is(t, 400)
	for ask, want := range map[string]string{
		`"mmsi":[219000700]`:                                    "219000700",
		`"shape":` + harbour:                                    "219018765 219000700",
		`"shape":{"shape_id":"bay"}`:                            "219018765 219000700",
		`"shiplist":"cargo ships"`:                              "219018765",
		`"ports":[{"name":"Easthaven"}]`:                        "",
		`"mmsi":[219018765,219000700],"filter":"type = tanker"`: "219000700",
	} {
		id := s.statistic("admin", "portcalls", `{"begin":"2026-11-20","end":"2026-11-21",`+ask+`}`)
		s.ran(id)
		if got := numbersOf(s.portCallsOf("admin", id, "")); got != want {
			t.Errorf("%s gives %s, want %s", ask, got, want)
		}
	}
	one := s.get(statPath+"/portcalls"+id).is(t, 200).json(t)
	if one["type"] != "portcalls" || fmt.Sprint(one["ports"]) != "[map[locode:DKAAR]]" || one["begin"] != "2026-11-20T00:00:00Z" || one["owner"] != "admin" || one["created"] == nil {
		t.Errorf("%v", one)
	}
	s.get(statPath+"/area"+id).is(t, 404)
	s.call("admin", "DELETE", statPath+"/statistic"+id, "").is(t, 204)
	s.get(statPath+"/statistic"+id).is(t, 404)
	s.get(statPath+"/portcalls/result"+id).is(t, 404)
}

// TestAnEmptyResultSaysWhy: nothing recorded, nothing that the filter lets pass, no port in the shape.
func TestAnEmptyResultSaysWhy(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	for ask, word := range map[string]string{
		`"begin":"2026-10-01","end":"2026-10-02","ports":[{"locode":"DKAAR"}]`:                                                             "stat_nothing",
		`"begin":"2026-11-20","end":"2026-11-21","ports":[{"locode":"DKAAR"}],"filter":"type = fishing"`:                                   "stat_filtered",
		`"begin":"2026-11-20","end":"2026-11-21","shape":{"type":"Polygon","coordinates":[[[-140,-40],[-139,-40],[-139,-39],[-140,-40]]]}`: "stat_no_ports",
		`"begin":"2026-11-20","end":"2027-11-21","mmsi":[219018765]`:                                                                       "stat_future",
	} {
		now := s.ran(s.statistic("admin", "portcalls", `{`+ask+`}`))
		if !strings.Contains(fmt.Sprint(now["warnings"]), word) || now["status"] != "completed" {
			t.Errorf("%s: %v", ask, now)
		}
	}
}

// TestWrongDefinitions: each wrong field is named, with the place in it.
func TestWrongDefinitions(t *testing.T) {
	s := newSite(t)
	const days = `"begin":"2026-11-19","end":"2026-11-20",`
	many := strings.Repeat("[10.2,56.1],", 20_000)
	for body, pointer := range map[string]string{
		`{"end":"2026-11-20","mmsi":[219018765]}`:                                                                        "/begin",
		`{"begin":"2026-11-21","end":"2026-11-20","mmsi":[219018765]}`:                                                   "/begin",
		`{"begin":"soon","end":"2026-11-20","mmsi":[219018765]}`:                                                         "/begin",
		`{` + days + `"mmsi":[219018765],"execute":"later"}`:                                                             "/execute",
		`{` + days + `"mmsi":[219018765],"filter":"spede > 3"}`:                                                          "/filter",
		`{` + days + `"mmsi":[219018765],"acl":["nobody at all"]}`:                                                       "/acl/0",
		`{` + days + `"shiplist":"none of these"}`:                                                                       "/shiplist",
		`{` + days + `"mmsi":[219018765,0]}`:                                                                             "/mmsi/1",
		`{` + days + `"mmsi":[]}`:                                                                                        "/mmsi",
		`{` + days + `"mmsi":[219018765],"shiplist":"x"}`:                                                                "",
		`{` + days + `"name":"none"}`:                                                                                    "",
		`{` + days + `"ports":[{"locode":"DKAAR"},{}]}`:                                                                  "/ports/1",
		`{` + days + `"shape":{"shape_id":"none"}}`:                                                                      "/shape/shape_id",
		`{` + days + `"shape":{"type":"Polygon","coordinates":[[[10.2,56.1],[10.4,56.1],[10.4,56.2],[10.2,56.2]]]}}`:     "/shape/coordinates/0/3",
		`{` + days + `"shape":{"type":"Polygon","coordinates":[[` + many + `[10.2,56.1]]]}}`:                             "/shape/coordinates/0",
		`{` + days + `"shape":{"type":"Polygon","coordinates":[[` + many + many + many + many + many + `[10.2,56.1]]]}}`: "",
		`{` + days + `"shape":{"type":"Polygon","coordinates":[[[NaN,56.1]]]}}`:                                          "",
	} {
		a := s.post(statPath+"/portcalls", body).is(t, 400)
		if got := a.json(t)["errors"].([]any)[0].(map[string]any)["pointer"]; got != pointer {
			t.Errorf("%.200s: at %v, want %s: %.300s", body, got, pointer, a.body)
		}
	}
	s.post(statPath+"/portcalls", `{`+days+`"mmsi":[219018765],"filter":"spede > 3"}`).is(t, 400, "filter_syntax")
	s.post(statPath+"/portcalls", `{`+days+`"ports":[{"name":"No Such Place"}]}`).is(t, 422, "port_not_found")
	s.post(statPath+"/portcallz", `{}`).is(t, 404)
	for _, kind := range append(stats.Names(), "pilot") { // each is there, and tells what it needs
		s.post(statPath+"/"+kind, `{`+days+`"x":1}`).is(t, 400)
	}
}

// slow is a kind of statistics that runs until it is let go.
func slow() (k stats.Kind, began, letGo chan struct{}) {
	began, letGo = make(chan struct{}, 100), make(chan struct{})
	k = stats.Kind{Name: "sogdist", Check: func(*form.Fields, stats.Asker) (any, error) { return nil, nil },
		Open: func(r *stats.Run) (stats.Question, error) {
			return stats.Question{Ask: func(ctx context.Context) error {
				began <- struct{}{}
				select {
				case <-letGo:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			}}, nil
		}}
	return k, began, letGo
}

// newSlow is a site with a kind that runs until it is let go.
func newSlow(t *testing.T) (s *site, began chan struct{}, letGo func()) {
	s = newSite(t)
	k, began, hold := slow()
	s.kinds = append(stats.Kinds(), k)
	s.restart()
	return s, began, sync.OnceFunc(func() { close(hold) })
}

const aDay = `{"begin":"2026-11-19","end":"2026-11-20"}`

// TestAStatisticThatRuns: its status says so, its result is not ready, and deleting it aborts it and frees its place.
func TestAStatisticThatRuns(t *testing.T) {
	s, began, letGo := newSlow(t)
	id := s.statistic("admin", "sogdist", aDay)
	<-began
	if now := s.statusOf("admin", id); now["status"] != "running" || now["started"] == nil {
		t.Errorf("%v", now)
	}
	a := s.get(statPath+"/sogdist/result"+id).is(t, 202)
	if one := a.json(t); one["status"] != "running" || a.header.Get("Retry-After") != "60" {
		t.Errorf("%v", one)
	}
	s.call("admin", "PUT", statPath+"/statistic"+id, `{"execute":true}`).is(t, 409)
	other := s.statistic("admin", "sogdist", aDay) // one owner has not all places
	if now := s.statusOf("admin", other); now["status"] != "idle" {
		t.Errorf("%v", now)
	}
	s.call("admin", "DELETE", statPath+"/statistic"+id, "").is(t, 204)
	<-began // the next one has the place
	s.get(statPath+"/statistic"+id).is(t, 404)
	letGo()
	if now := s.ran(other); now["status"] != "completed" {
		t.Errorf("%v", now)
	}
}

// TestAStatisticThatWaits runs when its owner says so, or at its time.
func TestAStatisticThatWaits(t *testing.T) {
	s := newSite(t)
	held := s.statistic("admin", "portcalls", strings.ReplaceAll(heldCalls, "N", "1"))
	later := s.statistic("admin", "portcalls", strings.Replace(heldCalls, "false", `"2026-11-20T18:00:00Z"`, 1))
	if one, other := s.statusOf("admin", held), s.statusOf("admin", later); one["status"] != "idle" || one["held"] != true ||
		other["start"] != "2026-11-20T18:00:00Z" || other["held"] != nil {
		t.Errorf("%v %v", one, other)
	}
	if now := s.call("admin", "PUT", statPath+"/statistic"+held, `{"execute":true}`).is(t, 200).json(t); now["id"] == nil {
		t.Errorf("%v", now)
	}
	if over := s.ran(held); over["held"] != nil {
		t.Errorf("after its run: %v", over)
	}
	if now := s.statusOf("admin", later); now["status"] != "idle" {
		t.Errorf("before its time: %v", now)
	}
	s.clock.pass(7 * time.Hour)
	s.stats.Step()
	s.ran(later)
}

// TestStatisticsOutliveARestart: results stay, and what was stopped runs again.
func TestStatisticsOutliveARestart(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	id := s.statistic("admin", "portcalls", aarhusDay)
	s.ran(id)
	before := string(s.get(statPath + "/portcalls/result" + id).body)
	k, began, letGo := slow()
	s.kinds = append(stats.Kinds(), k)
	s.restart()
	if after := string(s.get(statPath + "/portcalls/result" + id).body); after != before {
		t.Errorf("%s\n%s", before, after)
	}
	running := s.statistic("admin", "sogdist", aDay)
	<-began
	for range 3 { // a stop in good order is no crash
		s.restart()
		<-began
	}
	close(letGo)
	if now := s.ran(running); now["status"] != "completed" {
		t.Errorf("%v", now)
	}
	s.clock.pass(15 * 24 * time.Hour)
	s.stats.Step()
	s.get(statPath+"/statistic"+id).is(t, 404)
}

// TestTooManyStatistics: beyond the limits there is a 429, which names what may be deleted.
func TestTooManyStatistics(t *testing.T) {
	s, began, letGo := newSlow(t)
	defer letGo()
	for range stats.MostPending {
		s.statistic("admin", "sogdist", aDay)
	}
	<-began
	s.post(statPath+"/sogdist", aDay).is(t, 429, "limit_reached")
	first := s.statistic("admin", "portcalls", heldCalls)
	for range stats.MostKept - 1 {
		s.statistic("admin", "portcalls", heldCalls)
	}
	a := s.post(statPath+"/portcalls", heldCalls).is(t, 429, "limit_reached")
	if list := a.json(t)["records"].([]any); len(list) != 10 || "/"+idOf(list[0].(map[string]any)) != first {
		t.Errorf("%s", a.body)
	}
	s.call("admin", "DELETE", statPath+"/statistic"+first, "").is(t, 204)
	s.statistic("admin", "portcalls", heldCalls)
}

// TestWhoSeesAStatistic: its owner, users with a group in common unless an access list says otherwise, and those with admin_reports. Naming others
// takes share_reports.
func TestWhoSeesAStatistic(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.may("anna", right.ViewHistory, right.ShareReports)
	s.may("mate", right.ViewHistory)
	s.may("other", right.ViewHistory)
	s.may("chief", right.ViewHistory, right.AdminReports)
	for _, name := range []string{"anna", "mate"} {
		s.call("admin", "PUT", usersPath+"/"+name, `{"groups":["crew"]}`).is(t, 200)
	}
	seen := func(id string) (by string) {
		for _, name := range []string{"anna", "mate", "other", "chief"} {
			if s.call(name, "GET", statPath+"/statistic"+id, "").status == 200 {
				by += name + " "
			}
		}
		return by
	}
	usual := s.statistic("anna", "portcalls", heldCalls)
	shared := s.statistic("anna", "portcalls", strings.Replace(heldCalls, "{", `{"acl":["other"],`, 1))
	alone := s.statistic("anna", "portcalls", strings.Replace(heldCalls, "{", `{"acl":[],`, 1))
	for id, want := range map[string]string{usual: "anna mate chief ", shared: "anna other chief ", alone: "anna chief "} {
		if got := seen(id); got != want {
			t.Errorf("%s is seen by %s, want %s", id, got, want)
		}
	}
	if a := s.call("other", "POST", statPath+"/portcalls", strings.Replace(heldCalls, "{", `{"acl":["anna"],`, 1)).is(t, 403); !strings.Contains(string(a.body), "share_reports") {
		t.Errorf("%s", a.body)
	}
	s.call("mate", "DELETE", statPath+"/statistic"+usual, "").is(t, 403)
	s.call("other", "DELETE", statPath+"/statistic"+usual, "").is(t, 404)
	s.call("chief", "PUT", statPath+"/statistic"+usual, `{"execute":true}`).is(t, 200)
	s.call("chief", "DELETE", statPath+"/statistic"+usual, "").is(t, 204)
	if got := s.call("admin", "POST", usersPath+"/anna/reassign", `{"name":"other"}`).is(t, 200).json(t); got["reassigned"].(map[string]any)["statistics"] != 2.0 {
		t.Errorf("%v", got)
	}
	if got := seen(alone); got != "other chief " {
		t.Errorf("after the reassignment: %s", got)
	}
}

// TestAWebUserNeedsARightForStatistics: web_report_access; a program needs none.
func TestAWebUserNeedsARightForStatistics(t *testing.T) {
	s := newSite(t)
	for name, want := range map[string]int{"anna": 403, "bert": 200} {
		rights := []right.Name{right.WebOnlineAccess}
		if want == 200 {
			rights = append(rights, right.WebReportAccess)
		}
		s.may(name, rights...)
		a := s.by(name, "GET", statPath+"/statistic", "").is(t, want)
		if want == 403 && !strings.Contains(string(a.body), "web_report_access") {
			t.Errorf("%s", a.body)
		}
		s.call(name, "GET", statPath+"/statistic", "").is(t, 200)
	}
}

// TestSettingsOfStatistics: the kinds that a user may ask for, how far back, and how many records.
func TestSettingsOfStatistics(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.addUser("anna", access.GroupOperator)
	s.set(`{"report_permissions":{"portcalls":"deny"}}`)
	s.call("anna", "POST", statPath+"/portcalls", aarhusDay).is(t, 403)
	s.set(`{"report_permissions":null,"web_max_lookback_time":3}`)
	s.call("anna", "POST", statPath+"/portcalls", aarhusDay).is(t, 403)
	s.set(`{"web_max_lookback_time":null,"report_max_job_size":1}`)
	id := s.statistic("anna", "portcalls", aarhusDay)
	if now := s.ran(id); now["records"] != 1.0 || !strings.Contains(fmt.Sprint(now["warnings"]), "stat_cut") {
		t.Errorf("%v", now)
	}
	if found := s.portCallsOf("anna", id, ""); len(found) != 1 {
		t.Errorf("%v", found)
	}
}

// TestStatisticsTellNoTimesWithoutTheRight: without view_ata_atd a result has no times, and periods are of days.
func TestStatisticsTellNoTimesWithoutTheRight(t *testing.T) {
	s := newCalls(t)
	_, _, _, now := s.harbour()
	id := s.statistic("admin", "portcalls", aarhusDay)
	s.ran(id)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	s.clock.pass(now.Sub(noon()) + time.Hour)
	s.tick(now.Add(time.Hour))
	a := s.call("clerk", "GET", statPath+"/portcalls/result"+id, "").is(t, 200)
	if _, list, _ := strings.Cut(string(a.body), `"records"`); !strings.Contains(list, "219018765") || strings.Contains(list, "2026-") {
		t.Errorf("%s", a.body)
	}
	s.call("clerk", "POST", statPath+"/portcalls", `{"begin":"2026-11-20T07:00:00Z","end":"2026-11-20T07:05:00Z","mmsi":[219018765]}`).is(t, 403)
	s.call("clerk", "POST", statPath+"/portcalls", aarhusDay).is(t, 200)
	s.allowAllBut("clerk", right.ViewHistory, false)
	s.call("clerk", "GET", statPath+"/portcalls/result"+id, "").is(t, 403)
}

// TestAHiddenShipIsInNoResult: whoever asked, a reader has no record of a ship that is hidden from it, nor is it told how many there are.
func TestAHiddenShipIsInNoResult(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.addUser("anna", access.GroupAdmin)
	id := s.statistic("admin", "portcalls", aarhusDay)
	s.ran(id)
	if got := numbersOf(s.portCallsOf("anna", id, "")); got != "219018765 219000700" {
		t.Fatalf("all: %s", got)
	}
	const tanker = ais.MMSI(219000700)
	for filter, want := range map[string]string{
		`{"expression":"mmsi = 219000700"}`: "219000700", `{"psss":["pier"]}`: "", `{"expression":"mmsi = 1"}`: "",
		`{"delay":86400}`: "",
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":null,"psss":null,"delay":null}}`).is(t, 200)
		s.setFilter("anna", filter)
		a := s.call("anna", "GET", statPath+"/portcalls/result"+id, "").is(t, 200)
		if got := numbersOf(recordsOf(t, a)); got != want {
			t.Errorf("%s: %s, want %s", filter, got, want)
		}
		for _, path := range []string{"/statistic", "/statistic" + id} {
			if body := string(s.call("anna", "GET", statPath+path, "").is(t, 200).body); strings.Contains(body, `"records":2`) {
				t.Errorf("%s: %s", filter, body)
			}
		}
		if body := string(s.call("anna", "PUT", statPath+"/statistic"+id, `{"execute":true}`).is(t, 409).body); strings.Contains(body, fmt.Sprint(tanker)) {
			t.Errorf("%s", body)
		}
	}
}
