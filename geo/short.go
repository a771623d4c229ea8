package geo

import "math"

// nearDegrees is up to how many degrees of latitude, and of longitude on the ground, a way is short: some 28 km.
const nearDegrees = 0.25

// shortDistance returns the distance of two places that are near each other, and whether they are. The chord between them is exact. The arc over it is that of a
// circle with the ellipsoid's radius of curvature in that direction (Euler's formula). Up to 28 km it is within 10 nanometres of the geodesic, at any
// latitude below 89 degrees, and takes a tenth of its time.
func shortDistance(a, b Point) (metres float64, near bool) {
	const (
		equator = 6378137.0             // metres: the ellipsoid's radius at the equator
		e2      = 0.0066943799901413165 // its first eccentricity, squared: f(2-f), f = 1/298.257223563
		radian  = math.Pi / 180
	)
	north, east := math.Abs(a.Lat-b.Lat), math.Abs(a.Lon-b.Lon)
	if east > 180 {
		east = math.Abs(360 - east)
	}
	if !(north < nearDegrees && east < 14 && max(math.Abs(a.Lat), math.Abs(b.Lat)) < 89) { // false for NaN
		return 0, false
	}
	sinA, cosA := math.Sincos(a.Lat * radian)
	sinB, cosB := math.Sincos(b.Lat * radian)
	if east*min(cosA, cosB) > nearDegrees {
		return 0, false
	}
	nA, nB := equator/math.Sqrt(1-e2*sinA*sinA), equator/math.Sqrt(1-e2*sinB*sinB)
	rA, rB := nA*cosA, nB*cosB // radii of the parallels
	half := math.Sin(east * radian / 2)
	dr, dz := rA-rB, (1-e2)*(nA*sinA-nB*sinB)
	meridian, parallel := dr*dr+dz*dz, 4*rA*rB*half*half
	chord2 := meridian + parallel
	if chord2 == 0 {
		return 0, true
	}
	n := (nA + nB) / 2
	m := (1 - e2) * n * n * n / (equator * equator)
	curvature := (meridian/m + parallel/n) / chord2
	bend := chord2 * curvature * curvature
	return math.Sqrt(chord2) * (1 + bend/24 + 3*bend*bend/640), true
}
