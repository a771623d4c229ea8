package acceptance

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExportsAreReadByGDAL: a track in each form is read back by a program that is not ours, fix by fix.
func TestExportsAreReadByGDAL(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ogrinfo"); err != nil {
		t.Skip("gdal-bin is not installed; make test installs it")
	}
	r := ownRecording(t)
	dir := t.TempDir()
	log := filepath.Join(dir, "log.nmea")
	if err := os.WriteFile(log, []byte(strings.Join(r.lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startServe(t, dir, feedText("file://"+log+"?speed=0"))
	settle(p, len(r.lines))
	mmsi, fixes := longestTrack(p, r)
	body := fmt.Sprintf(`{"mmsi":%d,"begin":%q,"end":%q}`, mmsi, r.begin, r.end)
	for format, driver := range map[string]string{"geojson": "GeoJSON", "gpx": "GPX", "kml": "KML", "csv": "CSV"} {
		t.Run(format, func(t *testing.T) {
			_, text := p.do("POST", "/api/portserver/ship/historical/track", body)
			var job struct{ ID int64 }
			if err := json.Unmarshal(text, &job); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "track."+format)
			eventually(t, patience, "the track is there", func() bool {
				response, text := p.do("GET", fmt.Sprintf("/api/portserver/ship/historical/track?id=%d&format=%s", job.ID, format), "")
				if response.StatusCode != http.StatusOK {
					return false
				}
				if err := os.WriteFile(path, text, 0o600); err != nil {
					t.Fatal(err)
				}
				return true
			})
			out, err := exec.Command("ogrinfo", "-al", "-ro", "-json", path).Output()
			if err != nil { // ogrinfo before GDAL 3.7 speaks no JSON
				out, err = exec.Command("ogrinfo", "-al", "-ro", path).CombinedOutput()
			}
			if err != nil {
				t.Fatalf("ogrinfo: %v\n%s", err, out)
			}
			if !strings.Contains(string(out), driver) {
				t.Errorf("read by another driver than %s:\n%.500s", driver, out)
			}
			if got := positionsRead(t, path, format); got != fixes {
				t.Errorf("%d positions are read back of %d:\n%.1500s", got, fixes, out)
			}
		})
	}
}

// longestTrack finds the ship with most fixes.
func longestTrack(p *process, r recording) (mmsi int64, fixes int) {
	p.t.Helper()
	for _, record := range livePicture(p) {
		id := int64(record["mmsi"].(float64))
		if n := len(track(p, id, r.begin, r.end)); n > fixes {
			mmsi, fixes = id, n
		}
	}
	if fixes < 20 {
		p.t.Fatalf("the longest track has %d fixes", fixes)
	}
	return mmsi, fixes
}

// positionsRead converts the file with ogr2ogr and counts the positions in what comes out.
func positionsRead(t *testing.T, path, format string) int {
	t.Helper()
	if format == "csv" {
		out, err := exec.Command("ogr2ogr", "-f", "CSV", "/vsistdout/", path).Output()
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return len(rows) - 1
	}
	layer := []string{}
	if format == "gpx" {
		layer = []string{"track_points"}
	}
	out, err := exec.Command("ogr2ogr", append([]string{"-f", "GeoJSON", "/vsistdout/", path}, layer...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var collection struct {
		Features []struct {
			Geometry struct {
				Type        string
				Coordinates any
			}
		}
	}
	if err := json.Unmarshal(out, &collection); err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, f := range collection.Features {
		count += countPositions(f.Geometry.Coordinates)
	}
	return count
}

func countPositions(coordinates any) int {
	list, _ := coordinates.([]any)
	if len(list) > 0 {
		if _, isNumber := list[0].(float64); isNumber {
			return 1
		}
	}
	count := 0
	for _, inner := range list {
		count += countPositions(inner)
	}
	return count
}
