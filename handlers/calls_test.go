package handlers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Paths of the calls of ships at ports, and of the trips between them.
const (
	callsPath = portserver + "/ship/historical/port"
	tripsPath = portserver + "/ship/historical/trip"
)

// aarhus is a port of the list, and easthaven one that newCalls makes. A ship between them is in neither.
var (
	aarhus    = geo.Point{Lon: 10.22, Lat: 56.15}
	easthaven = geo.Point{Lon: 10.6, Lat: 56.15}
	between   = geo.Point{Lon: 10.36, Lat: 56.15}
)

// newCalls is a site that has a second port, 24 km east of Aarhus.
func newCalls(t *testing.T) *site {
	s := newSite(t)
	s.post(portPath, `{"name":"Easthaven","locode":"DKEHV","position":{"type":"Point","coordinates":[10.6,56.15]}}`).is(t, 200)
	s.restart()
	return s
}

// coming lets a ship sail at 10 knots for 8 km towards a place from the other port, or away to it, with a position a minute. It returns the time
// at the end.
func (s *site) coming(m ais.MMSI, at time.Time, place geo.Point, away bool, feeds ...string) time.Time {
	const step = 308.67 // metres in a minute
	bearing := 90.0
	if place == easthaven {
		bearing = 270
	}
	for i := 26; i >= 0; i-- {
		metres, course := float64(i)*step, 2700
		if away {
			metres, course = float64(26-i)*step, 900
		}
		p := geo.Destination(place, bearing, metres)
		s.heardBy(at, position(m, p.Lon, p.Lat, 100, course), feeds...)
		at = at.Add(time.Minute)
	}
	return at
}

// lying lets a ship lie at a place for some minutes, with a position a minute. It returns the time at the end.
func (s *site) lying(m ais.MMSI, at time.Time, place geo.Point, minutes int, feeds ...string) time.Time {
	for range minutes {
		s.heardBy(at, position(m, place.Lon, place.Lat, 0, 900), feeds...)
		at = at.Add(time.Minute)
	}
	return at
}

// save stores the calls that are new.
func (s *site) save(now time.Time) {
	s.picture.Tick(now, s.db, s.sight, s.alarms, s.texts, s.voyages, s.tracks, s.watch)
	s.voyages.Save()
}

// voyageOf lets a ship call at Aarhus and then at Easthaven, where it lies still. It returns when it was first at rest at each, and when it left Aarhus.
func (s *site) voyageOf(m ais.MMSI, from time.Time, feeds ...string) (ata, atd, next time.Time) {
	s.t.Helper()
	s.heardBy(from, voyage(m, "NORDIC HAV"), feeds...)
	ata = s.coming(m, from, aarhus, false, feeds...)
	atd = s.lying(m, ata, aarhus, 40, feeds...)
	s.save(atd)
	at := s.coming(m, atd, aarhus, true, feeds...)
	for i := range 50 { // the rest of the way
		p := geo.Destination(aarhus, 90, 8100+float64(i)*150)
		s.heardBy(at, position(m, p.Lon, p.Lat, 50, 900), feeds...)
		at = at.Add(time.Minute)
	}
	s.save(at)
	next = s.coming(m, at, easthaven, false, feeds...)
	at = s.lying(m, next, easthaven, 30, feeds...)
	s.settle()
	s.save(at)
	return ata, atd, next
}

func (s *site) callsOf(user, body string) []map[string]any {
	s.t.Helper()
	return recordsOf(s.t, s.call(user, "POST", callsPath, body).is(s.t, 200))
}

func (s *site) tripsOf(user, body string) []map[string]any {
	s.t.Helper()
	return recordsOf(s.t, s.call(user, "POST", tripsPath, body).is(s.t, 200))
}

const ofNordic = `{"mmsi":219018765}`

