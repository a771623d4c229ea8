package watchdogs

import (
	"math/rand/v2"
	"slices"
	"testing"

	"quaywatch/geo"
)

// TestTheGridFindsWhatTheTreeFinds: small and large areas, a crowd at one place, both sides of the date line and of the meridian, borders that touch, and
// cells that share a slot; watchdogs come and go between the questions.
func TestTheGridFindsWhatTheTreeFinds(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	at := func() (lon, lat float64) {
		switch random.IntN(4) {
		case 0:
			return 11.05 + random.Float64()*0.01, 55.05 + random.Float64()*0.01 // the crowd
		case 1:
			return float64(random.IntN(3600)-1800) / 10, float64(random.IntN(1700)-850) / 10 // the corner of a cell
		case 2:
			return random.Float64()*52 - 26, random.Float64()*2 - 1
		}
		return random.Float64()*0.8 - 0.4, random.Float64()*0.8 - 0.4
	}
	fix := func() geo.Point {
		lon, lat := at()
		return geo.Point{Lon: float64(int32(lon*unitsInDegree)) / unitsInDegree, Lat: float64(int32(lat*unitsInDegree)) / unitsInDegree}
	}
	var x areas
	type kept struct {
		r geo.Rect
		d *dog
	}
	var all []kept
	crowds, found, cells := 0, 0, 0
	for round := range 40 {
		for range 50 {
			lon, lat := at()
			wide := []float64{0.001, 0.05, 0.1, 3}[random.IntN(4)]
			k := kept{geo.Rect{West: lon, South: lat, East: lon + wide, North: lat + wide}, &dog{id: uint64(len(all))}}
			if k.r.East > 180 {
				k.r.East -= 360
			}
			x.insertDog(k.r, k.d)
			all = append(all, k)
		}
		for range round {
			i := random.IntN(len(all))
			x.remove(all[i].r, all[i].d)
			all = slices.Delete(all, i, i+1)
		}
		for range 500 {
			p := fix()
			r := geo.Rect{West: p.Lon, South: p.Lat, East: p.Lon, North: p.Lat}
			if random.IntN(2) == 0 {
				r = r.Extend(geo.Point{Lon: p.Lon + float64(random.IntN(2000)-1000)/unitsInDegree, Lat: p.Lat + float64(random.IntN(2000))/unitsInDegree})
			}
			got, want := x.searchDogs(r, nil), x.searchTree(r, nil)
			for _, d := range want {
				if !slices.Contains(got, d) {
					t.Fatalf("round %d: at %+v the grid leaves out a watchdog", round, r)
				}
			}
			found += len(want)
			for _, d := range got {
				i := slices.IndexFunc(all, func(k kept) bool { return k.d == d })
				if i < 0 {
					t.Fatalf("round %d: at %+v the grid finds one that is gone", round, r)
				}
				if b := all[i].r; !b.Expand(0.2).Intersects(r) { // a unit is 0.19 m
					t.Fatalf("round %d: at %+v the grid finds %+v", round, r, b)
				}
			}
		}
		for i := range x.slots {
			switch x.slots[i].state {
			case crowded:
				crowds++
			case known:
				cells++
			}
		}
	}
	if crowds == 0 || found < 1000 || cells < 1000 {
		t.Errorf("%d crowds, %d cells, %d found: too little was tried", crowds, cells, found)
	}
}

// TestRectanglesThatTouchMeet, on each side and at each corner, and those with a unit between them do not.
func TestRectanglesThatTouchMeet(t *testing.T) {
	square := units{10, 20, 30, 40}
	for east := int32(-1); east <= 1; east++ {
		for north := int32(-1); north <= 1; north++ {
			for beside := range int32(2) {
				by := 20 + beside
				other := units{square.west + east*by, square.south + north*by, square.east + east*by, square.north + north*by}
				if got, want := square.sharesPoint(&other), beside == 0 || east == 0 && north == 0; got != want {
					t.Errorf("%+v and %+v meet: %v", square, other, got)
				}
			}
		}
	}
}

// TestCellsOfUnits: a cell begins with its western and southern border, on both sides of the meridian and the equator.
func TestCellsOfUnits(t *testing.T) {
	const wide = int32(unitsInCell)
	for unit, want := range map[int32]int32{-wide - 1: -2, -wide: -1, -1: -1, 0: 0, 1: 0, wide - 1: 0, wide: 1} {
		if got := cellOf(unit); got != want {
			t.Errorf("unit %d lies in cell %d", unit, got)
		}
	}
}
