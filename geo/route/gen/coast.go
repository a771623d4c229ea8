package main

import (
	"math"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
	"quaywatch/geo/route/sea"
)

// ring is a piece of coast with land on its left. A closed one does not repeat its first point.
type ring struct {
	points []geo.Point
	closed bool
}

// readRings returns the coast in a box.
func readRings(coast *land.Level, b box) []ring {
	units := float64(coast.UnitsPerDegree())
	window := land.Window{West: int64(b.west * units), South: int64(b.south * units), East: int64(b.east * units), North: int64(b.north * units)}
	var rings []ring
	for _, chain := range coast.Chains(window) {
		r := ring{closed: chain[0] == chain[len(chain)-1]}
		if r.closed {
			chain = chain[1:]
		}
		for _, v := range chain {
			r.points = append(r.points, geo.Point{Lon: float64(v.X) / units, Lat: float64(v.Y) / units}.Normalized())
		}
		rings = append(rings, r)
	}
	return rings
}

// kmPerDegree is the length of a degree of latitude.
const kmPerDegree = sea.Radius * math.Pi / 180

// flat returns the kilometres east and north from a to p in the plane of a.
func flat(a, p geo.Point) (x, y float64) {
	lon := p.Lon - a.Lon
	if lon > 180 {
		lon -= 360
	} else if lon < -180 {
		lon += 360
	}
	return lon * math.Cos(a.Lat*math.Pi/180) * kmPerDegree, (p.Lat - a.Lat) * kmPerDegree
}

// simplified returns the ring with the points that Douglas and Peucker keep at a tolerance in kilometres.
func (r ring) simplified(tolerance float64) ring {
	n := len(r.points)
	if n < 3 {
		return r
	}
	points := r.points
	middle := 0
	if r.closed {
		points = append(points[:n:n], points[0])
		middle = farthest(points)
	}
	keep := make([]bool, len(points))
	keep[0], keep[len(points)-1], keep[middle] = true, true, true
	distance := func(at, first, last int) float64 { return offEdge(points[at], points[first], points[last]) }
	geo.Thin(keep, 0, middle, tolerance, distance)
	geo.Thin(keep, middle, len(points)-1, tolerance, distance)
	out := ring{closed: r.closed}
	for i, p := range points {
		if keep[i] && !(r.closed && i == n) {
			out.points = append(out.points, p)
		}
	}
	return out
}

// farthest returns the point farthest from the first.
func farthest(points []geo.Point) (at int) {
	most := -1.0
	for i, p := range points {
		if x, y := flat(points[0], p); x*x+y*y > most {
			most, at = x*x+y*y, i
		}
	}
	return at
}

// offEdge returns the kilometres from p to the edge from a to b, in the plane of p.
func offEdge(p, a, b geo.Point) float64 {
	ax, ay := flat(p, a)
	bx, by := flat(p, b)
	dx, dy := bx-ax, by-ay
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = min(max(-(ax*dx+ay*dy)/length, 0), 1)
	}
	return math.Hypot(ax+t*dx, ay+t*dy)
}

// samples gives points along the ring, at most so many kilometres apart.
func (r ring) samples(spacing float64, take func(geo.Point)) {
	for i, p := range r.points {
		take(p)
		next := i + 1
		if next == len(r.points) {
			if !r.closed {
				return
			}
			next = 0
		}
		q := r.points[next]
		x, y := flat(p, q)
		dx := q.Lon - p.Lon
		if math.Abs(dx) > 180 {
			dx -= math.Copysign(360, dx)
		}
		n := math.Ceil(math.Hypot(x, y) / spacing)
		for k := 1.0; k < n; k++ {
			take(geo.Point{Lon: p.Lon + dx*k/n, Lat: p.Lat + (q.Lat-p.Lat)*k/n}.Normalized())
		}
	}
}
