package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	bothPorts  = `"shape":{"type":"Polygon","coordinates":[[[10.1,56],[10.8,56],[10.8,56.3],[10.1,56.3],[10.1,56]]]}`
	aarhusOnly = `"shape":{"type":"Polygon","coordinates":[[[10.1,56],[10.4,56],[10.4,56.3],[10.1,56.3],[10.1,56]]]}`
	tripDays   = `"begin":"2026-11-20","end":"2026-11-22",`
)

// leavesAarhus lets a ship call at Aarhus and leave it for the east, where it is not heard any more. It returns when it left, and the time at the end.
func (s *site) leavesAarhus(m ais.MMSI, name string, from time.Time) (atd, now time.Time) {
	s.t.Helper()
	s.heardBy(from, voyage(m, name), "roof")
	atd = s.lying(m, s.coming(m, from, aarhus, false, "roof"), aarhus, 40, "roof")
	s.save(atd)
	now = s.coming(m, atd, aarhus, true, "roof")
	for range 5 {
		p := geo.Destination(aarhus, 90, 9000)
		s.heardBy(now, position(m, p.Lon, p.Lat, 100, 900), "roof")
		now = now.Add(time.Minute)
	}
	s.settle()
	s.save(now)
	return atd, now
}

// TestTripStatistics: trips have what the trips of a ship have, between the ports in a shape or of the ships of a team.
func TestTripStatistics(t *testing.T) {
	s := newCalls(t)
	_, atd, next := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	left, _ := s.leavesAarhus(westerly, "WESTER", next.Add(time.Hour))
	id, found := s.tripStat(tripDays + bothPorts)
	if len(found) != 2 {
		t.Fatalf("%v", found)
	}
	whole, open := found[1], found[0]
	end := func(of map[string]any, key string) map[string]any { return of[key].(map[string]any) }
	near(t, "atd", end(whole, "from")["atd"], atd)
	near(t, "ata", end(whole, "to")["ata"], next)
	near(t, "atd of the open trip", end(open, "from")["atd"], left)
	if open["to"] != nil || open["duration"] != nil || open["distance"] != nil || open["name"] != "WESTER" || end(open, "ship")["mmsi"] != 219000700.0 {
		t.Errorf("%v", open)
	}
	asked := s.tripsOf("admin", ofNordic)[0]
	for _, key := range []string{"id", "distance", "duration", "avg_sog", "max_sog", "gap"} {
		if whole[key] == nil || whole[key] != asked[key] {
			t.Errorf("%s is %v, of the ship %v", key, whole[key], asked[key])
		}
	}
	if later := recordsOf(t, s.get(statPath+"/trip/result"+id+"?release=134").is(t, 200)); later[0]["mmsi"] != nil || later[0]["ship"] == nil {
		t.Errorf("%v", later)
	}
	for ask, want := range map[string]string{
		tripDays + aarhusOnly: "219000700", tripDays + aarhusOnly + `,"a_team":[219018765]`: "219018765", tripDays + bothPorts + `,"a_team":[219000999]`: "",
		tripDays + bothPorts + `,"filter":"name = WESTER"`: "219000700", `"begin":"2026-11-18","end":"2026-11-19",` + bothPorts: "",
		`"begin":"` + next.UTC().Add(-time.Minute).Format(time.RFC3339) + `","end":"2026-11-22",` + bothPorts:   "219000700 219018765",
		`"begin":"` + next.UTC().Add(10*time.Minute).Format(time.RFC3339) + `","end":"2026-11-22",` + bothPorts: "219000700",
		`"begin":"2026-11-20","end":"` + atd.UTC().Add(-10*time.Minute).Format(time.RFC3339) + `",` + bothPorts: "",
		`"begin":"2026-11-20","end":"` + atd.UTC().Add(10*time.Minute).Format(time.RFC3339) + `",` + bothPorts:  "219018765",
	} {
		if _, found := s.tripStat(ask); numbersOf(found) != want {
			t.Errorf("%s: %s, want %s", ask, numbersOf(found), want)
		}
	}
}

// tripStat runs a statistic of trips.
func (s *site) tripStat(ask string) (id string, found []map[string]any) {
	s.t.Helper()
	id = s.statistic("admin", "trip", `{`+ask+`}`)
	if now := s.ran(id); now["status"] != "completed" {
		s.t.Fatalf("%s: %v", ask, now)
	}
	return id, recordsOf(s.t, s.get(statPath+"/trip/result"+id).is(s.t, 200))
}

