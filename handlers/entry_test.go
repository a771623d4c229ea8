package handlers

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
)

// seen is what every route says of a ship: the static record, and its place. Routes that disagree fail the test.
func (s *site) seen(t *testing.T, mmsi int64, name string) (record map[string]any, place []any) {
	t.Helper()
	s.picture.Apply(&ais.Batch{}, s.db, s.sight) // the picture's goroutine has its turn
	number := fmt.Sprint(mmsi)
	info := s.get(portserver + "/ship/info/" + number)
	if info.status == 404 {
		s.get(portserver+"/ship/position/"+number).is(t, 404)
		s.post(portserver+"/ship/info", `{"mmsi":`+number+`}`).is(t, 422, "ship_not_found")
		for _, query := range []string{number, name} {
			for _, r := range recordsOf(t, s.get(portserver+"/ship/search/"+strings.ReplaceAll(query, " ", "%20"))) {
				if r["mmsi"] == float64(mmsi) {
					t.Errorf("search %s finds %v, info does not", query, r)
				}
			}
		}
		s.post(portserver+"/ship/historical/track", `{"mmsi":`+number+`}`).is(t, 422, "ship_not_found")
		return nil, nil
	}
	record = info.is(t, 200).json(t)
	if at := s.get(portserver + "/ship/position/" + number); at.status == 200 {
		place = at.json(t)["position"].(map[string]any)["coordinates"].([]any)[:2]
	} else {
		at.is(t, 404, "no_position")
	}
	found := false
	for _, r := range recordsOf(t, s.get(portserver+"/ship/search/"+number)) {
		if found = found || r["mmsi"] == record["mmsi"]; r["mmsi"] == record["mmsi"] && r["name"] != record["name"] {
			t.Errorf("search says %v, info %v", r, record)
		}
	}
	csv := string(s.get(portserver+"/ship/info/"+number+"?format=csv").is(t, 200).body)
	if text, _ := record["name"].(string); !found || !strings.Contains(csv, text) {
		t.Errorf("found %v, info %v, CSV %s", found, record, csv)
	}
	feature := s.get(portserver+"/ship/info/"+number+"?format=geojson").is(t, 200).json(t)
	if properties := feature["properties"].(map[string]any); properties["name"] != record["name"] || properties["source"] != record["source"] ||
		(feature["geometry"] == nil) != (place == nil) {
		t.Errorf("GeoJSON %v, info %v at %v", feature, record, place)
	}
	return record, place
}

// says holds a record against the values that it must have; nil for none.
func says(t *testing.T, what string, record, want map[string]any) {
	t.Helper()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if fmt.Sprint(record[key]) != fmt.Sprint(want[key]) {
			t.Errorf("%s: %s is %v, want %v", what, key, record[key], want[key])
		}
	}
}

