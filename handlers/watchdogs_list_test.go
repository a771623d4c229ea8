package handlers

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
)

const (
	listPath = configPath + "/shiplist"
	gateLine = `"line":{"type":"LineString","coordinates":[[10.31,56.1],[10.31,56.2]]}`
)

// listOf returns the ships of a list as a user gets them, alone and among all lists.
func (s *site) listOf(user, name string) string {
	s.t.Helper()
	ships := func(r map[string]any) string {
		var numbers []ais.MMSI
		for _, one := range r["ships"].([]any) {
			numbers = append(numbers, ais.MMSI(one.(map[string]any)["mmsi"].(float64)))
		}
		return fmt.Sprint(numbers)
	}
	got := ships(s.call(user, "GET", listPath+"/"+url.PathEscape(name), "").is(s.t, 200).json(s.t))
	for _, r := range s.call(user, "GET", listPath, "").is(s.t, 200).json(s.t)["records"].([]any) {
		if r := r.(map[string]any); r["name"] == name && ships(r) != got {
			s.t.Errorf("%s: among all lists %s has %s, alone %s", user, name, ships(r), got)
		}
	}
	return got
}

// sees reports whether a user may know of the ship.
func (s *site) sees(user string, m ais.MMSI) bool {
	s.t.Helper()
	return s.call(user, "GET", fmt.Sprint(portserver, "/ship/info/", m), "").status == 200
}

// leaves lets a ship sail out of the roads.
func (s *site) leaves(m ais.MMSI, at time.Time) {
	s.hear(at, position(m, 10.45, 56.14, 50, 900))
	s.watch.Save(false)
}

// TestTheListOfAWatchdog: a ship enters the area and is on the list, a filter picks it, it leaves and is off. The list has the owner and access list of
// the watchdog, and goes with it.
func TestTheListOfAWatchdog(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewShiplist)
	s.may("bert", right.ViewShiplist)
	path := s.watchdog("admin", `{"name":"Roads","type":"polygon","acl":["anna"],"create_shiplist":true,`+roads+`}`)
	base := s.serve().URL
	is := func(want string) {
		t.Helper()
		if got := s.listOf("anna", "Roads"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		on := want != "[]"
		for filter, want := range map[string]bool{"shiplist = Roads": on, "shiplist != roads": !on} {
			if got := s.inPort(t, "admin", base, filter); got != want {
				t.Errorf("%s: %v", filter, got)
			}
		}
	}
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	is("[]")
	s.enters(nordic, "NORDIC HAV", noon())
	is("[219018765]")
	one := s.call("anna", "GET", listPath+"/roads", "").is(t, 200).json(t)
	watchdog := s.get(path).is(t, 200).json(t)
	if one["read_only"] != true || one["uid"] != watchdog["uid"] || one["revision"] != watchdog["revision"] || one["owner"] == nil || one["problem"] != nil ||
		one["ships"].([]any)[0].(map[string]any)["name"] != "NORDIC HAV" {
		t.Errorf("%v", one)
	}
	s.call("bert", "GET", listPath+"/Roads", "").is(t, 404)
	s.leaves(nordic, noon().Add(15*time.Minute))
	is("[]")
	s.call("admin", "PUT", path, `{"name":"Anchorage"}`).is(t, 200)
	s.get(listPath+"/Roads").is(t, 404)
	s.get(listPath+"/Anchorage").is(t, 200)
	s.call("admin", "PUT", path, `{"create_shiplist":false}`).is(t, 200)
	s.get(listPath+"/Anchorage").is(t, 404)
	s.call("admin", "PUT", path, `{"create_shiplist":true}`).is(t, 200)
	s.call("admin", "DELETE", path, "").is(t, 204)
	s.get(listPath+"/Anchorage").is(t, 404)
}

// TestTheListOfAWatchdogIsReadOnly: only its watchdog changes it.
func TestTheListOfAWatchdogIsReadOnly(t *testing.T) {
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","create_shiplist":true,`+roads+`}`)
	for _, method := range []string{"PUT", "DELETE"} {
		a := s.call("admin", method, listPath+"/Roads", `{"ships":[]}`).is(t, 409)
		if !strings.Contains(string(a.body), "list_read_only") {
			t.Errorf("%s: %s", method, a.body)
		}
	}
}

