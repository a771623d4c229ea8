package handlers

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/tracking"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	shipTrackPath = tracking.Path
	aTrack        = `{"source":{"ship":{"mmsi":219018765}},"destination":` + skagen + `}`
)

// underWay lets a ship be heard on its way north in the Kattegat for some minutes, and finds the ways of tracks after each.
func (s *site) underWay(m ais.MMSI, from time.Time, minutes int) {
	s.t.Helper()
	first := int(from.Sub(noon()) / time.Minute)
	for i := range minutes {
		s.hear(from.Add(time.Duration(i)*time.Minute), position(m, 11.2, 56.6+float64(first+i)/400, 90, 0))
		s.tracks.Seek(context.Background())
	}
	s.settle()
	s.tracks.Save()
}

// tracked starts a track and returns its address.
func (s *site) tracked(user, body string) string {
	s.t.Helper()
	return fmt.Sprintf("%s/%.0f", shipTrackPath, s.call(user, "POST", shipTrackPath, body).is(s.t, 200).json(s.t)["id"])
}

func TestTrackLife(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.underWay(nordic, noon(), 5)
	body := `{"source":{"ship":{"name":"NORDIC HAV"},"draught":7.1},"destination":` + skagen + `,"waypoints":[{"position":{"type":"Point","coordinates":[11.2,57.2]}}],
		"erp":{"id":"VC-1","warp":[{"eta":"2026-11-21"},{"eta":"2026-11-20"}],"color":"red"}}`
	path := s.tracked("admin", body)
	s.underWay(nordic, noon().Add(5*time.Minute), 20)
	one := s.get(path+"?speed_for_arrival=2026-11-21T00:00:00Z").is(t, 200).json(t)
	eta, err := time.Parse(time.RFC3339, fmt.Sprint(one["eta"]))
	hours := one["distance"].(float64) / 1852 / 9
	if left := eta.Sub(noon().Add(24 * time.Minute)).Hours(); err != nil || left < hours*0.95 || left > hours*1.05 {
		t.Errorf("ETA %v for %v metres at 9 knots: %v", one["eta"], one["distance"], err)
	}
	if one["status"] != 3.0 || one["status_text"] != "under_way" || one["eta_basis"] != "route_speed" || one["owner"] != "admin" || one["last_sog"] != 9.0 ||
		one["last_position_time"] != "2026-11-20T12:24:00Z" || one["track_length"].(float64) < one["distance"].(float64) {
		t.Errorf("%v", one)
	}
	if from := one["source"].(map[string]any); from["draught"] != 7.1 || from["ship"].(map[string]any)["mmsi"] != float64(nordic) {
		t.Errorf("source %v", from)
	}
	for key, want := range map[string]int{"waypoints": 1, "waypoint_etas": 1, "waypoint_atas": 1, "port": 2, "erp_warnings": 2, "eta_history": 2} {
		if list, _ := one[key].([]any); len(list) < want {
			t.Errorf("%s: %v", key, one[key])
		}
	}
	if etas := one["waypoint_etas"].([]any); etas[0] == nil || etas[0].(string) >= one["eta"].(string) {
		t.Errorf("ETAs of the waypoints %v, of all %v", etas, one["eta"])
	}
	advice := one["speed_for_arrival"].(map[string]any)
	if speed := advice["speed"].(float64); speed >= 9 || advice["speed_low"].(float64) >= speed || advice["speed_high"].(float64) <= speed {
		t.Errorf("advice %v", advice)
	}
	if line := one["track"].(map[string]any)["coordinates"].([]any); len(line) != 25 || len(line[0].([]any)) != 5 {
		t.Errorf("it sailed %v", line)
	}
	if one["geo"].(map[string]any)["type"] != "Polygon" || one["route"].(map[string]any)["type"] != "LineString" {
		t.Errorf("%v %v", one["geo"], one["route"])
	}
	if again := s.tracked("admin", body); again != path {
		t.Errorf("asked again: %s after %s", again, path)
	}
	s.call("admin", "PUT", path, `{"erp":{"eta":"2026-11-21T18:30:00Z"}}`).is(t, 200)
	changed := s.call("admin", "PUT", path, `{"eta":"2026-11-21T19:30:00Z"}`).is(t, 200).json(t)
	if changed["erp"].(map[string]any)["eta"] != "2026-11-21T19:30:00Z" || changed["erp_warnings"] != nil {
		t.Errorf("%v", changed["erp"])
	}
	s.restart()
	list := recordsOf(t, s.get(shipTrackPath+"?tracks=false&route=false").is(t, 200))
	if len(list) != 1 || list[0]["track"] != nil || list[0]["route"] != nil || list[0]["geo"] != nil || list[0]["eta_history"] != nil || list[0]["eta"] != one["eta"] {
		t.Errorf("after a restart %v", list)
	}
	s.call("admin", "DELETE", path, "").is(t, 204)
	s.call("admin", "DELETE", path, "").is(t, 404)
	s.get(path).is(t, 404)
	if a := s.get("/api/audit?kind=changes").is(t, 200); strings.Count(string(a.body), " track\"") != 5 {
		t.Errorf("the audit log: %s", a.body)
	}
}

