package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const manualPath = eventPath + "/manual"

// numbers returns the numbers of the events of a list.
func (a answer) numbers(t testing.TB) (all []float64) {
	t.Helper()
	for _, one := range a.is(t, 200).json(t)["records"].([]any) {
		all = append(all, one.(map[string]any)["id"].(float64))
	}
	return all
}

// TestAnEventMadeByHand: it stands among the others, rings by its severity, and is gone for good when it is deleted. The audit log has both.
func TestAnEventMadeByHand(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	s.enters(nordic, "NORDIC HAV", noon())
	s.tick(noon().Add(10 * time.Minute))
	made := s.post(manualPath, `{"message":"  Fire at berth <4> ","severity":"alert","mmsi":219018765,"time":"2026-11-20T12:02:30Z","position":{"type":"Point","coordinates":[10.2,56.15]}}`).is(t, 200).json(t)
	ship := made["ship"].(map[string]any)
	place := made["position"].(map[string]any)["coordinates"].([]any)
	if made["id"] != 1.0 || made["event"] != "manual" || made["type"] != "manual" || made["state"] != "inactive" || made["message"] != "Fire at berth <4>" ||
		made["time"] != "2026-11-20T12:02:30Z" || made["made_by"] != "admin" || made["definition_id"] != nil || ship["name"] != "NORDIC HAV" || fmt.Sprint(place[:2]) != "[10.2 56.15]" {
		t.Errorf("%v", made)
	}
	plain := s.post(manualPath, `{"message":"Buoy 7 is dark"}`).is(t, 200).json(t)
	if plain["time"] != "2026-11-20T12:10:00Z" || plain["severity"] != "note" || plain["ship"] != nil || plain["position"] != nil {
		t.Errorf("%v", plain)
	}
	s.raise()
	for _, user := range []string{"admin", "anna"} {
		if got := s.call(user, "GET", eventPath+"?after_id=0", "").numbers(t); fmt.Sprint(got) != "[1 2]" {
			t.Errorf("%s is told of %v", user, got)
		}
		if got := s.call(user, "GET", alertPath+"?latest=9", "").alerts(t); got != "1 alarm active mine 1/1, 2 caution normal mine 0/1" {
			t.Errorf("%s: %s", user, got)
		}
	}
	s.call("anna", "POST", eventPath+"/1/ack", `{"for":"01:00:00"}`).is(t, 400)
	s.call("anna", "POST", eventPath+"/1/ack", "{}").is(t, 200)
	if got := s.call("anna", "GET", alertPath, "").alerts(t); got != "" {
		t.Errorf("acknowledged: %s", got)
	}
	s.call("anna", "DELETE", eventPath+"/1", "").is(t, 403)

	third := s.post(manualPath, `{"message":"Fire again","severity":"alert"}`).is(t, 200).json(t)["id"]
	s.raise()
	if got := s.call("anna", "GET", alertPath, "").alerts(t); got != "3 alarm active mine 1/1" {
		t.Errorf("%s", got)
	}
	s.call("admin", "DELETE", fmt.Sprint(eventPath, "/", third), "").is(t, 204)
	s.call("admin", "DELETE", fmt.Sprint(eventPath, "/", third), "").is(t, 404)
	s.post(fmt.Sprint(eventPath, "/", third, "/ack"), "{}").is(t, 404)
	for _, path := range []string{alertPath, alertPath + "?latest=9"} {
		if got := s.call("anna", "GET", path, "").alerts(t); strings.Contains(got, "alarm active") {
			t.Errorf("%s after the deletion: %s", path, got)
		}
	}
	s.restart()
	for _, path := range []string{eventPath + "?after_id=0", eventPath + "?latest=9", eventPath} {
		if got := s.get(path).numbers(t); fmt.Sprint(got) != "[1 2]" {
			t.Errorf("%s: %v", path, got)
		}
	}
	if next := s.post(manualPath, `{"message":"Out"}`).is(t, 200).json(t)["id"]; next != 4.0 {
		t.Errorf("the number of a deleted event was given again: %v", next)
	}
	if a := s.get(waitPath).is(t, 200).json(t); a["count"] != 1.0 || a["last_id"] != 4.0 {
		t.Errorf("%v", a)
	}
	log := s.get("/api/audit").is(t, 200).json(t)["records"].([]any)
	found := map[string]bool{}
	for _, one := range log {
		line := one.(map[string]any)
		found[fmt.Sprint(line["action"], " ", line["object"], " ", line["result"])] = true
	}
	for _, deed := range []string{"POST event 3 ok", "DELETE event 3 ok"} {
		if !found[deed] {
			t.Errorf("the audit log has no %q", deed)
		}
	}
}

