package handlers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/request"
	"quaywatch/handlers/watchdogs"
	"quaywatch/internal/await"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	definitionPath = watchdogs.Path + "/definition"
	eventPath      = watchdogs.Path + "/event"
	waitPath       = watchdogs.Path + "/wait"
	streamPath     = watchdogs.Path + "/stream"
	previewPath    = watchdogs.Path + "/preview"
	testPath       = watchdogs.Path + "/notice/test"
	alertPath      = watchdogs.Path + "/alert"
	loadPath       = watchdogs.Path + "/load"
	roads          = `"polygon":{"type":"Polygon","coordinates":[[[10.31,56.1],[10.4,56.1],[10.4,56.2],[10.31,56.2],[10.31,56.1]]]}`
)

// watchdog makes a watchdog and returns its address.
func (s *site) watchdog(user, body string) string {
	s.t.Helper()
	return fmt.Sprintf("%s/%.0f", definitionPath, s.call(user, "POST", definitionPath, body).is(s.t, 200).json(s.t)["id"])
}

// events returns the events of a list.
func (a answer) events(t testing.TB) (kinds []string) {
	t.Helper()
	for _, one := range a.is(t, 200).json(t)["records"].([]any) {
		kinds = append(kinds, one.(map[string]any)["event"].(string))
	}
	return kinds
}

// TestWatchdogLife: a watchdog is made, a ship enters and leaves, the events come once, and the watchdog goes.
func TestWatchdogLife(t *testing.T) {
	s := newSite(t)
	path := s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`,"severity":"warning"}`)
	one := s.get(path).is(t, 200).json(t)
	if one["name"] != "Roads" || one["enabled"] != true || one["samples_to_activate"] != 1.0 || one["severity"] != "warning" || one["problem"] != nil {
		t.Errorf("%v", one)
	}
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	for i := range 10 { // 10.30 to 10.345
		s.hear(noon().Add(time.Duration(i)*time.Minute), position(nordic, 10.3+float64(i)/200, 56.14, 50, 900))
	}
	s.watch.Save(false)
	list := s.get(eventPath).is(t, 200).json(t)
	record := list["records"].([]any)[0].(map[string]any)
	if record["event"] != "enter" || record["state"] != "active" || record["severity"] != "warning" || record["message"] != "NORDIC HAV entered Roads" ||
		record["initial"] != false || record["time"] != "2026-11-20T12:02:00Z" {
		t.Errorf("%v", record)
	}
	if again := s.get(eventPath).events(t); len(again) != 0 {
		t.Errorf("again: %v", again)
	}
	s.hear(noon().Add(15*time.Minute), position(nordic, 10.45, 56.14, 50, 900))
	s.watch.Save(false)
	if kinds := s.get(eventPath).events(t); fmt.Sprint(kinds) != "[leave]" {
		t.Errorf("%v", kinds)
	}
	all := s.get(eventPath+"?after_id=0").is(t, 200).json(t)["records"].([]any)
	if first := all[0].(map[string]any); len(all) != 2 || first["state"] != "inactive" || first["deactivated"] == nil {
		t.Errorf("%v", all)
	}
	s.call("admin", "DELETE", path, "").is(t, 204)
	s.get(path).is(t, 404)
}

// enters lets a ship sail into the roads, and raises what it does.
func (s *site) enters(m ais.MMSI, name string, from time.Time) {
	s.t.Helper()
	s.hear(from, voyage(m, name))
	for i := range 5 {
		s.hear(from.Add(time.Duration(i)*time.Minute), position(m, 10.3+float64(i)/200, 56.14, 50, 900))
	}
	s.watch.Save(false)
}

// ships returns the ships of the events of a list.
func (a answer) ships(t testing.TB) (numbers []ais.MMSI) {
	t.Helper()
	for _, one := range a.is(t, 200).json(t)["records"].([]any) {
		numbers = append(numbers, ais.MMSI(one.(map[string]any)["ship"].(map[string]any)["mmsi"].(float64)))
	}
	return numbers
}

