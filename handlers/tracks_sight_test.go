package handlers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestTracksAreSharedInGroups holds that users of a common group see and change a track, and nobody else but administrators.
func TestTracksAreSharedInGroups(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.underWay(nordic, noon(), 2)
	s.post(groups, `{"name":"pilots"}`).is(t, 200)
	s.post(groups, `{"name":"agents"}`).is(t, 200)
	for name, group := range map[string]string{"anna": "pilots", "bert": "pilots", "cora": "agents"} {
		s.may(name, right.PCSAccess)
		s.call("admin", "PUT", usersPath+"/"+name, `{"groups":["`+group+`"]}`).is(t, 200)
	}
	path := s.tracked("anna", aTrack)
	if other := s.tracked("cora", aTrack); other == path {
		t.Errorf("cora is given the track of strangers")
	}
	if same := s.tracked("bert", aTrack); same != path {
		t.Errorf("bert tracks the ship again")
	}
	one := s.call("bert", "GET", path, "").is(t, 200).json(t)
	if one["owner"] != "anna" || fmt.Sprint(one["group"]) != "[pilots]" || one["route"] != nil || one["track"] != nil {
		t.Errorf("bert is told %v", one)
	}
	s.call("bert", "PUT", path, `{"erp":{"id":1}}`).is(t, 200)
	for _, method := range []string{"GET", "PUT", "DELETE"} {
		s.call("cora", method, path, `{}`).is(t, 404)
	}
	if n := len(recordsOf(t, s.get(shipTrackPath).is(t, 200))); n != 2 {
		t.Errorf("the administrator sees %d tracks", n)
	}
	warns := func(user string) any { return s.get(usersPath+"/"+user).is(t, 200).json(t)["warn_on_deletion"] }
	if warns("anna") != true || warns("bert") != false {
		t.Errorf("anna has a track and bert none; they warn %v and %v", warns("anna"), warns("bert"))
	}
	s.call("admin", "POST", usersPath+"/anna/reassign", `{"name":"cora"}`).is(t, 200)
	s.call("bert", "GET", path, "").is(t, 404)
	if n := len(recordsOf(t, s.call("cora", "GET", shipTrackPath, "").is(t, 200))); n != 2 {
		t.Errorf("cora sees %d tracks", n)
	}
	s.restart()
	if warns("anna") != false || warns("cora") != true {
		t.Errorf("anna has no track any more and cora has; they warn %v and %v", warns("anna"), warns("cora"))
	}
	s.call("cora", "DELETE", path, "").is(t, 204)
}

// TestAHiddenTrackStaysHidden holds that a track of a hidden ship, or to one, is none, and that a port made here is not told.
func TestAHiddenTrackStaysHidden(t *testing.T) {
	s := newSite(t, withReceivers)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	made := s.post(portPath, `{"name":"Little Harbour","locode":"DKLIT","position":{"type":"Point","coordinates":[10.5,56.3]}}`).is(t, 200).json(t)["id"]
	s.heardBy(noon(), position(219000101, 11.2, 56.6, 90, 0), "roof")
	s.heardBy(noon(), position(219000102, 11.2, 56.7, 90, 0), "pier")
	s.settle()
	s.addUser("captain", access.GroupOperator, "crew")
	s.may("agent", right.PCSAccess, right.ViewPredictedPosition)
	s.call("admin", "PUT", usersPath+"/agent", `{"groups":["crew"]}`).is(t, 200)
	s.setFilter("agent", `{"psss":["pier"]}`)
	start := func(from, to string) string { return s.tracked("captain", `{"source":`+from+`,"destination":`+to+`}`) }
	roof, pier := `{"ship":{"mmsi":219000101}}`, `{"ship":{"mmsi":219000102}}`
	hidden := []string{start(roof, skagen), start(pier, roof), start(kattegat, roof)}
	plain, little := start(pier, skagen), start(pier, fmt.Sprintf(`{"port":{"id":%.0f}}`, made))
	s.tracks.Seek(context.Background())
	for _, path := range hidden {
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			a := s.call("agent", method, path, `{}`).is(t, 404)
			none := s.call("agent", method, shipTrackPath+"/77", `{}`).is(t, 404)
			if a.text() != strings.ReplaceAll(none.text(), shipTrackPath+"/77", path) {
				t.Errorf("%s %s answers %s", method, path, a.text())
			}
		}
		body := `{"time":"2026-11-21T14:00:00Z"}`
		a := s.call("agent", "PUT", path+"/requested", body).is(t, 404)
		if none := s.call("agent", "PUT", shipTrackPath+"/77/requested", body); a.text() != strings.ReplaceAll(none.text(), shipTrackPath+"/77", path) {
			t.Errorf("asked for a time: %s", a.text())
		}
		s.call("captain", "GET", path, "").is(t, 200)
	}
	if n := len(recordsOf(t, s.call("agent", "GET", shipTrackPath, "").is(t, 200))); n != 2 {
		t.Errorf("the agent sees %d tracks", n)
	}
	if one := s.call("agent", "GET", plain, "").is(t, 200).json(t); one["route"] == nil || one["geo"] == nil {
		t.Errorf("%v", one)
	}
	a := s.call("agent", "GET", little, "").is(t, 200)
	if one := a.json(t); one["route"] != nil || one["geo"] != nil || strings.Contains(string(a.body), "Little") || strings.Contains(string(a.body), "DKLIT") {
		t.Errorf("of a port that is not for the agent: %s", a.body)
	}
	s.call("agent", "POST", shipTrackPath, `{"source":`+pier+`,"destination":{"port":"DKLIT"}}`).is(t, 422, "port_not_found")
	s.call("agent", "POST", shipTrackPath, `{"source":`+pier+`,"destination":`+roof+`}`).is(t, 422, "ship_not_found")
}

