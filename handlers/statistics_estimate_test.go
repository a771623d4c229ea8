package handlers

import (
	"testing"
	"time"

	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestTheEstimateOfAStatistic tells about what it reads, keeps nothing, and wants the rights of the statistic itself.
func TestTheEstimateOfAStatistic(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	s.addUser("clerk")
	s.allowAllBut("clerk", right.ViewHistory, false)
	about := func(user, kind, ask string) map[string]any {
		return s.call(user, "POST", statPath+"/"+kind+"/estimate", `{`+morning+ask+`}`).is(t, 200).json(t)
	}
	all := about("admin", "area", `"shape":`+harbour)
	if ships, fixes := all["ships"], all["fixes"]; ships != 2.0 || fixes == nil || fixes.(float64) < 2 || all["hours"] == 0.0 || all["hours"] != all["hours_read"] {
		t.Errorf("an area: %v", all)
	}
	for kind, ask := range map[string]string{
		"historicaltrack": `"mmsi":[219018765]`, "sogdist": `"mmsi":[219018765]`, "multiship": `"ships":[{"mmsi":219018765}]`,
	} {
		if one := about("admin", kind, ask); one["ships"] != 1.0 || one["fixes"].(float64) <= 0 || one["fixes"].(float64) >= all["fixes"].(float64) {
			t.Errorf("%s of one ship: %v of %v", kind, one, all)
		}
	}
	if one := about("admin", "historicaltrack", `"shape":`+harbour); one["ships"] == nil || one["ships"] != all["ships"] || one["fixes"] != all["fixes"] {
		t.Errorf("tracks of all ships in an area: %v, the area %v", one, all)
	}
	const far = `{"type":"Polygon","coordinates":[[[-60,-50],[-59,-50],[-59,-49],[-60,-50]]]}`
	if none := about("admin", "area", `"shape":`+far); none["ships"] != 0.0 || none["fixes"] != 0.0 {
		t.Errorf("where nobody was: %v", none)
	}
	if later := s.call("admin", "POST", statPath+"/area/estimate", `{"begin":"2036-11-20","end":"2036-11-21","shape":`+harbour+`}`).is(t, 200).json(t); later["fixes"] != 0.0 {
		t.Errorf("of the future: %v", later)
	}
	if list := recordsOf(t, s.call("admin", "GET", statPath+"/statistic", "").is(t, 200)); len(list) > 0 {
		t.Errorf("an estimate is kept: %v", list)
	}
	s.call("admin", "POST", statPath+"/area/estimate", `{`+morning+`"shape":7}`).is(t, 400)
	s.call("admin", "POST", statPath+"/tides/estimate", `{`+morning+`"shape":`+harbour+`}`).is(t, 404)
	s.call("clerk", "POST", statPath+"/area/estimate", `{`+morning+`"shape":`+harbour+`}`).is(t, 403)
	for _, filter := range []string{`{"expression":"mmsi = 219000700"}`, `{"expression":null,"delay":86400}`} {
		s.setFilter("anna", filter)
		if hidden := about("anna", "area", `"shape":`+harbour); hidden["ships"] != nil || hidden["fixes"] != nil {
			t.Errorf("%s: it tells of hidden ships: %v", filter, hidden)
		}
	}
}

// TestTheEstimateOfCalls: kinds that look through calls at ports tell how many these are, of the ships and ports that are asked for.
func TestTheEstimateOfCalls(t *testing.T) {
	s := newCalls(t)
	s.addUser("anna", access.GroupAdmin)
	_, _, next := s.voyageOf(nordic, noon().Add(-5*time.Hour), "roof")
	s.leavesAarhus(westerly, "WESTER", next.Add(time.Hour))
	about := func(user, kind, ask string) map[string]any {
		return s.call(user, "POST", statPath+"/"+kind+"/estimate", `{`+ask+`}`).is(t, 200).json(t)
	}
	for _, of := range []struct {
		kind, ask string
		want      float64
	}{
		{"portcalls", tripDays + bothPorts, 3}, {"portcalls", tripDays + aarhusOnly, 2}, {"portcalls", tripDays + `"mmsi":[219018765]`, 2},
		{"portcalls", `"begin":"2026-10-01","end":"2026-10-02",` + bothPorts, 0}, {"trip", tripDays + bothPorts, 3},
		{"trip", tripDays + bothPorts + `,"a_team":[219000700]`, 1}, {"pilotboat", tripDays + aarhusOnly, 2},
	} {
		if told := about("admin", of.kind, of.ask); told["calls"] != of.want || told["fixes"] != nil || told["ships"] != nil {
			t.Errorf("%s {%s}: %v, want %v calls", of.kind, of.ask, told, of.want)
		}
	}
	s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
	if hidden := about("anna", "portcalls", tripDays+bothPorts); hidden["calls"] != nil {
		t.Errorf("it tells of hidden ships: %v", hidden)
	}
}