// A barge is entered, moved and renamed. Its draught and place are taken back, and it is deleted. Another barge has nothing of it. The
// same holds after restarts.
func TestABargeLeavesNothingBehind(t *testing.T) {
	s := newSite(t)
	s.post(registerPath, `{"name":"First","note":"of the other"}`).is(t, 200)
	barge := registerPath + "/9900000002"
	const at = `{"type":"Point","coordinates":[`
	for _, step := range []struct {
		what, method, path, body string
		mmsi                     int64
		want                     map[string]any // nil for nobody
		place                    string
	}{
		{"entered", "POST", registerPath, `{"name":"BARGE 1","type":"Tanker","draught":3,"destination":"AARHUS","eta":"2026-11-22T06:30:00","position":` + at + `12.1,55.2]}}`, 9900000002,
			map[string]any{"name": "BARGE 1", "type": "Tanker", "type_code": 80, "draught": 3, "destination": "AARHUS", "eta": "2026-11-22T06:30:00",
				"source": "register", "class": "unknown"}, "[12.1 55.2]"},
		{"restart", "", "", "", 9900000002, map[string]any{"name": "BARGE 1", "draught": 3, "eta": "2026-11-22T06:30:00"}, "[12.1 55.2]"},
		{"moved", "PUT", barge, `{"position":` + at + `12.2,55.3]}}`, 9900000002, map[string]any{"name": "BARGE 1"}, "[12.2 55.3]"},
		{"renamed", "PUT", barge, `{"name":"BARGE ONE"}`, 9900000002, map[string]any{"name": "BARGE ONE", "draught": 3}, "[12.2 55.3]"},
		{"draught and destination taken back", "PUT", barge, `{"draught":0,"destination":"","eta":"","type":""}`, 9900000002,
			map[string]any{"name": "BARGE ONE", "draught": nil, "destination": nil, "eta": nil, "type": nil}, "[12.2 55.3]"},
		{"restart", "", "", "", 9900000002, map[string]any{"name": "BARGE ONE", "draught": nil, "destination": nil}, "[12.2 55.3]"},
		{"place taken back", "PUT", barge, `{"position":null}`, 9900000002, map[string]any{"name": "BARGE ONE"}, ""},
		{"placed again", "PUT", barge, `{"draught":2.5,"position":` + at + `12.3,55.4]}}`, 9900000002, map[string]any{"draught": 2.5}, "[12.3 55.4]"},
		{"deleted", "DELETE", barge, "", 9900000002, nil, ""},
		{"restart", "", "", "", 9900000002, nil, ""},
		{"another", "POST", registerPath, `{"name":"ANOTHER SHIP"}`, 9900000003, map[string]any{"name": "ANOTHER SHIP", "draught": nil, "source": "register"}, ""},
		{"the barge is no ship", "", "", "", 9900000002, nil, ""},
		{"another is deleted", "DELETE", registerPath + "/9900000003", "", 9900000003, nil, ""},
		{"a third", "POST", registerPath, `{"name":"THIRD"}`, 9900000004, map[string]any{"name": "THIRD"}, ""},
	} {
		switch step.method {
		case "":
			s.settle()
			s.restart()
		case "POST":
			if made := s.post(step.path, step.body).is(t, 200).json(t); made["mmsi"] != float64(step.mmsi) {
				t.Errorf("%s: the number is %v", step.what, made)
			}
		case "PUT":
			s.call("admin", "PUT", step.path, step.body).is(t, 200)
		case "DELETE":
			s.call("admin", "DELETE", step.path, "").is(t, 204)
		}
		record, place := s.seen(t, step.mmsi, "BARGE")
		if (record == nil) != (step.want == nil) || place != nil && fmt.Sprint(place) != step.place || place == nil && step.place != "" {
			t.Errorf("%s: %v at %v", step.what, record, place)
			continue
		}
		says(t, step.what, record, step.want)
		s.clock.pass(time.Minute)
	}
	if n := s.picture.Len(); n != 2 {
		t.Errorf("%d ships are in the picture, want the first and the third", n)
	}
	s.post(portserver+"/ship/info", `{"mmsi":9900000004,"time":"2026-11-20T12:01:00Z"}`).is(t, 422, "too_old") // before it was entered
	if all := recordsOf(t, s.get(registerPath)); len(all) != 2 {
		t.Errorf("%v", all)
	}
}

