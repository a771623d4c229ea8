package water

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"quaywatch/geo"
)

func TestCells(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		p := geo.Point{Lon: random.Float64()*360 - 180, Lat: random.Float64()*178 - 89}
		c := CellAt(p)
		if CellAt(c.Center()) != c {
			t.Fatalf("the middle of the cell of %v lies in %v, not %v", p, CellAt(c.Center()), c)
		}
		if far := geo.Distance(p, c.Center()); far > 32 {
			t.Fatalf("the middle of the cell of %v is %.0f m off", p, far)
		}
	}
}

// patch is an overlay of nine cells round a place, and one seen cell north of them.
func patch(p geo.Point) *Overlay {
	c := CellAt(p)
	var learned []Square
	for dy := int32(-1); dy <= 1; dy++ {
		for dx := int32(-1); dx <= 1; dx++ {
			learned = append(learned, Square{c.Row + dy, c.Col + dx})
		}
	}
	o, _ := New(learned, []Square{{c.Row + 2, c.Col}})
	return o
}

func TestEncodeAndDecode(t *testing.T) {
	o := patch(geo.Point{Lon: 9.9, Lat: 53.5})
	data := o.Encode()
	again, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	learned, seen := again.Cells()
	if len(learned) != 9 || len(seen) != 1 || !bytes.Equal(again.Encode(), data) {
		t.Errorf("%d learned, %d seen cells came back", len(learned), len(seen))
	}
	for n := range len(data) {
		if _, err := Decode(data[:n]); err == nil {
			t.Errorf("the first %d of %d bytes are an overlay", n, len(data))
		}
	}
	var none *Overlay
	if o, err := Decode(none.Encode()); err != nil || o.Learned(Square{}) {
		t.Error("no overlay has cells", err)
	}
}

func TestOverlayIsBounded(t *testing.T) {
	var cells []Square
	for i := range int32(mostBlocks + 10) {
		cells = append(cells, Square{i / 5000 * side, i % 5000 * side})
	}
	o, full := New(cells, nil)
	if !full || len(o.blocks) != mostBlocks {
		t.Errorf("%d blocks, full %v", len(o.blocks), full)
	}
	if plain := len(o.blocks) * (2*8*inBlock + 8); plain > MostBytes {
		t.Errorf("%d bytes", plain)
	}
	if _, err := Decode(o.Encode()); err != nil {
		t.Error(err)
	}
}

// The parts of a leg outside of learned cells are those that steps of a metre find.
func TestUnlearnedIsWhatStepsFind(t *testing.T) {
	centre := geo.Point{Lon: 9.9, Lat: 53.5}
	o := patch(centre)
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		end := func() geo.Point { return geo.Destination(centre, random.Float64()*360, random.Float64()*300) }
		a, b := end(), end()
		n := 1 + int(geo.Distance(a, b)*2)
		covered := func(p geo.Point, parts [][2]geo.Point) bool {
			for _, s := range parts {
				along := geo.Distance(s[0], p) + geo.Distance(p, s[1])
				if along <= geo.Distance(s[0], s[1])+0.05 {
					return true
				}
			}
			return false
		}
		var parts [][2]geo.Point
		o.Unlearned(a, b, func(a, b geo.Point) bool { parts = append(parts, [2]geo.Point{a, b}); return false })
		wrong := 0
		for i := range n {
			s := (float64(i) + 0.5) / float64(n)
			p := geo.Point{Lon: a.Lon + s*(b.Lon-a.Lon), Lat: a.Lat + s*(b.Lat-a.Lat)}
			if covered(p, parts) == o.Learned(CellAt(p)) {
				wrong++
			}
		}
		if wrong > 3 { // at the sides of cells
			t.Fatalf("from %v to %v: %d of %d places differ, parts %v", a, b, wrong, n, parts)
		}
	}
}

func TestRowsAreTheCells(t *testing.T) {
	o := patch(geo.Point{Lon: 9.9, Lat: 53.5})
	count := map[bool]int{}
	o.Rows(geo.Rect{West: 9.8, South: 53.4, East: 10, North: 53.6}, func(r geo.Rect, learned bool) {
		count[learned]++
		if !o.Learned(CellAt(r.Center())) == learned {
			t.Errorf("the middle of %v is learned: %v", r, !learned)
		}
	})
	if count[true] < 3 || count[true] > 6 || count[false] != 1 {
		t.Errorf("rectangles: %v", count)
	}
	o.Rows(geo.Rect{West: 8.8, South: 53.4, East: 9, North: 53.6}, func(geo.Rect, bool) { t.Error("a cell lies elsewhere") })
}

func TestWithoutAnArea(t *testing.T) {
	at := geo.Point{Lon: 9.9, Lat: 53.5}
	o := patch(at)
	c := CellAt(at)
	south, north := Square{c.Row - 1, c.Col - 1}, Square{c.Row + 2, c.Col}
	box := func(low, high geo.Point) geo.Polygon {
		return geo.Polygon{{low, {Lon: high.Lon, Lat: low.Lat}, high, {Lon: low.Lon, Lat: high.Lat}, low}}
	}
	one := south.Corners()
	rest, left := o.Without([]geo.Polygon{box(one[0], one[2]), box(north.Corners()[0], north.Corners()[2])})
	learned, seen := rest.Cells()
	if left != 2 || len(learned) != 8 || len(seen) != 0 || rest.Learned(south) || !rest.Learned(c) {
		t.Errorf("%d are left out; %d learned and %d seen cells stay", left, len(learned), len(seen))
	}
	if all, none := o.Cells(); len(all) != 9 || len(none) != 1 {
		t.Error("the overlay itself changed")
	}
	if same, left := o.Without(nil); same != o || left != 0 {
		t.Error("no area leaves cells out")
	}
}
