package sim

import (
	"math"

	"quaywatch/geo"
)

// knot is a speed of one knot in metres a second.
const knot = 1852.0 / 3600

// vec is a place or a direction in the plane of the harbour: metres east and north of its middle.
type vec struct{ x, y float64 }

func (a vec) plus(b vec) vec           { return vec{a.x + b.x, a.y + b.y} }
func (a vec) minus(b vec) vec          { return vec{a.x - b.x, a.y - b.y} }
func (a vec) times(f float64) vec      { return vec{a.x * f, a.y * f} }
func (a vec) length() float64          { return math.Hypot(a.x, a.y) }
func (a vec) distance(b vec) float64   { return a.minus(b).length() }
func (a vec) starboard() vec           { return vec{a.y, -a.x} }
func (a vec) mix(b vec, f float64) vec { return a.times(1 - f).plus(b.times(f)) }

// unit returns a with length 1; the zero vec stays zero.
func (a vec) unit() vec {
	if l := a.length(); l > 0 {
		return a.times(1 / l)
	}
	return a
}

// bearing returns the direction of a in degrees true, 0 <= b < 360.
func (a vec) bearing() float64 { return wrapAngle(math.Atan2(a.x, a.y) * 180 / math.Pi) }

// toward returns the direction of a bearing.
func toward(degrees float64) vec {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return vec{sin, cos}
}

// wrapAngle brings an angle into 0 <= a < 360.
func wrapAngle(degrees float64) float64 {
	if degrees <= -360 || degrees >= 360 {
		degrees = math.Mod(degrees, 360)
	}
	if degrees < 0 {
		degrees += 360
	}
	return degrees
}

// turnBetween returns the shorter turn from one bearing to another, -180..180, starboard positive.
func turnBetween(from, to float64) float64 {
	d := wrapAngle(to - from)
	if d > 180 {
		d -= 360
	}
	return d
}

// plane maps the surroundings of a point to metres. Within 25 km, and up to 70° of latitude, its scale is right to 1 %.
type plane struct {
	at            geo.Point
	eastM, northM float64 // metres in a degree
}

// newPlane returns the plane around at: the lengths of a degree on the WGS 84 ellipsoid at its latitude.
func newPlane(at geo.Point) plane {
	phi := at.Lat * math.Pi / 180
	return plane{
		at:     at,
		eastM:  111412.84*math.Cos(phi) - 93.5*math.Cos(3*phi) + 0.118*math.Cos(5*phi),
		northM: 111132.92 - 559.82*math.Cos(2*phi) + 1.175*math.Cos(4*phi),
	}
}

// vec returns the place of a point in the plane.
func (p plane) vec(of geo.Point) vec {
	east := math.Remainder(of.Lon-p.at.Lon, 360)
	return vec{east * p.eastM, (of.Lat - p.at.Lat) * p.northM}
}

// pointOf returns the geographic place of v; its longitude is in [-180, 180).
func (p plane) pointOf(v vec) geo.Point {
	lon := p.at.Lon + v.x/p.eastM
	if lon >= 180 || lon < -180 {
		lon -= 360 * math.Floor((lon+180)/360)
	}
	return geo.Point{Lon: lon, Lat: p.at.Lat + v.y/p.northM}
}