// What the register fills in of a ship with a transponder goes with the entry, and is never recorded as heard.
func TestAShipWithATransponderIsWhatAISSays(t *testing.T) {
	s := newSite(t)
	const ferry = 230000099
	path := fmt.Sprintf("%s/%d", registerPath, ferry)
	s.sail(ferry, noon(), 10*time.Second, 4)
	s.clock.pass(time.Minute)
	s.post(registerPath, `{"mmsi":230000099,"name":"FILLED","callsign":"FFF","destination":"X","draught":5,"dwt":900,"position":{"type":"Point","coordinates":[1,2]}}`).is(t, 200)
	check := func(what string, want map[string]any) {
		t.Helper()
		record, place := s.seen(t, ferry, "FILLED")
		if place == nil || place[1] != 56.14 {
			t.Errorf("%s: the ship is at %v", what, place)
		}
		want["source"], want["class"] = "ais", "A"
		says(t, what, record, want)
	}
	check("entered", map[string]any{"name": "FILLED", "callsign": "FFF", "destination": "X", "draught": 5, "dwt": 900})
	if entry := s.get(path).is(t, 200).json(t); entry["class"] != "unknown" { // it says what hands wrote
		t.Errorf("the entry of a ship that is heard: %v", entry)
	}
	s.sail(ferry, noon().Add(time.Minute), 10*time.Second, 3)
	check("heard again", map[string]any{"name": "FILLED", "draught": 5})
	if changed := s.call("admin", "PUT", path, `{"name":"RENAMED","callsign":""}`).is(t, 200).json(t); changed["class"] != "unknown" {
		t.Errorf("%v", changed)
	}
	check("renamed", map[string]any{"name": "RENAMED", "callsign": nil, "draught": 5})
	if found := recordsOf(t, s.get(portserver+"/ship/search/filled")); len(found) != 0 {
		t.Errorf("found by the name of before: %v", found)
	}
	s.restart()
	check("after a restart", map[string]any{"name": "RENAMED", "callsign": nil, "draught": 5, "dwt": 900})
	s.hear(noon().Add(3*time.Minute), voyage(ferry, "SAID BY AIS"))
	check("its own", map[string]any{"name": "SAID BY AIS", "callsign": "OWKN2", "destination": "DKAAR", "draught": 7.4, "dwt": 900})
	s.clock.pass(10 * time.Minute)
	s.call("admin", "PUT", path, `{"draught":9.1}`).is(t, 200)
	check("a newer draught by hand", map[string]any{"name": "SAID BY AIS", "draught": 9.1})
	then := s.post(portserver+"/ship/info", `{"mmsi":230000099,"time":"2026-11-20T12:04:00Z"}`).is(t, 200).json(t)
	says(t, "before that", then, map[string]any{"name": "SAID BY AIS", "draught": 7.4})
	then = s.post(portserver+"/ship/info", `{"mmsi":230000099,"time":"2026-11-20T12:02:00Z"}`).is(t, 200).json(t)
	says(t, "before its first message", then, map[string]any{"name": nil, "draught": nil})
	s.call("admin", "DELETE", path, "").is(t, 204)
	for _, what := range []string{"deleted", "and after a restart"} {
		check(what, map[string]any{"name": "SAID BY AIS", "draught": 7.4, "dwt": nil, "note": nil})
		s.settle()
		s.restart()
	}
}

// An open stream follows an entry: what is taken back becomes unknown, and a ship that was never heard goes.
func TestAnOpenStreamFollowsTheRegister(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon(), 10*time.Second, 4)
	l := listen(t, s.serve().URL, "", "")
	l.until("picture")
	tug := listen(t, s.serve().URL, "filter=name+%3D+tug", "")
	tug.until("picture")
	turn := func() { s.picture.Apply(&ais.Batch{}, s.db, s.sight) }
	s.post(registerPath, `{"mmsi":219018765,"name":"TUG","dwt":900,"note":"n"}`).is(t, 200)
	s.post(registerPath, `{"name":"BARGE","position":{"type":"Point","coordinates":[10.25,56.15]}}`).is(t, 200)
	turn()
	for l.ships[9900000001] == nil || l.ships[float64(nordic)]["name"] != "TUG" { // each comes alone where the second ticks between them
		l.until("change")
	}
	says(t, "entered", l.ships[float64(nordic)], map[string]any{"name": "TUG", "dwt": 900, "note": "n", "source": "ais"})
	says(t, "the barge", l.ships[9900000001], map[string]any{"name": "BARGE", "source": "register"})
	tug.until("change")
	if len(tug.ships) != 1 {
		t.Errorf("a filter for its name: %v", tug.ships)
	}
	s.call("admin", "PUT", registerPath+"/219018765", `{"name":"OTHER","note":""}`).is(t, 200)
	s.call("admin", "PUT", registerPath+"/9900000001", `{"position":null}`).is(t, 200)
	turn()
	for l.ships[float64(nordic)]["name"] != "OTHER" || l.ships[9900000001]["position"] != nil {
		l.until("change")
	}
	says(t, "changed", l.ships[float64(nordic)], map[string]any{"name": "OTHER", "dwt": 900, "note": nil})
	says(t, "the barge without a place", l.ships[9900000001], map[string]any{"name": "BARGE", "position": nil})
	tug.until("change")
	if len(tug.ships) != 0 {
		t.Errorf("a filter for its old name: %v", tug.ships)
	}
	s.call("admin", "DELETE", registerPath+"/219018765", "").is(t, 204)
	s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 204)
	turn()
	for l.ships[float64(nordic)]["name"] != nil || l.ships[9900000001] != nil {
		l.until("change")
	}
	says(t, "deleted", l.ships[float64(nordic)], map[string]any{"name": nil, "dwt": nil})
	if l.ships[float64(nordic)] == nil || l.ships[9900000001] != nil {
		t.Errorf("left: %v", l.ships)
	}
}

