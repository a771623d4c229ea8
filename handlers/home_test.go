package handlers

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/handlers/ports"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const homePath = ports.Path + "/home"

// homeTold returns what a user is told of the port of the box, in a line: the LOCODE or name of the port, whether it is offered, and the ships near it.
func (s *site) homeTold(user string) string {
	s.t.Helper()
	a := s.call(user, "GET", homePath, "").is(s.t, 200).json(s.t)
	told := ""
	if missing, ok := a["missing"]; ok {
		told += fmt.Sprintf("missing %v ", missing)
	}
	for _, key := range []string{"port", "offer"} {
		if port, ok := a[key].(map[string]any); ok {
			code, has := port["locode"]
			if !has {
				code = port["name"]
			}
			told += fmt.Sprintf("%s %v ", key, code)
		}
	}
	if ships, ok := a["ships"]; ok {
		told += fmt.Sprint(ships)
	}
	return told
}

// lie lets so many ships be heard beside a place, at a bearing and a distance from it.
func (s *site) lie(first ais.MMSI, count int, beside geo.Point, bearing, metres float64) {
	s.t.Helper()
	for i := range count {
		at := geo.Destination(beside, bearing, metres)
		s.hear(s.clock.now(), position(first+ais.MMSI(i), at.Lon, at.Lat, 0, 900))
	}
}

// later lets so much time pass on the clock of the box.
func (s *site) later(d time.Duration) { s.clock.pass(d) }

// TestThePortOfTheConfiguration holds that the port of the box is that which the configuration names, by LOCODE, name or id.
func TestThePortOfTheConfiguration(t *testing.T) {
	for _, named := range []string{"DKAAR", "dk aar", "Aarhus", "aarhus", "22781475"} {
		s := newSite(t, func(c *Config, _ *Deps) { c.HomePort = named })
		s.lie(219000301, 3, geo.Point{Lon: 11.93, Lat: 57.7}, 0, 500) // Gothenburg has ships, and is not asked
		if told := s.homeTold("admin"); told != "port DKAAR " {
			t.Errorf("%s: %q", named, told)
		}
	}
}

// TestThePortOfTheConfigurationIsGone holds that where the port is not there any more the answer says so, and has the offer.
func TestThePortOfTheConfigurationIsGone(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.HomePort = "Old Harbour" })
	at := `"position":{"type":"Point","coordinates":[10.5,56.3]}`
	if told := s.homeTold("admin"); told != "missing Old Harbour " {
		t.Errorf("before it is made: %q", told)
	}
	s.post(portPath, `{"name":"Old Harbour",`+at+`}`).is(t, 200)
	if told := s.homeTold("admin"); told != "port Old Harbour " {
		t.Errorf("made: %q", told)
	}
	s.call("admin", "DELETE", portPath+"/old%20harbour", "").is(t, 204)
	s.lie(219000301, 2, aarhus, 180, 3000)
	if told := s.homeTold("admin"); told != "missing Old Harbour offer DKAAR 2" {
		t.Errorf("deleted: %q", told)
	}
}

// TestThePortOfTheConfigurationIsSeveral holds that a name of two ports is none.
func TestThePortOfTheConfigurationIsSeveral(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.HomePort = "Aarhus" })
	s.post(portPath, `{"name":"Aarhus","position":{"type":"Point","coordinates":[10.5,56.3]}}`).is(t, 200)
	if told := s.homeTold("admin"); told != "missing Aarhus " {
		t.Errorf("%q", told)
	}
}

// TestThePortWithMostShipsIsOffered holds which port is offered where the configuration names none.
func TestThePortWithMostShipsIsOffered(t *testing.T) {
	s := newSite(t)
	if told := s.homeTold("admin"); told != "" {
		t.Errorf("an empty box: %q", told)
	}
	s.lie(219000301, 2, aarhus, 180, 10_300) // farther than 10 km
	sea := geo.Point{Lon: 4, Lat: 56}
	s.lie(219000311, 9, sea, 0, 0)
	s.later(2 * time.Minute)
	if told := s.homeTold("admin"); told != "" {
		t.Errorf("no ship near a port: %q", told)
	}
	s.lie(219000321, 1, aarhus, 180, 9_700)
	s.later(2 * time.Minute)
	if told := s.homeTold("admin"); told != "offer DKAAR 1" {
		t.Errorf("one ship: %q", told)
	}
	skagen := geo.Point{Lon: 10.58, Lat: 57.72}
	s.lie(219000331, 3, skagen, 180, 2000)
	for m := range ais.MMSI(5) { // aids to navigation are no ships
		aid := ais.Place{Lon: int32(aarhus.Lon * 600000), Lat: int32(aarhus.Lat * 600000)}
		s.hear(s.clock.now(), &ais.AidToNavigation{Header: ais.Header{Type: 21, MMSI: 992190001 + m}, AidType: 14, Name: "BUOY", Place: aid, Second: 60})
	}
	if told := s.homeTold("admin"); told != "offer DKAAR 1" {
		t.Errorf("asked again at once it is not counted again: %q", told)
	}
	s.later(2 * time.Minute)
	if told := s.homeTold("admin"); told != "offer DKSKA 3" {
		t.Errorf("more ships elsewhere: %q", told)
	}
}

