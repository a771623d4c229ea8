// Package geo is the sphere: points, rectangles, polygons, circles and lines in degrees, and the measures that
// seafaring needs of them. It promises exact answers under the plain names (Distance is the ellipsoidal one), and
// shapes that may cross the 180° meridian. It opens nothing, holds no state and knows nothing of ships.
//
// Dangerous: a longitude is never compared bare; use Rect.Contains.
package geo

// Point is a place on the earth in degrees, WGS 84, longitude east and latitude north positive.
type Point struct {
	Lon, Lat float64
}
