package handlers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/ports"
	"quaywatch/users/access/right"
)

const arrivalsPath = ports.Path + "/arrivals"

// announcing returns the ships that announce Aarhus as a user is told of them.
func (s *site) announcing(user string) []map[string]any {
	s.t.Helper()
	return recordsOf(s.t, s.call(user, "GET", arrivalsPath+"/22781475?announced=true", "").is(s.t, 200))
}

// numbers returns the MMSI of the ships of a list of arrivals.
func numbersOf(list []map[string]any) string {
	var numbers []string
	for _, one := range list {
		numbers = append(numbers, fmt.Sprint(int(one["ship"].(map[string]any)["mmsi"].(float64))))
	}
	return strings.Join(numbers, " ")
}

// bindFor lets a ship be heard at sea that is bound for a port.
func (s *site) bindFor(m ais.MMSI, destination string, eta ais.ETA, feeds ...string) {
	said := voyage(m, fmt.Sprintf("BOUND %d", m%1000))
	said.IMO, said.Destination, said.ETA = 0, destination, eta
	s.heardBy(noon(), said, feeds...)
	for i := range 5 {
		s.heardBy(noon().Add(time.Duration(i)*time.Minute), position(m, 11.5, 56.2+float64(i)/100, 100, 3400), feeds...)
	}
}

// TestArrivalsThatCrewsAnnounce holds order, the ETA of the crew, and ours by the way over sea.
func TestArrivalsThatCrewsAnnounce(t *testing.T) {
	s := newSite(t)
	s.bindFor(219000101, "DK AAR", ais.ETA{Hour: 24, Minute: 60}, "roof")
	s.bindFor(219000102, "AARHUS", ais.ETA{Month: 11, Day: 21, Hour: 18}, "roof")
	s.bindFor(219000103, "DE HAM > DK AAR", ais.ETA{Month: 11, Day: 20, Hour: 20}, "roof")
	s.bindFor(219000104, "HAMBURG", ais.ETA{Month: 11, Day: 20, Hour: 21}, "roof")
	s.hear(noon(), voyage(219000105, "LIES THERE"))
	s.hear(noon(), position(219000105, aarhus.Lon, aarhus.Lat, 0, 900))
	s.settle()
	if a := s.get(arrivalsPath+"/22781475").is(t, 200); len(recordsOf(t, a)) != 0 {
		t.Errorf("without announced: %s", a.body)
	}
	list := s.announcing("admin")
	if got := numbersOf(list); got != "219000103 219000102 219000101" {
		t.Fatalf("%s announce Aarhus", got)
	}
	first := list[0]
	if first["eta_crew"] != "2026-11-20T20:00:00Z" || first["announced"] != true || first["crew_record"] != nil || list[2]["eta_crew"] != nil {
		t.Errorf("%v", first)
	}
	ship, at := first["ship"].(map[string]any), first["last_position"].(map[string]any)
	if ship["type"] != "Cargo" || at["extensions"] == nil || len(at["coordinates"].([]any)) != 5 {
		t.Errorf("ship %v at %v", ship, at)
	}
	// From 11.5 E 56.2 N to Aarhus it is some 90 km over land, and more around Djursland or Samsø; the ships make 10 knots.
	metres, _ := first["distance"].(float64)
	eta, err := time.Parse(time.RFC3339, fmt.Sprint(first["eta"]))
	if hours := eta.Sub(noon()).Hours(); metres < 80_000 || metres > 160_000 || err != nil || hours < metres/18520-0.3 || hours > metres/18520+0.3 {
		t.Errorf("%v metres, ETA %v: %v", first["distance"], first["eta"], err)
	}
	one := recordsOf(t, s.get(arrivalsPath+"/22781475?announced=true&mmsi=219000103").is(t, 200))
	if len(one) != 1 || one[0]["eta"] != first["eta"] || one[0]["distance"] != first["distance"] {
		t.Errorf("of one ship the list has %v, and of all %v", one, first)
	}
	for _, other := range []string{"219000104", "219000105", "219000199"} { // bound for elsewhere, arrived, unknown
		if list := recordsOf(t, s.get(arrivalsPath+"/22781475?announced=true&mmsi="+other).is(t, 200)); len(list) != 0 {
			t.Errorf("%s is expected: %v", other, list)
		}
	}
	s.get(arrivalsPath+"/22781475?mmsi=ship").is(t, 400)
	s.get(arrivalsPath+"/1").is(t, 404)
	s.get(arrivalsPath+"/22781475?announced=perhaps").is(t, 400)
}

// TestTrackingMovesNoETA holds that a ship that announces a port has the ETA there that its track has.
func TestTrackingMovesNoETA(t *testing.T) {
	s := newSite(t)
	s.bindFor(219000101, "DK AAR", ais.ETA{Hour: 24, Minute: 60}, "roof")
	s.settle()
	announced := s.announcing("admin")[0]
	s.tracked("admin", `{"source":{"ship":{"mmsi":219000101}},"destination":{"port":"DKAAR"}}`)
	s.tracks.Seek(context.Background())
	var etas [2]time.Time
	for i, of := range []map[string]any{announced, s.announcing("admin")[0]} {
		var err error
		if etas[i], err = time.Parse(time.RFC3339, fmt.Sprint(of["eta"])); err != nil {
			t.Fatal(of, err)
		}
	}
	if by := etas[1].Sub(etas[0]); by.Abs() > time.Minute {
		t.Errorf("when the ship is tracked, its ETA moves by %v from %v", by, etas[0])
	}
}

