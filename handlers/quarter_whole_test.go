//go:build !race

package handlers

import (
	"context"
	"fmt"
	"testing"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/handlers/ports"
	"quaywatch/ship"
	"quaywatch/users/access/right"
)

// TestNobodyLearnsTheMinuteOfADeparture asks each minute, as a user without view_ata_atd, all that tells of calls and tracks, while a ship leaves a
// port and comes to another. The answers change with the quarters of an hour alone.
func TestNobodyLearnsTheMinuteOfADeparture(t *testing.T) {
	s := newCalls(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.may("pilot", right.PCSAccess, right.ViewATAATD, right.ViewPort)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewATAATD, false)
	for _, name := range []string{"pilot", "clerk"} {
		s.call("admin", "PUT", usersPath+"/"+name, `{"groups":["crew"]}`).is(t, 200)
	}
	now := noon().Add(-7*time.Hour + 9*time.Minute)
	var track string
	stream := s.server.tracks.Stream()
	clerk, _ := s.users.User("clerk")
	var filters []*ship.Filter
	for _, text := range []string{"port = DKAAR", "in port", "alongside", "waiting"} {
		f, err := ship.ParseFilter(text, s.server.settings.Lookup(clerk))
		if err != nil {
			t.Fatal(err)
		}
		filters = append(filters, f)
	}
	ask := func() (told map[string]string) {
		told = map[string]string{}
		again := s.call("clerk", "POST", shipTrackPath, `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKEHV"}}`).is(t, 200)
		told["to be tracked again"] = string(again.body)
		s.tracks.Seek(context.Background())
		for what, path := range map[string]string{
			"the track": track, "its speed": track + "?speed_for_arrival=2026-11-21T23:00:00Z", "the tracks": shipTrackPath,
			"arrivals": arrivalsPath + "/" + easthavenID(s), "in Aarhus": visitsPath + "/22781475?open=true", "in Easthaven": visitsPath + "/" + easthavenID(s) + "?open=true",
			"under way": arrivalsPath + "/" + easthavenID(s) + "?status=under_way", "berths": ports.Path + "/berths/22781475",
			"in any port": inPortPath,
		} {
			told[what] = positions.ReplaceAllString(string(s.call("clerk", "GET", path+onlyStatus(path), "").is(t, 200).body), "")
		}
		for what, path := range map[string]string{"calls": callsPath, "trips": tripsPath} {
			told[what] = positions.ReplaceAllString(string(s.call("clerk", "POST", path, ofNordic).is(t, 200).body), "")
		}
		state, _ := s.shipNow(nordic)
		for _, f := range filters {
			told[f.String()] = fmt.Sprint(f.Match(&state, now))
		}
		return told
	}
	news := func() string {
		v, err := s.sight.Of(context.Background(), clerk, "clerk")
		if err != nil {
			t.Fatal(err)
		}
		event, err := stream(context.Background(), v, clerk)
		if err != nil {
			t.Fatal(err)
		}
		return string(event)
	}
	var before map[string]string
	changed, minutes, odd, events := map[string]bool{}, 0, 0, 0
	var was string
	var asked time.Time
	step := func(p geo.Point, tenths, course int) {
		s.heardBy(now, position(nordic, p.Lon, p.Lat, tenths, course), "roof")
		now = now.Add(time.Minute)
		s.settle()
		s.save(now)
		s.tracks.Save()
		if track == "" {
			return
		}
		full := portcalls.AtQuarter(now) != portcalls.AtQuarter(asked)
		asked = now
		s.tracks.Seek(context.Background())
		if word := fmt.Sprint(s.call("pilot", "GET", track, "").is(t, 200).json(t)["status_text"]); word != was {
			if was = word; !full {
				odd++
			}
		}
		answers := ask()
		for what, text := range answers {
			if before == nil || text == before[what] {
				continue
			}
			if changed[what] = true; !full {
				t.Errorf("%v: %s changes: %s", now.Format("15:04"), what, difference(before[what], text))
			}
		}
		if before != nil {
			minutes++
		}
		before = answers
		s.tracks.Raise()
		if e := news(); e != "" {
			if events++; !full {
				t.Errorf("%v: the stream tells %s", now.Format("15:04"), e)
			}
		}
	}
	sail := func(from, to geo.Point, course int) {
		metres := geo.Distance(from, to)
		for m := 0.0; m < metres; m += 308.67 {
			step(geo.Destination(from, geo.Bearing(from, to), m), 100, course)
		}
	}
	lie := func(at geo.Point, minutes int) {
		for range minutes {
			step(at, 0, 900)
		}
	}
	s.heardBy(now, voyage(nordic, "NORDIC HAV"), "roof")
	sail(geo.Destination(aarhus, 90, 8000), aarhus, 2700)
	lie(aarhus, 40)
	track = s.tracked("pilot", `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKEHV"}}`)
	s.tracks.Seek(context.Background())
	lie(aarhus, 8)
	sail(aarhus, between, 900)
	now = now.Add(45 * time.Minute) // unheard
	sail(between, easthaven, 900)
	lie(easthaven, 40)
	if odd < 1 || minutes < 100 || events < 3 || !changed["the track"] || !changed["in Aarhus"] || !changed["in Easthaven"] || !changed["in any port"] || !changed["calls"] || !changed["port = DKAAR"] || !changed["in port"] || !changed["alongside"] {
		t.Errorf("%d statuses changed elsewhere than at a quarter, %d events in %d minutes, changed are %v", odd, events, minutes, changed)
	}
	if told, all := s.tripsOf("clerk", ofNordic)[0], s.tripsOf("admin", ofNordic)[0]; told["gap"] != nil || all["gap"] == nil {
		t.Errorf("the trip has the gap %v, for the administrator %v", told["gap"], all["gap"])
	}
	if one := s.call("clerk", "GET", track, "").is(t, 200).json(t); one["status_text"] != "arrived" {
		t.Errorf("at last it is %v", one["status_text"])
	}
}
