package handlers

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/access"
)

// hoursOf sums a column of the cells of a density.
func hoursOf(t *testing.T, rows []map[string]string, column string) (sum float64) {
	t.Helper()
	for _, row := range rows {
		v, err := strconv.ParseFloat(row[column], 64)
		if err != nil {
			t.Fatalf("%s: %v", column, err)
		}
		sum += v
	}
	return sum
}

// TestDensityOfShips: two ships sail through the harbour for 40 minutes each. The cells of all layouts sum to that, and hold both.
func TestDensityOfShips(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	id, found := s.foundOf("admin", "density", morning+`"cell":500,"shape":`+harbour)
	if len(found) != 2 || !strings.Contains(found[0], `"cell":500`) || !strings.Contains(found[0], `"day":"2026-11-20"`) ||
		!strings.Contains(found[0], `"epsg":3035`) || !strings.Contains(strings.Join(found, ""), "NORDIC HAV") {
		t.Fatalf("%.500s", found)
	}
	bare := recordsOf(t, s.get(statPath+"/density/result"+id+"?cells=false").is(t, 200))
	if len(bare) != 2 || bare[0]["seconds"] != 2400.0 || bare[0]["cells"] != nil {
		t.Errorf("without cells: %v", bare)
	}
	rows := s.tableOf("admin", "density", id)
	if hours := hoursOf(t, rows, "hours"); math.Abs(hours-80.0/60) > 1e-6 {
		t.Errorf("%v hours", hours)
	}
	for _, row := range rows {
		hours, _ := strconv.ParseFloat(row["hours"], 64)
		dense, _ := strconv.ParseFloat(row["hours_per_km2_month"], 64)
		if want := hours / 0.25 / (12 / 730.5); math.Abs(dense-want) > 1e-4*want || row["ships"] != "2" || row["trips"] != "2" || row["crossings"] != "2" ||
			!strings.HasPrefix(row["longitude"], "10.") || !strings.HasPrefix(row["latitude"], "56.1") {
			t.Errorf("%v", row)
		}
	}
	features := s.mapOf("admin", "density", id)
	if len(features) != len(rows) || len(rows) < 20 {
		t.Errorf("%d features, %d rows", len(features), len(rows))
	}
	hours := 0.0
	for _, f := range features {
		hours += f["properties"].(map[string]any)["hours"].(float64)
		if g := f["geometry"].(map[string]any); g["type"] != "Polygon" || len(g["coordinates"].([]any)[0].([]any)) != 5 {
			t.Errorf("%v", f)
		}
	}
	if math.Abs(hours-80.0/60) > 1e-6 {
		t.Errorf("%v hours", hours)
	}
}

// TestDensityAsRaster: GDAL reads the cells where they lie. Their hours sum to those of the ships, and what lies outside of the shape is not known.
func TestDensityAsRaster(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("gdal-bin is not installed")
	}
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
	s.post(configPath+"/shape", `{"name":"port","polygon":`+harbour+`}`).is(t, 200)
	for _, shape := range []string{harbour, `{"shape_id":"port"}`} {
		id, _ := s.foundOf("admin", "density", morning+`"cell":500,"shape":`+shape)
		path := statPath + "/density/result" + id + "?format=tiff"
		for _, row := range []struct {
			user, measure string
			want          float64
		}{{"admin", "hours", 80.0 / 60}, {"anna", "hours", 40.0 / 60}, {"admin", "density", 80.0 / 60 / 0.25 / (12 / 730.5)}} {
			cells := xyzOf(t, s.call(row.user, "GET", path+"&measure="+row.measure, "").is(t, 200))
			sum, zero, unknown := 0.0, 0, 0
			for _, v := range cells {
				switch {
				case math.IsNaN(v):
					unknown++
				case v == 0:
					zero++
				default:
					sum += v
				}
			}
			if math.Abs(sum-row.want) > 1e-6*row.want || unknown == 0 || zero < 300 && shape == harbour {
				t.Errorf("%s for %s over %s: %v in all, want %v; %d without a ship, %d outside", row.measure, row.user, shape, sum, row.want, zero, unknown)
			}
		}
		rows := s.tableOf("admin", "density", id)
		trips := xyzOf(t, s.get(path+"&measure=trips").is(t, 200))
		for _, row := range rows {
			x, _ := strconv.ParseFloat(row["x"], 64)
			y, _ := strconv.ParseFloat(row["y"], 64)
			if v := trips[[2]float64{x + 250, y + 250}]; fmt.Sprint(v) != row["trips"] {
				t.Fatalf("at %v %v: %v trips, want %s", x, y, v, row["trips"])
			}
		}
		s.get(path+"&measure=ships").is(t, 400)
	}
	none := `"begin":"2026-10-01","end":"2026-10-02","cell":500,"shape":` + harbour
	empty := s.statistic("admin", "density", `{`+none+`}`)
	s.ran(empty)
	for _, v := range xyzOf(t, s.get(statPath+"/density/result"+empty+"?format=tiff").is(t, 200)) {
		if v != 0 && !math.IsNaN(v) {
			t.Fatalf("of no ship: %v", v)
		}
	}
	area := s.statistic("admin", "area", `{`+morning+`"shape":`+harbour+`}`)
	s.ran(area)
	s.get(statPath+"/area/result"+area+"?format=tiff").is(t, 400)
}

