package handlers

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/jobs"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const harbour = `{"type":"Polygon","coordinates":[[[10.2,56.1],[10.4,56.1],[10.4,56.2],[10.2,56.2],[10.2,56.1]]]}`

func (s *site) started(a answer, status int) string {
	s.t.Helper()
	id, ok := a.is(s.t, status).json(s.t)["id"].(float64)
	if !ok {
		s.t.Fatalf("no id: %s", a.body)
	}
	return fmt.Sprintf("%.0f", id)
}

// block starts a job that takes a place, or waits for one, until it is let go.
func (s *site) block(priority int) (letGo func()) {
	s.t.Helper()
	held := make(chan struct{})
	s.blocks++
	blocks := jobs.NewKind[int](s.server.jobs, jobs.Policy{Name: "blocks"})
	if _, err := blocks.Start(fmt.Sprintf("block %d", s.blocks), priority, func(ctx context.Context) (int, error) {
		select {
		case <-held:
		case <-ctx.Done():
		}
		return 0, nil
	}); err != nil {
		s.t.Fatal(err)
	}
	return sync.OnceFunc(func() { close(held) })
}

// hold keeps every job from running until it is let go; no GET waits for one meanwhile.
func (s *site) hold() (letGo func()) {
	wait := s.server.desk.Wait
	s.server.desk.Wait = time.Nanosecond
	one, other := s.block(100), s.block(100)
	return func() {
		s.server.desk.Wait = wait
		one()
		other()
	}
}

func TestAreaJobLife(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.hear(noon(), position(219000002, 11.3, 56.14, 112, 1814)) // outside
	letGo := s.hold()
	path := "/api/portserver/ship/area/" + s.started(s.post("/api/portserver/ship/area", `{"area":`+harbour+`,"time":"now"}`), 200)
	running := s.get(path).is(t, 202)
	if running.header.Get("Retry-After") != "7" || running.json(t)["status"] != "running" {
		t.Errorf("running: %v %s", running.header, running.body)
	}
	s.send("GET", path, "").is(t, 401)
	if err := s.users.Add("other", "another good password"); err != nil {
		t.Fatal(err)
	}
	s.send("GET", path, "", "Authorization", basic("other", "another good password")).is(t, 404) // it belongs to its caller
	letGo()
	ships := recordsOf(t, s.get(path).is(t, 200))
	if len(ships) != 1 || ships[0]["name"] != "NORDIC HAV" || ships[0]["signal"] != "live" || ships[0]["position"] == nil {
		t.Errorf("in the harbour: %v", ships)
	}
	s.get(path).is(t, 404, "not_found")
}

// One GET is enough for a job that is done soon: it waits for it.
func TestGetWaitsForItsJob(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	first, second := s.block(100), s.block(100)
	defer second()
	path := areaPath + "/" + s.started(s.post(areaPath, `{"area":`+harbour+`}`), 200)
	answers := make(chan answer)
	go func() { answers <- s.get(path) }()
	first()
	if ships := recordsOf(t, (<-answers).is(t, 200)); len(ships) != 1 {
		t.Errorf("%d ships", len(ships))
	}
}

// The jobs of a user that is deleted are gone with it.
func TestJobsGoWithTheirUser(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupViewer)
	key := request.OwnerKey(s.user("anna").UID)
	s.started(s.call("anna", "POST", areaPath, `{"area":`+harbour+`}`), 200)
	s.call("admin", "DELETE", usersPath+"/anna", "").is(t, 204)
	if left := s.server.jobs.Reassign(key, "nobody"); left["areas"] != 0 {
		t.Errorf("left of a deleted user: %v", left)
	}
}

func TestAreaJobTimesOut(t *testing.T) {
	s := newSite(t)
	letGo := s.hold()
	path := "/api/portserver/ship/area/" + s.started(s.post("/api/portserver/ship/area", `{"area":`+harbour+`}`), 200)
	s.clock.pass(2 * time.Minute)
	s.get(path).is(t, 202)
	s.clock.pass(time.Second)
	s.get(path).is(t, 408, "timeout")
	s.get(path).is(t, 404)
	letGo()

	path = "/api/portserver/ship/area/" + s.started(s.post("/api/portserver/ship/area", `{"area":`+harbour+`}`), 200)
	s.server.jobs.Wait()
	s.clock.pass(15*time.Minute + time.Second)
	s.get(path).is(t, 404) // nobody fetched it
}

