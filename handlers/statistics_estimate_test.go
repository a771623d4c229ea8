package handlers

import (
	"testing"

	"quaywatch/access"
	"quaywatch/access/right"
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
	const far = `{"type":"Polygon","coordinates":[[[-60,-50],[-59,-50],[-59,-49],[-60,-50]]]}`
	if none := about("admin", "area", `"shape":`+far); none["ships"] != 0.0 || none["fixes"] != 0.0 {
		t.Errorf("where nobody was: %v", none)
	}
	if later := s.call("admin", "POST", statPath+"/area/estimate", `{"begin":"2036-11-20","end":"2036-11-21","shape":`+harbour+`}`).is(t, 200).json(t); later["fixes"] != 0.0 {
		t.Errorf("of the future: %v", later)
	}
	if calls := about("admin", "trip", `"shape":`+harbour); calls["fixes"] != nil || calls["ships"] != nil {
		t.Errorf("of trips: %v", calls)
	}
	if list := records(t, s.call("admin", "GET", statPath+"/statistic", "").is(t, 200)); len(list) > 0 {
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
