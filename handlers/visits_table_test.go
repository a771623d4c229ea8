package handlers

import (
	"context"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// rowsOf reads an answer that is a table: its rows, each by the names of the columns.
func (s *site) rowsOf(a answer, file string) (rows []map[string]string) {
	s.t.Helper()
	h := a.is(s.t, 200).header
	if h.Get("Content-Type") != "text/csv; charset=utf-8" || h.Get("Content-Disposition") != `attachment; filename="`+file+`.csv"` || h.Get("Vary") == "" {
		s.t.Errorf("want the file %s: %v", file, h)
	}
	all, err := csv.NewReader(strings.NewReader(string(a.body))).ReadAll()
	if err != nil || len(all) == 0 {
		s.t.Fatalf("%v: %s", err, a.body)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		if len(row) != len(all[0]) {
			s.t.Errorf("two columns have one name: %v", all[0])
		}
		rows = append(rows, row)
	}
	return rows
}

// TestCallsAtAPortAsATable holds that a table has the calls of JSON, what each time is of, and who corrected one.
func TestCallsAtAPortAsATable(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	path := visitsPath + "/22781475"
	s.addUser(`@sum`)
	s.allowAllBut(`@sum`, right.ViewPort, true)
	first := s.visitsTo("admin", "")[1]
	s.call(`@sum`, "PUT", callsPath+"/"+idOf(first), `{"ata":"2026-11-20T07:30:00Z"}`).is(t, 200)
	rows, list := s.rowsOf(s.get(path+"?format=csv"), "DKAAR-calls-2026-11-19-to-2026-11-20"), s.visitsTo("admin", "")
	if len(rows) != 2 || len(list) != 2 {
		t.Fatalf("%v\n%v", rows, list)
	}
	for i, row := range rows {
		for _, name := range []string{"id", "in_port", "ata", "atd", "waiting", "service", "draught_a", "draught_d", "ata_detected"} {
			want := fmt.Sprint(list[i][name])
			if name == "id" {
				want = idOf(list[i])
			}
			if want = strings.TrimPrefix(want, "<nil>"); row[name] != want {
				t.Errorf("%s is %q, want %q", name, row[name], want)
			}
		}
	}
	tanker, cargo := rows[0], rows[1]
	if tanker["mmsi"] != "219000700" || tanker["name"] != "OIL" || tanker["type"] != "Tanker" || tanker["imo"] != "" || tanker["port_locode"] != "DKAAR" || tanker["border_out"] != "" {
		t.Errorf("%v", tanker)
	}
	if cargo["confirmed_by"] != `'@sum` || cargo["ata"] != "2026-11-20T07:30:00Z" || cargo["ata_detected"] == "" || cargo["pilot_at"] != "" {
		t.Errorf("%v", cargo)
	}
	// It crosses the border, comes alongside, lets go, and crosses the border again.
	if !(cargo["border_in"] < cargo["ata_detected"] && cargo["ata"] < cargo["atd"] && cargo["atd"] < cargo["border_out"]) || cargo["border_in"] == "" {
		t.Errorf("%v", cargo)
	}
	for accept, table := range map[string]bool{"text/csv": true, "text/csv;q=0.3, application/json": false, "*/*": false, "text/html, text/csv;q=0.9": true} {
		a := s.send("GET", path+"?open=true", "", "Authorization", s.credentials("admin"), "Accept", accept).is(t, 200)
		if got := strings.HasPrefix(a.header.Get("Content-Type"), "text/csv"); got != table {
			t.Errorf("%s gets %s", accept, a.header.Get("Content-Type"))
		}
	}
	if open := s.rowsOf(s.get(path+"?open=true&format=csv"), "DKAAR-in-port-2026-11-20"); len(open) != 1 || open[0]["in_port"] != "true" || open[0]["atd"] != "" {
		t.Errorf("%v", open)
	}
	if none := s.rowsOf(s.get(path+"?begin=2026-11-18&end=2026-11-19&format=csv"), "DKAAR-calls-2026-11-18"); len(none) != 0 {
		t.Errorf("%v", none)
	}
	s.get(path+"?format=geojson").is(t, 400)
	s.get(path+"?format=csv&begin=soon").is(t, 400)
}

// TestWhereAShipWasBeforeAndAfter holds which ports a call names beside its own, and what the crew announces of a ship that is in port.
func TestWhereAShipWasBeforeAndAfter(t *testing.T) {
	s := newCalls(t)
	_, _, next := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	check := func(when, query string) {
		t.Helper()
		here, there := s.visitsTo("admin", query), recordsOf(t, s.get(visitsPath+"/"+easthavenID(s)+"?"+query).is(t, 200))
		if len(here) != 1 || len(there) != 1 {
			t.Fatalf("%s: %v\n%v", when, here, there)
		}
		locode := func(of any) any { port, _ := of.(map[string]any); return port["locode"] }
		if here[0]["previous"] != nil || locode(here[0]["next"]) != "DKEHV" || locode(there[0]["previous"]) != "DKAAR" || there[0]["next"] != nil {
			t.Errorf("%s: %v\n%v", when, here, there)
		}
		if left, lies := here[0]["ship"].(map[string]any), there[0]["ship"].(map[string]any); left["destination"] != nil || lies["destination"] != "DKAAR" {
			t.Errorf("%s: %v %v", when, left, lies)
		}
	}
	check("live", "")
	check("out of the store", "begin=2026-11-01&end=2026-11-30")
	rows := s.rowsOf(s.get(visitsPath+"/22781475?format=csv"), "DKAAR-calls-2026-11-19-to-2026-11-20")
	if rows[0]["next_locode"] != "DKEHV" || rows[0]["next_name"] != "Easthaven" || rows[0]["previous_name"] != "" {
		t.Errorf("%v", rows)
	}
	s.addUser("anna", access.GroupOperator) // who may not look back to when the ship lay at Aarhus
	s.set(`{"web_max_lookback_time":1}`)
	if at := recordsOf(t, s.call("anna", "GET", visitsPath+"/"+easthavenID(s), "").is(t, 200)); len(at) != 1 || at[0]["previous"] != nil {
		t.Errorf("it came at %s: %v", next, at)
	}
}

// TestATableOfCallsTellsNoMoreThanJSON holds that without view_ata_atd a table has no time and no number of a call either.
func TestATableOfCallsTellsNoMoreThanJSON(t *testing.T) {
	s := newCalls(t)
	_, _, _, now := s.harbour()
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	s.tick(now.Add(time.Hour))
	a := s.call("clerk", "GET", visitsPath+"/22781475?open=true&format=csv", "").is(t, 200)
	if body := string(a.body); !strings.Contains(body, "219000700") || strings.Contains(body, "2026-") || strings.Contains(body, idOf(s.visitsTo("admin", "open=true")[0])) {
		t.Errorf("%s", body)
	}
	if a := s.call("clerk", "GET", visitsPath+"/22781475?format=csv", "").is(t, 403); a.header.Get("Content-Disposition") != "" {
		t.Errorf("a problem is no file: %v", a.header)
	}
	s.allowAllBut("clerk", right.PCSAccess, false)
	s.call("clerk", "GET", arrivalsPath+"/22781475?format=csv", "").is(t, 403)
}

// TestArrivalsAsATable holds that tracks and ships that announce the port stand in the same columns, and that no name is a formula.
func TestArrivalsAsATable(t *testing.T) {
	s := newSite(t)
	said := voyage(219000101, "@SUM(A1)")
	s.hear(noon(), said)
	s.hear(noon(), position(219000101, 11.2, 56.9, 100, 1800))
	s.bindFor(219000102, "AARHUS", ais.ETA{Month: 11, Day: 21, Hour: 18}, "roof")
	s.settle()
	s.tracked("admin", `{"source":{"ship":{"mmsi":219000101},"draught":7.1},"destination":{"port":"DKAAR"},
		"erp":{"eta":"2026-11-21T10:00:00Z","attributes":[{"key":"Agent","value":"=HYPERLINK(\"x\")"}],"warp":[{"quay_id":7}]}}`)
	s.tracks.Seek(context.Background())
	path := arrivalsPath + "/22781475?announced=true"
	list, rows := recordsOf(t, s.get(path).is(t, 200)), s.rowsOf(s.get(path+"&format=csv"), "DKAAR-expected-2026-11-20")
	if len(rows) != 2 || len(list) != 2 {
		t.Fatalf("%v\n%v", rows, list)
	}
	for name, want := range map[string]string{
		"mmsi": "219000101", "name": "'@SUM(A1)", "draught": "7.1", "agent": `'=HYPERLINK("x")`, "erp_eta": "2026-11-21T10:00:00Z", "quay_id": "7", "eta": fmt.Sprint(list[0]["eta"]),
		"status": fmt.Sprint(list[0]["status_text"]), "announced": "", "eta_low": fmt.Sprint(list[0]["eta_low"]),
	} {
		if rows[0][name] != want {
			t.Errorf("%s is %q, want %q: %v", name, rows[0][name], want, rows[0])
		}
	}
	for name, want := range map[string]string{
		"mmsi": "219000102", "announced": "true", "eta_crew": "2026-11-21T18:00:00Z", "destination": "AARHUS", "track": "", "draught": "7.4", "latitude": "56.24",
	} {
		if rows[1][name] != want {
			t.Errorf("%s is %q, want %q: %v", name, rows[1][name], want, rows[1])
		}
	}
	s.get(arrivalsPath+"/1?format=csv").is(t, 404)
	s.get(path+"&format=kml").is(t, 400)
}

// TestTheFileOfAPortWithoutALOCODE holds that a name becomes one that every system takes.
func TestTheFileOfAPortWithoutALOCODE(t *testing.T) {
	s := newSite(t)
	for name, file := range map[string]string{`Ærø "Nord"; x`: "aero--nord---x", "港": ""} {
		made := s.post(portPath, fmt.Sprintf(`{"name":%q,"position":{"type":"Point","coordinates":[10.5,56.3]}}`, name)).is(t, 200).json(t)["id"].(float64)
		if file == "" {
			file = fmt.Sprintf("%.0f", made)
		}
		s.rowsOf(s.get(fmt.Sprintf("%s/%.0f?open=true&format=csv", visitsPath, made)), file+"-in-port-2026-11-20")
	}
}
