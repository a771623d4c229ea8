package handlers

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"
	"sync"
	"testing"

	"quaywatch/ais"
	"quaywatch/handlers/wms"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// aMap is a request for a picture of the waters of the tests, without its job.
const aMap = wms.Path + "?service=WMS&request=GetMap&version=1.3.0&layers=statistics&bbox=55.9,10,56.4,10.8&width=200&height=150"

// pictureOf returns the picture of a statistic and its legend as a user has them.
func (s *site) pictureOf(user, id string) string {
	s.t.Helper()
	a := s.call(user, "GET", aMap+"&legendx=4&legendy=4&job="+strings.TrimPrefix(id, "/"), "").is(s.t, 200)
	if a.header.Get("Content-Type") != "image/png" {
		s.t.Fatalf("%s: %s", a.header.Get("Content-Type"), a.body)
	}
	return string(a.body)
}

// TestACallIsInNoPictureOfOthers: so it is with the calls at ports, and a reader who is told no times has no mean of them.
func TestACallIsInNoPictureOfOthers(t *testing.T) {
	s := newCalls(t)
	s.harbour()
	s.addUser("anna", access.GroupAdmin)
	id := s.statistic("admin", "portcalls", aarhusDay)
	empty := s.statistic("admin", "portcalls", strings.Replace(aarhusDay, "{", `{"filter":"mmsi = 1",`, 1))
	s.ran(id)
	s.ran(empty)
	s.cutForReaders("portcalls", id, s.pictureOf("admin", empty), 219000700)
	s.may("clerk", right.ViewWMSLayers, right.ViewHistory, right.AdminReports)
	if s.pictureOf("clerk", id) == s.pictureOf("admin", id) {
		t.Error("a reader without view_ata_atd has the mean time in port")
	}
}

// cutForReaders compares the pictures of anna with those of the administrator: nobody is that of a result without records, and one a ship of several.
func (s *site) cutForReaders(kind, id, nobody string, one ais.MMSI) {
	s.t.Helper()
	whole := s.pictureOf("admin", id)
	if whole == nobody {
		s.t.Errorf("%s: nothing is drawn", kind)
	}
	if s.setFilter("anna", `{}`); s.pictureOf("anna", id) != whole {
		s.t.Errorf("%s: a reader that sees all has another picture than its owner", kind)
	}
	if s.setFilter("anna", fmt.Sprintf(`{"expression":"mmsi = %d"}`, one)); s.pictureOf("anna", id) == whole {
		s.t.Errorf("%s: the hidden ship is drawn", kind)
	}
	for _, filter := range []string{`{"psss":["pier"]}`, `{"expression":"mmsi = 1"}`, `{"delay":86400}`} {
		if s.setFilter("anna", filter); s.pictureOf("anna", id) != nobody {
			s.t.Errorf("%s: with %s a ship is drawn", kind, filter)
		}
	}
}

// TestMapsOfJobs: a job that is to come has an empty picture; one that is not there or not for the caller is a wrong value. A picture that the caller has
// is not sent again.
func TestMapsOfJobs(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	s.may("stranger", right.ViewWMSLayers, right.ViewHistory)
	s.may("clerk", right.ViewWMSLayers, right.AdminReports)
	id, _ := s.nearResult("nmss", nearAsks()["nmss"])
	job := "&job=" + strings.TrimPrefix(id, "/")
	held := "&job=" + strings.TrimPrefix(s.statistic("admin", "nmss", `{`+meetPeriod+nearAsks()["nmss"]+`,"execute":false}`), "/")
	none := s.get(aMap).is(t, 200)
	if waits := s.get(aMap+held).is(t, 200); !bytes.Equal(waits.body, none.body) {
		t.Error("a job that waits has a picture")
	}
	whole := s.get(aMap+job).is(t, 200)
	if bytes.Equal(whole.body, none.body) || s.get(aMap+job+"&legendx=5").is(t, 200).header.Get("ETag") != whole.header.Get("ETag") {
		t.Error("half a legend is drawn, or no picture")
	}
	if legend := s.get(aMap+job+"&LegendX=5&LEGENDY=5").is(t, 200); bytes.Equal(legend.body, whole.body) {
		t.Error("no legend is drawn")
	}
	tag := whole.header.Get("ETag")
	if again := s.get(aMap+job, "If-None-Match", tag).is(t, 304); len(again.body) > 0 || tag == "" || again.header.Get("ETag") != tag {
		t.Errorf("%q %s", tag, again.body)
	}
	for user, parameters := range map[string]string{"stranger": job, "admin": "&job=77"} {
		for _, request := range []string{aMap, wms.Path + "/?SERVICE=WMS&REQUEST=GetCapabilities"} {
			if a := s.call(user, "GET", request+parameters, "").is(t, 400); !strings.Contains(string(a.body), `code="InvalidParameterValue"`) {
				t.Errorf("%s: %s", user, a.body)
			}
		}
	}
	if a := s.call("clerk", "GET", aMap+job, "").is(t, 403); !strings.Contains(string(a.body), "view_history") {
		t.Errorf("%s", a.body)
	}
	if a := s.send("GET", aMap, "").is(t, 401); !strings.Contains(string(a.body), "ServiceExceptionReport") || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Basic") {
		t.Errorf("%v %s", a.header, a.body)
	}
	if a := s.get(wms.Path+"/?Service=WMS&Request=GetCapabilities"+job).is(t, 200); !strings.Contains(string(a.body), "/api/wms?"+strings.TrimPrefix(job, "&")+"&amp;\"") {
		t.Errorf("the address of the pictures has no job: %s", a.body)
	}
}

