//go:build !race

package route

import (
	_ "embed"
	"math"
	"os"
	"strings"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/sea"
)

// inland are the ports that lie farther than 5 km from the water of the chart: LOCODE and name.
//
//go:embed testdata/inland.tsv
var inland string

// portKm is how near a port lies to water on which a ship can leave it.
const portKm = 5

// offWater returns the kilometres from a place to the nearest water, infinity beyond 8 km.
func offWater(n *Network, p geo.Point) float64 {
	if n.water.Afloat(p) {
		return 0
	}
	at := sea.At(p)
	heading := sea.HeadingAt(at)
	for km := 0.1; km < 8; km += 0.1 {
		for bin := 0.0; bin < sea.Bins; bin += 2 {
			if n.water.Afloat(heading.Toward(at, bin, km).Point()) {
				return km
			}
		}
	}
	return math.Inf(1)
}

// Each port has a position within 5 km of water from which a way leads on. Those of the table lie inland, on rivers that our chart lacks, or have no
// position that anybody published: a port that is mended leaves the table, and none may come into it unseen.
func TestPortsLieAtTheWater(t *testing.T) {
	n, _ := world(t)
	_, ports := charts(t)
	known := map[string]bool{}
	for line := range strings.Lines(inland) {
		if code, _, ok := strings.Cut(line, "\t"); ok && !strings.HasPrefix(line, "#") {
			known[code] = true
		}
	}
	later := map[string]bool{"CLJRL": true, "CLPGO": true, "CLPPD": true} // the network was made without them, or with another position
	for _, table := range []string{"../chart/ports-more.tsv", "../chart/gen/places.tsv"} {
		text, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			later[line[:5]] = true
		}
	}
	seen := 0
	for _, p := range ports.All() {
		off, way := math.Inf(1), false
		if p.Placed {
			off = offWater(n, p.Position)
			if _, way = n.file.ApproachAt(p.Position); !way && later[p.LOCODE] {
				_, err := n.joinStop(t.Context(), p.Position)
				way = err == nil
			}
		}
		if atSea := off <= portKm && way; atSea == known[p.LOCODE] {
			t.Errorf("%s\t%s lies %.1f km from the water, with a way %v; in the table %v", p.LOCODE, p.Name, off, way, known[p.LOCODE])
		}
		if known[p.LOCODE] {
			seen++
		}
	}
	if t.Logf("%d of %d ports are in the table", seen, len(ports.All())); seen != len(known) {
		t.Errorf("the table has %d ports, of which the list has %d", len(known), seen)
	}
	for code, want := range map[string]geo.Point{ // places that were somewhere else, from other sources than the list
		"TRAMB": {Lon: 28.69, Lat: 40.97}, "PKBQM": {Lon: 67.33, Lat: 24.77}, "SAJED": {Lon: 39.16, Lat: 21.46}, "ZAPLZ": {Lon: 25.63, Lat: -33.96}, "MAPTM": {Lon: -5.51, Lat: 35.88},
		// whose degrees and minutes were taken for degrees, and those that were turned round: by recordings and the index
		"USPCV": {Lon: -80.62, Lat: 28.41}, "CLPGO": {Lon: -71.52, Lat: -31.92}, "CLPPD": {Lon: -70.83, Lat: -27.05}, "CLJRL": {Lon: -73.2, Lat: -37},
		// that lay inland, or elsewhere
		"QAMES": {Lon: 51.57, Lat: 24.92}, "CNPUT": {Lon: 119, Lat: 25.22}, "AUBNE": {Lon: 153.17, Lat: -27.38}, "CNSHA": {Lon: 121.5, Lat: 31.4},
		"VNTOT": {Lon: 107.02, Lat: 10.53}, "EGEDK": {Lon: 29.81, Lat: 31.14}, "MTMGZ": {Lon: 14.3, Lat: 36.02}, "NOHOG": {Lon: 7.77, Lat: 62.95},
	} {
		if p, ok := ports.ByLOCODE(code); !ok || geo.Distance(p.Position, want) > 6000 {
			t.Errorf("%s lies at %v, not at %v", code, p.Position, want)
		}
	}
}
