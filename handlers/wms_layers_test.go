package handlers

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"path/filepath"
	"strings"
	"testing"

	"quaywatch/handlers/wms"
	"quaywatch/users/access/right"
)

// layersOf returns the picture of some layers of the waters of the tests as a user has it.
func (s *site) layersOf(user, layers, more string) []byte {
	s.t.Helper()
	a := s.call(user, "GET", strings.Replace(aMap, "layers=statistics", "layers="+layers, 1)+more, "").is(s.t, 200)
	return a.body
}

// pixelOf returns the colour of a pixel of a picture.
func pixelOf(t *testing.T, file []byte, x, y int) color.NRGBA {
	t.Helper()
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
}

// TestLandIsOnTheMap: it is filled in each style and each system, and the sea is not; over 180° and round the pole too.
func TestLandIsOnTheMap(t *testing.T) {
	s := newSite(t, withChart(t))
	colors := map[string]color.NRGBA{}
	for _, style := range []string{"day", "dusk", "night"} {
		for _, box := range []string{"&crs=EPSG:4326&bbox=55.9,10,56.4,10.8", "&crs=CRS:84&bbox=10,55.9,10.8,56.4", "&crs=EPSG:3857&bbox=1113195,7538000,1202250,7638000"} {
			file := s.get(wms.Path+"?request=GetMap&version=1.3.0&layers=land&transparent=TRUE&width=200&height=150&styles="+style+box).is(t, 200).body
			if land := pixelOf(t, file, 20, 70); land.A != 255 { // west of Aarhus
				t.Errorf("%s %s: the land is %v", style, box, land)
			} else {
				colors[style] = land
			}
			if sea := pixelOf(t, file, 100, 90); sea.A != 0 {
				t.Errorf("%s %s: the sea is %v", style, box, sea)
			}
		}
	}
	if len(colors) != 3 || colors["day"] == colors["dusk"] || colors["dusk"] == colors["night"] {
		t.Errorf("%v", colors)
	}
	fiji := s.get(wms.Path+"?request=GetMap&version=1.3.0&layers=land&bbox=-20,170,-10,190&width=200&height=100").is(t, 200).body
	if vanua := pixelOf(t, fiji, 80, 77); vanua.A != 255 { // 178.0 E 17.7 S
		t.Errorf("Fiji is %v", vanua)
	}
	pole := s.get(wms.Path+"?request=GetMap&version=1.3.0&layers=land&bbox=-90,-180,90,180&width=200&height=100").is(t, 200).body
	if ice := pixelOf(t, pole, 50, 99); ice.A != 255 {
		t.Errorf("the south pole is %v", ice)
	}
}

// TestPlacesOnTheMap: a shape is drawn for those that may use it, and ports for those with view_port.
func TestPlacesOnTheMap(t *testing.T) {
	s := newSite(t, withChart(t))
	s.may("anna", right.ViewWMSLayers)
	empty := s.layersOf("anna", "shapes", "")
	s.post(configPath+"/shape", `{"name":"west","circle":{"center":{"type":"Point","coordinates":[10.4,56.14]},"radius":5000}}`).is(t, 200)
	if !bytes.Equal(s.layersOf("anna", "shapes", ""), empty) {
		t.Error("a shape of another user is drawn")
	}
	if bytes.Equal(s.layersOf("admin", "shapes", ""), empty) {
		t.Error("a shape is not drawn for its owner")
	}
	if bytes.Equal(s.layersOf("admin", "ports", ""), empty) {
		t.Error("no port is drawn")
	}
	a := s.call("anna", "GET", strings.Replace(aMap, "statistics", "land,ports", 1), "").is(t, 403)
	if !strings.Contains(string(a.body), "view_port") {
		t.Errorf("%s", a.body)
	}
	const ask = wms.Path + "?service=WMS&request=GetCapabilities"
	if own, all := string(s.call("anna", "GET", ask, "").is(t, 200).body), string(s.get(ask).is(t, 200).body); strings.Contains(own, "<Name>ports</Name>") ||
		!strings.Contains(all, "<Name>ports</Name>") || !strings.Contains(own, "<Name>land</Name>") {
		t.Errorf("%s", own)
	}
	for query, code := range map[string]string{"land": "LayerNotQueryable", "ships,land": "LayerNotQueryable", "statistics": "LayerNotDefined"} {
		request := strings.NewReplacer("GetMap", "GetFeatureInfo", "layers=statistics", "layers=land,ships").Replace(aMap)
		a := s.get(request+"&i=3&j=3&info_format=application/json&query_layers="+query).is(t, 400)
		if !strings.Contains(string(a.body), code) {
			t.Errorf("%s: %s", query, a.body)
		}
	}
}

