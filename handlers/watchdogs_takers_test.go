package handlers

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/users/access/right"
)

// TestNobodyTakesAnAlertUnseen: an alert is given to nobody that may not see its ship, by a filter, the feeds, the satellites or a delay. Of one that was
// given to such a user before, or to a sector of such users, the board of others sounds, and no answer names that user.
func TestNobodyTakesAnAlertUnseen(t *testing.T) {
	all := losses()
	all["the time"] = struct {
		user string
		lose func(w *watched)
	}{"late", func(w *watched) { w.setFilter("late", `{"delay":36000}`) }}
	names := []string{"keeper"}
	for _, loss := range all {
		names = append(names, loss.user)
	}
	w := newWatched(t, 0, names...)
	w.readers(names...)
	w.share()
	for what, loss := range all {
		group := "of " + loss.user
		w.post(groups, fmt.Sprintf(`{"name":%q}`, group)).is(t, 200)
		w.call("admin", "PUT", usersPath+"/"+loss.user, fmt.Sprintf(`{"groups":["crew","watch",%q]}`, group)).is(t, 200)
		w.post(configPath+"/shape", fmt.Sprintf(`{"name":"sector of %s","circle":{"center":{"type":"Point","coordinates":[1,50]},"radius":100},"sector":{"groups":[%q]}}`, loss.user, group)).is(t, 200)
		if what == lostPassword {
			delete(all, what) // its user sees all, and signs in anew
		}
	}
	w.comesIn()
	mine := func() bool {
		return strings.Contains(w.call("keeper", "GET", alertPath, "").alerts(t), fmt.Sprintf("%d alarm active mine", w.alerts[0]))
	}
	give := func(to string) answer {
		return w.call("keeper", "POST", fmt.Sprint(alertPath, "/", w.alerts[0], "/transfer"), fmt.Sprintf(`{"to":%q}`, to))
	}
	for what, loss := range all {
		for _, to := range []string{"sector of " + loss.user, "of " + loss.user, loss.user} {
			a := give(to).is(t, 200)
			if mine() || !strings.Contains(a.text(), `"with":[{"kind":`) && !strings.Contains(a.text(), loss.user) {
				t.Fatalf("%s is given to %s: %s", what, to, a.body)
			}
		}
		loss.lose(w)
		if what == lostRight {
			w.call("admin", "PUT", usersPath+"/"+loss.user, `{"access_rights":{"view_watchdog":"deny"}}`).is(t, 200)
		}
		list := w.call("keeper", "GET", alertPath, "").is(t, 200)
		if !mine() || strings.Contains(list.text(), loss.user) {
			t.Errorf("it is with one that lost %s: %s", what, list.body)
		}
		for _, to := range []string{"sector of " + loss.user, "of " + loss.user, loss.user} {
			if a := give(to).is(t, 400); strings.Contains(a.text(), loss.user) {
				t.Errorf("of one that lost %s: %s", what, a.body)
			}
		}
	}
}

// TestAnAlertOfWhichItsTakerSeesAPart: of two ships of an alert the taker sees one. The alert stays on the board of others until the other one is acknowledged.
func TestAnAlertOfWhichItsTakerSeesAPart(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"anna", "half"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.setFilter("half", `{"expression":"mmsi = 211222333"}`)
	s.watchdog("admin", `{"name":"Roads","type":"polygon","severity":"alert","acl":["anna","half"],`+roads+`}`)
	s.enters(nordic, "NORDIC HAV", noon())
	s.enters(211222333, "TWIN", noon())
	s.raise()
	a := s.call("anna", "POST", alertPath+"/1/transfer", `{"to":"half"}`).is(t, 200)
	if !strings.Contains(a.text(), `"half"`) {
		t.Errorf("%s", a.body)
	}
	is := func(user, want string) {
		t.Helper()
		if got := s.call(user, "GET", alertPath, "").alerts(t); got != want {
			t.Errorf("%s: %s; want %s", user, got, want)
		}
	}
	is("half", "1 alarm active mine 1/1")
	is("anna", "1 alarm active mine 2/2")
	s.call("anna", "POST", eventPath+"/1/ack", "{}").is(t, 200) // of the ship that the taker does not see
	is("anna", "1 alarm transferred others 1/2")
}
