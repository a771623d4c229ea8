package handlers

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// trackedKinds are the kinds of statistics that tracks are defined for, each with a question.
func trackedKinds() map[string]string {
	return map[string]string{
		"area":             `"shape":` + harbour,
		"passageline":      `"passageline":` + midLine,
		"multipassageline": `"passagelines":[` + westLine + `,` + midLine + `]`,
	}
}

// sailedRecord is a record with its track.
type sailedRecord struct {
	Ship    struct{ MMSI ais.MMSI }
	In      time.Time `json:"time_in"`
	Out     time.Time `json:"time_out"`
	At      time.Time `json:"timestamp"`
	First   time.Time `json:"time_first"`
	Last    time.Time `json:"time_last"`
	Thinned bool      `json:"track_thinned"`
	Track   *struct{ Coordinates [][]any }
}

// sailed returns the records of a result, read with a query.
func (s *site) sailed(user, kind, id, query string) (all []sailedRecord) {
	s.t.Helper()
	var answer struct{ Records []sailedRecord }
	if err := json.Unmarshal(s.call(user, "GET", statPath+"/"+kind+"/result"+id+query, "").is(s.t, 200).body, &answer); err != nil {
		s.t.Fatal(err)
	}
	return answer.Records
}

// between returns the positions of a ship as the call about tracks gives them.
func (s *site) between(user string, m ais.MMSI, begin, end time.Time) [][]any {
	s.t.Helper()
	const layout = "2006-01-02T15:04:05.999Z"
	a := s.call(user, "POST", trackPath, fmt.Sprintf(`{"mmsi":%d,"begin":%q,"end":%q}`, m, begin.Format(layout), end.Format(layout))).is(s.t, 202)
	return coordinates(s.t, s.finish(user, fmt.Sprintf("%s?id=%.0f", trackPath, a.json(s.t)["id"])))
}

// TestAResultIsReadWithTracks: the query adds the positions that the call about tracks gives for that time, to whatever was asked; and takes away those of the
// definition.
func TestAResultIsReadWithTracks(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("late", access.GroupAdmin)
	s.setFilter("late", `{"delay":7300}`)
	s.addUser("west", access.GroupAdmin)
	s.setFilter("west", `{"polygon":{"type":"Polygon","coordinates":[[[10,56],[10.35,56],[10.35,56.3],[10,56.3],[10,56]]]}}`)
	for kind, ask := range trackedKinds() {
		plain := s.statistic("admin", kind, `{`+morning+ask+`}`)
		with := s.statistic("admin", kind, `{`+morning+`"tracks":true,`+ask+`}`)
		s.ran(plain)
		s.ran(with)
		for _, user := range []string{"admin", "late", "west"} {
			found := s.sailed(user, kind, plain, "?tracks=true")
			if len(found) == 0 || user == "admin" && len(found) != 2 {
				t.Errorf("%s for %s: %d records", kind, user, len(found))
			}
			for _, one := range found {
				s.sameTrack(kind, user, &one)
			}
			if byDefinition := s.sailed(user, kind, with, ""); !reflect.DeepEqual(byDefinition, found) {
				t.Errorf("%s for %s: by the definition %v, by the query %v", kind, user, byDefinition, found)
			}
			for id, query := range map[string]string{plain: "", with: "?tracks=false"} {
				for _, one := range s.sailed(user, kind, id, query) {
					if one.Track != nil {
						t.Errorf("%s%s for %s: a track that was not asked for", kind, query, user)
					}
				}
			}
		}
		for query, status := range map[string]int{"tracks=1": 400, "tracks=yes": 400, "tracks=True": 200, "tracks=": 200} {
			s.call("admin", "GET", statPath+"/"+kind+"/result"+plain+"?"+query, "").is(t, status)
		}
		a := s.call("admin", "GET", statPath+"/"+kind+"/result"+plain+"?tracks=true&format=geojson", "").is(t, 200)
		if !strings.Contains(string(a.body), `"track":{`) || strings.Contains(string(a.body), `"geometry":{"type":"LineString"`) != (kind == "multipassageline") {
			t.Errorf("%s: %s", kind, a.body)
		}
		table := s.call("admin", "GET", statPath+"/"+kind+"/result"+plain+"?tracks=true&format=csv", "").is(t, 200)
		if bare := s.call("admin", "GET", statPath+"/"+kind+"/result"+plain+"?format=csv", ""); string(bare.body) != string(table.body) {
			t.Errorf("%s: a table with tracks differs: %s", kind, table.body)
		}
	}
}

// sameTrack compares the track of a record with the positions of that time. A visit has the borders besides.
func (s *site) sameTrack(kind, user string, one *sailedRecord) {
	s.t.Helper()
	const margin = 15 * time.Minute
	if one.Track == nil {
		s.t.Errorf("%s for %s: no track in %+v", kind, user, one)
		return
	}
	got, begin, end := one.Track.Coordinates, one.At.Add(-margin), one.At.Add(margin+time.Millisecond)
	switch kind {
	case "area":
		first, last := got[0][2], got[len(got)-1][2]
		if first != one.In.Format(time.RFC3339) || last != one.Out.Format(time.RFC3339) {
			s.t.Errorf("%s for %s: from %v to %v, want %v to %v", kind, user, first, last, one.In, one.Out)
		}
		got, begin, end = got[1:len(got)-1], one.In.Add(time.Millisecond), one.Out
	case "multipassageline":
		begin, end = one.First.Add(-margin), one.Last.Add(margin+time.Millisecond)
	}
	if want := s.between(user, one.Ship.MMSI, begin, end); len(want) < 10 || !reflect.DeepEqual(got, want) {
		s.t.Errorf("%s for %s: %d positions %v, want %d: %v", kind, user, len(got), got, len(want), want)
	}
}

