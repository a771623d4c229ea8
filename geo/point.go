// Package geo is the sphere: points, rectangles, polygons, circles and lines in degrees, and the measures that
// seafaring needs of them. It promises exact answers under the plain names (Distance is the ellipsoidal one), and
// shapes that may cross the 180° meridian. It opens nothing, holds no state and knows nothing of ships.
//
// An edge between two points is straight in degrees and runs the shorter way round.
//
// Dangerous: a longitude is never compared bare; use Rect.Contains.
package geo

import (
	"math"

	"github.com/tidwall/geodesic"
)

// Point is a place on the earth in degrees, WGS 84, longitude east and latitude north positive.
type Point struct {
	Lon, Lat float64
}

// Valid reports whether p is a place at all: finite, latitude within ±90 and longitude within ±180.
// AIS's "not available" (181, 91) is not valid.
func (p Point) Valid() bool {
	return math.Abs(p.Lat) <= 90 && math.Abs(p.Lon) <= 180 // false for NaN
}

// Normalized returns the same place with its longitude in [-180, 180).
func (p Point) Normalized() Point {
	return Point{Lon: wrap(p.Lon), Lat: p.Lat}
}

// Distance returns the metres of the shortest way between a and b on the WGS 84 ellipsoid, to within nanometres (Karney 2013). It is NaN when a
// latitude is beyond the poles.
func Distance(a, b Point) float64 {
	if metres, near := shortDistance(a, b); near {
		return metres
	}
	metres, _, _ := inverse(a, b)
	return metres
}

// Farther reports whether the shortest way between a and b is longer than some metres, exactly as Distance(a, b) > metres says. It takes a few
// nanoseconds unless the way is nearly so long. It is false when a latitude is beyond the poles.
func Farther(a, b Point, metres float64) bool {
	const (
		most  = 111_695.0 // metres a degree: a²/b, the largest radius of curvature of the ellipsoid, gives 111,694.0
		least = 110_574.0 // metres a degree of latitude: b²/a, the smallest radius of a meridian, gives 110,574.3
		exact = 1e-6      // metres: what differences of degrees lose to rounding is far less
	)
	north := math.Abs(a.Lat - b.Lat)
	east := math.Abs(a.Lon - b.Lon)
	east = min(east, math.Abs(360-east))
	switch high := max(math.Abs(a.Lat), math.Abs(b.Lat)); {
	case high > 90:
		return false
	case most*(north+east)+exact <= metres: // there is a way along a meridian and a parallel, which is no longer
		return false
	case least*north-exact > metres:
		return true
	case most*(north+east*math.Cos(high*math.Pi/180))+exact <= metres: // along the shorter of the two parallels
		return false
	}
	return Distance(a, b) > metres
}

// Bearing returns the direction in which the shortest way from a to b begins, degrees true in [0, 360). It is 0 when
// the two are one place.
func Bearing(a, b Point) float64 {
	if a == b {
		return 0
	}
	_, azimuth, _ := inverse(a, b)
	return compass(azimuth)
}

// inverse returns the distance and the direction of the shortest way at its beginning and at its end. A latitude below
// 1e-15 degrees is taken for the equator: for two such south of it geodesic v0.3.5 answers 0 metres.
func inverse(a, b Point) (metres, there, onward float64) {
	if math.Abs(a.Lat) < 1e-15 {
		a.Lat = 0
	}
	if math.Abs(b.Lat) < 1e-15 {
		b.Lat = 0
	}
	geodesic.WGS84.Inverse(a.Lat, a.Lon, b.Lat, b.Lon, &metres, &there, &onward)
	return metres, there, onward
}

// Destination returns the place that is reached by sailing the shortest way from a point, on the WGS 84 ellipsoid. The way begins in a
// bearing (degrees true) and is so many metres long. Its longitude is in [-180, 180).
func Destination(from Point, bearing, metres float64) Point {
	var p Point
	geodesic.WGS84.Direct(from.Lat, from.Lon, bearing, metres, &p.Lat, &p.Lon, nil)
	return p.Normalized()
}

// wrap brings a longitude, or a difference of two, into [-180, 180).
func wrap(degrees float64) float64 {
	if degrees >= -180 && degrees < 180 {
		return degrees
	}
	return wrapFar(degrees)
}

// wrapFar is apart so that wrap, which is on every polygon's path, can be inlined.
func wrapFar(degrees float64) float64 {
	d := math.Mod(degrees+180, 360)
	if d < 0 {
		d += 360
	}
	if d >= 360 { // a tiny negative remainder rounds up to the whole circle
		d = 0
	}
	return d - 180
}

// compass brings a direction into [0, 360).
func compass(degrees float64) float64 {
	d := math.Mod(degrees, 360)
	if d < 0 {
		d += 360
	}
	if d >= 360 {
		return 0
	}
	return d
}
