package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

// The source was made tile by tile. A river that the side of a tile cuts often lost its last metres there, in one tile or in both.
const (
	tiles     = 1 << 14 // of the source round the earth, and from end to end of its Mercator map
	onLine    = 1.1     // source units: the source's rounding
	maxGap    = 1200.0  // metres, along the side of a tile
	nearGap   = 500.0   // metres, between a water that ends at the side of a tile and another
	maxJoined = 100.0   // km²; a larger inland water is a lake, which may have a dam, and stays apart
	minSea    = 100.0   // km² of land whose coast counts as one of the sea; smaller land may lie in a lake
)

// gap is land between two waters that source's tiles parted.
type gap struct {
	a, b   int // rings
	kind   gapKind
	box    [2]vertex // south-west and north-east, in source units
	metres float64
}

type gapKind int

const (
	alongMeridian gapKind = iota // both waters end at one side of tiles, in different tiles
	alongParallel
	across // one of them does, and the other is near; or a water touches itself
)

// end is a point at which a ring comes to a line between tiles.
type end struct {
	at         vertex
	ring, tile int  // the tile from which it comes
	through    bool // it goes on beyond the line
}

// lines are those of one kind, meridians or parallels.
type lines struct {
	parts    func(vertex) (over, along float64) // the coordinate that a line holds, and the other
	index    func(float64) float64              // of a line, by the first coordinate
	place    func(float64) float64              // its inverse
	position func(float64) float64              // along a line, in tiles
	ends     map[int][]end
}

func meridians() lines {
	return lines{
		parts: func(v vertex) (over, along float64) { return float64(v.x), float64(v.y) },
		index: tileColumn, place: longitude, position: tileRow, ends: map[int][]end{},
	}
}

func parallels() lines {
	return lines{
		parts: func(v vertex) (over, along float64) { return float64(v.y), float64(v.x) },
		index: tileRow, place: latitude, position: tileColumn, ends: map[int][]end{},
	}
}

// tileRow returns how many tiles lie between the equator and a latitude in source units.
func tileRow(y float64) float64 {
	return math.Asinh(math.Tan(y/perDegree*math.Pi/180)) / (2 * math.Pi) * tiles
}

func tileColumn(x float64) float64 { return x / perDegree / 360 * tiles }

func latitude(row float64) float64 {
	return math.Atan(math.Sinh(row*2*math.Pi/tiles)) * 180 / math.Pi * perDegree
}

func longitude(column float64) float64 { return column * 360 / tiles * perDegree }

// findGaps returns the gaps between the sea, the parts of rivers and other waters of their size, the shortest first.
func findGaps(rings []ring) []gap {
	shores := make([]ring, len(rings))
	kinds := []lines{meridians(), parallels()}
	for i, r := range rings {
		if !mayJoin(r) {
			continue
		}
		shores[i] = r
		for j, v := range r {
			for _, l := range kinds {
				l.add(i, r[(j+len(r)-1)%len(r)], v, r[(j+1)%len(r)])
			}
		}
	}
	var gaps []gap
	var ends []end
	for kind, l := range kinds {
		for _, line := range l.ends {
			gaps = append(gaps, gapsOnLine(line, gapKind(kind))...)
			for _, e := range line {
				if !e.through && ringArea(rings[e.ring]) < 0 {
					ends = append(ends, e)
				}
			}
		}
	}
	gaps = append(gaps, gapsBesideTile(ends, shores)...)
	gaps = append(gaps, pinches(shores)...)
	slices.SortFunc(gaps, compareGaps)
	return gaps
}

// mayJoin leaves out lakes, small waters and small islands.
func mayJoin(r ring) bool {
	if len(r) < 3 {
		return false
	}
	size := squareKilometres(r)
	if ringArea(r) > 0 {
		return size >= minSea
	}
	return size >= minPart && size <= maxJoined
}

// compareGaps puts the shortest gap first. Gaps that it holds for equal are equal.
func compareGaps(g, h gap) int {
	return cmp.Or(cmp.Compare(g.metres, h.metres), cmp.Compare(g.a, h.a), cmp.Compare(g.b, h.b), cmp.Compare(g.kind, h.kind),
		cmp.Compare(g.box[0].x, h.box[0].x), cmp.Compare(g.box[0].y, h.box[0].y), cmp.Compare(g.box[1].x, h.box[1].x), cmp.Compare(g.box[1].y, h.box[1].y))
}

