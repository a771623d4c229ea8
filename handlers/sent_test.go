package handlers

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/safety"
	"quaywatch/handlers/messages"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// transponder lets a box have a transponder that takes all that is written to it.
func transponder(s *site, limits safety.Limits) func(*Config, *Deps) {
	return func(_ *Config, d *Deps) {
		var err error
		s.sender, err = safety.Open(safety.Config{DB: s.db.Database, Limits: limits, Ship: s.picture.Ship,
			Transmitters: func() []safety.Transmitter { return []safety.Transmitter{{Feed: "roof", Open: true}} },
			Write:        func(_ string, p []byte) (int, error) { return len(p), nil },
			Told:         func(m *safety.Sent) { s.texts.Tell(m) }}, s.clock.now())
		if err != nil {
			s.t.Fatal(err)
		}
		d.Safety = s.sender
	}
}

// sentOf returns the texts that we sent as a user has them, each with its addressee and its state.
func (s *site) sentOf(user, query string) string {
	s.t.Helper()
	list := []string{}
	for _, r := range s.call(user, "GET", messages.Path+"?direction=sent&"+query, "").is(s.t, 200).json(s.t)["records"].([]any) {
		record := r.(map[string]any)
		text := fmt.Sprint(record["text"], " ", record["state"])
		if to, ok := record["to"].(map[string]any); ok {
			text += fmt.Sprintf(" %.0f", to["mmsi"])
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// TestTheSessionSaysWhoMayTransmit: one with the right, in a box with a transponder.
func TestTheSessionSaysWhoMayTransmit(t *testing.T) {
	told := func(s *site, user string) any {
		return s.call(user, "GET", "/api/session", "").is(t, 200).json(t)["can_transmit"]
	}
	s := newSite(t)
	if got := told(s, "admin"); got != nil {
		t.Errorf("without a transponder: %v", got)
	}
	s.restart(transponder(s, safety.Limits{All: 1}))
	s.may("agent", right.MessageService)
	if admin, agent := told(s, "admin"), told(s, "agent"); admin != true || agent != nil {
		t.Errorf("admin %v, without the right %v", admin, agent)
	}
}

// TestATextIsSent: it is refused for what is wrong with it, is in the list with its state and its user, and the audit log has it.
func TestATextIsSent(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	for body, want := range map[string]string{
		`{"text":"FOG"}`: "must be given, or broadcast be true, and not both",
		`{"mmsi":219018765,"broadcast":true,"text":"X"}`:               "must be given, or broadcast be true, and not both",
		`{"broadcast":true}`:                                           "is required",
		`{"broadcast":true,"text":" "}`:                                "must not be empty",
		`{"broadcast":true,"text":"A@B"}`:                              `has characters that AIS does not have, each with its place: '@' (2)`,
		`{"mmsi":219018765,"text":"` + strings.Repeat("X", 157) + `"}`: "has 157 characters, and AIS carries 156",
		`{"broadcast":true,"text":"FOG","feed":"roof"}`:                "roof is no feed that can transmit",
	} {
		if a := s.post(messages.Path, body); a.status != 400 || !strings.Contains(a.text(), want) {
			t.Errorf("%s: %d %s", body, a.status, a.text())
		}
	}
	s.post(messages.Path, `{"mmsi":211999999,"text":"X"}`).is(t, 404)
	a := s.post(messages.Path, `{"mmsi":219018765,"text":"Keep clear"}`).is(t, 200).json(t)
	if a["id"] != 1. || a["state"] != "not_sent" {
		t.Errorf("%v", a)
	}
	record := s.get(messages.Path+"?direction=sent").is(t, 200).json(t)["records"].([]any)[0].(map[string]any)
	to := record["to"].(map[string]any)
	if record["kind"] != "sent" || record["text"] != "KEEP CLEAR" || record["state"] != "not_sent" || record["reason"] != "no transmitter" ||
		record["by"] != "admin" || to["mmsi"] != 219018765. || record["id"] != 1. || record["first"] != "2026-11-20T12:00:00Z" {
		t.Errorf("%v", record)
	}
	if log := s.get("/api/audit").is(t, 200).text(); !strings.Contains(log, `"action":"POST message"`) || !strings.Contains(log, `"object":"219018765"`) {
		t.Errorf("the audit log has %s", log)
	}
}

// TestTextsAreAskedForByTime: those of the last 30 days come by time, ship and direction, in pages, also after a restart.
func TestTextsAreAskedForByTime(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	for i := range 4 {
		s.hear(noon().Add(time.Duration(i)*time.Minute), safetyText(shoreStation, fmt.Sprint("TEXT ", i)))
	}
	s.hear(noon().Add(4*time.Minute), addressedText(shoreStation, nordic, "CALL VHF 12"))
	s.clock.pass(5 * time.Minute)
	s.tick(s.clock.now())
	s.post(messages.Path, `{"mmsi":219018765,"text":"KEEP CLEAR"}`).is(t, 200)
	s.restart()
	for query, want := range map[string]string{
		"?from=2026-11-20": "sent KEEP CLEAR; addressed CALL VHF 12; broadcast TEXT 3; broadcast TEXT 2; broadcast TEXT 1; broadcast TEXT 0",
		"?from=2026-11-20T12:01:00Z&until=2026-11-20T12:03:00Z": "broadcast TEXT 2; broadcast TEXT 1",
		"?from=2026-11-20&mmsi=219018765":                       "sent KEEP CLEAR; addressed CALL VHF 12",
		"?until=2027-01-01&direction=heard&offset=1&limit=2":    "broadcast TEXT 3; broadcast TEXT 2",
		"?until=2027-01-01&direction=sent":                      "sent KEEP CLEAR",
		"?until=2026-11-20":                                     "",
		"?direction=heard&mmsi=219018765":                       "addressed CALL VHF 12",
	} {
		a := s.get(messages.Path+query).is(t, 200).json(t)
		list := []string{}
		for _, r := range a["records"].([]any) {
			record := r.(map[string]any)
			list = append(list, fmt.Sprint(record["kind"], " ", record["text"]))
		}
		if got := strings.Join(list, "; "); got != want || (a["more"] == true) != strings.Contains(query, "limit=2") {
			t.Errorf("%s: %s, more %v", query, got, a["more"])
		}
	}
}

// TestASentMessageStaysHidden: who may not see the ship has no text that was sent to it and can send none, and is answered as for a ship that is not
// known. A late user has text and state late.
func TestASentMessageStaysHidden(t *testing.T) {
	s := newSite(t)
	s.restart(transponder(s, safety.Limits{Ship: 100, Broadcast: 100, All: 100}))
	s.addUser("dane", access.GroupOperator)
	s.addUser("german", access.GroupOperator)
	s.addUser("late", access.GroupOperator)
	s.setFilter("dane", `{"countries":[219]}`)
	s.setFilter("german", `{"countries":[211]}`)
	s.setFilter("late", `{"delay":600}`)
	s.sentOf("late", "") // its picture is made when it is first asked for
	for i := range 3 {
		s.hear(noon().Add(time.Duration(i)*10*time.Second), position(nordic, 10.3, 56.14, 112, 1814))
	}
	hidden := s.call("german", "POST", messages.Path, `{"mmsi":219018765,"text":"X"}`).is(t, 404).text()
	unknown := s.call("german", "POST", messages.Path, `{"mmsi":219018766,"text":"X"}`).is(t, 404).text()
	if strings.ReplaceAll(hidden, "219018765", "219018766") != unknown {
		t.Errorf("a hidden ship is answered with %s, one that is not known with %s", hidden, unknown)
	}
	s.clock.pass(30 * time.Second)
	s.tick(s.clock.now())
	s.call("dane", "POST", messages.Path, `{"mmsi":219018765,"text":"KEEP CLEAR"}`).is(t, 200)
	s.call("dane", "POST", messages.Path, `{"broadcast":true,"text":"FOG"}`).is(t, 200)
	s.sender.Step(s.clock.now())
	s.clock.pass(10 * time.Second)
	s.sender.Receipt("roof", ais.OwnReceipt{MMSI: nordic, Type: 12, Result: 0})
	s.sender.Step(s.clock.now())
	const both = "KEEP CLEAR acknowledged 219018765; FOG transmitted"
	for _, query := range []string{"", "from=2026-11-20"} {
		for user, want := range map[string]string{"admin": both, "dane": both, "german": "FOG transmitted", "late": ""} {
			if query != "" && want == both {
				want = "FOG transmitted; KEEP CLEAR acknowledged 219018765" // by the time when it was sent
			}
			if got := s.sentOf(user, query); got != want {
				t.Errorf("%q: %s has %q, want %q", query, user, got, want)
			}
		}
	}
	s.clock.pass(595 * time.Second)
	s.hear(s.clock.now(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	s.tick(s.clock.now())
	if got := s.sentOf("late", ""); got != "KEEP CLEAR transmitted 219018765; FOG transmitted" {
		t.Errorf("after the delay late has %q", got)
	}
}

// TestTooManyTextsAreRefused: what is over the limit is told, with the time to wait.
func TestTooManyTextsAreRefused(t *testing.T) {
	s := newSite(t)
	s.restart(transponder(s, safety.Limits{Ship: 1, Broadcast: 3, All: 3}))
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.post(messages.Path, `{"mmsi":219018765,"text":"A"}`).is(t, 200)
	a := s.post(messages.Path, `{"mmsi":219018765,"text":"B"}`).is(t, http.StatusTooManyRequests)
	if !strings.Contains(a.text(), "in an hour 1 messages to one ship may be sent") || a.header.Get("Retry-After") != "3600" {
		t.Errorf("%s %v", a.text(), a.header)
	}
}
