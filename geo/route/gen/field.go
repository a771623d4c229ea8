package main

import (
	"math"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
	"quaywatch/geo/route/sea"
)

// coastKm is how far samples of the coast lie apart.
const coastKm = 5.0

// makeField returns the field of package sea. Each cell asks for the coast that is nearest to its middle.
func makeField(coast *land.Level, rings []ring) []byte {
	near, wide := newIndex(30), newIndex(300)
	seen := make([]bool, sea.FieldColumns*sea.FieldRows)
	for _, r := range rings {
		last := geo.Point{Lat: 99}
		r.samples(coastKm, func(p geo.Point) {
			if x, y := flat(p, last); math.Hypot(x, y) < 1 {
				return
			}
			last = p
			near.add(p)
			if at := fieldAt(p); !seen[at] {
				seen[at] = true
				wide.add(p)
			}
		})
	}
	field := make([]byte, len(seen))
	parallel(sea.FieldRows, 4, func(from, to int) struct{} {
		for at := from * sea.FieldColumns; at < to*sea.FieldColumns; at++ {
			field[at] = fieldCell(coast, near, wide, at)
		}
		return struct{}{}
	})
	return field
}

// fieldAt returns the cell of a place.
func fieldAt(p geo.Point) int {
	col, row := int((p.Lon+180)*sea.FieldPerDegree), int((p.Lat+90)*sea.FieldPerDegree)
	return min(row, sea.FieldRows-1)*sea.FieldColumns + min(col, sea.FieldColumns-1)
}

func fieldCell(coast *land.Level, near, wide *index, at int) byte {
	const side = 1.0 / sea.FieldPerDegree
	middle := geo.Point{Lon: (float64(at%sea.FieldColumns)+0.5)*side - 180, Lat: (float64(at/sea.FieldColumns)+0.5)*side - 90}
	x, y := flat(geo.Point{Lat: math.Abs(middle.Lat) - side/2}, geo.Point{Lon: side / 2, Lat: math.Abs(middle.Lat)})
	off := math.Hypot(x, y)*1.02 + coastKm/2 + 1 // to a corner, and from the coast to its nearest sample
	const nearby = 60
	km := nearestKm(near, middle, nearby)
	if km > nearby {
		km = min(nearestKm(wide, middle, 4*nearby), nearestKm(wide, middle, 20*nearby)) - math.Hypot(2*x, 2*y)
		km = max(km, nearby)
	}
	switch {
	case km <= off:
		return 0
	case coast.Land(middle):
		return sea.FieldLand
	}
	return byte(min((km-off)/sea.FieldKm, sea.FieldMost))
}

// nearestKm returns the kilometres to the nearest point, or most where none is nearer.
func nearestKm(x *index, p geo.Point, most float64) float64 {
	at, best := sea.At(p), math.Inf(1)
	x.visitNear(p, most, func(i int32) bool {
		d := at.Plus(-1, x.vectors[i])
		best = min(best, d.Dot(d))
		return true
	})
	if km := sea.Radius * math.Sqrt(best); km < most { // the chord is shorter than the way
		return km
	}
	return most + 1
}
