package handlers

import (
	"strings"
	"testing"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
)

// TestEventsOfReceiversAndTheBox: who may not see a feed is told neither of its silence nor of a notice about it, and notices are for those that
// may see the state of the box. The events have no ship.
func TestEventsOfReceiversAndTheBox(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.GetSystemStatusInformation)
	s.may("guest", right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	s.may("tower", right.ViewWatchdog, right.GetSystemStatusInformation)
	s.call("admin", "PUT", usersPath+"/tower", `{"settings":{"allowed_pss_list":["tower"]}}`).is(t, 200)
	const acl = `,"acl":["anna","guest","tower"]}`
	s.watchdog("admin", `{"name":"Box","type":"box","box":{},"severity":"alert"`+acl)
	s.watchdog("admin", `{"name":"Feeds","type":"feed","feed":"*"`+acl)
	full := watchdogs.BoxNotice{Rule: rule.New("disk_full", "the disk is full"), Since: noon()}
	deaf := watchdogs.BoxNotice{Rule: rule.New("feed_silent", "the feed {feed} is connected and hears nothing", "feed", "roof"), Feed: "roof", Since: noon()}
	for at := noon().Add(-80 * time.Hour); at.Before(noon()); at = at.Add(10 * time.Second) {
		s.watch.Look(at, watchdogs.BoxFigures{Feeds: []watchdogs.FeedFigures{{Name: "roof", Last: at, Ships: 5}}})
	}
	for i := range 20 {
		s.watch.Look(noon().Add(time.Duration(i)*10*time.Second), watchdogs.BoxFigures{Notices: []watchdogs.BoxNotice{full, deaf},
			Feeds: []watchdogs.FeedFigures{{Name: "roof", Last: noon(), Ships: 5}}})
	}
	s.watch.Save(false)
	for name, want := range map[string]string{"anna": "notice,notice,feed_silent", "guest": "feed_silent", "tower": "notice"} {
		if got := strings.Join(s.call(name, "GET", eventPath, "").events(t), ","); got != want {
			t.Errorf("%s is told %q, want %q", name, got, want)
		}
	}
	records := s.call("anna", "GET", eventPath+"?after_id=0", "").is(t, 200).json(t)["records"].([]any)
	box, feed := records[0].(map[string]any), records[2].(map[string]any)
	if box["ship"] != nil || box["position"] != nil || box["message"] != "the disk is full" || box["notice"].(map[string]any)["rule"] != "disk_full" || box["state"] != "active" {
		t.Errorf("%v", box)
	}
	if feed["ship"] != nil || feed["message"] != "roof has heard nothing for 1 min" || feed["feed"].(map[string]any)["name"] != "roof" {
		t.Errorf("%v", feed)
	}
	s.call("guest", "POST", eventPath+"/1/ack", `{}`).is(t, 404)
	s.call("guest", "POST", eventPath+"/3/ack", `{"for":"01:00:00"}`).is(t, 200)
}

// TestShiplessFields: what only ships have is refused at watchdogs of receivers and of the box.
func TestShiplessFields(t *testing.T) {
	s := newSite(t)
	for body, pointer := range map[string]string{
		`{"name":"a","type":"feed"}`:                                            "/feed",
		`{"name":"a","type":"feed","feed":7}`:                                   "/feed",
		`{"name":"a","type":"feed","feed":"` + strings.Repeat("x", 65) + `"}`:   "/feed",
		`{"name":"a","type":"feed","feed":"roof","filter":"sog > 3"}`:           "/filter",
		`{"name":"a","type":"feed","feed":"roof","draught":3}`:                  "/draught",
		`{"name":"a","type":"feed","feed":"roof","samples_to_activate":3}`:      "/samples_to_activate",
		`{"name":"a","type":"feed","feed":"roof","inactivity_timeout":"01:00"}`: "/inactivity_timeout",
		`{"name":"a","type":"feed","feed":"roof",` + roads + `}`:                "/polygon",
		`{"name":"a","type":"box"}`:                                             "/box",
		`{"name":"a","type":"box","box":7}`:                                     "/box",
		`{"name":"a","type":"box","box":{},"time_between_triggers":60}`:         "/time_between_triggers",
	} {
		a := s.post(definitionPath, body).is(t, 400)
		if !strings.Contains(string(a.body), `"pointer":"`+pointer) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	for _, body := range []string{`{"name":"Feed","type":"feed","feed":"roof"}`, `{"name":"Box","type":"box","box":{}}`} {
		path := s.watchdog("admin", body)
		one := s.get(path).is(t, 200)
		s.call("admin", "PUT", path, string(one.body)).is(t, 200)
		if read := one.json(t); read["problem"] != nil {
			t.Errorf("%v", read)
		}
	}
}
