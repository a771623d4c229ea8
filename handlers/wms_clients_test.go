package handlers

import (
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"quaywatch/handlers/wms"
)

// needs skips a test where a program is not there; make test installs all of them.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed: make deps", program)
	}
}

// run runs a program with the administrator's password for GDAL, and returns what it prints.
func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "GDAL_HTTP_USERPWD=admin:"+adminPassword, "GDAL_PAM_ENABLED=NO", "GDAL_ENABLE_WMS_CACHE=NO")
	c.Dir = t.TempDir()
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, text)
	}
	return string(text)
}

// TestMapsInGDAL: GDAL reads the capabilities of a job and finds its picture with no word about jobs. The picture is the right way up, in each system: the
// near miss lies in the quarter of the picture in which it was.
func TestMapsInGDAL(t *testing.T) {
	needs(t, "gdalinfo")
	s := newSite(t)
	s.nearMiss()
	id, _ := s.nearResult("nmsp", nearAsks()["nmsp"]) // at 10.35 56.15
	live := s.serve()
	at := live.URL + wms.Path + "?job=" + strings.TrimPrefix(id, "/")
	found := run(t, "gdalinfo", "WMS:"+at)
	var sets []string
	for line := range strings.Lines(found) {
		if _, name, ok := strings.Cut(strings.TrimSpace(line), "_NAME="); ok {
			sets = append(sets, name)
		}
	}
	if len(sets) == 0 {
		t.Fatalf("GDAL finds no layer:\n%s", found)
	}
	for _, set := range sets {
		if !strings.Contains(set, "job="+strings.TrimPrefix(id, "/")) {
			t.Errorf("GDAL would ask %s", set)
		}
	}
	if !strings.Contains(found, "LAYERS=statistics") || !strings.Contains(found, "LAYERS=ports") {
		t.Errorf("GDAL finds no layers of a job and of the ports:\n%s", found)
	}
	for crs, window := range map[string][]string{
		"CRS:84":    {"10.3", "56.3", "10.5", "56.1"}, // west north east south
		"EPSG:4326": {"10.3", "56.3", "10.5", "56.1"},
		"EPSG:3857": {"1146591", "7617000", "1168855", "7577000"},
	} {
		box := "-180,-90,180,90"
		switch crs {
		case "EPSG:3857":
			box = "-20037508.34,-20037508.34,20037508.34,20037508.34"
		case "EPSG:4326":
			box = "-90,-180,90,180"
		}
		file := filepath.Join(t.TempDir(), "map.png")
		run(t, "gdal_translate", append([]string{"-q", "-of", "PNG", "-outsize", "200", "200", "-projwin"}, append(window,
			"WMS:"+at+"&SERVICE=WMS&VERSION=1.3.0&REQUEST=GetMap&LAYERS=statistics&CRS="+crs+"&BBOX="+box+"&TRANSPARENT=TRUE", file)...)...)
		lies := middleOf(t, file)
		if lies[0] < 30 || lies[0] > 85 || lies[1] < 120 || lies[1] > 180 {
			t.Errorf("%s: what is drawn lies round %v of 200 x 200", crs, lies)
		}
	}
}

// middleOf returns the middle of what is drawn in a picture.
func middleOf(t *testing.T, path string) [2]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	x, y, n := 0, 0, 0
	for row := range picture.Bounds().Dy() {
		for column := range picture.Bounds().Dx() {
			if _, _, _, a := picture.At(column, row).RGBA(); a > 0x6000 {
				x, y, n = x+column, y+row, n+1
			}
		}
	}
	if n == 0 {
		t.Fatal("nothing is drawn")
	}
	return [2]int{x / n, y / n}
}

// TestMapsByTheSchemas: the capabilities, with a job and without, and an exception are valid by the schemas of OGC.
func TestMapsByTheSchemas(t *testing.T) {
	needs(t, "xmllint")
	s := newSite(t)
	id := strings.TrimPrefix(s.statistic("admin", "portcalls", strings.Replace(heldCalls, "{", `{"name":"a & b <c>",`, 1)), "/")
	folder, err := filepath.Abs("wms/testdata/ogc/wms/1.3.0")
	if err != nil {
		t.Fatal(err)
	}
	const ask = wms.Path + "?service=WMS&request="
	for query, schema := range map[string]string{"GetCapabilities": "capabilities", "GetCapabilities&job=" + id: "capabilities", "GetMap": "exceptions", "GetMap&job=%3C%26": "exceptions"} {
		file := filepath.Join(t.TempDir(), "answer.xml")
		if err := os.WriteFile(file, s.get(ask+query).body, 0o600); err != nil {
			t.Fatal(err)
		}
		run(t, "xmllint", "--nonet", "--noout", "--schema", filepath.Join(folder, schema+"_1_3_0.xsd"), file)
	}
}

// inPython asks OWSLib for the layers of a service and for a picture of each system, west south east north, which it writes in the order of the axes, and in
// each format for what lies at the middle of one.
const inPython = `
import sys
from owslib.wms import WebMapService
url, password, folder = sys.argv[1:]
wms = WebMapService(url, version='1.3.0', username='admin', password=password)
assert 'statistics' in list(wms.contents), list(wms.contents)
assert sorted(wms['statistics'].styles) == ['day', 'dusk', 'night'], wms['statistics'].styles
for crs, box in [('CRS:84', (10.3, 56.1, 10.5, 56.3)), ('EPSG:4326', (10.3, 56.1, 10.5, 56.3)), ('EPSG:3857', (1146591, 7577000, 1168855, 7617000))]:
    got = wms.getmap(layers=['statistics'], styles=['night'], srs=crs, bbox=box, size=(200, 200), format='image/png', transparent=True)
    open(folder + '/' + crs.replace(':', '') + '.png', 'wb').write(got.read())
assert wms['statistics'].queryable == 1
for crs, box in [('CRS:84', (10.34, 56.14, 10.36, 56.16)), ('EPSG:4326', (10.34, 56.14, 10.36, 56.16)), ('EPSG:3857', (1151044, 7586333, 1153272, 7590337))]:
    for form in wms.getOperationByName('GetFeatureInfo').formatOptions:
        told = wms.getfeatureinfo(layers=['statistics'], srs=crs, bbox=box, size=(101, 101), format='image/png', query_layers=['statistics'], info_format=form,
            xy=(50, 50), feature_count=1).read().decode()
        assert told.count('NORDIC HAV') == 1, (crs, form, told)
`

// TestMapsInOWSLib: so does OWSLib, by the address of the capabilities alone.
func TestMapsInOWSLib(t *testing.T) {
	const python = "/usr/bin/python3" // of Debian, whose package it is
	needs(t, python)
	if exec.Command(python, "-c", "import owslib").Run() != nil {
		t.Skip("python3-owslib is not installed: make deps")
	}
	s := newSite(t)
	s.nearMiss()
	id, _ := s.nearResult("nmsp", nearAsks()["nmsp"])
	live, folder := s.serve(), t.TempDir()
	run(t, python, "-c", inPython, live.URL+wms.Path+"/?job="+strings.TrimPrefix(id, "/"), adminPassword, folder)
	for _, crs := range []string{"CRS84", "EPSG4326", "EPSG3857"} {
		if lies := middleOf(t, filepath.Join(folder, crs+".png")); lies[0] < 30 || lies[0] > 85 || lies[1] < 120 || lies[1] > 180 {
			t.Errorf("%s: what is drawn lies round %v of 200 x 200", crs, lies)
		}
	}
}
