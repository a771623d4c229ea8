//go:build !race

package chart_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/mvt"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// tileOf returns the column and row of the tile that holds a place.
func tileOf(z int, p geo.Point) (x, y int) {
	fx, fy := planar(z, p)
	return int(fx), int(fy)
}

func planar(z int, p geo.Point) (x, y float64) {
	n := math.Exp2(float64(z))
	return (p.Lon + 180) / 360 * n, (1 - math.Asinh(math.Tan(p.Lat*math.Pi/180))/math.Pi) / 2 * n
}

// land reads a tile as a client does.
func land(t *testing.T, data []byte) []orb.Polygon {
	t.Helper()
	if data == nil {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	layers, err := mvt.Unmarshal(raw)
	if err != nil {
		t.Fatal(err)
	}
	if len(layers) != 1 || layers[0].Name != "land" || layers[0].Extent != 4096 || layers[0].Version != 2 {
		t.Fatalf("layers = %+v", layers)
	}
	var all []orb.Polygon
	for _, f := range layers[0].Features {
		switch g := f.Geometry.(type) {
		case orb.Polygon:
			all = append(all, g)
		case orb.MultiPolygon:
			all = append(all, g...)
		default:
			t.Fatalf("feature is a %T", g)
		}
	}
	return all
}

// holds counts crossings to the right, as a canvas fills.
func holds(polygons []orb.Polygon, at orb.Point) bool {
	n := 0
	for _, g := range polygons {
		for _, r := range g {
			for i := 1; i < len(r); i++ {
				a, b := r[i-1], r[i]
				if (a[1] > at[1]) == (b[1] > at[1]) || a[0]+(at[1]-a[1])/(b[1]-a[1])*(b[0]-a[0]) < at[0] {
					continue
				}
				if b[1] > a[1] {
					n++
				} else {
					n--
				}
			}
		}
	}
	return n != 0
}

// Each tile must show as land what Land says, but for places within a pixel of the coast.
func TestTileShowsLand(t *testing.T) {
	c := load(t)
	random := rand.New(rand.NewPCG(1, 2))
	places := append(coasts(), geo.Point{Lon: 13.3, Lat: 58.9}, geo.Point{Lon: 10, Lat: 25}, geo.Point{Lon: 77, Lat: -84}, geo.Point{Lon: -30, Lat: 40})
	for z := 0; z <= chart.MaxZoom; z++ {
		var asked, wrong int
		for _, p := range places {
			x, y := tileOf(z, p.Normalized())
			data, err := c.Tile(z, x, y)
			if err != nil {
				t.Fatal(err)
			}
			polygons := land(t, data)
			for range 400 {
				at := orb.Point{random.Float64() * 4096, random.Float64() * 4096}
				want, clear := away(c, z, x, y, at)
				if !clear {
					continue
				}
				asked++
				if holds(polygons, at) != want {
					wrong++
				}
			}
		}
		if asked < 1000 || float64(wrong) > 0.005*float64(asked) {
			t.Errorf("zoom %d: %d of %d places away from the coast are drawn wrong", z, wrong, asked)
		}
	}
}

// away returns what Land says of a place in a tile, and whether it says so three pixels (of 512) round it.
func away(c *chart.Chart, z, x, y int, at orb.Point) (isLand, clear bool) {
	isLand = c.Land(placeOf(z, x, y, at))
	for i := range 8 {
		sin, cos := math.Sincos(float64(i) * math.Pi / 4)
		if c.Land(placeOf(z, x, y, orb.Point{at[0] + 24*cos, at[1] + 24*sin})) != isLand {
			return isLand, false
		}
	}
	return isLand, true
}

func placeOf(z, x, y int, at orb.Point) geo.Point {
	n := math.Exp2(float64(z))
	north := (1 - 2*(at[1]/4096+float64(y))/n) * math.Pi
	return geo.Point{Lon: (at[0]/4096+float64(x))/n*360 - 180, Lat: math.Atan(math.Sinh(north)) * 180 / math.Pi}.Normalized()
}

// The format's rules: whole rings, outer ones clockwise as seen and holes against it, each tile within its buffer.
func TestTileRings(t *testing.T) {
	c := load(t)
	for z := 0; z <= 3; z++ {
		for x := range 1 << z {
			for y := range 1 << z {
				data, err := c.Tile(z, x, y)
				if err != nil {
					t.Fatal(err)
				}
				for _, g := range land(t, data) {
					checkRings(t, g)
				}
			}
		}
	}
}

func checkRings(t *testing.T, g orb.Polygon) {
	t.Helper()
	for i, r := range g {
		var area float64
		for j := 1; j < len(r); j++ {
			area += r[j-1][0]*r[j][1] - r[j][0]*r[j-1][1]
			if math.Abs(r[j][0]-2048) > 2048+65 || math.Abs(r[j][1]-2048) > 2048+65 {
				t.Fatalf("%v lies outside of the tile's buffer", r[j])
			}
		}
		if len(r) < 4 || r[0] != r[len(r)-1] || (area > 0) != (i == 0) {
			t.Fatalf("ring %d: %d points, area %v", i, len(r), area/2)
		}
	}
}

func TestTileEdges(t *testing.T) {
	c := load(t)
	x, y := tileOf(12, geo.Point{Lon: -30, Lat: 40})
	if data, err := c.Tile(12, x, y); data != nil || err != nil {
		t.Errorf("the open Atlantic is %d bytes, %v", len(data), err)
	}
	for _, row := range [][3]int{{-1, 0, 0}, {chart.MaxZoom + 1, 0, 0}, {2, 4, 0}, {2, 0, -1}} {
		if _, err := c.Tile(row[0], row[1], row[2]); err == nil {
			t.Errorf("tile %v exists", row)
		}
	}
}

func BenchmarkTile(b *testing.B) {
	c := load(b)
	for z := 0; z <= chart.MaxZoom; z += 2 {
		x, y := tileOf(z, geo.Point{Lon: 10.2, Lat: 56.15})
		b.Run(fmt.Sprintf("Aarhus/%d", z), func(b *testing.B) { benchmarkTile(b, c, z, x, y) })
	}
	x, y := tileOf(8, geo.Point{Lon: 5.2, Lat: 60.4})
	b.Run("Bergen/8", func(b *testing.B) { benchmarkTile(b, c, 8, x, y) })
}

func benchmarkTile(b *testing.B, c *chart.Chart, z, x, y int) {
	for b.Loop() {
		if _, err := c.Tile(z, x, y); err != nil {
			b.Fatal(err)
		}
	}
}