// TestOneNameForOneList: a ship list and the list of a watchdog never have the same name, whichever comes first.
func TestOneNameForOneList(t *testing.T) {
	s := newSite(t)
	s.post(listPath, `{"name":"Tugs","ships":[]}`).is(t, 200)
	taken := func(a answer) {
		t.Helper()
		if a.is(t, 409, "name_taken"); !strings.Contains(string(a.body), `"pointer":"/name"`) {
			t.Errorf("%s", a.body)
		}
	}
	taken(s.post(definitionPath, `{"name":" tugs","type":"polygon","create_shiplist":true,`+roads+`}`))
	plain := s.watchdog("admin", `{"name":"tugs","type":"polygon",`+roads+`}`)
	taken(s.call("admin", "PUT", plain, `{"create_shiplist":true}`))
	s.watchdog("admin", `{"name":"Roads","type":"polygon","create_shiplist":true,`+roads+`}`)
	taken(s.post(listPath, `{"name":"ROADS","ships":[]}`))
	taken(s.call("admin", "PUT", listPath+"/Tugs", `{"name":"Roads","ships":[]}`))
	for _, text := range []string{`{"shiplists":[{"name":"roads","ships":[]}]}`, `{"watchdogs":[{"name":"Tugs","type":"polygon","create_shiplist":true,` + roads + `}]}`} {
		if s.imports(text) {
			t.Errorf("imported: %s", text)
		}
	}
}

// TestAWatchdogNeverDependsOnItself: its filter names neither its own list nor one that depends on it.
func TestAWatchdogNeverDependsOnItself(t *testing.T) {
	s := newSite(t)
	const lists = `"type":"polygon","create_shiplist":true,` + roads
	a := s.watchdog("admin", `{"name":"A",`+lists+`}`)
	s.watchdog("admin", `{"name":"B",`+lists+`,"filter":"cargo or shiplist = A"}`)
	s.watchdog("admin", `{"name":"C","type":"lost","create_shiplist":true,"lost":{"shiplist":"B"}}`)
	for _, filter := range []string{"shiplist = A", "not shiplist = b", "shiplist in (A, C)", "shiplist = C"} {
		if refused := s.call("admin", "PUT", a, fmt.Sprintf(`{"filter":%q}`, filter)).is(t, 400); !strings.Contains(string(refused.body), `"pointer":"/filter"`) {
			t.Errorf("%s: %s", filter, refused.body)
		}
	}
	s.call("admin", "PUT", a, `{"type":"lost","lost":{"shiplist":"C"}}`).is(t, 400)
	s.call("admin", "PUT", a, `{"create_shiplist":false,"filter":"sog > 1"}`).is(t, 200)
}

// TestTheListOfALine: a ship stays on it for the time-out after its last crossing.
func TestTheListOfALine(t *testing.T) {
	s := newSite(t)
	path := s.watchdog("admin", `{"name":"Gate","type":"line","create_shiplist":true,`+gateLine+`}`)
	if one := s.get(path).is(t, 200).json(t); one["shiplist_timeout"] != "00:30:00" {
		t.Errorf("%v", one["shiplist_timeout"])
	}
	s.call("admin", "PUT", path, `{"shiplist_timeout":"001:00:00"}`).is(t, 200)
	s.enters(nordic, "NORDIC HAV", noon()) // it crosses at 12:02
	at := func(minutes int, want string) {
		t.Helper()
		s.watch.Tick(noon().Add(time.Duration(minutes) * time.Minute))
		if got := s.listOf("admin", "Gate"); got != want {
			t.Errorf("after %d minutes: %s, want %s", minutes, got, want)
		}
	}
	at(5, "[219018765]")
	s.restart()
	at(61, "[219018765]")
	at(63, "[]")
}

