//go:build !race

package handlers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/ais"
	"quaywatch/users/access/right"
)

// TestPortListIsPagedOnce: whatever the size of the pages is, together they are the list, each port once and in order.
func TestPortListIsPagedOnce(t *testing.T) {
	s := newSite(t)
	for i := range 5 { // of one name in the order of their ids
		s.post(portPath, fmt.Sprintf(`{"name":"Aarhus%s","position":{"type":"Point","coordinates":[10.5,56.3]}}`, strings.Repeat(" x", i))).is(t, 200)
	}
	rapid.Check(t, func(r *rapid.T) {
		pattern := rapid.SampledFrom([]string{"*", "a*", "*havn", "*port*", "dk*"}).Draw(r, "pattern")
		whole := s.portList("?pattern=" + pattern).Records
		limit := rapid.IntRange(len(whole)/12+1, len(whole)+3).Draw(r, "limit")
		var paged []map[string]any
		for {
			p := s.portList(fmt.Sprintf("?pattern=%s&limit=%d&offset=%d", pattern, limit, len(paged)))
			if paged = append(paged, p.Records...); len(p.Records) < limit {
				break
			}
		}
		if len(whole) == 0 || !slices.EqualFunc(paged, whole, func(a, b map[string]any) bool { return a["id"] == b["id"] }) {
			r.Fatalf("%s by %d: %d paged, %d in the list", pattern, limit, len(paged), len(whole))
		}
		seen := map[any]bool{}
		for i, one := range whole {
			if seen[one["id"]] {
				r.Fatalf("%v stands twice", one)
			}
			seen[one["id"]] = true
			if i > 0 && whole[i-1]["name"] == one["name"] && whole[i-1]["id"].(float64) > one["id"].(float64) {
				r.Fatalf("%v stands before %v", whole[i-1], one)
			}
		}
	})
}

// TestERPComesBackAsItWasGiven sends a thousand JSON values through the interface, half of them in the body of the track, and some through a restart.
func TestERPComesBackAsItWasGiven(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	r := rand.New(rand.NewPCG(11, 2026))
	path := s.tracked("admin", aTrack)
	for i := range 1000 {
		given := randomJSON(r, 5)
		switch {
		case i%2 == 0:
			s.call("admin", "POST", shipTrackPath, aTrack[:len(aTrack)-1]+`,"erp":`+given+`}`).is(t, 200)
		case strings.HasPrefix(given, "{") && !strings.Contains(given, `"erp"`):
			if i%4 == 1 { // a member of that name is like any other
				given = `{"erp":{"id":7},"number":` + strconv.Itoa(i) + `,"rest":` + given + `}`
			}
			s.call("admin", "PUT", path, given).is(t, 200)
		default:
			s.call("admin", "PUT", path, `{"erp": `+given+`}`).is(t, 200)
		}
		if i%250 == 0 {
			s.restart()
		}
		var one struct{ ERP json.RawMessage }
		if err := json.Unmarshal(s.get(path+"?tracks=false").is(t, 200).body, &one); err != nil {
			t.Fatal(err)
		}
		if got, want := tokens(t, one.ERP), tokens(t, []byte(given)); got != want {
			t.Fatalf("%s\ncame back as\n%s", given, one.ERP)
		}
	}
}