func TestAreaLooksBack(t *testing.T) {
	s := newSite(t)
	s.sail(219000001, noon().Add(-3*time.Hour), time.Minute, 5)
	s.sail(219000002, noon(), time.Minute, 5)
	s.settle()
	s.restart() // the store knows them, whatever the picture still holds
	s.hear(noon().Add(5*time.Minute), position(219000003, 10.3, 56.14, 0, 0))
	for _, row := range []struct {
		duration string
		want     int
	}{{"00:10:00", 2}, {"24:00:00", 3}, {"P1D", 3}, {"002:00:00", 2}} {
		id := s.started(s.post("/api/portserver/ship/area", `{"area":`+harbour+`,"duration":"`+row.duration+`"}`), 200)
		if ships := recordsOf(t, s.get("/api/portserver/ship/area/"+id).is(t, 200)); len(ships) != row.want {
			t.Errorf("%s back: %d ships, want %d: %v", row.duration, len(ships), row.want, ships)
		}
	}
}

// The area may span 180°, and a ship may lie on either side.
func TestAreaAcrossTheDateLine(t *testing.T) {
	s := newSite(t)
	for i, lon := range []float64{179.9, -179.9, 179.4, -179.4} {
		s.hear(noon(), position(ais.MMSI(219000001+i), lon, -17, 0, 0))
	}
	id := s.started(s.post("/api/portserver/ship/area",
		`{"area":{"type":"Polygon","coordinates":[[[179.5,-18],[-179.5,-18],[-179.5,-16],[179.5,-16],[179.5,-18]]]}}`), 200)
	if ships := recordsOf(t, s.get("/api/portserver/ship/area/"+id).is(t, 200)); len(ships) != 2 {
		t.Errorf("%d ships, want 2: %v", len(ships), ships)
	}
}

func TestAreaRefuses(t *testing.T) {
	s := newSite(t)
	for _, row := range []struct{ body, code, pointer string }{
		{`{}`, "bad_request", "/area"},
		{`{"area":5}`, "bad_request", "/area"},
		{`{"area":{"type":"LineString","coordinates":[[1,1],[2,2]]}}`, "bad_request", "/area/type"},
		{`{"area":{"type":"Polygon","coordinates":[[[1,1],[2,2],[3,1]]]}}`, "bad_request", "/area/coordinates/0"},
		{`{"area":{"type":"Polygon","coordinates":[[[1,91],[2,2],[3,1],[1,91]]]}}`, "bad_request", ""},
		{`{"area":` + harbour + `,"time":"2026-11-20T11:00:00Z"}`, "unsupported", "/time"},
		{`{"area":` + harbour + `,"duration":"1:2"}`, "bad_request", "/duration"},
		{`{"area":` + harbour + `,"duration":"00:00:00"}`, "bad_request", "/duration"},
	} {
		a := s.post("/api/portserver/ship/area", row.body).is(t, 400, row.code)
		errs, _ := a.json(t)["errors"].([]any)
		if row.pointer != "" && (len(errs) == 0 || errs[0].(map[string]any)["pointer"] != row.pointer) {
			t.Errorf("%s: %s, want the pointer %s", row.body, a.body, row.pointer)
		}
	}
	s.started(s.post("/api/portserver/ship/area", `{"area":`+harbour+`,"time":"2026-11-20T12:00:30Z"}`), 200)
	for range jobsPerOwner - 1 {
		s.started(s.post("/api/portserver/ship/area", `{"area":`+harbour+`}`), 200)
	}
	if a := s.post("/api/portserver/ship/area", `{"area":`+harbour+`}`).is(t, 429, "limit_reached"); a.header.Get("Retry-After") == "" {
		t.Error("429 without Retry-After")
	}
	s.get("/api/portserver/ship/area/0").is(t, 400)
	s.get("/api/portserver/ship/area/12345").is(t, 404)
}

// track asks for a track and waits for it.
func (s *site) track(body, query string) answer {
	s.t.Helper()
	s.started(s.post(trackPath, body), 202)
	return s.get(trackPath + query)
}

