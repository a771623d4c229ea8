//go:build !race

package chart_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/paulmach/orb/encoding/mvt"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
)

func TestTilesAreThoseOfTheChart(t *testing.T) {
	c := load(t)
	tiles := chart.NewTiles(c)
	for range 2 { // cut, then kept
		for _, at := range [][3]int{{0, 0, 0}, {6, 35, 18}, {12, 2190, 1282}, {9, 0, 250}} {
			want, err := c.Tile(at[0], at[1], at[2])
			if err != nil {
				t.Fatal(err)
			}
			got, err := tiles.Tile(at[0], at[1], at[2])
			if err != nil || !bytes.Equal(got.Data, want) || !strings.HasPrefix(got.Tag, `"`) {
				t.Errorf("%v: %d bytes with tag %s, %v; the chart gives %d", at, len(got.Data), got.Tag, err, len(want))
			}
		}
	}
	if _, err := tiles.Tile(1, 2, 0); err == nil {
		t.Error("a tile that does not exist is given")
	}
}

// Learned water is drawn over the land from its first zoom level on, as soon as the tiles are those of the chart that has it.
func TestTilesOfLearnedWater(t *testing.T) {
	c := load(t)
	cell := water.CellAt(geo.Point{Lon: 10.125, Lat: 54.3665})
	learned, _ := water.New([]water.Square{cell, {Row: cell.Row, Col: cell.Col + 1}}, []water.Square{{Row: cell.Row + 1, Col: cell.Col}})
	tiles := chart.NewTiles(c)
	place := cell.Center()
	x := int((place.Lon + 180) / 360 * 4096)
	y := int((1 - math.Asinh(math.Tan(place.Lat*math.Pi/180))/math.Pi) / 2 * 4096)
	before, err := tiles.Tile(12, x, y)
	if err != nil || tiles.Learned() {
		t.Fatal(err)
	}
	tiles.Use(c.With(learned))
	after, err := tiles.Tile(12, x, y)
	if err != nil || !tiles.Learned() || after.Tag == before.Tag {
		t.Fatalf("%v, the tag is still %s", err, after.Tag)
	}
	layers, err := mvt.UnmarshalGzipped(after.Data)
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, l := range layers {
		count[l.Name] = len(l.Features)
	}
	if count["land"] == 0 || count["learned"] != 1 || count["seen"] != 1 {
		t.Errorf("features: %v", count)
	}
	far, err := tiles.Tile(10, x/4, y/4)
	if err != nil {
		t.Fatal(err)
	}
	if layers, err = mvt.UnmarshalGzipped(far.Data); err != nil || len(layers) != 1 {
		t.Errorf("%v: %d layers far out", err, len(layers))
	}
}