// TestALateUserIsToldNoYoungerTrack holds that a user with a delay gets what was known then: the newest estimate that is old enough, no younger
// call, and no track that is younger.
func TestALateUserIsToldNoYoungerTrack(t *testing.T) {
	s := newSite(t)
	const delay = 30 * time.Minute
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.addUser("late", access.GroupOperator, "crew")
	s.addUser("prompt", access.GroupOperator, "crew")
	s.setFilter("late", fmt.Sprintf(`{"delay":%d}`, int(delay/time.Second)))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.underWay(nordic, noon(), 2)
	s.call("late", "GET", shipTrackPath, "").is(t, 200) // its picture begins
	s.tick(noon().Add(2 * time.Minute))
	path := s.tracked("prompt", aTrack)
	got := func(user string) answer { return s.call(user, "GET", path, "") }
	for minute := 2; minute < 100; minute += 7 {
		s.underWay(nordic, noon().Add(time.Duration(minute)*time.Minute), 7)
		now := noon().Add(time.Duration(minute+7) * time.Minute)
		s.tick(now)
		prompt, a := got("prompt").is(t, 200).json(t), got("late")
		until := now.Add(-delay)
		if !until.After(noon().Add(2 * time.Minute)) {
			if a.status != 404 || len(recordsOf(t, s.call("late", "GET", shipTrackPath, "").is(t, 200))) != 0 {
				t.Fatalf("%v: a track that is younger than the delay: %s", now, a.text())
			}
			continue
		}
		late := a.is(t, 200).json(t)
		var newest map[string]any
		for _, e := range prompt["eta_history"].([]any) {
			if at, err := time.Parse(time.RFC3339, e.(map[string]any)["time"].(string)); err != nil || !at.After(until) {
				newest = e.(map[string]any)
			}
		}
		for _, key := range []string{"eta", "eta_low", "eta_high", "status", "distance"} {
			if newest == nil && key == "status" {
				continue
			}
			if late[key] != newest[key] {
				t.Errorf("%v: %s is %v, and was %v: %v", now, key, late[key], newest[key], prompt["eta_history"])
			}
		}
		if fmt.Sprint(late["last_position_time"]) > until.Format(time.RFC3339) || late["route"] != nil {
			t.Errorf("%v: %v", now, late)
		}
		for _, e := range late["eta_history"].([]any) {
			if at := e.(map[string]any)["time"].(string); at > until.Format(time.RFC3339) {
				t.Errorf("%v: the history tells of %s", now, at)
			}
		}
		if s.call("late", "GET", path+"?speed_for_arrival=2026-11-21T00:00:00Z", "").is(t, 200).json(t)["speed_for_arrival"] != nil {
			t.Errorf("a speed from where the ship is now")
		}
	}
}

