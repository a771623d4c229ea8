package handlers

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	morning   = `"begin":"2026-11-20","end":"2026-11-20T12:00:00Z",`
	westLine  = `{"type":"LineString","coordinates":[[10.2,56.1],[10.2,56.2]]}`
	midLine   = `{"type":"LineString","coordinates":[[10.3,56.1],[10.3,56.2]]}`
	cargoShip = `{"mmsi":219018765,"name":"NORDIC HAV","length":134,"width":21,"type":"Cargo"`
)

// sailsBy gives two ships a past: each sails east through the harbour at 10 knots, the first from 08:00 and the second from 10:00, with a report a minute.
func (s *site) sailsBy() {
	s.t.Helper()
	for i, name := range []string{"NORDIC HAV", "SECOND"} {
		var track ship.Track
		begin := noon().Add(time.Duration(2*i-4) * time.Hour)
		for n := range 81 {
			track = append(track, ship.Fix{At: begin.Add(time.Duration(n) * time.Minute).UnixMilli(), Lon: 6_061_500 + int32(n)*3000, Lat: 33_690_000,
				SOG: ais.SOGTenths(100), COG: ais.COGTenths(900)})
		}
		static := ship.Static{Name: name, Type: 70, Dimensions: ais.Dimensions{Bow: 100, Stern: 34, Port: 11, Starboard: 10}, At: track[0].At}
		m := []ais.MMSI{nordic, 219000700}[i]
		if _, err := s.db.ImportTracks([]store.Imported{{MMSI: m, Class: ship.ClassA, Fixes: track, Said: []store.Said{{Static: &static}}}}); err != nil {
			s.t.Fatal(err)
		}
		s.hear(noon(), position(m, 10.6, 56.15, 100, 900))
	}
	s.settle()
}

// foundOf runs a statistic and returns its records, of release 134, as they are written.
func (s *site) foundOf(user, kind, ask string) (id string, found []string) {
	s.t.Helper()
	id = s.statistic(user, kind, `{`+ask+`}`)
	if now := s.ran(id); now["status"] != "completed" {
		s.t.Fatalf("%s: %v", ask, now)
	}
	return id, s.resultOf(user, kind, id)
}

func (s *site) resultOf(user, kind, id string) (found []string) {
	s.t.Helper()
	var answer struct{ Records []json.RawMessage }
	if err := json.Unmarshal(s.call(user, "GET", statPath+"/"+kind+"/result"+id+"?release=134", "").is(s.t, 200).body, &answer); err != nil {
		s.t.Fatal(err)
	}
	for _, one := range answer.Records {
		found = append(found, string(one))
	}
	return found
}

// sameJSON reports whether two texts say the same.
func sameJSON(t *testing.T, got, want string) bool {
	t.Helper()
	var a, b any
	if err := json.Unmarshal([]byte(want), &b); err != nil {
		t.Fatalf("%v: %s", err, want)
	}
	return json.Unmarshal([]byte(got), &a) == nil && fmt.Sprint(a) == fmt.Sprint(b)
}

