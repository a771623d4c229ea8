package sea

import (
	"math"

	"quaywatch/geo"
	"quaywatch/geo/chart/land"
)

// The field is a byte for each cell of a grid, row by row from the south-west. It tells how far from each place of the cell no land is.
const (
	FieldPerDegree = 4
	FieldColumns   = 360 * FieldPerDegree
	FieldRows      = 180 * FieldPerDegree
	FieldKm        = 4   // kilometres a step of a byte
	FieldMost      = 254 // the largest distance
	FieldLand      = 255 // all of the cell is land
)

// Steps of the walk along a great circle, in kilometres. Each is tested as straight in degrees, which is 5 m off at 12 km and 60° of latitude.
const (
	Quick = 12.0 // a first look
	Exact = 2.0  // the last word
)

// Water answers where one can sail. It may be used by any number of goroutines.
type Water struct {
	coast *land.Level
	field string
}

// NewWater takes the coast and the field; without a field ("") each step is tested.
func NewWater(coast *land.Level, field string) *Water { return &Water{coast, field} }

// Afloat reports whether a place is water.
func (w *Water) Afloat(p geo.Point) bool { return !w.coast.Land(p) }

// freeKm returns the kilometres from a place to the next land at least, and false where all around is land.
func (w *Water) freeKm(p geo.Point) (km float64, open bool) {
	if w.field == "" {
		return 0, true
	}
	col, row := int((p.Lon+180)*FieldPerDegree), int((p.Lat+90)*FieldPerDegree)
	b := w.field[min(row, FieldRows-1)*FieldColumns+min(col, FieldColumns-1)]
	return float64(b) * FieldKm, b != FieldLand
}

// Clear reports whether the great circle between two places at sea goes over no land. It walks in steps of so many kilometres where land is near.
func (w *Water) Clear(a, b UnitVector, step float64) bool {
	c, ok := circleThrough(a, b)
	if !ok {
		return a.Dot(b) > 0 // one place; through the earth there is no way
	}
	if c.km > 100 && w.overInland(c) {
		return false
	}
	p := a.Point()
	for at := 0.0; at < c.km; {
		free, open := w.freeKm(p)
		if !open {
			return false
		}
		if free > step {
			if at += free; at < c.km {
				p = c.placeAt(at).Point()
			}
			continue
		}
		next := min(at+step, c.km)
		q := c.placeAt(next).Point()
		if w.coast.LegMeetsCoast(p, q) {
			return false
		}
		at, p = next, q
	}
	return true
}

// overInland looks for a cell that is all land. It is a quick refusal of most ways that have none over water. Most of these lead over a continent, which a
// few long steps find.
func (w *Water) overInland(c greatCircle) bool {
	for _, step := range []float64{400, 25} {
		for at := 0.0; at < c.km; {
			free, open := w.freeKm(c.placeAt(at).Point())
			if !open {
				return true
			}
			at += max(free, step)
		}
	}
	return false
}

// greatCircle is the way between two places.
type greatCircle struct {
	from, onward UnitVector // unit, at a right angle
	km           float64
}

func circleThrough(a, b UnitVector) (greatCircle, bool) {
	cos := a.Dot(b)
	onward, ok := b.Plus(-cos, a).unit()
	return greatCircle{a, onward, Km(a, b)}, ok
}

// placeAt returns the place after so many kilometres.
func (c greatCircle) placeAt(km float64) UnitVector {
	sin, cos := math.Sincos(km / Radius)
	return UnitVector{}.Plus(cos, c.from).Plus(sin, c.onward)
}

// Between returns places on the great circle from a to b, at most so many kilometres apart, without a and b.
func Between(a, b UnitVector, most float64) []UnitVector {
	c, ok := circleThrough(a, b)
	if !ok {
		return nil
	}
	n := math.Ceil(c.km / most)
	var places []UnitVector
	for i := 1.0; i < n; i++ {
		places = append(places, c.placeAt(c.km*i/n))
	}
	return places
}

// Within returns the part of the great circle from a to b that lies within some kilometres of a place. These must be fewer than a quarter round the earth. It
// returns false for none.
func Within(a, b, middle UnitVector, km float64) (first, last UnitVector, ok bool) {
	c, ok := circleThrough(a, b)
	if !ok {
		return a, a, false // the part has no length
	}
	along, off := middle.Dot(c.from), middle.Dot(c.onward)
	cos := math.Cos(km/Radius) / math.Hypot(along, off) // of half the part
	if cos > 1 {
		return a, a, false
	}
	foot, half := math.Atan2(off, along)*Radius, math.Acos(max(cos, -1))*Radius
	if foot+half < 0 {
		foot += 2 * math.Pi * Radius // beyond the far side
	}
	from, to := max(foot-half, 0), min(foot+half, c.km)
	if from >= to {
		return a, a, false
	}
	first, last = a, b
	if from > 0 {
		first = c.placeAt(from)
	}
	if to < c.km {
		last = c.placeAt(to)
	}
	return first, last, true
}
