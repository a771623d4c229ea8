package handlers

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// tableOf returns a result as a table: its rows, each by the names of the columns.
func (s *site) tableOf(user, kind, id string) (rows []map[string]string) {
	s.t.Helper()
	a := s.call(user, "GET", statPath+"/"+kind+"/result"+id+"?format=csv", "").is(s.t, 200)
	if got := a.header.Get("Content-Type"); got != "text/csv; charset=utf-8" || !strings.Contains(a.header.Get("Content-Disposition"), kind+"-") {
		s.t.Errorf("%s: %v", kind, a.header)
	}
	all, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	if err != nil || len(all) == 0 {
		s.t.Fatalf("%s: %v: %s", kind, err, a.body)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		if len(row) != len(all[0]) {
			s.t.Errorf("%s has two columns of one name: %v", kind, all[0])
		}
		rows = append(rows, row)
	}
	return rows
}

// mapOf returns the features of a result.
func (s *site) mapOf(user, kind, id string) []map[string]any {
	s.t.Helper()
	a := s.send("GET", statPath+"/"+kind+"/result"+id, "", "Authorization", s.credentials(user), "Accept", "application/geo+json").is(s.t, 200)
	var list struct {
		Type     string
		Features []map[string]any
	}
	if err := json.Unmarshal(a.body, &list); err != nil || list.Type != "FeatureCollection" || a.header.Get("Content-Type") != "application/geo+json" {
		s.t.Fatalf("%s: %v %s", kind, err, a.body)
	}
	return list.Features
}

// TestEachResultIsATableAndAMap: the result of each kind has as many rows, or pieces of rows, and features as records. What they say is that of JSON.
func TestEachResultIsATableAndAMap(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.sailsBy()
	for _, kind := range stats.Names() {
		fields := rightFields(kind)
		id := s.statistic("admin", kind, asJSON(fields))
		s.ran(id)
		found := s.resultOf("admin", kind, id)
		rows, features := s.tableOf("admin", kind, id), s.mapOf("admin", kind, id)
		if kind == "density" { // its rows are the sums of cells
			if len(rows) == 0 || len(features) != len(rows) {
				t.Errorf("%d rows, %d features of cells", len(rows), len(features))
			}
			continue
		}
		if len(features) != len(found) || kind != "historicaltrack" && kind != "pilotboat" && len(rows) != len(found) {
			t.Errorf("%s: %d records, %d rows, %d features", kind, len(found), len(rows), len(features))
		}
		for _, row := range rows {
			for name, cell := range row {
				if strings.Contains(cell, "map[") || strings.HasPrefix(name, "longitude") && cell != "" && !strings.HasPrefix(cell, "10.") {
					t.Errorf("%s: %s is %q", kind, name, cell)
				}
			}
		}
		if len(rows) > 0 && rows[0]["mmsi"] == "" && rows[0]["mmsi_1"] == "" {
			t.Errorf("%s: %v", kind, rows[0])
		}
		switch {
		case kind == "passageline":
			if row := rows[len(rows)-1]; row["timestamp"] != "2026-11-20T10:39:30Z" || row["longitude"] != "10.3" || row["direction"] != "E" || row["distance"] != "5567.2" || row["sog"] != "10" {
				t.Errorf("%v", row)
			}
			if f := features[len(features)-1]; fmt.Sprint(f["geometry"]) != "map[coordinates:[10.3 56.15] type:Point]" || f["properties"].(map[string]any)["direction"] != "E" {
				t.Errorf("%v", f)
			}
		case kind == "historicaltrack":
			if len(rows) < 5 || rows[0]["time"] == "" || rows[0]["latitude"] == "" || fmt.Sprint(features[0]["geometry"].(map[string]any)["type"]) != "LineString" {
				t.Errorf("%v", rows)
			}
		case kind == "portcalls":
			if rows[0]["port_locode"] != "DKAAR" || features[0]["geometry"].(map[string]any)["type"] != "Point" {
				t.Errorf("%v %v", rows, features)
			}
		}
	}
}