// TestWhatIsToldOfTrips: no times without view_ata_atd, no hidden ship, and no end of a trip before the reader is told of it.
func TestWhatIsToldOfTrips(t *testing.T) {
	s := newCalls(t)
	_, _, next := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	_, now := s.leavesAarhus(westerly, "WESTER", next.Add(time.Hour))
	id, _ := s.tripStat(tripDays + bothPorts)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	s.addUser("anna", access.GroupAdmin)
	s.clock.pass(now.Sub(noon()) + time.Hour)
	s.tick(now.Add(time.Hour))
	a := s.call("clerk", "GET", statPath+"/trip/result"+id, "").is(t, 200)
	if _, list, _ := strings.Cut(string(a.body), `"records"`); !strings.Contains(list, "219018765") || strings.Contains(list, "2026-") || strings.Contains(list, "duration") || strings.Contains(list, `"id":1`) && strings.Contains(list, "avg_sog") {
		t.Errorf("%s", a.body)
	}
	s.call("clerk", "POST", statPath+"/trip", `{"begin":"2026-11-20T07:00:00Z","end":"2026-11-20T07:05:00Z",`+bothPorts+`}`).is(t, 403)
	s.call("clerk", "POST", statPath+"/trip", `{`+tripDays+bothPorts+`}`).is(t, 200)
	seen := func() []map[string]any {
		return recordsOf(t, s.call("anna", "GET", statPath+"/trip/result"+id, "").is(t, 200))
	}
	late := now.Add(time.Hour).Sub(next) + 10*time.Minute
	for _, row := range []struct{ filter, want string }{
		{`{"expression":null}`, "219000700 219018765"}, {`{"expression":"mmsi = 219018765"}`, "219018765"}, {`{"psss":["pier"]}`, ""}, {`{"expression":"mmsi = 1"}`, ""},
		{`{"delay":86400}`, ""},
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":null,"psss":null,"delay":null}}`).is(t, 200)
		s.setFilter("anna", row.filter)
		if got := numbersOf(seen()); got != row.want {
			t.Errorf("%s: %s, want %s", row.filter, got, row.want)
		}
	}
	s.setFilter("anna", fmt.Sprintf(`{"delay":%.0f}`, late.Seconds()))
	if got := seen(); len(got) != 1 || got[0]["to"] != nil || got[0]["from"] == nil {
		t.Errorf("before the arrival is told: %v", got)
	}
	s.allowAllBut("clerk", right.ViewHistory, false)
	s.call("clerk", "GET", statPath+"/trip/result"+id, "").is(t, 403)
}

// TestWrongDefinitionsOfTrips: trips and outings need a shape, also with a team.
func TestWrongDefinitionsOfTrips(t *testing.T) {
	s := newSite(t)
	for _, kind := range []string{"trip", "pilotboat"} {
		for ask, pointer := range map[string]string{
			`"a_team":[219000710]`: "/shape", `"shape":7`: "/shape", `"shape":{"type":"Point","coordinates":[10,56]},"a_team":[219000710]`: "/shape/type",
			bothPorts + `,"a_team":[]`: "/a_team", bothPorts + `,"a_team":[219000710,-1]`: "/a_team/1", `"shape":{"shape_id":"none"}`: "/shape/shape_id",
		} {
			a := s.post(statPath+"/"+kind, `{`+tripDays+ask+`}`).is(t, 400)
			if got := a.json(t)["errors"].([]any)[0].(map[string]any)["pointer"]; got != pointer {
				t.Errorf("%s %s: at %v, want %s", kind, ask, got, pointer)
			}
		}
	}
}

// outing lets the launch lie at Aarhus, serve a ship 8 km off it, and come back. It returns when it left, when it was alongside, when it was back, and the time
// at the end.
func (s *site) outing(from time.Time) (atd, served, ata, now time.Time) {
	s.t.Helper()
	boat := voyage(pilotOne, "PILOT ONE")
	boat.ShipType, boat.IMO, boat.Dimensions = 50, 0, ais.Dimensions{Bow: 8, Stern: 6, Port: 2, Starboard: 2}
	s.heardBy(from, boat, "roof")
	s.heardBy(from, voyage(nordic, "NORDIC HAV"), "roof")
	atd = s.lying(pilotOne, s.coming(pilotOne, from, aarhus, false, "roof"), aarhus, 40, "roof")
	s.save(atd)
	served = s.coming(pilotOne, atd, aarhus, true, "roof")
	for second := 0; second < 600; second += 10 {
		at := served.Add(time.Duration(second) * time.Second)
		p := geo.Destination(aarhus, 90, 8030+4.63*float64(second))
		s.heardBy(at, position(nordic, p.Lon, p.Lat, 90, 900), "roof")
		knots := 90
		if second > 300 {
			p, knots = geo.Destination(aarhus, 90, 8030+4.63*300), 0
		}
		s.heardBy(at, position(pilotOne, p.Lon, p.Lat+0.00016, knots, 900), "roof")
	}
	s.save(served.Add(10 * time.Minute))
	ata = s.coming(pilotOne, served.Add(12*time.Minute), aarhus, false, "roof")
	now = s.lying(pilotOne, ata, aarhus, 40, "roof")
	s.settle()
	s.save(now)
	return atd, served, ata, now
}

