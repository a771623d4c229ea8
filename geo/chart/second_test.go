//go:build !race

package chart_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/geo"
)

// Natural Earth is drawn by others from other sources: the two must agree wherever a coast is not near.
func TestSecondOpinion(t *testing.T) {
	lands, lakes := naturalEarth(t, "ne_10m_land"), naturalEarth(t, "ne_10m_lakes")
	c := load(t)
	random := rand.New(rand.NewPCG(3, 4))
	asked, wrong := 0, 0
	for asked < 3000 {
		// Even over the sphere.
		p := geo.Point{Lon: random.Float64()*360 - 180, Lat: math.Asin(random.Float64()*2-1) * 180 / math.Pi}
		if !settledLand(p, c.Land) {
			continue
		}
		asked++
		want := within(lands, p) && !within(lakes, p)
		if c.Land(p) != want {
			if wrong++; wrong < 10 {
				t.Logf("%v: Land is %v", p, !want)
			}
		}
	}
	t.Logf("%d of %d places differ", wrong, asked)
	if float64(wrong) > 0.01*float64(asked) {
		t.Errorf("%d of %d places away from the coast differ", wrong, asked)
	}
}

// settledLand reports whether a place and all within about 5 nautical miles are of one kind.
func settledLand(p geo.Point, isLand func(geo.Point) bool) bool {
	for i := range 16 {
		if isLand(geo.Destination(p, float64(i)*22.5, 9000)) != isLand(p) {
			return false
		}
	}
	return true
}

// area is a polygon with its bounds.
type area struct {
	polygon geo.Polygon
	bounds  geo.Rect
}

func within(areas []area, p geo.Point) bool {
	for _, a := range areas {
		if a.bounds.Contains(p) && a.polygon.Contains(p) {
			return true
		}
	}
	return false
}

// naturalEarth reads a layer from the test data, or skips.
func naturalEarth(t *testing.T, name string) []area {
	t.Helper()
	dir := os.Getenv("QUAYWATCH_TESTDATA")
	if dir == "" {
		dir = "../../../shared/data"
	}
	f, err := os.Open(filepath.Join(dir, "geo", name+".geojson.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("recorded data is not here (%s); QUAYWATCH_TESTDATA names its folder", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Features []struct {
			Geometry struct {
				Type        string
				Coordinates json.RawMessage
			}
		}
	}
	if err := json.NewDecoder(z).Decode(&file); err != nil {
		t.Fatal(err)
	}
	var all []area
	for _, f := range file.Features {
		var polygons [][][][2]float64
		if f.Geometry.Type == "Polygon" {
			polygons = make([][][][2]float64, 1)
			err = json.Unmarshal(f.Geometry.Coordinates, &polygons[0])
		} else {
			err = json.Unmarshal(f.Geometry.Coordinates, &polygons)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, rings := range polygons {
			all = append(all, planarArea(rings))
		}
	}
	return all
}

// planarArea makes a polygon whose edges are straight on the flat map. Long edges, as along the southern rim, are cut into pieces, so
// that the shorter way round is the one meant.
func planarArea(rings [][][2]float64) area {
	a := area{bounds: geo.Rect{West: 180, South: 90, East: -180, North: -90}}
	for _, r := range rings {
		var out []geo.Point
		for i, c := range r {
			p := geo.Point{Lon: c[0], Lat: c[1]}
			for n, was := 1, len(out)-1; i > 0 && n < 8 && math.Abs(c[0]-r[i-1][0]) > 90; n++ {
				f := float64(n) / 8
				out = append(out, geo.Point{Lon: out[was].Lon + f*(p.Lon-out[was].Lon), Lat: out[was].Lat + f*(p.Lat-out[was].Lat)})
			}
			out = append(out, p)
			a.bounds.West, a.bounds.East = min(a.bounds.West, p.Lon), max(a.bounds.East, p.Lon)
			a.bounds.South, a.bounds.North = min(a.bounds.South, p.Lat), max(a.bounds.North, p.Lat)
		}
		a.polygon = append(a.polygon, out)
	}
	return a
}
