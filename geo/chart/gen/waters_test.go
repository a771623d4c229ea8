package main

import (
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
)

// box is a ring round a rectangle, in source units; land is inside or outside of it.
func box(west, south, east, north int32, outer bool) ring {
	return orient(ring{{west, south}, {east, south}, {east, north}, {west, north}}, outer)
}

// A chain of waters that begins at the sea stays; a chain that leads to little water goes, and so does one that begins nowhere.
func TestPartsOfRiversStay(t *testing.T) {
	island := ring{{0, 0}, {20000, 0}, {20000, 20000}, {0, 20000}, {0, 12000}}
	chain := func(y, x int32, n int) (parts []ring) {
		for range n {
			parts = append(parts, box(x, y, x+100, y+100, false)) // 1.2 km²
			x += 220                                              // 1.3 km of land between two
		}
		return parts
	}
	var waters []ring
	for _, c := range [][]ring{chain(3000, 110, 5), chain(6000, 110, 3), chain(9000, 5000, 9)} {
		waters = append(waters, c...)
	}
	waters = append(waters, box(0+20, 12000, 50, 12005, false), box(10000, 12000, 10500, 12500, false))
	kept := map[vertex]bool{}
	for _, r := range keepWaters([]ring{island}, waters) {
		kept[r[0]] = true
	}
	for i, r := range waters {
		want := i < 2 || i >= 17 // the first two parts of five lead to 4 km² or more; the pond at the coast and the large lake stay as they are
		if kept[r[0]] != want {
			t.Errorf("water %d at %v: kept %v", i, r[0], kept[r[0]])
		}
	}
}

// lineX and nextX are sides of tiles of the source.
const (
	lineX = 109863 // column 500
	nextX = 110083 // column 501
)

// gappy is an island with an inlet from the west and one from the east, which both end at the side of a tile, and a part of a river between
// them: 670 m from the western one, 890 m from the eastern. North of it two lakes lie on both sides of a dam, across a side of a tile, and
// a water touches itself.
func gappy() []ring {
	island := orient(ring{
		{105000, 5000}, {115000, 5000}, {115000, 9500}, {nextX + 160, 9940}, {nextX, 10140}, {nextX + 160, 10190}, {115000, 10800}, {115000, 15000},
		{105000, 15000}, {105000, 10100}, {lineX - 160, 9950}, {lineX, 9900}, {lineX - 160, 9700}, {105000, 9300},
	}, true)
	part := box(lineX, 9960, nextX, 10060, false)
	lake := func(south int32) ring {
		return orient(ring{{lineX - 50, south}, {lineX, south}, {lineX + 50, south}, {lineX + 50, south + 90}, {lineX, south + 90}, {lineX - 50, south + 90}}, false)
	}
	pinched := orient(ring{
		{107000, 13000}, {107300, 13000}, {107300, 13100}, {107600, 13100}, {107600, 13200}, {107300, 13200}, {107300, 13100}, {107000, 13100},
	}, false)
	return []ring{island, part, lake(12000), lake(12100), pinched}
}

func TestGapsAreOpened(t *testing.T) {
	data, err := encode(gappy(), []level{{units: 4000, degrees: 1, target: 4}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := land.Open(string(data))
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y float64) geo.Point { return geo.Point{Lon: x / perDegree, Lat: y / perDegree} }
	for _, row := range []struct {
		name string
		a, b geo.Point
		want bool
	}{
		{"from the western inlet into the part", at(lineX-2, 9895), at(lineX+2, 9970), false},
		{"the strip is narrow", at(lineX+20, 9895), at(lineX+20, 9970), true},
		{"no second way makes a strait of it", at(nextX+3, 10145), at(nextX-3, 10050), true},
		{"over the dam", at(lineX, 12080), at(lineX, 12110), true},
		{"where a water touches itself", at(107296, 13097), at(107304, 13104), false},
		{"within the part", at(lineX+10, 9970), at(nextX-10, 10050), false},
	} {
		if got := m.Level(0).LegCrossesLand(row.a, row.b); got != row.want {
			t.Errorf("%s: LegCrossesLand = %v", row.name, got)
		}
	}
}

// A strip between two waters makes one coast of two, and no point of the coast is left over.
func TestStripsLeaveClosedCoasts(t *testing.T) {
	rings := gappy()
	var edges []edge
	var of []int32
	for n, r := range rings {
		r = resample(r, level{units: 4000})
		for i, a := range r {
			edges, of = append(edges, edge{a, r[(i+1)%len(r)]}), append(of, int32(n))
		}
	}
	edges, opened := openGaps(edges, of, rings, 4000)
	if opened != 2 {
		t.Fatalf("%d gaps were opened", opened)
	}
	balance, coasts := map[vertex]int{}, 0
	for i, e := range edges {
		balance[e.a]++
		balance[e.b]--
		if i == 0 || edges[i-1].b != e.a {
			coasts++
		}
	}
	for v, n := range balance {
		if n != 0 {
			t.Errorf("a coast ends at %v", v)
		}
	}
	if coasts != len(rings)-1 {
		t.Errorf("%d coasts, want %d", coasts, len(rings)-1)
	}
}
