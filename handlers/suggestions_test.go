package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/handlers/ports"
	"quaywatch/users/access"
)

const suggestionsPath = ports.Path + "/berths"

// TestBerthsAreSuggested holds that a place where ships lay again and again is suggested until the port has a berth there, and that the answer tells
// of no ship.
func TestBerthsAreSuggested(t *testing.T) {
	s := newSite(t)
	aarhusBerths := suggestionsPath + "/22781475"
	if a := s.get(aarhusBerths).is(t, 200); len(recordsOf(t, a)) != 0 || !strings.Contains(string(a.body), "no ship is known to have lain") {
		t.Errorf("without a call: %s", a.body)
	}
	quay := geo.Destination(aarhus, 180, 400)
	for i := range 5 {
		m := ais.MMSI(219000201 + i)
		begin := noon().Add(time.Duration(4*i-24) * time.Hour)
		said := voyage(m, "GUEST")
		said.IMO = 0
		s.heardBy(begin, said, "roof")
		at := s.coming(m, begin, quay, false, "roof")
		at = s.coming(m, s.lying(m, at, quay, 70, "roof"), quay, true, "roof")
		s.settle()
		s.save(at)
		if got := len(recordsOf(t, s.get(aarhusBerths).is(t, 200))); got != i/4 {
			t.Fatalf("%d suggestions after %d ships", got, i+1)
		}
	}
	a := s.get(aarhusBerths).is(t, 200)
	one := recordsOf(t, a)[0]
	at := one["position"].(map[string]any)["coordinates"].([]any)
	middle := geo.Destination(quay, 90, 51) // the antenna stands 51 m behind it
	if off := geo.Distance(geo.Point{Lon: at[0].(float64), Lat: at[1].(float64)}, middle); off > 5 {
		t.Errorf("the place is %.0f m off", off)
	}
	if one["kind"] != "berth" || one["ships"] != 5.0 || one["stays"] != 5.0 || one["length"] != 140.0 || one["direction"] != 90.0 {
		t.Errorf("%v", one)
	}
	if text := string(a.body); strings.Contains(text, "2190002") || strings.Contains(text, "GUEST") {
		t.Errorf("the answer tells of a ship: %s", text)
	}
	berth := `{"berths":[{"name":"Quay 4","length":140,"position":{"type":"Point","coordinates":[10.2205,56.1464]}}]}`
	s.call("admin", "PUT", portPath+"/22781475", berth).is(t, 200)
	if a := s.get(aarhusBerths).is(t, 200); len(recordsOf(t, a)) != 0 {
		t.Errorf("there is a berth: %s", a.body)
	}
	s.get(suggestionsPath+"/1").is(t, 404)
}

// visit lets a ship lie at a place five times, from a time on, three times a day.
func (s *site) visit(m ais.MMSI, from time.Time, quay geo.Point, times int) {
	s.t.Helper()
	said := voyage(m, "GUEST")
	said.IMO = 0
	s.heardBy(from, said, "roof")
	at := from
	for i := range times {
		at = s.coming(m, from.Add(time.Duration(8*i)*time.Hour), quay, false, "roof")
		at = s.coming(m, s.lying(m, at, quay, 70, "roof"), quay, true, "roof")
	}
	s.settle()
	s.save(at)
}

// placesFor returns for each suggested place of Aarhus its ships and stays, those of few ships with a mark.
func (s *site) placesFor(user string) (text string) {
	s.t.Helper()
	for _, one := range recordsOf(s.t, s.call(user, "GET", suggestionsPath+"/22781475", "").is(s.t, 200)) {
		text += fmt.Sprintf("%v/%v", one["ships"], one["stays"])
		if one["few"] == true {
			text += " few"
		}
		text += "; "
	}
	return text
}

// TestAHiddenShipsBerthStaysHidden holds that a place which one ship used is told to a caller alone that may see the ship and its calls, and that
// to anybody else the answer is the same whether the ship was ever there. What ships did in the last day tells a caller nothing that is told late
// or is not told when ships come.
func TestAHiddenShipsBerthStaysHidden(t *testing.T) {
	const shown, hidden = ais.MMSI(219000301), ais.MMSI(219000302)
	s := newSite(t)
	callers := map[string]string{"anna": `{"receive_filter":{"expression":"mmsi != 219000302"}}`, "late": `{"receive_filter":{"delay":86400}}`,
		"near": `{"settings":{"web_max_lookback_time":24}}`, "blind": `{"access_rights":{"view_history":"deny"}}`,
		"timeless": `{"access_rights":{"view_ata_atd":"deny"}}`, "hides": `{"receive_filter":{"expression":"mmsi = 219999999"}}`}
	for name, change := range callers {
		s.addUser(name, access.GroupOperator)
		s.call("admin", "PUT", usersPath+"/"+name, change).is(t, 200)
	}
	check := func(when string, want map[string]string) {
		t.Helper()
		for name, text := range want {
			if got := s.placesFor(name); got != text {
				t.Errorf("%s: %s is told %q, want %q", when, name, got, text)
			}
		}
	}
	unseen := func() string {
		return string(s.call("anna", "GET", suggestionsPath+"/22781475", "").body) + string(s.call("hides", "GET", suggestionsPath+"/22781475", "").body)
	}
	first, second := geo.Destination(aarhus, 180, 400), geo.Destination(aarhus, 180, 800)
	s.visit(shown, noon().Add(-15*24*time.Hour), first, 5)
	s.tick(noon().Add(-10 * 24 * time.Hour))
	check("one ship", map[string]string{"admin": "1/5 few; ", "anna": "1/5 few; ", "late": "1/5 few; ", "near": "", "blind": "",
		"timeless": "1/5 few; ", "hides": ""})
	before := unseen()
	s.visit(hidden, noon().Add(-9*24*time.Hour), second, 6)
	s.visit(hidden, noon().Add(-6*24*time.Hour), first, 2) // beside the other ship
	s.tick(noon().Add(-3 * 24 * time.Hour))
	check("two ships", map[string]string{"admin": "2/7 few; 1/6 few; ", "late": "2/7 few; 1/6 few; ", "near": "",
		"blind": "", "timeless": "2/7 few; 1/6 few; "})
	if after := unseen(); after != before {
		t.Errorf("the hidden ship shows:\n%s\nbefore it came:\n%s", after, before)
	}
	s.visit(shown, noon().Add(-4*time.Hour), first, 1)
	s.tick(noon())
	check("today", map[string]string{"admin": "2/8 few; 1/6 few; ", "anna": "1/5 few; ", "late": "2/7 few; 1/6 few; ", "near": "",
		"timeless": "2/7 few; 1/6 few; "})
	s.visit(219000303, noon().Add(time.Hour), first, 1) // the third ship there
	s.tick(noon().Add(60 * time.Hour))
	check("three ships", map[string]string{"admin": "3/9; 1/6 few; ", "anna": "3/9; ", "blind": "3/9; ", "near": "3/9; ", "hides": "3/9; "})
}
