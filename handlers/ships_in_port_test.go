package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/handlers/ports"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const inPortPath = ports.Path + "/ships"

// whoIsInPort returns the ships that are in port as a user is told of them, each with its port and berth.
func (s *site) whoIsInPort(user string) string {
	s.t.Helper()
	var all []string
	told := s.call(user, "GET", inPortPath, "").is(s.t, 200)
	for _, one := range recordsOf(s.t, told) {
		text := fmt.Sprintf("%.0f %v", one["mmsi"], one["port"].(map[string]any)["name"])
		if berth, lies := one["berth"].(map[string]any); lies {
			text += fmt.Sprint(" ", berth["name"])
		}
		all = append(all, text)
	}
	if total := told.json(s.t)["total"]; total != float64(len(all)) {
		s.t.Errorf("%v ships in all, %d are told", total, len(all))
	}
	return strings.Join(all, ", ")
}

// quay4 gives Aarhus a berth; calls are looked for with it from a start on.
func (s *site) quay4() {
	s.t.Helper()
	s.call("admin", "PUT", portPath+"/DKAAR", `{"berths":[{"name":"Quay 4","length":300,"position":{"type":"Point","coordinates":[10.22,56.15]}}]}`).is(s.t, 200)
	s.restart()
}

// TestTheShipsInPort holds which ships are in which port and at which berth. A user without view_ata_atd learns it at the quarters of an hour alone, and
// no times.
func TestTheShipsInPort(t *testing.T) {
	const tanker = ais.MMSI(219000700)
	s := newCalls(t)
	s.quay4()
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	begin := noon().Add(-5*time.Hour + 4*time.Minute)
	s.heardBy(begin, voyage(nordic, "NORDIC HAV"), "roof")
	s.heardBy(begin, voyage(tanker, "OIL"), "roof")
	ata := s.coming(nordic, begin, aarhus, false, "roof")
	s.save(ata)
	if got := s.whoIsInPort("admin"); got != "" {
		t.Errorf("before the ship lies: %s", got)
	}
	now := s.lying(nordic, ata, aarhus, 40, "roof")
	s.save(now)
	now = s.lying(tanker, s.coming(tanker, now, easthaven, false, "roof"), easthaven, 30, "roof")
	s.save(now)
	const both = "219000700 Easthaven, 219018765 Aarhus Quay 4"
	if got := s.whoIsInPort("admin"); got != both {
		t.Errorf("both lie: %s", got)
	}
	lies := recordsOf(t, s.get(inPortPath).is(t, 200))[1]
	near(t, "since", lies["since"], ata)
	if port := lies["port"].(map[string]any); port["id"] != 22781475.0 || port["locode"] != "DKAAR" || lies["berth"].(map[string]any)["id"] == nil {
		t.Errorf("%v", lies)
	}
	page := s.get(inPortPath+"?limit=1&offset=1").is(t, 200).json(t)
	all := page["records"].([]any)
	if len(all) != 1 || all[0].(map[string]any)["mmsi"] != float64(nordic) || page["total"] != 2.0 || page["offset"] != 1.0 || page["limit"] != 1.0 {
		t.Errorf("the second page: %v", page)
	}
	s.get(inPortPath+"?limit=20001").is(t, 400, "bad_request")
	if got := s.whoIsInPort("clerk"); got != "219018765 Aarhus Quay 4" {
		t.Errorf("before a quarter of an hour is full: %s", got)
	}
	quarter := portcalls.AtQuarter(now).Add(portcalls.Quarter)
	now = s.lying(nordic, quarter, aarhus, 1, "roof")
	s.save(now)
	a := s.call("clerk", "GET", inPortPath, "").is(t, 200)
	if got := s.whoIsInPort("clerk"); got != both || strings.Contains(string(a.body), "2026") {
		t.Errorf("after it: %s: %s", got, a.body)
	}
	s.restart()
	s.save(now)
	if got := s.whoIsInPort("admin"); got != both {
		t.Errorf("after a restart: %s", got)
	}

	now = s.coming(nordic, now, aarhus, true, "roof")
	s.save(now)
	if got := s.whoIsInPort("admin"); got != "219000700 Easthaven" {
		t.Errorf("one has left: %s", got)
	}
	s.save(portcalls.AtQuarter(now).Add(portcalls.Quarter - time.Second))
	if got := s.whoIsInPort("clerk"); got != both {
		t.Errorf("before the next quarter is full: %s", got)
	}
	s.save(portcalls.AtQuarter(now).Add(portcalls.Quarter))
	if got := s.whoIsInPort("clerk"); got != "219000700 Easthaven" {
		t.Errorf("a quarter later: %s", got)
	}
}

// TestAHiddenShipIsInNoPort holds that a user is told of no ship that it may not see, and of none whose call began where or by a feed that it may not see.
func TestAHiddenShipIsInNoPort(t *testing.T) {
	const tanker = ais.MMSI(219000700)
	s := newSite(t, withReceivers)
	s.post(portPath, `{"name":"Easthaven","locode":"DKEHV","position":{"type":"Point","coordinates":[10.6,56.15]}}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"east","circle":{"center":{"type":"Point","coordinates":[10.6,56.15]},"radius":9000}}`).is(t, 200)
	s.restart(withReceivers)
	now := noon().Add(-5 * time.Hour)
	s.heardBy(now, voyage(nordic, "NORDIC HAV"), "roof")
	s.heardBy(now, voyage(tanker, "OIL"), "roof")
	now = s.lying(nordic, s.coming(nordic, now, aarhus, false, "sky"), aarhus, 40, "sky")
	now = s.lying(tanker, s.coming(tanker, now, easthaven, false, "roof"), easthaven, 30, "roof")
	now = s.lying(nordic, now, aarhus, 5, "sky", "roof")
	s.settle()
	s.save(now)
	const oil, cargo = "219000700 Easthaven", "219018765 Aarhus"
	s.addUser("anna", access.GroupOperator)
	for _, row := range [][2]string{
		{`{}`, oil + ", " + cargo},
		{`{"receive_filter":{"psss":["roof"]}}`, oil}, // which hears the cargo ship now, and did not when it came
		{`{"receive_filter":{"psss":["sky"]}}`, cargo},
		{`{"receive_filter":{"psss":["roof","sky"]}}`, oil + ", " + cargo},
		{`{"access_rights":{"view_satellites":"deny"}}`, oil},
		{`{"receive_filter":{"areas":["east"]}}`, oil},
		{`{"receive_filter":{"expression":"mmsi = 219018765"}}`, cargo},
		{`{"receive_filter":{"expression":"mmsi = 5"}}`, ""},
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"access_rights":{"view_satellites":""},"receive_filter":{"areas":null,"psss":null,"expression":null}}`).is(t, 200)
		s.call("admin", "PUT", usersPath+"/anna", row[0]).is(t, 200)
		if got := s.whoIsInPort("anna"); got != row[1] {
			t.Errorf("%s: %q, want %q", row[0], got, row[1])
		}
	}
}