// TestStatisticsOfPlaces: areas, passages and speeds of a small past have exactly these records.
func TestStatisticsOfPlaces(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.post(configPath+"/shiplist", `{"name":"cargo ships","ships":[{"name":"NORDIC HAV"}]}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"port","polygon":`+harbour+`}`).is(t, 200)
	moving := func(at string) string { return cargoShip + `,"cog":90,"sog":10,"timestamp":"` + at + `"}` }
	visit := `{"time_in":"2026-11-20T08:19:30Z","time_out":"2026-11-20T08:59:30Z","position":{"type":"Point","coordinates":[10.2,56.15]},"ship":` + moving("2026-11-20T08:19:30Z") + `}`
	grouped := `{"period":"P","times_in":["2026-11-20T08:19:30Z"],"times_out":["2026-11-20T08:59:30Z"],"times_inside":["00:40:00"],"time_inside":"00:40:00","distance":12430.2,"ship":` + cargoShip + `}}`
	passage := `{"direction":"E","direction_flag":true,"position":{"type":"Point","coordinates":[10.3,56.15]},"timestamp":"2026-11-20T08:39:30Z","distance":5567.2,"ship":` + moving("2026-11-20T08:39:30Z") + `}`
	chain := `{"direction_index":0,"direction":"E","time_first":"2026-11-20T08:19:30Z","time_last":"2026-11-20T08:39:30Z","duration":"00:20:00","ship":` + moving("2026-11-20T08:19:30Z") + `}`
	back := strings.Replace(chain, `"direction_index":0`, `"direction_index":1`, 1)
	early := `"begin":"2026-11-20","end":"2026-11-20T08:30:00Z",`
	zeros := strings.Repeat("0,", 20)
	static, day := `{"result_id":-1,"ship":`+cargoShip+`}}`, `{"result_id":0,"ship":{"mmsi":219018765},"day":"2026-11-20","sogs":[`+zeros+`N],"gap_seconds":G}`
	only := `,"filter":"mmsi = 219018765"`
	for _, row := range []struct {
		kind, ask string
		want      []string
	}{
		{"area", morning + `"shape":` + harbour + only, []string{visit}},
		{"area", morning + `"shape":{"shape_id":"port"},"shiplist":"cargo ships"`, []string{visit}},
		{"area", morning + `"shape":` + harbour + `,"group_by":"shiplist","shiplist":"cargo ships"`, []string{strings.Replace(grouped, `"P"`, `"2026-11-20"`, 1)}},
		{"area", morning + `"shape":` + harbour + `,"group_by":"shiplist","interval":"quarter","shiplist":"cargo ships"`, []string{strings.Replace(grouped, `"P"`, `"2026-Q4"`, 1)}},
		{"passageline", morning + `"passageline":` + midLine + only, []string{passage}},
		{"multipassageline", early + `"passagelines":[` + westLine + `,` + midLine + `]`, []string{chain}},
		{"multipassageline", early + `"passagelines":[` + westLine + `,` + midLine + `],"max_duration":"000:05:00"`, nil},
		{"multipassageline", early + `"passagelines":[` + midLine + `,` + westLine + `]`, nil},
		{"multipassageline", early + `"passagelines":[` + midLine + `,` + westLine + `],"both_directions":true`, []string{back}},
		{"sogdist", `"begin":"2026-11-20","end":"2026-11-20T09:30:00Z","mmsi":[219018765]`, []string{static, sped(day, 4800, 0)}},
		{"sogdist", `"begin":"2026-11-20","end":"2026-11-20T09:20:00Z","shiplist":"cargo ships","polygon":` + harbour, []string{static, sped(day, 2400, 0)}},
	} {
		id, found := s.foundOf("admin", row.kind, row.ask)
		if !slices.EqualFunc(found, row.want, func(a, b string) bool { return sameJSON(t, a, b) }) {
			t.Errorf("%s %s:\n%s\nwant\n%s\n%v", row.kind, row.ask, strings.Join(found, "\n"), strings.Join(row.want, "\n"), s.statusOf("admin", id)["warnings"])
		}
	}
}

// sped puts the seconds of the highest index and of the gap into a day.
func sped(day string, seconds, gap int) string {
	return strings.NewReplacer("N", fmt.Sprint(seconds), "G", fmt.Sprint(gap)).Replace(day)
}

// TestTracksOfStatistics: a visit has its track from border to border, a passage that of a quarter of an hour before and after it.
func TestTracksOfStatistics(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	for _, row := range []struct {
		kind, ask, first, last string
		count                  int
	}{
		{"area", `"shape":` + harbour, "2026-11-20T08:19:30Z", "2026-11-20T08:59:30Z", 42},
		{"passageline", `"passageline":` + midLine, "2026-11-20T08:25:00Z", "2026-11-20T08:54:00Z", 30},
		{"multipassageline", `"passagelines":[` + westLine + `,` + midLine + `]`, "2026-11-20T08:05:00Z", "2026-11-20T08:54:00Z", 50},
	} {
		_, found := s.foundOf("admin", row.kind, morning+`"tracks":true,"filter":"mmsi = 219018765",`+row.ask)
		var one struct {
			Track struct {
				Extensions  []string
				Coordinates [][]any
			}
		}
		if len(found) != 1 || json.Unmarshal([]byte(found[0]), &one) != nil {
			t.Fatalf("%s: %s", row.kind, found)
		}
		if all := one.Track.Coordinates; len(all) != row.count || all[0][2] != row.first || all[len(all)-1][2] != row.last {
			t.Errorf("%s: %d: %v", row.kind, len(all), all)
		}
	}
}

