package handlers

import (
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// inside returns what a definition says of the ships inside and of its last event, and which ships the list has.
func (s *site) inside(user, path string) string {
	s.t.Helper()
	one := s.call(user, "GET", path, "").is(s.t, 200).json(s.t)
	var last any
	if e, told := one["last_event"].(map[string]any); told {
		last = fmt.Sprint(e["id"], " ", e["event"])
	}
	for _, other := range s.call(user, "GET", definitionPath, "").is(s.t, 200).json(s.t)["records"].([]any) {
		if r := other.(map[string]any); r["id"] == one["id"] && fmt.Sprint(r["active_ships"], r["last_event"]) != fmt.Sprint(one["active_ships"], one["last_event"]) {
			s.t.Errorf("%s: the list has %v, the definition %v", user, r["active_ships"], one["active_ships"])
		}
	}
	list := s.call(user, "GET", path+"/active", "").is(s.t, 200).json(s.t)
	var ships []ais.MMSI
	for _, r := range list["records"].([]any) {
		ships = append(ships, ais.MMSI(r.(map[string]any)["ship"].(map[string]any)["mmsi"].(float64)))
	}
	if list["count"] != one["active_ships"] || float64(len(ships)) != list["count"] {
		s.t.Errorf("%s: %v are inside, %v are counted, %v listed", user, one["active_ships"], list["count"], ships)
	}
	return fmt.Sprint(ships, " ", last)
}

// TestTheShipsInside: a definition counts the ships whose events go on, and tells its last event; the list says since when each is inside. A caller gets
// what it sees. A restart and a mute ship change nothing of it.
func TestTheShipsInside(t *testing.T) {
	const other = 211222333
	s := newSite(t)
	for _, name := range []string{"anna", "blind"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.setFilter("blind", `{"expression":"mmsi = 211222333"}`)
	path := s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["anna","blind"],`+roads+`}`)
	is := func(user, want string) {
		t.Helper()
		if got := s.inside(user, path); got != want {
			t.Errorf("%s: %s, want %s", user, got, want)
		}
	}
	is("anna", "[] <nil>")
	s.enters(other, "TWIN", noon())
	s.enters(nordic, "NORDIC HAV", noon().Add(10*time.Minute))
	is("anna", "[211222333 219018765] 2 enter")
	is("blind", "[211222333] 1 enter")
	first := s.get(path+"/active").is(t, 200).json(t)["records"].([]any)[0].(map[string]any)
	if first["since"] != "2026-11-20T12:02:00Z" || first["ship"].(map[string]any)["name"] != "TWIN" || first["position"] == nil {
		t.Errorf("%v", first)
	}
	s.watch.Save(true)
	s.restart()
	s.hear(noon().Add(15*time.Minute), position(other, 10.321, 56.14, 0, 0))
	s.hear(noon().Add(15*time.Minute), position(nordic, 10.321, 56.14, 0, 0))
	is("anna", "[211222333 219018765] 2 enter")
	is("blind", "[211222333] 1 enter")
	s.post(eventPath+"/2/ack", `{"for":"10:00:00"}`).is(t, 200)
	is("anna", "[211222333 219018765] 2 enter")
	s.hear(noon().Add(40*time.Minute), position(nordic, 10.45, 56.14, 50, 900))
	s.watch.Save(false)
	is("anna", "[211222333] 2 enter") // nobody is told that it left
	s.hear(noon().Add(40*time.Minute), position(other, 10.45, 56.14, 50, 900))
	s.watch.Save(false)
	is("anna", "[] 3 leave")
	is("blind", "[] 3 leave")
	s.call("admin", "DELETE", eventPath+"/3", "").is(t, 204)
	is("blind", "[] 1 enter")
	s.call("blind", "PUT", path, `{"active_ships":9}`).is(t, 403)
	if a := s.call("admin", "PUT", path, `{"active_ships":9,"last_event":{"id":77}}`).is(t, 200).json(t); a["active_ships"] != 0.0 {
		t.Errorf("%v", a)
	}
	s.call("admin", "PUT", path, `{"acl":["anna"]}`).is(t, 200)
	s.call("blind", "GET", path+"/active", "").is(t, 404)
	s.call("blind", "GET", definitionPath+"/nothing/active", "").is(t, 404)
}

// TestALateUserIsNotToldWhoIsInside: of what is now.
func TestALateUserIsNotToldWhoIsInside(t *testing.T) {
	s := newSite(t)
	s.addUser("late", access.GroupOperator)
	s.setFilter("late", `{"delay":1800}`)
	path := s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["operator"],`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.call("late", "GET", path+"/active", "").is(t, 403)
	one := s.call("late", "GET", path, "").is(t, 200).json(t)
	if _, told := one["active_ships"]; told || one["last_event"] != nil {
		t.Errorf("%v, %v", one["active_ships"], one["last_event"])
	}
	s.pass(t, 40*time.Minute)
	if one = s.call("late", "GET", path, "").is(t, 200).json(t); one["last_event"] == nil || one["active_ships"] != nil {
		t.Errorf("%v, %v", one["active_ships"], one["last_event"])
	}
}

// TestBothShipsOfAPairAreInside: a caller that may not see one of them is told of neither.
func TestBothShipsOfAPairAreInside(t *testing.T) {
	s := newSite(t)
	s.may("blind", right.ViewWatchdog)
	s.setFilter("blind", `{"expression":"mmsi != 211222333"}`)
	path := s.watchdog("admin", `{"name":"Strait","type":"cpa","acl":["blind"],"cpa":{`+roads+`}}`)
	s.meet(nordic, 211222333, noon())
	if got := s.inside("admin", path); got != "[211222333 219018765] 1 cpa" {
		t.Errorf("%s", got)
	}
	if got := s.inside("blind", path); got != "[] <nil>" {
		t.Errorf("%s", got)
	}
}
