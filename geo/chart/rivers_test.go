//go:build !race

package chart_test

import (
	"math"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// joined floods the water of a window from a place, in steps of some 45 m that cross no land, until it is within 100 m of the other place.
func joined(c *chart.Chart, w geo.Rect, from, to geo.Point) bool {
	const step = 0.0004
	wide := step / math.Cos(from.Lat*math.Pi/180)
	seen := map[[2]int]bool{{}: true}
	at := func(k [2]int) geo.Point {
		return geo.Point{Lon: from.Lon + float64(k[0])*wide, Lat: from.Lat + float64(k[1])*step}
	}
	for next := [][2]int{{}}; len(next) > 0; {
		k := next[len(next)-1]
		next = next[:len(next)-1]
		p := at(k)
		if geo.Distance(p, to) < 100 {
			return true
		}
		for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			n := [2]int{k[0] + d[0], k[1] + d[1]}
			if q := at(n); !seen[n] && w.Contains(q) && !c.LegCrossesLand(p, q) {
				seen[n] = true
				next = append(next, n)
			}
		}
	}
	return false
}

// Parts of rivers are one water down to the sea where the chart opens the gaps between them; canals join no two seas.
func TestRiversJoinTheSea(t *testing.T) {
	c := load(t)
	window := func(w, s, e, n float64) geo.Rect { return geo.Rect{West: w, South: s, East: e, North: n} }
	at := func(lon, lat float64) geo.Point { return geo.Point{Lon: lon, Lat: lat} }
	for _, row := range []struct {
		name     string
		window   geo.Rect
		from, to geo.Point
		want     bool
	}{
		{"Elbe at Hamburg", window(9.2, 53.4, 10.1, 53.8), at(9.965, 53.543), at(9.40, 53.75), true},
		{"Scheldt at Antwerp, docks", window(4.1, 51.2, 4.5, 51.45), at(4.35, 51.268), at(4.2, 51.385), true},
		{"Kiel canal", window(8.9, 53.8, 10.18, 54.38), at(10.16, 54.367), at(9.1, 53.87), false},
		{"Corinth canal", window(22.8, 37.8, 23.1, 38.05), at(22.94, 37.96), at(23.03, 37.89), false},
		{"Panama canal", window(-80, 8.85, -79.5, 9.42), at(-79.9, 9.40), at(-79.52, 8.90), false},
		{"Niagara", window(-79.2, 42.8, -78.8, 43.36), at(-79.1, 43.35), at(-79, 42.82), false},
	} {
		if got := joined(c, row.window, row.from, row.to); got != row.want || c.Land(row.from) || c.Land(row.to) {
			t.Errorf("%s: joined = %v, ends on land: %v %v", row.name, got, c.Land(row.from), c.Land(row.to))
		}
	}
}
