//go:build !race

package handlers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"quaywatch/handlers/wire"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/selection"
)

// A ship that the filter hides is hidden on every route: the answer is that of a ship which does not exist. One that it shows is on
// every route. What the filter hides is worked out here, from the words of the filter and what the test made the ships be. Feeds hear
// the ships in random order, the same messages, and no longer: rules about feeds are asked for each feed that hears it.
func TestAHiddenShipStaysHidden(t *testing.T) {
	s := newSite(t, withReceivers)
	all := launch(s)
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	anna := s.addUser("anna", access.GroupOperator, "crew")
	captain := s.addUser("captain", access.GroupOperator)
	_, whole := s.token(anna, "whole", anna.Effective()...)
	_, poorer := s.token(anna, "without satellites", slices.DeleteFunc(anna.Effective(), func(r right.Name) bool { return r == right.ViewSatellites })...)
	live := s.serve()
	keys := slices.Sorted(maps.Keys(draws()))
	now, runs, failed := noon().Add(time.Minute), 0, false
	rapid.Check(t, func(r *rapid.T) {
		first, more := keys[runs%len(keys)], 0 // each key once alone
		if runs >= len(keys) {
			first, more = rapid.SampledFrom(keys).Draw(r, "key"), 2
		}
		if runs == len(keys)+8 && !failed {
			return
		}
		calls := fmt.Sprint("CALL ", runs)
		now = now.Add(61 * time.Minute) // two terms of whatever lies there: a feed that heard it before no longer does
		hear := func(v *vessel) {
			if v.byHand {
				return
			}
			says := v.says()
			at := wire.TimeText(now.UnixMilli())
			if _, heardBefore := v.past[wire.TimeText(now.Add(-10*time.Second).UnixMilli())]; heardBefore {
				v.past[at] = hearing{v.heard[0], v.heard}
			} else { // for the first time with these feeds: the others come later
				v.past[at] = hearing{v.heard[0], v.heard[:1]}
			}
			again := rapid.SampledFrom(v.heard).Draw(r, "again")
			v.past[wire.TimeText(now.Add(10*time.Second).UnixMilli())] = hearing{again, v.heard}
			s.heardBy(now, says[len(says)-1], v.heard...)
			s.heardBy(now.Add(10*time.Second), says[len(says)-1], again)
			s.heardBy(now.Add(11*time.Second), calling(v, all, calls), v.heard...)
		}
		for _, v := range all {
			v.heard = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"roof", "pier", "sky"}), 1, 3, rapid.ID).Draw(r, "feeds")
			hear(v)
		}
		s.settle()
		p := draw(r, first, more)
		profile := s.setProfile("anna", p)
		s.bearer = nil
		switch runs % 4 { // as anna, and as programs of this user
		case 1:
			s.bearer = map[string]string{"anna": whole}
		case 3:
			s.bearer, p.rights = map[string]string{"anna": poorer}, sayings{"view_satellites": "deny"}
		}
		fail := func(v *vessel, format string, args ...any) {
			failed = true
			r.Fatalf("%s\n%d %s, heard by %q, seen %v: "+format, append([]any{profile, v.mmsi, v.name, v.heard, p.sees(v)}, args...)...)
		}
		for _, to := range []*access.User{captain, anna} { // the captain sees all, and leaves
			sel := selection.Selection{User: to.UID, Owner: "bridge"}
			for _, v := range all {
				sel.Ships = append(sel.Ships, selection.SelectedShip{Owner: sel.Owner, MMSI: int64(v.mmsi), Name: v.name, Time: wire.TimeText(noon().UnixMilli())})
			}
			if err := s.server.deps.Selections.Put(sel); err != nil {
				t.Fatal(err)
			}
		}
		s.call("admin", "POST", usersPath+"/captain/reassign", `{"name":"anna"}`).is(t, 200)
		seen, bySight := 0, map[bool][]*vessel{}
		for _, v := range all {
			if bySight[p.sees(v)] = append(bySight[p.sees(v)], v); p.sees(v) {
				seen++
			}
		}

		for _, d := range waysToAskForOne() {
			for _, v := range all {
				id, none := v.identity(), v.identity().nobody()
				away := d.missing != nil && d.missing(v) || strings.HasPrefix(d.name, "track") && (v.byHand || p.sees(v) && !v.hasTrack(p))
				if away && (v.name == "" || v.name == "TWIN" || !v.registered && !strings.HasPrefix(d.route, "PUT") && d.name != "registered") {
					continue
				}
				a := d.ask(s, "anna", id)
				switch {
				case !p.sees(v):
					if ghost := id.as(d.ask(s, "anna", none), none); a.text() != ghost {
						fail(v, "%s answers %s\nof one that does not exist %s", d.name, a.text(), ghost)
					}
				case d.refuses != 0 && a.status == d.refuses, away:
				case a.status != 200 || !strings.Contains(string(a.body), id.number):
					fail(v, "%s answers %s", d.name, a.text())
				}
			}
		}
		for _, d := range waysToAskForAll() {
			a := d.ask(s, "anna", identity{})
			for _, v := range all {
				is := a.status == 200 && strings.Contains(string(a.body), v.identity().number)
				if away := d.missing != nil && d.missing(v) || d.name == "selected" && v.byHand; is != p.sees(v) && !(away && !is) {
					fail(v, "%s answers %s", d.name, a.text())
				}
			}
		}
		said := func(door string, records any) {
			calling := sendersOf(records, calls)
			for i, v := range all {
				to, is := calling[float64(v.mmsi)]
				addressee := all[(i+1)%(len(all)-1)] // the last one was entered by hand
				switch {
				case is != (p.sees(v) && !v.byHand):
					fail(v, "%s has what it said: %v", door, is)
				case is && to != (map[bool]float64{true: float64(addressee.mmsi)})[p.sees(addressee)]:
					fail(v, "%s says that it was for %v, %d seen: %v", door, to, addressee.mmsi, p.sees(addressee))
				}
			}
		}
		said("the list of messages", s.call("anna", "GET", "/api/messages", "").is(t, 200).json(t)["records"])
		for _, v := range bySight[true] {
			if v.byHand {
				continue
			}
			track := s.trackTimes("anna", v.mmsi)
			for at, then := range v.past {
				if slices.Contains(track, at) != then.shows(p) {
					fail(v, "heard by %q at %s, the track is of %v", then, at, track)
				}
			}
		}
		for _, v := range bySight[false] {
			if a, ghost := s.call("anna", "DELETE", registerPath+"/"+v.identity().number, ""),
				s.call("anna", "DELETE", registerPath+"/"+v.identity().nobody().number, ""); a.text() != v.identity().as(ghost, v.identity().nobody()) {
				fail(v, "deleting its entry in the register answers %s", a.text())
			}
		}
		twins := slices.DeleteFunc(slices.Clone(bySight[true]), func(v *vessel) bool { return v.name != "TWIN" })
		for _, path := range []string{portserver + "/ship/info", selectPath} {
			body := `{"name":"TWIN"}`
			if path == selectPath {
				body = `{"ships":[` + body + `]}`
			}
			a := s.call("anna", "POST", path, body)
			if want := []int{422, 200, 409}[len(twins)]; a.status != want {
				fail(all[1], "of two with this name %d are seen, and %s answers %s", len(twins), path, a.text())
			}
			for _, v := range bySight[false] {
				if strings.Contains(string(a.body), v.identity().number) {
					fail(v, "%s answers %s", path, a.text())
				}
			}
		}
		if status := s.call("anna", "GET", "/api/status", "").is(t, 200).json(t); status["ships"] != float64(seen) {
			fail(all[0], "the status counts %v ships, %d are seen", status["ships"], seen)
		}

		l := listenBy(t, "Authorization", s.credentials("anna"), live.URL, "", "")
		defer l.close()
		told := func(event string, ships map[float64]map[string]any) {
			for _, v := range all {
				record, is := ships[float64(v.mmsi)]
				if is != p.sees(v) {
					fail(v, "the live stream has the ship in its %s: %v", event, is)
				}
				if feed, _ := record["feed"].(string); is && !p.hears(feed) {
					fail(v, "the live stream says that %s hears the ship", feed)
				}
			}
		}
		l.until("picture")
		told("picture", l.ships)
		if ships := l.until("status").data["ships"]; ships != float64(seen) {
			fail(all[0], "the live status counts %v ships, %d are seen", ships, seen)
		}
		said("the live stream", l.until("messages").data["records"])
		if err := s.server.deps.Selections.Put(selection.Selection{User: anna.UID, Owner: "bridge", Ships: s.selectionOf(anna, "bridge")}); err != nil {
			t.Fatal(err)
		}
		e := l.until("select")
		chosen := map[float64]map[string]any{}
		for _, one := range e.data["records"].([]any) {
			chosen[one.(map[string]any)["mmsi"].(float64)] = nil
		}
		for m := range chosen {
			chosen[m] = l.ships[m]
		}
		told("select", chosen)
		if bounds, _ := e.data["bbox"].([]any); (len(bounds) == 4) != (seen > 0) {
			fail(all[0], "the live stream pans to %v with %d in sight", e.data["bbox"], seen)
		}
		if len(bySight[true]) > 0 && !bySight[true][0].byHand && runs%3 == 0 {
			clear(l.ships)
			now = now.Add(20 * time.Second)
			last := bySight[true][0]
			for _, v := range append(slices.Clone(all[len(all)-1:]),
				append(slices.DeleteFunc(slices.Clone(all[:len(all)-1]), func(v *vessel) bool { return v == last }), last)...) {
				hear(v)
			}
			for l.ships[float64(last.mmsi)] == nil { // it was heard last
				l.until("change")
			}
			for _, v := range bySight[false] {
				if l.ships[float64(v.mmsi)] != nil {
					fail(v, "the live stream has the ship in a change")
				}
			}
		}
		runs++
	})
}

