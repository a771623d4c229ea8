package geo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"quaywatch/geo"
)

func polygonOf(t *testing.T, ring string) geo.Polygon {
	t.Helper()
	shape, err := geo.ParseShape([]byte(`{"type":"Polygon","coordinates":[` + ring + `]}`))
	if err != nil {
		t.Fatalf("%s: %v", ring, err)
	}
	return shape.(geo.Polygon)
}

// Each ring holds the places of the first list and not those of the second, read as it came, as it is written again, and by its index.
func TestEdgesRoundTheWorld(t *testing.T) {
	everywhere := []geo.Point{{}, {Lon: 90, Lat: 89}, {Lon: -180, Lat: -90}, {Lon: 180, Lat: 90}, {Lon: -179.9, Lat: 56}, {Lon: 60, Lat: -89.9}}
	for name, row := range map[string]struct {
		ring    string
		in, out []geo.Point
	}{
		"the world":                      {`[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]`, everywhere, nil},
		"the world, the other winding":   {`[[180,90],[180,-90],[-180,-90],[-180,90],[180,90]]`, everywhere, nil},
		"the world, points on the way":   {`[[-180,-90],[0,-90],[180,-90],[180,90],[0,90],[-180,90],[-180,-90]]`, everywhere, nil},
		"a belt":                         {`[[-180,50],[180,50],[180,60],[-180,60],[-180,50]]`, []geo.Point{{Lat: 55}, {Lon: 180, Lat: 50}, {Lon: -120, Lat: 60}}, []geo.Point{{Lat: 49}, {Lon: 180, Lat: 61}}},
		"the arctic":                     {`[[-180,66],[180,66],[180,90],[-180,90],[-180,66]]`, []geo.Point{{Lat: 90}, {Lon: 10, Lat: 70}, {Lon: -180, Lat: 66}}, []geo.Point{{Lat: 65}, {Lat: -80}}},
		"the shorter way":                {`[[-170,-10],[170,-10],[170,10],[-170,10],[-170,-10]]`, []geo.Point{{Lon: 180}, {Lon: 175}}, []geo.Point{{}, {Lon: 169}}},
		"a wide box":                     {`[[-170,-10],[0,-10],[170,-10],[170,10],[0,10],[-170,10],[-170,-10]]`, []geo.Point{{}, {Lon: 169}}, []geo.Point{{Lon: 180}, {Lon: 175}}},
		"a wide cap":                     {`[[-170,-80],[-85,-80],[0,-80],[85,-80],[170,-80],[170,90],[-170,90],[-170,-80]]`, []geo.Point{{}, {Lon: -169, Lat: 89}, {Lat: -79}}, []geo.Point{{Lon: 180}, {Lat: -81}, {Lon: 180, Lat: -89}}},
		"wide from pole to pole":         {`[[-170,-90],[170,-90],[170,90],[0,90],[-170,90],[-170,-90]]`, []geo.Point{{}, {Lon: 100, Lat: -80}}, []geo.Point{{Lon: 180}, {Lon: 175, Lat: -89}}},
		"a hemisphere":                   {`[[0,-90],[180,-90],[180,90],[0,90],[0,-90]]`, []geo.Point{{Lon: 90}, {Lon: 1, Lat: 89}, {Lon: 180}}, []geo.Point{{Lon: -90}, {Lon: -1}}},
		"half the arctic":                {`[[0,60],[90,60],[180,60],[180,90],[0,90],[0,60]]`, []geo.Point{{Lon: 90, Lat: 61}, {Lon: 179, Lat: 89}}, []geo.Point{{Lon: -90, Lat: 80}, {Lon: 90, Lat: 59}}},
		"half the antarctic":             {`[[0,-60],[0,-90],[180,-90],[180,-60],[90,-60],[0,-60]]`, []geo.Point{{Lon: 90, Lat: -61}}, []geo.Point{{Lon: -90, Lat: -80}, {Lon: 90, Lat: -59}}},
		"round the pole without an edge": {`[[0,70],[90,70],[179,70],[-90,70],[0,70]]`, []geo.Point{{Lon: 33, Lat: 90}}, []geo.Point{{Lat: 60}}},
	} {
		g := polygonOf(t, row.ring)
		text, err := json.Marshal(g)
		if err != nil {
			t.Fatal(err)
		}
		back, err := geo.ParseShape(text)
		if err != nil || fmt.Sprint(back) != fmt.Sprint(g) {
			t.Fatalf("%s: %v, read again %v (%v)", name, g, back, err)
		}
		area := geo.NewArea(g)
		for i, at := range append(append([]geo.Point(nil), row.in...), row.out...) {
			want := i < len(row.in)
			if got := g.Contains(at); got != want {
				t.Errorf("%s: holds %v: %v", name, at, got)
			}
			if got := area.Contains(at); got != want {
				t.Errorf("%s: the index holds %v: %v", name, at, got)
			}
		}
	}
}

// A ring without an area is an error that says so, and never a shape that holds nothing.
func TestRingsWithoutArea(t *testing.T) {
	for name, row := range map[string]struct {
		ring string
		word string
	}{
		"in line":              {`[[0,0],[1,1],[2,2],[0,0]]`, "ring_no_area"},
		"in line, decimals":    {`[[0.1,0.1],[0.2,0.2],[0.7,0.7],[0.3,0.3],[0.1,0.1]]`, "ring_no_area"},
		"out and back":         {`[[0,0],[1,0],[1,1],[3,2],[1,1],[1,0],[0,0]]`, "ring_no_area"},
		"a meridian":           {`[[180,0],[180,5],[180,10],[180,0]]`, "ring_no_area"},
		"over the date line":   {`[[179,1],[180,1],[-179,1],[179,1]]`, "ring_no_area"},
		"the equator and back": {`[[-180,0],[180,0],[0,0],[-180,0]]`, "edge_undecided"},
		"a pole":               {`[[0,90],[90,90],[-120,90],[0,90]]`, "ring_no_area"},
		"half way round":       {`[[0,0],[180,0],[180,10],[0,10],[0,0]]`, "edge_undecided"},
		"a triangle":           {`[[0,0],[0.00001,0],[0,0.00001],[0,0]]`, ""},
		"a figure of eight":    {`[[0,0],[2,2],[2,0],[0,2],[0,0]]`, ""},
		"a spur on a square":   {`[[0,0],[1,0],[3,0],[1,0],[1,1],[0,1],[0,0]]`, ""},
	} {
		_, err := geo.ParseShape([]byte(`{"type":"Polygon","coordinates":[` + row.ring + `]}`))
		var broken *geo.ShapeError
		switch {
		case errors.As(err, &broken):
			if broken.Rule.Word != row.word {
				t.Errorf("%s: %v", name, err)
			}
		case row.word != "":
			t.Errorf("%s is taken", name)
		}
	}
}