// Entries are made, changed and deleted, ships are heard, and the program starts anew: every route says what the bookkeeper says.
func TestRoutesAgreeWithTheBookkeeper(t *testing.T) {
	for seed := range uint64(2) {
		s := newSite(t)
		random := rand.New(rand.NewPCG(seed, 7))
		one := func(of ...string) string { return of[random.IntN(len(of))] }
		b := bookkeeper{map[int64]written{}, map[int64]written{}, 9900000000, map[int64]string{}}
		at := []int64{219000001, 219000002}
		fill := func(e written, step int) (written, string) {
			var body []string
			if random.IntN(2) == 0 {
				e.name = one("PILOT", "TUG", "BARGE")
				body = append(body, fmt.Sprintf(`"name":%q`, e.name))
			}
			if random.IntN(2) == 0 {
				e.destination = one("", "AARHUS", "KIEL")
				body = append(body, fmt.Sprintf(`"destination":%q`, e.destination))
			}
			if random.IntN(2) == 0 {
				e.draught = random.IntN(4) * 11
				body = append(body, fmt.Sprintf(`"draught":%.1f`, float64(e.draught)/10))
			}
			switch random.IntN(4) {
			case 0:
				e.place = ""
				body = append(body, `"position":null`)
			case 1:
				e.place = one("[10.1 55]", "[10.2 55]")
				body = append(body, `"position":{"type":"Point","coordinates":`+strings.ReplaceAll(e.place, " ", ",")+`}`)
			}
			e.at = step
			return e, strings.Join(body, ",")
		}
		for step := range 40 {
			s.clock.pass(time.Minute)
			act := "nothing"
			entered := slices.Sorted(maps.Keys(b.entries))
			switch random.IntN(7) {
			case 0: // a ship without a number
				e, body := fill(written{name: "NEW"}, step)
				act = "POST " + body
				if !strings.Contains(body, `"name"`) {
					body = strings.TrimSuffix(`"name":"NEW",`+body, ",")
				}
				b.given++
				if made := s.post(registerPath, "{"+body+"}").is(t, 200).json(t); made["mmsi"] != float64(b.given) {
					t.Fatalf("step %d: %s: %v, want %d", step, act, made, b.given)
				}
				b.entries[b.given] = e
				at = append(at, b.given)
			case 1: // one with a number
				mmsi := at[random.IntN(2)]
				e, body := fill(written{}, step)
				act = fmt.Sprintf("POST %d %s", mmsi, body)
				a := s.post(registerPath, strings.ReplaceAll(fmt.Sprintf(`{"mmsi":%d,%s}`, mmsi, body), ",}", "}"))
				if _, there := b.entries[mmsi]; there {
					a.is(t, 409, "name_taken")
					break
				}
				a.is(t, 200)
				b.entries[mmsi] = e
			case 2, 3: // a change
				if len(entered) == 0 {
					break
				}
				mmsi := entered[random.IntN(len(entered))]
				e, body := fill(b.entries[mmsi], step)
				act = fmt.Sprintf("PUT %d %s", mmsi, body)
				s.call("admin", "PUT", fmt.Sprintf("%s/%d", registerPath, mmsi), "{"+body+"}").is(t, 200)
				b.entries[mmsi] = e
			case 4: // an end
				if len(entered) == 0 {
					break
				}
				mmsi := entered[random.IntN(len(entered))]
				act = fmt.Sprintf("DELETE %d", mmsi)
				s.call("admin", "DELETE", fmt.Sprintf("%s/%d", registerPath, mmsi), "").is(t, 204)
				delete(b.entries, mmsi)
			case 5: // a ship speaks
				mmsi := at[random.IntN(2)]
				h := b.heard[mmsi]
				act = fmt.Sprintf("hear %d", mmsi)
				if h.place == "" {
					s.sail(ais.MMSI(mmsi), s.clock.now(), time.Second, 3)
				}
				h.place = "heard"
				if random.IntN(2) == 0 {
					m := voyage(ais.MMSI(mmsi), one("", "FERRY", "HEARD"))
					m.IMO, m.Destination, m.Draught = 0, one("", "MALMO"), ais.Decimetres(random.IntN(2)*74)
					m.ETA = ais.ETA{}
					s.hear(s.clock.now().Add(5*time.Second), m)
					act += fmt.Sprintf(" %q %q %d", m.Name, m.Destination, m.Draught)
					was := h
					b.hearsName(mmsi, m.Name)
					h.name, h.destination = b.heard[mmsi].name, m.Destination
					h.draught = cmp.Or(int(m.Draught), h.draught)
					if h.destination != was.destination || h.draught != was.draught {
						h.at = step
					}
				}
				b.heard[mmsi] = h
			case 6:
				act = "restart"
				s.settle()
				s.restart()
				clear(b.claimed)
			}
			for _, mmsi := range at {
				record, place := s.seen(t, mmsi, "BARGE")
				want, source, known := b.expects(mmsi)
				if known != (record != nil) {
					t.Errorf("known %v, want %v", record, known)
				}
				if known {
					draught := any(nil)
					if want.draught != 0 {
						draught = float64(want.draught) / 10
					}
					text := func(v string) any {
						if v == "" {
							return nil
						}
						return v
					}
					says(t, fmt.Sprint(mmsi), record, map[string]any{"name": text(want.name), "destination": text(want.destination), "draught": draught, "source": source})
					if is := fmt.Sprint(place); want.place == "heard" && place[1] != 56.14 ||
						want.place != "heard" && strings.Trim(is, "[]") != strings.Trim(want.place, "[]") {
						t.Errorf("%d is at %v, want %q", mmsi, place, want.place)
					}
				}
			}
			if t.Failed() {
				t.Fatalf("seed %d, step %d: %s", seed, step, act)
			}
		}
		if all := recordsOf(t, s.get(registerPath)); len(all) != len(b.entries) {
			t.Errorf("%d entries, want %d", len(all), len(b.entries))
		}
	}
}

