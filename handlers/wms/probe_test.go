package wms

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"quaywatch/geo"
	"quaywatch/render"
	"quaywatch/ship"
)

// foundAt returns the numbers of the records that lie at a pixel of a picture.
func foundAt(t *testing.T, kind string, r result, f render.Viewport, x, y, most int) (numbers []int) {
	t.Helper()
	at := newProbe(f, x, y, most)
	k := &sketch{canvas: at.canvas, port: ports, probe: at}
	if err := json.Unmarshal([]byte(r.asked), &k.asked); err != nil {
		t.Fatal(err)
	}
	err := k.draw(t.Context(), kind, func(_ context.Context, fn func([]byte, ship.Track) error) error {
		for _, one := range r.records {
			if err := fn([]byte(one), sailed(t, one)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, one := range at.hits {
		numbers = append(numbers, one.number)
		if string(one.text) != r.records[one.number-1] || i > 0 && one.pixels < at.hits[i-1].pixels || (one.fix != nil) != (sailed(t, r.records[one.number-1]) != nil) {
			t.Errorf("%s: record %d at %v pixels: %s", kind, one.number, one.pixels, one.text)
		}
	}
	return numbers
}

// TestEveryRecordIsFound: each record that the picture shows is found at some pixel and none where nothing is near, by the place at which it is drawn in
// turn alone. A picture that shows the waters a turn of the world further, or over 180°, finds the same.
func TestEveryRecordIsFound(t *testing.T) {
	none := map[string]map[int]bool{"multiship": {6: true}, "portcalls": {5: true}, "trip": {7: true}} // without a place, of an unknown port, open
	for kind, r := range results() {
		box := [4]float64{10.0031, 56.0017, 11.0031, 56.5017} // no place lies on the border of a pixel
		f, err := render.NewFrame(render.CRS84, box, 100, 75)
		if err != nil {
			t.Fatal(err)
		}
		further, err := render.NewFrame(render.CRS84, [4]float64{370.0031, 56.0017, 371.0031, 56.5017}, 100, 75)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[int]int{}
		for x := 0; x < 100; x += 3 {
			for y := 0; y < 75; y += 3 {
				all := foundAt(t, kind, r, f, x, y, 50)
				for _, number := range all {
					seen[number]++
				}
				if again := foundAt(t, kind, r, further, x, y, 50); fmt.Sprint(again) != fmt.Sprint(all) {
					t.Errorf("%s at %d %d: %v, and a turn further %v", kind, x, y, all, again)
				}
				if one := foundAt(t, kind, r, f, x, y, 1); len(one) != min(1, len(all)) || len(one) == 1 && one[0] != all[0] {
					t.Errorf("%s at %d %d: %v, and one of them is %v", kind, x, y, all, one)
				}
			}
		}
		for i := range r.records {
			if hidden := kind == "sogdist" || kind == "density" || none[kind][i+1]; (seen[i+1] == 0) != hidden {
				t.Errorf("%s: record %d is found at %d places", kind, i+1, seen[i+1])
			}
		}
		if corner := foundAt(t, kind, r, f, 97, 72, 50); len(corner) > 0 {
			t.Errorf("%s: %v in the empty corner", kind, corner)
		}
	}
}

// TestAPlaceBeyondTheDateLine: what lies on either side of 180° is found in a picture over it, in each system of coordinates, and a track over it between.
func TestAPlaceBeyondTheDateLine(t *testing.T) {
	changes := result{`{}`, []string{`{"change":1,"longitude":179.93,"latitude":-17}`, `{"change":2,"longitude":-179.93,"latitude":-17}`}}
	sailed := result{`{}`, []string{`{"track":{"coordinates":[[179.9,-17,"2026-11-20T08:00:00Z",90,10],[-179.9,-17,"2026-11-20T08:20:00Z",90,10]]}}`}}
	metres := 20_037_508.342789244 / 180
	for crs, box := range map[render.CRS][4]float64{render.CRS84: {179.9, -17.1, 180.1, -16.9}, render.EPSG4326: {-17.1, 179.9, -16.9, 180.1},
		render.EPSG3857: {179.9 * metres, -1930300, 180.1 * metres, -1907000}} {
		f, err := render.NewFrame(crs, box, 200, 200)
		if err != nil {
			t.Fatal(err)
		}
		_, y := f.Pixel(geo.Point{Lon: 180, Lat: -17})
		for x, want := range map[int]string{30: "[1]", 170: "[2]", 100: "[]"} {
			if got := fmt.Sprint(foundAt(t, "multiship", changes, f, x, int(y), 9)); got != want {
				t.Errorf("%v at %d: %s, want %s", crs, x, got, want)
			}
		}
		if got := foundAt(t, "historicaltrack", sailed, f, 100, int(y), 9); len(got) != 1 {
			t.Errorf("%v: the track over 180° is not found", crs)
		}
	}
}

// TestManyPortsAtAPlace: what is held of groups has a bound, and the records that are found are of it.
func TestManyPortsAtAPlace(t *testing.T) {
	f, err := render.NewFrame(render.CRS84, [4]float64{-180, -90, 180, 90}, 64, 32)
	if err != nil {
		t.Fatal(err)
	}
	at := newProbe(f, 34, 6, mostFound)
	k := &sketch{canvas: at.canvas, port: func(id uint64) (geo.Point, bool) { return geo.Point{Lon: 11 + float64(id%7)/10, Lat: 56}, true }, probe: at}
	err = k.draw(t.Context(), "portcalls", func(_ context.Context, fn func([]byte, ship.Track) error) error {
		for i := range 20_000 {
			if err := fn(fmt.Appendf(nil, `{"port":{"id":%d}}`, i%5000), nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || len(at.hits) != mostFound || at.held != mostHeld || at.bytes > foundBytes {
		t.Errorf("%v: %d found, %d held, %d bytes", err, len(at.hits), at.held, at.bytes)
	}
}
