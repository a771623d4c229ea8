package statistic

import (
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// nearGap is how long a leg may last where a place between two fixes is told to the metre. In longer ones a ship may have turned (design, near miss).
const nearGap = 10 * time.Minute

// Range is what a value must lie in: Min <= value <= Max. An end that is nil bounds nothing.
type Range struct {
	Min, Max *float64
}

// Holds reports whether a value lies in the range. NaN, which stands for unknown, lies only in a range without ends.
func (r Range) Holds(v float64) bool {
	if r.Min == nil && r.Max == nil {
		return true
	}
	return (r.Min == nil || v >= *r.Min) && (r.Max == nil || v <= *r.Max) && !math.IsNaN(v)
}

// Near is a ship when it is nearest to something. Its Moment is the place between two fixes.
type Near struct {
	Moment
	SOG ais.SOG  // at that time, between those of the two fixes
	COG ais.COG  // as SOG
	To  ship.Fix // the fix after the place; the place lies on the leg to it
}

// moments returns the place and the fix after it, for both were needed to know the place.
func (n Near) moments() []Moment { return []Moment{n.Moment, {n.MMSI, n.To}} }

// sogAt returns the knots at a time between those of the two fixes. If one is not known it is that of the other, and if none is that of the leg.
func (l *leg) sogAt(ms int64) float64 {
	from, known := l.From.SOG.Knots()
	to, alsoKnown := l.To.SOG.Knots()
	switch {
	case known && alsoKnown:
		return from + l.shareBefore(ms)*(to-from)
	case known:
		return from
	case alsoKnown:
		return to
	}
	return l.Knots()
}

// leastWay is how many metres a leg must be long to tell a course: twice the noise of a place.
const leastWay = 30

// cogAt returns the degrees at a time, as sogAt does, the shorter way round. It is NaN where no fix tells a course and the leg is short.
func (l *leg) cogAt(ms int64) float64 {
	from, known := l.From.COG.Degrees()
	to, alsoKnown := l.To.COG.Degrees()
	switch {
	case known && alsoKnown:
		return math.Mod(from+l.shareBefore(ms)*math.Remainder(to-from, 360)+360, 360)
	case known:
		return from
	case alsoKnown:
		return to
	case l.Length() < leastWay:
		return math.NaN()
	}
	return geo.Bearing(l.From.Point(), l.To.Point())
}

// nearAt returns the ship at a time in Unix milliseconds.
func (l *leg) nearAt(ms int64) Near {
	n := Near{Moment: Moment{l.mmsi, l.moved(ms, l.placeAt(ms))}, To: l.To, SOG: ais.SOGTenths(int(math.Round(10 * l.sogAt(ms))))}
	if cog := l.cogAt(ms); !math.IsNaN(cog) {
		n.COG = ais.COGTenths(int(math.Round(10*cog)) % 3600)
	}
	return n
}

// window returns the part of a time that lies in the period, in Unix milliseconds, both ends included.
func (p Period) window(from, to int64) (first, last int64, ok bool) {
	first, last = max(from, p.Begin.UnixMilli()), min(to, p.End.UnixMilli()-1)
	return first, last, first <= last
}

// newer returns the fixes of a part that come after the last one taken; the part may begin with that.
func newer(part ship.Track, last int64) ship.Track {
	for len(part) > 0 && part[0].At <= last {
		part = part[1:]
	}
	return part
}

// never is before all fixes.
const never = math.MinInt64 / 2

// setOf returns the set of some ships, nil for none.
func setOf(ships []ais.MMSI) map[ais.MMSI]bool {
	if len(ships) == 0 {
		return nil
	}
	set := make(map[ais.MMSI]bool, len(ships))
	for _, m := range ships {
		set[m] = true
	}
	return set
}

// floorDiv divides and rounds down, also below zero.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
