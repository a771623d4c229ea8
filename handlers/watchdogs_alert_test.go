package handlers

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// alerts returns the alerts of a list: number, priority, state, whose they are, and how many events wait of all.
func (a answer) alerts(t testing.TB) string {
	t.Helper()
	return alertRows(a.is(t, 200).json(t)["records"].([]any))
}

func alertRows(records []any) string {
	var rows []string
	for _, one := range records {
		r := one.(map[string]any)
		whose := "others"
		if r["mine"] == true {
			whose = "mine"
		}
		rows = append(rows, fmt.Sprintf("%v %v %v %s %v/%v", r["id"], r["priority"], r["state"], whose, r["unacknowledged"], r["count"]))
	}
	return strings.Join(rows, ", ")
}

// raise stores what watchdogs raised, and makes alerts of it.
func (s *site) raise() {
	s.watch.Save(false)
	s.alerts.Tick(s.sight.Now())
	s.alerts.Step()
}

// TestAnAlertOfNobodyIsEverybodys: it was given to a user that is disabled since, and one to a group whose last member may watch no more. Both sound on
// all boards again, until somebody is there.
func TestAnAlertOfNobodyIsEverybodys(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	for _, name := range []string{"anna", "bert"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.call("admin", "PUT", usersPath+"/bert", `{"groups":["crew"]}`).is(t, 200)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert","acl":["anna","bert"],`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.raise()
	is := func(want string) {
		t.Helper()
		if got := s.call("anna", "GET", alertPath, "").alerts(t); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	disable := func(yes bool) {
		if _, err := s.users.Change("bert", func(u *access.User) error { u.Disabled = yes; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	for _, taker := range []string{"bert", "crew"} {
		s.call("admin", "POST", alertPath+"/1/transfer", `{"to":"`+taker+`"}`).is(t, 200)
		is("1 alarm transferred others 1/1")
		disable(true)
		is("1 alarm active mine 1/1")
		disable(false)
		is("1 alarm transferred others 1/1")
	}
	s.call("admin", "PUT", usersPath+"/bert", `{"groups":[]}`).is(t, 200)
	is("1 alarm active mine 1/1")
}

// TestAlertLife: two ships are one alert. It is silenced, given to another, acknowledged, over and not useful, each for all users, and the audit log
// says who did it.
func TestAlertLife(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	for _, name := range []string{"anna", "bert", "left"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert","acl":["anna","bert","left"],`+roads+`}`)
	if _, err := s.users.Change("left", func(u *access.User) error { u.Disabled = true; return nil }); err != nil {
		t.Fatal(err)
	}
	s.enters(nordic, "NORDIC HAV", noon())
	s.enters(211222333, "TWIN", noon())
	s.raise()
	is := func(user, want string) {
		t.Helper()
		if got := s.call(user, "GET", alertPath, "").alerts(t); got != want {
			t.Errorf("%s: %s; want %s", user, got, want)
		}
	}
	is("anna", "1 alarm active mine 2/2")
	one := s.call("anna", "GET", alertPath, "").json(t)["records"].([]any)[0].(map[string]any)
	if list := one["events"].([]any); len(list) != 2 || list[0].(map[string]any)["message"] != "TWIN entered Roads" || one["watchdog"] != "Roads" || one["standing"] != 2.0 {
		t.Errorf("%v", one)
	}
	s.call("anna", "POST", alertPath+"/1/silence", "{}").is(t, 200)
	is("bert", "1 alarm silenced mine 2/2")
	for _, wrong := range []string{`{}`, `{"to":"nobody"}`, `{"to":"crew"}`, `{"to":"left"}`, `{"to":7}`} {
		s.call("anna", "POST", alertPath+"/1/transfer", wrong).is(t, 400)
	}
	s.call("anna", "POST", alertPath+"/1/transfer", `{"to":"bert"}`).is(t, 200)
	is("anna", "1 alarm transferred others 2/2")
	is("bert", "1 alarm active mine 2/2")
	s.call("bert", "POST", eventPath+"/1/ack", "{}").is(t, 200)
	is("bert", "1 alarm active mine 1/2")
	if a := s.call("bert", "POST", alertPath+"/1/ack", "{}").is(t, 200).json(t); a["state"] != "acknowledged" {
		t.Errorf("%v", a)
	}
	for _, e := range s.get(eventPath + "?after_id=0").json(t)["records"].([]any) {
		if e.(map[string]any)["acknowledged"] == nil {
			t.Errorf("%v", e)
		}
	}
	s.call("anna", "POST", alertPath+"/1/silence", "{}").is(t, 409)
	s.call("anna", "POST", alertPath+"/1/transfer", `{"to":"bert"}`).is(t, 409)
	if a := s.call("anna", "POST", alertPath+"/1/useful", `{"useful":false}`).is(t, 200).json(t); a["not_useful"] == nil {
		t.Errorf("%v", a)
	}
	for i, m := range []ais.MMSI{nordic, 211222333} {
		s.hear(noon().Add(time.Duration(10+i)*time.Minute), position(m, 10.45, 56.14, 50, 900))
	}
	s.tick(noon().Add(15 * time.Minute))
	s.raise()
	is("anna", "")
	if got := s.call("anna", "GET", alertPath+"?latest=5", "").alerts(t); got != "1 alarm normal others 0/2" {
		t.Errorf("%s", got)
	}
	s.call("anna", "POST", alertPath+"/1/useful", `{"useful":true}`).is(t, 200)
	s.call("anna", "POST", alertPath+"/1/silence", `{}`).is(t, 409)
	s.call("anna", "POST", alertPath+"/1/ack", `{}`).is(t, 200)
	s.call("anna", "POST", alertPath+"/2/ack", `{}`).is(t, 404)
	load := s.call("anna", "GET", loadPath+"?hours=1", "").is(t, 200).json(t)
	if load["alerts"] != 1.0 || load["standing"] != 0.0 || load["not_useful"] != 0.0 || load["judgement"] != "acceptable" || load["definitions"].([]any)[0].(map[string]any)["events"] != 2.0 {
		t.Errorf("%v", load)
	}
	log := string(s.get("/api/audit").is(t, 200).body)
	for _, deed := range []string{"POST alert ack", "POST alert silence", "POST alert transfer", "POST alert useful"} {
		if !strings.Contains(log, deed) {
			t.Errorf("the audit log has no %q", deed)
		}
	}
}

// TestManyAcknowledgeAnAlertThatIsOver: the first of them puts it away, and the others get it as it is.
func TestManyAcknowledgeAnAlertThatIsOver(t *testing.T) {
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert",`+roads+`}`)
	for n := range 5 {
		from := noon().Add(time.Duration(n) * time.Hour)
		s.enters(nordic, "NORDIC HAV", from)
		s.hear(from.Add(10*time.Minute), position(nordic, 10.45, 56.14, 50, 900))
		s.raise()
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() {
				if a := s.call("admin", "POST", fmt.Sprintf("%s/%d/ack", alertPath, n+1), "{}"); a.status != 200 {
					t.Errorf("alert %d: %d %s", n+1, a.status, a.body)
				}
			})
		}
		calls.Wait()
	}
}

// TestAHiddenShipsAlertStaysHidden: of an alert a caller gets what it may see, and the state of that. One of which it sees nothing is not there, at any
// door, and counts nowhere. Nobody acknowledges what it has not seen.
func TestAHiddenShipsAlertStaysHidden(t *testing.T) {
	const other = 211222333
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert","acl":["anna"],`+roads+`}`)
	s.setFilter("anna", `{"expression":"mmsi = 211222333"}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.enters(other, "TWIN", noon())
	s.raise()
	if all, told := s.get(alertPath).alerts(t), s.call("anna", "GET", alertPath, "").alerts(t); all != "1 alarm active mine 2/2" || told != "1 alarm active mine 1/1" {
		t.Fatalf("%s; %s", all, told)
	}
	for _, path := range []string{alertPath, alertPath + "?latest=9", loadPath} {
		if text := s.call("anna", "GET", path, "").is(t, 200).text(); strings.Contains(text, "NORDIC") || strings.Contains(text, "219018765") {
			t.Errorf("%s: %s", path, text)
		}
	}
	if a := s.call("anna", "POST", alertPath+"/1/ack", "{}").is(t, 200); strings.Contains(a.text(), "NORDIC") || a.json(t)["state"] != "acknowledged" {
		t.Errorf("%s", a.body)
	}
	if all := s.get(alertPath).alerts(t); all != "1 alarm active mine 1/2" {
		t.Errorf("%s", all)
	}
	s.setFilter("anna", `{"expression":"mmsi = 1"}`)
	if told := s.call("anna", "GET", alertPath+"?latest=9", "").alerts(t); told != "" {
		t.Errorf("%s", told)
	}
	if load := s.call("anna", "GET", loadPath, "").json(t); load["alerts"] != 0.0 || len(load["definitions"].([]any)) != 0 {
		t.Errorf("%v", load)
	}
	for door, body := range map[string]string{"ack": "{}", "silence": "{}", "transfer": `{"to":"anna"}`, "useful": `{"useful":false}`} {
		hidden, none := s.call("anna", "POST", alertPath+"/1/"+door, body).is(t, 404).text(), s.call("anna", "POST", alertPath+"/77/"+door, body).is(t, 404).text()
		if strings.ReplaceAll(hidden, "/1/", "/77/") != none {
			t.Errorf("%s\n%s", hidden, none)
		}
	}
}

// TestSectors: an alert concerns the operators of its area first. Unacknowledged it goes to those that come next, and then to all.
func TestSectors(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"north", "chief", "other"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.post(groups, `{"name":"bridge"}`).is(t, 200)
	s.call("admin", "PUT", usersPath+"/north", `{"groups":["bridge"]}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"North",`+roads+`,"sector":{"groups":["bridge"],"escalate_after":"00:02:00","escalate_to":["chief"]}}`).is(t, 200)
	if r := s.get(configPath+"/shape/North").is(t, 200).json(t)["sector"].(map[string]any); r["escalate_after"] != "00:02:00" ||
		r["groups"].([]any)[0].(map[string]any)["name"] != "bridge" || r["escalate_to"].([]any)[0].(map[string]any)["name"] != "chief" {
		t.Errorf("%v", r)
	}
	s.call("admin", "DELETE", groups+"/bridge", "").is(t, 409)
	for body, field := range map[string]string{`{"groups":[]}`: "/sector/groups", `{"groups":["nobody"]}`: "/sector/groups/0",
		`{"groups":["bridge"],"escalate_to":["chief"]}`: "/sector/escalate_after", `{"groups":["bridge"],"escalate_after":"00:00:01"}`: "/sector/escalate_after"} {
		if a := s.post(configPath+"/shape", `{"name":"Wrong",`+roads+`,"sector":`+body+`}`).is(t, 400); !strings.Contains(a.text(), field) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	s.watchdog("admin", `{"name":"Gate","type":"polygon","severity":"alert","acl":["north","chief","other"],`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	at := noon().Add(5 * time.Minute)
	is := func(want string) {
		t.Helper()
		s.tick(at)
		s.raise()
		var got []string
		for _, name := range []string{"north", "chief", "other"} {
			row := s.call(name, "GET", alertPath, "").alerts(t)
			got = append(got, strings.Fields(row)[3])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%v; want %s", got, want)
		}
	}
	is("mine others others")
	at = at.Add(3 * time.Minute)
	is("mine mine others")
	at = at.Add(3 * time.Minute)
	is("mine mine mine")
	if log := s.get("/api/audit").is(t, 200).text(); strings.Count(log, "escalate alert") != 2 {
		t.Errorf("%s", log)
	}
	s.call("other", "POST", alertPath+"/1/transfer", `{"to":"North"}`).is(t, 200)
	is("mine others others")
}

// TestALateUsersAlertsAreLate: a user that is told half an hour late has an alert, and its end, that much later.
func TestALateUsersAlertsAreLate(t *testing.T) {
	s := newSite(t)
	s.addUser("late", access.GroupOperator)
	s.setFilter("late", `{"delay":1800}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"note","acl":["operator"],`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.raise()
	s.hear(noon().Add(15*time.Minute), position(nordic, 10.45, 56.14, 50, 900))
	s.raise()
	now := func(minutes int) string {
		s.tick(noon().Add(time.Duration(minutes) * time.Minute))
		s.raise()
		return s.call("late", "GET", alertPath, "").alerts(t)
	}
	for minute, want := range map[int]string{20: ""} {
		if got := now(minute); got != want {
			t.Errorf("minute %d: %s", minute, got)
		}
	}
	if got := now(40); got != "1 caution active mine 0/1" {
		t.Errorf("while it is active half an hour ago: %s", got)
	}
	if got := now(50); got != "" {
		t.Errorf("when it was over half an hour ago: %s", got)
	}
}

// TestALateUserReadsHowLongASilenceLasts: a silence is told as the seconds that are left of it, also to a user whose time is half an hour behind. Its stream tells
// it once.
func TestALateUserReadsHowLongASilenceLasts(t *testing.T) {
	s := newSite(t)
	s.addUser("late", access.GroupOperator)
	s.setFilter("late", `{"delay":1800}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert","acl":["operator"],`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.raise()
	s.tick(noon().Add(40 * time.Minute))
	s.raise()
	s.call("admin", "POST", alertPath+"/1/silence", "{}").is(t, 200)
	left := func(user string) string {
		records := s.call(user, "GET", alertPath, "").is(t, 200).json(t)["records"].([]any)
		if len(records) != 1 {
			t.Fatalf("%s has %d alerts", user, len(records))
		}
		text, _ := records[0].(map[string]any)["silenced_for"].(string)
		return text
	}
	user, _ := s.users.User("late")
	viewer, err := s.sight.Of(t.Context(), user, "late")
	if err != nil {
		t.Fatal(err)
	}
	stream := s.server.watchdogs.AlertStream()
	news := func() string {
		text, err := stream(t.Context(), viewer, user)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if text := news(); !strings.Contains(text, `"silenced_for":"00:00:30"`) {
		t.Errorf("the stream tells %s", text)
	}
	for _, want := range []string{"00:00:30", "00:00:20"} {
		for _, user := range []string{"admin", "late"} {
			if got := left(user); got != want {
				t.Errorf("%s reads %q, not %q", user, got, want)
			}
		}
		s.tick(noon().Add(40*time.Minute + 10*time.Second))
	}
	if text := news(); text != "" {
		t.Errorf("the stream tells it again: %s", text)
	}
}

// TestTheStreamTellsAlerts: a stream that asks has all alerts that are not normal at its beginning, and each change of one; one that is hidden by now is
// gone. Callers that may not see it have nothing.
func TestTheStreamTellsAlerts(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"anna", "blind", "stranger"} {
		s.may(name, right.WebOnlineAccess, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.setFilter("blind", `{"expression":"mmsi = 1"}`)
	path := s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert","acl":["anna","blind"],`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.raise()
	base := s.serve().URL
	open := func(user string) *listener {
		l := listenAs(t, user, base, "events=true", "")
		l.until("picture")
		return l
	}
	admin, anna, blind, stranger := open("admin"), open("anna"), open("blind"), open("stranger")
	next := func(l *listener) string {
		e := l.until("alert")
		text := alertRows(e.data["records"].([]any))
		if e.data["whole"] == true {
			text += " whole"
		}
		if e.data["gone"] != nil {
			text += fmt.Sprint(" gone ", e.data["gone"])
		}
		return text
	}
	for who, l := range map[string]*listener{"admin": admin, "anna": anna} {
		if got := next(l); got != "1 alarm active mine 1/1 whole" {
			t.Errorf("%s: %s", who, got)
		}
	}
	for who, l := range map[string]*listener{"blind": blind, "stranger": stranger} {
		if got := next(l); got != " whole" {
			t.Errorf("%s: %s", who, got)
		}
	}
	s.call("anna", "POST", alertPath+"/1/ack", "{}").is(t, 200)
	for who, l := range map[string]*listener{"admin": admin, "anna": anna} {
		if got := next(l); got != "1 alarm acknowledged mine 0/1" {
			t.Errorf("%s: %s", who, got)
		}
	}
	s.call("admin", "PUT", path, `{"acl":[]}`).is(t, 200)
	if got := next(anna); got != " gone [1]" {
		t.Errorf("%s", got)
	}
	for who, l := range map[string]*listener{"blind": blind, "stranger": stranger} {
		for statuses := 0; statuses < 1; {
			e, ok := l.next()
			if !ok || e.name == "alert" {
				t.Fatalf("%s: %v %v", who, e.name, e.data)
			}
			if e.name == "status" {
				statuses++
			}
		}
	}
}