// TestAHiddenShipIsInNoPicture: a picture with its legend has what the JSON result has for its reader. With one of two ships hidden it is another one. With
// both hidden it is that of a result without records, and so is that of a reader who is told later. So it is with what lies at its places.
func TestAHiddenShipIsInNoPicture(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	s.addUser("anna", access.GroupAdmin)
	asks := nearAsks()
	asks["area"] = `"shape":` + meetShape
	const before, after = `{"type":"LineString","coordinates":[[10.36,56.1],[10.36,56.2]]}`, `{"type":"LineString","coordinates":[[10.37,56.1],[10.37,56.2]]}`
	asks["passageline"] = `"passageline":` + before
	asks["multipassageline"] = `"both_directions":true,"passagelines":[` + before + `,` + after + `]`
	asks["sogdist"] = `"mmsi":[219018765,219000700],"shape":` + meetShape
	asks["density"] = `"cell":2000,"shape":` + meetShape
	for kind, ask := range asks {
		id, all := s.nearResult(kind, ask)
		empty, none := s.nearResult(kind, ask+`,"filter":"mmsi = 1"`)
		if len(all) == 0 || len(none) != 0 {
			t.Fatalf("%s: %d records, and %d of no ship", kind, len(all), len(none))
		}
		s.cutForReaders(kind, id, s.pictureOf("admin", empty), 219018765)
		s.infoFor(kind, id, 219018765)
	}
}