// near checks that a time of an answer is within two minutes of the truth.
func near(t *testing.T, what string, got any, want time.Time) {
	t.Helper()
	at, err := time.Parse(time.RFC3339, fmt.Sprint(got))
	if err != nil || at.Sub(want).Abs() > 2*time.Minute {
		t.Errorf("%s is %v, want %s", what, got, want.Format(time.RFC3339))
	}
}

func idOf(record map[string]any) string { return fmt.Sprintf("%.0f", record["id"]) }

func TestPastCallsAndTrips(t *testing.T) {
	s := newCalls(t)
	ata, atd, next := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	calls := s.callsOf("admin", ofNordic)
	if len(calls) != 2 {
		t.Fatalf("%v", calls)
	}
	first, last := calls[1], calls[0]
	if port := first["port"].(map[string]any); port["locode"] != "DKAAR" || port["id"] != 22781475.0 || port["name"] != "Aarhus" {
		t.Errorf("%v", port)
	}
	near(t, "ata", first["ata"], ata)
	near(t, "atd", first["atd"], atd)
	near(t, "the next ata", last["ata"], next)
	if first["in_port"] != false || last["in_port"] != true || last["atd"] != nil || first["confidence"] != 4.0 || first["service"] == nil ||
		first["draught_a"] != 7.4 || last["draught_d"] != nil || first["confirmed_by"] != nil || first["ata_detected"] != nil {
		t.Errorf("%v\n%v", first, last)
	}
	if draught, told := last["draught_d"]; told {
		t.Errorf("a draught that is not known is told as %v", draught)
	}
	stay := first["stays"].([]any)[0].(map[string]any)
	if stay["kind"] != "berthed" || stay["from"] != first["ata"] || stay["to"] != first["atd"] {
		t.Errorf("%v", stay)
	}
	var said []string
	for _, one := range first["times"].([]any) {
		time := one.(map[string]any)
		said = append(said, fmt.Sprint(time["event"], " ", time["place"], " ", time["source"], " ", time["kind"]))
	}
	want := []string{"arrival berth crew estimated", "arrival border detected actual", "arrival berth detected actual",
		"departure berth detected actual", "departure border detected actual"}
	if !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}

	trips := s.tripsOf("admin", ofNordic)
	if len(trips) != 1 {
		t.Fatalf("%v", trips)
	}
	trip := trips[0]
	from, to := trip["from"].(map[string]any), trip["to"].(map[string]any)
	if from["atd"] != first["atd"] || to["ata"] != last["ata"] || to["port"].(map[string]any)["locode"] != "DKEHV" || trip["id"] != first["id"] {
		t.Errorf("%v", trip)
	}
	if metres := trip["distance"].(float64); metres < 22000 || metres > 26000 || trip["gap"] != "00:00:00" || trip["max_sog"] != 10.0 {
		t.Errorf("%v", trip)
	}
	if took := trip["duration"].(string); took != durationOf(next.Sub(atd)) && !strings.HasPrefix(took, durationOf(next.Sub(atd))[:4]) {
		t.Errorf("%v, want about %s", took, durationOf(next.Sub(atd)))
	}
}

