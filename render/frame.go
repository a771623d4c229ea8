package render

import (
	"math"

	"quaywatch/geo"
	"quaywatch/internal/rule"
)

// CRS is a system of coordinates of a map.
type CRS uint8

// The systems. EPSG4326 names the latitude first, the others the longitude.
const (
	EPSG4326 CRS = iota
	CRS84
	EPSG3857
)

// Names are those of the systems, as a map service writes them, by their number.
func Names() []string { return []string{"EPSG:4326", "CRS:84", "EPSG:3857"} }

// MostPixels is how wide and how high a picture may be.
const MostPixels = 4096

// half is half of the way round the equator in EPSG:3857, in metres: π times the radius 6,378,137 m of the sphere that EPSG defines.
const half = math.Pi * 6_378_137

// polar is the latitude in degrees to which EPSG:3857 is drawn; the pole itself lies at infinity.
const polar = 89.99

// turns is how often a box may go round the world to each side of 0.
const turns = 3

// Viewport is the piece of the world that a picture shows, and how many pixels show it.
type Viewport struct {
	crs                      CRS
	west, south, east, north float64 // degrees, or metres of EPSG:3857
	width, height            int
}

// NewFrame returns the frame of a box, which is written in the order of the axes of its system, the smaller values first. It fails with a *rule.Rule where the
// box has no inside or goes round the world too often. It also fails so where the picture is empty or larger than MostPixels.
func NewFrame(crs CRS, box [4]float64, width, height int) (Viewport, error) {
	f := Viewport{crs, box[0], box[1], box[2], box[3], width, height}
	if crs == EPSG4326 {
		f.west, f.south, f.east, f.north = box[1], box[0], box[3], box[2]
	}
	if width < 1 || height < 1 || width > MostPixels || height > MostPixels {
		return f, rule.New("wms_size", "width and height must be from 1 to {max}", "max", MostPixels)
	}
	most := 180.0 * turns
	if crs == EPSG3857 {
		most = half * turns
	}
	for _, v := range box {
		if !(math.Abs(v) <= most) { // or it is no number
			return f, rule.New("wms_far", "the box reaches too far from 0")
		}
	}
	if !(f.east-f.west > most*1e-12) || !(f.north-f.south > most*1e-12) {
		return f, rule.New("wms_empty", "the box has no inside: each axis must have its smaller value first")
	}
	return f, nil
}

// Pixel returns where a place lies, in pixels from the top left corner, once: the picture may show it again a turn further.
func (f Viewport) Pixel(p geo.Point) (x, y float64) { return f.pixelAt(p.Lon, p.Lat) }

// pixelAt is Pixel of a longitude that may go on beyond 180°.
func (f Viewport) pixelAt(lon, lat float64) (x, y float64) {
	east, north := lon, lat
	if f.crs == EPSG3857 {
		lat = max(-polar, min(polar, lat)) * math.Pi / 180
		s := math.Sin(lat)
		east, north = lon*half/180, half/(2*math.Pi)*math.Log((1+s)/(1-s))
	}
	return (east - f.west) * float64(f.width) / (f.east - f.west), (f.north - north) * float64(f.height) / (f.north - f.south)
}

// Turn is how many pixels one way round the world takes.
func (f Viewport) Turn() float64 {
	all := 360.0
	if f.crs == EPSG3857 {
		all = 2 * half
	}
	return all * float64(f.width) / (f.east - f.west)
}
