package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/distress"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
)

const builtIn = definitionPath + "/1"

// rescue stores alarms of distress, and makes events and alerts of them.
func (s *site) rescue(now time.Time) {
	s.tick(now)
	s.alarms.Save()
	s.raise()
}

// TestTheBuiltInWatchdogOverHTTP: all that may see watchdogs see it, those that administer them change a little of it, and nobody more.
func TestTheBuiltInWatchdogOverHTTP(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	s.may("chief", right.ViewWatchdog, right.ConfigureWatchdogDefinitions, right.AdminWatchdogDefinitions)
	s.may("blind", right.ConfigureWatchdogDefinitions)
	s.call("blind", "GET", builtIn, "").is(t, 403)
	dog := s.call("anna", "GET", builtIn, "").is(t, 200).json(t)
	if dog["type"] != "distress" || dog["id"] != 1.0 || dog["enabled"] != true || dog["severity"] != "alert" || dog["problem"] != nil {
		t.Errorf("%v", dog)
	}
	if all := recordsOf(t, s.call("anna", "GET", definitionPath, "").is(t, 200)); len(all) != 1 {
		t.Errorf("%v", all)
	}
	s.call("anna", "PUT", builtIn, `{"test_mode":true}`).is(t, 403)
	s.call("anna", "DELETE", builtIn, "").is(t, 403)
	if got := s.call("chief", "DELETE", builtIn, "").is(t, 409).text(); !strings.Contains(got, "built_in") {
		t.Error(got)
	}
	for body, pointer := range map[string]string{`{"enabled":false}`: "/enabled", `{"type":"box","box":{}}`: "/type", `{"name":"x"}`: "/name", `{"acl":["anna"]}`: "/acl",
		`{"severity":"note"}`: "/severity", `{"samples_to_activate":3}`: "/samples_to_activate"} {
		if got := s.call("chief", "PUT", builtIn, body).is(t, 400).text(); !strings.Contains(got, pointer) {
			t.Errorf("%s: %s", body, got)
		}
	}
	s.call("chief", "POST", definitionPath, `{"name":"Mine","type":"distress"}`).is(t, 400)
	now := s.call("chief", "PUT", builtIn, `{"test_mode":true,"escalate_after":"00:05:00","enabled":true}`).is(t, 200).json(t)
	if now["test_mode"] != true || now["escalate_after"] != "00:05:00" || now["owner"] != nil {
		t.Errorf("%v", now)
	}
	s.restart()
	if again := s.call("anna", "GET", builtIn, "").is(t, 200).json(t); again["test_mode"] != true || again["id"] != 1.0 {
		t.Errorf("%v", again)
	}
	if made := s.call("chief", "POST", definitionPath, `{"name":"Roads","type":"polygon",`+roads+`}`).is(t, 200).json(t); made["id"] != 2.0 {
		t.Errorf("%v", made)
	}
}

// TestPeopleInDistressAreOneThing: an alarm of distress and the alert that tells of it are acknowledged by one press, at whichever of them; no other alert is
// an emergency, and none of them can be mute.
func TestPeopleInDistressAreOneThing(t *testing.T) {
	for name, acknowledge := range map[string]struct{ path, body string }{
		"at the alarm": {distress.Path + "/acknowledge", fmt.Sprintf(`{"mmsi":[%d]}`, overboard)},
		"at the alert": {alertPath + "/1/ack", `{}`},
		"at the event": {eventPath + "/1/ack", `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			s.may("anna", right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
			s.tick(noon())
			s.hear(noon().Add(time.Second), distressed(overboard, 10.31, ais.StatusSART))
			s.rescue(noon().Add(2 * time.Second))
			if got := s.call("anna", "GET", alertPath, "").alerts(t); got != "1 emergency active mine 1/1" {
				t.Errorf("%s", got)
			}
			s.call("anna", "POST", eventPath+"/1/ack", `{"for":"01:00:00"}`).is(t, 400)
			s.call("anna", "POST", acknowledge.path, acknowledge.body).is(t, 200)
			is := func() {
				t.Helper()
				if got := s.call("anna", "GET", alertPath, "").alerts(t); got != "1 emergency acknowledged mine 0/1" {
					t.Errorf("%s", got)
				}
				if got := s.alarmsOf("anna"); got != fmt.Sprint(overboard, " by anna") {
					t.Errorf("%s", got)
				}
				e := recordsOf(t, s.call("anna", "GET", eventPath+"?after_id=0", "").is(t, 200))
				if len(e) != 1 || e[0]["event"] != "distress" || e[0]["acknowledged"].(map[string]any)["user"] != "anna" {
					t.Errorf("%v", e)
				}
			}
			is()
			s.restart()
			s.rescue(noon().Add(time.Minute))
			is()
		})
	}
}

// TestATestOfADeviceIsNoEmergency: it is a caution that waits for nobody, and an alarm where the watchdog rings for tests.
func TestATestOfADeviceIsNoEmergency(t *testing.T) {
	for body, want := range map[string]string{`{}`: "1 caution active mine 0/1", `{"test_mode":true}`: "1 alarm active mine 1/1"} {
		s := newSite(t)
		s.call("admin", "PUT", builtIn, body).is(t, 200)
		s.tick(noon())
		s.hear(noon(), distressed(970000001, 10.31, ais.StatusUndefined))
		s.rescue(noon().Add(time.Second))
		if got := s.call("admin", "GET", alertPath, "").alerts(t); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// TestABoxImportsTheBuiltInWatchdog: a document of another box changes it, and neither makes a second one nor takes it away.
func TestABoxImportsTheBuiltInWatchdog(t *testing.T) {
	here, there := newSite(t), newSite(t)
	here.call("admin", "PUT", builtIn, `{"test_mode":true,"escalate_after":"00:05:00"}`).is(t, 200)
	doc, err := here.areas.Box.Export()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]json.RawMessage
	if err := json.Unmarshal(text, &sections); err != nil {
		t.Fatal(err)
	}
	read := func(watchdogs string) *document.Document {
		doc, err := document.Read(fmt.Appendf(nil, `{"watchdogs":%s}`, watchdogs))
		if err != nil {
			t.Fatal(err)
		}
		return doc
	}
	for _, watchdogs := range []string{string(sections["watchdogs"]), string(sections["watchdogs"]), "[]"} {
		if _, err := there.areas.Box.Import(t.Context(), read(watchdogs), false); err != nil {
			t.Fatal(err)
		}
		all := recordsOf(t, there.call("admin", "GET", definitionPath, "").is(t, 200))
		if len(all) != 1 || all[0]["id"] != 1.0 || all[0]["test_mode"] != true || all[0]["escalate_after"] != "00:05:00" || all[0]["enabled"] != true {
			t.Errorf("%v", all)
		}
	}
	for _, wrong := range []string{`[{"name":"Second","type":"distress"}]`, `[{"name":"Distress","type":"box","box":{}}]`, `[{"name":"Distress","type":"distress","enabled":false}]`} {
		if _, err := there.areas.Box.Import(t.Context(), read(wrong), false); err == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}
