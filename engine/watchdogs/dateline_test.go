package watchdogs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// TestTheDateLineIsOneLine lets ships come to 180° from either side, and tells that place as +180 and as -180: the events are the same, for
// watchdogs drawn on either.
func TestTheDateLineIsOneLine(t *testing.T) {
	kinds := []string{
		`"type":"line","line":{"type":"LineString","coordinates":[[%v,54.49],[%v,54.51]]}`,
		`"type":"polygon","polygon":{"type":"Polygon","coordinates":[[[%v,54.49],[%[2]v,54.51],[179.9,54.51],[179.9,54.49],[%[1]v,54.49]]]}`,
		`"type":"polygon","polygon":{"type":"Polygon","coordinates":[[[%v,54.49],[%[2]v,54.51],[-179.9,54.51],[-179.9,54.49],[%[1]v,54.49]]]}`,
	}
	ways := [][]float64{
		{179.99, 179.996, 180, -179.996, -179.99}, {-179.99, -179.996, 180, 179.996, 179.99},
		{179.99, 180, 180, 180}, {-179.99, 180, 180, 180}, {179.99, 180, 179.99}, {-179.99, 180, -179.99},
	}
	events := map[string][]string{} // of each kind and ship, one for each way to write 180
	for _, told := range []float64{180, -180} {
		b := newBox(t)
		var dogs []uint64
		for _, drawn := range []float64{180, -180} {
			for i, kind := range kinds {
				dogs = append(dogs, b.define(fmt.Sprintf(`{"name":"%d at %v",`, i, drawn)+fmt.Sprintf(kind, drawn, drawn)+`}`))
			}
		}
		for minute := range 5 {
			at := begin.Add(time.Duration(minute) * time.Minute)
			for n, way := range ways {
				if minute >= len(way) {
					continue
				}
				lon := way[minute]
				if lon == 180 {
					lon = told
				}
				b.hearOn(211000001+ais.MMSI(n), at, geo.Point{Lon: lon, Lat: 54.5}, 120, 90)
			}
			b.watch.Tick(at)
			b.watch.Save(false)
		}
		of := map[string]string{}
		for e, err := range b.watch.After(0) {
			if err != nil {
				t.Fatal(err)
			}
			i := slices.Index(dogs, e.Watchdog)
			of[fmt.Sprint(i/len(kinds), " ", i%len(kinds), " ", e.Ship.MMSI)] += fmt.Sprintf("%s %s %s; ", e.Kind, e.Reason, e.At().Format(time.TimeOnly))
		}
		for i := range kinds {
			for n := range ways {
				for drawn := range 2 {
					key := fmt.Sprint(i, " ", 211000001+n)
					events[key] = append(events[key], of[fmt.Sprint(drawn, " ", key)])
				}
			}
		}
	}
	for key, all := range events {
		if len(slices.Compact(slices.Clone(all))) > 1 {
			t.Errorf("kind and ship %s: told and drawn at 180 or -180: %q", key, all)
		}
	}
	if events["0 211000001"][0] == "" || events["0 211000002"][0] == "" {
		t.Errorf("the line was not crossed: %q", events)
	}
}
