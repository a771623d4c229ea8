package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/distress"
	"quaywatch/users/access"
)

const overboard = ais.MMSI(972123456)

// distressed is a position report of a device, or of a ship, with a status.
func distressed(m ais.MMSI, lon float64, status ais.NavStatus) *ais.PositionReport {
	p := position(m, lon, 56.14, 0, 0)
	p.Status = status
	return p
}

// alarmsOf returns the alarms that a user is told of, as text: number, and what else is said of each.
func (s *site) alarmsOf(user string) string {
	s.t.Helper()
	return alarmText(s.call(user, "GET", distress.Path, "").is(s.t, 200).json(s.t))
}

func alarmText(data map[string]any) string {
	list := []string{}
	for _, r := range data["records"].([]any) {
		record := r.(map[string]any)
		text := fmt.Sprintf("%.0f", record["mmsi"])
		if record["test"] == true {
			text += " test"
		}
		if seen, ok := record["acknowledged"].(map[string]any); ok {
			text += fmt.Sprint(" by ", seen["by"])
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// A man overboard comes to every open client within a second or two, whatever part of the picture the client asked for. It stays when the device is
// silent, until one user acknowledges it for all, and the acknowledgement outlives a restart.
func TestAManOverboardIsToldUntilItIsAcknowledged(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", access.GroupOperator)
	s.addUser("viewer", access.GroupViewer)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	base := s.serve().URL
	l := listenAs(t, "viewer", base, "bbox=100,10,101,11&filter=type%20%3D%20tanker", "")
	if first := l.until("distress"); alarmText(first.data) != "" {
		t.Errorf("without an alarm: %v", first.data)
	}
	s.hear(noon().Add(time.Second), distressed(overboard, 10.31, ais.StatusSART))
	e := l.until("distress")
	record := e.data["records"].([]any)[0].(map[string]any)
	if alarmText(e.data) != "972123456" || e.data["total"] != 1. || record["class"] != "mob" || record["since"] != "2026-11-20T12:00:01Z" || record["position"] == nil {
		t.Fatalf("%v", e.data)
	}
	for i := range 120 { // the picture lets go of it
		s.tick(noon().Add(time.Duration(i) * time.Minute))
	}
	if got := s.alarmsOf("viewer"); got != "972123456" {
		t.Errorf("after two hours of silence: %s", got)
	}
	name := fmt.Sprintf(`{"mmsi":[%d]}`, overboard)
	s.call("viewer", "POST", distress.Path+"/acknowledge", name).is(t, 403)
	if a := s.call("anna", "POST", distress.Path+"/acknowledge", name).is(t, 200); alarmText(a.json(t)) != "972123456 by anna" {
		t.Errorf("%s", a.body)
	}
	for alarmText(e.data) != "972123456 by anna" {
		e = l.until("distress")
	}
	if e.data["total"] != 0. {
		t.Errorf("acknowledged: %v", e.data)
	}
	if a := s.get("/api/audit?user=anna"); !strings.Contains(string(a.body), "POST distress") || !strings.Contains(string(a.body), "972123456") {
		t.Errorf("the audit log: %s", a.body)
	}
	l.close()
	s.restart()
	s.call("admin", "POST", distress.Path+"/acknowledge", name).is(t, 200)
	if got := s.alarmsOf("viewer"); got != "972123456 by anna" {
		t.Errorf("after a restart: %s", got)
	}
}

// What an acknowledgement names must be there, and must have been seen.
func TestAnAcknowledgementNamesWhatWasSeen(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), distressed(overboard, 10.31, ais.StatusSART))
	s.hear(noon().Add(time.Minute), distressed(nordic, 10.3, ais.StatusSART))
	path := distress.Path + "/acknowledge"
	for body, status := range map[string]int{
		`{}`: 400, `{"mmsi":[]}`: 400, `{"mmsi":"972"}`: 400, `{"mmsi":[972123456],"before":"yesterday"}`: 400,
		`{"mmsi":[972000000]}`: 404, `{"mmsi":[219018765],"before":"2026-11-20T12:00:30Z"}`: 404, `{"before":"2026-11-20T11:00:00Z"}`: 404,
	} {
		s.post(path, body).is(t, status)
	}
	if got := string(s.post(path, `{"mmsi":"972"}`).is(t, 400).body); strings.Count(got, `"pointer"`) != 1 || !strings.Contains(got, "must be an array of MMSI") {
		t.Errorf("a text for the list: %s", got)
	}
	if got := s.alarmsOf("admin"); got != "972123456, 219018765" {
		t.Errorf("%s", got)
	}
	s.post(path, `{"before":"2026-11-20T12:00:30Z"}`).is(t, 200)
	if got := s.alarmsOf("admin"); got != "219018765, 972123456 by admin" {
		t.Errorf("%s", got)
	}
}

// An alarm that a filter, a feed, a right or a delay hides is hidden from the list, the stream and the acknowledgement.
func TestAHiddenAlarmStaysHidden(t *testing.T) {
	s := newSite(t, withReceivers)
	for _, name := range []string{"pilot", "danes", "late", "slow"} {
		s.addUser(name, access.GroupOperator)
	}
	s.setFilter("pilot", `{"psss":["pier"]}`)
	s.setFilter("danes", `{"countries":[219]}`)
	s.setFilter("late", `{"delay":600}`)
	s.setFilter("slow", `{"update_interval":600}`)
	told := func(when string, want map[string]string) {
		t.Helper()
		for user, alarm := range want {
			if got := s.alarmsOf(user); got != alarm {
				t.Errorf("%s %s is told of %q, want %q", when, user, got, alarm)
			}
			if alarm == "" {
				s.call(user, "POST", distress.Path+"/acknowledge", `{"mmsi":[972123456]}`).is(t, 404)
			}
		}
	}
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.tick(noon())
	told("before it", map[string]string{"admin": "", "pilot": "", "danes": "", "late": "", "slow": ""})
	now := noon().Add(20 * time.Minute)
	s.heardBy(now, distressed(overboard, 10.31, ais.StatusSART), "roof")
	s.settle()
	s.tick(now)
	told("at first", map[string]string{"admin": "972123456", "pilot": "", "danes": "", "late": ""})
	s.tick(now.Add(590 * time.Second))
	told("before the delay is over", map[string]string{"late": ""})
	s.tick(now.Add(605 * time.Second))
	told("after the delay", map[string]string{"late": "972123456", "slow": "972123456", "danes": ""})
	s.heardBy(now.Add(11*time.Minute), distressed(overboard, 10.31, ais.StatusSART), "pier")
	told("when the pier hears it", map[string]string{"pilot": "972123456"})
	s.setFilter("danes", `{}`)
	told("when the filter is gone", map[string]string{"danes": "972123456"})
}

// A flood of invented numbers is told as one, to those that may see all ships.
func TestAFloodOfAlarmsIsToldAsOne(t *testing.T) {
	s := newSite(t)
	s.addUser("danes", access.GroupOperator)
	s.setFilter("danes", `{"countries":[219]}`)
	s.hear(noon(), distressed(overboard, 10.31, ais.StatusSART))
	for i := range 300 {
		s.hear(noon().Add(time.Second), distressed(ais.MMSI(970000000+i), 10.31, ais.StatusSART))
	}
	a := s.get(distress.Path).is(t, 200).json(t)
	if rows := a["records"].([]any); a["many"] != true || len(rows) != 5 || rows[0].(map[string]any)["mmsi"] != float64(overboard) {
		t.Errorf("%v", a)
	}
	if a := s.call("danes", "GET", distress.Path, "").is(t, 200).json(t); a["many"] != nil || len(a["records"].([]any)) != 0 {
		t.Errorf("a narrowed user: %v", a)
	}
	s.post(distress.Path+"/acknowledge", `{"before":"2026-11-20T12:00:01Z"}`).is(t, 200)
	if a := s.get(distress.Path).json(t); a["total"] != 0. || len(a["records"].([]any)) != 20 {
		t.Errorf("all acknowledged: %v", a)
	}
}

// Where reads are open, a caller without a name gets the alarms, but no name of a user, and acknowledges nothing.
func TestOpenReadsTellOfDistressWithoutNames(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.OpenReads = true })
	s.hear(noon(), distressed(overboard, 10.31, ais.StatusSART))
	s.post(distress.Path+"/acknowledge", `{"mmsi":[972123456]}`).is(t, 200)
	a := s.send("GET", distress.Path, "").is(t, 200)
	if got := alarmText(a.json(t)); got != "972123456 by <nil>" {
		t.Errorf("%s", a.body)
	}
	s.send("POST", distress.Path+"/acknowledge", `{"mmsi":[972123456]}`, "Content-Type", "application/json").is(t, 401)
}
