package statistic

import (
	"math"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

const (
	usualLength = 50   // metres: what a ship whose length is not known is taken for
	borderRatio = 1    // the ratio on the border of a domain, which belongs to it
	sameRatio   = 1e-9 // two ratios may differ so much and be equal
)

// Domain is the water that a ship keeps free of others: an ellipse round it along its heading. Its semi-axes are in lengths of the ship.
type Domain struct {
	Ahead, Abeam float64

	// Length returns the metres of a ship as it was known at a fix; false where it was not.
	Length func(ais.MMSI, ship.Fix) (metres float64, known bool)
}

// FujiiDomain returns the ellipse of Fujii and Tanaka (1971): 8 lengths long and 3.2 lengths wide in all.
func FujiiDomain() Domain { return Domain{Ahead: 4, Abeam: 1.6} }

// Intrusion is that one of two ships came into the domain of the other.
type Intrusion struct {
	Ratio   float64 // how deep: 0 is the same place, 1 the border
	Of      int     // whose domain it is: 0 or 1 of the two
	Assumed bool    // the length of that ship was not known
}

// ellipse is the domain of a ship on a leg, in metres.
type ellipse struct {
	ahead, abeam float64
	bow          geo.Vector // of length 1
	assumed      bool
}

// domainOf returns the domain of a ship on a leg. Where its heading is not known, it is the circle that holds the ellipse of each heading.
func (d *Domain) domainOf(l *leg) ellipse {
	length, known := d.Length(l.mmsi, l.From)
	if !known {
		length = usualLength
	}
	e := ellipse{ahead: d.Ahead * length, abeam: d.Abeam * length, assumed: !known}
	degrees, known := headingOf(l.From)
	if !known {
		e.ahead = max(e.ahead, e.abeam)
		e.abeam = e.ahead
	}
	e.bow.X, e.bow.Y = math.Sincos(degrees * math.Pi / 180)
	return e
}

// headingOf returns the true heading of a ship at a fix, or its course where it makes way.
func headingOf(f ship.Fix) (degrees float64, known bool) {
	if heading, ok := f.Heading.Degrees(); ok {
		return float64(heading), true
	}
	course, known := f.COG.Degrees()
	knots, moves := f.SOG.Knots()
	return course, known && moves && knots >= stillBelow
}

// shrink returns a way in the measure of the ellipse: its border has length 1.
func (e *ellipse) shrink(way geo.Vector) geo.Vector {
	return geo.Vector{X: way.Cross(e.bow) / e.abeam, Y: way.Dot(e.bow) / e.ahead}
}

// ratio returns how deep one place lies in the ellipse round the other.
func (e *ellipse) ratio(a, b geo.Point) float64 {
	way := geo.PlaneAt(geo.Between(a, b, 0.5))
	return e.shrink(way.Vector(a).To(way.Vector(b))).Length()
}

// pairing is the part of two legs in which both last, in Unix milliseconds, and where both are at its ends.
type pairing struct {
	a, b           *leg
	from, to       int64
	a0, a1, b0, b1 geo.Point
}

// timeAt returns the time after a share of the part.
func (p *pairing) timeAt(share float64) int64 {
	return p.from + int64(math.Round(share*float64(p.to-p.from)))
}

// ways returns the ways from the one ship to the other at both ends. They are as the plane has them that touches the earth between both after a share of the
// part.
func (p *pairing) ways(share float64) (start, end geo.Vector) {
	south, north := (p.a0.Lat+p.b0.Lat)/2, (p.a1.Lat+p.b1.Lat)/2
	plane := geo.PlaneAt(geo.Point{Lon: p.a0.Lon, Lat: south + share*(north-south)})
	return plane.Vector(p.a0).To(plane.Vector(p.b0)), plane.Vector(p.a1).To(plane.Vector(p.b1))
}

// sharesWithin returns the shares between which the ships are not farther apart than so many metres. The nearest one is among them.
func (p *pairing) sharesWithin(metres, nearest float64) (first, last float64) {
	start, end := p.ways(nearest)
	way := start.To(end)
	square, slope := way.Dot(way), start.Dot(way)
	if square == 0 {
		return 0, 1
	}
	root := math.Sqrt(max(0, slope*slope-square*(start.Dot(start)-metres*metres)))
	return min(nearest, max(0, (-slope-root)/square)), max(nearest, min(1, (root-slope)/square))
}

// deepest returns when the one ship is deepest in an ellipse round the other, between two shares, and how deep. With fixed headings the square of the ratio
// is a square in time, so its least value has a closed form. A degree of longitude grows shorter to the poles; so what is found tells the next plane.
func (p *pairing) deepest(e *ellipse, first, last float64) (ms int64, ratio float64) {
	share := (first + last) / 2
	for range 4 {
		start, end := p.ways(share)
		from := e.shrink(start)
		way := from.To(e.shrink(end))
		if square := way.Dot(way); square > 0 {
			share = min(last, max(first, -from.Dot(way)/square))
		}
	}
	ratio = math.Inf(1)
	for _, time := range [3]float64{first, share, last} {
		at := p.timeAt(time)
		if r := e.ratio(p.a.placeAt(at), p.b.placeAt(at)); r < ratio-sameRatio {
			ms, ratio = at, r
		}
	}
	return ms, ratio
}

// intrusion returns when one of two ships is deepest in the domain of the other, and how deep. It looks while both are as near as asked for.
func (d *Domain) intrusion(p *pairing, metres, nearest float64) (ms int64, deep Intrusion) {
	first, last := p.sharesWithin(metres, nearest)
	for i, l := range [2]*leg{p.a, p.b} {
		e := d.domainOf(l)
		if at, ratio := p.deepest(&e, first, last); i == 0 || ratio < deep.Ratio {
			ms, deep = at, Intrusion{ratio, i, e.assumed}
		}
	}
	return ms, deep
}
