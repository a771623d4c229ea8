package watch

import (
	"math"

	"quaywatch/ais"
	"quaywatch/ship"
)

// between gives the report that a ship sent on the way between two others, as far as these tell. Its status and heading are those of the first.
func between(a, b ship.Fix, at int64) ship.Fix {
	share := float64(at-a.At) / float64(b.At-a.At)
	f := a
	f.At, f.Mark = at, a.Mark&(ship.BySatellite|ship.Coarse)
	f.Lat = a.Lat + int32(math.Round(share*float64(b.Lat-a.Lat)))
	f.Lon = a.Lon + int32(math.Round(share*float64(shortWay(b.Lon-a.Lon, halfTurn))))
	if f.Lon > halfTurn {
		f.Lon -= 2 * halfTurn
	} else if f.Lon < -halfTurn {
		f.Lon += 2 * halfTurn
	}
	from, known := a.SOG.Tenths()
	to, too := b.SOG.Tenths()
	if known && too {
		f.SOG = ais.SOGTenths(from + int(math.Round(share*float64(to-from))))
	}
	from, known = a.COG.Tenths()
	to, too = b.COG.Tenths()
	if known && too {
		off := shortWay(int32(to-from), 1800)
		f.COG = ais.COGTenths((from + int(math.Round(share*float64(off))) + 3600) % 3600)
	}
	return f
}

// halfTurn is 180 degrees in ais.PlaceUnit.
const halfTurn = int32(180 * 600000)

// shortWay gives the way round the circle that is at most half a turn.
func shortWay(way, half int32) int32 {
	switch {
	case way > half:
		return way - 2*half
	case way < -half:
		return way + 2*half
	}
	return way
}