// TestATrackIsAsLateAsBothItsShips holds that of a track to a ship a user is told no more than what is old enough of both.
func TestATrackIsAsLateAsBothItsShips(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.addUser("far", access.GroupOperator, "crew")
	s.addUser("prompt", access.GroupOperator, "crew")
	s.setFilter("far", `{"range_dependant_update":{"position":[11.2,56.6],"ranges":[{"distance":20000,"interval":1},{"distance":1000000,"interval":3000}]}}`)
	const near, other = 219000101, 219000102
	hear := func(minute int) {
		at := noon().Add(time.Duration(minute) * time.Minute)
		s.hear(at, position(near, 11.2, 56.6+float64(minute)/4000, 90, 0))
		s.hear(at, position(other, 11.2, 57.3+float64(minute)/400, 90, 0))
		s.tracks.Seek(context.Background())
		s.tick(at)
	}
	for minute := range 60 {
		hear(minute)
	}
	s.settle()
	path := s.tracked("prompt", fmt.Sprintf(`{"source":{"ship":{"mmsi":%d}},"destination":{"ship":{"mmsi":%d}}}`, near, other))
	for minute := 60; minute < 130; minute++ {
		hear(minute)
	}
	s.settle()
	prompt, late := s.call("prompt", "GET", path, "").is(t, 200).json(t), s.call("far", "GET", path, "").is(t, 200).json(t)
	if prompt["route"] == nil || prompt["distance"] == nil {
		t.Fatalf("%v", prompt)
	}
	heard := s.call("far", "GET", fmt.Sprintf("%s/ship/position/%d", portserver, other), "").is(t, 200).json(t)
	at := heard["position"].(map[string]any)["coordinates"].([]any)[2].(string)
	told := late["eta_history"].([]any)
	if last := told[len(told)-1].(map[string]any)["time"].(string); last > at || late["route"] != nil {
		t.Errorf("told of the destination up to %s, and of the track up to %s; route %v", at, last, late["route"])
	}
}

// TestTimesOfATrackTakeARight holds that arrivals and departures are told with view_ata_atd alone, and what the ship sailed with
// view_historical_tracks, as far back as web_max_lookback_time reaches.
func TestTimesOfATrackTakeARight(t *testing.T) {
	s := newCalls(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.may("all", right.PCSAccess, right.ViewATAATD, right.ViewHistoricalTracks, right.ViewPort, right.ViewPredictedPosition)
	s.may("few", right.PCSAccess)
	for _, name := range []string{"all", "few"} {
		s.call("admin", "PUT", usersPath+"/"+name, `{"groups":["crew"]}`).is(t, 200)
	}
	begin := noon().Add(-6 * time.Hour)
	s.heardBy(begin, voyage(nordic, "NORDIC HAV"), "roof")
	atd := s.lying(nordic, s.coming(nordic, begin, aarhus, false, "roof"), aarhus, 40, "roof")
	s.save(atd)
	path := s.tracked("all", `{"source":{"ship":{"mmsi":219018765}},"destination":{"port":"DKEHV"}}`)
	s.tracks.Seek(context.Background())
	at := s.coming(nordic, atd, aarhus, true, "roof")
	at = s.lying(nordic, s.coming(nordic, at, easthaven, false, "roof"), easthaven, 40, "roof")
	s.settle()
	s.save(at)
	s.tracks.Save()
	one := s.call("all", "GET", path, "").is(t, 200).json(t)
	ports := one["port"].([]any)
	from, to := ports[0].(map[string]any), ports[1].(map[string]any)
	if one["status_text"] != "arrived" || from["ata"] == nil || from["atd"] == nil || to["ata"] == nil || to["port"].(map[string]any)["name"] != "Easthaven" {
		t.Fatalf("%v %v", one["status_text"], ports)
	}
	a := s.call("few", "GET", path, "").is(t, 200)
	if from := a.json(t)["port"].([]any)[0].(map[string]any); from["port"].(map[string]any)["name"] == nil {
		t.Errorf("the departure port is %v", from)
	}
	if text := string(a.body); strings.Contains(text, `"ata"`) || strings.Contains(text, `"atd"`) || strings.Contains(text, to["ata"].(string)) ||
		a.json(t)["track"] != nil || a.json(t)["route"] != nil || strings.Contains(text, "Easthaven") {
		t.Errorf("without rights: %s", text)
	}
	if all, told := one["eta_history"].([]any), a.json(t)["eta_history"].([]any); len(told) >= len(all) {
		t.Errorf("the history tells %d of %d entries: when the ship departed and arrived too", len(told), len(all))
	} else {
		lay := false
		for _, e := range all {
			status := e.(map[string]any)["status"].(float64)
			if departs := lay && status != 2; departs && slices.ContainsFunc(told, func(o any) bool { return o.(map[string]any)["time"] == e.(map[string]any)["time"] }) {
				t.Errorf("the history tells when the ship departed: %v", e)
			}
			lay = status == 2
		}
	}
	s.setFilter("few", `{"expression":"lon > 10.5"}`) // where the ship is now, and was not at Aarhus
	from = s.call("few", "GET", path, "").is(t, 200).json(t)["port"].([]any)[0].(map[string]any)
	if from["port"] != nil {
		t.Errorf("a port where the ship was hidden: %v", from)
	}
	s.call("admin", "PUT", usersPath+"/all", `{"settings":{"web_max_lookback_time":1}}`).is(t, 200)
	one = s.call("all", "GET", path, "").is(t, 200).json(t)
	line := one["track"].(map[string]any)["coordinates"].([]any)
	if earliest := line[0].([]any)[2].(string); earliest < at.Add(-62*time.Minute).Format(time.RFC3339) {
		t.Errorf("it sailed since %s", earliest)
	}
	if from := one["port"].([]any)[0].(map[string]any); from["ata"] != nil {
		t.Errorf("an arrival of long ago: %v", from)
	}
}

// TestTheStreamTellsWhichTracksHaveNews holds that a stream that asks hears of the tracks that its user sees, and a late one when it may.
func TestTheStreamTellsWhichTracksHaveNews(t *testing.T) {
	s := newSite(t)
	ctx, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = s.tracks.Run(ctx) })
	defer running.Wait()
	defer end()
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.hear(noon(), position(nordic, 11.2, 56.6, 90, 0))
	s.settle()
	s.addUser("stranger", access.GroupViewer)
	s.may("clerk", right.WebOnlineAccess)
	base := s.serve().URL
	admin, quiet := listenAs(t, "admin", base, "tracks=true", ""), listenAs(t, "admin", base, "", "")
	stranger, clerk := listenAs(t, "stranger", base, "tracks=true", ""), listenAs(t, "clerk", base, "tracks=true", "")
	all := []*listener{admin, quiet, stranger, clerk}
	for _, l := range all {
		l.until("picture")
	}
	path := s.tracked("admin", aTrack)
	ids := func(e event) string { return fmt.Sprintf("%s/%v", shipTrackPath, e.data["ids"].([]any)[0]) }
	if e := admin.until("track"); len(e.data["ids"].([]any)) != 1 || ids(e) != path {
		t.Errorf("the stream tells %v of %s", e.data, path)
	}
	s.call("admin", "DELETE", path, "").is(t, 204)
	for _, l := range all[1:] { // each sends its status every five seconds, and looks at the tracks every second
		l.until("status")
		for {
			e, ok := l.next()
			if !ok || e.name == "track" {
				t.Errorf("a stream that is not to know has %v", e)
			}
			if !ok || e.name == "status" {
				break
			}
		}
	}
	if e := admin.until("track"); ids(e) != path {
		t.Errorf("the stream tells %v of %s, which is gone", e.data, path)
	}
}