func coordinates(t testing.TB, a answer) [][]any {
	t.Helper()
	var v struct {
		Track struct {
			Coordinates [][]any `json:"coordinates"`
		} `json:"track"`
	}
	if err := json.Unmarshal(a.is(t, 200).body, &v); err != nil {
		t.Fatal(err)
	}
	return v.Track.Coordinates
}

func TestTrackOverMidnightAndRestart(t *testing.T) {
	s := newSite(t)
	midnight := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	s.sail(nordic, midnight.Add(-30*time.Minute), 30*time.Second, 120) // until half past midnight
	s.hear(midnight.Add(31*time.Minute), voyage(nordic, "NORDIC HAV"))
	whole := `{"mmsi":219018765,"begin":"2026-11-19T23:00:00Z","end":"2026-11-20T01:00:00Z"`
	for range 2 { // before and after a restart
		all := coordinates(t, s.track(whole+`}`, ""))
		if len(all) != 120 || all[0][2] != "2026-11-19T23:30:00Z" || all[119][2] != "2026-11-20T00:29:30Z" {
			t.Fatalf("%d fixes from %v to %v", len(all), all[0], all[len(all)-1])
		}
		if all[0][3] != 90.0 || all[0][4] != 5.0 || all[0][0] != 10.3 || all[0][1] != 56.14 {
			t.Errorf("the first fix is %v", all[0])
		}
		thinned := coordinates(t, s.track(whole+`,"resolution":"00:10:00"}`, ""))
		if len(thinned) != 6 || thinned[3][2] != "2026-11-20T00:00:00Z" {
			t.Errorf("thinned: %v", thinned)
		}
		yesterday := coordinates(t, s.track(`{"imo":9321483}`, "")) // by default the last whole day
		if len(yesterday) != 60 || yesterday[59][2] != "2026-11-19T23:59:30Z" {
			t.Errorf("%d fixes of yesterday", len(yesterday))
		}
		s.settle()
		s.restart()
	}
}

func TestTrackJobLife(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon().Add(-24*time.Hour), time.Minute, 10)
	s.hear(noon(), position(219000002, 10.3, 56.14, 0, 0)) // today, by the picture's clock
	s.get(trackPath).is(t, 404)
	letGo := s.hold()
	first := s.started(s.post(trackPath, `{"mmsi":219018765}`), 202)
	if a := s.get(trackPath).is(t, 202); a.header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	letGo()
	second := s.started(s.post(trackPath, `{"mmsi":219018765,"end":"2026-11-19T12:05:00Z"}`), 202)
	if n := len(coordinates(t, s.get(trackPath))); n != 5 {
		t.Errorf("the latest has %d fixes, want 5", n)
	}
	if n := len(coordinates(t, s.get(trackPath+"?id="+first))); n != 10 {
		t.Errorf("the first has %d fixes, want 10", n)
	}
	s.clock.pass(time.Hour)
	s.get(trackPath+"?id="+second).is(t, 200)
	s.clock.pass(time.Second)
	s.get(trackPath+"?id="+second).is(t, 404)
	s.get(trackPath+"?id=x").is(t, 400)
	s.post(trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-20"}`).is(t, 400)
	s.post(trackPath, `{"mmsi":5}`).is(t, 422, "ship_not_found")
	if n := len(coordinates(t, s.track(`{"mmsi":219018765,"begin":"2020-01-01","end":"2020-01-02"}`, ""))); n != 0 {
		t.Errorf("%d fixes of a time without any", n)
	}
}

