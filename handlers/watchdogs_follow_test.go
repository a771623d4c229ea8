package handlers

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/handlers/request"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// follow opens a stream of events.
func follow(t *testing.T, user, base, query, lastID string) *listener {
	t.Helper()
	return listenAt(t, "Authorization", basic(user, adminPassword), base+streamPath+"?"+query, lastID)
}

// tells returns the number, kind and ship of the next event.
func (l *listener) tells() string {
	l.t.Helper()
	e := l.until("event")
	who, _ := e.data["ship"].(map[string]any)
	if e.id != fmt.Sprint(e.data["id"]) {
		l.t.Errorf("event %v has the id %q", e.data["id"], e.id)
	}
	return fmt.Sprint(e.id, " ", e.data["event"], " ", who["name"])
}

// TestTheStreamOfEvents: a program is told each event once, as its user may see it, and moves no cursor. It ends with the right.
func TestTheStreamOfEvents(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"anna", "blind", "stranger"} {
		s.may(name, right.ViewWatchdog)
	}
	s.setFilter("blind", `{"expression":"mmsi = 211222333"}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["anna","blind"],`+roads+`}`)
	s.enters(211222444, "EARLIER", noon().Add(-time.Hour))
	base := s.serve().URL
	anna, blind, stranger, all := follow(t, "anna", base, "", ""), follow(t, "blind", base, "", ""), follow(t, "stranger", base, "", ""), follow(t, "admin", base, "after_id=0", "")
	s.enters(nordic, "NORDIC HAV", noon())
	s.enters(211222333, "TWIN", noon().Add(10*time.Minute))
	s.post(eventPath+"/2/ack", "{}").is(t, 200) // which is no event
	s.tick(noon().Add(20 * time.Minute))
	s.post(eventPath+"/manual", `{"message":"Fire"}`).is(t, 200)
	for who, want := range map[*listener][]string{
		anna: {"2 enter NORDIC HAV", "3 enter TWIN", "4 manual <nil>"}, blind: {"3 enter TWIN", "4 manual <nil>"}, stranger: {"4 manual <nil>"},
		all: {"1 enter EARLIER", "2 enter NORDIC HAV", "3 enter TWIN", "4 manual <nil>"},
	} {
		for _, one := range want {
			if got := who.tells(); got != one {
				t.Errorf("%s, want %s", got, one)
			}
		}
	}
	if told := s.call("anna", "GET", eventPath, "").numbers(t); fmt.Sprint(told) != "[1 2 3 4]" {
		t.Errorf("the cursor was moved: %v", told)
	}
	s.allow("anna", []right.Name{right.AllowWebService})
	if e, ok := anna.next(); ok {
		t.Errorf("without the right: %v", e)
	}
	s.call("anna", "GET", streamPath, "").is(t, 403)
	s.call("admin", "PUT", usersPath+"/blind", `{"receive_filter":{"expression":"mmsi = 1"}}`).is(t, 200)
	s.enters(211222333, "TWIN", noon().Add(time.Hour))
	s.post(eventPath+"/manual", `{"message":"Out"}`).is(t, 200)
	if got := blind.tells(); !strings.HasSuffix(got, "manual <nil>") {
		t.Errorf("the filter of a user changed, and it is told %s", got)
	}
	s.call("admin", "DELETE", usersPath+"/blind", "").is(t, 204)
	if e, ok := blind.next(); ok {
		t.Errorf("without the user: %v", e)
	}
}

// TestAStreamOfEventsLosesNothing: a program that goes in the middle and comes back with the last number has each event once, in order, over a restart too.
func TestAStreamOfEventsLosesNothing(t *testing.T) {
	const ships = 450
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon",`+roads+`}`)
	for i := range 3 {
		for n := range ships {
			s.hear(noon().Add(time.Duration(i)*time.Minute), position(ais.MMSI(211000000+n), 10.33, 56.14, 0, 0))
		}
	}
	s.watch.Save(false)
	base, last := s.serve().URL, ""
	for got := 0; got < ships; {
		query := ""
		if last == "" {
			query = "after_id=0"
		}
		l := follow(t, "admin", base, query, last)
		for range min(199, ships-got) {
			if got++; l.tells() != fmt.Sprintf("%d enter <nil>", got) {
				t.Fatalf("%s in the place of event %d", l.lastID, got)
			}
		}
		last = l.lastID
		l.close()
	}
	s.restart()
	base = s.serve().URL
	for _, from := range []string{last, "99999"} { // a number that was not given yet is the last one
		l := follow(t, "admin", base, "after_id=3", from)
		for range 2 {
			made := s.post(manualPath, `{"message":"Fire"}`).is(t, 200).json(t)["id"]
			if got, want := l.tells(), fmt.Sprint(made, " manual <nil>"); got != want {
				t.Errorf("after %s: %s, want %s", from, got, want)
			}
		}
	}
	for _, wrong := range []string{"x", "-1", "1e3"} {
		s.get(streamPath+"?after_id="+wrong).is(t, 400)
		s.send("GET", streamPath, "", "Authorization", basic("admin", adminPassword), "Last-Event-ID", wrong).is(t, 400)
	}
}

// TestStreamsOfEventsAreBounded: they take the places of live streams.
func TestStreamsOfEventsAreBounded(t *testing.T) {
	s := newSite(t)
	base := s.serve().URL
	for range live.StreamsOfOne - 1 {
		follow(t, "admin", base, "", "")
	}
	listenAs(t, "admin", base, "", "").until("picture")
	s.get(streamPath).is(t, 429, request.CodeLimitReached)
	s.get(live.Path).is(t, 429, request.CodeLimitReached)
}

// TestALateProgramIsToldLate: a program of a user that is told half an hour late has each event that much later.
func TestALateProgramIsToldLate(t *testing.T) {
	s := newSite(t)
	s.addUser("late", access.GroupOperator)
	s.setFilter("late", `{"delay":1800}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.call("late", "GET", portserver+"/ship/search/nordic", "")
	base := s.serve().URL
	late, now := follow(t, "late", base, "", ""), follow(t, "admin", base, "", "")
	for i := range 2 {
		s.post(eventPath+"/manual", fmt.Sprintf(`{"message":"Fire %d"}`, i)).is(t, 200)
		made := s.sight.Now()
		now.tells()
		s.pass(t, 40*time.Minute)
		if got := late.tells(); got != fmt.Sprintf("%d manual <nil>", i+1) || s.sight.Now().Sub(made) < 30*time.Minute {
			t.Errorf("%s after %s", got, s.sight.Now().Sub(made))
		}
	}
}

// TestAQuietStreamOfEventsStays: it says each quarter of a minute that it is there, and no time-out of the server ends it.
func TestAQuietStreamOfEventsStays(t *testing.T) {
	onPipes(t, func(s *site, p *pipes) {
		conn := p.dial()
		defer conn.Close()
		if _, err := io.WriteString(conn, rawRequest(streamPath)); err != nil {
			t.Fatal(err)
		}
		begun, comments := time.Now(), 0
		for lines := bufio.NewScanner(conn); comments < 20 && lines.Scan(); {
			if strings.HasPrefix(lines.Text(), ":") {
				comments++
			}
		}
		if took := time.Since(begun); comments < 20 || took < 19*15*time.Second || took > 19*16*time.Second {
			t.Errorf("%d comments in %s", comments, took)
		}
		synctest.Wait()
	})
}
