// Package land reads the world's land from one block of bytes, in place. It copies nothing and needs no preparation. So a binary that embeds the block pays for
// the pages it looks at and for nothing else.
//
// The coast is a set of directed edges with land on their left. Layout, little-endian, offsets from the first byte:
//
//	"QWLAND1\n"  levels u8
//	per level    units per degree u32 | degrees per cell u32 | directory offset u32
//	directory    u32 a cell, row by row from the south-west: 0 = all sea, 1 = all land, else the offset of its block
//	block        k u8 | if k > 0: 4^k offsets u24 from the block's start (0, 1 as above), row by row | bodies
//	body         winding number of the reference point, then the count of chains (varints), then for each chain the
//	             count of its edges, its first point relative to the cell's south-west corner and the step to each
//	             further point (zig-zag varints, in units)
//
// A body holds every edge that touches its cell or sub-cell, whole, so nothing is rounded by clipping. Level 0 is the
// exact one; the others are simplified for drawing.
package land

import (
	"encoding/binary"
	"errors"
	"fmt"

	"quaywatch/geo"
)

// The format's constants, shared with the generator.
const (
	Magic    = "QWLAND1\n"
	Header   = len(Magic) + 1
	PerLevel = 12
	MaxSplit = 5    // the largest k
	Fine     = 2048 // fine steps per unit: places are rounded to these, so that every test is exact in int64
	RefX     = 1365 // the reference point of a cell, in fine steps from its corner: on no edge's grid point
	RefY     = 1019
	Sea      = 0 // offsets that are none
	AllLand  = 1
)

// Map is the block with its levels.
type Map struct{ levels []Level }

// Level is one resolution.
type Level struct {
	data       string
	directory  int
	units      int64 // per degree
	cell       int64 // units per cell
	cols, rows int
}

// Open checks the head of a block. The string is used in place for as long as the Map lives.
func Open(data string) (*Map, error) {
	if len(data) < Header || data[:len(Magic)] != Magic {
		return nil, errors.New("open land: not a land file")
	}
	m := &Map{}
	for i := range int(data[len(Magic)]) {
		l, err := openLevel(data, Header+i*PerLevel)
		if err != nil {
			return nil, fmt.Errorf("open land level %d: %w", i, err)
		}
		m.levels = append(m.levels, l)
	}
	if len(m.levels) == 0 {
		return nil, errors.New("open land: no levels")
	}
	return m, nil
}

func openLevel(data string, at int) (Level, error) {
	if len(data) < at+PerLevel {
		return Level{}, errors.New("head is cut off")
	}
	degrees := int(u32(data, at+4))
	l := Level{data: data, units: int64(u32(data, at)), directory: int(u32(data, at+8))}
	if degrees == 0 || 180%degrees != 0 || l.units == 0 || l.units > 5000 {
		return Level{}, errors.New("unusable grid")
	}
	l.cols, l.rows, l.cell = 360/degrees, 180/degrees, int64(degrees)*l.units
	if l.directory+4*l.cols*l.rows > len(data) {
		return Level{}, errors.New("directory is cut off")
	}
	return l, nil
}

// Levels counts the resolutions; 0 is the finest.
func (m *Map) Levels() int { return len(m.levels) }

// Level returns one resolution.
func (m *Map) Level(i int) *Level { return &m.levels[i] }

// UnitsPerDegree is the resolution of the level's grid.
func (l *Level) UnitsPerDegree() int { return int(l.units) }

func u32(s string, at int) uint32 {
	return binary.LittleEndian.Uint32([]byte{s[at], s[at+1], s[at+2], s[at+3]})
}

func u24(s string, at int) int {
	return int(s[at]) | int(s[at+1])<<8 | int(s[at+2])<<16
}

// place is a point in fine steps.
type place struct{ x, y int64 }

// fine rounds a point to fine steps, within the world: 180° is -180°.
func (l *Level) fine(p geo.Point) place {
	p = p.Normalized()
	at := place{roundUnits(p.Lon * float64(l.units*Fine)), roundUnits(p.Lat * float64(l.units*Fine))}
	half := 180 * l.units * Fine
	if at.x >= half {
		at.x -= 2 * half
	}
	return at
}

func roundUnits(v float64) int64 {
	if v < 0 {
		return int64(v - 0.5)
	}
	return int64(v + 0.5)
}

// clamp brings v into 0..n-1.
func clamp(v, n int) int { return min(max(v, 0), n-1) }