// TestAHiddenShipsEventsStayHidden: a filter hides the events of a ship in the list, at the acknowledgement and from a caller that waits. So does the
// access list of the watchdog, at once.
func TestAHiddenShipsEventsStayHidden(t *testing.T) {
	const other = 211222333
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	path := s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["anna"],`+roads+`}`)
	s.setFilter("anna", `{"expression":"mmsi = 211222333"}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.enters(other, "TWIN", noon().Add(10*time.Minute))
	if all := s.get(eventPath + "?after_id=0").ships(t); len(all) != 2 || all[0] != nordic {
		t.Fatalf("%v", all)
	}
	if told := s.call("anna", "GET", eventPath, "").ships(t); len(told) != 1 || told[0] != other {
		t.Errorf("%v", told)
	}
	hidden, none := s.call("anna", "POST", eventPath+"/1/ack", "{}").is(t, 404).text(), s.call("anna", "POST", eventPath+"/77/ack", "{}").is(t, 404).text()
	if strings.ReplaceAll(hidden, "/1/", "/77/") != none {
		t.Errorf("%s\n%s", hidden, none)
	}
	s.hear(noon().Add(20*time.Minute), position(nordic, 10.45, 56.14, 50, 900))
	s.watch.Save(false)
	if a := s.call("anna", "GET", waitPath+"?timeout=1", "").is(t, 200).json(t); a["triggered"] != false {
		t.Errorf("%v", a)
	}
	s.call("anna", "POST", eventPath+"/2/ack", "{}").is(t, 200)
	s.call("admin", "PUT", path, `{"acl":[]}`).is(t, 200)
	if told := s.call("anna", "GET", eventPath+"?after_id=0", "").ships(t); len(told) != 0 {
		t.Errorf("without the watchdog: %v", told)
	}
	s.call("anna", "POST", eventPath+"/2/ack", "{}").is(t, 404)
}

// watchesLate makes a watchdog of the roads for a user that is told half an hour late.
func (s *site) watchesLate(name string) {
	s.addUser(name, access.GroupOperator)
	s.setFilter(name, `{"delay":1800}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["operator"],`+roads+`}`)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.call(name, "GET", portserver+"/ship/search/nordic", "") // the picture of the delay begins
}

// TestALateUserGetsEachEventLate: a user that is told half an hour late gets all events, in order and each once, and none before its time.
func TestALateUserGetsEachEventLate(t *testing.T) {
	const delay = 30 * time.Minute
	s := newSite(t)
	s.watchesLate("anna")
	at, told := noon(), 0
	for i := range 100 {
		at = at.Add(time.Minute)
		s.clock.pass(time.Minute)
		s.hear(at, position(nordic, 10.3+float64(i%10)/200, 56.14, 50, 900)) // in for seven of ten minutes
		s.tick(at)
		s.watch.Save(false)
		answer := s.call("anna", "GET", eventPath, "").is(t, 200).json(t)
		if answer["more"] == true {
			t.Errorf("at %s the answer says that there is more", at)
		}
		for _, one := range answer["records"].([]any) {
			e := one.(map[string]any)
			when, err := time.Parse(time.RFC3339, e["time"].(string))
			if told++; err != nil || at.Sub(when) < delay || e["id"] != float64(told) {
				t.Errorf("at %s event %v of %s", at, e["id"], e["time"])
			}
			if ended, err := time.Parse(time.RFC3339, fmt.Sprint(e["deactivated"])); err == nil && at.Sub(ended) < delay {
				t.Errorf("at %s an event ended at %s", at, ended)
			}
		}
	}
	known := 0
	for _, one := range s.get(eventPath+"?after_id=0").is(t, 200).json(t)["records"].([]any) {
		if when, _ := time.Parse(time.RFC3339, one.(map[string]any)["time"].(string)); at.Sub(when) > delay+2*time.Minute {
			known++
		}
	}
	if told < known || known < 8 {
		t.Errorf("%d events are told of %d", told, known)
	}
	last := s.call("anna", "GET", eventPath+"?latest=1", "").is(t, 200).json(t)["records"].([]any)
	if len(last) != 1 || last[0].(map[string]any)["id"] != float64(told) {
		t.Errorf("the latest is %v", last)
	}
}