// TestShipsOnTheMap: each ship is drawn where it is, in the colour of its type, over the land in the order of the layers; a ship that moved gives another
// picture, and one that did not the same.
func TestShipsOnTheMap(t *testing.T) {
	s := newSite(t, withChart(t))
	hear := func(step int, lon float64) {
		for range 3 {
			s.hear(noon(), voyage(nordic, "NORDIC HAV"))
			s.hear(noon(), position(nordic, lon, 56.15, 100*step, 900))
		}
		s.settle()
	}
	empty := s.layersOf("admin", "ships", "")
	hear(0, 10.4)
	rests := s.get(strings.Replace(aMap, "statistics", "ships", 1)).is(t, 200)
	if lies := pixelOf(t, rests.body, 100, 75); lies != (color.NRGBA{0x1f, 0x7a, 0x3a, 255}) {
		t.Errorf("a cargo ship is %v", lies)
	}
	if bytes.Equal(rests.body, empty) {
		t.Error("no ship is drawn")
	}
	s.get(strings.Replace(aMap, "statistics", "ships", 1), "If-None-Match", rests.header.Get("ETag")).is(t, 304)
	for at, box := range map[[2]int]string{{100, 75}: "&crs=CRS:84&bbox=10,55.9,10.8,56.4", {101, 76}: "&crs=EPSG:3857&bbox=1113195,7538000,1202250,7638000"} {
		file := s.get(wms.Path+"?request=GetMap&version=1.3.0&layers=land,ships&styles=night,night&width=200&height=150"+box).is(t, 200).body
		if lies := pixelOf(t, file, at[0], at[1]); lies.G < 0x80 || lies.R > 0x60 {
			t.Errorf("%s: a cargo ship is %v", box, lies)
		}
	}
	if pixelOf(t, s.layersOf("admin", "ships,land", "&styles="), 20, 70).A != 255 || pixelOf(t, s.layersOf("admin", "land,ships", ""), 20, 70).A != 255 {
		t.Error("no land lies with the ships")
	}
	s.hear(noon().Add(60e9), position(nordic, 10.42, 56.15, 150, 900))
	s.settle()
	moved := s.get(strings.Replace(aMap, "statistics", "ships", 1), "If-None-Match", rests.header.Get("ETag")).is(t, 200)
	if bytes.Equal(moved.body, rests.body) {
		t.Error("a ship that moved has the same picture")
	}
}

// TestAHiddenShipIsOnNoMap: what a reader may not see is not in its picture: it is that of a reader without any ship.
func TestAHiddenShipIsOnNoMap(t *testing.T) {
	s := newSite(t)
	empty := s.layersOf("admin", "ships", "")
	launch(s)
	s.may("anna", right.ViewWMSLayers)
	s.setFilter("anna", `{}`)
	whole := s.layersOf("admin", "ships", "")
	if bytes.Equal(whole, empty) || !bytes.Equal(s.layersOf("anna", "ships", ""), whole) {
		t.Error("a reader that sees all has another picture, or an empty one")
	}
	for _, v := range vessels() {
		if v.byHand || v.lon > 170 || v.lon < -170 {
			continue
		}
		s.setFilter("anna", fmt.Sprintf(`{"expression":"not mmsi = %d"}`, v.mmsi))
		if got := s.layersOf("anna", "ships", ""); bytes.Equal(got, whole) || bytes.Equal(got, empty) {
			t.Errorf("the hidden ship %d is drawn, or no other one", v.mmsi)
		}
		s.setFilter("anna", fmt.Sprintf(`{"expression":"mmsi = %d"}`, v.mmsi))
		if bytes.Equal(s.layersOf("anna", "ships", ""), empty) {
			t.Errorf("the ship %d is not drawn", v.mmsi)
		}
	}
	for _, filter := range []string{`{"expression":"mmsi = 1"}`, `{"delay":86400}`, `{"psss":["attic"]}`} {
		s.setFilter("anna", filter)
		if got := s.layersOf("anna", "ships", ""); !bytes.Equal(got, empty) {
			t.Errorf("with %s a ship is drawn", filter)
		}
	}
}

