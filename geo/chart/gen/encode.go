package main

import (
	"encoding/binary"
	"fmt"

	"quaywatch/geo/chart/land"
)

// encode writes all levels in the layout of package land.
func encode(rings []ring, levels []level) ([]byte, error) {
	data := append([]byte(land.Magic), byte(len(levels)))
	data = append(data, make([]byte, land.PerLevel*len(levels))...)
	for i, l := range levels {
		at := land.Header + i*land.PerLevel
		binary.LittleEndian.PutUint32(data[at:], uint32(l.units))
		binary.LittleEndian.PutUint32(data[at+4:], uint32(l.degrees))
		binary.LittleEndian.PutUint32(data[at+8:], uint32(len(data)))
		var err error
		if data, err = appendLevel(data, rings, l); err != nil {
			return nil, fmt.Errorf("level %d: %w", i, err)
		}
	}
	return data, nil
}

// grid is a level being written.
type grid struct {
	level
	edges    []edge
	windings *windings
}

func appendLevel(data []byte, rings []ring, l level) ([]byte, error) {
	g := grid{level: l, edges: edgesOf(rings, l)}
	g.windings = newWindings(g.edges, l)
	cols, rows := 360/l.degrees, 180/l.degrees
	cells := g.spreadEdges(g.allEdges(), square{-180 * int64(l.units), -90 * int64(l.units), int64(l.units * l.degrees)}, cols, rows)
	directory := len(data)
	data = append(data, make([]byte, 4*cols*rows)...)
	for i, edges := range cells {
		s := g.cellSquare(i%cols, i/cols)
		offset, block, err := g.writeBlock(s, edges)
		if err != nil {
			return nil, err
		}
		if block != nil {
			offset = len(data)
			data = append(data, block...)
		}
		binary.LittleEndian.PutUint32(data[directory+4*i:], uint32(offset))
	}
	return data, nil
}

func (g *grid) allEdges() []int32 {
	all := make([]int32, len(g.edges))
	for i := range all {
		all[i] = int32(i)
	}
	return all
}

// square is a cell by its south-west corner and side, in units.
type square struct{ x, y, side int64 }

func (g *grid) cellSquare(col, row int) square {
	side := int64(g.units * g.degrees)
	return square{int64(col)*side - int64(180*g.units), int64(row)*side - int64(90*g.units), side}
}

// spreadEdges returns for each cell of a grid, whose south-west cell is s, the edges that touch it, in their order.
func (g *grid) spreadEdges(edges []int32, s square, cols, rows int) [][]int32 {
	cells := make([][]int32, cols*rows)
	for _, i := range edges {
		e := g.edges[i]
		c0, c1 := cellSpan(int64(min(e.a.x, e.b.x))-s.x, int64(max(e.a.x, e.b.x))-s.x, s.side, cols)
		r0, r1 := cellSpan(int64(min(e.a.y, e.b.y))-s.y, int64(max(e.a.y, e.b.y))-s.y, s.side, rows)
		for row := r0; row <= r1; row++ {
			for col := c0; col <= c1; col++ {
				if edgeTouches(e, square{s.x + int64(col)*s.side, s.y + int64(row)*s.side, s.side}) {
					cells[row*cols+col] = append(cells[row*cols+col], i)
				}
			}
		}
	}
	return cells
}

// cellSpan returns the first and last of n cells whose closed squares an interval touches. An interval just before the first cell has that one.
func cellSpan(low, high, side int64, n int) (first, last int) {
	return max(int((low-1)/side), 0), min(int(high/side), n-1)
}

// edgeTouches reports whether an edge and a closed square share a point: neither a side of the square nor the edge's own line
// parts them.
func edgeTouches(e edge, s square) bool {
	ax, ay, bx, by := int64(e.a.x), int64(e.a.y), int64(e.b.x), int64(e.b.y)
	if max(ax, bx) < s.x || min(ax, bx) > s.x+s.side || max(ay, by) < s.y || min(ay, by) > s.y+s.side {
		return false
	}
	var left, right bool
	for i := range int64(4) {
		x, y := s.x+i%2*s.side, s.y+i/2*s.side
		c := (bx-ax)*(y-ay) - (by-ay)*(x-ax)
		left, right = left || c >= 0, right || c <= 0
	}
	return left && right
}

// writeBlock writes one cell: nil with Sea or AllLand when no edge touches it. It is split as far as its densest sub-cell
// needs.
func (g *grid) writeBlock(s square, edges []int32) (uniform int, block []byte, err error) {
	if len(edges) == 0 {
		w, err := g.windings.windingAt(s.x, s.y)
		return uniformCode(w), nil, err
	}
	for k := 0; ; k++ {
		side := s.side >> k
		subs := g.spreadEdges(edges, square{s.x, s.y, side}, 1<<k, 1<<k)
		if k < land.MaxSplit && densest(subs) > g.target {
			continue
		}
		block, err = g.splitSquare(s, k, subs)
		return 0, block, err
	}
}

func densest(subs [][]int32) int {
	most := 0
	for _, s := range subs {
		most = max(most, len(s))
	}
	return most
}

func uniformCode(winding int) int {
	if winding > 0 {
		return land.AllLand
	}
	return land.Sea
}

func (g *grid) splitSquare(s square, k int, subs [][]int32) ([]byte, error) {
	block := []byte{byte(k)}
	if k > 0 {
		block = append(block, make([]byte, 3*len(subs))...)
	}
	side := s.side >> k
	for i, edges := range subs {
		x, y := s.x+int64(i%(1<<k))*side, s.y+int64(i>>k)*side
		w, err := g.windings.windingAt(x, y)
		if err != nil {
			return nil, err
		}
		offset := uniformCode(w)
		if len(edges) > 0 {
			offset = len(block)
			block = g.appendBody(block, x, y, w, edges)
		}
		if k > 0 {
			if offset >= 1<<24 {
				return nil, fmt.Errorf("block at %d,%d is too long", s.x, s.y)
			}
			block[1+3*i], block[2+3*i], block[3+3*i] = byte(offset), byte(offset>>8), byte(offset>>16)
		}
	}
	return block, nil
}

// appendBody writes the edges of a cell as chains.
func (g *grid) appendBody(b []byte, x, y int64, winding int, edges []int32) []byte {
	var chains [][]int32
	for _, i := range edges {
		if n := len(chains); n > 0 {
			if last := chains[n-1]; g.edges[last[len(last)-1]].b == g.edges[i].a {
				chains[n-1] = append(last, i)
				continue
			}
		}
		chains = append(chains, []int32{i})
	}
	b = binary.AppendVarint(b, int64(winding))
	b = binary.AppendUvarint(b, uint64(len(chains)))
	for _, chain := range chains {
		b = binary.AppendUvarint(b, uint64(len(chain)))
		at := g.edges[chain[0]].a
		b = binary.AppendVarint(b, int64(at.x)-x)
		b = binary.AppendVarint(b, int64(at.y)-y)
		for _, i := range chain {
			to := g.edges[i].b
			b = binary.AppendVarint(b, int64(to.x-at.x))
			b = binary.AppendVarint(b, int64(to.y-at.y))
			at = to
		}
	}
	return b
}