// TestANameIsNoFormula: a name that begins like a formula is harmless in a table, and one with a comma stays one cell.
func TestANameIsNoFormula(t *testing.T) {
	s := newSite(t)
	from := noon().Add(-2 * time.Hour)
	s.heardBy(from, voyage(nordic, `=1+1,"A"`), "roof")
	for i := range 60 {
		s.heardBy(from.Add(time.Duration(i)*time.Minute), position(nordic, 10.35+float64(i-30)*0.004, 56.15, 80, 900), "roof")
	}
	s.settle()
	id := s.statistic("admin", "nmsp", `{`+meetPeriod+nearAsks()["nmsp"]+`}`)
	s.ran(id)
	if rows := s.tableOf("admin", "nmsp", id); len(rows) != 1 || rows[0]["name"] != `'=1+1,"A"` {
		t.Errorf("%v", rows)
	}
}

// TestAHiddenShipIsInNoTable: a reader has the rows and features of what it might have seen. A file of tracks takes a right of its own.
func TestAHiddenShipIsInNoTable(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	s.addUser("bert")
	s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
	s.allowAllBut("bert", right.DownloadHistoricalTracks, false)
	for _, kind := range stats.Names() {
		id := s.statistic("admin", kind, strings.Replace(asJSON(rightFields(kind)), `"mmsi":[219018765]`, `"mmsi":[219018765,219000700]`, 1))
		s.ran(id)
		for _, format := range []string{"csv", "geojson"} {
			a := s.call("anna", "GET", statPath+"/"+kind+"/result"+id+"?format="+format, "").is(t, 200)
			if strings.Contains(string(a.body), "219018765") || strings.Contains(string(a.body), "NORDIC") {
				t.Errorf("%s %s: %s", kind, format, a.body)
			}
		}
		want := 200
		if kind == "historicaltrack" {
			want = 403
		}
		s.call("bert", "GET", statPath+"/"+kind+"/result"+id+"?format=csv", "").is(t, want)
		s.get(statPath+"/"+kind+"/result"+id+"?format=gpx").is(t, 400)
	}
}

