package store

import (
	"quaywatch/ais"
	"quaywatch/ship"
)

// at0 is 2026-03-01 10:00:00 UTC, the start of a bucket.
const at0 = int64(1772359200000)

// The whole circle and the half of it in ais.PlaceUnit, and metres in one of latitude.
const (
	circleUnits = 360 * 600000
	halfUnits   = 180 * 600000
	unitMetres  = 111320.0 / 600000
)

// wrapUnits brings a longitude into [-180°, 180°).
func wrapUnits(lon int64) int64 {
	return ((lon+halfUnits)%circleUnits+circleUnits)%circleUnits - halfUnits
}

// sail returns n fixes of a ship that makes a wide turn at 12 knots, a fix every step milliseconds from the time from.
func sail(from int64, n int, step int64) []ship.Fix {
	fixes := make([]ship.Fix, n)
	lon, lat := int32(6_130_000), int32(33_690_000)
	for i := range fixes {
		cog := (450 + 7*i) % 3600
		fixes[i] = ship.Fix{At: from + int64(i)*step, Lon: lon, Lat: lat, SOG: ais.SOGTenths(120 + i%3),
			COG: ais.COGTenths(cog), Heading: ais.HeadingDegrees(cog / 10), ROT: ais.RawROT(i % 5)}
		lon, lat = lon+int32(320+i%7), lat+int32(190-i%5)
	}
	return fixes
}