// TestTracksOfStatisticsNeedTheirRights: to ask for them, and to have them of what others asked; the records need view_history alone.
func TestTracksOfStatisticsNeedTheirRights(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.may("anna", right.ViewHistory, right.AdminReports)
	s.may("bert", right.ViewHistory, right.AdminReports, right.ViewHistoricalTracks)
	s.may("carl", right.ViewHistory, right.AdminReports, right.ViewHistoricalTracks, right.DownloadHistoricalTracks)
	for kind, ask := range map[string]string{
		"area": `"shape":` + harbour, "passageline": `"passageline":` + midLine, "multipassageline": `"passagelines":[` + westLine + `,` + midLine + `]`,
	} {
		body := func(tracks string) string {
			return `{` + morning + `"tracks":` + tracks + `,"filter":"mmsi = 219018765",` + ask + `}`
		}
		id := s.statistic("carl", kind, body("true"))
		s.ran(id)
		for user, missing := range map[string]right.Name{"anna": right.ViewHistoricalTracks, "bert": right.DownloadHistoricalTracks, "carl": ""} {
			s.call(user, "POST", statPath+"/"+kind, body("false")).is(t, 200)
			if missing != "" {
				if a := s.call(user, "POST", statPath+"/"+kind, body("true")).is(t, 403); !strings.Contains(string(a.body), string(missing)) {
					t.Errorf("%s: %s", kind, a.body)
				}
			}
			for _, format := range []string{"json", "geojson"} {
				a := s.call(user, "GET", statPath+"/"+kind+"/result"+id+"?format="+format, "").is(t, 200)
				if !strings.Contains(string(a.body), "219018765") || strings.Contains(string(a.body), `"track"`) != (missing == "") {
					t.Errorf("%s as %s for %s: %s", kind, format, user, a.body)
				}
			}
		}
	}
}

// TestAHiddenShipIsInNoStatisticOfPlaces: whoever asked, a reader has no record of a ship that is hidden from it, and none without view_history.
func TestAHiddenShipIsInNoStatisticOfPlaces(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewHistory, false)
	for kind, ask := range map[string]string{
		"area": `"shape":` + harbour, "passageline": `"passageline":` + midLine, "multipassageline": `"passagelines":[` + westLine + `,` + midLine + `]`,
		"sogdist": `"mmsi":[219018765,219000700]`,
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":null,"delay":null}}`).is(t, 200)
		id, all := s.foundOf("admin", kind, morning+`"tracks":true,`+ask)
		if seen := s.resultOf("anna", kind, id); len(all) < 2 || len(seen) != len(all) {
			t.Errorf("%s: %s and %s", kind, all, seen)
		}
		s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
		seen := s.resultOf("anna", kind, id)
		if 2*len(seen) != len(all) || strings.Contains(strings.Join(seen, ""), "219018765") {
			t.Errorf("%s: %s", kind, seen)
		}
		s.setFilter("anna", `{"expression":null,"delay":86400}`)
		if seen := s.resultOf("anna", kind, id); len(seen) > 0 {
			t.Errorf("%s: told too early: %s", kind, seen)
		}
		s.call("clerk", "POST", statPath+"/"+kind, `{`+morning+ask+`}`).is(t, 403)
		s.call("clerk", "GET", statPath+"/"+kind+"/result"+id, "").is(t, 403)
	}
}