// TestALongTableComesWhole: a result of several parts has each record once and in order, as a table and as a map; an empty one has its header line.
func TestALongTableComesWhole(t *testing.T) {
	s := newSite(t)
	const count = 5000
	k := stats.Kind{Name: "nmsp", Check: func(*form.Fields, stats.Asker) (any, error) { return nil, nil }, Open: func(r *stats.Run) (stats.Question, error) {
		return stats.Question{Ask: func(context.Context) error {
			for n := range count {
				if err := r.Emit(stats.Record{Bare: true, Data: fmt.Appendf(nil, `{"distance":%d,"ship":{"mmsi":219018765,"name":"-"}}`, n)}); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}}
	s.kinds = append(stats.Kinds(), k)
	s.restart()
	id := s.statistic("admin", "nmsp", aDay)
	s.ran(id)
	rows, features := s.tableOf("admin", "nmsp", id), s.mapOf("admin", "nmsp", id)
	if len(rows) != count || len(features) != count {
		t.Fatalf("%d rows, %d features", len(rows), len(features))
	}
	for i, row := range rows {
		if row["distance"] != fmt.Sprint(i) || row["name"] != "'-" || features[i]["properties"].(map[string]any)["distance"] != float64(i) {
			t.Fatalf("%d: %v %v", i, row, features[i])
		}
	}
	s.may("other", right.ViewHistory, right.AdminReports)
	s.setFilter("other", `{"expression":"mmsi = 1"}`)
	if rows, features := s.tableOf("other", "nmsp", id), s.mapOf("other", "nmsp", id); len(rows)+len(features) > 0 {
		t.Errorf("%d rows, %d features of ships that are hidden", len(rows), len(features))
	}
}

// emitting is a kind that gives records, one for each number.
func emitting(name string, count int, data func(n int) string) stats.Kind {
	return stats.Kind{Name: name, Check: func(*form.Fields, stats.Asker) (any, error) { return nil, nil }, Open: func(r *stats.Run) (stats.Question, error) {
		return stats.Question{Ask: func(context.Context) error {
			for n := range count {
				if err := r.Emit(stats.Record{Bare: true, Data: []byte(data(n))}); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}}
}

// TestABrokenResultLooksBroken: where a record in the middle cannot be read, no client takes what it got for the whole: the connection ends before the answer
// does, compressed or not. A short result is an error of its own.
func TestABrokenResultLooksBroken(t *testing.T) {
	s := newSite(t)
	const count = 12_000
	sound := func(n int) string {
		return fmt.Sprintf(`{"distance":%d,"ship":{"mmsi":219018765,"name":"%040d"}}`, n, n)
	}
	broken := func(at int) func(int) string {
		return func(n int) string {
			if n == at {
				return `["no record"]`
			}
			return sound(n)
		}
	}
	s.kinds = append(stats.Kinds(), emitting("nmsp", count, sound), emitting("nmss", count, broken(count-2)), emitting("multiship", 3, broken(1)))
	s.restart()
	base := s.serve().URL
	ids := map[string]string{}
	for _, kind := range []string{"nmsp", "nmss", "multiship"} {
		ids[kind] = s.statistic("admin", kind, aDay)
		s.ran(ids[kind])
	}
	read := func(kind, format, packed string) (int, int, error) {
		request, err := http.NewRequestWithContext(t.Context(), "GET", base+statPath+"/"+kind+"/result"+ids[kind]+"?format="+format, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.SetBasicAuth("admin", adminPassword)
		request.Header.Set("Accept-Encoding", packed)
		answer, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if packed == "gzip" && err == nil {
			plain, wrong := gzip.NewReader(bytes.NewReader(body))
			if err = wrong; err == nil {
				body, err = io.ReadAll(plain)
			}
		}
		return answer.StatusCode, len(body), err
	}
	for _, format := range []string{"json", "csv", "geojson"} {
		for _, packed := range []string{"identity", "gzip"} {
			if status, n, err := read("nmsp", format, packed); status != 200 || n < count*40 || err != nil {
				t.Errorf("a sound result, %s %s: %d, %d bytes, %v", format, packed, status, n, err)
			}
			if status, n, err := read("nmss", format, packed); status != 200 || err == nil {
				t.Errorf("a broken result, %s %s: %d, and %d bytes look whole", format, packed, status, n)
			}
		}
		s.get(statPath+"/multiship/result"+ids["multiship"]+"?format="+format).is(t, 500)
	}
}

// TestALineOver180IsCut: GeoJSON has it in two pieces.
func TestALineOver180IsCut(t *testing.T) {
	s := newSite(t)
	end := func(lon string) string {
		return `{"index":0,"ship":{"mmsi":219000001},"timestamp":"2026-11-20T12:00:00Z","position":{"type":"Point","coordinates":[` + lon + `,56.0]}}`
	}
	s.kinds = append(stats.Kinds(), emitting("transitpilot", 1, func(int) string {
		return `{"ship":{"mmsi":219018765},"pilot":[` + end("179.5") + `,` + end("-179.5") + `]}`
	}))
	s.restart()
	id := s.statistic("admin", "transitpilot", aDay)
	s.ran(id)
	a := s.get(statPath+"/transitpilot/result"+id+"?format=geojson").is(t, 200)
	if want := `{"type":"MultiLineString","coordinates":[[[179.5,56.0],[180,56]],[[-180,56],[-179.5,56.0]]]}`; !strings.Contains(string(a.body), want) {
		t.Errorf("%s", a.body)
	}
}

func asJSON(fields map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, `"`+key+`":`+fields[key])
	}
	return `{` + strings.Join(parts, ",") + `}`
}