func TestRouteRefuses(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(219000009, "NOWHERE"))
	s.hear(noon(), voyage(219000010, "TWIN"))
	s.hear(noon(), voyage(219000011, "TWIN"))
	s.settle()
	for _, row := range []struct {
		source  string
		more    string
		status  int
		code    string
		pointer string
	}{
		{`{}`, "", 400, "bad_request", "/source"},
		{`5`, "", 400, "bad_request", "/source"},
		{`{"port":"NLRTM","ship":{"mmsi":219018765}}`, "", 400, "bad_request", "/source"},
		{`{"position":{"type":"Point","coordinates":[10,91]}}`, "", 400, "bad_request", "/source/position"},
		{`{"ship":{}}`, "", 400, "bad_request", "/source/ship"},
		{`{"ship":{"mmsi":"x"}}`, "", 400, "bad_request", "/source/ship/mmsi"},
		{`{"ship":{"mmsi":219018765,"draught":-1}}`, "", 400, "bad_request", "/source/ship/draught"},
		{`{"port":{}}`, "", 400, "bad_request", "/source/port"},
		{`{"port":7}`, "", 400, "bad_request", "/source/port"},
		{`{"port":{"locode":"NLRTM","name":"Hamburg"}}`, "", 400, "bad_request", "/source/port"},
		{kattegat, `,"avoid":["Styx"]`, 400, "bad_request", "/avoid"},
		{kattegat, `,"avoid":"Suez"`, 400, "bad_request", "/avoid"},
		{kattegat, `,"waypoints":[{}]`, 400, "bad_request", "/waypoints/0/position"},
		{kattegat, `,"draught":101`, 400, "bad_request", "/draught"},
		{`{"ship":{"mmsi":219777001}}`, "", 422, "ship_not_found", ""},
		{`{"ship":{"name":"TWIN"}}`, "", 409, "ambiguous_ship", ""},
		{`{"ship":{"mmsi":219000009}}`, "", 422, "no_position", ""},
		{`{"port":"Atlantis"}`, "", 422, "port_not_found", ""},
		{`{"port":{"id":5}}`, "", 422, "port_not_found", ""},
		{`{"port":"Portland"}`, "", 409, "ambiguous_port", ""},
		{`{"port":"Baie-d'Urfe nowhere"}`, "", 422, "port_not_found", ""},
		{`{"position":{"type":"Point","coordinates":[-3.7,40.4]}}`, "", 422, "no_route", "/source"},
		{kattegat, `,"waypoints":[{"position":` + `{"type":"Point","coordinates":[11.2,57]}},{"position":{"type":"Point","coordinates":[-3.7,40.4]}}]`, 422, "no_route", "/waypoints/1"},
		{`{"position":{"type":"Point","coordinates":[50.5,42]}}`, "", 422, "no_route", ""},
		{`{"position":{"type":"Point","coordinates":[-87.5,43]}}`, `,"draught":12`, 422, "no_route", ""},
	} {
		body := `{"source":` + row.source + `,"destination":` + skagen + row.more + `}`
		a := s.post(routePath+"/execute", body).is(t, row.status, row.code)
		errs, _ := a.json(t)["errors"].([]any)
		if row.pointer != "" && (len(errs) == 0 || errs[0].(map[string]any)["pointer"] != row.pointer) {
			t.Errorf("%s: %s, want the pointer %s", body, a.body, row.pointer)
		}
	}
	for _, body := range []string{`{"source":` + kattegat + `,"destination":` + skagen + `,"draught":-1}`,
		`{"source":{"ship":{"mmsi":219018765,"draught":-1}},"destination":` + skagen + `}`} {
		if errs := s.post(routePath, body).is(t, 400).json(t)["errors"].([]any); len(errs) != 1 {
			t.Errorf("%s has the errors %v", body, errs)
		}
	}
	if a := s.post(routePath, `{"source":`+kattegat+`,"destination":`+skagen+`,"avoid":["Styx"]}`).is(t, 400); !strings.Contains(string(a.body), "Suez") {
		t.Errorf("the known passages are not told: %s", a.body)
	}
	a := s.post(routePath+"/execute", `{"source":`+kattegat+`,"destination":{"position":{"type":"Point","coordinates":[-3.7,40.4]}}}`).is(t, 422, "no_route")
	if one := a.json(t); one["rule"] != "destination_on_land" || !strings.Contains(one["detail"].(string), "the destination lies more than 50 km") {
		t.Errorf("%s", a.body)
	}
	id := s.started(s.post(routePath, `{"source":{"position":{"type":"Point","coordinates":[50.5,42]}},"destination":`+skagen+`}`), 200)
	s.get(routePath+"/"+id).is(t, 422, "no_route")
	s.get(routePath+"/"+id).is(t, 404)
	s.get(routePath+"/0").is(t, 400)
	if left := s.server.jobs.Reassign("nobody", "else"); left["routes"] != 0 {
		t.Errorf("jobs are left: %v", left)
	}
}

