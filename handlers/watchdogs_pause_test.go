package handlers

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs/ceiling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestAPausedWatchdogSaysSo: the row of a watchdog that rings too often says until when it is paused and what it held back, its events tell the same to those
// that may use it, and who may change it ends the pause.
func TestAPausedWatchdogSaysSo(t *testing.T) {
	s := newSite(t)
	s.rings = ceiling.Usual()
	s.rings.Definition = ceiling.Rate{Burst: 2}
	s.restart()
	s.addUser("owner", access.GroupOperator)
	for _, name := range []string{"anna", "blind"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.setFilter("blind", `{"expression":"mmsi = 1"}`)
	path := s.watchdog("owner", `{"name":"Roads","type":"polygon","acl":["anna","blind"],`+roads+`}`)
	for i := range 5 {
		s.enters(ais.MMSI(211000001+i), "SHIP", noon().Add(time.Duration(i)*time.Minute))
	}
	row := s.call("anna", "GET", path, "").is(t, 200).json(t)
	paused, is := row["paused"].(map[string]any)
	if !is || paused["held"] != 3.0 || paused["since"] == nil || paused["until"] == nil {
		t.Fatalf("%v", row["paused"])
	}
	status := s.get("/api/status").is(t, 200).json(t)["watchdogs"].(map[string]any)
	if status["paused"] != 1.0 || status["events_held"] != 3.0 {
		t.Errorf("%v", status)
	}
	last := func(user string) map[string]any {
		t.Helper()
		all := s.call(user, "GET", eventPath+"?latest=1", "").is(t, 200).json(t)["records"].([]any)
		return all[0].(map[string]any)
	}
	for _, user := range []string{"anna", "blind"} { // it tells of no ship
		if e := last(user); e["event"] != "paused" || e["state"] != "active" || e["ship"] != nil || e["pause"].(map[string]any)["until"] != paused["until"] {
			t.Errorf("%s: %v", user, e)
		}
	}
	s.call("anna", "POST", path+"/resume", `{}`).is(t, 403)
	for _, want := range []bool{true, false} {
		if a := s.call("owner", "POST", path+"/resume", `{}`).is(t, 200).json(t); a["resumed"] != want {
			t.Errorf("%v, want %v", a, want)
		}
	}
	s.watch.Save(false)
	if e := last("blind"); e["event"] != "more" || e["message"] != "Roads: and 3 more, while it was paused" || e["pause"].(map[string]any)["held"] != 3.0 {
		t.Errorf("%v", e)
	}
	if row := s.call("anna", "GET", path, "").is(t, 200).json(t); row["paused"] != nil {
		t.Errorf("%v", row["paused"])
	}
}
