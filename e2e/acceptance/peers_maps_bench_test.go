package acceptance

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// peerTracks are tracks of positions, ten seconds apart, on about a degree of sea.
type peerTracks struct{ ships, each int }

// place returns where a ship of the tracks is.
func (p peerTracks) place(ship, n int) (lon, lat float64) {
	a := float64(n)*0.11 + float64(ship)
	return 10 + float64(ship%32)/32 + 0.02*math.Sin(a) + 0.3*float64(n)/float64(p.each), 56 + float64(ship/32%32)/32 + 0.01*math.Cos(a)
}

// knots returns how fast it is there.
func (p peerTracks) knots(ship, n int) float64 { return float64((ship + n/20) % 20) }

// write writes the tracks as CSV for us, and as lines of GeoJSON for the peer, of which each has one speed.
func (p peerTracks) write(b *testing.B, history, lines string) {
	b.Helper()
	var rows, features []string
	for ship := range p.ships {
		var points []string
		for n := range p.each {
			lon, lat := p.place(ship, n)
			at := peerBegin().Unix() + int64(n)*10
			rows = append(rows, fmt.Sprintf("%d,%d,%.6f,%.6f,%.1f,90.0\n", 219000000+ship, at, lat, lon, p.knots(ship, n)))
			points = append(points, fmt.Sprintf("[%.6f,%.6f]", lon, lat))
			if len(points) == 21 || n == p.each-1 && len(points) > 1 {
				features = append(features, fmt.Sprintf(`{"type":"Feature","properties":{"knots":%.1f},"geometry":{"type":"LineString","coordinates":[%s]}}`,
					p.knots(ship, n-1), strings.Join(points, ",")))
				points = points[len(points)-1:]
			}
		}
	}
	for path, text := range map[string]string{
		history: "mmsi,time,lat,lon,sog,cog\n" + strings.Join(rows, ""),
		lines:   `{"type":"FeatureCollection","features":[` + strings.Join(features, ",") + `]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

// peerMap is a map of MapServer that draws the lines in four colours by speed, on a picture with a palette as ours is.
const peerMap = `MAP
  SIZE 1024 768
  EXTENT 10 56 11 57
  IMAGETYPE palette
  OUTPUTFORMAT
    NAME palette
    DRIVER AGG/PNG
    IMAGEMODE RGBA
    TRANSPARENT ON
    FORMATOPTION "QUANTIZE_FORCE=ON"
    FORMATOPTION "QUANTIZE_COLORS=256"
  END
  LAYER
    NAME tracks
    TYPE LINE
    STATUS DEFAULT
    DATA tracks
    CLASSITEM "knots"
    CLASS EXPRESSION ([knots] < 5) STYLE COLOR 0 80 200 WIDTH 1.5 END END
    CLASS EXPRESSION ([knots] < 10) STYLE COLOR 0 150 90 WIDTH 1.5 END END
    CLASS EXPRESSION ([knots] < 15) STYLE COLOR 220 140 0 WIDTH 1.5 END END
    CLASS STYLE COLOR 200 0 60 WIDTH 1.5 END END
  END
END
`

// mapServer prepares a shapefile with an index, and returns how long one picture of it takes. A process draws some, so its start does not count.
func mapServer(b *testing.B, dir string) func() time.Duration {
	b.Helper()
	if err := os.WriteFile(filepath.Join(dir, "peer.map"), []byte(peerMap), 0o600); err != nil {
		b.Fatal(err)
	}
	run := func(name string, args ...string) time.Duration {
		command := exec.Command(name, args...)
		command.Dir = dir
		begun := time.Now()
		if out, err := command.CombinedOutput(); err != nil {
			b.Fatalf("%s: %v\n%s", name, err, out)
		}
		return time.Since(begun)
	}
	run("ogr2ogr", "tracks.shp", "lines.json")
	run("shptree", "tracks.shp")
	draw := func(count string) time.Duration {
		return run("map2img", "-m", "peer.map", "-o", "peer.png", "-c", count)
	}
	draw("1")
	if info, err := os.Stat(filepath.Join(dir, "peer.png")); err != nil || info.Size() < 5000 {
		b.Fatalf("MapServer drew nothing: %v", err)
	}
	return func() time.Duration { return (draw("11") - draw("1")) / 10 }
}

// BenchmarkPeersMaps draws the same tracks by speed on 1024 x 768 pixels with this program, as one request over HTTP from a result in the store to the
// PNG, and with MapServer from an indexed shapefile, in turn. It tells how many times as long MapServer takes. `make bench-peers` runs it.
func BenchmarkPeersMaps(b *testing.B) {
	if os.Getenv("QUAYWATCH_PEERS") == "" {
		b.Skip("make bench-peers installs MapServer and runs this")
	}
	for _, tracks := range []peerTracks{{100, 100}, {1000, 1000}} {
		b.Run(fmt.Sprint(tracks.ships*tracks.each), func(b *testing.B) {
			dir := b.TempDir()
			history := filepath.Join(dir, "history.csv")
			tracks.write(b, history, filepath.Join(dir, "lines.json"))
			p := serveHistory(b, dir, history)
			address := p.drawnTracks(b, tracks)
			theirs := mapServer(b, dir)
			var took, others []time.Duration
			size := 0
			for range b.N {
				for range 5 {
					begun := time.Now()
					response, picture := p.do("GET", address, "")
					took = append(took, time.Since(begun))
					if size = len(picture); response.StatusCode != http.StatusOK || size < 5000 {
						b.Fatalf("%s %.300s", response.Status, picture)
					}
				}
				others = append(others, theirs())
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(median(took).Microseconds())/1000, "ms")
			b.ReportMetric(float64(median(others).Microseconds())/1000, "mapserver-ms")
			b.ReportMetric(float64(median(others))/float64(median(took)), "mapserver-times")
			b.ReportMetric(float64(size), "B/picture")
		})
	}
}

// drawnTracks runs the statistic of all tracks, and returns the address of its picture.
func (p *process) drawnTracks(b *testing.B, tracks peerTracks) string {
	b.Helper()
	numbers := make([]string, tracks.ships)
	for i := range numbers {
		numbers[i] = fmt.Sprint(219000000 + i)
	}
	body := fmt.Sprintf(`{"begin":%q,"end":%q,"mmsi":[%s]}`, peerBegin().Format(time.RFC3339), peerBegin().Add(24*time.Hour).Format(time.RFC3339), strings.Join(numbers, ","))
	var job struct{ ID int64 }
	if err := json.Unmarshal(p.want(http.StatusOK, "POST", statistics+"historicaltrack", body), &job); err != nil {
		b.Fatal(err)
	}
	if all := p.statisticsOver(); len(all) != 1 || all[0].Status != "completed" {
		b.Fatalf("%+v", all)
	}
	return fmt.Sprintf("/api/wms?service=WMS&version=1.3.0&request=GetMap&layers=statistics&styles=day&crs=CRS:84&bbox=10,56,11,57&width=1024&height=768&format=image/png&transparent=true&job=%d", job.ID)
}