// TestASessionGetsMaps: a user that signed in to the client gets pictures without a password; those of a job need the right of the statistics pages.
func TestASessionGetsMaps(t *testing.T) {
	s := newSite(t)
	s.may("anna", right.ViewWMSLayers, right.ViewHistory, right.WebOnlineAccess)
	cookie := strings.Split(s.send("POST", "/api/session", `{"name":"anna","password":"`+adminPassword+`"}`, "Content-Type", "application/json").is(t, 200).header.Get("Set-Cookie"), ";")[0]
	a := s.send("GET", aMap, "", "Cookie", cookie).is(t, 200)
	if _, err := png.Decode(bytes.NewReader(a.body)); err != nil {
		t.Error(err)
	}
	if a := s.send("GET", aMap+"&job=5", "", "Cookie", cookie).is(t, 403); !strings.Contains(string(a.body), "web_report_access") {
		t.Errorf("%s", a.body)
	}
}

// TestExceptionsOfMaps: each wrong request has its code, with what is wrong in a sentence.
func TestExceptionsOfMaps(t *testing.T) {
	s := newSite(t)
	good := map[string]string{"service": "WMS", "request": "GetMap", "version": "1.3.0", "layers": "statistics", "bbox": "55,9,57,11", "width": "100", "height": "80"}
	with := func(changes ...string) string {
		query := wms.Path + "?"
		left := map[string]string{}
		for name, value := range good {
			left[name] = value
		}
		for i := 0; i < len(changes); i += 2 {
			left[changes[i]] = changes[i+1]
		}
		for name, value := range left {
			if value != "" {
				query += fmt.Sprintf("%s=%s&", strings.ToUpper(name[:1])+name[1:], value)
			}
		}
		return query
	}
	for code, all := range map[string][][]string{
		"MissingParameterValue": {{"request", ""}, {"version", ""}, {"layers", ""}, {"bbox", ""}, {"width", ""}, {"height", ""}},
		"OperationNotSupported": {{"request", "GetLegend"}, {"request", "Nonsense"}},
		"InvalidParameterValue": {{"service", "WFS"}, {"version", "1.1.1"}, {"bbox", "1,2,3"}, {"bbox", "57,9,55,11"}, {"bbox", "a,9,55,11"}, {"bbox", "NaN,9,55,11"},
			{"bbox", "1e300,9,2e300,11"}, {"width", "0"}, {"width", "4097"}, {"height", "x"}, {"transparent", "yes"}, {"bgcolor", "red"}, {"exceptions", "HTML"}, {"job", "x"},
			{"job", "-1"}, {"legendx", "x"}, {"styles", "day,day"}, {"styles", ",", "layers", "land,ports,statistics"}, {"styles", "day,,night", "layers", "land,ports,statistics"}, {"lang", "fr"}, {"legendy", "9999999"}},
		"InvalidFormat":         {{"format", "image/tiff"}},
		"InvalidCRS":            {{"crs", "EPSG:25832"}},
		"LayerNotDefined":       {{"layers", "fish"}, {"layers", "statistics,"}, {"layers", "land,Ports"}},
		"StyleNotDefined":       {{"styles", "noon"}},
		"CurrentUpdateSequence": {{"request", "GetCapabilities", "updatesequence", "4"}},
		"InvalidUpdateSequence": {{"request", "GetCapabilities", "updatesequence", "5"}},
	} {
		for _, changes := range all {
			a := s.get(with(changes...)).is(t, 400)
			if body := string(a.body); !strings.Contains(body, `<ServiceException code="`+code+`">`) || !strings.HasPrefix(a.header.Get("Content-Type"), "text/xml") {
				t.Errorf("%v: %s", changes, body)
			}
		}
	}
	blank := s.get(with("exceptions", "BLANK", "layers", "fish")).is(t, 200)
	told := s.get(with("exceptions", "inimage", "layers", "fish")).is(t, 200)
	for _, a := range []answer{blank, told, s.get(with("exceptions", "INIMAGE", "crs", "x", "bgcolor", "red", "styles", "x")).is(t, 200)} {
		if picture, err := png.Decode(bytes.NewReader(a.body)); err != nil || picture.Bounds().Dx() != 100 {
			t.Errorf("%v: %.100s", err, a.body)
		}
	}
	if bytes.Equal(blank.body, told.body) || !bytes.Equal(blank.body, s.get(with()).is(t, 200).body) {
		t.Error("a blank exception is not blank, or a picture does not tell it")
	}
	s.get(with("exceptions", "INIMAGE", "width", "0")).is(t, 400)
	if picture, err := png.DecodeConfig(bytes.NewReader(s.get(with("width", "4096", "height", "4096")).is(t, 200).body)); err != nil || picture.Width != 4096 || picture.Height != 4096 {
		t.Errorf("the largest picture: %v %v", picture, err)
	}
}

