package graph

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// Vertex is a vertex of a network to encode.
type Vertex struct {
	At                 sea.UnitVector
	Scale, Start, Span uint8
	Reach              float64 // kilometres
}

// Edge is an edge of a network to encode.
type Edge struct {
	A, B   uint32
	Gates  passage.PassageSet
	Forced bool
}

// Marked reports whether a vertex of a scale has marks.
func Marked(scale int) bool { return scale <= 1 || scale >= PortScale }

// NetworkParts is a network to encode. The marked vertices stand before the others, and both in the order of their cells and scales. Their places are
// Rounded.
type NetworkParts struct {
	Vertices   []Vertex
	Edges      []Edge
	Marks      [][]float64 // by landmark and vertex, kilometres; infinite = no way
	Field      []byte
	Approaches []PortLink
	Passages   []passage.Passage
}

// half is one direction of an edge.
type half struct {
	from, to, flags uint32
	gates           passage.PassageSet
}

// Encode returns the file of a network.
func Encode(p NetworkParts) []byte {
	halves := p.halves()
	slices.SortFunc(p.Approaches, func(a, b PortLink) int {
		ax, ay := steps(a.Place)
		bx, by := steps(b.Place)
		return cmp.Or(cmp.Compare(ax, bx), cmp.Compare(ay, by))
	})
	points, gated := 0, 0
	for _, a := range p.Approaches {
		points += len(a.Way)
	}
	for _, h := range halves {
		if h.gates != 0 {
			gated++
		}
	}
	out := append([]byte(Magic), 0, 0, 0, 0)
	out = appendWords(out, Digest(p.Passages), uint32(len(p.Vertices)), uint32(p.countMarked()), uint32(len(halves)), uint32(gated), uint32(len(p.Approaches)), uint32(points))
	out = p.appendVertices(out)
	out = p.appendRows(out, halves)
	out = p.appendTables(out)
	out = append(out, p.Field...)
	for e, h := range halves {
		if h.gates != 0 {
			out = appendWords(out, uint32(e), uint32(h.gates), uint32(h.gates>>32))
		}
	}
	out = p.appendApproaches(out)
	binary.LittleEndian.PutUint32(out[len(Magic):], dataChecksum(string(out[checked:])))
	return out
}

// countMarked counts the marked vertices.
func (p *NetworkParts) countMarked() (n int) {
	for n < len(p.Vertices) && Marked(int(p.Vertices[n].Scale)) {
		n++
	}
	return n
}

func appendWords(out []byte, words ...uint32) []byte {
	for _, w := range words {
		out = binary.LittleEndian.AppendUint32(out, w)
	}
	return out
}

// halves returns both directions of all edges, by the vertex that they begin at.
func (p *NetworkParts) halves() (halves []half) {
	shut := passage.Shut(p.Passages)
	for _, e := range p.Edges {
		var flags uint32
		if e.Forced {
			flags |= Forced
		}
		if e.Gates != 0 {
			flags |= Gated
		}
		if e.Gates&shut != 0 {
			flags |= Shut
		}
		halves = append(halves, half{e.A, e.B, flags, e.Gates}, half{e.B, e.A, flags, e.Gates})
	}
	slices.SortFunc(halves, func(a, b half) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return halves
}

func (p *NetworkParts) appendVertices(out []byte) []byte {
	for _, v := range p.Vertices {
		out = binary.LittleEndian.AppendUint64(out, packVector(v.At))
	}
	for _, v := range p.Vertices {
		out = append(out, v.Scale, v.Start, v.Span)
	}
	return out
}

func (p *NetworkParts) appendRows(out []byte, halves []half) []byte {
	e := 0
	for v := range p.Vertices {
		out = append(out, byte(e), byte(e>>8), byte(e>>16))
		for e < len(halves) && halves[e].from == uint32(v) {
			e++
		}
	}
	out = append(out, byte(e), byte(e>>8), byte(e>>16))
	for _, h := range halves {
		t := h.to | h.flags
		out = append(out, byte(t), byte(t>>8), byte(t>>16))
	}
	return out
}

func (p *NetworkParts) appendTables(out []byte) []byte {
	for _, v := range p.Vertices {
		out = binary.LittleEndian.AppendUint16(out, uint16(min(math.Ceil(v.Reach), math.MaxUint16)))
	}
	for v := range p.countMarked() {
		for l := range Landmarks {
			m := uint16(noWay)
			if l < len(p.Marks) && p.Marks[l][v] < noWay/2 {
				m = uint16(math.Round(2 * p.Marks[l][v]))
			}
			out = binary.LittleEndian.AppendUint16(out, m)
		}
	}
	out = p.appendCells(out, 0, p.countMarked())
	return p.appendCells(out, p.countMarked(), len(p.Vertices))
}

// appendCells writes where the vertices of each cell begin, of those from one to before another.
func (p *NetworkParts) appendCells(out []byte, v, end int) []byte {
	for cell := range columns * rowCount {
		out = appendWords(out, uint32(v))
		for v < end && CellOf(p.Vertices[v].At.Point()) == cell {
			v++
		}
	}
	return appendWords(out, uint32(v))
}

func (p *NetworkParts) appendApproaches(out []byte) []byte {
	first := 0
	for _, a := range p.Approaches {
		x, y := steps(a.Place)
		out = appendWords(out, uint32(x), uint32(y), a.Vertex, uint32(first), uint32(math.Round(1000*a.OnLand)))
		first += len(a.Way)
	}
	for _, a := range p.Approaches {
		for _, point := range a.Way {
			x, y := steps(point)
			out = appendWords(out, uint32(x), uint32(y))
		}
	}
	return out
}
