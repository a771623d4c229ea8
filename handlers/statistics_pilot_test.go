package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// A pilot boat, and two areas that it serves ships in.
const (
	pilotOne   = ais.MMSI(219000710)
	westArea   = `{"type":"Polygon","coordinates":[[[10.2,56.1],[10.35,56.1],[10.35,56.2],[10.2,56.2],[10.2,56.1]]],"properties":{"label":"West"}}`
	eastArea   = `{"type":"Polygon","coordinates":[[[10.45,56.1],[10.6,56.1],[10.6,56.2],[10.45,56.2],[10.45,56.1]]]}`
	pilotShips = `"begin":"2026-11-20","end":"2026-11-20T12:00:00Z","a_team":[219000710],`
	twoAreas   = `"shapes":[` + westArea + `,` + eastArea + `],`
)

// piloted lets two ships sail east at 9 knots for 70 minutes. The launch is alongside each in the west and in the east, for five minutes.
func (s *site) piloted() {
	s.t.Helper()
	begin := noon().Add(-2 * time.Hour)
	s.heardBy(begin, voyage(nordic, "NORDIC HAV"), "roof")
	s.heardBy(begin, voyage(westerly, "WESTER"), "roof")
	boat := voyage(pilotOne, "PILOT ONE")
	boat.ShipType, boat.IMO, boat.Dimensions = 50, 0, ais.Dimensions{Bow: 8, Stern: 6, Port: 2, Starboard: 2}
	s.heardBy(begin, boat, "roof")
	for second := 0; second < 4200; second += 10 {
		at, way := begin.Add(time.Duration(second)*time.Second), float64(second)*7.456e-5
		s.heardBy(at, position(nordic, 10.25+way, 56.15, 90, 900), "roof")
		s.heardBy(at, position(westerly, 10.2+way, 56.12, 90, 900), "roof")
		lon, lat := launchAt(float64(second))
		s.heardBy(at, position(pilotOne, lon+way, lat, 90, 900), "roof")
	}
	s.settle()
}

// launchAt returns where the launch is some seconds after it began, as if the ships lay still.
func launchAt(second float64) (lon, lat float64) {
	way := [][3]float64{{0, 10.25, 56.17}, {600, 10.25, 56.15016}, {900, 10.25, 56.15016}, {1500, 10.2, 56.12016}, {1800, 10.2, 56.12016},
		{2900, 10.25, 56.15016}, {3200, 10.25, 56.15016}, {3800, 10.2, 56.12016}, {4100, 10.2, 56.12016}, {4200, 10.2, 56.13}}
	i := 1
	for way[i][0] < second {
		i++
	}
	share := (second - way[i-1][0]) / (way[i][0] - way[i-1][0])
	return way[i-1][1] + share*(way[i][1]-way[i-1][1]), way[i-1][2] + share*(way[i][2]-way[i-1][2])
}

// TestTransitPilot: what ships took a pilot from area to area, in the words of the interface.
func TestTransitPilot(t *testing.T) {
	s := newSite(t)
	s.piloted()
	const first = `{"ship":{"mmsi":219018765,"imo":9321483,"name":"NORDIC HAV","callsign":"OWKN2","draught":7.4,"width":22,"length":134,"destination":"DKAAR","type":"Cargo","cog":90,"sog":9,"timestamp":"2026-11-20T10:09:50Z"},` +
		`"pilot":[{"index":0,"label":"West","position":{"type":"Point","coordinates":[10.29399,56.15049]},"ship":{"mmsi":219000710},"timestamp":"2026-11-20T10:09:50Z"},` +
		`{"index":1,"position":{"type":"Point","coordinates":[10.463823,56.149613]},"ship":{"mmsi":219000710},"timestamp":"2026-11-20T10:48:00Z"}]}`
	_, found := s.foundOf("admin", "pilot", pilotShips+twoAreas+`"intervals":["01:00:00"]`)
	if len(found) != 2 || !sameJSON(t, found[0], first) {
		t.Errorf("%s\nwant\n%s", strings.Join(found, "\n"), first)
	}
	for ask, want := range map[string]int{
		`"intervals":["00:38:00"]`: 0, `"intervals":["00:38:20"]`: 2, `"intervals":["00:38:15"]`: 1,
		`"intervals":[0,"01:00:00",null,""]`: 2, `"intervals":[["01:00:00",0],["01:00:00","01:00:00"]]`: 0,
		`"intervals":[["00:00:00","01:00:00"],[0,0]],"b_team":[219000700]`: 1,
		`"intervals":["01:00:00"],"filter":"name = WESTER"`:                1,
		`"intervals":["01:00:00"],"filter":"type = tanker"`:                0,
	} {
		if _, found := s.foundOf("admin", "transitpilot", pilotShips+twoAreas+ask); len(found) != want {
			t.Errorf("%s: %d of %d: %s", ask, len(found), want, found)
		}
	}
	s.post(configPath+"/shape", `{"name":"west","polygon":`+westArea+`}`).is(t, 200)
	_, found = s.foundOf("admin", "transitpilot", pilotShips+`"shapes":[{"shape_id":"west","properties":{"label":"Saved"}},`+eastArea+`],"intervals":["01:00:00"]`)
	if len(found) != 2 || !strings.Contains(found[0], `"label":"Saved"`) {
		t.Errorf("%s", found)
	}
}

