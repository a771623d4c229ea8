package handlers

import (
	"fmt"
	"testing"
	"time"
)

// crosses lets a ship sail into the roads or out of them, and raises what it does.
func (s *site) crosses(in bool, at time.Time) {
	s.t.Helper()
	lon := map[bool]float64{true: 10.35, false: 10.25}[in]
	s.hear(at, position(nordic, lon, 56.14, 50, 900))
	s.watch.Save(false)
}

// TestMute: while a ship is mute its watchdog tells nothing of it, also after a restart, and of others it does. What was told before ends.
func TestMute(t *testing.T) {
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`}`)
	all := func() string { return fmt.Sprint(s.get(eventPath + "?after_id=0").events(t)) }
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.crosses(false, noon().Add(-time.Minute))
	s.crosses(true, noon().Add(10*time.Minute))
	for _, wrong := range []string{`"1 h"`, `"-01:00:00"`, `"1001:00:00"`, `5`} {
		s.post(eventPath+"/1/ack", `{"for":`+wrong+`}`).is(t, 400)
	}
	if one := s.post(eventPath+"/1/ack", `{}`).is(t, 200).json(t); one["muted_until"] != nil {
		t.Errorf("%v", one)
	}
	one := s.post(eventPath+"/1/ack", `{"for":"01:00:00"}`).is(t, 200).json(t)
	if one["muted_until"] == nil || one["acknowledged"].(map[string]any)["user"] != "admin" {
		t.Errorf("%v", one)
	}
	s.crosses(false, noon().Add(20*time.Minute))
	s.restart()
	s.crosses(true, noon().Add(30*time.Minute))
	s.restart()
	if got := all(); got != "[enter]" {
		t.Errorf("of a ship that is mute: %s", got)
	}
	first := s.get(eventPath + "?after_id=0").json(t)["records"].([]any)[0].(map[string]any)
	if first["state"] != "inactive" || first["deactivated"] != "2026-11-20T12:14:00Z" { // on the way
		t.Errorf("what was told before is not over: %v", first)
	}
	s.enters(211222444, "OTHER", noon().Add(40*time.Minute))
	s.crosses(false, noon().Add(2*time.Hour))
	s.crosses(true, noon().Add(3*time.Hour))
	if got := all(); got != "[enter enter leave enter]" {
		t.Errorf("of another ship, and later: %s", got)
	}
	s.post(eventPath+"/1/ack", `{"for":"1000:00:00"}`).is(t, 200)
	if one := s.post(eventPath+"/1/ack", `{"for":"00:00:00"}`).is(t, 200).json(t); one["muted_until"] != nil {
		t.Errorf("%v", one)
	}
	s.crosses(false, noon().Add(4*time.Hour))
	if got := all(); got != "[enter enter leave enter leave]" {
		t.Errorf("once it is mute no more: %s", got)
	}
}

// TestAMuteShowsInAllEventsOfItsShip: who looks at any event of the ship and watchdog sees that more is not told, and no other ship seems mute. It goes with
// the mute, whichever event that is ended by.
func TestAMuteShowsInAllEventsOfItsShip(t *testing.T) {
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert",`+roads+`}`)
	mutes := func(path string) (found []bool) {
		t.Helper()
		for _, one := range s.get(path).is(t, 200).json(t)["records"].([]any) {
			found = append(found, one.(map[string]any)["muted_until"] != nil)
		}
		return found
	}
	s.enters(211222444, "OTHER", noon())
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.crosses(false, noon().Add(5*time.Minute))
	s.crosses(true, noon().Add(10*time.Minute))
	s.crosses(false, noon().Add(15*time.Minute))
	s.post(eventPath+"/2/ack", `{"for":"01:00:00"}`).is(t, 200)
	s.restart()
	if got := fmt.Sprint(mutes(eventPath + "?after_id=0")); got != "[false true true]" {
		t.Errorf("mute seem %s", got)
	}
	s.post(eventPath+"/3/ack", `{"for":"00:00:00"}`).is(t, 200)
	if got := fmt.Sprint(mutes(eventPath + "?latest=10")); got != "[false false false]" {
		t.Errorf("afterwards mute seem %s", got)
	}
}
