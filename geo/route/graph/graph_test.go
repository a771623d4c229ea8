package graph

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"quaywatch/geo"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

var table = []passage.Passage{{Name: "Styx", Gates: [][]geo.Point{{{Lon: 1, Lat: -1}, {Lon: 1, Lat: 1}}}}, {Name: "Lethe", Gates: [][]geo.Point{{{Lon: 3, Lat: -1}, {Lon: 3, Lat: 1}}}, Shut: true}}

// small is a network of three vertices in a row, in the order of their cells.
func small() NetworkParts {
	p := NetworkParts{Passages: table, Field: make([]byte, fieldBytes), Marks: [][]float64{{math.Inf(1), 222, 0}}}
	p.Field[7] = 9
	for i, lon := range []float64{0.5, 2.5, 4.5} {
		p.Vertices = append(p.Vertices, Vertex{At: sea.At(geo.Point{Lon: lon, Lat: 0.5}), Scale: uint8(i), Start: uint8(10 * i), Span: 20, Reach: 100.2})
	}
	p.Edges = []Edge{{A: 0, B: 1, Gates: 1}, {A: 1, B: 2, Gates: 2, Forced: true}}
	p.Approaches = []PortLink{
		{Place: geo.Point{Lon: 4.6, Lat: 0.6}, Vertex: 2, Way: []geo.Point{{Lon: 4.6, Lat: 0.6}, {Lon: 4.5, Lat: 0.5}}, OnLand: 1.234},
		{Place: geo.Point{Lon: 0.51, Lat: 0.5}, Vertex: 0, Way: []geo.Point{{Lon: 0.51, Lat: 0.5}}},
	}
	return p
}

func TestAFileGivesWhatWasEncoded(t *testing.T) {
	f, err := Open(string(Encode(small())), table)
	if err != nil {
		t.Fatal(err)
	}
	if f.Vertices() != 3 || f.Halves() != 4 || f.Approaches() != 2 || f.Field()[7] != 9 || f.Reach(1) != 101 {
		t.Errorf("%d vertices, %d half edges, %d approaches, reach %v", f.Vertices(), f.Halves(), f.Approaches(), f.Reach(1))
	}
	if off := sea.Km(f.At(1), sea.At(geo.Point{Lon: 2.5, Lat: 0.5})); off > 0.006 || f.At(1) != Rounded(f.At(1)) {
		t.Errorf("vertex 1 lies at %v", f.At(1).Point())
	}
	if scale, start, span := f.Shape(2); scale != 2 || start != 20 || span != 20 {
		t.Errorf("shape %d %d %d", scale, start, span)
	}
	from, to := f.Row(1)
	var ends []uint32
	for e := from; e < to; e++ {
		v, flags := f.Half(e)
		ends = append(ends, v)
		if gates := f.Gates(e); gates != passage.PassageSet(1+v/2) || (flags&Shut != 0) != (v == 2) || (flags&Forced != 0) != (v == 2) || flags&Gated == 0 {
			t.Errorf("edge to %d: flags %x, gates %b", v, flags, gates)
		}
	}
	if !slices.Equal(ends, []uint32{0, 2}) {
		t.Errorf("vertex 1 leads to %v", ends)
	}
	if km, ok := f.Mark(0, 1); km != 222 || !ok || !f.Marked(1) || f.Marked(2) {
		t.Errorf("landmark: %v %v", km, ok)
	}
	if _, ok := f.Mark(0, 0); ok {
		t.Error("a way leads where none does")
	}
	a, ok := f.ApproachAt(geo.Point{Lon: 4.6, Lat: 0.6})
	if !ok || a.Vertex != 2 || len(a.Way) != 2 || a.Way[1] != (geo.Point{Lon: 4.5, Lat: 0.5}) || a.OnLand != 1.234 {
		t.Errorf("approach: %v %v", a, ok)
	}
	if _, ok := f.ApproachAt(geo.Point{Lon: 4.6, Lat: 0.7}); ok {
		t.Error("there is an approach at a place without one")
	}
	var near []uint32
	f.Near(geo.Point{Lon: 1.5, Lat: 0.5}, 115, 1, func(v uint32) { near = append(near, v) })
	if !slices.Equal(near, []uint32{0, 1}) {
		t.Errorf("near are %v", near)
	}
	near = nil
	f.Near(geo.Point{Lon: 4, Lat: 0.5}, 180, 2, func(v uint32) { near = append(near, v) })
	if !slices.Equal(near, []uint32{1, 2}) {
		t.Errorf("near are %v", near)
	}
}

func TestADamagedFileIsRefused(t *testing.T) {
	whole := Encode(small())
	for i := 0; i < len(whole); i += 1 + i/40 {
		damaged := slices.Clone(whole)
		damaged[i] ^= 0x10
		if _, err := Open(string(damaged), table); err == nil {
			t.Fatalf("with byte %d changed it is taken", i)
		}
	}
	for _, n := range []int{0, 7, head - 1, head, len(whole) - 1} {
		if _, err := Open(string(whole[:n]), table); err == nil {
			t.Errorf("with %d of %d bytes it is taken", n, len(whole))
		}
	}
	other := slices.Clone(table)
	other[0].Name = "Acheron"
	if _, err := Open(string(whole), other); err == nil || !strings.Contains(err.Error(), "go generate") {
		t.Errorf("with other passages: %v", err)
	}
	other = slices.Clone(table)
	other[0].Limits.Draught = 7
	if _, err := Open(string(whole), other); err != nil {
		t.Errorf("with another limit: %v", err)
	}
}

// sealed returns a file with the checksum that its bytes need.
func sealed(data []byte) string {
	if len(data) >= checked {
		binary.LittleEndian.PutUint32(data[len(Magic):], dataChecksum(string(data[checked:])))
	}
	return string(data)
}

// FuzzOpen changes bytes of a file whose checksum is right: what is taken can be read.
func FuzzOpen(f *testing.F) {
	whole := Encode(small())
	for _, at := range []int{checked + 4, checked + 8, checked + 12, checked + 16, checked + 20, checked + 24, head, head + 24, head + 33, head + 45, head + 57, len(whole) - 30, len(whole) - 60} {
		f.Add(uint32(at), uint32(1), uint32(at+4), uint32(0xffffffff))
	}
	f.Fuzz(func(t *testing.T, at1, value1, at2, value2 uint32) {
		data := slices.Clone(whole)
		for _, change := range [][2]uint32{{at1, value1}, {at2, value2}} {
			if at := int(change[0] % uint32(len(data)-4)); at >= checked {
				binary.LittleEndian.PutUint32(data[at:], change[1])
			}
		}
		n, err := Open(sealed(data), table)
		if err != nil {
			return
		}
		for v := range uint32(n.Vertices()) {
			n.Shape(v)
			n.Reach(v)
			if n.Marked(v) {
				n.Mark(Landmarks-1, v)
			}
			from, to := n.Row(v)
			for e := from; e < to; e++ {
				end, _ := n.Half(e)
				n.At(end)
				n.Gates(e)
			}
		}
		for i := range n.Approaches() {
			n.At(n.Approach(i).Vertex)
		}
		n.ApproachAt(geo.Point{Lon: 4.6, Lat: 0.6})
		n.Near(geo.Point{Lon: 179, Lat: 89}, 3000, 9, func(v uint32) { n.At(v) })
	})
}
