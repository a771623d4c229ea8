package passage

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"quaywatch/geo"
)

// crossedSlowly returns the passages with a limit that a leg crosses, by asking all of them.
func crossedSlowly(all []Passage, a, b geo.Point) (names []string) {
	for i := range all {
		if p := &all[i]; !p.Flat && p.Limits != (Size{}) && p.CrossedBy(a, b) {
			names = append(names, p.Name)
		}
	}
	return names
}

// TestCrossingsAreThoseOfAllGates: near gates and anywhere else the table of cells finds what asking every passage finds.
func TestCrossingsAreThoseOfAllGates(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	c, found := NewCrossings(all), 0
	var gates [][]geo.Point
	for _, p := range all {
		gates = append(gates, p.Gates...)
	}
	rapid.Check(t, func(r *rapid.T) {
		gate := rapid.SampledFrom(gates).Draw(r, "gate")
		at := gate[rapid.IntRange(0, len(gate)-1).Draw(r, "point")]
		place := func(name string) geo.Point {
			reach := rapid.SampledFrom([]float64{0.02, 0.24}).Draw(r, name+" reach")
			wide := reach / math.Cos(at.Lat*math.Pi/180)
			return geo.Point{Lon: at.Lon + rapid.Float64Range(-wide, wide).Draw(r, name+" lon"), Lat: at.Lat + rapid.Float64Range(-reach, reach).Draw(r, name+" lat")}.Normalized()
		}
		a, b := place("a"), place("b")
		var got []string
		c.Of(a, b, func(p *Passage) { got = append(got, p.Name) })
		want := crossedSlowly(all, a, b)
		if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			r.Fatalf("from %v to %v: %v, want %v", a, b, got, want)
		}
		found += len(want)
	})
	if found == 0 {
		t.Error("no leg crossed a gate")
	}
	c.Of(geo.Point{Lon: -30, Lat: 90}, geo.Point{Lon: 180, Lat: -90}, func(p *Passage) { t.Errorf("%s is crossed on no way", p.Name) })
}

// BenchmarkCrossings is a leg at sea, and one beside a gate.
func BenchmarkCrossings(b *testing.B) {
	all, err := All()
	if err != nil {
		b.Fatal(err)
	}
	c := NewCrossings(all)
	for name, from := range map[string]geo.Point{"sea": {Lon: -30, Lat: 45}, "gate": {Lon: 12.68, Lat: 55.59}} {
		to := geo.Point{Lon: from.Lon + 0.001, Lat: from.Lat + 0.001}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Of(from, to, func(*Passage) {})
			}
		})
	}
}
