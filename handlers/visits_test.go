package handlers

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/handlers/ports"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const visitsPath = ports.Path + "/calls"

// visitsTo returns the calls at Aarhus that a user is told of.
func (s *site) visitsTo(user, query string) []map[string]any {
	s.t.Helper()
	return recordsOf(s.t, s.call(user, "GET", visitsPath+"/22781475?"+query, "").is(s.t, 200))
}

// harbour lets a cargo ship come to Aarhus, lie there and leave, and then a tanker come and stay. It returns when each came, and when the first left.
func (s *site) harbour() (first, left, second, now time.Time) {
	s.t.Helper()
	const tanker = ais.MMSI(219000700)
	begin := noon().Add(-5 * time.Hour)
	cargo, oil := voyage(nordic, "NORDIC HAV"), voyage(tanker, "OIL")
	cargo.ShipType, oil.ShipType, oil.IMO = 70, 80, 0
	s.heardBy(begin, cargo, "roof")
	first = s.coming(nordic, begin, aarhus, false, "roof")
	left = s.lying(nordic, first, aarhus, 40, "roof")
	s.save(left)
	at := s.coming(nordic, left, aarhus, true, "roof")
	s.heardBy(at, oil, "roof")
	second = s.coming(tanker, at, aarhus, false, "roof")
	now = s.lying(tanker, second, aarhus, 30, "roof")
	s.settle()
	s.save(now)
	return first, left, second, now
}

