package grid

import (
	"math"

	"quaywatch/geo"
)

const radian = math.Pi / 180

// ellipsoid is a figure of the earth with its authalic latitude, which is that of a sphere of equal area. The source is Snyder, Map Projections: A Working
// Manual, USGS Professional Paper 1395, equations 3-11, 3-12, 3-16 and 3-18.
type ellipsoid struct {
	a, e2, e float64 // metres of its equator, first eccentricity squared, and not
	pole     float64 // q of the pole
}

func newEllipsoid(a, flattening float64) ellipsoid {
	e2 := flattening * (2 - flattening)
	s := ellipsoid{a: a, e2: e2, e: math.Sqrt(e2)}
	s.pole = s.q(1)
	return s
}

// q is Snyder's q by the sine of a latitude (3-12).
func (s *ellipsoid) q(sin float64) float64 {
	es := s.e * sin
	return (1 - s.e2) * (sin/(1-es*es) + math.Atanh(es)/s.e)
}

// latitude returns the latitude in radians of a q: first by the series (3-18), then bettered by Newton's way (3-16).
func (s *ellipsoid) latitude(q float64) float64 {
	sinBeta := max(-1, min(1, q/s.pole))
	if math.Abs(sinBeta) > 1-1e-13 { // the pole: a step of 3-16 divides by its cosine
		return math.Copysign(math.Pi/2, sinBeta)
	}
	beta, e2, e4, e6 := math.Asin(sinBeta), s.e2, s.e2*s.e2, s.e2*s.e2*s.e2
	phi := beta + (e2/3+31*e4/180+517*e6/5040)*math.Sin(2*beta) + (23*e4/360+251*e6/3780)*math.Sin(4*beta) + 761*e6/45360*math.Sin(6*beta)
	for range 2 {
		sin, cos := math.Sincos(phi)
		part := 1 - s.e2*sin*sin
		phi += part * part / (2 * cos) * (q - s.q(sin)) / (1 - s.e2)
	}
	return phi
}

// azimuthal is Lambert's azimuthal projection of equal area (Snyder 24-17 to 24-29, oblique).
type azimuthal struct {
	ellipsoid
	lon0, x0, y0 float64 // the middle, in degrees and metres
	sin1, cos1   float64 // of its authalic latitude
	rq, d        float64
}

func newAzimuthal(of ellipsoid, lon0, lat0, x0, y0 float64) *azimuthal {
	sin, cos := math.Sincos(lat0 * radian)
	p := &azimuthal{ellipsoid: of, lon0: lon0, x0: x0, y0: y0, rq: of.a * math.Sqrt(of.pole/2)}
	p.sin1 = of.q(sin) / of.pole
	p.cos1 = math.Sqrt(1 - p.sin1*p.sin1)
	p.d = of.a * cos / math.Sqrt(1-of.e2*sin*sin) / (p.rq * p.cos1)
	return p
}

// Forward is 24-17 to 24-20.
func (p *azimuthal) Forward(at geo.Point) (x, y float64) {
	sinBeta := p.q(math.Sin(at.Lat*radian)) / p.pole
	cosBeta := math.Sqrt(max(0, 1-sinBeta*sinBeta))
	sinLon, cosLon := math.Sincos((at.Lon - p.lon0) * radian)
	b := p.rq * math.Sqrt(2/(1+p.sin1*sinBeta+p.cos1*cosBeta*cosLon))
	return p.x0 + b*p.d*cosBeta*sinLon, p.y0 + b/p.d*(p.cos1*sinBeta-p.sin1*cosBeta*cosLon)
}

// Inverse is 24-26 to 24-29.
func (p *azimuthal) Inverse(x, y float64) geo.Point {
	x, y = (x-p.x0)/p.d, (y-p.y0)*p.d
	rho := math.Hypot(x, y)
	if rho == 0 {
		return geo.Point{Lon: p.lon0, Lat: p.latitude(p.sin1*p.pole) / radian}
	}
	sinC, cosC := math.Sincos(2 * math.Asin(min(1, rho/(2*p.rq))))
	q := p.pole * (cosC*p.sin1 + y*sinC*p.cos1/rho)
	lon := p.lon0 + math.Atan2(x*sinC, rho*p.cos1*cosC-y*p.sin1*sinC)/radian
	return geo.Point{Lon: lon, Lat: p.latitude(q) / radian}.Normalized()
}

// cylindrical is Lambert's cylindrical projection of equal area about the meridian of Greenwich (Snyder 10-13 to 10-19).
type cylindrical struct {
	ellipsoid
	k0 float64 // the scale at the equator, which makes the latitude that is true to scale so
}

func newCylindrical(of ellipsoid, truest float64) *cylindrical {
	sin, cos := math.Sincos(truest * radian)
	return &cylindrical{of, cos / math.Sqrt(1-of.e2*sin*sin)}
}

// Forward is 10-14 and 10-15.
func (p *cylindrical) Forward(at geo.Point) (x, y float64) {
	return p.a * p.k0 * at.Lon * radian, p.a * p.q(math.Sin(at.Lat*radian)) / (2 * p.k0)
}

// Inverse is 10-17 to 10-19.
func (p *cylindrical) Inverse(x, y float64) geo.Point {
	lon := max(-180, min(180, x/(p.a*p.k0*radian)))
	return geo.Point{Lon: lon, Lat: p.latitude(2*y*p.k0/p.a) / radian}
}
