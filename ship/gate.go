package ship

import (
	"math"

	"quaywatch/ais"
	"quaywatch/geo"
)

// Gate remembers the places of a ship that were held back because the ship cannot have sailed there. It also remembers static data that a single report told.
// The zero Gate holds none. It lives beside the State, because hardly any ship has one.
type Gate struct {
	held  Fix    // the newest that was held back
	since int64  // Unix milliseconds of the first that was held back since a place was accepted
	count int    // so many in a row agree, held included
	claim *claim // what one report told of the ship itself; nil for nearly all
}

// Empty reports whether nothing is held back.
func (g Gate) Empty() bool { return g.count == 0 && g.claim == nil }

// judgeFix accepts f, or holds it back and says Jump. A far place that further reports agree with is accepted and begins a new segment. A
// place that was held back for too long without agreement is accepted as doubtful.
func (g *Gate) judgeFix(now *State, f Fix, l *Limits) (Mark, Reason) {
	if canSail(now.Class, now.Fix, f, l) {
		return 0, Accepted
	}
	switch {
	case g.count == 0:
		g.count, g.since = 1, f.At
	case sameFix(f, g.held):
		return 0, Jump // the same report again is no further witness
	case canSail(now.Class, g.held, f, l):
		g.count++
	default:
		g.count = 1
	}
	g.held = f
	switch {
	case g.count >= l.Agreement:
		return NewSegment, Accepted
	case f.At-g.since >= l.Patience.Milliseconds():
		return NewSegment | Doubtful, Accepted
	}
	return 0, Jump
}

// canSail reports whether a ship can have been at a and at b at their times. The two may be apart by Slack plus the way that the
// ship's speed limit allows in that time.
func canSail(class Class, a, b Fix, l *Limits) bool {
	seconds := math.Abs(float64(b.At-a.At)) / 1000
	reach := l.Slack + speedLimit(class, a, b, l)*seconds*metresPerNauticalMile/3600
	if withinRoughly(a, b, reach) {
		return true
	}
	return geo.Distance(a.Point(), b.Point()) <= reach
}

const metresPerNauticalMile = 1852

// speedLimit returns the knots that the ship may have sailed between a and b.
func speedLimit(class Class, a, b Fix, l *Limits) float64 {
	if class == ClassSAR {
		return l.AircraftSpeed
	}
	sog := 0.0
	for _, s := range [...]ais.SOG{a.SOG, b.SOG} {
		if knots, ok := s.Knots(); ok {
			sog = max(sog, knots)
		}
	}
	return max(l.MinSpeed, l.SpeedFactor*sog+l.SpeedMargin)
}

// withinRoughly reports whether two places are certainly within metres of each other. It measures on a plane with the longest degree there
// is, and does not shrink the degrees of longitude. So it errs only to "not certainly"; it costs no trigonometry.
func withinRoughly(a, b Fix, metres float64) bool {
	const metresPerUnit = 111700.0 / 600000 // a degree of latitude at the pole is 111,694 m
	dLon := math.Abs(float64(a.Lon) - float64(b.Lon))
	if dLon > 180*600000 {
		dLon = 360*600000 - dLon
	}
	dLat := float64(a.Lat) - float64(b.Lat)
	return (dLon*dLon+dLat*dLat)*(metresPerUnit*metresPerUnit) <= metres*metres
}

// Conflict says that two transmitters use the number of a ship at places that no ship joins. It is never changed.
type Conflict struct {
	Places [2]PairSighting // the first is that of the ship's state
}

// PairSighting is a place of one of the two, with what heard it lately.
type PairSighting struct {
	Fix     Fix
	Feed    string    // that heard the latest report first
	Feeds   ais.Feeds // that heard one of them first
	Station string    // the shore station of the latest report; "" when none is named
}

// Joined reports whether a ship of the class can have been at a and at b at their times.
func Joined(class Class, a, b Fix, l *Limits) bool { return canSail(class, a, b, l) }

// Held returns the newest place that is held back; only of a Gate that is not Empty.
func (g Gate) Held() Fix { return g.held }
