package statistic

import (
	"math"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// leg is the way of a ship from one fix to the next. Its end is later than its begin.
type leg struct {
	mmsi     ais.MMSI
	from, to ship.Fix
}

// duration gives the milliseconds of the leg.
func (l *leg) duration() int64 { return l.to.At - l.from.At }

// at gives the time after a share of the leg, in Unix milliseconds.
func (l *leg) at(share float64) int64 {
	return l.from.At + int64(math.Round(share*float64(l.duration())))
}

// when gives the ship at a time on the leg, Unix milliseconds.
func (l *leg) when(ms int64) Moment {
	return l.moment(ms, float64(ms-l.from.At)/float64(l.duration()))
}

// moment gives the ship at a time, after a share of the leg. At the ends of the leg it is the fix itself.
func (l *leg) moment(ms int64, share float64) Moment {
	switch ms {
	case l.from.At:
		return Moment{l.mmsi, l.from}
	case l.to.At:
		return Moment{l.mmsi, l.to}
	}
	p, fix := l.place(share), l.from
	fix.At, fix.Lon, fix.Lat = ms, units(p.Lon), units(p.Lat)
	fix.Mark &^= ship.NewSegment
	fix.LeftOut = 0
	return Moment{l.mmsi, fix}
}

// place gives the place after a share of the leg, which is straight in degrees and runs the shorter way round.
func (l *leg) place(share float64) geo.Point {
	a, b := l.from.Point(), l.to.Point()
	east := geo.Point{Lon: b.Lon - a.Lon}.Normalized().Lon
	return geo.Point{Lon: a.Lon + share*east, Lat: a.Lat + share*(b.Lat-a.Lat)}.Normalized()
}

// metres gives the length of the leg.
func (l *leg) metres() float64 { return geo.Distance(l.from.Point(), l.to.Point()) }

// bounds gives the rectangle of the leg.
func (l *leg) bounds() geo.Rect {
	a := l.from.Point()
	return geo.Rect{West: a.Lon, South: a.Lat, East: a.Lon, North: a.Lat}.Extend(l.to.Point())
}

// units gives degrees as AIS counts them.
func units(degrees float64) int32 { return int32(math.Round(degrees / ais.PlaceUnit)) }