// TestCallsAtAPort holds which ships are in port, and which came or left in a time, by memory and out of the store.
func TestCallsAtAPort(t *testing.T) {
	s := newCalls(t)
	first, left, second, now := s.harbour()
	lies := s.visitsTo("admin", "open=true")
	if numbersOf(lies) != "219000700" || lies[0]["in_port"] != true || lies[0]["atd"] != nil {
		t.Fatalf("in port: %v", lies)
	}
	near(t, "ata", lies[0]["ata"], second)
	ship := lies[0]["ship"].(map[string]any)
	if ship["name"] != "OIL" || ship["type"] != "Tanker" || ship["length"] == nil || ship["callsign"] == nil || ship["imo"] != nil {
		t.Errorf("%v", ship)
	}
	check := func(when string) {
		t.Helper()
		at := func(t time.Time) string { return t.Format(time.RFC3339) }
		for query, want := range map[string]string{
			"": "219000700 219018765",
			"begin=" + at(first.Add(-3*time.Minute)) + "&end=" + at(first.Add(3*time.Minute)): "219018765",
			"begin=" + at(left.Add(-3*time.Minute)) + "&end=" + at(left.Add(3*time.Minute)):   "219018765",
			"begin=" + at(first.Add(5*time.Minute)) + "&end=" + at(left.Add(-5*time.Minute)):  "", // it lies there, and neither comes nor leaves
			"begin=" + at(second.Add(-3*time.Minute)):                                         "219000700",
			"begin=" + at(now.Add(-72*time.Hour)):                                             "219000700 219018765",
			"begin=" + at(now.Add(-72*time.Hour)) + "&end=" + at(now.Add(-48*time.Hour)):      "",
			"filter=" + url.QueryEscape("type = tanker"):                                      "219000700",
			"open=true&filter=" + url.QueryEscape("type = cargo"):                             "",
		} {
			if got := numbersOf(s.visitsTo("admin", query)); got != want {
				t.Errorf("%s: %s gives %s, want %s", when, query, got, want)
			}
		}
		if got := recordsOf(t, s.get(visitsPath+"/"+easthavenID(s)).is(t, 200)); len(got) != 0 {
			t.Errorf("%s: at another port: %v", when, got)
		}
	}
	check("live")
	if ours, theirs := s.visitsTo("admin", "")[1], s.callsOf("admin", ofNordic)[0]; ours["id"] != theirs["id"] || ours["atd"] != theirs["atd"] ||
		ours["service"] != theirs["service"] || fmt.Sprint(ours["times"]) != fmt.Sprint(theirs["times"]) {
		t.Errorf("%v\n%v", ours, theirs)
	}
	s.restart()
	s.save(now)
	check("after a restart")
	s.hear(now.Add(72*time.Hour), position(211222333, 3, 55, 50, 900))
	s.settle()
	s.save(now.Add(72 * time.Hour))
	old := fmt.Sprintf("begin=%s&end=%s", first.Add(-time.Hour).Format(time.RFC3339), now.Format(time.RFC3339))
	if got := numbersOf(s.visitsTo("admin", old)); got != "219000700 219018765" {
		t.Errorf("three days later: %s", got)
	}
	for query, field := range map[string]string{
		"open=maybe": "open", "begin=soon": "begin", "end=soon": "end", "begin=2026-11-20&end=2026-11-20": "begin", "begin=2026-01-01&end=2026-11-20": "begin",
		"open=true&begin=2026-11-20": "open", "filter=spede+%3E+3": "filter",
	} {
		if a := s.get(visitsPath+"/22781475?"+query).is(t, 400); !strings.Contains(string(a.body), `"parameter":"`+field+`"`) {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	s.get(visitsPath+"/1").is(t, 404)
	s.get(visitsPath+"/x").is(t, 400)
}

// easthavenID returns the number of the port that newCalls makes.
func easthavenID(s *site) string {
	all := recordsOf(s.t, s.get(ports.Path+"/list?pattern=Easthaven").is(s.t, 200))
	return fmt.Sprintf("%.0f", all[0]["id"])
}

// TestCallsAtAPortTellNoTimesWithoutTheRight holds what view_ata_atd and web_max_lookback_time hide.
func TestCallsAtAPortTellNoTimesWithoutTheRight(t *testing.T) {
	s := newCalls(t)
	_, _, second, now := s.harbour()
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	if a := s.call("clerk", "GET", visitsPath+"/22781475?open=true", "").is(t, 200); strings.Contains(string(a.body), "219000700") {
		t.Errorf("before a quarter of an hour is full: %s", a.body)
	}
	s.tick(portcalls.AtQuarter(now).Add(portcalls.Quarter))
	a := s.call("clerk", "GET", visitsPath+"/22781475?open=true", "").is(t, 200)
	if body := string(a.body); !strings.Contains(body, "219000700") || strings.Contains(body, "2026") || strings.Contains(body, `"id":`+idOf(s.visitsTo("admin", "open=true")[0])) {
		t.Errorf("%s", body)
	}
	if a := s.call("clerk", "GET", visitsPath+"/22781475", "").is(t, 403); !strings.Contains(string(a.body), "view_ata_atd") {
		t.Errorf("%s", a.body)
	}
	s.addUser("anna", access.GroupOperator)
	s.set(`{"web_max_lookback_time":1}`)
	if got := numbersOf(s.visitsTo("anna", "")); got != "219000700" && now.Sub(second) < time.Hour {
		t.Errorf("within an hour: %s", got)
	}
	s.call("anna", "GET", visitsPath+"/22781475?begin=2026-11-20T07:00:00Z", "").is(t, 403)
}

// TestALateUserIsToldTheCallsOfThen holds that a user with a delay is told the ships that lay in port then.
func TestALateUserIsToldTheCallsOfThen(t *testing.T) {
	s := newCalls(t)
	s.addUser("anna", access.GroupOperator)
	s.setFilter("anna", `{"delay":3600}`)
	begin := noon()
	s.heardBy(begin, voyage(nordic, "NORDIC HAV"), "roof")
	s.call("anna", "GET", portserver+"/ship/search/nordic", "") // the picture of the delay begins
	step := func(until time.Time) {
		s.tick(until)
		s.settle()
		s.save(until)
	}
	ata := s.coming(nordic, begin, aarhus, false, "roof")
	atd := ata
	for range 45 { // a call is known from when it was first kept
		atd = s.lying(nordic, atd, aarhus, 1, "roof")
		step(atd)
	}
	if got := numbersOf(s.visitsTo("admin", "open=true")); got != "219018765" {
		t.Fatalf("in port: %s", got)
	}
	if got := s.visitsTo("anna", "open=true"); len(got) != 0 {
		t.Errorf("an hour ago nothing was in port: %v", got)
	}
	if all, late := s.whoIsInPort("admin"), s.whoIsInPort("anna"); all != "219018765 Aarhus" || late != "" {
		t.Errorf("in any port: %q, an hour ago %q", all, late)
	}
	gone := s.coming(nordic, atd, aarhus, true, "roof").Add(10 * time.Minute)
	step(gone)
	if got := numbersOf(s.visitsTo("admin", "open=true")); got != "" {
		t.Errorf("in port: %s", got)
	}
	if got := s.visitsTo("anna", "open=true"); numbersOf(got) != "219018765" || got[0]["atd"] != nil {
		t.Errorf("an hour ago it lay there: %v", got)
	}
	if all, late := s.whoIsInPort("admin"), s.whoIsInPort("anna"); all != "" || late != "219018765 Aarhus" {
		t.Errorf("in any port: %q, an hour ago %q", all, late)
	}
	if got := s.visitsTo("anna", ""); len(got) != 1 || got[0]["atd"] != nil {
		t.Errorf("an hour ago it had come and not left: %v", got)
	}
}