// TestTracksMeanNothingWhereThereAreNone: of other kinds the query is read, and ignored. Sums of an area have none, and say so.
func TestTracksMeanNothingWhereThereAreNone(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.may("anna", right.ViewHistory, right.AdminReports)
	s.post(configPath+"/shiplist", `{"name":"cargo ships","ships":[{"name":"NORDIC HAV"}]}`).is(t, 200)
	sums, _ := s.foundOf("admin", "area", morning+`"shape":`+harbour+`,"group_by":"shiplist","shiplist":"cargo ships"`)
	for query, status := range map[string]int{"": 200, "?tracks=false": 200, "?tracks=true": 400} {
		if a := s.call("admin", "GET", statPath+"/area/result"+sums+query, "").is(t, status); (status == 400) != strings.Contains(string(a.body), "stat_no_tracks") {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	for kind, ask := range map[string]string{
		"sogdist":   `"mmsi":[219018765]`,
		"multiship": `"ships":[{"mmsi":219018765}]`,
	} {
		id, found := s.foundOf("admin", kind, morning+ask)
		for _, user := range []string{"admin", "anna"} {
			path := statPath + "/" + kind + "/result" + id
			a := s.call(user, "GET", path+"?release=134&tracks=true", "").is(t, 200)
			if len(found) == 0 || string(a.body) != string(s.call(user, "GET", path+"?release=134", "").body) {
				t.Errorf("%s for %s: %s", kind, user, a.body)
			}
			s.call(user, "GET", path+"?tracks=2", "").is(t, 400)
		}
	}
}

// TestTracksOfAResultTakeTheirRights: whoever reads with them must be allowed to read tracks, and to save them.
func TestTracksOfAResultTakeTheirRights(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.may("anna", right.ViewHistory, right.AdminReports)
	s.may("bert", right.ViewHistory, right.AdminReports, right.ViewHistoricalTracks)
	s.may("carl", right.ViewHistory, right.AdminReports, right.ViewHistoricalTracks, right.DownloadHistoricalTracks)
	for kind, ask := range trackedKinds() {
		id, _ := s.foundOf("admin", kind, morning+ask)
		for user, missing := range map[string]right.Name{"anna": right.ViewHistoricalTracks, "bert": right.DownloadHistoricalTracks, "carl": ""} {
			for _, format := range []string{"json", "geojson", "csv"} {
				path := statPath + "/" + kind + "/result" + id + "?format=" + format
				s.call(user, "GET", path+"&tracks=false", "").is(t, 200)
				if a := s.call(user, "GET", path+"&tracks=true", ""); missing == "" {
					a.is(t, 200)
				} else if a.is(t, 403); !strings.Contains(string(a.body), string(missing)) {
					t.Errorf("%s as %s for %s: %s", kind, format, user, a.body)
				}
			}
		}
	}
}

// TestAHiddenShipHasNoTrackInAResult: not the ship that a filter hides, and not what lies behind the time that a user may look back.
func TestAHiddenShipHasNoTrackInAResult(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
	s.addUser("near", access.GroupAdmin)
	s.call("admin", "PUT", usersPath+"/near", `{"settings":{"web_max_lookback_time":3}}`).is(t, 200)
	for kind, ask := range trackedKinds() {
		id, _ := s.foundOf("admin", kind, morning+ask)
		if seen := s.sailed("anna", kind, id, "?tracks=true"); len(seen) != 1 || seen[0].Ship.MMSI != 219000700 || seen[0].Track == nil {
			t.Errorf("%s: %+v", kind, seen)
		}
		for _, one := range s.sailed("near", kind, id, "?tracks=true") {
			if hidden := one.Ship.MMSI == nordic; !hidden {
				s.sameTrack(kind, "near", &one)
			} else if one.Track != nil && (kind != "area" || len(one.Track.Coordinates) != 2) {
				t.Errorf("%s: %v", kind, one.Track)
			}
		}
	}
}

// TestLongTracksOfAResult: a track has not more positions than it may, and its record says so. However long they are, each record has its track.
func TestLongTracksOfAResult(t *testing.T) {
	s := newSite(t)
	const most = 10_000
	for i, fixes := range []int{most + 100, most - 100, most - 200, 50} {
		var track ship.Track
		for n := range fixes {
			track = append(track, ship.Fix{At: noon().Add(-6*time.Hour + time.Duration(n)*time.Second).UnixMilli(), Lon: 6_180_000 + int32(n), Lat: 33_690_000, SOG: ais.SOGTenths(10)})
		}
		if _, err := s.db.ImportTracks([]store.Imported{{MMSI: nordic + ais.MMSI(i), Class: ship.ClassA, Fixes: track}}); err != nil {
			t.Fatal(err)
		}
	}
	s.settle()
	id, _ := s.foundOf("admin", "area", morning+`"shape":`+harbour)
	found := s.sailed("admin", "area", id, "?tracks=true")
	if len(found) != 4 {
		t.Fatalf("%d records", len(found))
	}
	for _, one := range found {
		n, long := len(one.Track.Coordinates), one.Ship.MMSI == nordic
		want := map[ais.MMSI]int{nordic + 1: most - 100, nordic + 2: most - 200, nordic + 3: 50}[one.Ship.MMSI]
		if one.Thinned != long || long && (n > most || n < most/4) || !long && n != want {
			t.Errorf("ship %d has %d positions, want %d; thinned: %v", one.Ship.MMSI, n, want, one.Thinned)
		}
	}
}