// outings runs a statistic of outings.
func (s *site) outings(ask string) (id string, found []map[string]any) {
	s.t.Helper()
	id = s.statistic("admin", "pilotboat", `{`+ask+`}`)
	if now := s.ran(id); now["status"] != "completed" {
		s.t.Fatalf("%s: %v", ask, now)
	}
	return id, recordsOf(s.t, s.get(statPath+"/pilotboat/result"+id).is(s.t, 200))
}

// TestOutingsOfPilotBoats: an outing has its port, its times and what the boat did.
func TestOutingsOfPilotBoats(t *testing.T) {
	s := newCalls(t)
	atd, served, ata, _ := s.outing(noon().Add(-5 * time.Hour))
	_, found := s.outings(tripDays + aarhusOnly)
	if len(found) != 1 || found[0]["mmsi"] != 219000710.0 || found[0]["port"].(map[string]any)["locode"] != "DKAAR" || found[0]["to"] != nil {
		t.Fatalf("%v", found)
	}
	near(t, "atd", found[0]["atd"], atd)
	near(t, "ata", found[0]["ata"], ata)
	done := found[0]["operations"].([]any)
	one := done[0].(map[string]any)
	near(t, "transfer", one["timestamp"], served)
	if ship := one["ship"].(map[string]any); len(done) != 1 || ship["name"] != "NORDIC HAV" || ship["mmsi"] != 219018765.0 || one["kind"] != "board" || one["position"] == nil {
		t.Errorf("%v", done)
	}
	before := served.Add(-10 * time.Minute).UTC().Format(time.RFC3339)
	for ask, want := range map[string]string{
		tripDays + bothPorts + `,"a_team":[219000710]`: "219000710", tripDays + bothPorts + `,"a_team":[219018765]`: "",
		tripDays + `"shape":{"type":"Polygon","coordinates":[[[10.5,56],[10.7,56],[10.7,56.3],[10.5,56.3],[10.5,56]]]}`:                      "",
		tripDays + `"shape":{"type":"Polygon","coordinates":[[[10.5,56],[10.7,56],[10.7,56.3],[10.5,56.3],[10.5,56]]]},"a_team":[219000710]`: "219000710",
		tripDays + aarhusOnly + `,"filter":"type = tanker"`:                                                                                  "", tripDays + aarhusOnly + `,"filter":"name = \"NORDIC HAV\""`: "219000710",
		`"begin":"2026-11-20","end":"` + before + `",` + aarhusOnly: "", `"begin":"` + before + `","end":"2026-11-22",` + aarhusOnly: "219000710",
	} {
		if _, found := s.outings(ask); numbersOf(found) != want {
			t.Errorf("%s: %s, want %s", ask, numbersOf(found), want)
		}
	}
}

// TestWhatIsToldOfOutings: no times of calls without view_ata_atd, no hidden ship and no hidden boat.
func TestWhatIsToldOfOutings(t *testing.T) {
	s := newCalls(t)
	_, _, _, now := s.outing(noon().Add(-5 * time.Hour))
	id, _ := s.outings(tripDays + aarhusOnly)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	s.addUser("anna", access.GroupAdmin)
	s.clock.pass(now.Sub(noon()) + time.Hour)
	s.tick(now.Add(time.Hour))
	one := recordsOf(t, s.call("clerk", "GET", statPath+"/pilotboat/result"+id, "").is(t, 200))[0]
	if one["atd"] != nil || one["ata"] != nil || one["port"] == nil || one["operations"] == nil {
		t.Errorf("%v", one)
	}
	s.call("clerk", "POST", statPath+"/pilotboat", `{"begin":"2026-11-20T07:00:00Z","end":"2026-11-20T07:05:00Z",`+aarhusOnly+`}`).is(t, 403)
	for _, row := range []struct{ filter, want string }{
		{`{"expression":null}`, "219000710"}, {`{"expression":"mmsi = 219018765"}`, ""}, {`{"expression":"mmsi = 219000710"}`, ""}, {`{"psss":["pier"]}`, ""},
		{`{"delay":86400}`, ""},
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":null,"psss":null,"delay":null}}`).is(t, 200)
		s.setFilter("anna", row.filter)
		if got := numbersOf(recordsOf(t, s.call("anna", "GET", statPath+"/pilotboat/result"+id, "").is(t, 200))); got != row.want {
			t.Errorf("%s: %s, want %s", row.filter, got, row.want)
		}
	}
	s.allowAllBut("clerk", right.ViewHistory, false)
	s.call("clerk", "GET", statPath+"/pilotboat/result"+id, "").is(t, 403)
}
