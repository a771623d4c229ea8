package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/live"
	"quaywatch/ship"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/registry"
)

// fleet are ships of different kinds and places; numbers that no text holds by chance.
func fleet(s *site) []ais.MMSI {
	var all []ais.MMSI
	for i, lon := range []float64{10.25, 10.3, 10.35, 179.99, -179.99} {
		m := []ais.MMSI{219018765, 211222333, 244555666, 512777888, 503999111}[i]
		all = append(all, m)
		v := voyage(m, fmt.Sprintf("VESSEL %d", i))
		v.IMO, v.CallSign, v.ShipType = 0, fmt.Sprintf("SIGN%d", i), ais.ShipType(30+i*10)
		s.hear(noon(), v)
		for step := range 5 {
			s.hear(noon().Add(time.Duration(step)*10*time.Second), position(m, lon, 56.14, 0, 900))
		}
	}
	s.settle()
	return all
}

// finish returns the result of an area or track job.
func (s *site) finish(user, path string) answer {
	s.t.Helper()
	for {
		if a := s.call(user, "GET", path, ""); a.status != 202 {
			return a
		}
	}
}

// receivers are feeds with their tags.
var receivers = map[string][]string{"roof": {"shore"}, "pier": {"shore", "inner"}, "sky": {"satellite"}, "attic": nil}

// withReceivers is for newSite.
func withReceivers(_ *Config, d *Deps) {
	d.Status.Feeds = func() []ais.FeedStatus {
		var all []ais.FeedStatus
		for name, tags := range receivers {
			all = append(all, ais.FeedStatus{Name: name, Tags: tags})
		}
		return all
	}
}

// heardBy lets feeds hear the same message, half a second one after the other.
func (s *site) heardBy(at time.Time, m ais.Message, feeds ...string) {
	s.hash++
	for i, feed := range feeds {
		s.batch.Reset()
		s.batch.Reports = append(s.batch.Reports, ais.Report{
			Message: m, Hash: s.hash, Received: at.Add(time.Duration(i) * time.Second / 2), Feed: feed, BySatellite: ais.HasSatelliteTag(receivers[feed]), Channel: 'A',
		})
		s.picture.Apply(&s.batch, s.db, s.sight, s.alarms, s.texts, s.voyages)
	}
}

