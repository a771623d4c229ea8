// Package sea tells where water leads from a place to another. It finds it along the great circle between them, and by the way with the least land where no
// straight way leads. Distances are kilometres on a sphere. It opens nothing.
package sea

import (
	"math"

	"quaywatch/geo"
)

// Radius is the radius of the sphere in kilometres.
const Radius = 6371.0088

// UnitVector is a place on the sphere as a unit vector.
type UnitVector struct{ X, Y, Z float64 }

// At returns the vector of a place.
func At(p geo.Point) UnitVector {
	lon, lat := p.Lon*math.Pi/180, p.Lat*math.Pi/180
	sinLat, cosLat := math.Sincos(lat)
	sinLon, cosLon := math.Sincos(lon)
	return UnitVector{cosLat * cosLon, cosLat * sinLon, sinLat}
}

// Point returns the place of a vector, which need not have the length 1.
func (v UnitVector) Point() geo.Point {
	return geo.Point{
		Lon: math.Atan2(v.Y, v.X) * 180 / math.Pi,
		Lat: math.Atan2(v.Z, math.Sqrt(v.X*v.X+v.Y*v.Y)) * 180 / math.Pi,
	}.Normalized()
}

// Dot returns the scalar product.
func (v UnitVector) Dot(w UnitVector) float64 { return v.X*w.X + v.Y*w.Y + v.Z*w.Z }

// Cross returns the vector product.
func (v UnitVector) Cross(w UnitVector) UnitVector {
	return UnitVector{v.Y*w.Z - v.Z*w.Y, v.Z*w.X - v.X*w.Z, v.X*w.Y - v.Y*w.X}
}

// Plus returns v + f w.
func (v UnitVector) Plus(f float64, w UnitVector) UnitVector {
	return UnitVector{v.X + f*w.X, v.Y + f*w.Y, v.Z + f*w.Z}
}

// unit returns the vector with the length 1; false when it has none.
func (v UnitVector) unit() (UnitVector, bool) {
	n := math.Sqrt(v.Dot(v))
	if n < 1e-12 {
		return v, false
	}
	return UnitVector{v.X / n, v.Y / n, v.Z / n}, true
}

// Km returns the distance of two places.
func Km(a, b UnitVector) float64 {
	d := a.Plus(-1, b)
	return Radius * arc(d.Dot(d))
}

// arc returns the angle whose chord has a square. Up to a radian it is a series, which is 3e-6 too small at most.
func arc(square float64) float64 {
	c := math.Sqrt(square)
	if c > 1 {
		return 2 * math.Asin(min(c/2, 1))
	}
	return c * (1 + square*(1.0/24+square*(3.0/640+square*(5.0/7168+square*35.0/294912))))
}

// LocalFrame is the frame of a place in which directions are counted.
type LocalFrame struct{ north, east UnitVector }

// HeadingAt returns the frame at a place. At a pole, north is along the meridian of 180° or 0°.
func HeadingAt(v UnitVector) LocalFrame {
	east, ok := UnitVector{-v.Y, v.X, 0}.unit()
	if !ok {
		east = UnitVector{0, 1, 0}
	}
	return LocalFrame{v.Cross(east), east}
}

// Bins is the number of directions that a full turn is divided into; bin 0 begins at north, and they are counted clockwise.
const Bins = 256

// Bin returns the direction in which the great circle to w begins.
func (h LocalFrame) Bin(w UnitVector) uint8 {
	turn := math.Atan2(w.Dot(h.east), w.Dot(h.north)) * (Bins / (2 * math.Pi))
	return uint8(int(math.Floor(turn)) & (Bins - 1))
}

// Toward returns the place at so many kilometres in a direction, which is counted in bins.
func (h LocalFrame) Toward(v UnitVector, bin, km float64) UnitVector {
	sin, cos := math.Sincos(bin * (2 * math.Pi / Bins))
	way := UnitVector{}.Plus(cos, h.north).Plus(sin, h.east)
	sin, cos = math.Sincos(km / Radius)
	return UnitVector{}.Plus(cos, v).Plus(sin, way)
}