// TestALateStreamHearsLate holds that a stream of a user with a delay hears of a track when the delay has passed.
func TestALateStreamHearsLate(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	s.addUser("late", access.GroupOperator, "crew")
	s.addUser("prompt", access.GroupOperator, "crew")
	s.setFilter("late", `{"delay":600}`)
	user, _ := s.users.User("late")
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.underWay(nordic, noon(), 2)
	s.call("late", "GET", shipTrackPath, "").is(t, 200) // its picture begins
	s.tick(noon().Add(20 * time.Minute))
	ctx, next := context.Background(), s.server.tracks.Stream()
	news := func() string {
		v, err := s.sight.Of(ctx, user, "late")
		if err != nil {
			t.Fatal(err)
		}
		event, err := next(ctx, v, user)
		if err != nil {
			t.Fatal(err)
		}
		return string(event)
	}
	if got := news(); got != "" {
		t.Errorf("at its beginning the stream tells %s", got)
	}
	stop, end := context.WithCancel(ctx)
	changed := s.tracks.Changed()
	var running sync.WaitGroup
	running.Go(func() { _ = s.tracks.Run(stop) })
	s.tracked("prompt", aTrack)
	<-changed
	end()
	running.Wait()
	for _, row := range []struct {
		minute int
		want   string
	}{{21, ""}, {29, ""}, {31, `{"ids":[1]}`}, {32, ""}} {
		s.tick(noon().Add(time.Duration(row.minute) * time.Minute))
		if got := news(); got != row.want {
			t.Errorf("after %d minutes the stream tells %q, want %q", row.minute, got, row.want)
		}
	}
}