// body is one cell or sub-cell: either uniform, or edges from an offset on.
type body struct {
	at       int // offset of the edges' bytes, 0 if uniform
	land     bool
	corner   place // south-west, in units
	sideLong int64 // units
}

// cellAt returns a cell's directory entry as an offset.
func (l *Level) cellAt(col, row int) int {
	return int(u32(l.data, l.directory+4*(row*l.cols+col)))
}

// corner returns the south-west corner of a cell in units.
func (l *Level) corner(col, row int) place {
	return place{int64(col)*l.cell - 180*l.units, int64(row)*l.cell - 90*l.units}
}

// sub returns one sub-cell of the block at an offset.
func (l *Level) sub(block int, corner place, col, row int) body {
	k := int(l.data[block])
	if k == 0 {
		return body{at: block + 1, corner: corner, sideLong: l.cell}
	}
	side := l.cell >> k
	b := body{corner: place{corner.x + int64(col)*side, corner.y + int64(row)*side}, sideLong: side}
	switch at := u24(l.data, block+1+3*(row<<k+col)); at {
	case Sea:
	case AllLand:
		b.land = true
	default:
		b.at = block + at
	}
	return b
}

// bodyAt finds the smallest cell that holds a place.
func (l *Level) bodyAt(p place) body {
	x, y := (p.x+180*l.units*Fine)/Fine, (p.y+90*l.units*Fine)/Fine // from the south-west corner of the world, in units
	col, row := clamp(int(x/l.cell), l.cols), clamp(int(y/l.cell), l.rows)
	block := l.cellAt(col, row)
	corner := l.corner(col, row)
	if block <= AllLand {
		return body{land: block == AllLand, corner: corner, sideLong: l.cell}
	}
	k := int(l.data[block])
	side, n := l.cell>>k, 1<<k
	return l.sub(block, corner, clamp(int((x-int64(col)*l.cell)/side), n), clamp(int((y-int64(row)*l.cell)/side), n))
}

// cursor walks the edges of a body.
type cursor struct {
	data   string
	pos    int
	corner place
	chains uint64
	edges  uint64
	first  bool  // the edge just read is the first of its chain
	a, b   place // the edge just read, in units
}

// open starts at a body's first edge and returns the winding number of its reference point.
func (l *Level) open(b body) (c cursor, winding int64) {
	c = cursor{data: l.data, pos: b.at, corner: b.corner}
	winding = c.signed()
	c.chains = c.unsigned()
	return c, winding
}

// next reads an edge.
func (c *cursor) next() bool {
	c.first = c.edges == 0
	if c.first && !c.nextChain() {
		return false
	}
	c.edges--
	c.a = c.b
	c.b.x += c.signed()
	c.b.y += c.signed()
	return true
}

// bounds are a rectangle in units.
type bounds struct{ west, south, east, north int64 }

// sidesOf returns on which sides of the bounds a place lies, as bits; 0 is within.
func (b *bounds) sidesOf(p place) (bits uint8) {
	if p.x < b.west {
		bits = 1
	} else if p.x > b.east {
		bits = 2
	}
	if p.y < b.south {
		bits |= 4
	} else if p.y > b.north {
		bits |= 8
	}
	return bits
}

// nextIn reads edges up to one whose own bounds meet these. Of most bodies that a leg passes it reads all edges and keeps none. This is where the time of long
// ways goes, so it steps through a chain without a call for each edge.
func (c *cursor) nextIn(within *bounds) bool {
	for {
		if c.edges == 0 && !c.nextChain() {
			return false
		}
		was := within.sidesOf(c.b)
		for at := c.b; c.edges > 0; {
			c.edges--
			last := at
			at.x += c.signed()
			at.y += c.signed()
			side := within.sidesOf(at)
			if was&side == 0 {
				c.a, c.b = last, at
				return true
			}
			was, c.b = side, at
		}
	}
}

// nextChain reads the count and the first point of the next chain.
func (c *cursor) nextChain() bool {
	if c.chains == 0 {
		return false
	}
	c.chains--
	c.edges = c.unsigned()
	c.b = place{c.corner.x + c.signed(), c.corner.y + c.signed()}
	return true
}

func (c *cursor) unsigned() uint64 {
	v := uint64(c.data[c.pos])
	c.pos++
	if v < 0x80 {
		return v
	}
	v &= 0x7f
	for shift := 7; ; shift += 7 {
		b := c.data[c.pos]
		c.pos++
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

func (c *cursor) signed() int64 {
	u := c.unsigned()
	return int64(u>>1) ^ -int64(u&1)
}