// TestAListOutlivesARestart: it has the same ships, and loses them as before.
func TestAListOutlivesARestart(t *testing.T) {
	s := newSite(t)
	path := s.watchdog("admin", `{"name":"Roads","type":"polygon","create_shiplist":true,`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.restart()
	s.hear(noon().Add(10*time.Minute), position(nordic, 10.33, 56.14, 50, 900))
	if got := s.listOf("admin", "Roads"); got != "[219018765]" || !s.inPort(t, "admin", s.serve().URL, "shiplist = Roads") {
		t.Errorf("after a restart: %s", got)
	}
	s.call("admin", "PUT", path, `{"enabled":false}`).is(t, 200)
	one := s.get(listPath+"/Roads").is(t, 200).json(t)
	if len(one["ships"].([]any)) != 0 || one["problem"] == nil || s.inPort(t, "admin", s.serve().URL, "shiplist = Roads") {
		t.Errorf("switched off: %v", one)
	}
}

// TestAListHidesWhatTheCallerMayNotSee: each caller gets the ships that it sees, and one that is told late gets none.
func TestAListHidesWhatTheCallerMayNotSee(t *testing.T) {
	const other = 211222333
	s := newSite(t)
	for _, name := range []string{"blind", "late"} {
		s.may(name, right.ViewShiplist)
	}
	s.setFilter("blind", `{"expression":"mmsi = 211222333"}`)
	s.setFilter("late", `{"delay":1800}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","create_shiplist":true,"acl":["blind","late"],`+roads+`}`)
	s.watchdog("admin", `{"name":"Strait","type":"cpa","create_shiplist":true,"acl":["blind"],"cpa":{`+roads+`}}`)
	s.meet(nordic, other, noon())
	for user, want := range map[string]string{"admin": "[211222333 219018765]", "blind": "[211222333]", "late": "[]"} {
		if got := s.listOf(user, "Roads"); got != want {
			t.Errorf("%s: %s, want %s", user, got, want)
		}
	}
	if all, blind := s.listOf("admin", "Strait"), s.listOf("blind", "Strait"); all != "[211222333 219018765]" || blind != "[]" {
		t.Errorf("the pair: %s, %s", all, blind)
	}
	if one := s.call("late", "GET", listPath+"/Roads", "").is(t, 200).json(t); one["problem"] == nil {
		t.Errorf("late: %v", one)
	}
	for user, name := range map[string]string{"late": "Roads", "blind": "Strait"} {
		s.call(user, "GET", "/api/live?filter="+url.QueryEscape("shiplist = "+name), "").is(t, 400, "filter_syntax")
	}
}

// TestAFilterHoldsTheListOfAWatchdog: while a receive filter names the list, its watchdog is neither deleted nor renamed, and goes on making it. A user
// does not change what the filter hides from it by the area.
func TestAFilterHoldsTheListOfAWatchdog(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.ConfigureWatchdogDefinitions, right.ViewShiplist)
	path := s.watchdog("anna", `{"name":"Roads","type":"polygon","create_shiplist":true,`+roads+`}`)
	s.setFilter("anna", `{"expression":"shiplist = Roads"}`)
	s.call("admin", "DELETE", path, "").is(t, 409, "conflict")
	for _, body := range []string{`{"name":"Other"}`, `{"create_shiplist":false}`} {
		s.call("admin", "PUT", path, body).is(t, 409, "conflict")
	}
	s.call("anna", "PUT", path, `{"polygon":{"type":"Polygon","coordinates":[[[9,55],[12,55],[12,57],[9,57],[9,55]]]}}`).is(t, 403)
	s.call("admin", "PUT", path, `{"severity":"alert"}`).is(t, 200)
	s.enters(nordic, "NORDIC HAV", noon())
	if !s.sees("anna", nordic) {
		t.Error("a ship in the roads is hidden")
	}
	s.leaves(nordic, noon().Add(15*time.Minute))
	if s.sees("anna", nordic) {
		t.Error("a ship that left is shown")
	}
}

// TestTheLiveStreamFollowsAList: a ship that comes on the list appears in a live view of the list without a further report, and goes with it.
func TestTheLiveStreamFollowsAList(t *testing.T) {
	s := newSite(t)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","create_shiplist":true,`+roads+`}`)
	base := s.serve().URL
	s.enters(nordic, "NORDIC HAV", noon())
	if !s.inPort(t, "admin", base, "shiplist = Roads") {
		t.Error("the ship is not in the view")
	}
	l := listenAs(t, "admin", base, "filter="+url.QueryEscape("shiplist = Roads"), "")
	defer l.close()
	l.until("picture")
	s.leaves(nordic, noon().Add(15*time.Minute))
	for l.ships[float64(nordic)] != nil {
		l.until("change")
	}
}

// TestAnImportBringsListsOfWatchdogs: users of a document name lists that its watchdogs make, on a box without them.
func TestAnImportBringsListsOfWatchdogs(t *testing.T) {
	s := newSite(t)
	text := `{"watchdogs":[{"name":"Roads","type":"polygon","create_shiplist":true,` + roads + `}],"filters":[{"name":"In","filter":"shiplist = Roads"}]}`
	doc, err := document.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.areas.Box.Import(t.Context(), doc, false); err != nil {
		t.Fatal(err)
	}
	all := s.get(listPath).is(t, 200).json(t)["records"].([]any)
	if !slices.ContainsFunc(all, func(r any) bool { return r.(map[string]any)["name"] == "Roads" }) {
		t.Errorf("%v", all)
	}
	if s.imports(`{"watchdogs":[{"name":"Roads","filter":"shiplist = Roads"}]}`) {
		t.Error("a watchdog depends on itself")
	}
	s.addUser("carl", access.GroupOperator)
	s.call("admin", "PUT", usersPath+"/carl", `{"receive_filter":{"include_predefined_ship_list":true,"predefined_ship_list":["Roads"]}}`).is(t, 200)
}
