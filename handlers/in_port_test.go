package handlers

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// inPort reports whether a live view with a filter has the ship of the tests.
func (s *site) inPort(t *testing.T, user, base, filter string) bool {
	t.Helper()
	l := listenAs(t, user, base, "filter="+url.QueryEscape(filter), "")
	defer l.close()
	l.until("picture")
	return l.ships[float64(nordic)] != nil
}

// TestPortOfAFilter: port means an open call there now, by id, LOCODE or name, at each door that takes a filter.
func TestPortOfAFilter(t *testing.T) {
	s := newCalls(t)
	base := s.serve().URL
	s.addUser("anna", access.GroupOperator)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":"port = DKEHV"}}`).is(t, 200)
	s.post(configPath+"/filter", `{"name":"there","filter":"port = Easthaven"}`).is(t, 200)
	s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof") // it lies in Easthaven
	id := s.areas.Ports.Current().Find("DKEHV")[0].ID
	for filter, want := range map[string]bool{
		"port = DKEHV": true, "port = easthaven": true, `port = "EASTHAVEN"`: true, fmt.Sprint("port = ", id): true,
		"port = DKAAR": false, "port != DKAAR": true, "port != DKEHV": false, "port in (DKAAR, DKEHV)": true, "not port = DKEHV": false,
		"cargo and port = DKEHV": true,
		"in port":                true, "not in port": false, "cargo im Hafen": true, "cargo in Easthaven": true, "ships in Aarhus": false, "to Easthaven": false,
		"to Aarhus": true, "cargo nach DKAAR": true, "to Denmark": true,
	} {
		if got := s.inPort(t, "admin", base, filter); got != want {
			t.Errorf("%s: %v", filter, got)
		}
	}
	for _, refused := range []string{"port = XXXXX", "port > DKAAR", "port = 5", "port in 1..2", "ships in Denmark"} {
		a := s.get("/api/live?filter="+url.QueryEscape(refused)).is(t, 400, "filter_syntax")
		if refused == "port = XXXXX" && !strings.Contains(string(a.body), "unknown_port") {
			t.Errorf("%s", a.body)
		}
		s.post(configPath+"/filter", fmt.Sprintf(`{"name":"x","filter":%q}`, refused)).is(t, 400, "filter_syntax")
	}
	metrics := func(calls, tracks string) {
		t.Helper()
		text := string(s.get("/metrics").is(t, 200).body)
		if !strings.Contains(text, "quaywatch_calls_open "+calls) || !strings.Contains(text, `quaywatch_tracks{status="in_departure_port"} `+tracks) {
			t.Errorf("not %s open calls and %s tracks", calls, tracks)
		}
	}
	metrics("1", "0")
	s.tracked("admin", `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKAAR"}}`)
	metrics("1", "1")
	info := portserver + "/ship/info/219018765"
	s.call("anna", "GET", info, "").is(t, 200)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":"port = DKAAR"}}`).is(t, 200)
	s.call("anna", "GET", info, "").is(t, 404)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":"port = DKEHV"}}`).is(t, 200)

	at := s.coming(nordic, s.sight.Now(), easthaven, true, "roof")
	s.save(at)
	if s.inPort(t, "admin", base, "port = DKEHV") {
		t.Error("the ship has left")
	}
	if text := string(s.get("/metrics").is(t, 200).body); !strings.Contains(text, "quaywatch_calls_open 0") || !strings.Contains(text, "quaywatch_passages_exceeded_total 0") || !strings.Contains(text, "quaywatch_texts_lost_total 0") {
		t.Error("a call goes on")
	}
	s.call("anna", "GET", info, "").is(t, 404)
}

// A port that was made here is unknown to a user that may not see ports.
func TestPortOfAFilterIsForThoseThatSeePorts(t *testing.T) {
	s := newCalls(t)
	s.addUser("clerk")
	for _, has := range []bool{true, false} {
		s.allowAllBut("clerk", right.ViewPort, has)
		want := map[bool]int{true: 200, false: 400}[has]
		name := fmt.Sprint("of ", has)
		s.call("clerk", "POST", configPath+"/filter", `{"name":"made `+name+`","filter":"port = DKEHV"}`).is(t, want)
		s.call("clerk", "POST", configPath+"/filter", `{"name":"in `+name+`","filter":"ships in Easthaven"}`).is(t, want)
		s.call("clerk", "POST", configPath+"/filter", `{"name":"listed `+name+`","filter":"port = DKAAR"}`).is(t, 200)
	}
}

