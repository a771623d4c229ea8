package handlers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access/right"
)

const (
	areaJSON = `{"type":"Polygon","coordinates":[[[10.31,56.1],[10.4,56.1],[10.4,56.2],[10.31,56.2],[10.31,56.1]]]}`
	wayJSON  = `{"type":"LineString","coordinates":[[10,56],[11,56]]}`
)

// kindBodies are watchdogs of each type that watches more than a place.
func kindBodies() map[string]string {
	return map[string]string{
		"lost":   `{"mmsi":219018765,"polygon":` + areaJSON + `}`,
		"anchor": `{"center":{"type":"Point","coordinates":[10.3,56.1]},"radius":200}`,
		"aton":   `{"polygon":` + areaJSON + `}`,
		"speed":  `{"polygon":` + areaJSON + `,"limit":10.5}`,
		"route":  `{"line":` + wayJSON + `,"corridor":500}`,
		"silent": `{}`,
		"zone":   `{"mmsi":219018765,"radius":500}`,
	}
}

// TestKindsGoBack: what is read of a watchdog can be written again, defaults included, and a change of one field leaves the others.
func TestKindsGoBack(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 50, 900))
	const calendar = `"calendar":{"rules":[{"days":["fri"],"from":"22:00","to":"06:00"},{}]}`
	for kind, body := range kindBodies() {
		path := s.watchdog("admin", fmt.Sprintf(`{"name":%[1]q,"type":%[1]q,%[1]q:%[2]s,%[3]s}`, kind, body, calendar))
		one := s.get(path).is(t, 200).json(t)
		if one["problem"] != nil {
			t.Errorf("%s: %v", kind, one["problem"])
		}
		hours, _ := json.Marshal(one["calendar"])
		if string(hours) != `{"rules":[{"days":["fri"],"from":"22:00","to":"06:00"},{"days":["mon","tue","wed","thu","fri","sat","sun"],"from":"00:00","to":"24:00"}]}` {
			t.Errorf("%s", hours)
		}
		text, _ := json.Marshal(one)
		back := s.call("admin", "PUT", path, string(text)).is(t, 200).json(t)
		if one["revision"], back["revision"] = nil, nil; fmt.Sprint(one) != fmt.Sprint(back) {
			t.Errorf("%s:\n%v\n%v", kind, one, back)
		}
		now := s.call("admin", "PUT", path, `{"calendar":null,"severity":"alert"}`).is(t, 200).json(t)
		if now["calendar"] != nil || fmt.Sprint(now[kind]) != fmt.Sprint(one[kind]) {
			t.Errorf("%s: %v", kind, now)
		}
	}
	for kind, want := range map[string]string{"aton": "radius:50", "speed": "least:00:01:00", "silent": "after:00:20:00"} {
		if one := s.get(definitionPath+"/"+kind).is(t, 200).json(t); !strings.Contains(fmt.Sprint(one[kind]), want) {
			t.Errorf("%s: %v, want %s", kind, one[kind], want)
		}
	}
}

// TestKindFields: what is wrong is named by its field.
func TestKindFields(t *testing.T) {
	s := newSite(t)
	body := func(kind, object string) string {
		return fmt.Sprintf(`{"name":"a","type":%q,%q:%s}`, kind, kind, object)
	}
	hours := func(calendar string) string {
		return `{"name":"a","type":"silent","silent":{},"calendar":` + calendar + `}`
	}
	for body, pointer := range map[string]string{
		body("lost", `{}`):                                  "/lost/mmsi",
		body("lost", `7`):                                   "/lost",
		body("lost", `{"mmsi":"x"}`):                        "/lost/mmsi",
		body("lost", `{"mmsi":1000000000}`):                 "/lost/mmsi",
		body("lost", `{"shiplist":"nobody"}`):               "/lost/shiplist",
		body("lost", `{"mmsi":1,"polygon":`+wayJSON+`}`):    "/lost/polygon",
		body("anchor", `{"radius":200}`):                    "/anchor/center",
		body("anchor", `{"mmsi":1,"radius":1}`):             "/anchor/radius",
		body("anchor", `{"mmsi":211000009,"radius":200}`):   "/anchor/center",
		body("anchor", `{"center":{},"radius":200}`):        "/anchor/center",
		body("aton", `{"radius":1}`):                        "/aton/radius",
		body("speed", `{"limit":5}`):                        "/speed/polygon",
		body("speed", `{"polygon":`+areaJSON+`}`):           "/speed/limit",
		body("speed", `{"least":"soon"}`):                   "/speed/least",
		body("route", `{"corridor":50}`):                    "/route/line",
		body("route", `{"line":`+wayJSON+`}`):               "/route/corridor",
		body("route", `{"line":`+areaJSON+`,"corridor":5}`): "/route/line",
		body("silent", `{"after":"00:00:10"}`):              "/silent/after",
		body("silent", `{"after":"00:00:00"}`):              "/silent/after",
		`{"name":"a","type":"silent"}`:                      "/silent",
		`{"name":"a","type":"speed","silent":{}}`:           "/silent",
		hours(`{}`):                                                                 "/calendar/rules",
		hours(`{"rules":7}`):                                                        "/calendar/rules",
		hours(`{"rules":[{"days":["monday"]}]}`):                                    "/calendar/rules/0/days",
		hours(`{"rules":[{},{"from":"25:00"}]}`):                                    "/calendar/rules/1/from",
		hours(`{"rules":[{"to":"6:00"}]}`):                                          "/calendar/rules/0/to",
		hours(`{"rules":[{"from":"06:00","to":"06:00"}]}`):                          "/calendar/rules/0/to",
		hours(`{"zone":"Local","rules":[{}]}`):                                      "/calendar/zone",
		hours(`{"zone":"Atlantis/Port","rules":[{}]}`):                              "/calendar/zone",
		hours(`{"zone":"../../etc/passwd","rules":[{}]}`):                           "/calendar/zone",
		hours(`{"rules":[` + strings.Repeat("{},", 50) + `{}]}`):                    "/calendar/rules",
		`{"name":"a","type":"line","line":` + wayJSON + `,"min_sog":2,"max_sog":1}`: "/max_sog",
	} {
		if a := s.post(definitionPath, body).is(t, 400); !strings.Contains(string(a.body), `"pointer":"`+pointer+`"`) {
			t.Errorf("%s, want %s: %s", body, pointer, a.body)
		}
	}
}