// TestAPortWithBordersIsOfferedBeforeABareName holds that a port where somebody drew a border, or entered berths, counts for twice as many ships.
func TestAPortWithBordersIsOfferedBeforeABareName(t *testing.T) {
	s := newSite(t)
	sea := geo.Point{Lon: 4, Lat: 56}
	for _, name := range []string{"Bare", "Worked"} {
		s.post(portPath, `{"name":"`+name+`","position":{"type":"Point","coordinates":[4,56]}}`).is(t, 200)
	}
	s.call("admin", "PUT", portPath+"/worked", `{"position":{"type":"Point","coordinates":[4.2,56]},"berths":[{"id":1,"name":"Quay"}]}`).is(t, 200)
	s.lie(219000301, 5, sea, 270, 5000)
	s.lie(219000311, 3, geo.Point{Lon: 4.2, Lat: 56}, 90, 5000)
	if told := s.homeTold("admin"); told != "offer Worked 3" {
		t.Errorf("three ships at a port with berths, and five at another: %q", told)
	}
	s.lie(219000321, 3, sea, 270, 5000)
	s.later(2 * time.Minute)
	if told := s.homeTold("admin"); told != "offer Bare 8" {
		t.Errorf("eight ships: %q", told)
	}
}

// TestTheOfferAtTheDateLine holds that ships on both sides of 180° are near a port there.
func TestTheOfferAtTheDateLine(t *testing.T) {
	s := newSite(t)
	s.post(portPath, `{"name":"Line","position":{"type":"Point","coordinates":[179.99,-17]}}`).is(t, 200)
	s.lie(219000301, 1, geo.Point{Lon: 179.95, Lat: -17}, 0, 0)
	s.lie(219000302, 1, geo.Point{Lon: -179.95, Lat: -17}, 0, 0)
	if told := s.homeTold("admin"); told != "offer Line 2" {
		t.Errorf("%q", told)
	}
}

// TestAHiddenShipMovesNoOffer holds that the offer counts the ships that the caller may see, and that whoever may not see ports is told nothing.
func TestAHiddenShipMovesNoOffer(t *testing.T) {
	s := newSite(t)
	s.addUser("hides", access.GroupViewer)
	s.call("admin", "PUT", usersPath+"/hides", `{"receive_filter":{"expression":"mmsi >= 219000400"}}`).is(t, 200)
	s.lie(219000301, 5, aarhus, 180, 1000)
	s.lie(219000401, 1, geo.Point{Lon: 10.58, Lat: 57.72}, 180, 2000)
	if told := s.homeTold("admin"); told != "offer DKAAR 5" {
		t.Errorf("admin: %q", told)
	}
	if told := s.homeTold("hides"); told != "offer DKSKA 1" {
		t.Errorf("hides: %q", told)
	}
	s.call("admin", "PUT", usersPath+"/hides", `{"access_rights":{"`+string(right.ViewPort)+`":"deny"}}`).is(t, 200)
	if a := s.call("hides", "GET", homePath, "").is(t, 403); len(a.json(t)) == 0 || a.json(t)["offer"] != nil {
		t.Errorf("without the right: %s", a.body)
	}
}

// BenchmarkHomePort is one request for the port of the box that counts all ships anew.
func BenchmarkHomePort(b *testing.B) {
	for _, ships := range []int{1000, 100_000, 200_000} {
		b.Run(fmt.Sprint(ships), func(b *testing.B) {
			s := sea(b, ships)
			var w *httptest.ResponseRecorder
			for b.Loop() {
				s.later(2 * time.Minute)
				w = s.fetch("GET", homePath, "")
			}
			if w == nil || w.Body.Len() < 40 {
				b.Fatal("no port is offered")
			}
		})
	}
}