// Fixes at places that the user's filter hides are not given out, even if the ship is at a visible place now.
func TestATrackHasNoFixesOutsideTheFilter(t *testing.T) {
	s := newSite(t)
	s.sail(nordic, noon().Add(-time.Hour), 10*time.Second, 60) // a tenth of a minute a report from 10.3° on
	s.post(configPath+"/shape", `{"name":"end","circle":{"center":{"type":"Point","coordinates":[10.3983,56.14]},"radius":1000}}`).is(t, 200)
	s.addUser("anna", access.GroupOperator)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"areas":["end"]}}`).is(t, 200)
	a := s.call("anna", "POST", trackPath, `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-21"}`).is(t, 202).json(t)
	path := fmt.Sprintf("%s?id=%.0f", trackPath, a["id"])
	fixes := s.finish("anna", path).is(t, 200).json(t)["track"].(map[string]any)["coordinates"].([]any)
	if len(fixes) == 0 || len(fixes) > 12 || fixes[0].([]any)[0].(float64) < 10.38 {
		t.Errorf("%d fixes from %v", len(fixes), fixes)
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"countries":[211]}}`).is(t, 200)
	s.call("anna", "GET", path, "").is(t, 404) // the result was made before
}

// What a user may see changes during an open stream: the ship goes, and comes back, within a second or two.
func TestAnOpenStreamFollowsTheFilter(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.addUser("anna", access.GroupViewer)
	l := listenAs(t, "anna", s.serve().URL, "", "")
	l.until("picture")
	if len(l.ships) != 1 {
		t.Fatalf("%d ships", len(l.ships))
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"countries":[211]}}`).is(t, 200)
	l.until("change")
	if len(l.ships) != 0 {
		t.Error("hidden, and still there")
	}
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"countries":null}}`).is(t, 200)
	l.until("change")
	if len(l.ships) != 1 {
		t.Error("shown, and still gone")
	}
}

// A filter of a live stream names ship lists and shapes; they are followed, and when they go it matches nothing.
func TestAnOpenStreamFollowsAShipList(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.post(configPath+"/shiplist", `{"name":"Tugs","ships":[]}`).is(t, 200)
	s.get(live.Path+"?filter=shiplist=nowhere").is(t, 400, "filter_syntax")
	l := listen(t, s.serve().URL, "filter=shiplist+%3D+tugs", "")
	l.until("picture")
	if len(l.ships) != 0 {
		t.Error("on an empty list")
	}
	s.call("admin", "PUT", configPath+"/shiplist/tugs", `{"ships":[{"mmsi":219018765}]}`).is(t, 200)
	l.until("change")
	if len(l.ships) != 1 {
		t.Error("not on the list")
	}
	s.call("admin", "DELETE", configPath+"/shiplist/tugs", "").is(t, 204)
	l.until("change")
	if len(l.ships) != 0 {
		t.Error("on a list that is gone")
	}
	s.addUser("anna", access.GroupViewer)
	s.post(configPath+"/shiplist", `{"name":"secret","ships":[]}`).is(t, 200)
	s.call("anna", "GET", live.Path+"?filter=shiplist=secret", "").is(t, 400, "filter_syntax")
}

// The status event counts no ship that the caller may not see, and knows no feed that the caller may not hear of.
func TestTheLiveStatusTellsNothingOfWhatIsHidden(t *testing.T) {
	s := newSite(t)
	all := fleet(s)
	s.addUser("anna", access.GroupViewer)
	server := s.serve()
	for _, row := range []struct {
		change string
		ships  float64
		feeds  int
	}{
		{`{}`, float64(len(all)), 2},
		{`{"receive_filter":{"countries":[219,211]}}`, 2, 2},
		{`{"receive_filter":{"countries":null},"settings":{"allowed_pss_list":["ROOF"]}}`, float64(len(all)), 1},
		{`{"settings":{"allowed_pss_list":["cellar"]}}`, 0, 0},
	} {
		s.call("admin", "PUT", usersPath+"/anna", row.change).is(t, 200)
		status := listenAs(t, "anna", server.URL, "", "").until("status").data
		feeds := status["feeds"].([]any)
		if status["ships"] != row.ships || len(feeds) != row.feeds {
			t.Errorf("%s: %v ships, %d feeds", row.change, status["ships"], len(feeds))
		}
		for _, f := range feeds {
			if one := f.(map[string]any); one["name"] == "roof" && one["ships"] != row.ships {
				t.Errorf("%s: %v", row.change, one)
			}
		}
	}
}

func TestASelectionReachesTheOpenClientsOfItsUser(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.addUser("anna", access.GroupViewer)
	server := s.serve()
	own, other := listen(t, server.URL, "", ""), listenAs(t, "anna", server.URL, "", "")
	own.until("status")
	other.until("status")
	withinLimit(t, soon, func() time.Duration {
		began := time.Now()
		s.post(selectPath, `{"owner":"erp1","ships":[{"mmsi":219018765}],"zoom":12}`).is(t, 200)
		e := own.until("select")
		took := time.Since(began)
		if e.data["owner"] != "erp1" || e.data["zoom"] != 12.0 || len(e.data["bbox"].([]any)) != 4 || len(e.data["records"].([]any)) != 1 {
			t.Errorf("%v", e.data)
		}
		return took
	})
	s.call("anna", "POST", selectPath, `{"owner":"mine","ships":[]}`).is(t, 200)
	if e := other.until("select"); e.data["owner"] != "mine" {
		t.Errorf("another user's clients pan: %v", e.data)
	}
}

// A registered ship that was never heard is live. Once its entry is deleted nothing of it is left.
func TestARegisteredShipThatIsRemovedLeavesThePicture(t *testing.T) {
	s := newSite(t)
	s.post(registerPath, `{"name":"Barge","position":{"type":"Point","coordinates":[10.25,56.15]}}`).is(t, 200)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	if state, ok := s.picture.Ship(registry.FirstPseudoMMSI); !ok || state.Age != ship.Live || !state.HasFix {
		t.Errorf("entered: %+v", state)
	}
	s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 204)
	s.hear(noon().Add(10*time.Second), position(nordic, 10.3, 56.14, 112, 1814))
	if state, ok := s.picture.Ship(registry.FirstPseudoMMSI); ok {
		t.Errorf("removed: %+v", state)
	}
}

// A number is registered once. A user that does not see the ship with that number gets the same answer as a user that sees it.
func TestANumberThatAHiddenShipHasIsTaken(t *testing.T) {
	s := newSite(t)
	s.post(registerPath, `{"mmsi":219000001,"imo":9321483,"name":"SEEN"}`).is(t, 200)
	s.post(registerPath, `{"mmsi":265000001,"imo":9074729,"name":"UNSEEN"}`).is(t, 200)
	s.may("clerk", right.AddRemoveMMSIEntries, right.ChangeMMSIEntries)
	s.call("admin", "PUT", usersPath+"/clerk", `{"receive_filter":{"countries":[219]}}`).is(t, 200)
	s.call("clerk", "GET", registerPath+"/219000001", "").is(t, 200)
	s.call("clerk", "GET", registerPath+"/265000001", "").is(t, 404, "not_found")
	s.call("clerk", "PUT", registerPath+"/265000001", `{"name":"X"}`).is(t, 404, "not_found")
	s.call("clerk", "DELETE", registerPath+"/265000001", "").is(t, 404, "not_found")
	for _, row := range []struct {
		one, hidden, code string
		status            int
	}{
		{`{"mmsi":219000002,"imo":9321483}`, `{"mmsi":219000002,"imo":9074729}`, "name_taken", 409},
		{`{"mmsi":265000009}`, `{"mmsi":265000001}`, "forbidden", 403}, // the filter hides any ship there
	} {
		one, hidden := s.call("clerk", "POST", registerPath, row.one).is(t, row.status, row.code), s.call("clerk", "POST", registerPath, row.hidden).is(t,
			row.status, row.code)
		if string(one.body) != string(hidden.body) || strings.Contains(string(hidden.body), "UNSEEN") {
			t.Errorf("one %s\nhidden %s", one.body, hidden.body)
		}
	}
	s.call("clerk", "POST", registerPath, `{"mmsi":219000001}`).is(t, 409, "name_taken")
	s.post(registerPath, `{"name":"DELETED"}`).is(t, 200)
	s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 204)
	s.post(registerPath, `{"mmsi":9900000001,"name":"OURS"}`).is(t, 409, "name_taken")
	for mmsi, imo := range map[ais.MMSI]uint32{219000003: 9999993, 265000003: 9155523} { // heard, and entered by its IMO number
		heard := voyage(mmsi, "HEARD")
		heard.IMO = imo
		s.hear(noon(), heard)
		made := s.call("clerk", "POST", registerPath, fmt.Sprintf(`{"imo":%d,"name":"X"}`, imo)).is(t, 200).json(t)["mmsi"].(float64)
		if want := map[bool]ais.MMSI{true: mmsi, false: registry.FirstPseudoMMSI + 1}[mmsi < 265000000]; ais.MMSI(made) != want {
			t.Errorf("IMO %d of %d is entered as %.0f, want %d", imo, mmsi, made, want)
		}
	}
	s.addUser("viewer", access.GroupViewer)
	for _, mmsi := range []string{"265000001", "265000002"} { // a user that may not register learns nothing
		s.call("viewer", "POST", registerPath, `{"mmsi":`+mmsi+`}`).is(t, 403, "forbidden")
	}
}

// TestTheRegisterAnswersAlikeForHiddenAndUnknown: whether a ship that a filter hides was ever heard is not told by an entry, and none is written
// for it, whatever the filter is about.
func TestTheRegisterAnswersAlikeForHiddenAndUnknown(t *testing.T) {
	s := newSite(t)
	s.post(configPath+"/shape", `{"name":"west","circle":{"center":{"type":"Point","coordinates":[8,56]},"radius":1500}}`).is(t, 200)
	s.hear(noon(), position(219000007, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(219000007, "SECRET"))
	s.settle()
	s.may("clerk", right.AddRemoveMMSIEntries, right.ChangeMMSIEntries)
	for _, filter := range []string{
		`{"areas":["west"]}`, `{"expression":"name = OTHER"}`, `{"expression":"not name = SECRET"}`, `{"expression":"lon < 9"}`, `{"types_of_ship":["tanker"]}`,
		`{"mobile_types":["B"]}`, `{"countries":[265]}`, `{"countries":[219],"areas":["west"]}`, `{"psss":["pier"]}`,
	} {
		s.call("admin", "PUT", usersPath+"/clerk", `{"receive_filter":null}`)
		s.call("admin", "PUT", usersPath+"/clerk", `{"receive_filter":{"areas":null,"expression":null,"types_of_ship":null,"mobile_types":null,"countries":null,"psss":null}}`).is(t, 200)
		s.call("admin", "PUT", usersPath+"/clerk", `{"receive_filter":`+filter+`}`).is(t, 200)
		s.call("clerk", "GET", portserver+"/ship/position/219000007", "").is(t, 404)
		for _, body := range []string{`{"mmsi":%s}`, `{"mmsi":%s,"name":"OTHER","type":"tanker","position":{"type":"Point","coordinates":[8,56]}}`} {
			hidden := s.call("clerk", "POST", registerPath, strings.ReplaceAll(body, "%s", "219000007"))
			unknown := s.call("clerk", "POST", registerPath, strings.ReplaceAll(body, "%s", "219000008"))
			if hidden.text() != unknown.text() || hidden.status != 403 {
				t.Errorf("%s: %s of a hidden ship is %s\nof an unknown one %s", filter, body, hidden.text(), unknown.text())
			}
		}
	}
	s.get(registerPath+"/219000007").is(t, 404)
	s.call("admin", "PUT", usersPath+"/clerk", `{"receive_filter":{"areas":null,"psss":null,"countries":[219]}}`).is(t, 200)
	s.call("clerk", "POST", registerPath, `{"mmsi":219000008}`).is(t, 200) // a ship of that number is hidden by nothing
}

// TestAConflictDoesNotNameAHiddenShape: a caller that may not see a shape does not learn its name from the number of its region.
func TestAConflictDoesNotNameAHiddenShape(t *testing.T) {
	s := newSite(t)
	const circle = `"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}`
	s.post(configPath+"/shape", `{"name":"Naval base","region":7,`+circle+`}`).is(t, 200)
	s.may("clerk", right.AddRemoveRegion, right.ChangeRegion)
	uid := s.call("clerk", "POST", configPath+"/shape", `{"name":"mine","region":8,`+circle+`}`).is(t, 200).json(t)["uid"].(string)
	for _, a := range []answer{
		s.call("clerk", "POST", configPath+"/shape", `{"name":"other","region":7,`+circle+`}`),
		s.call("clerk", "PUT", configPath+"/shape/"+uid, `{"region":7,`+circle+`}`),
	} {
		if a.is(t, 409, "name_taken"); strings.Contains(strings.ToLower(string(a.body)), "naval") {
			t.Errorf("%s", a.body)
		}
	}
}