// TestShipsAtAPixel: who asks at the place of a ship is told of it as of a ship in an area, in each format, and of none beside it. A ship that is hidden is not
// there.
func TestShipsAtAPixel(t *testing.T) {
	s := newSite(t)
	for range 3 {
		s.hear(noon(), voyage(nordic, "NORDIC HAV"))
		s.hear(noon(), position(nordic, 10.4, 56.15, 0, 900))
		s.hear(noon(), position(219000700, 10.41, 56.15, 0, 900)) // some pixels to the east
	}
	s.settle()
	s.may("anna", right.ViewWMSLayers)
	ask := strings.NewReplacer("GetMap", "GetFeatureInfo", "layers=statistics", "layers=ships").Replace(aMap) + "&query_layers=ships&feature_count=5&info_format="
	for _, row := range []struct{ box, i, j string }{
		{"&crs=EPSG:4326&bbox=55.9,10,56.4,10.8", "100", "74"}, {"&crs=CRS:84&bbox=10,55.9,10.8,56.4", "100", "74"}, {"&crs=EPSG:3857&bbox=1113195,7538000,1202250,7638000", "99", "76"},
	} {
		a := s.get(strings.Replace(ask, "&bbox=55.9,10,56.4,10.8", row.box, 1)+"application/json&i="+row.i+"&j="+row.j).is(t, 200)
		found := recordsOf(t, a)
		if len(found) == 0 || found[0]["mmsi"] != float64(nordic) || found[0]["name"] != "NORDIC HAV" {
			t.Errorf("%s: %s", row.box, a.body)
		}
	}
	const there, beside = "&i=100&j=74", "&i=60&j=74"
	for format, want := range map[string]string{"application/json": `"name":"NORDIC HAV"`, "application/geo%2Bjson": `"type":"Feature"`, "text/plain": "name: NORDIC HAV\n"} {
		if a := s.get(ask+format+there).is(t, 200); !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %s", format, a.body)
		}
		if a := s.get(ask+format+beside).is(t, 200); strings.Contains(string(a.body), "NORDIC") {
			t.Errorf("%s beside it: %s", format, a.body)
		}
		s.setFilter("anna", `{}`)
		if a := s.call("anna", "GET", ask+format+there, "").is(t, 200); !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %s", format, a.body)
		}
		s.setFilter("anna", fmt.Sprintf(`{"expression":"not mmsi = %d"}`, nordic))
		if a := s.call("anna", "GET", ask+format+there, "").is(t, 200); strings.Contains(string(a.body), "NORDIC") || strings.Contains(string(a.body), fmt.Sprint(nordic)) {
			t.Errorf("%s tells of a hidden ship: %s", format, a.body)
		}
	}
	both := strings.NewReplacer("layers=ships", "layers=ships,statistics", "query_layers=ships", "query_layers=ships,statistics").Replace(ask)
	if a := s.get(both+"application/json"+there).is(t, 400); !strings.Contains(string(a.body), "InvalidParameterValue") {
		t.Errorf("%s", a.body)
	}
}

// TestShipsInGDAL: GDAL reads the picture of the ships the right way up.
func TestShipsInGDAL(t *testing.T) {
	needs(t, "gdal_translate")
	s := newSite(t)
	for range 3 {
		s.hear(noon(), position(nordic, 10.35, 56.15, 0, 900))
	}
	s.settle()
	live, file := s.serve(), filepath.Join(t.TempDir(), "map.png")
	run(t, "gdal_translate", "-q", "-of", "PNG", "-outsize", "200", "200", "-projwin", "10.3", "56.3", "10.5", "56.1",
		"WMS:"+live.URL+wms.Path+"?SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=ships&CRS=CRS:84&BBOX=-180,-90,180,90&TRANSPARENT=TRUE", file)
	if lies := middleOf(t, file); lies[0] < 30 || lies[0] > 130 || lies[1] < 120 || lies[1] > 180 {
		t.Errorf("the ship lies round %v of 200 x 200", lies)
	}
}