func TestTrackFiles(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon().Add(-24*time.Hour), time.Minute, 10)
	s.sail(nordic, noon().Add(-20*time.Hour), time.Minute, 5) // after a gap
	s.hear(noon().Add(-20*time.Hour), voyage(nordic, `<&"> HAV`))
	s.track(`{"mmsi":219018765,"end":"2026-11-20"}`, "").is(t, 200)

	var gpx struct {
		Tracks []struct {
			Name     string `xml:"name"`
			Segments []struct {
				Points []struct {
					Lat  float64   `xml:"lat,attr"`
					Lon  float64   `xml:"lon,attr"`
					Time time.Time `xml:"time"`
				} `xml:"trkpt"`
			} `xml:"trkseg"`
		} `xml:"trk"`
	}
	if err := xml.Unmarshal(s.get(trackPath+"?format=gpx").is(t, 200).body, &gpx); err != nil {
		t.Fatal(err)
	}
	one := gpx.Tracks[0]
	if one.Name != `<&"> HAV` || len(one.Segments) != 2 || len(one.Segments[0].Points) != 10 || len(one.Segments[1].Points) != 5 {
		t.Errorf("GPX: %+v", one)
	}
	if p := one.Segments[0].Points[0]; p.Lat != 56.14 || p.Lon != 10.3 || !p.Time.Equal(noon().Add(-24*time.Hour)) {
		t.Errorf("GPX begins at %+v", p)
	}

	var kml struct {
		Tracks []struct {
			When  []time.Time `xml:"when"`
			Coord []string    `xml:"coord"`
		} `xml:"Document>Placemark>MultiTrack>Track"`
	}
	if err := xml.Unmarshal(s.get(trackPath, "Accept", "application/vnd.google-earth.kml+xml").is(t, 200).body, &kml); err != nil {
		t.Fatal(err)
	}
	if len(kml.Tracks) != 2 || len(kml.Tracks[0].When) != 10 || len(kml.Tracks[1].Coord) != 5 || kml.Tracks[0].Coord[0] != "10.3 56.14 0" {
		t.Errorf("KML: %+v", kml.Tracks)
	}

	rows, err := csv.NewReader(strings.NewReader(string(s.get(trackPath+"?format=csv").is(t, 200).body))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 16 || rows[1][0] != "219018765" || rows[1][4] != "2026-11-19T12:00:00Z" || rows[0][4] != "time" {
		t.Errorf("CSV: %d rows, %q", len(rows), rows[1])
	}

	feature := s.get(trackPath, "Accept", "application/geo+json;q=1, application/json;q=0.5").is(t, 200).json(t)
	lines := feature["geometry"].(map[string]any)["coordinates"].([]any)
	if len(lines) != 2 || len(feature["properties"].(map[string]any)["times"].([]any)) != 15 {
		t.Errorf("GeoJSON: %d lines", len(lines))
	}
	s.get(trackPath+"?format=xml").is(t, 400)
}

func TestFilesNeedTheirRight(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.OpenReads = true })
	s.sail(nordic, noon().Add(-24*time.Hour), time.Minute, 10)
	s.started(s.send("POST", trackPath, `{"mmsi":219018765}`), 202)
	s.send("GET", trackPath, "").is(t, 200)
	refused := s.send("GET", trackPath+"?format=gpx", "").is(t, 403, "forbidden")
	if !strings.Contains(string(refused.body), string(right.DownloadHistoricalTracks)) {
		t.Errorf("the right is not named: %s", refused.body)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"24:00:00": 24 * time.Hour, "100:30:05": 100*time.Hour + 30*time.Minute + 5*time.Second, "P2W": 14 * 24 * time.Hour,
		"PT1H30M": 90 * time.Minute, "P1DT12H": 36 * time.Hour, "PT5S": 5 * time.Second,
	} {
		if got, err := form.ParseDuration(text); err != nil || got != want {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "1:00:00", "00:60:00", "00:00:60", "-1:00:00", "P", "PT", "P1Y", "P1M", "PT1D", "PT1S1M", "P1", "24:00",
		"99999999999:00:00"} {
		if got, err := form.ParseDuration(text); err == nil {
			t.Errorf("%q is %v, want an error", text, got)
		}
	}
}

// TestATrackOfAllTimesCostsWhatItHas: the years without a position cost nothing.
func TestATrackOfAllTimesCostsWhatItHas(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon().Add(-time.Hour), 10*time.Second, 60)
	v, err := s.sight.Of(t.Context(), s.user("admin"), "admin")
	if err != nil {
		t.Fatal(err)
	}
	of, err := v.Ship(nordic)
	if err != nil {
		t.Fatal(err)
	}
	least := func(begin, end time.Time) (took time.Duration) {
		took = time.Hour
		for range 3 {
			began := time.Now()
			track, err := v.Track(t.Context(), &of, begin, end, 0, 1000)
			if err != nil || len(track) != 60 {
				t.Fatalf("from %v: %d fixes, %v", begin, len(track), err)
			}
			took = min(took, time.Since(began))
		}
		return took
	}
	hours := least(noon().Add(-2*time.Hour), noon())
	ever := least(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC))
	if ever > 100*hours+50*time.Millisecond {
		t.Errorf("two hours take %v, and all times %v", hours, ever)
	}
}
