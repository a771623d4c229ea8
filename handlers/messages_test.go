package handlers

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/messages"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	shoreStation = ais.MMSI(2190047)
	drogden      = ais.MMSI(992191234)
)

func safetyText(m ais.MMSI, text string) ais.Message {
	return &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: m}, Text: text}
}

func addressedText(m, to ais.MMSI, text string) ais.Message {
	return &ais.AddressedSafety{Header: ais.Header{Type: 12, MMSI: m}, Destination: to, Text: text}
}

func stationAt(m ais.MMSI, lon float64) ais.Message {
	return &ais.BaseStationReport{Header: ais.Header{Type: 4, MMSI: m}, Place: ais.Place{Lon: int32(lon * 600000), Lat: 56.14 * 600000}}
}

func buoyAt(lon float64, off bool) ais.Message {
	return &ais.AidToNavigation{Header: ais.Header{Type: 21, MMSI: drogden}, AidType: 14, Name: "DROGDEN", OffPosition: off, Second: 60,
		Place: ais.Place{Lon: int32(lon * 600000), Lat: 56.14 * 600000}}
}

// messagesOf returns the messages that a user has, as text.
func (s *site) messagesOf(user, query string) string {
	s.t.Helper()
	return messageText(s.call(user, "GET", messages.Path+query, "").is(s.t, 200).json(s.t)["records"])
}