// TestLatestEvents: the latest events are the end of all that the caller may know, however many parts they are read in, and move no cursor.
func TestLatestEvents(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupOperator)
	s.setFilter("anna", `{"expression":"mmsi < 211000400"}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["operator"],`+roads+`}`)
	const ships = 620
	for i := range 3 { // a ship counts from its third report on
		for n := range ships {
			s.hear(noon().Add(time.Duration(i)*time.Minute), position(ais.MMSI(211000000+n), 10.33, 56.14, 0, 0))
		}
	}
	s.watch.Save(false)
	for user, most := range map[string]int{"admin": ships, "anna": 400} {
		var all []ais.MMSI
		if all = s.call(user, "GET", eventPath+"?after_id=0", "").ships(t); len(all) != most {
			t.Fatalf("%s: %d events", user, len(all))
		}
		for _, n := range []int{1, 3, 300, 550, 1000} {
			if told := s.call(user, "GET", fmt.Sprint(eventPath, "?latest=", n), "").ships(t); !slices.Equal(told, all[max(0, most-n):]) {
				t.Errorf("%s: the latest %d are %d", user, n, len(told))
			}
		}
		if told := s.call(user, "GET", eventPath, "").ships(t); len(told) != most {
			t.Errorf("%s: the cursor was moved past %d events", user, most-len(told))
		}
	}
	for _, n := range []string{"0", "1001", "-1", "x"} {
		s.get(eventPath+"?latest="+n).is(t, 400)
	}
}

// TestEventCursor: the cursor of a user is its own, goes back to a time, and outlives a restart.
func TestEventCursor(t *testing.T) {
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["operator"],`+roads+`}`)
	s.addUser("anna", access.GroupOperator)
	for i, m := range []ais.MMSI{211000001, 211000002, 211000003} {
		s.enters(m, "", noon().Add(time.Duration(i)*time.Hour))
		s.tick(noon().Add(time.Duration(i)*time.Hour + 10*time.Minute))
	}
	if all := s.get(eventPath).ships(t); len(all) != 3 {
		t.Fatalf("%v", all)
	}
	s.restart()
	if all := s.get(eventPath).ships(t); len(all) != 0 {
		t.Errorf("again: %v", all)
	}
	if a := s.post(eventPath, `{"time":"2026-11-20T12:05:00Z"}`).is(t, 200).json(t); a["time"] != "2026-11-20T12:05:00Z" {
		t.Errorf("%v", a)
	}
	if a := s.get(waitPath).is(t, 200).json(t); a["triggered"] != true || a["count"] != 2.0 || a["last_id"] != 3.0 {
		t.Errorf("%v", a)
	}
	if all := s.get(eventPath).ships(t); len(all) != 2 || all[0] != 211000002 {
		t.Errorf("%v", all)
	}
	if all := s.call("anna", "GET", eventPath, "").ships(t); len(all) != 3 {
		t.Errorf("anna: %v", all)
	}
	s.post(eventPath, `{}`).is(t, 400)
	s.post(eventPath+"/1/ack", `{}`).is(t, 200)
	if a := s.post(eventPath+"/2/ack", `{}`).is(t, 200).json(t); a["acknowledged"].(map[string]any)["user"] != "admin" {
		t.Errorf("%v", a)
	}
	if a := s.call("anna", "POST", eventPath+"/2/ack", `{}`).is(t, 200).json(t); a["acknowledged"].(map[string]any)["user"] != "admin" {
		t.Errorf("again: %v", a)
	}
}

// beginWaits has a user wait as often as answers has room, from one address. Twenty calls begin at once: of more than a hundred whose passwords
// are judged at one time, an address gets only those answered that take less than a second.
func (s *site) beginWaits(user string, answers chan answer) *sync.WaitGroup {
	s.t.Helper()
	var waits sync.WaitGroup
	for begun := range cap(answers) {
		waits.Go(func() { answers <- s.call(user, "GET", waitPath+"?timeout=300", "") })
		if (begun+1)%20 == 0 {
			await.That(s.t, "all that were begun wait", func() bool { return s.server.watchdogs.Waiting() == begun+1 })
		}
	}
	return &waits
}

// TestWaitersAreAnswered: a thousand callers that wait are all answered by one event, and those that lose the right are sent away.
func TestWaitersAreAnswered(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.EventWait = 0 })
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`}`)
	s.may("anna", right.ViewWatchdog)
	answers := make(chan answer, 1000)
	var lost answer
	waits := s.beginWaits("admin", answers)
	waits.Go(func() { lost = s.call("anna", "GET", waitPath+"?timeout=300", "") })
	await.That(t, "all callers wait", func() bool { return s.server.watchdogs.Waiting() > cap(answers) })
	s.allow("anna", []right.Name{right.AllowWebService})
	s.enters(nordic, "NORDIC HAV", noon())
	waits.Wait()
	lost.is(t, 403)
	for range cap(answers) {
		if a := (<-answers).is(t, 200).json(t); a["triggered"] != true || a["last_id"] != 1.0 {
			t.Fatalf("%v", a)
		}
	}
}

// TestAWaitEndsWithItsCaller: a caller that goes away gives its place back, also where its request had a body, which a wait does not need.
func TestAWaitEndsWithItsCaller(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.EventWait = 0 })
	server := s.serve()
	for _, body := range []string{"", "{}"} {
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+waitPath+"?timeout=300", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", s.credentials("admin"))
		gone := make(chan error, 1)
		go func() {
			response, err := server.Client().Do(r)
			if err == nil {
				response.Body.Close()
			}
			gone <- err
		}()
		await.That(t, "the caller waits", func() bool { return s.server.watchdogs.Waiting() == 1 })
		leave()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Errorf("%q: %v", body, err)
		}
		await.That(t, "it gave its place back", func() bool { return s.server.watchdogs.Waiting() == 0 })
	}
	s.call("admin", "GET", waitPath, strings.Repeat(" ", request.MaxSignInBody+1)).is(t, 413)
}

// TestOneUserDoesNotTakeAllWaits: a user that waits very often leaves a place to each other one, and is told so. Of its own calls none is pushed away.
func TestOneUserDoesNotTakeAllWaits(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.EventWait = 0 })
	s.may("anna", right.ViewWatchdog)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["anna"],`+roads+`}`)
	answers, waiting := make(chan answer, watchdogs.MostWaits), s.server.watchdogs.Waiting
	waits := s.beginWaits("anna", answers)
	s.call("anna", "GET", waitPath+"?timeout=300", "").is(t, 429)
	var other answer
	waits.Go(func() { other = s.get(waitPath + "?timeout=300") })
	pushed := (<-answers).is(t, 429)
	if retry := pushed.header.Get("Retry-After"); retry != "10" {
		t.Errorf("Retry-After: %q", retry)
	}
	await.That(t, "the other one waits", func() bool { return waiting() == cap(answers) })
	s.enters(nordic, "NORDIC HAV", noon())
	waits.Wait()
	if a := other.is(t, 200).json(t); a["triggered"] != true {
		t.Errorf("%v", a)
	}
	for range cap(answers) - 1 {
		if a := (<-answers).is(t, 200).json(t); a["triggered"] != true {
			t.Fatalf("%v", a)
		}
	}
}

