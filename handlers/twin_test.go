package handlers

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/geo"
	"quaywatch/handlers/ports"
	"quaywatch/users/access"
)

// twin is a site in which a ship lies in Aarhus, is tracked to Easthaven, and then sails there and moors, or stays. It returns what a user with a
// delay of four hours is told nearly four hours later, at each door.
func twin(t *testing.T, sails bool) map[string]string {
	const delay = 4 * time.Hour
	s := newCalls(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	for _, name := range []string{"pilot", "late"} {
		s.addUser(name, access.GroupOperator, "crew")
		s.call("admin", "PUT", usersPath+"/"+name, `{"access_rights":{"admin_ata_atd":"allow","ack_ata_atd":"allow"}}`).is(t, 200)
	}
	s.setFilter("late", fmt.Sprintf(`{"delay":%d}`, int(delay/time.Second)))
	now := noon().Add(-12*time.Hour + 4*time.Minute)
	tick := func() {
		s.settle()
		s.tick(now)
		s.voyages.Save()
		s.tracks.Seek(context.Background())
		s.tracks.Save()
	}
	lie := func(at geo.Point, minutes int) {
		now = s.lying(nordic, now, at, minutes, "roof")
		tick()
	}
	sail := func(to geo.Point, away bool) {
		now = s.coming(nordic, now, to, away, "roof")
		tick()
	}
	s.heardBy(now, voyage(nordic, "NORDIC HAV"), "roof")
	s.call("late", "GET", shipTrackPath, "").is(t, 200) // its picture begins
	sail(aarhus, false)
	lie(aarhus, 30)
	track := s.tracked("pilot", `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKEHV"}}`)
	lie(aarhus, 30)
	diverge := now
	if sails {
		static := voyage(nordic, "NORDIC HAV")
		static.Draught, static.Destination = 99, "DKEHV"
		s.heardBy(now, static, "roof")
		sail(aarhus, true)
		now = now.Add(10 * time.Minute)
		sail(easthaven, false)
		lie(easthaven, 60)
		other := voyage(219000888, "OTHER")
		other.Destination, other.IMO = "DKEHV", 0
		s.heardBy(now, other, "roof")
		s.heardBy(now, position(219000888, 10.9, 56.2, 100, 2700), "roof")
		sail(easthaven, true)
	}
	for now.Before(diverge.Add(delay - 20*time.Minute)) {
		if sails {
			now = now.Add(10 * time.Minute)
			tick()
		} else {
			lie(aarhus, 10)
		}
	}
	now = diverge.Add(delay - 5*time.Minute)
	tick()
	id := idOf(s.callsOf("admin", ofNordic)[len(s.callsOf("admin", ofNordic))-1])
	told := map[string]string{}
	at := func(t time.Time) string { return t.Format(time.RFC3339) }
	for i, row := range [][3]string{
		{"GET", track, ""}, {"GET", track + "?speed_for_arrival=2026-11-22T00:00:00Z", ""}, {"GET", shipTrackPath, ""}, {"GET", shipTrackPath + "?mmsi=219018765", ""},
		{"GET", arrivalsPath + "/" + easthavenID(s) + "?announced=true&route=true", ""}, {"GET", arrivalsPath + "/" + easthavenID(s) + "?status=arrived,departed", ""},
		{"GET", visitsPath + "/22781475?open=true", ""}, {"GET", visitsPath + "/" + easthavenID(s) + "?open=true", ""},
		{"GET", visitsPath + "/22781475?begin=" + at(now.Add(-20*time.Hour)), ""}, {"GET", visitsPath + "/" + easthavenID(s) + "?begin=" + at(now.Add(-30*time.Hour)), ""},
		{"GET", visitsPath + "/22781475?open=true&filter=port+%3D+DKAAR", ""}, {"GET", visitsPath + "/22781475?open=true&filter=draught+%3E+9", ""},
		{"GET", inPortPath, ""}, {"GET", homePath, ""}, {"GET", ports.Path + "/berths/22781475", ""}, {"GET", ports.Path + "/berths/" + easthavenID(s), ""},
		{"POST", callsPath, ofNordic}, {"POST", tripsPath, ofNordic}, {"POST", callsPath, `{"mmsi":219018765,"begin":"2026-11-19T22:00:00Z"}`},
		{"POST", callsPath, `{"mmsi":219000888}`}, {"POST", routePath + "/execute", routeOf(`"mmsi":219018765`)}, {"POST", routePath + "/execute", routeOf(`"mmsi":219000888`)},
		{"POST", shipTrackPath, `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKEHV"}}`},
		{"POST", shipTrackPath, `{"source":{"ship":{"mmsi":219000888}},"destination":{"port":"DKEHV"}}`},
		{"PUT", track, `{"erp":{"id":1}}`}, {"PUT", track + "/requested", `{"time":"2026-11-20T20:00:00Z"}`},
		{"DELETE", callsPath + "/" + id, ""},
		{"PUT", callsPath + "/" + id, `{"atd":"` + at(now.Add(-2*time.Minute)) + `"}`}, {"PUT", callsPath + "/" + id, `{"confirmed":true}`},
	} {
		a := s.call("late", row[0], row[1], row[2])
		if i < 7 && a.status != 200 || i == 6 && !strings.Contains(a.text(), "219018765") {
			t.Errorf("%s %s tells nothing: %s", row[0], row[1], a.text())
		}
		told[fmt.Sprintf("%2d %s %s %s", i, row[0], strings.TrimPrefix(row[1], portserver), row[2])] = a.text()
	}
	return told
}

// TestTwoWorldsAreOneToALateUser holds that a user with a delay is told the same at each door of calls, tracks, arrivals, berths and routes, whatever the
// ships did within the delay.
func TestTwoWorldsAreOneToALateUser(t *testing.T) {
	stays, sails := twin(t, false), twin(t, true)
	for what, text := range stays {
		if text != sails[what] {
			t.Errorf("%s differs when the ship sails: %s", what, difference(text, sails[what]))
		}
	}
}
