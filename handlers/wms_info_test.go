package handlers

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/handlers/wms"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// anInfo asks what lies at the middle of a picture round the place of the near miss, in JSON.
const anInfo = wms.Path + "?service=WMS&request=GetFeatureInfo&version=1.3.0&layers=statistics&query_layers=statistics&crs=CRS:84&bbox=10.34,56.14,10.36,56.16" +
	"&width=101&height=101&i=50&j=50&info_format=application/json"

// infoOf returns the records at the place of a request for a statistic.
func (s *site) infoOf(user, request, id string) []map[string]any {
	s.t.Helper()
	return recordsOf(s.t, s.call(user, "GET", request+"&job="+strings.TrimPrefix(id, "/"), "").is(s.t, 200))
}

// TestWhatLiesAtAPlaceOfAMap: a near miss is found where it is drawn and nowhere else, in each system of coordinates, on each turn of the world, and in each format.
func TestWhatLiesAtAPlaceOfAMap(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	id, all := s.nearResult("nmsp", nearAsks()["nmsp"]) // one ship at 10.35 56.15, another a little north of it
	if len(all) != 2 {
		t.Fatalf("%v", all)
	}
	for _, box := range []string{"crs=CRS:84&bbox=10.34,56.14,10.36,56.16", "crs=EPSG:4326&bbox=56.14,10.34,56.16,10.36", "bbox=56.14,10.34,56.16,10.36",
		"crs=EPSG:3857&bbox=1151044,7586333,1153272,7590337", "crs=CRS:84&bbox=370.34,56.14,370.36,56.16", "crs=CRS:84&bbox=-349.66,56.14,-349.64,56.16"} {
		request := strings.Replace(anInfo, "crs=CRS:84&bbox=10.34,56.14,10.36,56.16", box, 1)
		if got := s.infoOf("admin", request, id); len(got) != 1 || got[0]["ship"].(map[string]any)["mmsi"] != 219018765.0 {
			t.Errorf("%s: %v", box, got)
		}
		if got := s.infoOf("admin", request+"&feature_count=9", id); len(got) != 2 || got[0]["ship"].(map[string]any)["mmsi"] != 219018765.0 {
			t.Errorf("%s: nine: %v", box, got)
		}
		for _, far := range []string{"i=50&j=70", "i=20&j=50", "i=0&j=0", "i=100&j=100"} {
			if got := s.infoOf("admin", strings.Replace(request, "i=50&j=50", far, 1)+"&feature_count=9", id); len(got) != 0 {
				t.Errorf("%s at %s: %v", box, far, got)
			}
		}
	}
	job := "&feature_count=9&job=" + strings.TrimPrefix(id, "/")
	whole := s.get(anInfo+job).is(t, 200)
	if whole.header.Get("Content-Type") != "application/json" || whole.json(t)["type"] != "nmsp" {
		t.Errorf("%v %s", whole.header, whole.body)
	}
	places := s.get(strings.Replace(anInfo, "application/json", "application/geo%2Bjson", 1)+job).is(t, 200)
	features := places.json(t)["features"].([]any)
	if len(features) != 2 || places.header.Get("Content-Type") != "application/geo+json" || !strings.Contains(fmt.Sprint(features[0]), "type:Point") {
		t.Errorf("%v %s", places.header, places.body)
	}
	plain := s.get(strings.Replace(anInfo, "application/json", "text/plain", 1)+job).is(t, 200)
	if text := string(plain.body); strings.Count(text, "\n\n") != 2 || !strings.Contains(text, "mmsi: 219018765\n") || !strings.HasPrefix(plain.header.Get("Content-Type"), "text/plain") {
		t.Errorf("%v %q", plain.header, text)
	}
}

// TestATrackIsFoundAtItsPlace: a record of tracks has the position that is nearest to the place, and not the track.
func TestATrackIsFoundAtItsPlace(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	id, _ := s.nearResult("historicaltrack", nearAsks()["historicaltrack"])
	got := s.infoOf("admin", anInfo, id)
	if len(got) != 1 || got[0]["ship"].(map[string]any)["mmsi"] != 219018765.0 {
		t.Fatalf("%v", got)
	}
	if at, ok := got[0]["track"].(map[string]any)["coordinates"].([]any); !ok || len(at) != 1 || !strings.Contains(fmt.Sprint(at[0]), "2026-11-20T10:30:00Z") {
		t.Errorf("%v", got[0]["track"])
	}
}

