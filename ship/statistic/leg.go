package statistic

import (
	"math"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// leg is the way of a ship from one fix to the next. Its end is later than its begin.
type leg struct {
	ship.Leg
	mmsi ais.MMSI
}

// durationMillis returns how long the leg took, in milliseconds.
func (l *leg) durationMillis() int64 { return l.To.At - l.From.At }

// timeAt returns the time after a share of the leg, in Unix milliseconds.
func (l *leg) timeAt(share float64) int64 {
	return l.From.At + int64(math.Round(share*float64(l.durationMillis())))
}

// shareBefore returns which share of the leg lies before a time in Unix milliseconds.
func (l *leg) shareBefore(ms int64) float64 {
	return float64(ms-l.From.At) / float64(l.durationMillis())
}

// placeAt returns where the ship is at a time in Unix milliseconds.
func (l *leg) placeAt(ms int64) geo.Point { return l.pointAt(l.shareBefore(ms)) }

// pointAt returns the place after a share of the leg.
func (l *leg) pointAt(share float64) geo.Point {
	return geo.Between(l.From.Point(), l.To.Point(), share)
}

// momentAt returns the ship at a time on the leg, Unix milliseconds.
func (l *leg) momentAt(ms int64) Moment { return l.moment(ms, l.shareBefore(ms)) }

// moment returns the ship at a time, after a share of the leg. At the ends of the leg it is the fix itself.
func (l *leg) moment(ms int64, share float64) Moment {
	switch ms {
	case l.From.At:
		return Moment{l.mmsi, l.From}
	case l.To.At:
		return Moment{l.mmsi, l.To}
	}
	fix := l.moved(ms, l.pointAt(share))
	fix.Mark &^= ship.NewSegment | ship.Doubtful
	fix.LeftOut = 0
	return Moment{l.mmsi, fix}
}

// moved returns the fix at the begin of the leg at another time and place.
func (l *leg) moved(ms int64, to geo.Point) ship.Fix {
	fix := l.From
	fix.At, fix.Lon, fix.Lat = ms, placeUnits(to.Lon), placeUnits(to.Lat)
	return fix
}

// legBounds returns the rectangle of the leg. It allocates nothing.
func (l *leg) legBounds() geo.Rect {
	a, b := l.From.Point().Normalized(), l.To.Point().Normalized()
	return geo.Rect{West: a.Lon, South: a.Lat, East: a.Lon, North: a.Lat}.Extend(b)
}

// extent is the least and the largest longitude and latitude of some fixes, in the units of a fix.
type extent struct{ west, east, south, north int32 }

func extentOf(f *ship.Fix) extent { return extent{f.Lon, f.Lon, f.Lat, f.Lat} }

// extend takes a fix more.
func (e *extent) extend(f *ship.Fix) {
	e.west, e.east = min(e.west, f.Lon), max(e.east, f.Lon)
	e.south, e.north = min(e.south, f.Lat), max(e.north, f.Lat)
}

// bounds returns the rectangle. It is false where the fixes may lie on both sides of 180°.
func (e *extent) bounds() (geo.Rect, bool) {
	if int64(e.east)-int64(e.west) >= 180*degree {
		return geo.Rect{}, false
	}
	from, to := ship.Fix{Lon: e.west, Lat: e.south}.Point(), ship.Fix{Lon: e.east, Lat: e.north}.Point()
	return geo.Rect{West: from.Lon, South: from.Lat, East: to.Lon, North: to.Lat}, true
}

// partBounds returns the rectangle of a part of a track and the fix before it.
func partBounds(last ship.Fix, part ship.Track) geo.Rect {
	around := extentOf(&last)
	for i := range part {
		around.extend(&part[i])
	}
	if box, ok := around.bounds(); ok {
		return box
	}
	box := geo.RectOf(last.Point())
	for i := range part {
		box = box.Extend(part[i].Point())
	}
	return box
}

// placeUnits returns degrees as AIS counts them.
func placeUnits(degrees float64) int32 { return int32(math.Round(degrees / ais.PlaceUnit)) }
