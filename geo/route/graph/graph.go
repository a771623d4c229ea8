// Package graph is the file of the network of sea ways. It is read in place from one block of bytes. So a binary that embeds the block pays for the pages it
// looks at and for nothing else. Layout, little-endian:
//
//	"QWROUTE1"  crc32c u32 of what follows
//	digest u32 of the passages' names and lines | counts u32: vertices, marked ones, half edges, gated half edges, approaches, points of approaches
//	vertices    unit vectors, three times 21 bits, u64 each. First stand the marked ones: those of the scales 0 and 1, ports and canals. Both
//	            parts are in the order of cells of 1°, and of scales
//	shapes      scale u8 | direction of the discs of open water: first bin u8, bins u8
//	rows        u24 a vertex and one more: its first half edge
//	targets     u24 a half edge: the vertex at its end, and flags in the upper three bits
//	reach       u16 a vertex, kilometres
//	marks       u16 a marked vertex and landmark, half kilometres; 65535 = no way
//	cells       u32 a cell of 1° and one more, row by row from the south-west: its first vertex; for the marked ones, then for the others
//	field       the field of package sea
//	gates       half edge u32, set of passages u64, in order
//	approaches  longitude, latitude (1e-7 degrees, i32), vertex u32, first point u32, metres on land u32, in order of the place
//	points      longitude, latitude (1e-7 degrees, i32)
//
// It opens nothing.
package graph

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"sort"

	"quaywatch/geo"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

// Constants of the format.
const (
	Magic      = "QWROUTE1"
	Landmarks  = 6
	MostOnLand = 50.0 // kilometres of land on an approach

	PortScale   = 4    // of vertices that ports begin at; 0 to 3 are those of corners of the coast, coarse to fine
	CanalScale  = 5    // of points of a canal
	BesideCanal = 10.0 // kilometres from a canal within which a place may begin at it

	head       = len(Magic) + 4 + 7*4
	checked    = len(Magic) + 4
	columns    = 360
	rowCount   = 180
	vertexBits = 21
	most       = 1 << vertexBits
	fieldBytes = sea.FieldColumns * sea.FieldRows
	noWay      = math.MaxUint16
	axis       = 1<<21 - 1 // steps of a coordinate, from -1 to 1
	cellWords  = columns*rowCount + 1
)

// Flags of a half edge.
const (
	Forced = 1 << (vertexBits + iota) // part of a canal
	Gated                             // goes through a passage
	Shut                              // goes through a passage that is shut unless a user opens it
)

// Block is a block that was checked. It is never changed.
type Block struct {
	data                             string
	vertices, marked, halves, gated  int
	placed, points                   int
	atShape, atRow, atTarget         int
	atReach, atMark, atCell, atField int
	atGate, atPlace, atPoint, end    int
}

// Open checks a block: its checksum, that it was made with these passages, and that no number in it leads out of it. The string is used in
// place for as long as the Block lives.
func Open(data string, passages []passage.Passage) (*Block, error) {
	f, err := Read(data)
	if err == nil && u32(data, checked) != Digest(passages) {
		return nil, errors.New("open network: it was made with other passages; run go generate ./geo/route")
	}
	return f, err
}

// Read checks a block as Open does, and does not ask with which passages it was made.
func Read(data string) (*Block, error) {
	if len(data) < head || data[:len(Magic)] != Magic {
		return nil, errors.New("open network: not a network of sea ways")
	}
	if dataChecksum(data[checked:]) != u32(data, len(Magic)) {
		return nil, errors.New("open network: the checksum is wrong")
	}
	f := &Block{data: data, vertices: int(u32(data, checked+4)), marked: int(u32(data, checked+8)), halves: int(u32(data, checked+12)),
		gated: int(u32(data, checked+16)), placed: int(u32(data, checked+20)), points: int(u32(data, checked+24))}
	if f.vertices == 0 || f.vertices >= most || f.marked > f.vertices {
		return nil, fmt.Errorf("open network: %d vertices", f.vertices)
	}
	f.findSections()
	if f.end != len(data) {
		return nil, fmt.Errorf("open network: %d bytes, want %d", len(data), f.end)
	}
	if err := f.checkNumbers(); err != nil {
		return nil, err
	}
	return f, nil
}

// findSections finds where the sections begin.
func (f *Block) findSections() {
	at := head
	for _, s := range []struct {
		at    *int
		bytes int
	}{
		{new(int), 8 * f.vertices}, {&f.atShape, 3 * f.vertices}, {&f.atRow, 3 * (f.vertices + 1)}, {&f.atTarget, 3 * f.halves}, {&f.atReach, 2 * f.vertices},
		{&f.atMark, 2 * Landmarks * f.marked}, {&f.atCell, 2 * 4 * cellWords}, {&f.atField, fieldBytes}, {&f.atGate, 12 * f.gated},
		{&f.atPlace, 20 * f.placed}, {&f.atPoint, 8 * f.points}, {&f.end, 0},
	} {
		*s.at = at
		at += s.bytes
	}
}