// A filter tells how a ship lies, at which berth and since when, to those that may know it.
func TestCallOfAFilter(t *testing.T) {
	s := newCalls(t)
	base := s.serve().URL
	s.addUser("clerk")
	s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof") // it lies in Easthaven
	for filter, want := range map[string]bool{
		"alongside": true, "waiting": false, "Frachter am Liegeplatz": true, "stay = waiting": false, "stay != waiting": true, "arrived today": true,
		"heute angekommen im Hafen von Easthaven": true, "arrived yesterday": false,
	} {
		if got := s.inPort(t, "admin", base, filter); got != want {
			t.Errorf("%s: %v", filter, got)
		}
	}
	lying := s.callsOf("admin", ofNordic)[0]
	night := s.lying(nordic, noon().Add(13*time.Hour), easthaven, 10, "roof")
	s.save(night)
	if s.inPort(t, "admin", base, "arrived today") || !s.inPort(t, "admin", base, "arrived yesterday") {
		t.Error("after midnight the day is another")
	}
	after := night.Add(-30 * time.Minute).Format(time.RFC3339)
	s.call("admin", "PUT", callsPath+"/"+idOf(lying), `{"ata":"`+after+`"}`).is(t, 200)
	if !s.inPort(t, "admin", base, "arrived today") || s.inPort(t, "admin", base, "arrived yesterday") {
		t.Error("a corrected arrival is not the arrival")
	}
	for _, row := range []struct {
		without right.Name
		filter  string
		status  int
	}{
		{right.ViewATAATD, "arrived today", 400}, {right.ViewATAATD, "alongside", 200}, {right.ViewATAATD, "eta today", 200},
		{right.ViewHistory, "arrived today", 400}, {right.ViewHistory, "waiting", 400}, {right.ViewHistory, "in port", 200},
		{right.ViewPort, "alongside", 200},
	} {
		s.allowAllBut("clerk", row.without, false)
		a := s.call("clerk", "POST", configPath+"/filter", fmt.Sprintf(`{"name":%q,"filter":%q}`, fmt.Sprint(row), row.filter)).is(t, row.status)
		if row.status == 400 && !strings.Contains(string(a.body), string(row.without)) {
			t.Errorf("%v: %s", row, a.body)
		}
	}
	s.allowAllBut("clerk", right.ViewPort, false)
	if s.inPort(t, "clerk", base, "alongside") || s.inPort(t, "clerk", base, "in port") {
		t.Error("a user that may not see ports learns that a ship lies in one that was made here")
	}
}

// A ship that enters or leaves a call enters or leaves a live view with such a filter, also when it is silent.
func TestALiveViewFollowsTheCalls(t *testing.T) {
	s := newCalls(t)
	l := listen(t, s.serve().URL, "filter="+url.QueryEscape("port = DKAAR"), "")
	defer l.close()
	l.until("picture")
	at := s.coming(nordic, noon(), aarhus, false, "roof")
	at = s.lying(nordic, at, aarhus, 15, "roof")
	s.save(at)
	for l.ships[float64(nordic)] == nil {
		l.until("change")
	}
	s.save(at.Add(25 * time.Hour)) // its call is over by silence
	for l.ships[float64(nordic)] != nil {
		l.until("change")
	}
}

// TestALateUserDoesNotFilterTheFuture: port is asked of the time in which the user lives.
func TestALateUserDoesNotFilterTheFuture(t *testing.T) {
	s := newCalls(t)
	s.addUser("anna", access.GroupOperator)
	s.setFilter("anna", `{"delay":1800}`)
	s.heardBy(noon().Add(-time.Minute), voyage(nordic, "NORDIC HAV"), "roof")
	s.call("anna", "GET", portserver+"/ship/search/nordic", "") // the picture of the delay begins
	base := s.serve().URL
	asked := 0
	look := func(at time.Time, want bool) {
		t.Helper()
		s.tick(at)
		s.save(at)
		asked++
		if got := s.inPort(t, "anna", base, "port = DKAAR"); got != want {
			t.Errorf("at %s: %v", at, got)
		}
	}
	ata := s.coming(nordic, noon(), aarhus, false, "roof")
	at := s.lying(nordic, ata, aarhus, 30, "roof")
	look(at, false) // the call was not known half an hour before
	if !s.inPort(t, "admin", base, "port = DKAAR") {
		t.Error("the ship is in port")
	}
	atd := s.lying(nordic, at, aarhus, 10, "roof")
	gone := s.coming(nordic, atd, aarhus, true, "roof")
	look(gone, true)
	if s.inPort(t, "admin", base, "port = DKAAR") {
		t.Error("the ship has left")
	}
	look(s.lying(nordic, gone, between, 40, "roof"), false)
	if asked != 3 {
		t.Error(asked)
	}
}

// TestReadingOfAFilter: a client is told how a filter is read, by the names that its user may use.
func TestReadingOfAFilter(t *testing.T) {
	s := newCalls(t)
	read := func(filter string) string {
		t.Helper()
		var told []string
		answer := s.get("/api/filter/reading?filter="+url.QueryEscape(filter)).is(t, 200).json(t)
		for _, one := range answer["conditions"].([]any) {
			condition := one.(map[string]any)
			says := condition["says"]
			if wrong, ok := condition["wrong"].(map[string]any); ok {
				says = wrong["detail"]
			}
			told = append(told, fmt.Sprintf("%v to %v, %v: %v", condition["start"], condition["end"], says, condition["text"]))
		}
		return strings.Join(told, "; ")
	}
	for filter, want := range map[string]string{
		"":                               "",
		"cargo in Easthaven length > 50": "0 to 5, type: cargo; 6 to 18, port: in Easthaven; 19 to 30, condition: length > 50",
		"Ærø in Westhaven moored":        "0 to 3, name: Ærø; 4 to 16, no port is called 'Westhaven': type its name or LOCODE: in Westhaven; 17 to 23, status: moored",
	} {
		if got := read(filter); got != want {
			t.Errorf("%s: %s\nwant %s", filter, got, want)
		}
	}
	s.get("/api/filter/reading?filter="+strings.Repeat("a", 4001)).is(t, 400, "bad_request")
}