// TestTracksThatAreRefused holds each error, and that it leaves nothing behind.
func TestTracksThatAreRefused(t *testing.T) {
	s := newSite(t)
	for _, m := range []ais.MMSI{nordic, 219000111, 219000112} {
		said := voyage(m, "TWIN")
		said.IMO, said.CallSign = 0, ""
		if m == nordic {
			said = voyage(m, "NORDIC HAV")
		}
		s.hear(noon(), said)
	}
	s.hear(noon(), position(nordic, 11.2, 56.6, 90, 0))
	s.hear(noon(), buoyAt(11.2, false))
	s.hear(noon(), stationAt(2194005, 10.6))
	s.settle()
	s.may("clerk", right.PCSAccess)
	nordicHav := `"source":{"ship":{"mmsi":219018765}}`
	long := strings.Repeat(`{"position":{"type":"Point","coordinates":[11.2,57]}},`, 101)
	for name, row := range map[string]struct {
		user, body string
		status     int
		code       string
	}{
		"unknown ship":           {"admin", `{"source":{"ship":{"mmsi":219777001}},"destination":` + skagen + `}`, 422, "ship_not_found"},
		"unknown ship, create":   {"clerk", `{"source":{"ship":{"name":"BARGE","create":true}},"destination":` + skagen + `}`, 403, "forbidden"},
		"created to nowhere":     {"admin", `{"source":{"ship":{"name":"BARGE","create":true}},"destination":{"port":"NOWHERE"}}`, 422, "port_not_found"},
		"created as what":        {"admin", `{"source":{"ship":{"name":"BARGE","create":"yes"}},"destination":` + skagen + `}`, 400, "bad_request"},
		"created out of bounds":  {"admin", `{"source":{"ship":{"name":"BARGE","create":true,"length":-1}},"destination":` + skagen + `}`, 400, "bad_request"},
		"several ships":          {"admin", `{"source":{"ship":{"name":"TWIN"}},"destination":` + skagen + `}`, 409, "ambiguous_ship"},
		"several ports":          {"admin", `{` + nordicHav + `,"destination":{"port":{"name":"Portland"}}}`, 409, "ambiguous_port"},
		"no position":            {"admin", `{` + nordicHav + `,"destination":{"ship":{"mmsi":219000111}}}`, 422, "no_position"},
		"a buoy":                 {"admin", `{"source":{"ship":{"mmsi":992191234}},"destination":` + skagen + `}`, 400, "bad_request"},
		"a base station":         {"admin", `{"source":{"ship":{"mmsi":2194005}},"destination":` + skagen + `}`, 400, "bad_request"},
		"itself":                 {"admin", `{` + nordicHav + `,"destination":{"ship":{"mmsi":219018765}}}`, 400, "bad_request"},
		"no way":                 {"admin", `{` + nordicHav + `,"destination":{"position":{"type":"Point","coordinates":[50.2,41.5]}}}`, 422, "no_route"},
		"on land":                {"admin", `{` + nordicHav + `,"destination":{"position":{"type":"Point","coordinates":[21,52]}}}`, 422, "no_route"},
		"too deep":               {"admin", `{"source":{"ship":{"mmsi":219018765},"draught":12},"destination":{"position":{"type":"Point","coordinates":[-87.5,43]}}}`, 422, "no_route"},
		"two ends at once":       {"admin", `{` + nordicHav + `,"destination":{"port":"DKAAR","position":{"type":"Point","coordinates":[11,57]}}}`, 400, "bad_request"},
		"no end":                 {"admin", `{` + nordicHav + `}`, 400, "bad_request"},
		"a location as source":   {"admin", `{"source":{"location":[{"type":"Point","coordinates":[11,57]}]},"destination":` + skagen + `}`, 400, "bad_request"},
		"an empty location":      {"admin", `{` + nordicHav + `,"destination":{"location":[]}}`, 400, "bad_request"},
		"four places":            {"admin", `{` + nordicHav + `,"destination":{"location":[1,2,3,4]}}`, 400, "bad_request"},
		"a line":                 {"admin", `{` + nordicHav + `,"destination":{"location":[{"type":"LineString","coordinates":[[11,57],[11,58]]}]}}`, 400, "bad_request"},
		"a waypoint on land":     {"admin", `{` + nordicHav + `,"destination":` + skagen + `,"waypoints":[{"position":{"type":"Point","coordinates":[21,52]}}]}`, 422, "no_route"},
		"too many waypoints":     {"admin", `{` + nordicHav + `,"destination":` + skagen + `,"waypoints":[` + strings.TrimSuffix(long, ",") + `]}`, 400, "bad_request"},
		"a draught of the moon":  {"admin", `{"source":{"ship":{"mmsi":219018765},"draught":384400},"destination":` + skagen + `}`, 400, "bad_request"},
		"more ERP than is taken": {"admin", `{` + nordicHav + `,"destination":` + skagen + `,"erp":"` + strings.Repeat("x", 1<<20) + `"}`, 400, "bad_request"},
		"bytes":                  {"admin", `{` + nordicHav + `,"destination":` + skagen + `,"erp":"` + "\xff" + `"}`, 400, "bad_request"},
	} {
		a := s.call(row.user, "POST", shipTrackPath, row.body)
		if a.status != row.status || a.json(t)["code"] != row.code {
			t.Errorf("%s: %s", name, a.text())
		}
		if list := recordsOf(t, s.get(shipTrackPath).is(t, 200)); len(list) != 0 || len(s.tracks.All()) != 0 {
			t.Errorf("%s leaves %v", name, list)
		}
		if list := recordsOf(t, s.get(registerPath).is(t, 200)); len(list) != 0 {
			t.Errorf("%s leaves %v in the register", name, list)
		}
	}
	for body, pointer := range map[string]string{
		`{` + nordicHav + `,"destination":{"position":{"type":"Point","coordinates":[21,52]}}}`:                                                   "/destination",
		`{` + nordicHav + `,"destination":` + skagen + `,"waypoints":[{"position":{"type":"Point","coordinates":[21,52]}}]}`:                      "/waypoints/0",
		`{"source":{"ship":{"mmsi":219000111}},"destination":{"port":"DKAAR"},"waypoints":[{"position":{"type":"Point","coordinates":[21,52]}}]}`: "/waypoints/0",
		`{"source":{"position":{"type":"Point","coordinates":[21,52]}},"destination":` + skagen + `}`:                                             "/source",
	} {
		if a := s.call("admin", "POST", shipTrackPath, body).is(t, 422, "no_route"); !strings.Contains(string(a.body), `"pointer":"`+pointer+`"`) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	for _, id := range []string{"1", "999999999999", "0", "x"} {
		status := 404
		if id == "0" || id == "x" {
			status = 400
		}
		s.get(shipTrackPath+"/"+id).is(t, status)
		s.call("admin", "PUT", shipTrackPath+"/"+id, `{"erp":{}}`).is(t, status)
		s.call("admin", "DELETE", shipTrackPath+"/"+id, "").is(t, status)
	}
}