// TestExceptionsOfFeatureInfo: each wrong request has its code, and no job is not queryable.
func TestExceptionsOfFeatureInfo(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	id, _ := s.nearResult("nmsp", nearAsks()["nmsp"])
	job := "&job=" + strings.TrimPrefix(id, "/")
	for code, all := range map[string][][2]string{
		"InvalidPoint":          {{"i=50", "i=101"}, {"i=50", "i=-1"}, {"j=50", "j=101"}, {"j=50", "j=x"}, {"j=50", "j=1.5"}},
		"InvalidFormat":         {{"application/json", "text/html"}, {"application/json", "x"}},
		"LayerNotDefined":       {{"query_layers=statistics", "query_layers=ships"}, {"&layers=statistics", "&layers=ships"}},
		"MissingParameterValue": {{"&i=50", ""}, {"&j=50", ""}, {"query_layers=statistics", ""}, {"&info_format=application/json", ""}, {"width=101", ""}},
		"InvalidParameterValue": {{"width=101", "width=0"}, {"i=50", "i=50&feature_count=0"}, {"i=50", "i=50&feature_count=x"}, {"version=1.3.0", "version=1.1.1"}},
		"InvalidCRS":            {{"CRS:84", "EPSG:25832"}},
		"LayerNotQueryable":     {{"&info", "&job=&info"}},
	} {
		for _, change := range all {
			request := strings.Replace(anInfo, change[0], change[1], 1)
			if code != "LayerNotQueryable" {
				request += job
			}
			if a := s.get(request).is(t, 400); !strings.Contains(string(a.body), `<ServiceException code="`+code+`">`) {
				t.Errorf("%s: %v: %s", code, change, a.body)
			}
		}
	}
	s.get(anInfo+job+"&feature_count=100000").is(t, 200)
	held := s.statistic("admin", "nmss", `{`+meetPeriod+nearAsks()["nmss"]+`,"execute":false}`)
	if got := s.infoOf("admin", anInfo, held); len(got) != 0 {
		t.Errorf("a job that waits has %v", got)
	}
	for query, queryable := range map[string]string{"": `<Layer queryable="0" opaque="0"><Name>statistics<`, job: `<Layer queryable="1" opaque="0"><Name>statistics<`} {
		a := string(s.get(wms.Path+"?service=WMS&request=GetCapabilities"+query).is(t, 200).body)
		if !strings.Contains(a, queryable) || !strings.Contains(a, "<GetFeatureInfo><Format>application/json</Format><Format>application/geo+json</Format><Format>text/plain</Format>") {
			t.Errorf("%s: %s", query, a)
		}
	}
}

// infoFor compares what anna is told at places of the picture with what the administrator is told: the picture is asked all over, in each format.
func (s *site) infoFor(kind, id string, one ais.MMSI) {
	s.t.Helper()
	var places []string
	at := func(user, place, format string) string {
		request := strings.Replace(strings.Replace(aMap, "GetMap", "GetFeatureInfo", 1), "width=200&height=150", "width=64&height=48", 1)
		return string(s.call(user, "GET", request+"&query_layers=statistics"+place+"&feature_count=50&info_format="+format+"&job="+strings.TrimPrefix(id, "/"), "").is(s.t, 200).body)
	}
	for x := 4; x < 64; x += 8 {
		for y := 4; y < 48; y += 8 {
			if place := fmt.Sprintf("&i=%d&j=%d", x, y); !strings.Contains(at("admin", place, "application/json"), `"records":[]`) {
				places = append(places, place)
			}
		}
	}
	ask := func(user string) (text string, found int) {
		for _, place := range places {
			for _, format := range []string{"application/json", "application/geo%2Bjson", "text/plain"} {
				text += at(user, place, format)
			}
		}
		return text, len(regexp.MustCompile(`"(ship|port)":|mmsi: `).FindAllString(text, -1))
	}
	whole, found := ask("admin")
	if found == 0 {
		if kind != "sogdist" && kind != "density" { // whose records have no place
			s.t.Errorf("%s: nothing is found", kind)
		}
		return
	}
	if s.setFilter("anna", `{}`); func() string { text, _ := ask("anna"); return text }() != whole {
		s.t.Errorf("%s: a reader that sees all is told something else than its owner", kind)
	}
	s.setFilter("anna", fmt.Sprintf(`{"expression":"mmsi = %d"}`, one))
	if text, n := ask("anna"); n >= found || regexp.MustCompile(fmt.Sprint(hiddenOf(one))).MatchString(text) {
		s.t.Errorf("%s: the hidden ship is told: %d of %d", kind, n, found)
	}
	for _, filter := range []string{`{"psss":["pier"]}`, `{"expression":"mmsi = 1"}`, `{"delay":86400}`} {
		s.setFilter("anna", filter)
		if text, n := ask("anna"); n != 0 || strings.Contains(text, "2190") {
			s.t.Errorf("%s: with %s %d are told", kind, filter, n)
		}
	}
	s.setFilter("anna", `{}`)
}

// hiddenOf returns the other of the two ships of the tests.
func hiddenOf(one ais.MMSI) ais.MMSI {
	if one == nordic {
		return westerly
	}
	return nordic
}

// TestACallIsToldAtNoPlaceToOthers: the calls at ports are cut too, and a reader without view_ata_atd is told no times.
func TestACallIsToldAtNoPlaceToOthers(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.addUser("anna", access.GroupAdmin)
	id := s.statistic("admin", "portcalls", aarhusDay)
	s.ran(id)
	s.infoFor("portcalls", id, 219000700)
	s.may("clerk", right.ViewWMSLayers, right.ViewHistory, right.AdminReports)
	request := strings.Replace(anInfo, "crs=CRS:84&bbox=10.34,56.14,10.36,56.16", "crs=CRS:84&bbox=9.72,55.65,10.72,56.65", 1) + "&feature_count=9"
	var told [2]string
	for i, user := range []string{"admin", "clerk"} {
		var n []map[string]any
		if n = s.infoOf(user, request, id); len(n) == 0 {
			t.Fatalf("%s is told no call", user)
		}
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		told[i] = string(text)
	}
	if !strings.Contains(told[0], `"ata"`) || strings.Contains(told[1], `"ata"`) || strings.Contains(told[1], `"atd"`) {
		t.Errorf("a reader without view_ata_atd is told\n%s\nof\n%s", told[1], told[0])
	}
}
