package handlers

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestAConflictIsToldToThoseThatSeeBothPlaces: whoever may see one of the two places alone, by area, feed or satellite, reads no conflict.
func TestAConflictIsToldToThoseThatSeeBothPlaces(t *testing.T) {
	const info, infoAt = portserver + "/ship/info/", portserver + "/ship/info"
	s := newSite(t, withReceivers)
	s.post(configPath+"/shape", `{"name":"here","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":20000}}`).is(t, 200)
	s.addUser("anna", access.GroupOperator)
	now := noon().Add(-5 * time.Minute)
	for range 4 {
		s.heardBy(now, position(nordic, 10.3, 56.14, 112, 1814), "roof")
		s.heardBy(now.Add(10*time.Second), position(nordic, -5, 36, 112, 1814), "sky")
		now = now.Add(20 * time.Second)
	}
	s.heardBy(now, position(nordic, 10.3, 56.14, 112, 1814), "roof")
	s.settle()
	live := s.serve()
	for _, row := range []struct {
		filter string
		told   bool
	}{
		{`{}`, true},
		{`{"receive_filter":{"countries":[219]}}`, true},
		{`{"receive_filter":{"areas":["here"]}}`, false},
		{`{"receive_filter":{"expression":"lon > 0"}}`, false},
		{`{"receive_filter":{"psss":["roof"]}}`, false},
		{`{"receive_filter":{"psss":["roof","sky"]}}`, true},
		{`{"settings":{"allowed_pss_list":["roof"]}}`, false},
		{`{"access_rights":{"` + string(right.ViewSatellites) + `":"deny"}}`, false},
	} {
		s.call("admin", "PUT", usersPath+"/anna", `{"access_rights":{"view_satellites":""},"settings":{"allowed_pss_list":null},
			"receive_filter":{"areas":null,"expression":null,"psss":null,"countries":null}}`).is(t, 200)
		s.call("admin", "PUT", usersPath+"/anna", row.filter).is(t, 200)
		area := s.call("anna", "POST", areaPath, `{"area":`+harbour+`}`).is(t, 200).json(t)["id"].(float64)
		l := listenAs(t, "anna", live.URL, "", "")
		l.until("picture")
		_, inPicture := l.ships[float64(nordic)]["conflict"]
		l.close()
		for door, told := range map[string]bool{
			"area":            strings.Contains(string(s.finish("anna", fmt.Sprintf("%s/%.0f", areaPath, area)).body), `"conflict"`),
			"live":            inPicture,
			"info":            strings.Contains(string(s.call("anna", "GET", fmt.Sprint(info, nordic), "").is(t, 200).body), `"conflict"`),
			"info by number":  strings.Contains(string(s.call("anna", "POST", infoAt, fmt.Sprintf(`{"mmsi":%d}`, nordic)).is(t, 200).body), `"conflict"`),
			"info as GeoJSON": strings.Contains(string(s.call("anna", "GET", fmt.Sprint(info, nordic, "?format=geojson"), "").is(t, 200).body), `"conflict"`),
		} {
			if told != row.told {
				t.Errorf("%s: the %s tells the conflict: %v", row.filter, door, told)
			}
		}
	}
	id := s.post(areaPath, `{"area":`+harbour+`}`).is(t, 200).json(t)["id"].(float64)
	record := recordsOf(t, s.finish("admin", fmt.Sprintf("%s/%.0f", areaPath, id)))[0]
	both := record["conflict"].([]any)
	first, second := both[0].(map[string]any), both[1].(map[string]any)
	if of := s.get(fmt.Sprint(info, nordic)).is(t, 200).json(t)["conflict"]; !reflect.DeepEqual(of, record["conflict"]) {
		t.Errorf("the ship's record says %v, the area %v", of, record["conflict"])
	}
	then := fmt.Sprintf(`{"mmsi":%d,"time":%q}`, nordic, now.Add(-time.Minute).Format(time.RFC3339))
	if a := s.post(infoAt, then).is(t, 200); strings.Contains(string(a.body), `"conflict"`) {
		t.Errorf("what the ship was a minute ago has the conflict of now: %s", a.body)
	}
	if len(both) != 2 || first["feeds"].([]any)[0] != "roof" || second["feeds"].([]any)[0] != "sky" ||
		second["position"].(map[string]any)["coordinates"].([]any)[1] != 36.0 {
		t.Errorf("%v", record)
	}
}
