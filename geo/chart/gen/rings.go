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
)

// vertex is a point in 1/10000°, or later in a level's units.
type vertex struct{ x, y int32 }

// ring is a closed coast with land on its left; its first point is not repeated.
type ring []vertex

// readMap reads the land polygons: outer rings, and of the inland waters those that touch the coast or are large.
func readMap(r io.Reader) ([]ring, error) {
	outers, waters, err := readRings(r)
	return append(outers, keepWaters(outers, waters)...), err
}

// readRings reads the outer rings and the inland waters.
func readRings(r io.Reader) (outers, waters []ring, err error) {
	var file struct {
		Geometries []struct {
			Type        string
			Coordinates [][][][2]float64
		}
	}
	if err := json.NewDecoder(r).Decode(&file); err != nil {
		return nil, nil, fmt.Errorf("read map: %w", err)
	}
	for _, g := range file.Geometries {
		if g.Type != "MultiPolygon" {
			return nil, nil, fmt.Errorf("read map: geometry is a %s, want MultiPolygon", g.Type)
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
	return outers, waters, nil
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
	return tidyRing(r)
}

// tidyRing takes out repeated points and spikes (there and straight back).
func tidyRing(r ring) ring {
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

// ringArea returns square degrees, positive when the ring runs counter-clockwise.
func ringArea(r ring) float64 {
	var sum float64
	for i, v := range r {
		w := r[(i+1)%len(r)]
		sum += geo.Vector{X: float64(v.x), Y: float64(v.y)}.Cross(geo.Vector{X: float64(w.x), Y: float64(w.y)})
	}
	return sum / 2 / perDegree / perDegree
}

// orient reverses a ring if land is not on its left.
func orient(r ring, outer bool) ring {
	if (ringArea(r) > 0) != outer {
		for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
	}
	return r
}

func squareKilometres(r ring) float64 {
	middle := float64(r[0].y) / perDegree * math.Pi / 180
	return math.Abs(ringArea(r)) * degreeArea * math.Cos(middle)
}
