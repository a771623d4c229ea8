package geo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"quaywatch/geo"
)

func TestParseShape(t *testing.T) {
	got, err := geo.ParseShape([]byte(`{"type":"Polygon","coordinates":[[[179,0],[-179,0],[-179,1],[179,0]]]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := (geo.Polygon{ring(179, 0, -179, 0, -179, 1)}); !reflect.DeepEqual(got, want) {
		t.Errorf("polygon = %v, want %v", got, want)
	}
	got, err = geo.ParseShape([]byte(`{"coordinates":[[10.2,56.1,"2026-11-20T12:00:00Z",180.5,12],[10.3,56.2,null]],"type":"LineString","bbox":[1]}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := (geo.Line{{Lon: 10.2, Lat: 56.1}, {Lon: 10.3, Lat: 56.2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("line = %v, want %v", got, want)
	}
}

// TestHolesLieInTheirRing: a hole that takes nothing away, or all, is a mistake of whoever sends the polygon.
func TestHolesLieInTheirRing(t *testing.T) {
	outer := ring(0, 0, 9, 0, 9, 9, 0, 9)
	for name, row := range map[string]struct {
		hole []geo.Point
		ok   bool
	}{
		"inside": {ring(1, 1, 2, 1, 2, 2), true}, "over the border": {ring(8, 8, 12, 8, 12, 12), true}, "beside": {ring(20, 0, 21, 0, 21, 1), false},
		"around all": {ring(-1, -1, 10, -1, 10, 10, -1, 10), false},
	} {
		err := geo.Polygon{outer, ring(3, 3, 4, 3, 4, 4), row.hole}.CheckHoles()
		var broken *geo.ShapeError
		if row.ok != (err == nil) || !row.ok && (!errors.As(err, &broken) || broken.Pointer != "/coordinates/2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (geo.Polygon{outer}).CheckHoles(); err != nil {
		t.Error(err)
	}
}

func TestParseShapeErrors(t *testing.T) {
	many := `{"type":"LineString","coordinates":[` + strings.Repeat(`[1,2],`, geo.MaxShapePoints) + `[3,4]]}`
	for _, row := range []struct{ name, text, pointer, rule string }{
		{"not JSON", `{`, "", "object"},
		{"not an object", `[]`, "", "object"},
		{"no type", `{}`, "/type", "required"},
		{"no coordinates", `{"type":"Polygon"}`, "/coordinates", "required"},
		{"MultiPolygon", `{"type":"MultiPolygon","coordinates":[]}`, "/type", "Polygon or LineString"},
		{"no rings", `{"type":"Polygon","coordinates":[]}`, "/coordinates", "outer ring"},
		{"null ring", `{"type":"Polygon","coordinates":[null]}`, "/coordinates/0", "array"},
		{"open", `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,1]]]}`, "/coordinates/0/3", "close"},
		{"short", `{"type":"Polygon","coordinates":[[[0,0],[1,0],[0,0]]]}`, "/coordinates/0", "four points"},
		{"no area", `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,0],[0,0]]]}`, "/coordinates/0", "three different"},
		{"broken hole", `{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]],[[0,0]]]}`, "/coordinates/1", "four points"},
		{"longitude", `{"type":"LineString","coordinates":[[0,0],[181,0]]}`, "/coordinates/1/0", "longitude"},
		{"latitude", `{"type":"LineString","coordinates":[[0,0],[0,-90.1]]}`, "/coordinates/1/1", "latitude"},
		{"text", `{"type":"LineString","coordinates":[["0",0],[1,0]]}`, "/coordinates/0/0", "number"},
		{"null", `{"type":"LineString","coordinates":[[0,null],[1,0]]}`, "/coordinates/0/1", "number"},
		{"one number", `{"type":"LineString","coordinates":[[0],[1,0]]}`, "/coordinates/0", "[longitude, latitude]"},
		{"half way round", `{"type":"LineString","coordinates":[[-90,0],[90,0]]}`, "/coordinates/1", "180 degrees"},
		{"zero length", `{"type":"LineString","coordinates":[[1,0],[1,0]]}`, "/coordinates", "two different"},
		{"too many points", many, "/coordinates", "10000"},
	} {
		_, err := geo.ParseShape([]byte(row.text))
		var broken *geo.ShapeError
		if !errors.As(err, &broken) {
			t.Errorf("%s: error is %v", row.name, err)
			continue
		}
		if broken.Pointer != row.pointer || !strings.Contains(broken.Rule.Error(), row.rule) {
			t.Errorf("%s: %v; want %q and %q", row.name, err, row.pointer, row.rule)
		}
	}
}

func FuzzParseShape(f *testing.F) {
	for _, seed := range []string{
		`{"type":"Polygon","coordinates":[[[179,0],[-179,0],[-179,1],[179,0]]]}`,
		`{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,0]],[[1,1],[2,1],[2,2],[1,1]]]}`,
		`{"type":"LineString","coordinates":[[1.5,2.5,"x"],[3,4]]}`,
		`{"type":"LineString","coordinates":[[1e309,2],[3,4]]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shape, err := geo.ParseShape([]byte(text))
		if err != nil {
			return
		}
		if !shape.Bounds().Valid() {
			t.Fatalf("bounds %v", shape.Bounds())
		}
		written, err := json.Marshal(shape)
		if err != nil {
			t.Fatal(err)
		}
		again, err := geo.ParseShape(written)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(shape) {
			t.Fatalf("%s was written as %s: %v", text, written, err)
		}
		switch s := shape.(type) {
		case geo.Polygon:
			if !s.Contains(s[0][0]) {
				t.Fatalf("%v does not hold its corner", s)
			}
		case geo.Line:
			if len(geo.Simplify(s, 10)) < 2 {
				t.Fatalf("%v was thinned away", s)
			}
		}
	})
}
