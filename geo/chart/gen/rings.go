package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"quaywatch/geo"
)

const (
	perDegree  = 10000 // the source has four decimals
	halfWorld  = 180 * perDegree
	floor      = -85.045 * perDegree // the source cuts Antarctica off at -85.0511; from there on it is land to the pole
	pole       = -90 * perDegree
	degreeArea = 111.195 * 111.195 // km² of a square degree at the equator
	minWater   = 20.0              // km²; smaller inland waters that do not join the sea are left out
	joinGap    = 60                // source units of latitude, 670 m: waters nearer than that to the sea join it
)

// vertex is a point in 1/10000°, or later in a level's units.
type vertex struct{ x, y int32 }

// ring is a closed coast with land on its left; its first point is not repeated.
type ring []vertex

// readMap reads the land polygons: outer rings, and of the inland waters those that touch the coast or are large.
func readMap(r io.Reader) ([]ring, error) {
	var file struct {
		Geometries []struct {
			Type        string
			Coordinates [][][][2]float64
		}
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, fmt.Errorf("read map: %w", err)
	}
	var outers, waters []ring
	for _, g := range file.Geometries {
		if g.Type != "MultiPolygon" {
			return nil, fmt.Errorf("read map: geometry is a %s, want MultiPolygon", g.Type)
		}
		for _, polygon := range g.Coordinates {
			for i, coordinates := range polygon {
				if i == 0 {
					outers = append(outers, orient(toRing(coordinates), true))
				} else {
					waters = append(waters, orient(toRing(coordinates), false))
				}
			}
		}
	}
	return append(outers, keepWaters(outers, waters)...), nil
}

func toRing(coordinates [][2]float64) ring {
	r := make(ring, 0, len(coordinates))
	for _, c := range coordinates {
		v := vertex{int32(math.Round(c[0] * perDegree)), int32(math.Round(c[1] * perDegree))}
		if v.y < floor {
			v.y = pole
		}
		r = append(r, v)
	}
	return tidy(r)
}

// tidy takes out repeated points and spikes (there and straight back).
func tidy(r ring) ring {
	out := r[:0:0]
	for _, v := range r {
		out = append(out, v)
		out = shorten(out)
	}
	for len(out) >= 2 {
		n := len(out)
		switch {
		case out[0] == out[n-1]:
			out = out[:n-1]
		case n >= 3 && out[1] == out[n-1]:
			out = out[1 : n-1]
		case n >= 3 && out[0] == out[n-2]:
			out = out[:n-2]
		default:
			return out
		}
	}
	return nil
}

// shorten removes a repeated point or a spike from the end of a chain.
func shorten(c ring) ring {
	for {
		n := len(c)
		switch {
		case n >= 2 && c[n-1] == c[n-2]:
			c = c[:n-1]
		case n >= 3 && c[n-1] == c[n-3]:
			c = c[:n-2]
		default:
			return c
		}
	}
}

// area gives square degrees, positive when the ring runs counter-clockwise.
func area(r ring) float64 {
	var sum float64
	for i, v := range r {
		w := r[(i+1)%len(r)]
		sum += geo.Vector{X: float64(v.x), Y: float64(v.y)}.Cross(geo.Vector{X: float64(w.x), Y: float64(w.y)})
	}
	return sum / 2 / perDegree / perDegree
}

// orient reverses a ring if land is not on its left.
func orient(r ring, outer bool) ring {
	if (area(r) > 0) != outer {
		for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
	}
	return r
}

// keepWaters chooses inland waters: large ones, and those that join the sea, so that a river port does not lie on land. The source
// simplified each tile of a river by itself, and its pieces no longer meet; so waters that are near count as joined.
func keepWaters(outers, waters []ring) []ring {
	near := newNeighbours(waters)
	for _, r := range outers {
		near.reach(r)
	}
	for len(near.found) > 0 {
		next := near.found[len(near.found)-1]
		near.found = near.found[:len(near.found)-1]
		near.reach(waters[next])
	}
	var kept []ring
	for i, r := range waters {
		if len(r) >= 3 && (near.joined[i] || squareKilometres(r) > minWater) {
			kept = append(kept, r)
		}
	}
	return kept
}

func squareKilometres(r ring) float64 {
	middle := float64(r[0].y) / perDegree * math.Pi / 180
	return math.Abs(area(r)) * degreeArea * math.Cos(middle)
}

// neighbours finds waters by their points.
type neighbours struct {
	cells  map[vertex][]corner // by squares of joinGap a side
	joined []bool              // water by water
	found  []int               // waters that were joined and whose own neighbours are still to be found
}

// corner is a point of a water.
type corner struct {
	water int
	at    vertex
}

func newNeighbours(waters []ring) *neighbours {
	n := &neighbours{cells: map[vertex][]corner{}, joined: make([]bool, len(waters))}
	for i, r := range waters {
		for _, v := range r {
			c := cellOf(v)
			n.cells[c] = append(n.cells[c], corner{i, v})
		}
	}
	return n
}

func cellOf(v vertex) vertex {
	return vertex{int32(math.Floor(float64(v.x) / joinGap)), int32(math.Floor(float64(v.y) / joinGap))}
}

// reach joins all waters with a point within joinGap of one of a ring's.
func (n *neighbours) reach(r ring) {
	for _, v := range r {
		c := cellOf(v)
		scale := math.Cos(float64(v.y) / perDegree * math.Pi / 180)
		for dx := int32(-1); dx <= 1; dx++ {
			for dy := int32(-1); dy <= 1; dy++ {
				n.reachCell(v, vertex{c.x + dx, c.y + dy}, scale)
			}
		}
	}
}

func (n *neighbours) reachCell(v, cell vertex, scale float64) {
	for _, c := range n.cells[cell] {
		far := math.Hypot(float64(c.at.x-v.x)*scale, float64(c.at.y-v.y))
		if far <= joinGap && !n.joined[c.water] {
			n.joined[c.water] = true
			n.found = append(n.found, c.water)
		}
	}
}