func messageText(records any) string {
	list := []string{}
	for _, r := range records.([]any) {
		record := r.(map[string]any)
		text := fmt.Sprintf("%.0f %s", record["mmsi"], record["kind"])
		if to, ok := record["to"].(map[string]any); ok {
			text += fmt.Sprintf(" to %.0f", to["mmsi"])
		}
		for _, key := range []string{"text", "was", "now", "count"} {
			if record[key] != nil {
				text += fmt.Sprint(" ", record[key])
			}
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}

// TestTextsAndChangesAreListed: the texts, the aid off its position and the changes come with what they say, the latest first, in pages.
func TestTextsAndChangesAreListed(t *testing.T) {
	s := newSite(t)
	for i := range 5 {
		s.hear(noon().Add(time.Duration(i)*10*time.Second), position(nordic, 10.3, 56.14, 112, 1814))
	}
	at := func(seconds int) time.Time { return noon().Add(time.Duration(seconds) * time.Second) }
	s.hear(at(60), voyage(nordic, "NORDIC HAV"))
	moored := position(nordic, 10.3, 56.14, 0, 1814)
	moored.Status = ais.StatusMoored
	s.hear(at(61), moored)
	static := voyage(nordic, "NORDIC HAV")
	static.Destination, static.Draught = "SEGOT", 81
	s.hear(at(62), static)
	s.hear(at(63), buoyAt(10.4, false))
	s.hear(at(64), buoyAt(10.4, true))
	s.hear(at(65), safetyText(shoreStation, "GALE <b>WARNING</b>"))
	s.hear(at(66), addressedText(shoreStation, nordic, "CALL VHF 12"))
	s.hear(at(400), safetyText(shoreStation, "GALE <b>WARNING</b>"))
	all := []string{
		"2190047 broadcast GALE <b>WARNING</b> 2", "2190047 addressed to 219018765 CALL VHF 12", "992191234 off_position",
		"219018765 draught 7.4 8.1", "219018765 destination DKAAR SEGOT", "219018765 status Moored 0 5",
	}
	if got := s.messagesOf("admin", ""); got != strings.Join(all, "; ") {
		t.Errorf("%s", got)
	}
	a := s.get(messages.Path+"?offset=1&limit=2").is(t, 200).json(t)
	if got := messageText(a["records"]); got != strings.Join(all[1:3], "; ") || a["total"] != 6. {
		t.Errorf("the second page: %v", a)
	}
	if got := s.messagesOf("admin", "?since=2026-11-20T12:01:05Z"); got != strings.Join(all[:2], "; ") {
		t.Errorf("since a time: %s", got)
	}
	first := s.get(messages.Path).json(t)["records"].([]any)[0].(map[string]any)
	if first["time"] != "2026-11-20T12:06:40Z" || first["first"] != "2026-11-20T12:01:05Z" {
		t.Errorf("%v", first)
	}
	second := s.get(messages.Path).json(t)["records"].([]any)[1].(map[string]any)
	if to := second["to"].(map[string]any); to["name"] != "NORDIC HAV" || second["class"] != "coast" {
		t.Errorf("%v", second)
	}
	for _, query := range []string{"?since=yesterday", "?limit=0", "?limit=351", "?direction=up", "?mmsi=x", "?from=yesterday", "?offset=-1"} {
		s.get(messages.Path+query).is(t, 400)
	}
	s.restart()
	if got := s.messagesOf("admin", ""); got != all[1]+"; "+all[0] { // in the order in which they were heard first
		t.Errorf("after a restart: %s", got)
	}
}

// TestMessagesComeByTheLiveStream: all at the beginning, then what is new, and what a user may have no more goes.
func TestMessagesComeByTheLiveStream(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupOperator)
	s.addUser("viewer", access.GroupViewer)
	s.hear(noon(), stationAt(shoreStation, 10.3))
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), safetyText(shoreStation, "GALE WARNING"))
	s.hear(noon(), safetyText(nordic, "ENGINE FAILURE"))
	base := s.serve().URL
	l := listenAs(t, "anna", base, "filter=type%20%3D%20tanker", "")
	if e := l.until("messages"); messageText(e.data["records"]) != "2190047 broadcast GALE WARNING; 219018765 broadcast ENGINE FAILURE" {
		t.Fatalf("at first: %v", e.data)
	}
	s.hear(noon().Add(time.Second), safetyText(shoreStation, "GALE OVER"))
	if e := l.until("messages"); messageText(e.data["records"]) != "2190047 broadcast GALE OVER" || len(e.data["gone"].([]any)) != 0 {
		t.Errorf("then: %v", e.data)
	}
	s.hear(noon().Add(time.Minute), safetyText(shoreStation, "GALE OVER"))
	if e := l.until("messages"); messageText(e.data["records"]) != "2190047 broadcast GALE OVER 2" {
		t.Errorf("repeated: %v", e.data)
	}
	s.setFilter("anna", `{"countries":[211]}`)
	if e := l.until("messages"); messageText(e.data["records"]) != "" || len(e.data["gone"].([]any)) != 3 {
		t.Errorf("when a filter hides the senders: %v", e.data)
	}
	s.setFilter("anna", `{}`)
	if e := l.until("messages"); len(e.data["records"].([]any)) != 3 {
		t.Errorf("when the filter is gone: %v", e.data)
	}
	s.call("admin", "PUT", usersPath+"/anna", fmt.Sprintf(`{"access_rights":{%q:"deny"}}`, right.MessageService)).is(t, 200)
	if e := l.until("messages"); len(e.data["gone"].([]any)) != 3 {
		t.Errorf("when the right is gone: %v", e.data)
	}
	l.close()
	without := listenAs(t, "viewer", base, "", "")
	for e, _ := without.next(); e.name != "distress"; e, _ = without.next() {
		if e.name == "messages" {
			t.Errorf("without the right: %v", e.data)
		}
	}
	s.hear(noon().Add(2*time.Minute), safetyText(shoreStation, "GALE AGAIN"))
	s.hear(noon().Add(2*time.Minute), distressed(overboard, 10.31, ais.StatusSART))
	for e, _ := without.next(); e.name != "distress"; e, _ = without.next() {
		if e.name == "messages" {
			t.Errorf("without the right: %v", e.data)
		}
	}
}