func durationOf(d time.Duration) string {
	return fmt.Sprintf("%02d:%02d:%02d", int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
}

// The time of a question, its limit, and what is wrong with it.
func TestPastCallsWithinATime(t *testing.T) {
	s := newCalls(t)
	ata, atd, next := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	at := func(t time.Time) string { return t.Format(time.RFC3339) }
	for _, row := range []struct {
		begin, end   time.Time
		calls, trips int
	}{
		{ata.Add(-time.Hour), atd.Add(-time.Minute * 5), 1, 0},
		{atd.Add(10 * time.Minute), atd.Add(11 * time.Minute), 1, 1}, // in port until it leaves the border
		{atd.Add(time.Hour), atd.Add(time.Hour + time.Minute), 0, 1},
		{next.Add(5 * time.Minute), next.Add(time.Hour), 1, 0},
		{ata.Add(-2 * time.Hour), ata.Add(-time.Hour), 0, 0},
		{ata, next.Add(time.Hour), 2, 1},
	} {
		body := fmt.Sprintf(`{"mmsi":219018765,"begin":%q,"end":%q}`, at(row.begin), at(row.end))
		if calls, trips := len(s.callsOf("admin", body)), len(s.tripsOf("admin", body)); calls > row.calls || calls < row.calls && row.begin != atd.Add(10*time.Minute) || trips != row.trips {
			t.Errorf("%s: %d calls and %d trips, want %d and %d", body, calls, trips, row.calls, row.trips)
		}
	}
	if calls := s.callsOf("admin", `{"mmsi":219018765,"limit":1}`); len(calls) != 1 || calls[0]["in_port"] != true {
		t.Errorf("%v", calls)
	}
	for body, pointer := range map[string]string{
		`{"mmsi":219018765,"limit":0}`: "/limit", `{"mmsi":219018765,"limit":1001}`: "/limit", `{"mmsi":219018765,"limit":"x"}`: "/limit",
		`{"mmsi":219018765,"limit":-1}`:                              "must be from 1 to 1000",
		`{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-20"}`: "/begin", `{"mmsi":219018765,"begin":"soon"}`: "/begin", `{}`: `"pointer":"`,
	} {
		for _, path := range []string{callsPath, tripsPath} {
			a := s.post(path, body).is(t, 400, "bad_request")
			if wrong := a.json(t)["errors"].([]any); !strings.Contains(string(a.body), pointer) || len(wrong) != 1 {
				t.Errorf("%s %s: %s", path, body, a.body)
			}
		}
	}
	s.post(callsPath, `{"mmsi":219000999}`).is(t, 422, "ship_not_found")
	s.hear(noon(), position(211222333, 3, 55, 50, 900))
	s.settle()
	if calls := s.callsOf("admin", `{"mmsi":211222333}`); calls == nil || len(calls) != 0 {
		t.Errorf("a ship without calls: %v", calls)
	}
}

// A ship that has left its last port is on an open trip.
func TestTheOpenTripHasNoEnd(t *testing.T) {
	s := newCalls(t)
	ata := s.coming(nordic, noon().Add(-3*time.Hour), aarhus, false, "roof")
	at := s.lying(nordic, ata, aarhus, 30, "roof")
	s.save(at)
	if trips := s.tripsOf("admin", ofNordic); len(trips) != 0 {
		t.Errorf("in port: %v", trips)
	}
	at = s.coming(nordic, at, aarhus, true, "roof")
	s.settle()
	s.save(at)
	trips := s.tripsOf("admin", ofNordic)
	if len(trips) != 1 || trips[0]["to"] != nil || trips[0]["from"].(map[string]any)["atd"] == nil || trips[0]["duration"] != nil || trips[0]["distance"] != nil {
		t.Errorf("%v", trips)
	}
}

func TestUsersConfirmAndCorrectCalls(t *testing.T) {
	s := newCalls(t)
	ata, atd, _ := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	first := s.callsOf("admin", ofNordic)[1]
	path := callsPath + "/" + idOf(first)
	put := func(body string) answer { return s.call("admin", "PUT", path, body) }

	confirmed := put(`{"confirmed":true}`).is(t, 200).json(t)
	if confirmed["confirmed_by"] != "admin" || confirmed["ata"] != first["ata"] || confirmed["ata_detected"] != first["ata"] {
		t.Errorf("%v", confirmed)
	}
	earlier := ata.Add(-7 * time.Minute).Format(time.RFC3339)
	corrected := put(fmt.Sprintf(`{"ata":%q}`, earlier)).is(t, 200).json(t)
	if corrected["ata"] != earlier || corrected["ata_detected"] != first["ata"] || corrected["atd"] != first["atd"] {
		t.Errorf("%v", corrected)
	}
	times := corrected["times"].([]any)
	if last := times[len(times)-1].(map[string]any); last["source"] != "hand" || last["by"] != "admin" || last["value"] != earlier {
		t.Errorf("%v", last)
	}
	s.restart()
	if again := s.callsOf("admin", ofNordic)[1]; again["ata"] != earlier || again["confirmed_by"] != "admin" {
		t.Errorf("after a restart: %v", again)
	}
	back := put(`{"ata":null}`).is(t, 200).json(t)
	if back["ata"] != first["ata"] {
		t.Errorf("taken back: %v", back)
	}
	late := atd.Add(-time.Minute).Format(time.RFC3339)
	if trip := s.tripsOf("admin", ofNordic)[0]; put(fmt.Sprintf(`{"atd":%q}`, late)).is(t, 200).status == 200 && trip["from"].(map[string]any)["atd"] == late {
		t.Error("the trip had the new time before")
	}
	if trip := s.tripsOf("admin", ofNordic)[0]; trip["from"].(map[string]any)["atd"] != late {
		t.Errorf("%v", trip)
	}
	for body, pointer := range map[string]string{
		`{"ata":"2026-11-29T00:00:00Z"}`:     "/ata", // the future
		`{"atd":"2026-11-29T00:00:00Z"}`:     "/atd",
		`{"atd":"2026-11-20T01:00:00Z"}`:     "/atd", // before ata
		`{"ata":"2026-11-20T11:59:00Z"}`:     "/ata",
		`{"ata":"x"}`:                        "/ata",
		`{"ata":5}`:                          "/ata",
		`{"confirmed":false}`:                "/confirmed",
		`{"confirmed":"yes"}`:                "/confirmed",
		`{"ata":"2026-11-20","atd":[]}`:      "/atd",
		`{}`:                                 `"pointer":""`,
		`{"confirmed":null,"of_tomorrow":1}`: `"pointer":""`,
	} {
		if a := put(body); a.status != 400 || !strings.Contains(string(a.body), pointer) {
			t.Errorf("%s: %d %s, want %s", body, a.status, a.body, pointer)
		}
	}
	for _, wrong := range []string{"1", "999999999999999"} {
		s.call("admin", "PUT", callsPath+"/"+wrong, `{"confirmed":true}`).is(t, 404, "not_found")
		s.call("admin", "DELETE", callsPath+"/"+wrong, "").is(t, 404, "not_found")
	}
	s.call("admin", "PUT", callsPath+"/x", `{"confirmed":true}`).is(t, 400, "bad_request")
	s.call("admin", "DELETE", callsPath+"/"+aCall(s, "700"), "").is(t, 409, "conflict")
	if a := put(`{"ata":"2025-11-20T08:00:00Z"}`); a.status != 400 || !strings.Contains(string(a.body), `"time_far"`) {
		t.Errorf("a time of another year: %s", a.body)
	}

	s.call("admin", "DELETE", path, "").is(t, 204)
	put(`{"confirmed":true}`).is(t, 404, "not_found")
	if calls := s.callsOf("admin", ofNordic); len(calls) != 1 {
		t.Errorf("%v", calls)
	}
	if trips := s.tripsOf("admin", ofNordic); len(trips) != 0 {
		t.Errorf("a trip from a deleted call: %v", trips)
	}
	var acts []string
	for _, line := range recordsOf(t, s.get("/api/audit?kind=changes").is(t, 200)) {
		if strings.HasSuffix(fmt.Sprint(line["action"]), " call") {
			acts = append(acts, fmt.Sprintf("%v %v %v", line["action"], line["object"], line["detail"]))
		}
	}
	if len(acts) != 5 || acts[0] != "DELETE call 219018765 Aarhus <nil>" || acts[1] != "PUT call 219018765 Aarhus atd" {
		t.Errorf("%q", acts)
	}
}

// A correction beside the calls before and after it.
func TestACorrectionStaysBetweenTheOtherCalls(t *testing.T) {
	s := newCalls(t)
	ata, _, next := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	calls := s.callsOf("admin", ofNordic)
	for _, row := range []struct {
		id, field, rule string
		at              time.Time
	}{
		{idOf(calls[1]), "atd", "atd_after_call", next.Add(10 * time.Minute)},
		{idOf(calls[0]), "ata", "ata_before_call", ata.Add(time.Minute)},
	} {
		body := fmt.Sprintf(`{%q:%q}`, row.field, row.at.Format(time.RFC3339))
		a := s.call("admin", "PUT", callsPath+"/"+row.id, body).is(t, 400)
		if !strings.Contains(string(a.body), row.rule) || !strings.Contains(string(a.body), `"/`+row.field+`"`) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
}

// Without view_ata_atd nothing of an answer tells a time, and none can be found by asking.
func TestWithoutViewATAATDThereAreNoTimes(t *testing.T) {
	s := newCalls(t)
	s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	first := s.callsOf("admin", ofNordic)[1]
	s.call("admin", "PUT", callsPath+"/"+idOf(first), `{"confirmed":true}`).is(t, 200)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	s.tick(s.sight.Now().Add(portcalls.Quarter)) // calls are told as they were known at the last quarter of an hour
	answers := []answer{s.call("clerk", "POST", callsPath, ofNordic).is(t, 200), s.call("clerk", "POST", tripsPath, ofNordic).is(t, 200)}
	for _, body := range []string{`{"confirmed":true}`, `{"ata":null}`, `{"atd":"2026-11-20T08:00:00Z"}`} { // nobody vouches for times that are not told to them
		for _, number := range []string{idOf(first), "1"} {
			if a := s.call("clerk", "PUT", callsPath+"/"+number, body).is(t, 403); !strings.Contains(string(a.body), "view_ata_atd") {
				t.Errorf("%s", a.body)
			}
		}
	}
	s.call("clerk", "DELETE", callsPath+"/"+idOf(first), "").is(t, 403)
	for _, a := range answers {
		told := a.json(t)
		delete(told, "ship")
		text, err := json.Marshal(told)
		if err != nil || strings.Contains(string(text), "2026") || strings.Contains(string(text), `"duration"`) || strings.Contains(string(text), idOf(first)) {
			t.Errorf("%s", text)
		}
	}
	if len(recordsOf(t, answers[0])) != 2 || len(recordsOf(t, answers[1])) != 1 {
		t.Errorf("%s\n%s", answers[0].body, answers[1].body)
	}
	for _, field := range []string{"begin", "end"} {
		body := fmt.Sprintf(`{"mmsi":219018765,%q:"2026-11-20T08:00:00Z"}`, field)
		for _, path := range []string{callsPath, tripsPath} {
			if a := s.call("clerk", "POST", path, body).is(t, 403); !strings.Contains(string(a.body), "view_ata_atd") {
				t.Errorf("%s", a.body)
			}
		}
	}
}

// web_max_lookback_time holds: no time before it is told.
func TestPastCallsLookBack(t *testing.T) {
	s := newCalls(t)
	s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	now := s.sight.Now()
	s.addUser("anna", access.GroupViewer)
	s.set(`{"web_max_lookback_time":2}`)
	a := s.call("anna", "POST", callsPath, `{"mmsi":219018765,"begin":"2026-11-20T07:00:00Z"}`).is(t, 403)
	if !strings.Contains(string(a.body), "web_max_lookback_time") {
		t.Errorf("%s", a.body)
	}
	s.call("anna", "POST", tripsPath, `{"mmsi":219018765,"begin":"2026-11-20T07:00:00Z"}`).is(t, 403)
	for _, a := range []answer{s.call("anna", "POST", callsPath, ofNordic).is(t, 200), s.call("anna", "POST", tripsPath, ofNordic).is(t, 200)} {
		told := a.json(t)
		delete(told, "ship")
		for at := now.Add(-2*time.Hour - time.Minute).Truncate(time.Minute); at.After(noon().Add(-6 * time.Hour)); at = at.Add(-time.Minute) {
			if text := fmt.Sprint(told); strings.Contains(text, at.Format("2006-01-02T15:04:")) {
				t.Errorf("%s is told: %s", at, text)
			}
		}
	}
	if calls := s.callsOf("anna", ofNordic); len(calls) != 1 || calls[0]["in_port"] != true {
		t.Errorf("%v", calls)
	}
}

// TestAHiddenCallStaysHidden: of a ship that a user sees, the calls at which the user could not have seen it are as if they had never been.
func TestAHiddenCallStaysHidden(t *testing.T) {
	s := newSite(t, withReceivers)
	s.post(portPath, `{"name":"Easthaven","locode":"DKEHV","position":{"type":"Point","coordinates":[10.6,56.15]}}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"east","circle":{"center":{"type":"Point","coordinates":[10.6,56.15]},"radius":9000}}`).is(t, 200)
	s.restart(withReceivers)
	from := noon().Add(-5 * time.Hour)
	s.heardBy(from, voyage(nordic, "NORDIC HAV"), "sky")
	at := s.lying(nordic, s.coming(nordic, from, aarhus, false, "sky"), aarhus, 40, "sky")
	s.save(at)
	at = s.coming(nordic, at, aarhus, true, "sky").Add(100 * time.Minute)
	at = s.lying(nordic, s.coming(nordic, at, easthaven, false, "roof"), easthaven, 30, "roof")
	s.settle()
	s.save(at)
	all := s.callsOf("admin", ofNordic)
	if len(all) != 2 {
		t.Fatalf("%v", all)
	}
	s.addUser("anna", access.GroupOperator)
	for _, row := range []struct {
		filter string
		calls  int
	}{
		{`{}`, 2},
		{`{"receive_filter":{"psss":["roof"]}}`, 1},
		{`{"receive_filter":{"psss":["roof","sky"]}}`, 2},
		{`{"access_rights":{"view_satellites":"deny"}}`, 1},
		{`{"receive_filter":{"areas":["east"]}}`, 1},
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"access_rights":{"view_satellites":""},"receive_filter":{"areas":null,"psss":null}}`).is(t, 200)
		s.call("admin", "PUT", usersPath+"/anna", row.filter).is(t, 200)
		calls, trips := s.callsOf("anna", ofNordic), s.tripsOf("anna", ofNordic)
		if len(calls) != row.calls || len(trips) != row.calls-1 || calls[0]["port"].(map[string]any)["locode"] != "DKEHV" {
			t.Errorf("%s: %d calls, %d trips: %v", row.filter, len(calls), len(trips), calls)
		}
		for _, query := range []string{"", "begin=2026-11-01&end=2026-11-30"} { // out of memory, and out of the store
			if at := s.visitsTo("anna", query); len(at) != row.calls-1 {
				t.Errorf("%s: at Aarhus %v", row.filter, at)
			}
			east := recordsOf(t, s.call("anna", "GET", visitsPath+"/"+easthavenID(s)+"?"+query, "").is(t, 200))
			if len(east) != 1 || (east[0]["previous"] != nil) != (row.calls == 2) {
				t.Errorf("%s: at Easthaven %v", row.filter, east)
			}
		}
		want := map[int]int{1: 404, 2: 200}[row.calls]
		hidden := callsPath + "/" + idOf(all[1])
		s.call("anna", "PUT", hidden, `{"confirmed":true}`).is(t, want)
		if want == 404 {
			if a, ghost := s.call("anna", "DELETE", hidden, "").text(), s.call("anna", "DELETE", callsPath+"/1", "").text(); strings.ReplaceAll(a, idOf(all[1]), "1") != ghost {
				t.Errorf("%s\n%s", a, ghost)
			}
		}
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":"mmsi = 5"}}`).is(t, 200)
	s.call("anna", "POST", callsPath, ofNordic).is(t, 422, "ship_not_found")
	if at := s.visitsTo("anna", ""); len(at) != 0 {
		t.Errorf("%v", at)
	}
	s.call("anna", "PUT", callsPath+"/"+idOf(all[0]), `{"confirmed":true}`).is(t, 404)
}

// TestALateUserIsToldNoYoungerCall: what was entered after the time that the user is told of is left out of each call.
func TestALateUserIsToldNoYoungerCall(t *testing.T) {
	s := newCalls(t)
	s.addUser("anna", access.GroupOperator)
	const delay = 30 * time.Minute
	s.setFilter("anna", `{"delay":1800}`)
	s.heardBy(noon(), voyage(nordic, "NORDIC HAV"), "roof")
	s.call("anna", "GET", portserver+"/ship/search/nordic", "") // the picture of the delay begins
	type moment struct {
		at           time.Time
		calls, trips []map[string]any
	}
	var past []moment
	at := noon()
	checked := 0
	step := func(place geo.Point, sog int) {
		s.heardBy(at, position(nordic, place.Lon, place.Lat, sog, 900), "roof")
		at = at.Add(time.Minute)
		s.tick(at)
		s.save(at)
		if at.Minute()%3 != 0 {
			return
		}
		past = append(past, moment{at, s.callsOf("admin", ofNordic), s.tripsOf("admin", ofNordic)})
		s.settle()
		now := s.call("anna", "POST", callsPath, ofNordic)
		if now.status == 422 { // the ship was not yet heard
			return
		}
		then := past[0]
		for _, one := range past {
			if !one.at.After(at.Add(-delay)) {
				then = one
			}
		}
		calls := recordsOf(t, now.is(t, 200))
		for _, told := range calls {
			for _, said := range told["times"].([]any) {
				entered, _ := time.Parse(time.RFC3339, fmt.Sprint(said.(map[string]any)["entered"]))
				if entered.After(at.Add(-delay)) {
					t.Errorf("at %s: entered %s", at, entered)
				}
			}
		}
		if at.Sub(noon()) > delay+5*time.Minute {
			checked++
			if len(calls) != len(then.calls) {
				t.Errorf("at %s %d calls are told, %d were known", at, len(calls), len(then.calls))
			} else if len(calls) > 0 && (calls[0]["atd"] != then.calls[0]["atd"] || calls[0]["ata"] != then.calls[0]["ata"] || calls[0]["in_port"] != then.calls[0]["in_port"]) {
				t.Errorf("at %s told %v\nknown %v", at, calls[0], then.calls[0])
			}
			if len(calls) > 0 { // what a confirmation answers is no younger
				answer := s.call("anna", "PUT", callsPath+"/"+idOf(calls[0]), `{"confirmed":true}`).is(t, 200).json(t)
				if answer["atd"] != then.calls[0]["atd"] || answer["in_port"] != then.calls[0]["in_port"] {
					t.Errorf("at %s a confirmation tells %v\nknown %v", at, answer, then.calls[0])
				}
			}
			if trips := s.tripsOf("anna", ofNordic); len(trips) != len(then.trips) {
				t.Errorf("at %s %d trips are told, %d were known", at, len(trips), len(then.trips))
			}
		}
	}
	for i := 26; i >= 0; i-- {
		step(geo.Destination(aarhus, 90, float64(i)*308), 100)
	}
	for range 36 {
		step(aarhus, 0)
	}
	for i := range 60 {
		step(geo.Destination(aarhus, 90, float64(i)*308), 100)
	}
	if checked < 20 {
		t.Errorf("only %d moments", checked)
	}
}

// aCall lets a ship of its own call at Aarhus, and returns the number of the call.
func aCall(s *site, n string) string { return callOf(s, n, false) }

// aPastCall is aCall, and the ship has left again.
func aPastCall(s *site, n string) string { return callOf(s, n, true) }

func callOf(s *site, n string, over bool) string {
	s.t.Helper()
	var m ais.MMSI
	fmt.Sscan("211900"+n, &m)
	at := s.coming(m, noon().Add(-2*time.Hour), aarhus, false, "roof")
	at = s.lying(m, at, aarhus, 15, "roof")
	if over {
		at = s.coming(m, at, aarhus, true, "roof")
	}
	s.save(at)
	calls := s.callsOf("admin", fmt.Sprintf(`{"mmsi":%d}`, m))
	if len(calls) != 1 {
		s.t.Fatalf("%v", calls)
	}
	return idOf(calls[0])
}

// TestAnAnchorageEndsNoTrip holds that a ship that anchors at a port on its way is on one trip.
func TestAnAnchorageEndsNoTrip(t *testing.T) {
	s := newCalls(t)
	s.post(portPath, `{"name":"Midway","locode":"DKMWY","position":{"type":"Point","coordinates":[10.41,56.15]}}`).is(t, 200)
	s.restart()
	begin := noon().Add(-8 * time.Hour)
	s.heardBy(begin, voyage(nordic, "NORDIC HAV"), "roof")
	at := s.coming(nordic, begin, aarhus, false, "roof")
	at = s.lying(nordic, at, aarhus, 30, "roof")
	at = s.coming(nordic, at, aarhus, true, "roof")
	for i := range 12 {
		p := geo.Destination(aarhus, 90, 8300+float64(i)*308)
		s.heardBy(at, position(nordic, p.Lon, p.Lat, 100, 900), "roof")
		at = at.Add(time.Minute)
	}
	for i := range 30 { // at anchor half way, swinging
		p := geo.Destination(geo.Point{Lon: 10.41, Lat: 56.15}, float64(i%4)*90, 32)
		report := position(nordic, p.Lon, p.Lat, 0, 900)
		report.Status = ais.StatusAtAnchor
		s.heardBy(at, report, "roof")
		at = at.Add(time.Minute)
	}
	for i := range 40 {
		p := geo.Destination(geo.Point{Lon: 10.41, Lat: 56.15}, 90, float64(i)*120)
		s.heardBy(at, position(nordic, p.Lon, p.Lat, 40, 900), "roof")
		at = at.Add(time.Minute)
	}
	at = s.coming(nordic, at, easthaven, false, "roof")
	at = s.lying(nordic, at, easthaven, 30, "roof")
	s.settle()
	s.save(at)
	if calls := s.callsOf("admin", ofNordic); len(calls) != 3 || calls[1]["ata"] != nil || calls[1]["anchored_at"] == nil {
		t.Fatalf("%v", calls)
	}
	trips := s.tripsOf("admin", ofNordic)
	if len(trips) != 1 {
		t.Fatalf("%v", trips)
	}
	from, to := trips[0]["from"].(map[string]any)["port"].(map[string]any), trips[0]["to"].(map[string]any)["port"].(map[string]any)
	if from["name"] != "Aarhus" || to["name"] != "Easthaven" || trips[0]["distance"].(float64) < 20_000 {
		t.Errorf("%v", trips[0])
	}
}

// TestTheBerthsOfAMadePortAreNotNamed holds that a caller without view_port reads no name of a port that was made here, and of none of its berths.
func TestTheBerthsOfAMadePortAreNotNamed(t *testing.T) {
	s := newSite(t)
	s.post(portPath, `{"name":"Hidden Basin","position":{"type":"Point","coordinates":[10.6,56.15]},
		"berths":[{"name":"Secret Pier","length":200,"position":{"type":"Point","coordinates":[10.6,56.15]}}]}`).is(t, 200)
	s.restart()
	at := s.coming(nordic, noon().Add(-2*time.Hour), easthaven, false, "roof")
	s.save(s.lying(nordic, at, easthaven, 20, "roof"))
	s.may("agent", right.ViewHistory, right.ViewATAATD)
	if body := string(s.call("agent", "POST", callsPath, ofNordic).is(t, 200).body); strings.Contains(body, "Secret") || strings.Contains(body, "Hidden") {
		t.Errorf("%s", body)
	}
	if body := string(s.call("admin", "POST", callsPath, ofNordic).is(t, 200).body); !strings.Contains(body, "Secret Pier") {
		t.Errorf("%s", body)
	}
}