// TestAnAnchorWatchIsWhereTheShipLies: for a caller that may see the ship. To another one it lies nowhere, and the watchdog is of a ship that is not known.
func TestAnAnchorWatchIsWhereTheShipLies(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	s.setFilter("anna", `{"expression":"mmsi = 211222333"}`)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	for i := range 3 {
		s.hear(noon().Add(time.Duration(i)*time.Minute), position(nordic, 10.3, 56.14, 1, 900))
	}
	const body = `{"name":"Berth","type":"anchor","anchor":{"mmsi":219018765,"radius":200},"acl":["anna"]}`
	if a := s.call("anna", "POST", definitionPath, strings.Replace(body, "Berth", "Hers", 1)).is(t, 400); !strings.Contains(a.text(), "/anchor/center") {
		t.Error(a.text())
	}
	path := s.watchdog("admin", body)
	if one := fmt.Sprint(s.get(path).is(t, 200).json(t)["anchor"]); !strings.Contains(one, "coordinates:[10.3 56.14]") {
		t.Error(one)
	}
	if problem := s.get(path).json(t)["problem"]; problem != nil {
		t.Error(problem)
	}
	if problem := s.call("anna", "GET", path, "").is(t, 200).json(t)["problem"]; problem == nil {
		t.Error("the ship is hidden, and its place is known")
	}
	s.hear(noon().Add(4*time.Minute), position(nordic, 10.3, 56.14, 1, 900))
	s.hear(noon().Add(5*time.Minute), position(nordic, 10.31, 56.14, 20, 900))
	s.watch.Save(false)
	record := s.get(eventPath).is(t, 200).json(t)["records"].([]any)[0].(map[string]any)
	if record["event"] != "dragging" || record["type"] != "anchor" || record["message"] != "NORDIC HAV left its anchorage Berth" {
		t.Errorf("%v", record)
	}
	if told := s.call("anna", "GET", eventPath, "").ships(t); len(told) != 0 {
		t.Errorf("a hidden ship: %v", told)
	}
}

// TestAListThatIsGone: the watchdog of its ships watches nothing, and says so; when a list of the name is there again, it watches.
func TestAListThatIsGone(t *testing.T) {
	s := newSite(t)
	s.post(configPath+"/shiplist", `{"name":"tugs","ships":[{"mmsi":219018765}]}`).is(t, 200)
	path := s.watchdog("admin", `{"name":"Tugs","type":"lost","lost":{"shiplist":"tugs"}}`)
	if problem := s.get(path).is(t, 200).json(t)["problem"]; problem != nil {
		t.Error(problem)
	}
	s.call("admin", "DELETE", configPath+"/shiplist/tugs", "").is(t, 204)
	s.watch.Compile()
	gone := s.get(path).is(t, 200).json(t)
	if why, said := gone["problem_rule"].(map[string]any); !said || why["rule"] != "watched_list_gone" || gone["problem"] != why["detail"] {
		t.Errorf("the list is gone: %v", gone)
	}
	s.post(configPath+"/shiplist", `{"name":"tugs","ships":[{"mmsi":219018765}]}`).is(t, 200)
	s.watch.Compile()
	if problem := s.get(path).is(t, 200).json(t)["problem"]; problem != nil {
		t.Error(problem)
	}
	unheard := s.watchdog("admin", `{"name":"One","type":"lost","lost":{"mmsi":219018765}}`)
	if problem := s.get(unheard).is(t, 200).json(t)["problem"]; problem == nil {
		t.Error("the ship was never heard, and there is no problem")
	}
}