// An entry by IMO number is of the ship that was heard with it, if the caller sees it. An entry from before it was heard
// does not hide it.
func TestAnEntryByIMONumberIsOfThatShip(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon(), 10*time.Second, 3)
	s.may("clerk", right.AddRemoveMMSIEntries)
	s.call("admin", "PUT", usersPath+"/clerk", `{"receive_filter":{"countries":[265]}}`).is(t, 200)
	early := s.call("clerk", "POST", registerPath, `{"imo":9321483,"name":"EXPECTED"}`).is(t, 200).json(t)
	says(t, "before it is heard", early, map[string]any{"mmsi": 9900000001.0})
	s.hear(noon().Add(time.Minute), voyage(nordic, "NORDIC HAV"))
	for _, one := range []answer{s.get(portserver + "/ship/info/9321483"), s.post(portserver+"/ship/info", `{"imo":9321483}`)} {
		says(t, "by its IMO number", one.is(t, 200).json(t), map[string]any{"mmsi": float64(nordic), "name": "NORDIC HAV"})
	}
	s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 204)
	if hidden := s.call("clerk", "POST", registerPath, `{"imo":9321483}`).is(t, 200).json(t); hidden["mmsi"] != 9900000002.0 {
		t.Errorf("a user that does not see the ship is told its number: %v", hidden)
	}
	s.call("admin", "DELETE", registerPath+"/9900000002", "").is(t, 204)
	if made := s.post(registerPath, `{"imo":9321483,"dwt":11200}`).is(t, 200).json(t); made["mmsi"] != float64(nordic) {
		t.Errorf("%v", made)
	}
	s.post(registerPath, `{"imo":9321483}`).is(t, 409, "name_taken")
	record, _ := s.seen(t, int64(nordic), "NORDIC")
	says(t, "entered", record, map[string]any{"name": "NORDIC HAV", "dwt": 11200, "source": "ais"})
}

// What names a ship is not taken back altogether, and what cannot be is refused with its field.
func TestAnEntryKeepsAName(t *testing.T) {
	s := newSite(t)
	s.post(registerPath, `{"name":"BARGE","imo":9074729}`).is(t, 200)
	barge := registerPath + "/9900000001"
	s.call("admin", "PUT", barge, `{"name":""}`).is(t, 200)
	s.call("admin", "PUT", barge, `{"imo":0}`).is(t, 400, "bad_request")
	s.call("admin", "PUT", barge, `{"imo":0,"name":"BARGE"}`).is(t, 200)
	for _, row := range [][2]string{
		{`{"imo":9074728}`, "/imo"}, {`{"type":"Spaceship"}`, "/type"}, {`{"type":"Tanker","type_code":70}`, "/type"}, {`{"eta":"soon"}`, "/eta"}, {`{"eta":5}`, "/eta"}, {`{"type":5}`, "/type"},
	} {
		problem := s.call("admin", "PUT", barge, row[0]).is(t, 400, "bad_request").json(t)
		if at := problem["errors"].([]any)[0].(map[string]any)["pointer"]; at != row[1] {
			t.Errorf("%s: %v", row[0], problem)
		}
	}
	entry := s.call("admin", "PUT", barge, `{"type":"tanker","eta":"2026-11-22T08:30:00+02:00"}`).is(t, 200).json(t)
	says(t, "in words", entry, map[string]any{"type": "Tanker", "type_code": 80, "eta": "2026-11-22T06:30:00"})
	again := s.call("admin", "PUT", barge, `{"type":"Tanker","type_code":80,"class":"B"}`).is(t, 200).json(t)
	says(t, "as it was read", again, map[string]any{"type": "Tanker", "type_code": 80, "class": "B"})
	says(t, "taken back", s.call("admin", "PUT", barge, `{"class":"","type":""}`).is(t, 200).json(t), map[string]any{"class": "unknown", "type": nil})
}