// TestGroundOfMaps: without a system of coordinates a picture is an overlay; with one it has the ground of the standard unless it is to be transparent.
func TestGroundOfMaps(t *testing.T) {
	s := newSite(t)
	for query, clear := range map[string]bool{"": true, "&crs=CRS:84": false, "&crs=EPSG:4326&transparent=true": true, "&transparent=FALSE": false, "&CRS=EPSG:3857&BGCOLOR=0x102030": false} {
		picture, err := png.Decode(bytes.NewReader(s.get(aMap+query).is(t, 200).body))
		if err != nil {
			t.Fatal(err)
		}
		r, g, b, a := picture.At(3, 3).RGBA()
		if (a == 0) != clear {
			t.Errorf("%s: opacity %d", query, a)
		}
		if strings.Contains(query, "BGCOLOR") && (r>>8 != 0x10 || g>>8 != 0x20 || b>>8 != 0x30) {
			t.Errorf("%s: %x %x %x", query, r, g, b)
		}
	}
}

// TestTheLegendAlone: the capabilities of a job name the legend of each style, which is a picture of its size, in the language and with the numbers that
// the reader has.
func TestTheLegendAlone(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	s.addUser("anna", access.GroupAdmin)
	id, _ := s.nearResult("nmsp", nearAsks()["nmsp"])
	empty, _ := s.nearResult("nmsp", nearAsks()["nmsp"]+`,"filter":"mmsi = 1"`)
	const ask = wms.Path + "?service=WMS&version=1.3.0&request=GetLegendGraphic&layer=statistics&format=image/png"
	of := func(user, query string) string {
		a := s.call(user, "GET", ask+query, "").is(t, 200)
		picture, err := png.DecodeConfig(bytes.NewReader(a.body))
		if err != nil {
			t.Fatal(err)
		}
		if picture.Width < 10 || picture.Width > 1000 || picture.Height < 10 || picture.Height > 500 {
			t.Errorf("%s: %d x %d", query, picture.Width, picture.Height)
		}
		return string(a.body)
	}
	job := "&job=" + strings.TrimPrefix(id, "/")
	all := map[string]string{}
	for _, query := range []string{"", job, job + "&style=night", job + "&lang=de"} {
		picture := of("admin", query)
		if had, same := all[picture]; same {
			t.Errorf("%q has the legend of %q", query, had)
		}
		all[picture] = query
	}
	if s.setFilter("anna", `{"expression":"mmsi = 1"}`); of("anna", job) != of("admin", "&job="+strings.TrimPrefix(empty, "/")) {
		t.Error("hidden ships are counted in the legend")
	}
	body := string(s.get(wms.Path+"?service=WMS&request=GetCapabilities"+job).is(t, 200).body)
	if strings.Count(body, "layer=statistics&amp;style=") != 3 || !strings.Contains(body, "request=GetLegendGraphic&amp;layer=statistics&amp;style=dusk&amp;format=image/png") {
		t.Error(body)
	}
	for code, change := range map[string][2]string{"MissingParameterValue": {"layer=statistics", ""}, "LayerNotDefined": {"layer=statistics", "layer=x"}, "StyleNotDefined": {"layer=", "style=x&layer="},
		"InvalidFormat": {"image/png", "image/svg"}, "InvalidParameterValue": {"1.3.0", "1.1.1"}} {
		if a := s.get(strings.Replace(ask, change[0], change[1], 1)+job).is(t, 400); !strings.Contains(string(a.body), code) {
			t.Errorf("%s: %s", code, a.body)
		}
	}
}

// TestManyPicturesOfOneUser: a program that asks for many pictures at once, as a GIS does for its tiles, gets each of them.
func TestManyPicturesOfOneUser(t *testing.T) {
	s := newSite(t)
	s.nearMiss()
	id, _ := s.nearResult("nmss", nearAsks()["nmss"])
	large := strings.Replace(strings.Replace(aMap, "width=200", "width=2048", 1), "height=150", "height=2048", 1) + "&job=" + strings.TrimPrefix(id, "/")
	var asked sync.WaitGroup
	begin := make(chan struct{})
	for range 16 {
		asked.Go(func() {
			<-begin
			if a := s.call("admin", "GET", large, ""); a.status != 200 {
				t.Errorf("%d %.300s", a.status, a.body)
			}
		})
	}
	close(begin)
	asked.Wait()
}