// checkNumbers looks at each number that leads somewhere.
func (f *Block) checkNumbers() error {
	wrong := func(what string) error { return fmt.Errorf("open network: %s lead out of the file", what) }
	switch {
	case !f.ascends(f.atRow, f.vertices+1, 3, 0, f.halves) || u24(f.data, f.atRow+3*f.vertices) != f.halves:
		return wrong("rows")
	case !f.ascends(f.atCell, cellWords, 4, 0, f.marked) || !f.ascends(f.atCell+4*cellWords, cellWords, 4, f.marked, f.vertices):
		return wrong("cells")
	case f.placed > 0 && !f.ascends(f.atPlace+12, f.placed, 20, 0, f.points):
		return wrong("points")
	}
	for e := range f.halves {
		if to, _ := f.Half(e); to >= uint32(f.vertices) {
			return wrong("edges")
		}
	}
	for i := range f.placed {
		if int(u32(f.data, f.atPlace+20*i+8)) >= f.vertices {
			return wrong("approaches")
		}
	}
	for i := range f.vertices {
		if v := f.At(uint32(i)); !(math.Abs(v.Dot(v)-1) < 1e-3) {
			return errors.New("open network: a vertex is not on the sphere")
		}
	}
	return nil
}

// ascends reports whether numbers grow from a first one, or stay, up to a bound. A stride of 3 is that of u24.
func (f *Block) ascends(at, count, stride, first, bound int) bool {
	last := first
	for i := range count {
		v := u24(f.data, at+i*stride)
		if stride > 3 {
			v = int(u32(f.data, at+i*stride))
		}
		if v < last || v > bound || i == 0 && v != first {
			return false
		}
		last = v
	}
	return true
}

// dataChecksum sums in pieces: a string as a whole would be copied.
func dataChecksum(data string) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	var piece [1 << 14]byte
	sum := uint32(0)
	for len(data) > 0 {
		n := copy(piece[:], data)
		sum = crc32.Update(sum, table, piece[:n])
		data = data[n:]
	}
	return sum
}

// Digest sums what of the passages the network was made with: names, lines, and what is closed to most ships, not limits.
func Digest(passages []passage.Passage) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	sum, line := uint32(0), []byte{}
	for _, p := range passages {
		line = fmt.Appendf(line[:0], "%s|%v|%v|%t\n", p.Name, p.Gates, p.Chain, p.Shut || p.Flat)
		sum = crc32.Update(sum, table, line)
	}
	return sum
}