// TestAHiddenMessageStaysHidden: what a place, a feed, a satellite, a delay, an interval or a rule about messages hides is in no list. A repetition
// that is hidden counts for nothing, and a hidden station is not named.
func TestAHiddenMessageStaysHidden(t *testing.T) {
	s := newSite(t, withReceivers)
	s.post(configPath+"/shape", `{"name":"port","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":2000}}`).is(t, 200)
	filters := map[string]string{
		"port": `{"areas":["port"]}`, "pilot": `{"psss":["pier"]}`, "late": `{"delay":600}`, "slow": `{"update_interval":600}`,
		"binary": `{"message_types":[1,2,3,8]}`, "own": `{"allow_addressed_messages":false}`, "danes": `{"countries":[219]}`, "ground": `{}`,
	}
	for name, filter := range filters {
		s.addUser(name, access.GroupOperator)
		s.setFilter(name, filter)
	}
	s.call("admin", "PUT", usersPath+"/ground", `{"access_rights":{"view_satellites":"deny"}}`).is(t, 200)
	const swede = ais.MMSI(265000001)
	told := func(when string, want map[string]string) {
		t.Helper()
		for user, texts := range want {
			if got := s.messagesOf(user, ""); got != texts {
				t.Errorf("%s %s has %q, want %q", when, user, got, texts)
			}
		}
	}
	sail := func(at time.Time, lon float64) {
		s.heardBy(at, position(nordic, lon, 56.14, 112, 1814), "roof", "pier")
		s.heardBy(at, position(swede, lon, 56.14, 112, 1814), "roof", "pier")
	}
	now := noon().Add(20 * time.Minute)
	sail(noon(), 10.3)
	s.tick(noon())
	sail(now, 10.3)
	s.heardBy(now, addressedText(nordic, swede, "HELLO"), "roof")
	s.settle()
	s.tick(now)
	const hello = "219018765 addressed to 265000001 HELLO"
	told("what the roof heard in the port", map[string]string{"admin": hello, "port": hello, "pilot": "", "late": "", "binary": "", "own": "", "ground": hello,
		"danes": "219018765 addressed HELLO"})
	s.heardBy(now.Add(time.Second), position(swede, 10.3, 56.14, 112, 1814), "roof")
	s.settle()
	s.tick(now.Add(605 * time.Second))
	told("after the delay and a turn", map[string]string{"late": hello, "slow": hello})

	now = now.Add(30 * time.Minute)
	sail(now, 10.9) // outside the port
	s.heardBy(now, addressedText(nordic, swede, "HELLO"), "pier")
	s.settle()
	s.tick(now)
	told("the same from outside, which the pier heard", map[string]string{"admin": hello + " 2", "port": "219018765 addressed HELLO", "pilot": hello,
		"late": hello, "danes": "219018765 addressed HELLO 2", "ground": hello + " 2"})

	s.heardBy(now, safetyText(swede, "BY SATELLITE"), "sky")
	const sky = "265000001 broadcast BY SATELLITE; "
	told("what a satellite heard", map[string]string{"admin": sky + hello + " 2", "ground": hello + " 2", "danes": "219018765 addressed HELLO 2"})
	s.hash-- // the same sentence again
	s.heardBy(now.Add(time.Second), safetyText(swede, "BY SATELLITE"), "pier")
	told("when the pier hears it too", map[string]string{"admin": sky + hello + " 2", "ground": sky + hello + " 2", "pilot": sky + hello})
}

// TestChangesOfHiddenShips: a change is for those that see the ship, and not for a user with an interval.
func TestChangesOfHiddenShips(t *testing.T) {
	s := newSite(t)
	for name, filter := range map[string]string{"danes": `{"countries":[211]}`, "slow": `{"update_interval":60}`, "late": `{"delay":60}`} {
		s.addUser(name, access.GroupOperator)
		s.setFilter(name, filter)
	}
	for i := range 8 {
		p := position(nordic, 10.3, 56.14, 0, 1814)
		p.Status = []ais.NavStatus{ais.StatusUnderWayEngine, ais.StatusMoored}[i/7]
		s.hear(noon().Add(time.Duration(i)*10*time.Second), p)
	}
	s.tick(noon().Add(80 * time.Second))
	for range 2 { // the pictures at a pace are made when they are first asked for
		for user, want := range map[string]string{"admin": "219018765 status Moored 0 5", "danes": "", "slow": "", "late": ""} {
			if got := s.messagesOf(user, ""); got != want {
				t.Errorf("%s has %q, want %q", user, got, want)
			}
		}
	}
	s.tick(noon().Add(200 * time.Second))
	got := []string{s.messagesOf("slow", ""), s.messagesOf("late", "")}
	if !slices.Equal(got, []string{"", "219018765 status Moored 0 5"}) {
		t.Errorf("later: %q", got)
	}
}