// TestWrongDefinitionsOfPlaces: each wrong field is named, with the place in it.
func TestWrongDefinitionsOfPlaces(t *testing.T) {
	s := newSite(t)
	const open = `{"type":"Polygon","coordinates":[[[10.2,56.1],[10.4,56.1],[10.4,56.2],[10.2,56.2]]]}`
	const aPoint = `{"type":"LineString","coordinates":[[10.2,56.1]]}`
	many := `{"type":"LineString","coordinates":[` + strings.Repeat("[10.2,56.1],[10.3,56.1],", 50_000) + `[10.2,56.1]]}`
	more := `{"type":"LineString","coordinates":[` + strings.Repeat("[10.2,56.1],[10.3,56.1],", 10_000) + `[10.2,56.1]]}`
	some := `{"type":"LineString","coordinates":[` + strings.Repeat("[10.2,56.1],[10.3,56.1],", 600) + `[10.2,56.1]]}`
	for ask, pointer := range map[string]string{
		`area "x":1`:                                                                             "/shape",
		`area "shape":` + open:                                                                   "/shape/coordinates/0/3",
		`area "shape":{"shape_id":"none"}`:                                                       "/shape/shape_id",
		`area "shape":` + harbour + `,"group_by":"ship"`:                                         "/group_by",
		`area "shape":` + harbour + `,"group_by":"shiplist"`:                                     "/shiplist",
		`area "shape":` + harbour + `,"group_by":"shiplist","shiplist":"none"`:                   "/shiplist",
		`area "shape":` + harbour + `,"interval":"hour"`:                                         "/interval",
		`passageline "x":1`:                                                                      "/passageline",
		`passageline "passageline":` + aPoint:                                                    "/passageline/coordinates",
		`passageline "passageline":` + harbour:                                                   "/passageline/type",
		`passageline "passageline":` + many:                                                      "",
		`passageline "passageline":` + some:                                                      "/passageline/coordinates",
		`passageline "passageline":` + more:                                                      "/passageline/coordinates",
		`passageline "passageline":{"type":"LineString","coordinates":[[NaN,56.1]]}`:             "",
		`multipassageline "x":1`:                                                                 "/passagelines",
		`multipassageline "passagelines":[]`:                                                     "/passagelines",
		`multipassageline "passagelines":[` + midLine + `]`:                                      "/passagelines",
		`multipassageline "passagelines":[` + midLine + `,` + aPoint + `]`:                       "/passagelines/1/coordinates",
		`multipassageline "passagelines":[` + midLine + `,` + westLine + `],"max_duration":"24"`: "/max_duration",
		`multipassageline "passagelines":[` + midLine + `,` + westLine + `],"both_directions":1`: "/both_directions",
		`sogdist "x":1`:                         "",
		`sogdist "mmsi":[1],"shiplist":"x"`:     "",
		`sogdist "shiplist":"none"`:             "/shiplist",
		`sogdist "mmsi":[219018765,"x"]`:        "/mmsi/1",
		`sogdist "mmsi":[1],"sog_threshold":-1`: "/sog_threshold",
		`sogdist "mmsi":[1],"polygon":` + open:  "/polygon/coordinates/0/3",
		`sogdist "mmsi":[1],"shape":` + open:    "/shape/coordinates/0/3",
	} {
		kind, fields, _ := strings.Cut(ask, " ")
		a := s.post(statPath+"/"+kind, `{"begin":"2026-11-19","end":"2026-11-20",`+fields+`}`).is(t, 400)
		if got := a.json(t)["errors"].([]any)[0].(map[string]any)["pointer"]; got != pointer {
			t.Errorf("%.200s: at %v, want %s: %.300s", ask, got, pointer, a.body)
		}
	}
	for _, kind := range []string{"area", "passageline", "multipassageline", "sogdist"} {
		a := s.post(statPath+"/"+kind, `{"begin":"2026-11-21","end":"2026-11-20"}`).is(t, 400)
		if !strings.Contains(string(a.body), `"/begin"`) {
			t.Errorf("%s: %s", kind, a.body)
		}
	}
	s.post(configPath+"/shiplist", `{"name":"tugs","ships":[{"mmsi":219018765}]}`).is(t, 200)
	a := s.post(statPath+"/area", `{`+morning+`"shape":`+harbour+`,"group_by":"shiplist","shiplist":"tugs","tracks":true}`).is(t, 400)
	if !strings.Contains(string(a.body), `"/tracks"`) {
		t.Errorf("%s", a.body)
	}
}

// TestATrackIsCutForItsReader: one that is told of ships late gets the passage, and of its track what lies so far back.
func TestATrackIsCutForItsReader(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	id, _ := s.foundOf("admin", "passageline", morning+`"tracks":true,"filter":"mmsi = 219018765","passageline":`+midLine)
	for delay, last := range map[string]string{"11700": "08:45:00Z", "12000": "08:40:00Z", "12100": ""} {
		s.setFilter("anna", `{"delay":`+delay+`}`)
		found := strings.Join(s.resultOf("anna", "passageline", id), "")
		_, track, _ := strings.Cut(found, `"track"`)
		if last == "" && found != "" || !strings.Contains(track, last) || strings.Contains(track, "08:46:00Z") {
			t.Errorf("delay %s: %s", delay, found)
		}
	}
}