// TestTheBoundsOfAnEventMadeByHand: what is wrong with it is named by its field, and nothing is kept.
func TestTheBoundsOfAnEventMadeByHand(t *testing.T) {
	s := newSite(t)
	s.tick(noon())
	for body, pointer := range map[string]string{
		`{}`:             "/message",
		`{"message":""}`: "/message",
		`{"message":"` + strings.Repeat("x", 501) + `"}`:                                     "/message",
		`{"message":"a\r\nB"}`:                                                               "/message",
		`{"message":"a","severity":"red"}`:                                                   "/severity",
		`{"message":"a","time":"2026-11-20T12:00:01Z"}`:                                      "/time",
		`{"message":"a","time":"2026-10-20T12:00:00Z"}`:                                      "/time",
		`{"message":"a","mmsi":219018765}`:                                                   "/mmsi",
		`{"message":"a","position":{"type":"Point","coordinates":[10,91]}}`:                  "/position",
		`{"message":"a","position":{"type":"LineString","coordinates":[[10,56],[10.1,56]]}}`: "/position",
	} {
		if a := s.post(manualPath, body).is(t, 400); !strings.Contains(string(a.body), `"pointer":"`+pointer) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	if got := s.get(eventPath + "?after_id=0").numbers(t); len(got) != 0 {
		t.Errorf("%v", got)
	}
	for range 200 {
		s.post(manualPath, `{"message":"a"}`).is(t, 200)
	}
	s.post(manualPath, `{"message":"a"}`).is(t, 429)
	s.tick(noon().Add(time.Hour))
	s.post(manualPath, `{"message":"a"}`).is(t, 200)
}

// TestAHiddenShipsManualEventStaysHidden: a ship that the caller may not see is none to it, and so are the events that others make of it. Events
// without a ship are for everybody.
func TestAHiddenShipsManualEventStaysHidden(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.AddRemoveEvents)
	s.setFilter("anna", `{"expression":"mmsi = 211222333"}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.enters(211222333, "TWIN", noon())
	hidden, none := s.call("anna", "POST", manualPath, `{"message":"a","mmsi":219018765}`).is(t, 400).text(), s.call("anna", "POST", manualPath, `{"message":"a","mmsi":219018700}`).is(t, 400).text()
	if hidden != none {
		t.Errorf("%s\n%s", hidden, none)
	}
	s.post(manualPath, `{"message":"NORDIC HAV burns","severity":"alert","mmsi":219018765,"position":{"type":"Point","coordinates":[10.3,56.14]}}`).is(t, 200)
	s.post(manualPath, `{"message":"Twin burns","mmsi":211222333}`).is(t, 200)
	s.post(manualPath, `{"message":"The pier burns"}`).is(t, 200)
	s.call("anna", "POST", manualPath, `{"message":"Twin burns no more","mmsi":211222333,"time":"2026-11-20T12:03:00Z"}`).is(t, 200)
	s.raise()
	if got := s.call("anna", "GET", eventPath+"?after_id=0", "").numbers(t); fmt.Sprint(got) != "[2 3 4]" {
		t.Errorf("%v", got)
	}
	if a := s.call("anna", "GET", waitPath, "").is(t, 200).json(t); a["count"] != 3.0 {
		t.Errorf("%v", a)
	}
	if a := s.call("anna", "GET", alertPath+"?latest=9", "").text(); strings.Contains(a, "NORDIC") {
		t.Errorf("%s", a)
	}
	hidden, none = s.call("anna", "DELETE", eventPath+"/1", "").is(t, 404).text(), s.call("anna", "DELETE", eventPath+"/77", "").is(t, 404).text()
	if strings.ReplaceAll(hidden, "/1", "/77") != none {
		t.Errorf("%s\n%s", hidden, none)
	}
	s.call("anna", "DELETE", eventPath+"/2", "").is(t, 204)
	if got := s.get(eventPath + "?after_id=0").numbers(t); fmt.Sprint(got) != "[1 3 4]" {
		t.Errorf("%v", got)
	}
	s.allow("anna", []right.Name{right.AllowWebService, right.AddRemoveEvents})
	s.call("anna", "POST", manualPath, `{"message":"a"}`).is(t, 403)
	s.call("anna", "DELETE", eventPath+"/3", "").is(t, 403)
}

// TestALateUserGetsAnEventMadeByHandLate: whenever it was, a user that is told half an hour late is told of it half an hour after it was made.
func TestALateUserGetsAnEventMadeByHandLate(t *testing.T) {
	s := newSite(t)
	s.addUser("late", access.GroupOperator)
	s.setFilter("late", `{"delay":1800}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.call("late", "GET", portserver+"/ship/search/nordic", "")
	s.pass(t, 20*time.Minute)
	s.post(manualPath, `{"message":"Fire","time":"2026-11-20T11:30:00Z"}`).is(t, 200)
	s.post(manualPath, `{"message":"Fire aboard","mmsi":219018765,"time":"2026-11-20T12:03:30Z"}`).is(t, 200)
	for minute := 20; minute < 60; minute += 5 {
		got, want := fmt.Sprint(s.call("late", "GET", eventPath+"?after_id=0", "").numbers(t)), "[]"
		if minute >= 50 {
			want = "[1 2]"
		}
		if got != want {
			t.Errorf("after %d minutes: %s, want %s", minute, got, want)
		}
		s.pass(t, 5*time.Minute)
	}
}

// pass lets time pass in which the ship lies still.
func (s *site) pass(t *testing.T, length time.Duration) {
	t.Helper()
	at := s.sight.Now()
	for range int(length / time.Minute) {
		at = at.Add(time.Minute)
		s.clock.pass(time.Minute)
		s.hear(at, position(nordic, 10.32, 56.14, 0, 0))
		s.tick(at)
	}
}

// TestTheStreamTellsWhatWasDeleted: a client learns that an event is gone that it was told of, and of no other.
func TestTheStreamTellsWhatWasDeleted(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWatchdog)
	s.setFilter("anna", `{"expression":"mmsi = 211222333"}`)
	s.enters(nordic, "NORDIC HAV", noon())
	ctx, user := context.Background(), func(name string) *access.User { u, _ := s.users.User(name); return u }
	next := map[string]func() string{}
	for _, name := range []string{"admin", "anna"} {
		stream := s.server.watchdogs.Stream()
		next[name] = func() string {
			v, err := s.sight.Of(ctx, user(name), name)
			if err != nil {
				t.Fatal(err)
			}
			body, err := stream(ctx, v, user(name))
			if err != nil || body == nil {
				return fmt.Sprint(err)
			}
			var news struct {
				Records []struct{ ID int }
				Gone    []int
			}
			if err := json.Unmarshal(body, &news); err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(news)
		}
		next[name]()
	}
	s.post(manualPath, `{"message":"Fire aboard","mmsi":219018765}`).is(t, 200)
	s.post(manualPath, `{"message":"Fire"}`).is(t, 200)
	if admin, anna := next["admin"](), next["anna"](); admin != "{[{1} {2}] []}" || anna != "{[{2}] []}" {
		t.Errorf("%s; %s", admin, anna)
	}
	s.call("admin", "DELETE", eventPath+"/1", "").is(t, 204)
	if admin, anna := next["admin"](), next["anna"](); admin != "{[] [1]}" || anna != "<nil>" {
		t.Errorf("%s; %s", admin, anna)
	}
}