// bookkeeper is what the routes have to say, worked out from what was written and what was heard.
type bookkeeper struct {
	entries map[int64]written
	heard   map[int64]written
	given   int64 // the last number of ours
	// claimed are the names that one report told against what was known. A second report settles them, and a restart forgets them.
	claimed map[int64]string
}

// hearsName notes a name that the air tells of a ship.
func (b *bookkeeper) hearsName(mmsi int64, name string) {
	h := b.heard[mmsi]
	if name == "" {
		return
	}
	if known := h.name != "" && h.name != name; known && b.claimed[mmsi] != name {
		b.claimed[mmsi] = name
		return
	}
	h.name = name
	b.heard[mmsi] = h
	delete(b.claimed, mmsi)
}

// written is what the register, or the air, says of a ship.
type written struct {
	name, destination string
	draught           int // tenths of a metre
	place             string
	at                int // of the draught
}

// expects returns a ship as every answer must show it.
func (b *bookkeeper) expects(mmsi int64) (w written, source string, known bool) {
	heard, isHeard := b.heard[mmsi]
	entry, isEntered := b.entries[mmsi]
	if w, source = heard, "ais"; !isHeard {
		source = "register"
	}
	w.name, w.destination, w.place = cmp.Or(heard.name, entry.name), cmp.Or(heard.destination, entry.destination), cmp.Or(heard.place, entry.place)
	if entry.draught != 0 && (heard.draught == 0 || heard.at < entry.at) {
		w.draught = entry.draught
	}
	return w, source, isHeard || isEntered
}

// TestAnImportedRegisterIsInThePicture: an import of many entries is answered when readers see all of them.
func TestAnImportedRegisterIsInThePicture(t *testing.T) {
	s := newSite(t)
	in := make(chan *ais.Batch)
	var running sync.WaitGroup
	running.Go(func() {
		if err := s.picture.Run(t.Context(), in, s.sight); err != nil {
			t.Error(err)
		}
	})
	defer running.Wait()
	defer close(in)
	in <- ais.NewPool(1).Get() // it runs
	var entries []string
	for i := range 1007 {
		entries = append(entries, fmt.Sprintf(`{"mmsi":%d,"name":"barge %d"}`, 211000000+i, i))
	}
	if err := s.take("register", strings.Join(entries, ",")); err != nil {
		t.Fatal(err)
	}
	if n := s.picture.Len(); n != len(entries) {
		t.Errorf("%d of %d entries are in the picture", n, len(entries))
	}
}

