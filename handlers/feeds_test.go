package handlers

import (
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/users/access"
)

// TestThePilotOfThePierSeesWhatThePierHears: the roof hears a ship first, and the pier hears it too. The pilot of the pier sees it, and is
// not told of the roof. When the pier hears it no more, it goes from the pilot's map. It comes back when the pier hears it, though the
// roof still hears it first.
func TestThePilotOfThePierSeesWhatThePierHears(t *testing.T) {
	s := newSite(t, withReceivers)
	s.addUser("pilot", access.GroupOperator)
	s.setFilter("pilot", `{"psss":["pier"]}`)
	now, lon := noon(), 10.3
	sail := func(m ais.MMSI, d time.Duration, feeds ...string) {
		for end := now.Add(d); now.Before(end); now = now.Add(10 * time.Second) {
			lon += 1. / 600
			s.heardBy(now, position(m, lon, 56.14, 60, 900), feeds...)
		}
		s.settle()
	}
	seen := func(when string, m ais.MMSI, want bool) {
		t.Helper()
		open := s.routesShowing("pilot", m)
		if want && len(open) < 17 || !want && len(open) > 0 {
			t.Errorf("%s the ship is seen at %d routes: %v", when, len(open), open)
		}
		for route, body := range s.answers("pilot", m, now) {
			if strings.Contains(body, "roof") {
				t.Errorf("%s %s tells of the roof: %s", when, route, body)
			}
		}
	}
	s.heardBy(now, voyage(nordic, "NORDIC HAV"), "roof", "pier")
	sail(nordic, 2*time.Minute, "roof", "pier")
	seen("while both hear it", nordic, true)
	base := s.serve().URL
	l := listenAs(t, "pilot", base, "", "")
	l.until("picture")
	if record := l.ships[float64(nordic)]; record["feed"] != "pier" {
		t.Errorf("the map has %v", l.ships)
	}
	for filter, ships := range map[string]int{"source = pier": 1, "source = roof": 0, "source != pier": 0} {
		one := listenAs(t, "pilot", base, "filter="+url.QueryEscape(filter), "")
		if one.until("picture"); len(one.ships) != ships {
			t.Errorf("%s: %v", filter, slices.Collect(maps.Keys(one.ships)))
		}
		one.close()
	}

	sail(nordic, 13*time.Minute, "roof")
	for len(l.ships) > 0 { // the ship may have moved before it goes
		l.until("change")
	}
	l.close()
	seen("when the pier hears it no more", nordic, false)

	s.heardBy(now, position(nordic, lon, 56.14, 60, 900), "roof")
	seen("when the roof alone hears it", nordic, false)
	l = listenAs(t, "pilot", base, "", "")
	l.until("picture")
	s.batch.Reports[0].Feed = "pier" // the same message
	s.batch.Reports[0].Received = now.Add(time.Second)
	s.picture.Apply(&s.batch, s.db, s.sight, s.alarms, s.texts)
	if l.until("change"); l.ships[float64(nordic)]["feed"] != "pier" {
		t.Errorf("the pier hears the ship again, and the map has %v", l.ships)
	}
	l.close()
	seen("when the pier hears it again", nordic, true)

	now = now.Add(10 * time.Second)
	const quick ais.MMSI = 211222333
	s.heardBy(now, voyage(quick, "QUICK"), "pier", "roof")
	sail(quick, time.Minute, "pier", "roof")
	s.restart()
	seen("after a restart, when the pier heard it first", quick, true)
	if open := s.routesShowing("pilot", nordic); len(open) > 0 {
		t.Errorf("after a restart only the feed that heard the ship first is known, and the ship is seen at %v", open)
	}
	sail(nordic, 10*time.Second, "roof", "pier")
	seen("after a restart, when both hear it again", nordic, true)
}

// What satellites heard in the past stays hidden from a user without that right, even if the roof hears the ship now.
func TestSatellitesAreNotInTheTrackOfEverybody(t *testing.T) {
	s := newSite(t, withReceivers)
	s.addUser("pilot", access.GroupOperator)
	s.call("admin", "PUT", usersPath+"/pilot", `{"access_rights":{"view_satellites":"deny"}}`).is(t, 200)
	s.addUser("office", access.GroupOperator)
	s.call("admin", "PUT", usersPath+"/office", `{"access_rights":{"view_satellites":"allow"}}`).is(t, 200)
	now := noon()
	for i, feed := range []string{"sky", "sky", "roof", "sky", "roof", "roof"} {
		now = now.Add(time.Minute)
		s.heardBy(now, position(nordic, 10.3+float64(i)/100, 56.14, 120, 900), feed)
	}
	s.settle()
	for user, want := range map[string][]float64{"pilot": {10.32, 10.34, 10.35}, "office": {10.3, 10.31, 10.32, 10.33, 10.34, 10.35}} {
		job := s.call(user, "POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-21"}`).is(t, 202).json(t)
		var got []float64
		for _, at := range coordinates(t, s.finish(user, fmt.Sprintf("%s?id=%.0f", trackPath, job["id"]))) {
			got = append(got, at[0].(float64))
		}
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-5 }) {
			t.Errorf("the track of the %s has %v, want %v", user, got, want)
		}
	}
}

// If a satellite saw the ship far away meanwhile, a user without that right gets a track in two parts, with no line between them.
func TestAHiddenJumpJoinsNothing(t *testing.T) {
	s := newSite(t, withReceivers)
	s.addUser("pilot", access.GroupOperator)
	s.call("admin", "PUT", usersPath+"/pilot", `{"access_rights":{"view_satellites":"deny"}}`).is(t, 200)
	s.addUser("office", access.GroupOperator)
	s.call("admin", "PUT", usersPath+"/office", `{"access_rights":{"view_satellites":"allow"}}`).is(t, 200)
	now, lon := noon(), 10.3
	for i, feed := range []string{"roof", "roof", "sky", "sky", "sky", "sky", "roof", "roof"} {
		now, lon = now.Add(time.Minute), lon+0.001
		if i == 2 {
			lon += 5 // as when two ships have one number
		}
		s.heardBy(now, position(nordic, lon, 56.14, 120, 900), feed)
	}
	s.settle()
	for _, user := range []string{"office", "pilot"} {
		job := s.call(user, "POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-21"}`).is(t, 202).json(t)
		path := fmt.Sprintf("%s?id=%.0f", trackPath, job["id"])
		s.finish(user, path)
		body := string(s.call(user, "GET", path+"&format=geojson", "").is(t, 200).body)
		if lines := strings.Count(body, `"MultiLineString"`); lines != 1 || !strings.Contains(body, "]],[[") {
			t.Errorf("the way that the %s sees: %s", user, body)
		}
	}
}
