package statistic

import (
	"math"

	"quaywatch/ais"
	"quaywatch/geo"
)

const (
	leastDegree = 110_574 // metres of a degree of latitude at the equator, where it is shortest; one of longitude there is longer
	poleward    = 85      // degrees of latitude beyond which a degree of longitude is too short to compare
)

// reach is how far two ships may be apart in longitude and latitude and still be as near as asked for. It is in the units of a fix.
type reach struct{ lon, lat int32 }

// reachOf returns the reach of so many metres around the places of a rectangle. A degree of longitude is taken where it is shortest.
func reachOf(r geo.Rect, metres float64) reach {
	degrees := (metres*1.002 + 1) / leastDegree
	top := max(math.Abs(r.South), math.Abs(r.North)) + degrees
	if top > poleward {
		return reach{math.MaxInt32, math.MaxInt32} // leaves nothing out
	}
	return reach{placeUnits(degrees/math.Cos(top*math.Pi/180)) + 1, placeUnits(degrees) + 1}
}

// degree is one degree in the units of a fix.
const degree = 1 / ais.PlaceUnit

// areApart reports whether two legs are farther apart than the reach of the first at all times. Of long legs, and across 180°, it says nothing.
func (r reach) areApart(a, b *leg) bool {
	south, north := orderPair(a.From.Lat, a.To.Lat)
	otherSouth, otherNorth := orderPair(b.From.Lat, b.To.Lat)
	west, east := orderPair(a.From.Lon, a.To.Lon)
	otherWest, otherEast := orderPair(b.From.Lon, b.To.Lon)
	if max(north-south, otherNorth-otherSouth, east-west, otherEast-otherWest) > degree {
		return false
	}
	lat, lon := max(south-otherNorth, otherSouth-north), max(west-otherEast, otherWest-east)
	return lat > r.lat || lon > r.lon && lon < 350*degree
}

func orderPair(a, b int32) (low, high int32) { return min(a, b), max(a, b) }