// An older version wrote ships without a transponder into the store. They are there by hand or not at all, and a ship that was given
// the number of another does not have its past.
func TestTheStoreHasNoShipsOfHands(t *testing.T) {
	s := newSite(t)
	const barge, tug = registry.FirstPseudoMMSI, registry.FirstPseudoMMSI + 1
	at := s.clock.now().Add(-time.Hour)
	for _, m := range []ais.MMSI{barge, tug, 219018765} {
		track := ship.Track{{At: at.UnixMilli(), Lon: 12.1 * 600000, Lat: 55.2 * 600000}}
		said := []store.Said{{Static: &ship.Static{Name: "BARGE"}}}
		if _, err := s.db.ImportTracks([]store.Imported{{MMSI: m, Fixes: track, Said: said}}); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
	s.restart() // an import needs the service stopped
	if record, _ := s.seen(t, 219018765, "BARGE"); record == nil {
		t.Error("a ship that was heard is not found")
	}
	if record, place := s.seen(t, barge, "BARGE"); record != nil {
		t.Errorf("nobody entered %v at %v", record, place)
	}
	for _, name := range []string{"PONTOON", "TUG"} {
		s.post(registerPath, `{"name":"`+name+`"}`).is(t, 200)
	}
	record, place := s.seen(t, tug, "TUG")
	if record["name"] != "TUG" || record["source"] != "register" {
		t.Errorf("the tug is %v", record)
	}
	if place != nil {
		t.Errorf("no message gave the place %v", place)
	}
	body := fmt.Sprintf(`{"mmsi":%d,"begin":%q,"end":%q}`, tug, at.Add(-time.Minute).Format(time.RFC3339), at.Add(time.Minute).Format(time.RFC3339))
	job := s.post(trackPath, body).is(t, 202).json(t)
	if way := coordinates(t, s.finish("admin", fmt.Sprintf("%s?id=%.0f", trackPath, job["id"]))); len(way) > 0 {
		t.Errorf("the track is %v", way)
	}
}

// A selected ship that is deleted is no longer selected.
func TestADeletedShipIsNotSelected(t *testing.T) {
	s := newSite(t)
	s.post(registerPath, `{"name":"BARGE"}`).is(t, 200)
	s.tick(noon())
	s.post(portserver+"/ship/select", `{"owner":"x","ships":[{"mmsi":9900000001}]}`).is(t, 200)
	if got := recordsOf(t, s.get(portserver+"/ship/select")); len(got) != 1 {
		t.Errorf("selected: %v", got)
	}
	s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 204)
	s.tick(noon())
	if got := recordsOf(t, s.get(portserver+"/ship/select")); len(got) != 0 {
		t.Errorf("after the ship was deleted: %v", got)
	}
}

// TestNumbersBeyondTheRadio: ships without a transponder have numbers up to 2^53 - 1, in the register and in lists, and keep them.
func TestNumbersBeyondTheRadio(t *testing.T) {
	s := newSite(t)
	for _, number := range []string{"1000000000", "2251799813685249", "9007199254740991"} {
		s.post(registerPath, `{"mmsi":`+number+`,"name":"N`+number+`","draught":7.25}`).is(t, 200)
		s.post(registerPath, `{"mmsi":`+number+`,"name":"AGAIN"}`).is(t, 409, "name_taken")
		s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814)) // the picture takes what was entered
		for _, path := range []string{registerPath + "/" + number, portserver + "/ship/info/" + number} {
			if a := s.get(path).is(t, 200); !strings.Contains(string(a.body), `"mmsi":`+number+`,`) || !strings.Contains(string(a.body), `"draught":7.25`) {
				t.Errorf("%s: %s", path, a.body)
			}
		}
		if text := string(s.get(portserver+"/ship/info/"+number+"?format=csv").is(t, 200).body); !strings.Contains(text, ",7.25,") {
			t.Error(text)
		}
		s.post(configPath+"/shiplist", `{"name":"L`+number+`","ships":[{"mmsi":`+number+`}]}`).is(t, 200)
		if a := s.get(configPath+"/shiplist/L"+number).is(t, 200); !strings.Contains(string(a.body), number) {
			t.Errorf("%s", a.body)
		}
		if found := recordsOf(t, s.get(portserver+"/ship/search/N"+number)); len(found) != 1 {
			t.Errorf("%s: %v", number, found)
		}
	}
	s.post(registerPath, `{"name":"OURS"}`).is(t, 200)
	s.get(registerPath+"/9900000001").is(t, 200)
	s.post(registerPath, `{"mmsi":9007199254740992,"name":"TOO LARGE"}`).is(t, 400, "bad_request", "/mmsi")
	s.post(configPath+"/shiplist", `{"name":"too large","ships":[{"mmsi":9007199254740992}]}`).is(t, 400, "bad_request", "/ships/0/mmsi")
}
