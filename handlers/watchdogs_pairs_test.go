package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/users/access/right"
)

// meet lets two ships sail towards each other at 12 knots on a parallel, five minutes from each other.
func (s *site) meet(west, east ais.MMSI, from time.Time) {
	s.hear(from, voyage(west, "NORDIC HAV"))
	s.hear(from, voyage(east, "TWIN"))
	for second := 0; second < 200; second += 10 {
		for m, course := range map[ais.MMSI]float64{west: 90, east: 270} {
			start := geo.Point{Lon: 10.33, Lat: 56.14}
			if m == east {
				start.Lon = 10.38
			}
			at := geo.Destination(start, course, 6.173*float64(second))
			s.hear(from.Add(time.Duration(second)*time.Second), position(m, at.Lon, at.Lat, 120, int(course*10)))
		}
	}
	s.watch.Save(false)
}

// TestAPairIsToldWithBothShips: an event of two ships names both, and a user that may not see one of them is not told of it.
func TestAPairIsToldWithBothShips(t *testing.T) {
	const twin = 211222333
	s := newSite(t)
	for _, name := range []string{"sees", "first", "second"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.watchdog("admin", `{"name":"Roads","type":"cpa","acl":["sees","first","second"],"severity":"alert","cpa":{`+roads+`}}`)
	s.setFilter("first", fmt.Sprintf(`{"expression":"mmsi = %d"}`, twin))
	s.setFilter("second", fmt.Sprintf(`{"expression":"mmsi = %d"}`, nordic))
	s.meet(nordic, twin, noon())
	records := s.call("sees", "GET", eventPath, "").is(t, 200).json(t)["records"].([]any)
	if len(records) != 1 {
		t.Fatalf("%v", records)
	}
	e := records[0].(map[string]any)
	ship, other := e["ship"].(map[string]any), e["other"].(map[string]any)
	if e["event"] != "cpa" || e["state"] != "active" || ship["mmsi"] != float64(twin) || other["mmsi"] != float64(nordic) || other["name"] != "NORDIC HAV" ||
		e["cpa"].(float64) > 10 || e["tcpa"].(float64) < 60 || e["tcpa"].(float64) > 250 || e["other_position"] == nil ||
		!strings.HasPrefix(e["message"].(string), "TWIN and NORDIC HAV will come as near as ") {
		t.Errorf("%v", e)
	}
	for _, name := range []string{"first", "second"} {
		if told := s.call(name, "GET", eventPath, "").events(t); len(told) != 0 {
			t.Errorf("%s is told of a ship that it may not see: %v", name, told)
		}
		s.call(name, "POST", eventPath+"/1/ack", "{}").is(t, 404)
	}
	s.call("sees", "POST", eventPath+"/1/ack", "{}").is(t, 200)
}

// TestPairsFields: what is wrong with a watchdog of pairs is named by its field, and what was read goes back.
func TestPairsFields(t *testing.T) {
	s := newSite(t)
	for body, pointer := range map[string]string{
		`{"name":"a","type":"cpa"}`:                                                            "/cpa",
		`{"name":"a","type":"cpa","cpa":7}`:                                                    "/cpa",
		`{"name":"a","type":"cpa","cpa":{}}`:                                                   "/cpa/polygon",
		`{"name":"a","type":"cpa",` + roads + `}`:                                              "/polygon",
		`{"name":"a","type":"polygon",` + roads + `,"cpa":{}}`:                                 "/cpa",
		`{"name":"a","type":"cpa","cpa":{"polygon":{"type":"Point","coordinates":[1,1]}}}`:     "/cpa/polygon",
		`{"name":"a","type":"cpa","cpa":{"polygon":{"type":"Polygon","coordinates":[[[1]]]}}}`: "/cpa/polygon",
		`{"name":"a","type":"cpa","cpa":{` + roads + `,"cpa_m":-1}}`:                           "/cpa/cpa_m",
		`{"name":"a","type":"cpa","cpa":{` + roads + `,"cpa_m":"near"}}`:                       "/cpa/cpa_m",
		`{"name":"a","type":"cpa","cpa":{` + roads + `,"tcpa_s":1}}`:                           "/cpa/tcpa_s",
		`{"name":"a","type":"cpa","cpa":{` + roads + `},"samples_between_trigger":2}`:          "/samples_between_trigger",
	} {
		a := s.post(definitionPath, body).is(t, 400)
		if !strings.Contains(string(a.body), `"pointer":"`+pointer) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	path := s.watchdog("admin", `{"name":"Roads","type":"cpa","cpa":{`+roads+`,"cpa_m":300}}`)
	one := s.get(path).is(t, 200)
	if read := one.json(t); read["time_between_triggers"] != 1800.0 || read["cpa"].(map[string]any)["cpa_m"] != 300.0 {
		t.Errorf("%v", read)
	}
	if back := s.call("admin", "PUT", path, string(one.body)).is(t, 200).json(t); back["cpa"].(map[string]any)["cpa_m"] != 300.0 {
		t.Errorf("what was read does not go back: %v", back)
	}
}
