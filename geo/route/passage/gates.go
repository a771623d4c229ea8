package passage

import (
	"math"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route/sea"
)

// PassageSet is a set of passages: the bit of each is its place in the table.
type PassageSet uint64

// Gates finds the passages that a way goes through.
type Gates struct {
	passages []Passage
	caps     []gateCap
}

// gateCap is the circle round the gates of a passage.
type gateCap struct {
	middle sea.UnitVector
	km     float64
	each   []gateCap // of each gate; none of a passage with one
}

// capRound returns the circle round gates.
func capRound(gates [][]geo.Point) gateCap {
	var sum sea.UnitVector
	for _, gate := range gates {
		for _, point := range gate {
			sum = sum.Plus(1, sea.At(point))
		}
	}
	c := gateCap{middle: sea.At(sum.Point())}
	for _, gate := range gates {
		for _, point := range gate {
			c.km = max(c.km, sea.Km(c.middle, sea.At(point))+1)
		}
	}
	return c
}

// mayEnter reports whether the great circle from a to b may come into the circle. It has a pole of some length, and is so many kilometres long.
func (c *gateCap) mayEnter(pole sea.UnitVector, length, km float64, a, b sea.UnitVector) bool {
	return math.Abs(pole.Dot(c.middle))/length*sea.Radius <= c.km+1 && min(sea.Km(a, c.middle), sea.Km(b, c.middle)) <= c.km+km
}

// NewGates prepares the gates of a table.
func NewGates(all []Passage) *Gates {
	g := &Gates{passages: all}
	for _, p := range all {
		c := capRound(p.Gates)
		if len(p.Gates) > 1 {
			c.each = make([]gateCap, len(p.Gates))
			for i := range c.each {
				c.each[i] = capRound(p.Gates[i : i+1])
			}
		}
		g.caps = append(g.caps, c)
	}
	return g
}

// Of returns the passages whose gates the great circle from a to b crosses.
func (g *Gates) Of(a, b sea.UnitVector) (crossed PassageSet) {
	km := sea.Km(a, b)
	pole := a.Cross(b)
	length := math.Sqrt(pole.Dot(pole))
	if length < 1e-12 {
		return 0
	}
	for i := range g.caps {
		c := &g.caps[i]
		if !c.mayEnter(pole, length, km, a, b) {
			continue
		}
		beside := func(hull gateCap) bool { return hull.mayEnter(pole, length, km, a, b) }
		if (len(c.each) == 0 || slices.ContainsFunc(c.each, beside)) && g.crossesGate(&g.passages[i], a, b) {
			crossed |= 1 << i
		}
	}
	return crossed
}

// crossesGate tests a leg in pieces that are straight in degrees to some 100 m.
func (g *Gates) crossesGate(p *Passage, a, b sea.UnitVector) bool {
	from := a.Point()
	most := 50.0
	if max(math.Abs(from.Lat), math.Abs(b.Point().Lat)) > 75 {
		most = 10
	}
	for _, v := range append(sea.Between(a, b, most), b) {
		to := v.Point()
		if p.CrossedBy(from, to) {
			return true
		}
		from = to
	}
	return false
}

// Names returns the names of a set, in the order of the table.
func (g *Gates) Names(s PassageSet) []string {
	names := []string{}
	for i, p := range g.passages {
		if s&(1<<i) != 0 {
			names = append(names, p.Name)
		}
	}
	return names
}

// Points returns the middle of a canal as vectors.
func (p *Passage) Points() (chain []sea.UnitVector) {
	for _, point := range p.Chain {
		chain = append(chain, sea.At(point))
	}
	return chain
}

// Holds reports whether a place is in the canal, at most so many kilometres from its middle. Its ends do not count: ships wait there.
func (p *Passage) Holds(at geo.Point, km float64) bool {
	plane := geo.PlaneAt(at)
	for i := 2; i < len(p.Chain)-1; i++ {
		if d, _ := (geo.Vector{}).Beside(plane.Vector(p.Chain[i-1]), plane.Vector(p.Chain[i])); d <= 1000*km {
			return true
		}
	}
	return false
}

// Shut returns the passages of a table that are closed unless a user opens them.
func Shut(all []Passage) (shut PassageSet) {
	for i, p := range all {
		if p.Shut {
			shut |= 1 << i
		}
	}
	return shut
}

// Flats returns the passages of a table that are flats.
func Flats(all []Passage) (flats PassageSet) {
	for i, p := range all {
		if p.Flat {
			flats |= 1 << i
		}
	}
	return flats
}