// TestThePastOnTheMap: the tracks and the density of a time are drawn for those that may have them, without ships that are hidden, and no other time is taken.
func TestThePastOnTheMap(t *testing.T) {
	s := newSite(t)
	s.may("bert", right.ViewWMSLayers, right.ViewHistory)
	s.may("anna", right.ViewWMSLayers, right.ViewHistory, right.ViewHistoricalTracks)
	const during, before = "&time=2026-11-20T00:00:00Z/2026-11-21T00:00:00Z", "&time=2026-11-18T00:00:00Z/2026-11-19T00:00:00Z"
	empty := s.layersOf("admin", "tracks", during)
	s.sail(nordic, noon(), 10e9, 60)
	s.settle()
	for _, layer := range []string{"tracks", "density"} {
		whole := s.layersOf("admin", layer, during)
		if bytes.Equal(whole, empty) || bytes.Equal(s.layersOf("admin", layer, ""), empty) || !bytes.Equal(s.layersOf("admin", layer, before), empty) {
			t.Errorf("%s: a ship is not drawn, or at another time", layer)
		}
		ask := strings.Replace(aMap, "statistics", layer, 1)
		for _, time := range []string{"&time=2026-11-20", "&time=2026-11-20T00:00:00Z/2026-11-21T00:00:00Z/PT1S"} {
			if !bytes.Equal(s.layersOf("admin", layer, time), whole) {
				t.Errorf("%s: with %s the picture is not that of the day", layer, time)
			}
		}
		if !bytes.Equal(s.layersOf("admin", layer, "&time=2026-11-20T12:05:00Z"), s.layersOf("admin", layer, "&time=2026-11-20T09:05:00Z/2026-11-20T12:05:00Z")) ||
			!bytes.Equal(s.layersOf("admin", layer, "&time=2026-11-20T11:00:00Z"), empty) ||
			!bytes.Equal(s.layersOf("admin", layer, "&time=current"), s.layersOf("admin", layer, "")) {
			t.Errorf("%s: a moment is not the end of three hours", layer)
		}
		if a := s.call("bert", "GET", ask, "").is(t, 403); !strings.Contains(string(a.body), "view_historical_tracks") {
			t.Errorf("%s", a.body)
		}
		for filter, want := range map[string][]byte{`{}`: whole, fmt.Sprintf(`{"expression":"not mmsi = %d"}`, nordic): empty, `{"psss":["attic"]}`: empty, `{"delay":86400}`: empty} {
			if s.setFilter("anna", filter); !bytes.Equal(s.layersOf("anna", layer, during), want) {
				t.Errorf("%s: with %s the picture is another one", layer, filter)
			}
		}
		for _, wrong := range []string{"now", "2026-11", "2026-11-21/2026-11-20", "2026-11-18/2026-11-20", "/", "2026-11-20/2026-11-21/PT1H"} {
			if a := s.get(ask+"&time="+wrong).is(t, 400); !strings.Contains(string(a.body), "InvalidDimensionValue") {
				t.Errorf("%s: %s", wrong, a.body)
			}
		}
	}
	s.setFilter("anna", `{}`)
	s.call("admin", "PUT", usersPath+"/anna", `{"settings":{"web_max_lookback_time":1}}`).is(t, 200)
	for _, layer := range []string{"tracks", "density"} {
		ask := strings.Replace(aMap, "statistics", layer, 1)
		s.call("anna", "GET", ask+before, "").is(t, 403)
		s.call("anna", "GET", ask+"&time=2026-11-19T00:00:00Z", "").is(t, 403)
		s.call("anna", "GET", ask, "").is(t, 200)
	}
}

// TestLegendsOfLayers: the density has the classes of the statistic, in the picture and alone, in both languages. Other layers have none, and no request gets two.
func TestLegendsOfLayers(t *testing.T) {
	s := newSite(t)
	s.may("bert", right.ViewWMSLayers)
	legend := func(layer, more string) string {
		return wms.Path + "?request=GetLegendGraphic&version=1.3.0&format=image/png&layer=" + layer + more
	}
	english, german := s.get(legend("density", "")).is(t, 200), s.get(legend("density", "&lang=de")).is(t, 200)
	if bytes.Equal(english.body, german.body) || bytes.Equal(english.body, s.get(legend("statistics", "")).is(t, 200).body) {
		t.Error("the legend is empty, or of one language")
	}
	s.call("bert", "GET", legend("density", ""), "").is(t, 403)
	for _, layer := range []string{"ships", "density,statistics", "tracks"} {
		s.get(legend(layer, "")).is(t, 400)
	}
	if bytes.Equal(s.layersOf("admin", "density", "&legendx=5&legendy=5"), s.layersOf("admin", "density", "")) {
		t.Error("the picture has no legend")
	}
	named := string(s.get(wms.Path+"?request=GetCapabilities&service=WMS").is(t, 200).body)
	if strings.Count(named, `layer=density&amp;`) != 3 || strings.Count(named, `<Dimension name="time"`) != 2 {
		t.Errorf("%s", named)
	}
}
