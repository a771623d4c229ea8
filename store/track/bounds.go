package track

import (
	"quaywatch/geo"
	"quaywatch/ship"
)

// The whole circle and the half of it in ais.PlaceUnit.
const (
	circleUnits = 360 * 600000
	halfUnits   = 180 * 600000
)

// Bounds is a geo.Rect in ais.PlaceUnit that grows along a track. It holds every leg by the short way round, and west > east when it spans 180°. A leg bulges
// towards the pole beyond its ends; readers allow for it. The zero Bounds holds nothing.
type Bounds struct {
	west, south, east, north int32
	lon                      int32 // of the last fix
	some                     bool
}

// wrapUnits brings a difference of longitudes into [-180°, 180°).
func wrapUnits(d int64) int64 {
	d = (d + halfUnits) % circleUnits
	if d < 0 {
		d += circleUnits
	}
	return d - halfUnits
}

// eastward returns how far east of a b lies, 0 <= d < 360°.
func eastward(a, b int32) int64 {
	d := (int64(b) - int64(a)) % circleUnits
	if d < 0 {
		d += circleUnits
	}
	return d
}

// Add extends b by the leg from the last fix to f.
func (b *Bounds) Add(f ship.Fix) {
	if !b.some {
		*b = Bounds{west: f.Lon, east: f.Lon, south: f.Lat, north: f.Lat, lon: f.Lon, some: true}
		return
	}
	b.south, b.north = min(b.south, f.Lat), max(b.north, f.Lat)
	if !b.spansEarth() {
		b.addLon(f.Lon)
	}
	b.lon = f.Lon
}

func (b *Bounds) spansEarth() bool { return b.west == -halfUnits && b.east == halfUnits }

func (b *Bounds) addLon(lon int32) {
	width := eastward(b.west, b.east)
	step := wrapUnits(int64(lon) - int64(b.lon))
	offset := eastward(b.west, b.lon) + step // of the new fix from the west edge, along the leg
	switch {
	case offset > width && offset < circleUnits:
		b.east = lon
	case offset < 0 && width-offset < circleUnits:
		b.west = lon
	case offset < 0 || offset > width:
		b.west, b.east = -halfUnits, halfUnits
	}
}

// Empty reports whether nothing was added.
func (b *Bounds) Empty() bool { return !b.some }

// Rect returns b in degrees.
func (b *Bounds) Rect() geo.Rect {
	const unit = 600000.0
	return geo.Rect{West: float64(b.west) / unit, South: float64(b.south) / unit, East: float64(b.east) / unit, North: float64(b.north) / unit}
}