// add notes a point of a ring that lies on a line, with the tile from which the ring comes to it.
func (l lines) add(ring int, before, v, after vertex) {
	over, along := l.parts(v)
	k := math.Round(l.index(over))
	line := l.place(k)
	if math.Abs(over-line) > onLine {
		return
	}
	first, two := l.sideOf(before, line), l.sideOf(after, line)
	if first == 0 && two == 0 {
		return
	}
	inner, side := after, two
	if two == 0 {
		inner, side = before, first
	}
	innerOver, innerAlong := l.parts(inner)
	step := 5 / max(math.Abs(innerOver-line), math.Abs(innerAlong-along), 5)
	tile := int(math.Floor(l.position(along + (innerAlong-along)*step)))
	l.ends[int(k)] = append(l.ends[int(k)], end{at: v, ring: ring, tile: 2*tile + (side+1)/2, through: first*two < 0})
}

// sideOf returns on which side of a line a point lies: -1, 1, or 0 for on it.
func (l lines) sideOf(v vertex, line float64) int {
	switch over, _ := l.parts(v); {
	case over < line-onLine:
		return -1
	case over > line+onLine:
		return 1
	}
	return 0
}

// gapsOnLine returns the gaps on one line.
func gapsOnLine(line []end, kind gapKind) []gap {
	along := func(e end) int32 {
		if kind == alongParallel {
			return e.at.x
		}
		return e.at.y
	}
	slices.SortFunc(line, func(s, t end) int {
		return cmp.Or(cmp.Compare(along(s), along(t)), cmp.Compare(s.ring, t.ring), cmp.Compare(s.tile, t.tile))
	})
	var gaps []gap
	for i := 1; i < len(line); i++ {
		s, t := line[i-1], line[i]
		far := metresApart(s.at, t.at)
		if !s.through && !t.through && s.ring != t.ring && s.tile != t.tile && far <= maxGap {
			gaps = append(gaps, gap{s.ring, t.ring, kind, boxOf(s.at, t.at), far})
		}
	}
	return gaps
}

func metresApart(a, b vertex) float64 {
	return math.Hypot(float64(b.x-a.x)*math.Cos(float64(a.y)/perDegree*math.Pi/180), float64(b.y-a.y)) * metresPerUnit
}

func boxOf(a, b vertex) [2]vertex {
	return [2]vertex{{min(a.x, b.x), min(a.y, b.y)}, {max(a.x, b.x), max(a.y, b.y)}}
}

// gapsBesideTile returns the gaps between the ends of waters at a side of a tile and the nearest point of each other water near them.
func gapsBesideTile(ends []end, shores []ring) []gap {
	n := &neighbours{gap: nearGap / metresPerUnit, cells: map[vertex][]corner{}}
	for i, e := range ends {
		c := n.cellOf(e.at)
		n.cells[c] = append(n.cells[c], corner{i, e.at})
	}
	best := map[[2]int]gap{} // by end and ring
	for i, r := range shores {
		for j, a := range r {
			walkEdge(a, r[(j+1)%len(r)], func(v vertex) {
				n.visitNear(v, func(c corner) {
					e, far := ends[c.water], metresApart(c.at, v)
					if was, ok := best[[2]int{c.water, i}]; e.ring != i && far <= nearGap && (!ok || far < was.metres) {
						best[[2]int{c.water, i}] = gap{e.ring, i, across, boxOf(e.at, v), far}
					}
				})
			})
		}
	}
	return slices.Collect(maps.Values(best))
}

// pinches returns the points at which an inland water touches itself. There its two parts have no width between them.
func pinches(shores []ring) []gap {
	var gaps []gap
	for i, r := range shores {
		if ringArea(r) > 0 {
			continue
		}
		seen := map[vertex]bool{}
		for _, v := range r {
			if seen[v] {
				gaps = append(gaps, gap{i, i, across, boxOf(v, v), 0})
			}
			seen[v] = true
		}
	}
	return gaps
}

// walkEdge visits points of an edge, 5 source units or less apart.
func walkEdge(a, b vertex, visit func(vertex)) {
	n := max(b.x-a.x, a.x-b.x, b.y-a.y, a.y-b.y)/5 + 1
	for k := range n {
		visit(vertex{a.x + int32(int64(b.x-a.x)*int64(k)/int64(n)), a.y + int32(int64(b.y-a.y)*int64(k)/int64(n))})
	}
}