func u32(s string, at int) uint32 {
	s = s[at : at+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func u24(s string, at int) int {
	s = s[at : at+3]
	return int(s[0]) | int(s[1])<<8 | int(s[2])<<16
}

func u16(s string, at int) uint16 {
	s = s[at : at+2]
	return uint16(s[0]) | uint16(s[1])<<8
}

// Vertices counts the vertices.
func (f *Block) Vertices() int { return f.vertices }

// Halves counts the half edges.
func (f *Block) Halves() int { return f.halves }

// Field returns the field of package sea.
func (f *Block) Field() string { return f.data[f.atField : f.atField+fieldBytes] }

// At returns the place of a vertex.
func (f *Block) At(v uint32) sea.UnitVector {
	at := head + 8*int(v)
	return unpack(uint64(u32(f.data, at)) | uint64(u32(f.data, at+4))<<32)
}

// Rounded returns a place as the file holds it, up to 6 m away. Its vector is as long as 1 but for a millionth.
func Rounded(v sea.UnitVector) sea.UnitVector { return unpack(packVector(v)) }

func packVector(v sea.UnitVector) (bits uint64) {
	for _, c := range []float64{v.Z, v.Y, v.X} {
		bits = bits<<21 | uint64(math.Round((min(max(c, -1), 1)+1)/2*axis))
	}
	return bits
}

func unpack(bits uint64) sea.UnitVector {
	const step = 2.0 / axis
	return sea.UnitVector{X: float64(bits&axis)*step - 1, Y: float64(bits>>21&axis)*step - 1, Z: float64(bits>>42&axis)*step - 1}
}

// Shape returns the scale of a vertex's corner, and the run of directions in which discs of open water lie. A span of 0 is none.
func (f *Block) Shape(v uint32) (scale, start, span uint8) {
	s := f.data[f.atShape+3*int(v):]
	return s[0], s[1], s[2]
}

// Row returns the half edges of a vertex, from the first to before the last.
func (f *Block) Row(v uint32) (from, to int) {
	at := f.atRow + 3*int(v)
	return u24(f.data, at), u24(f.data, at+3)
}

// Half returns the end and the flags of a half edge.
func (f *Block) Half(e int) (to uint32, flags uint32) {
	s := f.data[f.atTarget+3*e:]
	s = s[:3]
	v := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16
	return v & (most - 1), v &^ (most - 1)
}

// Reach returns how far, in kilometres, both ends of a shortest way through a vertex may be from it.
func (f *Block) Reach(v uint32) float64 { return float64(u16(f.data, f.atReach+2*int(v))) }

// Marked reports whether a vertex has marks: one of the scales 0 and 1, of a port or a canal.
func (f *Block) Marked(v uint32) bool { return int(v) < f.marked }

// Mark returns the kilometres from a landmark to a marked vertex; false where no way leads.
func (f *Block) Mark(landmark int, v uint32) (km float64, ok bool) {
	m := u16(f.data, f.atMark+2*(int(v)*Landmarks+landmark))
	return float64(m) / 2, m != noWay
}

// Gates returns the passages that a half edge goes through.
func (f *Block) Gates(e int) passage.PassageSet {
	i := sort.Search(f.gated, func(i int) bool { return int(u32(f.data, f.atGate+12*i)) >= e })
	if i == f.gated || int(u32(f.data, f.atGate+12*i)) != e {
		return 0
	}
	at := f.atGate + 12*i + 4
	return passage.PassageSet(u32(f.data, at)) | passage.PassageSet(u32(f.data, at+4))<<32
}

// Near visits the vertices of all cells within some kilometres of a place that are of a scale or coarser. It visits farther ones too.
func (f *Block) Near(p geo.Point, km float64, scale int, visit func(v uint32)) {
	reach := min(km/(sea.Radius*math.Pi/180), 180)
	south, north := max(0, int(p.Lat-reach+90)), min(rowCount-1, int(p.Lat+reach+90))
	for row := south; row <= north; row++ {
		first, count := 0, columns
		if w := circleWidth(p.Lat, row, km); w < 179 {
			first = int(math.Floor(p.Lon - w + 180))
			count = int(math.Floor(p.Lon+w+180)) - first + 1
		}
		for c := first; c < first+count; c++ {
			cell := row*columns + (c%columns+columns)%columns
			f.visitCell(f.atCell+4*cell, scale, visit)
			if scale > 1 {
				f.visitCell(f.atCell+4*(cellWords+cell), scale, visit)
			}
		}
	}
}

// visitCell visits the vertices of a cell that are of a scale or coarser. They come first.
func (f *Block) visitCell(at, scale int, visit func(v uint32)) {
	for v := u32(f.data, at); v < u32(f.data, at+4); v++ {
		if int(f.data[f.atShape+3*int(v)]) > scale {
			return
		}
		visit(v)
	}
}

// circleWidth returns the degrees of longitude that a circle reaches within a row.
func circleWidth(lat float64, row int, km float64) float64 {
	far := max(math.Abs(lat), math.Abs(float64(row)-90), math.Abs(float64(row)-89))
	sin := math.Sin(min(km/sea.Radius/2, math.Pi/2)) / math.Cos(min(far, 89.999)*math.Pi/180)
	if sin >= 1 {
		return 180
	}
	return 2 * math.Asin(sin) * 180 / math.Pi
}

// CellOf returns the cell of a place.
func CellOf(p geo.Point) int {
	return min(int(p.Lat+90), rowCount-1)*columns + min(int(p.Lon+180), columns-1)
}

// PortLink is the way from a port to a vertex.
type PortLink struct {
	Place  geo.Point
	Vertex uint32
	Way    []geo.Point // from the port to the vertex
	OnLand float64     // kilometres of it that are land in the chart
}

// Approaches counts the ways from ports.
func (f *Block) Approaches() int { return f.placed }

// Approach returns the way of a port by its number.
func (f *Block) Approach(i int) PortLink {
	at := f.atPlace + 20*i
	a := PortLink{Place: f.placeAt(at), Vertex: u32(f.data, at+8), OnLand: float64(u32(f.data, at+16)) / 1000}
	first, last := int(u32(f.data, at+12)), f.points
	if i+1 < f.placed {
		last = int(u32(f.data, at+20+12))
	}
	for k := first; k < last; k++ {
		a.Way = append(a.Way, f.placeAt(f.atPoint+8*k))
	}
	return a
}

// ApproachAt returns the way of the port at a place.
func (f *Block) ApproachAt(p geo.Point) (PortLink, bool) {
	x, y := steps(p)
	i := sort.Search(f.placed, func(i int) bool {
		at := f.atPlace + 20*i
		lon, lat := int32(u32(f.data, at)), int32(u32(f.data, at+4))
		return lon > x || lon == x && lat >= y
	})
	if i == f.placed {
		return PortLink{}, false
	}
	a := f.Approach(i)
	lon, lat := steps(a.Place)
	return a, lon == x && lat == y
}

const stepsPerDegree = 1e7

func steps(p geo.Point) (lon, lat int32) {
	return int32(math.Round(p.Lon * stepsPerDegree)), int32(math.Round(p.Lat * stepsPerDegree))
}

func (f *Block) placeAt(at int) geo.Point {
	return geo.Point{Lon: float64(int32(u32(f.data, at))) / stepsPerDegree, Lat: float64(int32(u32(f.data, at+4))) / stepsPerDegree}
}
