package watchdog

import (
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// longestLeg is how long a leg may last. After a longer silence nobody knows which way the ship took.
const longestLeg = 15 * time.Minute

// leg is the way to a report from the one before.
type leg struct {
	from, to geo.Point
	begin    int64     // time of from, Unix milliseconds
	fix      *ship.Fix // of to
	known    bool      // there is a report before
	joined   bool      // the ship sailed from it to this one
}

func legOf(r *Position) leg {
	f := &r.State.Fix
	l := leg{to: f.Point(), fix: f, known: r.Before.At != 0}
	if l.known {
		l.from, l.begin = r.Before.Point(), r.Before.At
		l.joined = ship.Joins(r.Before, *f) && f.At-r.Before.At <= longestLeg.Milliseconds()
	}
	return l
}

// legBounds returns the rectangle of the leg, or of the place where there is no leg.
func (l *leg) legBounds() geo.Rect {
	r := geo.Rect{West: l.to.Lon, South: l.to.Lat, East: l.to.Lon, North: l.to.Lat}
	if l.joined {
		r = r.Extend(l.from)
	}
	return r
}

// lengthMetres returns the length of the leg.
func (l *leg) lengthMetres() float64 { return metresBetween(l.from, l.to) }

// metresBetween returns the metres between two places that are near each other.
func metresBetween(a, b geo.Point) float64 { return geo.PlaneAt(a).Vector(b).Length() }

// speedKnots returns the speed of the ship as it tells it, or else that over the leg; false where both are not known.
func (l *leg) speedKnots() (float64, bool) {
	if knots, ok := l.fix.SOG.Knots(); ok || !l.joined {
		return knots, ok
	}
	return l.lengthMetres() / 1852 / (time.Duration(l.fix.At-l.begin) * time.Millisecond).Hours(), true
}

// here returns an event at the report.
func (l *leg) here(kind Kind) Occurrence { return Occurrence{Kind: kind, At: l.fix.At, Fix: *l.fix} }

// eventAt returns an event on the leg, after a share of it.
func (l *leg) eventAt(kind Kind, share float64) Occurrence {
	e := l.here(kind)
	e.At = l.begin + int64(math.Round(share*float64(l.fix.At-l.begin)))
	p := l.pointAt(share)
	e.Fix.At, e.Fix.Lon, e.Fix.Lat = e.At, int32(math.Round(p.Lon/ais.PlaceUnit)), int32(math.Round(p.Lat/ais.PlaceUnit))
	return e
}

// pointAt returns the place on the leg after a share of it.
func (l *leg) pointAt(share float64) geo.Point {
	east := geo.Point{Lon: l.to.Lon - l.from.Lon}.Normalized().Lon
	return geo.Point{Lon: l.from.Lon + share*east, Lat: l.from.Lat + share*(l.to.Lat-l.from.Lat)}.Normalized()
}
