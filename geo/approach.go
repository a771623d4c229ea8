package geo

import "math"

// Between returns the place that is reached after a share of the leg from a to b, straight in degrees and the shorter way round. 1 is the whole
// leg. Its longitude is in [-180, 180).
func Between(a, b Point, share float64) Point {
	return Point{Lon: a.Lon + share*wrap(b.Lon-a.Lon), Lat: a.Lat + share*(b.Lat-a.Lat)}.Normalized()
}

// Approach returns the closest approach of two that move at once, each evenly and straight in degrees. The first moves from a0 to a1, the other from b0 to b1.
// frac is the share of the time that lies before it, and metres is how far apart they are then. Who stands still has the same place twice. Of places that are
// equally near it returns the first.
//
// The time is found in the plane that touches the ellipsoid between the two, and the distance is Distance at that time. On legs of up to 15 km it is not more
// than 1 cm above the true least distance. That holds where this is below 10 km, within 75° of latitude.
func Approach(a0, a1, b0, b1 Point) (frac, metres float64) {
	m := approaching{
		start: Vector{wrap(b0.Lon - a0.Lon), b0.Lat - a0.Lat},
		way:   Vector{wrap(b1.Lon-b0.Lon) - wrap(a1.Lon-a0.Lon), (b1.Lat - b0.Lat) - (a1.Lat - a0.Lat)},
		lat:   (a0.Lat + b0.Lat) / 2, north: (a1.Lat + b1.Lat - a0.Lat - b0.Lat) / 2,
	}
	apart := func(share float64) float64 { return Distance(Between(a0, a1, share), Between(b0, b1, share)) }
	if m.way == (Vector{}) && m.north == 0 {
		return 0, Distance(a0, b0)
	}
	frac = m.nearestShare()
	metres = apart(frac)
	for _, end := range [2]float64{0, 1} {
		if Farther(Between(a0, a1, end), Between(b0, b1, end), metres+1) { // which takes far less time
			continue
		}
		if at := apart(end); at < metres-sameDistance || end == 0 && at <= metres+sameDistance {
			frac, metres = end, at
		}
	}
	return frac, metres
}

// sameDistance is how many metres two distances may differ and be equal: far below the 0.19 m of AIS's unit, far above what rounding does.
const sameDistance = 1e-6

// approaching is the motion of one as another sees it, in degrees.
type approaching struct {
	start, way Vector
	lat, north float64 // of the middle between both: the latitude at first, and how far it goes north
}

// nearestShare returns the share of the time after which both are nearest. What it finds in the plane of one latitude tells the latitude of the next. The last term
// is there because a degree of longitude grows shorter on the way to a pole. So ships that sail there side by side come nearer.
func (m approaching) nearestShare() float64 {
	share := 0.5
	for range 4 {
		lat := m.lat + share*m.north
		plane := PlaneAt(Point{Lat: lat})
		r, w := plane.scale(m.start), plane.scale(m.way)
		shrinks := math.Tan(lat*math.Pi/180) * m.north * math.Pi / 180
		east := r.X + share*w.X
		share = least(r.Dot(w)-shrinks*east*east, w.Dot(w))
	}
	return share
}

// least returns the place of the least value of square·s² + 2·slope·s in 0 <= s <= 1.
func least(slope, square float64) float64 {
	switch {
	case slope >= 0:
		return 0
	case -slope >= square:
		return 1
	}
	return -slope / square
}

// scale returns the metres of a way in degrees.
func (p Plane) scale(degrees Vector) Vector {
	return Vector{degrees.X * p.perLon, degrees.Y * p.perLat}
}