// TestARasterAroundTheDateLine holds the whole world in width, and the ship at both of its ends. With too many columns for that it names another form.
func TestARasterAroundTheDateLine(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("gdal-bin is not installed")
	}
	s := newSite(t)
	var track ship.Track
	for n := range 81 { // each minute 0.2° of longitude: for 55 of them it is in the shape
		lon := 179*600_000 + int32(n)*120_000
		if lon > 180*600_000 {
			lon -= 360 * 600_000
		}
		track = append(track, ship.Fix{At: noon().Add(-4*time.Hour + time.Duration(n)*time.Minute).UnixMilli(), Lon: lon, Lat: -18 * 600_000, SOG: ais.SOGTenths(900), COG: ais.COGTenths(900)})
	}
	if _, err := s.db.ImportTracks([]store.Imported{{MMSI: nordic, Class: ship.ClassA, Fixes: track}}); err != nil {
		t.Fatal(err)
	}
	s.settle()
	const around = `{"type":"Polygon","coordinates":[[[178,-19],[-170,-19],[-170,-17],[178,-17],[178,-19]]]}`
	id, _ := s.foundOf("admin", "density", morning+`"cell":50000,"shape":`+around)
	east, west, sum := 0.0, 0.0, 0.0
	for at, v := range xyzOf(t, s.get(statPath+"/density/result"+id+"?format=tiff&measure=hours").is(t, 200)) {
		if v > 0 {
			sum, east, west = sum+v, max(east, at[0]), min(west, at[0])
		}
	}
	if math.Abs(sum-55.0/60) > 1e-6 || east < 17_300_000 || west > -17_300_000 {
		t.Errorf("%v hours between %v and %v m", sum, west, east)
	}
	fine, _ := s.foundOf("admin", "density", morning+`"cell":500,"shape":`+around)
	if a := s.get(statPath+"/density/result"+fine+"?format=tiff").is(t, 400); !strings.Contains(string(a.body), "take csv") {
		t.Errorf("%.300s", a.body)
	}
}

// xyzOf has GDAL tell the values of a raster by the middles of its cells.
func xyzOf(t *testing.T, a answer) map[[2]float64]float64 {
	t.Helper()
	if kind := a.header.Get("Content-Type"); kind != "image/tiff" {
		t.Fatal(kind)
	}
	path := filepath.Join(t.TempDir(), "density.tif")
	if err := os.WriteFile(path, a.body, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("gdal_translate", "-q", "-of", "XYZ", path, "/vsistdout/").Output()
	if err != nil {
		t.Fatal(err)
	}
	cells := map[[2]float64]float64{}
	for line := range strings.Lines(string(out)) {
		var x, y, v float64
		if _, err := fmt.Sscan(line, &x, &y, &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		cells[[2]float64{x, y}] = v
	}
	return cells
}

// TestAHiddenShipIsInNoDensity: a reader has the cells of the ships that it sees, in each layout.
func TestAHiddenShipIsInNoDensity(t *testing.T) {
	s := newSite(t)
	s.sailsBy()
	s.addUser("anna", access.GroupAdmin)
	id, _ := s.foundOf("admin", "density", morning+`"cell":500,"shape":`+harbour)
	s.setFilter("anna", `{"expression":"mmsi = 219000700"}`)
	rows := s.tableOf("anna", "density", id)
	if hours := hoursOf(t, rows, "hours"); math.Abs(hours-40.0/60) > 1e-6 || hoursOf(t, rows, "ships") != float64(len(rows)) {
		t.Errorf("%v hours: %v", hours, rows)
	}
	for _, f := range s.mapOf("anna", "density", id) {
		if of := f["properties"].(map[string]any); of["ships"] != 1.0 || of["trips"] != 1.0 {
			t.Errorf("%v", of)
		}
	}
	if seen := s.resultOf("anna", "density", id); len(seen) != 1 || strings.Contains(seen[0], "219018765") {
		t.Errorf("%s", seen)
	}
	for _, filter := range []string{`{"expression":"mmsi = 1"}`, `{"expression":null,"psss":["pier"]}`, `{"psss":null,"delay":86400}`} {
		s.setFilter("anna", filter)
		if rows, features := s.tableOf("anna", "density", id), s.mapOf("anna", "density", id); len(rows)+len(features) > 0 {
			t.Errorf("%s: %v %v", filter, rows, features)
		}
	}
}
