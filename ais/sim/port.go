package sim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"quaywatch/geo"
)

// description is what is known of the port at a place.
type description struct {
	at      geo.Point // of the port
	code    string    // LOCODE, "" for none
	name    string
	crews   []string // how crews write the name
	landing *description
}

var (
	landskrona = description{at: geo.Point{Lon: 12.83008, Lat: 55.87035}, code: "SELAA", name: "Landskrona", crews: []string{"LANDSKRONA"}}
	copenhagen = description{at: geo.Point{Lon: 12.58, Lat: 55.67}, code: "DKCPH", name: "Kobenhavn",
		crews: []string{"COPENHAGEN", "KOBENHAVN", "CPH"}, landing: &landskrona}
	aarhus = description{at: geo.Point{Lon: 10.22, Lat: 56.15}, code: "DKAAR", name: "Aarhus", crews: []string{"AARHUS", "ARHUS"}}
)

// describeHarbour returns what is known of the harbour with a middle. One that is not known has a name after its number.
func describeHarbour(middle geo.Point, number int) description {
	switch middle {
	case DefaultAt:
		return copenhagen
	case DefaultSecond:
		return aarhus
	}
	name := [...]string{"HARBOUR", "SECOND HARBOUR"}[number]
	return description{at: middle, name: name, crews: []string{name}}
}

// port is a port as the people ashore draw it: an outer border around its berths and its roads.
type port struct {
	description
	area   *area
	berths []*berth
	border []vec // convex, anticlockwise
}

// ref names the port: by its LOCODE, or by its name where it has none.
func (p *port) ref() string { return cmp.Or(p.code, p.name) }

// openPorts gives names to the berths and draws the borders of the ports.
func (a *area) openPorts(d description) {
	a.home = &port{description: d, area: a}
	a.name = a.home.ref()
	a.home.add("Quay", a.places.big)
	a.home.add("Basin", a.places.small)
	roads := []vec{a.water.middleOf(a.places.boarding)}
	for _, c := range a.places.anchors {
		roads = append(roads, a.water.middleOf(c))
	}
	a.home.draw(roads)
	if len(a.places.far) == 0 {
		return
	}
	there := description{at: a.water.pointOf(a.places.far[0].wall), name: d.name + " LANDING", crews: []string{d.name + " LANDING"}}
	if d.landing != nil {
		there = *d.landing
	}
	a.landing = &port{description: there, area: a}
	a.landing.add("Pier", a.places.far)
	a.landing.draw(nil)
}

// add takes berths into the port and numbers them.
func (p *port) add(name string, berths []*berth) {
	for i, b := range berths {
		b.name, b.port = fmt.Sprintf("%s %d", name, i+1), p
	}
	p.berths = append(p.berths, berths...)
}

const (
	margin   = 1000.0 // metres from the outermost berth or anchorage to the outer border
	farOut   = 500.0  // metres from the outer border to a ship that has left the port
	halfMost = 120.0  // metres along the quay, at least, from the middle of a berth to the end of its shape
)

// draw sets the outer border around the berths and the roads.
func (p *port) draw(roads []vec) {
	corners := slices.Clone(roads)
	for _, b := range p.berths {
		corners = append(corners, b.waterCorners()...)
	}
	var around []vec
	for _, v := range corners {
		for bearing := 0.0; bearing < 360; bearing += 45 {
			around = append(around, v.plus(toward(bearing).times(margin)))
		}
	}
	p.border = hull(around)
}

// waterCorners returns the corners of the water of a berth, anticlockwise: ships lie in it, also several side by side.
func (b *berth) waterCorners() []vec {
	along := b.off.starboard().times(max(b.reach, halfMost))
	in, out := b.off.times(-30), b.off.times(100)
	return []vec{
		b.wall.plus(in).minus(along), b.wall.plus(in).plus(along), b.wall.plus(out).plus(along), b.wall.plus(out).minus(along),
	}
}

// quayLength returns the metres of quay at a berth.
func (b *berth) quayLength() float64 { return 2 * b.reach }

// depth returns the draught in metres of the longest ship that fits, when it is laden, and half a metre more.
func (b *berth) depth() float64 { return float64(ladenDraught(int(b.quayLength())))/10 + 0.5 }

// hull returns the convex border of points, anticlockwise (Andrew's monotone chain).
func hull(points []vec) []vec {
	slices.SortFunc(points, func(a, b vec) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	half := func(out []vec, points []vec) []vec {
		from := len(out)
		for _, v := range points {
			for len(out) >= from+2 && crossProduct(out[len(out)-2], out[len(out)-1], v) <= 0 {
				out = out[:len(out)-1]
			}
			out = append(out, v)
		}
		return out[:len(out)-1]
	}
	border := half(nil, points)
	slices.Reverse(points)
	return half(border, points)
}

// crossProduct is positive when c lies to port of the way from a to b.
func crossProduct(a, b, c vec) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }

// isBeyond reports whether a place of the port's area lies farther outside the border than metres.
func (p *port) isBeyond(v vec, metres float64) bool {
	for i, a := range p.border {
		b := p.border[(i+1)%len(p.border)]
		if -crossProduct(a, b, v) > metres*a.distance(b) {
			return true
		}
	}
	return false
}

// destinationText returns the destination of a ship bound for the port, as one of many crews writes it.
func (p *port) destinationText(rng *rand.Rand, from *port) string {
	spaced := func(p *port) string {
		if p.code == "" {
			return p.name
		}
		return p.code[:2] + " " + p.code[2:]
	}
	switch way := rng.IntN(20); {
	case way < 7:
		return p.ref()
	case way < 10:
		return spaced(p)
	case way < 14:
		return from.ref() + ">" + p.ref()
	case way < 16:
		return spaced(from) + " > " + spaced(p)
	case way < 17:
		return p.ref() + " PILOT"
	}
	return pickOne(rng, p.crews)
}