// TestWrongDefinitionsOfPilots: each wrong field is named, with the place in it.
func TestWrongDefinitionsOfPilots(t *testing.T) {
	s := newSite(t)
	const hours = `"intervals":["04:00:00"],`
	for ask, pointer := range map[string]string{
		`transitpilot ` + hours + `"a_team":[219000710]`:                                                 "/shapes",
		`transitpilot "shapes":[` + westArea + `],` + hours + `"a_team":[219000710]`:                     "/shapes",
		`transitpilot "shapes":[` + westArea + `,{"type":"Point"}],` + hours + `"a_team":[219000710]`:    "/shapes/1/coordinates",
		`transitpilot "shapes":[` + westArea + `,7],` + hours + `"a_team":[219000710]`:                   "/shapes/1",
		`transitpilot "shapes":[` + westArea + `,{"shape_id":"none"}],` + hours + `"a_team":[219000710]`: "/shapes/1/shape_id",
		`transitpilot ` + twoAreas + hours + `"a_team":[]`:                                               "/a_team",
		`transitpilot ` + twoAreas + hours + `"b_team":[1]`:                                              "/a_team",
		`transitpilot ` + twoAreas + hours + `"a_team":[219000710],"b_team":["x"]`:                       "/b_team/0",
		`transitpilot ` + twoAreas + `"a_team":[219000710]`:                                              "/intervals",
		`transitpilot ` + twoAreas + `"intervals":[],"a_team":[219000710]`:                               "/intervals",
		`transitpilot ` + twoAreas + `"intervals":["04:00:00","04:00:00"],"a_team":[219000710]`:          "/intervals",
		`transitpilot ` + twoAreas + `"intervals":["four hours"],"a_team":[219000710]`:                   "/intervals/0",
		`transitpilot ` + twoAreas + `"intervals":[["04:00:00"],["04:00:00"]],"a_team":[219000710]`:      "/intervals/0",
		`transitpilot ` + twoAreas + `"intervals":[["04:00:00",0],[0,true]],"a_team":[219000710]`:        "/intervals/1/1",
		`transitpilot ` + twoAreas + `"intervals":[["04:00:00",0],0,0],"a_team":[219000710]`:             "/intervals",
	} {
		kind, body, _ := strings.Cut(ask, " ")
		a := s.post(statPath+"/"+kind, `{`+morning+body+`}`).is(t, 400)
		if got := a.json(t)["errors"].([]any)[0].(map[string]any)["pointer"]; got != pointer {
			t.Errorf("%s: at %v, want %s", ask, got, pointer)
		}
	}
}

// TestAHiddenShipIsInNoPilotage: a reader has no record of a ship, or of a launch, that is hidden from it, and none without view_history.
func TestAHiddenShipIsInNoPilotage(t *testing.T) {
	s := newSite(t)
	s.piloted()
	s.addUser("anna", access.GroupAdmin)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewHistory, false)
	ask := pilotShips + twoAreas + `"intervals":["01:00:00"]`
	id, all := s.foundOf("admin", "transitpilot", ask)
	for filter, want := range map[string]int{
		`{"expression":null}`: 2, `{"expression":"mmsi != 219000700"}`: 1, `{"expression":"mmsi != 219000710"}`: 0,
		`{"expression":null,"delay":86400}`: 0, `{"psss":["pier"]}`: 0,
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":null,"delay":null,"psss":null}}`).is(t, 200)
		s.setFilter("anna", filter)
		if seen := s.resultOf("anna", "transitpilot", id); len(seen) != want || len(all) != 2 || want < 2 && strings.Contains(fmt.Sprint(seen), "WESTER") {
			t.Errorf("%s: %s", filter, seen)
		}
	}
	s.call("clerk", "POST", statPath+"/transitpilot", `{`+ask+`}`).is(t, 403)
	s.call("clerk", "GET", statPath+"/transitpilot/result"+id, "").is(t, 403)
}