// TestTheCrewsRecord holds that the list tells how late a ship came after what its crew had said on its last call.
func TestTheCrewsRecord(t *testing.T) {
	s := newCalls(t)
	begin := noon().Add(-6 * time.Hour)
	said := voyage(nordic, "NORDIC HAV")
	said.ETA = ais.ETA{Month: 11, Day: 20, Hour: 6} // it comes at 06:27
	s.heardBy(begin, said, "roof")
	ata := s.coming(nordic, begin, aarhus, false, "roof")
	atd := s.lying(nordic, ata, aarhus, 40, "roof")
	s.save(atd)
	at := s.coming(nordic, atd, aarhus, true, "roof")
	s.settle()
	s.save(at)
	if list := s.announcing("admin"); len(list) != 0 {
		t.Errorf("a ship that has left the port announces it still: %v", list)
	}
	said.ETA = ais.ETA{Month: 11, Day: 21, Hour: 9}
	s.heardBy(at.Add(time.Minute), said, "roof") // an answer is kept for ten seconds
	list := s.announcing("admin")
	if numbersOf(list) != fmt.Sprint(int(nordic)) {
		t.Fatalf("%v", list)
	}
	record, _ := list[0]["crew_record"].(map[string]any)
	if record["calls"] != 1.0 || !strings.HasPrefix(fmt.Sprint(record["late"]), "00:2") {
		t.Errorf("%v, the ship came at %s", record, ata)
	}
}

// TestAHiddenAnnouncerStaysHidden holds that the list has what the user sees, and that ports made here are told with view_port alone.
func TestAHiddenAnnouncerStaysHidden(t *testing.T) {
	s := newSite(t, withReceivers)
	made := s.post(portPath, `{"name":"Little Harbour","locode":"DKLIT","position":{"type":"Point","coordinates":[10.5,56.3]}}`).is(t, 200).json(t)["id"]
	s.may("agent", right.PCSAccess)
	s.setFilter("agent", `{"psss":["pier"]}`)
	s.bindFor(219000101, "DKAAR", ais.ETA{Month: 11, Day: 21}, "roof")
	s.bindFor(219000102, "DKAAR", ais.ETA{Month: 11, Day: 21}, "pier")
	s.settle()
	list := s.announcing("agent")
	if got := numbersOf(list); got != "219000102" {
		t.Errorf("the agent of the pier is told of %s", got)
	}
	if hidden := s.call("agent", "GET", arrivalsPath+"/22781475?announced=true&mmsi=219000101", "").is(t, 200); len(recordsOf(t, hidden)) != 0 {
		t.Errorf("asked for by its number: %s", hidden.body)
	}
	if len(list) == 1 && (list[0]["eta"] != nil || list[0]["distance"] != nil) {
		t.Errorf("an ETA without view_predicted_position: %v", list[0])
	}
	s.call("agent", "GET", fmt.Sprintf("%s/%.0f", arrivalsPath, made), "").is(t, 404)
	s.call("admin", "GET", fmt.Sprintf("%s/%.0f", arrivalsPath, made), "").is(t, 200)
}

// TestTrackedArrivals holds the order of tracks to a port, that a tracked ship is not announced again, and the query.
func TestTrackedArrivals(t *testing.T) {
	s := newSite(t)
	for i, m := range []ais.MMSI{219000101, 219000102, 219000103} {
		said := voyage(m, fmt.Sprintf("BOUND %d", i))
		said.IMO = 0
		s.hear(noon(), said)
		s.hear(noon(), position(m, 11.2, 56.9-float64(i)/5, 100, 1800))
	}
	s.settle()
	for _, m := range []int{219000101, 219000102} {
		s.tracked("admin", fmt.Sprintf(`{"source":{"ship":{"mmsi":%d}},"destination":{"port":"DKAAR"}}`, m))
	}
	s.tracked("admin", `{"source":{"port":"SEGOT"},"destination":{"port":"DKAAR"}}`)
	s.tracked("admin", `{"source":{"ship":{"mmsi":219000103}},"destination":`+skagen+`}`)
	s.tracks.Seek(context.Background())
	path := arrivalsPath + "/22781475"
	sources := func(query string) string {
		var all []string
		for _, one := range recordsOf(t, s.get(path+query).is(t, 200)) {
			of, _ := one["ship"].(map[string]any)
			if from, ok := one["source"].(map[string]any); ok {
				of, _ = from["ship"].(map[string]any)
			}
			all = append(all, strings.TrimSuffix(fmt.Sprint(of["mmsi"]), "e+08"))
		}
		return strings.Join(all, " ")
	}
	for query, want := range map[string]string{
		"": "2.19000102 2.19000101 <nil>", "?announced=true": "2.19000102 2.19000101 <nil> 2.19000103", "?status=under_way": "2.19000102 2.19000101",
		"?status=0,7": "<nil>", "?status=departed": "",
	} {
		if got := sources(query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if plain := recordsOf(t, s.get(path).is(t, 200))[0]; plain["route"] != nil || plain["geo"] != nil || plain["eta"] == nil {
		t.Errorf("%v", plain)
	}
	if whole := recordsOf(t, s.get(path+"?route=true").is(t, 200))[0]; whole["route"] == nil || whole["geo"] == nil {
		t.Errorf("%v", whole)
	}
	s.get(path+"?status=somewhere").is(t, 400)
}