// TestATimeIsRequested asks a ship for the pilot, and takes it back.
func TestATimeIsRequested(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.underWay(nordic, noon(), 5)
	path := s.tracked("admin", `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKAAR"}}`)
	s.underWay(nordic, noon().Add(5*time.Minute), 3)
	ask := path + "/requested"
	s.call("admin", "PUT", portPath+"/dkaar", `{"berths":[{"name":"Quay 4"},{"name":"Ro-ro"}]}`).is(t, 200)
	for body, pointer := range map[string]string{
		`{}`: "/time", `{"time":""}`: "/time", `{"time":"soon"}`: "/time", `{"time":7}`: "/time", `{"time":"2026-11-20T20:00:00Z","place":"pub"}`: "/place",
		`{"time":"2026-11-20T20:00:00Z","position":{"type":"Point","coordinates":[11,57]}}`:                 "/position",
		`{"time":"2026-11-20T20:00:00Z","place":"pilot","position":{"type":"Point","coordinates":[11,97]}}`: "/position",
		`{"time":"2026-11-20T20:00:00Z","berth":"Quay 5"}`:                                                  "/berth", `{"time":"2026-11-20T20:00:00Z","berth":4}`: "/berth",
		`{"time":"2026-11-20T20:00:00Z","place":"pilot","berth":"Quay 4"}`: "/berth",
	} {
		if a := s.call("admin", "PUT", ask, body).is(t, 400); !strings.Contains(string(a.body), `"pointer":"`+pointer) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	if one := s.get(path).is(t, 200).json(t); one["requested"] != nil || one["requested_history"] != nil || one["speed_for_arrival"] != nil {
		t.Errorf("what is refused leaves %v", one)
	}
	s.call("admin", "PUT", ask, `{"time":"2026-11-20T23:00:00Z","place":"berth","berth":"quay  4"}`).is(t, 200)
	s.restart()
	s.underWay(nordic, noon().Add(8*time.Minute), 3)
	s.call("admin", "PUT", ask, `{"time":"2026-11-20T22:00:00Z","place":"pilot","position":{"type":"Point","coordinates":[10.9,56.3]}}`).is(t, 200)
	if berth := s.get(path).is(t, 200).json(t)["requested"].([]any)[1].(map[string]any); berth["berth"] != "Quay 4" {
		t.Errorf("the berth that is asked for: %v", berth)
	}
	one := s.call("admin", "PUT", ask, `{"time":null}`).is(t, 200).json(t)
	if all := one["requested_history"].([]any); len(all) != 3 || all[2].(map[string]any)["time"] != nil || all[0].(map[string]any)["by"] != "admin" {
		t.Errorf("the history is %v", one["requested_history"])
	}
	arrivals := recordsOf(t, s.get(arrivalsPath+"/22781475").is(t, 200))
	for name, of := range map[string]map[string]any{"the track": one, "the arrival": arrivals[0]} {
		stands := of["requested"].([]any)
		first := stands[0].(map[string]any)
		if len(stands) != 1 || first["time"] != "2026-11-20T22:00:00Z" || first["place"] != "pilot" || first["position"] == nil {
			t.Errorf("%s: %v", name, stands)
		}
		if advice := of["speed_for_arrival"].(map[string]any); advice["place"] != "pilot" || advice["time"] != "2026-11-20T22:00:00Z" || advice["speed"].(float64) <= 0 {
			t.Errorf("%s: advice %v", name, advice)
		}
	}
	for mmsi, n := range map[string]int{"219018765": 1, "219000102": 0} {
		if list := recordsOf(t, s.get(arrivalsPath+"/22781475?mmsi="+mmsi).is(t, 200)); len(list) != n {
			t.Errorf("of %s there are %d tracks", mmsi, len(list))
		}
	}
	if arrivals[0]["requested_history"] != nil {
		t.Error("the list has the history")
	}
}

// TestBerthsAreNamedWithViewPort holds that neither the answer nor the refusal tells which berths a port has.
func TestBerthsAreNamedWithViewPort(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.underWay(nordic, noon(), 5)
	s.call("admin", "PUT", portPath+"/dkaar", `{"berths":[{"name":"Quay 4"}]}`).is(t, 200)
	s.may("agent", right.PCSAccess)
	path := s.tracked("agent", `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKAAR"}}`)
	body := `{"time":"2026-11-20T23:00:00Z","berth":"Quay 4"}`
	if a := s.call("admin", "PUT", path+"/requested", body).is(t, 200); !strings.Contains(a.text(), `"berth":"Quay 4"`) {
		t.Errorf("with view_port: %s", a.body)
	}
	if a := s.call("agent", "GET", path, "").is(t, 200); !strings.Contains(a.text(), "23:00:00Z") || strings.Contains(a.text(), "Quay 4") {
		t.Errorf("without view_port: %s", a.body)
	}
	if a := s.call("agent", "PUT", path+"/requested", body).is(t, 400); !strings.Contains(a.text(), "must be the name of a berth of the port") {
		t.Errorf("asked for without view_port: %s", a.body)
	}
}

// TestTracksOfOneShip asks for the tracks of a ship by its numbers.
func TestTracksOfOneShip(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	other := voyage(219000102, "OTHER")
	other.IMO = 0
	s.hear(noon(), other)
	s.settle()
	imo := s.get(portserver+"/ship/info/219018765").is(t, 200).json(t)["imo"].(float64)
	for path, status := range map[string]int{"IMO%.0f": 200, "imo%.0f": 200, "IMO%%20%.0f": 200, "IMO1%.0f": 400, "IMO%.0f1": 400} {
		s.get(portserver+"/ship/info/"+fmt.Sprintf(path, imo)).is(t, status)
	}
	s.get(portserver+"/ship/info/IMO9999993").is(t, 404)
	first := s.tracked("admin", aTrack)
	s.tracked("admin", `{"source":{"ship":{"mmsi":219000102}},"destination":`+skagen+`}`)
	s.tracked("admin", `{"source":`+kattegat+`,"destination":`+skagen+`}`)
	for query, want := range map[string]int{
		"": 3, "?mmsi=219018765": 1, "?mmsi=219000102": 1, "?mmsi=219000103": 0, fmt.Sprintf("?imo=%.0f", imo): 1, "?imo=9999993": 0,
		fmt.Sprintf("?mmsi=219018765&imo=%.0f", imo): 1, fmt.Sprintf("?mmsi=219000102&imo=%.0f", imo): 0, "?mmsi=99999999999": 0,
	} {
		list := recordsOf(t, s.get(shipTrackPath+query).is(t, 200))
		if len(list) != want {
			t.Errorf("%s: %d tracks, want %d", query, len(list), want)
		}
		if want == 1 && strings.Contains(query, "imo") && !strings.HasSuffix(first, fmt.Sprintf("/%.0f", list[0]["id"])) {
			t.Errorf("%s: %v", query, list[0]["id"])
		}
	}
	for _, query := range []string{"?mmsi=x", "?mmsi=-1", "?imo=0.5"} {
		s.get(shipTrackPath+query).is(t, 400)
	}
}

// TestALocationComesBackAsItWasGiven holds that the places of a location are told as GeoJSON, also after a restart.
func TestALocationComesBackAsItWasGiven(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	const location = `[{"coordinates":[11.2,57.2],"type":"Point"},{"coordinates":[[[11,57],[11.5,57],[11.5,57.5],[11,57]]],"type":"Polygon"}]`
	path := s.tracked("admin", `{"source":{"ship":{"mmsi":219018765}},"destination":{"location":`+location+`}}`)
	for range 2 {
		told, err := json.Marshal(s.get(path).is(t, 200).json(t)["destination"].(map[string]any)["location"])
		if err != nil || string(told) != location {
			t.Errorf("%s came back as %s: %v", location, told, err)
		}
		s.restart()
	}
	if bare := s.tracked("admin", `{"source":{"ship":{"mmsi":219018765}},"destination":`+location+`}`); bare != path {
		t.Errorf("the array alone is another destination: %s and %s", bare, path)
	}
	for destination, pointer := range map[string]string{
		`[]`: "/destination", `[1,2,3,4]`: "/destination", `[7]`: "/destination/0",
		strings.Replace(location, "[11.5,57]", "[11.5,null]", 1):  "/destination/1/coordinates/0/1/1",
		strings.Replace(location, "[11.2,57.2]", "[11.2,97]", 1):  "/destination/0",
		`{"location":` + location + `,"port":"DKAAR"}`:            "/destination",
		`{"location":[{"type":"Feature","properties":{}}]}`:       "/destination/location/0/geometry/type",
		`{"location":[{"type":"MultiPoint","coordinates":[[]]}]}`: "/destination/location/0/type",
	} {
		refused := s.post(shipTrackPath, `{"source":{"ship":{"mmsi":219018765}},"destination":`+destination+`}`).is(t, 400).json(t)
		if wrong := refused["errors"].([]any)[0].(map[string]any); wrong["pointer"] != pointer {
			t.Errorf("%s: %v", destination, wrong)
		}
	}
	s.post(shipTrackPath, `{"source":`+location+`,"destination":`+location+`}`).is(t, 400)
}

// TestATrackIsAskedForAgain holds that a second request keeps what it does not name, and says what of it contradicts the ship.
func TestATrackIsAskedForAgain(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	const to = `"destination":` + skagen
	const via = `"waypoints":[{"position":{"type":"Point","coordinates":[11.2,57.2]}}]`
	path := s.tracked("admin", `{"source":{"ship":{"mmsi":219018765}},`+to+`,`+via+`,"erp":{"id":1}}`)
	for _, row := range []struct {
		more           string
		waypoints, erp string
	}{
		{``, "1", "map[id:1]"}, {`,"erp":{"id":2}`, "1", "map[id:2]"}, {`,"waypoints":[]`, "0", "map[id:2]"}, {`,` + via, "1", "map[id:2]"},
	} {
		again := s.post(shipTrackPath, `{"source":{"ship":{"name":"NORDIC HAV","imo":9074729}},`+to+row.more+`}`).is(t, 200).json(t)
		if fmt.Sprint(again["warnings"]) != "[source: imo is not that of the ship found]" {
			t.Errorf("with the IMO number of another ship: %v", again)
		}
		one := s.get(path).is(t, 200).json(t)
		list, _ := one["waypoints"].([]any)
		if fmt.Sprint(len(list)) != row.waypoints || fmt.Sprint(one["erp"]) != row.erp {
			t.Errorf("%s: %d waypoints and %v", row.more, len(list), one["erp"])
		}
	}
}

// TestATrackOfAShipWithoutATransponder holds that create makes an entry, and that the track waits for a position.
func TestATrackOfAShipWithoutATransponder(t *testing.T) {
	s := newSite(t)
	body := `{"source":{"ship":{"name":"BARGE 7","create":true,"draught":2.5,"length":60}},"destination":{"port":"DKAAR"}}`
	path := s.tracked("admin", body)
	s.picture.Apply(&ais.Batch{}, s.db, s.sight, s.voyages, s.tracks) // the picture's goroutine has its turn
	entry := recordsOf(t, s.get(registerPath).is(t, 200))
	if len(entry) != 1 || entry[0]["name"] != "BARGE 7" || entry[0]["length"] != 60.0 {
		t.Fatalf("the register has %v", entry)
	}
	one := s.get(path).is(t, 200).json(t)
	if one["status"] != 0.0 || one["eta"] != nil || one["last_position"] != nil || one["geo"] == nil || one["source"].(map[string]any)["draught"] != 2.5 {
		t.Errorf("%v", one)
	}
	if again := s.tracked("admin", body); again != path {
		t.Errorf("asked again: %s after %s", again, path)
	}
	log := string(s.get("/api/audit?kind=changes").is(t, 200).body)
	if strings.Count(log, `"POST register"`) != 1 || strings.Count(log, `"POST track"`) != 2 {
		t.Errorf("the audit log: %s", log)
	}
}

// randomJSON writes a random JSON text.
func randomJSON(r *rand.Rand, depth int) string {
	numbers := []string{"0", "-0", "0.10", "1e400", "-1E-400", "1.0", "5.000", "123456789012345678901234567890", "3.14159265358979323846264338327950288", "1e5", "9007199254740993"}
	texts := []string{`""`, `"æøå"`, `"\u00e6"`, `"\ud83d\ude00 😀"`, `"\ud800"`, `"<b>&\"\\\/"`, `"\u2028"`, `"1.0"`, `"\u0000"`, `"warp"`}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	switch n := r.IntN(8); {
	case depth > 0 && n < 2:
		parts := make([]string, r.IntN(4))
		for i := range parts {
			parts[i] = randomJSON(r, depth-1)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case depth > 0 && n < 5:
		parts := make([]string, r.IntN(5))
		for i := range parts {
			parts[i] = pick([]string{`"eta"`, `"warp"`, `"attributes"`, `"color"`, `"same"`, `"same"`, `""`, `"quay_id"`, `"bollard"`}) + ": " + randomJSON(r, depth-1)
		}
		return "{" + strings.Join(parts, " , ") + "}"
	case n == 5:
		return pick(texts)
	case n == 6:
		return pick([]string{"true", "false", "null"})
	}
	return pick(numbers)
}

// tokens returns the parts of a JSON text in their order, numbers as they are written.
func tokens(t *testing.T, text []byte) string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var all []string
	for d.More() || len(all) == 0 || d.InputOffset() < int64(len(strings.TrimSpace(string(text)))) {
		token, err := d.Token()
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all = append(all, fmt.Sprintf("%T %v", token, token))
	}
	return strings.Join(all, "\n")
}

// TestWhereTheERPInformationOfABodyIs: it is under the key erp where the body is otherwise that of a track, and else it is the whole body, with what it calls erp.
func TestWhereTheERPInformationOfABodyIs(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	path := s.tracked("admin", aTrack)
	id := path[strings.LastIndex(path, "/")+1:]
	read := func() string {
		var one struct{ ERP json.RawMessage }
		if err := json.Unmarshal(s.get(path).is(t, 200).body, &one); err != nil {
			t.Fatal(err)
		}
		return string(one.ERP)
	}
	const inner = `{"id":"SAP-1"}`
	s.call("admin", "PUT", path, `{"erp":`+inner+`}`).is(t, 200)
	for _, row := range []struct{ body, want string }{
		{`{"erp":` + inner + `}`, inner},
		{`{"id":` + id + `,"erp":` + inner + `}`, inner},
		{`{"id":"` + id + `","erp":` + inner + `}`, inner},
		{`{"erp":` + inner + `,` + aTrack[1:], inner},
		{string(s.get(path).body), inner},
		{`{"erp":"SAP","eta":"2026-11-21T18:30:00Z"}`, ""},
		{`{"id":"VC-2026-0117","erp":"SAP"}`, ""},
		{`{"id":4711,"erp":{"name":"SAP"},"warp":[]}`, ""},
		{`{"erp":null,"destination":"quay 4"}`, ""},
		{`[1,2]`, ""}, {`"abc"`, ""}, {`5.0`, ""}, {`true`, ""}, {`null`, ""}, {`{"erp":[1,2]}`, `[1,2]`}, {"\xef\xbb\xbf [ 1 ]", `[1]`},
	} {
		s.call("admin", "PUT", path, row.body).is(t, 200)
		if row.want == "" {
			row.want = row.body
		}
		if got := read(); got != row.want {
			t.Errorf("%s\nis kept as %s", row.body, got)
		}
	}
	s.call("admin", "PUT", path, `{"id":4711,"erp":`+inner+`}`).is(t, 400, "bad_request")
	for _, body := range []string{``, `[1,`, `1 2`, `abc`, `"` + "\xff" + `"`, strings.Repeat("[", 100) + strings.Repeat("]", 100)} {
		s.call("admin", "PUT", path, body).is(t, 400)
	}
}

// TestATrackOfAShipThatACutTook: a track was acknowledged, and its ship goes with the end of the log. The track is still read and deleted, and says so;
// one from whom ships are hidden is not told of it.
func TestATrackOfAShipThatACutTook(t *testing.T) {
	s := newSite(t)
	s.addUser("lookout", access.GroupAdmin)
	const other = ais.MMSI(219000700)
	for _, m := range []ais.MMSI{nordic, other} {
		s.hear(noon(), position(m, 11.2, 56.6, 90, 0))
	}
	path := s.tracked("admin", aTrack)
	to := s.tracked("admin", `{"source":{"position":{"type":"Point","coordinates":[11.2,57]}},"destination":{"ship":{"mmsi":219000700}}}`)
	database := filepath.Join(s.dir, "quaywatch.db")
	before, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	s.close()
	logs, err := filepath.Glob(filepath.Join(s.dir, "*.wal"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("the logs %v: %v", logs, err)
	}
	for _, log := range logs {
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(database, before, 0o600); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.get(portserver+"/ship/position/219018765").is(t, 404)
	list := recordsOf(t, s.get(shipTrackPath).is(t, 200))
	if len(list) != 2 {
		t.Fatalf("%v", list)
	}
	source := list[0]["source"].(map[string]any)["ship"].(map[string]any)
	destination := list[1]["destination"].(map[string]any)["ship"].(map[string]any)
	if source["mmsi"] != float64(nordic) || source["unknown"] != true || destination["mmsi"] != float64(other) || destination["unknown"] != true {
		t.Errorf("%v", list)
	}
	if all := recordsOf(t, s.call("lookout", "GET", shipTrackPath, "").is(t, 200)); len(all) != 2 {
		t.Errorf("another administrator is told of %v", all)
	}
	s.setFilter("lookout", `{"include_predefined_ship_list":true}`)
	if seen := recordsOf(t, s.call("lookout", "GET", shipTrackPath, "").is(t, 200)); len(seen) != 0 {
		t.Errorf("told to one that sees no ships: %v", seen)
	}
	s.hear(noon().Add(time.Minute), position(nordic, 11.2, 56.6, 90, 0))
	if one := s.get(path).is(t, 200).json(t)["source"].(map[string]any)["ship"].(map[string]any); one["unknown"] != nil {
		t.Errorf("heard again: %v", one)
	}
	s.call("admin", "DELETE", to, "").is(t, 204)
}
