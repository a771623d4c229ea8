package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/handlers/live"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// told writes the records of an event of the stream, by what they say and whether they are over or acknowledged.
func (e event) told() string {
	var words []string
	for _, one := range e.data["records"].([]any) {
		r := one.(map[string]any)
		word := fmt.Sprintf("%v:%v", r["id"], r["event"])
		if r["deactivated"] != nil {
			word += ":over"
		}
		if r["acknowledged"] != nil {
			word += ":acknowledged"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// neverTold reads a stream until its second status, and fails where it tells an event.
func (l *listener) neverTold(who string) {
	l.t.Helper()
	for statuses := 0; statuses < 2; {
		e, ok := l.next()
		if !ok || e.name == "event" {
			l.t.Errorf("%s: %v %v", who, e.name, e.data)
			return
		}
		if e.name == "status" {
			statuses++
		}
	}
}

// TestTheStreamTellsEvents: a stream that asks has each event, its end and its acknowledgement, each once. Neither a caller that did not ask has them, nor
// one that may not use the watchdog, nor one that may not see the ship, nor one without the right, until it gets it.
func TestTheStreamTellsEvents(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	for _, name := range []string{"blind", "stranger", "anna"} {
		s.may(name, right.WebOnlineAccess, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.may("clerk", right.WebOnlineAccess)
	s.setFilter("blind", `{"expression":"mmsi = 211222333"}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["anna","blind","clerk"],`+roads+`}`)
	s.enters(211222444, "EARLIER", noon().Add(-time.Hour))
	base := s.serve().URL
	open := func(user string) *listener {
		l := listenAs(t, user, base, "events=true", "")
		l.until("picture")
		return l
	}
	admin, anna, blind, stranger, clerk := open("admin"), open("anna"), open("blind"), open("stranger"), open("clerk")
	quiet := listenAs(t, "admin", base, "", "")
	quiet.until("picture")

	s.enters(nordic, "NORDIC HAV", noon())
	for who, l := range map[string]*listener{"admin": admin, "anna": anna} {
		if got := l.until("event").told(); got != "2:enter" {
			t.Errorf("%s: %s", who, got)
		}
	}
	s.call("anna", "POST", eventPath+"/2/ack", "{}").is(t, 200)
	if got := admin.until("event").told(); got != "2:enter:acknowledged" {
		t.Errorf("%s", got)
	}
	s.hear(noon().Add(20*time.Minute), position(nordic, 10.45, 56.14, 50, 900))
	s.watch.Save(false)
	if got := admin.until("event").told(); got != "2:enter:over:acknowledged 3:leave" {
		t.Errorf("%s", got)
	}
	for who, l := range map[string]*listener{"blind": blind, "stranger": stranger, "clerk": clerk, "quiet": quiet} {
		l.neverTold(who)
	}
	s.call("admin", "PUT", usersPath+"/clerk", `{"access_rights":{"view_watchdog":"allow"}}`).is(t, 200)
	clerk.until("status")
	clerk.until("status") // it looks for its rights at least that often
	s.enters(211222555, "LATER", noon().Add(time.Hour))
	if got := clerk.until("event").told(); got != "4:enter" {
		t.Errorf("clerk: %s", got)
	}
}

// TestALateStreamTellsEventsLate: a user that is told half an hour late has each event, its end and its acknowledgement that much later.
func TestALateStreamTellsEventsLate(t *testing.T) {
	s := newSite(t)
	s.watchesLate("late")
	user, _ := s.users.User("late")
	ctx, next := context.Background(), s.server.watchdogs.Stream()
	news := func() string {
		v, err := s.sight.Of(ctx, user, "late")
		if err != nil {
			t.Fatal(err)
		}
		body, err := next(ctx, v, user)
		if err != nil {
			t.Fatal(err)
		}
		if body == nil {
			return ""
		}
		e := event{data: map[string]any{}}
		if err := json.Unmarshal(body, &e.data); err != nil {
			t.Fatal(err)
		}
		return e.told()
	}
	at, told := noon(), map[int]string{}
	for minute := 1; minute <= 60; minute++ {
		at = at.Add(time.Minute)
		s.clock.pass(time.Minute)
		s.hear(at, position(nordic, map[bool]float64{true: 10.35, false: 10.25}[minute >= 5 && minute < 15], 56.14, 50, 900))
		s.tick(at)
		s.watch.Save(false)
		if minute == 8 {
			s.call("admin", "POST", eventPath+"/1/ack", "{}").is(t, 200)
		}
		if got := news(); got != "" {
			told[minute] = got
		}
	}
	var minutes []string
	for minute := range 61 {
		if told[minute] != "" {
			minutes = append(minutes, fmt.Sprint(minute, " ", told[minute]))
		}
	}
	if len(minutes) != 2 || !strings.HasSuffix(minutes[0], " 1:enter:acknowledged") || !strings.HasSuffix(minutes[1], " 1:enter:over:acknowledged 2:leave") ||
		minutes[0] < "35" || minutes[1] < "45" {
		t.Errorf("%q", minutes)
	}
}

// newsOf returns what a part of the live stream has for a user now, nil for nothing.
func (s *site) newsOf(name string, next live.NewEvents) map[string]any {
	s.t.Helper()
	user, _ := s.users.User(name)
	v, err := s.sight.Of(s.t.Context(), user, name)
	if err != nil {
		s.t.Fatal(err)
	}
	body, err := next(s.t.Context(), v, user)
	if err != nil {
		s.t.Fatal(err)
	}
	var data map[string]any
	if body != nil {
		if err := json.Unmarshal(body, &data); err != nil {
			s.t.Fatal(err)
		}
	}
	return data
}

// TestAnOpenStreamFollowsADelay: each minute has what its delay allows, while the delay of the user changes and the stream stays open. A delay that
// becomes shorter tells what waits; one that becomes longer takes the alert off the board until its time comes.
func TestAnOpenStreamFollowsADelay(t *testing.T) {
	s := newSite(t)
	s.watchesLate("late")
	events, alerts := s.server.watchdogs.Stream(), s.server.watchdogs.AlertStream()
	opened := s.server.watchdogs.Stream() // at minute 38
	delays := map[int]int{1: 1800, 9: 600, 22: 1200, 50: 0}
	at := noon()
	var told []string
	for minute := 1; minute <= 52; minute++ {
		at = at.Add(time.Minute)
		s.clock.pass(time.Minute)
		s.hear(at, position(nordic, map[bool]float64{true: 10.35, false: 10.25}[minute >= 5 && minute < 20 || minute >= 49], 56.14, 50, 900))
		s.settle()
		s.tick(at)
		s.raise()
		if d, changes := delays[minute]; changes {
			s.setFilter("late", fmt.Sprintf(`{"delay":%d}`, d))
			s.newsOf("late", func(context.Context, *sight.Viewer, *access.User) ([]byte, error) { return nil, nil })
			s.tick(at)
		}
		note := func(part string, data map[string]any, rows func(map[string]any) string) {
			if data != nil && (data["whole"] == nil || len(data["records"].([]any)) > 0) {
				told = append(told, fmt.Sprint(minute, " ", part, " ", rows(data)))
			}
		}
		ofEvents := func(data map[string]any) string { return event{data: data}.told() }
		note("events", s.newsOf("late", events), ofEvents)
		note("alerts", s.newsOf("late", alerts), func(data map[string]any) string {
			if data["gone"] != nil {
				return fmt.Sprint("gone ", data["gone"])
			}
			return alertRows(data["records"].([]any))
		})
		if minute >= 38 {
			note("opened", s.newsOf("late", opened), ofEvents)
		}
	}
	want := []string{
		"16 events 1:enter", "16 alerts 1 caution active mine 0/1", // ten minutes late, and in the next minute
		"22 alerts gone [1]",                  // 20 minutes late from now on
		"26 alerts 1 caution active mine 0/1", // and so it comes
		"41 events 1:enter:over 2:leave", "41 alerts 1 caution normal mine 0/1", "41 opened 1:enter:over 2:leave",
		"50 events 3:enter", "50 alerts 2 caution active mine 0/1", "50 opened 3:enter", // at once from now on
	}
	if !slices.Equal(told, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}

// TestALateStreamReadsNoAlertTwice: a look for which no time has come costs the same with alerts that wait as without any.
func TestALateStreamReadsNoAlertTwice(t *testing.T) {
	s := newSite(t)
	s.watchesLate("late")
	events, alerts := s.server.watchdogs.Stream(), s.server.watchdogs.AlertStream()
	at := noon()
	for range 20 { // each ends, and is put away
		for _, lon := range []float64{10.35, 10.35, 10.25, 10.25} {
			at = at.Add(time.Minute)
			s.clock.pass(time.Minute)
			s.hear(at, position(nordic, lon, 56.14, 50, 900))
			s.settle()
			s.tick(at)
			s.raise()
		}
	}
	if past := s.get(alertPath + "?latest=99").alerts(t); strings.Count(past, "normal") < 19 {
		t.Fatalf("%s", past)
	}
	user, _ := s.users.User("late")
	v, err := s.sight.Of(t.Context(), user, "late")
	if err != nil {
		t.Fatal(err)
	}
	for name, next := range map[string]live.NewEvents{"events": events, "alerts": alerts} {
		look := func() {
			if _, err := next(t.Context(), v, user); err != nil {
				t.Fatal(err)
			}
		}
		look()
		look()
		if n := testing.AllocsPerRun(10, look); n > 30 {
			t.Errorf("a look at %s takes %v allocations", name, n)
		}
	}
}