// TestAWaitTellsWhatIsThere: the time is for what may come. What is there already is told also where the time is over at once, as on a busy machine.
func TestAWaitTellsWhatIsThere(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.EventWait = 1 })
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`}`)
	if a := s.get(waitPath).is(t, 200).json(t); a["triggered"] != false {
		t.Errorf("before anything is raised: %v", a)
	}
	s.enters(nordic, "NORDIC HAV", noon())
	s.post(eventPath, `{"time":"2026-11-20T11:00:00Z"}`).is(t, 200)
	for range 20 {
		if a := s.get(waitPath).is(t, 200).json(t); a["triggered"] != true || a["last_id"] != 1.0 {
			t.Fatalf("%v", a)
		}
	}
}

// TestWatchdogFields: what is wrong with a watchdog is named by its field.
func TestWatchdogFields(t *testing.T) {
	s := newSite(t)
	const line = `"line":{"type":"LineString","coordinates":[[10,56],[11,56]]}`
	for body, pointer := range map[string]string{
		`{"name":"a","type":"polygon"}`:               "/polygon",
		`{"name":"a","type":"harbour",` + roads + `}`: "/polygon",
		`{"name":"a",` + roads + `}`:                  "/polygon",
		`{"name":"a","type":"line",` + roads + `}`:    "/polygon",
		`{"name":"a","type":"polygon","polygon":{"type":"LineString","coordinates":[[1,1],[2,2]]}}`: "/polygon",
		`{"name":"a","type":"polygon","polygon":{"type":"Polygon","coordinates":[[[1,91],[2,2]]]}}`: "/polygon/coordinates/0",
		`{"type":"line",` + line + `}`:                                                                "/name",
		`{"name":"a","type":"line",` + line + `,"severity":"red"}`:                                    "/severity",
		`{"name":"a","type":"line",` + line + `,"check_direction":true,"min_cog":10}`:                 "/max_cog",
		`{"name":"a","type":"line",` + line + `,"samples_to_activate":0}`:                             "/samples_to_activate",
		`{"name":"a","type":"line",` + line + `,"any_type":true}`:                                     "/any_type",
		`{"name":"a","type":"line",` + line + `,"inactivity_timeout":"soon"}`:                         "/inactivity_timeout",
		`{"name":"a","type":"line",` + line + `,"mail_to":["harbour@example.com"]}`:                   "/mail_to",
		`{"name":"a","type":"line",` + line + `,"create_shiplist":1}`:                                 "/create_shiplist",
		`{"name":"a","type":"line",` + line + `,"shiplist_timeout":"soon"}`:                           "/shiplist_timeout",
		`{"name":"a","type":"line",` + line + `,"shiplist_timeout":"00:00:00"}`:                       "/shiplist_timeout",
		`{"name":"a","type":"polygon",` + roads + `,"shiplist_timeout":"00:30:00"}`:                   "/shiplist_timeout",
		`{"name":"a","type":"box","box":{},"create_shiplist":true}`:                                   "/create_shiplist",
		`{"name":"a","type":"line",` + line + `,"filter":"sog >"}`:                                    "/filter",
		`{"name":"a","type":"line",` + line + `,"acl":["nobody of this name"]}`:                       "/acl/0",
		`{"name":"a","type":"cable","cable":{"geometry":{"type":"Point","coordinates":[1,1]}}}`:       "/cable/geometry",
		`{"name":"a","type":"cable","cable":{"geometry":` + line[len(`"line":`):] + `,"buffer":1e9}}`: "/cable/buffer",
		`{"name":"a","type":"port","port":{}}`:                                                        "/port",
	} {
		a := s.post(definitionPath, body).is(t, 400)
		if !strings.Contains(string(a.body), `"pointer":"`+pointer) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	s.post(definitionPath, `{"name":"a","type":"port","port":"NOWHERE AT ALL"}`).is(t, 422)
	path := s.watchdog("admin", `{"name":"Cable","type":"cable","cable":`+line[len(`"line":`):]+`,"inactivity_timeout":"001:30:00","create_shiplist":false,"mail_to":[]}`)
	one := s.get(path).is(t, 200).json(t)
	if one["time_between_triggers"] != 900.0 || one["inactivity_timeout"] != "01:30:00" || one["cable"].(map[string]any)["geometry"] == nil {
		t.Errorf("%v", one)
	}
	one["severity"] = "alert"
	text, _ := json.Marshal(one)
	if back := s.call("admin", "PUT", path, string(text)).is(t, 200).json(t); back["severity"] != "alert" || back["inactivity_timeout"] != "01:30:00" {
		t.Errorf("what was read does not go back: %v", back)
	}
	port := s.watchdog("admin", `{"name":"Aarhus","type":"port","port":{"locode":"DKAAR"}}`)
	if named := s.get(port).is(t, 200).json(t)["port"].(map[string]any); named["locode"] != "DKAAR" || named["name"] == "" {
		t.Errorf("%v", named)
	}
	s.post(configPath+"/shiplist", `{"name":"tugs","ships":[{"mmsi":219018765}]}`).is(t, 200)
	listed := s.watchdog("admin", `{"name":"Tugs","type":"line",`+line+`,"filter":"shiplist = tugs"}`)
	s.call("admin", "DELETE", configPath+"/shiplist/tugs", "").is(t, 204)
	s.watch.Compile()
	if problem := s.get(listed).is(t, 200).json(t)["problem"]; problem == nil {
		t.Error("a watchdog whose list is gone has no problem")
	}
}

// TestAWatchdogOutlivesARestart: the ship is inside before the restart and leaves after it. It does not enter twice, and what it began is over.
func TestAWatchdogOutlivesARestart(t *testing.T) {
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.restart()
	s.hear(noon().Add(6*time.Minute), position(nordic, 10.33, 56.14, 50, 900))
	s.watch.Save(false)
	if kinds := s.get(eventPath).events(t); fmt.Sprint(kinds) != "[enter]" {
		t.Fatalf("%v", kinds)
	}
	s.restart()
	s.hear(noon().Add(18*time.Minute), position(nordic, 10.42, 56.14, 50, 900))
	s.watch.Save(false)
	all := s.get(eventPath+"?after_id=0").is(t, 200).json(t)["records"].([]any)
	if first := all[0].(map[string]any); len(all) != 2 || first["deactivated"] != all[1].(map[string]any)["time"] {
		t.Errorf("%v", all)
	}
}
