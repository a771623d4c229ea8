package handlers

import (
	"fmt"
	"maps"
	"testing"

	"quaywatch/ais"
	"quaywatch/users/access/right"
)

// bound returns what /ship/info tells a user of the port that a ship is bound for: nil when nothing.
func (s *site) bound(user string, m ais.MMSI) map[string]any {
	s.t.Helper()
	port, _ := s.call(user, "GET", fmt.Sprintf("/api/portserver/ship/info/%d", m), "").is(s.t, 200).json(s.t)["destination_port"].(map[string]any)
	return port
}

// TestShipInfoReadsTheDestination tells the port by id, LOCODE and name, of a ship heard and of one in the register, and none where none is
// meant. Other answers do not have it.
func TestShipInfoReadsTheDestination(t *testing.T) {
	s := newSite(t)
	for i, row := range []struct {
		text, locode, name string
		id                 float64
	}{
		{"DKAAR", "DKAAR", "Aarhus", 22781475},
		{"RU LED>DK AAR", "DKAAR", "Aarhus", 22781475},
		{"HAMBURG VIA NOK", "DEHAM", "Hamburg", 0},
		{"FOR ORDERS", "", "", 0},
		{"PLYMOUTH", "", "", 0},
		{"", "", "", 0},
	} {
		m := ais.MMSI(219000100 + i)
		said := voyage(m, fmt.Sprintf("BOUND %d", i))
		said.IMO, said.Destination = 0, row.text
		s.hear(noon(), said)
		port := s.bound("admin", m)
		if row.name == "" && port != nil || row.name != "" && (port["locode"] != row.locode || port["name"] != row.name || row.id != 0 && port["id"] != row.id) {
			t.Errorf("%q is told as %v, want %s", row.text, port, row.locode)
		}
	}
	s.hear(noon(), position(219000100, 10.3, 56.14, 0, 900))
	s.settle()
	for _, path := range []string{"/api/portserver/ship/search/219000100", "/api/portserver/ship/position/219000100"} {
		if record := s.get(path).is(t, 200).json(t); record["destination_port"] != nil {
			t.Errorf("%s: %v", path, record)
		}
	}
	byHand := s.post(registerPath, `{"name":"BARGE","destination":"Århus","position":{"type":"Point","coordinates":[10.3,56.2]}}`).is(t, 200).json(t)
	s.picture.Apply(&ais.Batch{}, s.db, s.sight) // the picture's goroutine has its turn
	if port := s.bound("admin", ais.MMSI(byHand["mmsi"].(float64))); port["locode"] != "DKAAR" {
		t.Errorf("the ship of the register is bound for %v", port)
	}
}

// TestAPortMadeByHandCountsAtOnce reads a destination before a port is made, when it is there, under its new name, and when it is gone. A
// user that may not see ports is not told of it.
func TestAPortMadeByHandCountsAtOnce(t *testing.T) {
	s := newSite(t)
	s.may("pilot", right.ViewPort)
	s.may("guest")
	said := voyage(nordic, "NORDIC HAV")
	said.Destination = "STONE QUAY"
	s.hear(noon(), said)
	if port := s.bound("pilot", nordic); port != nil {
		t.Fatalf("no port was made, and it is bound for %v", port)
	}
	made := s.post(portPath, `{"name":"Stone Quay","position":{"type":"Point","coordinates":[10.3,56.2]}}`).is(t, 200).json(t)
	want := map[string]any{"id": made["id"], "name": "Stone Quay"}
	if port := s.bound("pilot", nordic); !maps.Equal(port, want) {
		t.Errorf("it is bound for %v, want %v", port, want)
	}
	if port := s.bound("guest", nordic); port != nil {
		t.Errorf("a user that may not see ports is told of %v", port)
	}
	path := fmt.Sprintf("%s/%.0f", portPath, made["id"])
	s.call("admin", "PUT", path, `{"name":"Sand Quay"}`).is(t, 200)
	if port := s.bound("pilot", nordic); port != nil {
		t.Errorf("the port has another name, and it is bound for %v", port)
	}
	s.call("admin", "PUT", path, `{"name":"Stone Quay"}`).is(t, 200)
	s.call("admin", "DELETE", path, "").is(t, 204)
	if port := s.bound("pilot", nordic); port != nil {
		t.Errorf("the port is gone, and it is bound for %v", port)
	}
}
