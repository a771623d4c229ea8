package learn

import (
	"math"
	"time"

	"quaywatch/geo"
	"quaywatch/geo/chart/water"
	"quaywatch/ship"
)

const (
	flies  = 30.0               // knots over land, at which it is an aircraft or a car
	strays = 24 * time.Hour     // for so long a ship in doubt teaches nothing
	lost   = 3 * 24 * time.Hour // after so long it is forgiven, wherever it is
)

// Trust is what the steps of a ship say of its positions. The zero Trust has no doubt. A ship that jumped ashore and sails on there gives no
// further sign of it; so it has to come back to water first.
type Trust struct {
	Until  int64 `json:"until"`            // Unix milliseconds, before which the ship teaches nothing
	Forget int64 `json:"forget,omitempty"` // when the doubt is over in any case; 0 where the time alone counts
}

// Wait has the ship teach nothing before a time.
func (t *Trust) Wait(until time.Time) { t.Until = max(t.Until, until.UnixMilli()) }

// Doubt notes a step that Doubts, at its time: the ship teaches nothing for a day, and then until it sails on known water.
func (t *Trust) Doubt(at time.Time) {
	t.Wait(at.Add(strays))
	t.Forget = max(t.Forget, at.Add(lost).UnixMilli())
}

// Over reports whether nothing is left of a doubt.
func (t *Trust) Over(now time.Time) bool { return now.UnixMilli() >= max(t.Until, t.Forget) }

// Waits reports whether the ship teaches nothing with a fix, whatever the fix says.
func (t *Trust) Waits(to ship.Fix) bool { return to.At < t.Until }

// Trusts reports whether a ship may teach on a leg that teaches and ends with a fix.
func (l *Learner) Trusts(so *Trust, to ship.Fix) bool {
	if so.Waits(to) {
		return false
	}
	if to.At < so.Forget && !l.afloat(to.Point()) {
		return false
	}
	so.Forget = 0
	return true
}

// Doubts reports whether the step to a fix casts doubt on the ship. Two may use its number, its positions may be invented, or it goes over land as no ship
// does.
func (l *Learner) Doubts(from, to ship.Fix) bool {
	return Unsure(from, to) || Fast(to) && !l.afloat(to.Point())
}

// afloat reports whether a place lies on water of the chart, or learned before.
func (l *Learner) afloat(p geo.Point) bool {
	return !l.chart.Land(p) || l.learned.Learned(water.CellAt(p))
}

// Fast reports whether a ship is so fast that it cannot be one, where the chart has land.
func Fast(f ship.Fix) bool {
	sog, ok := f.SOG.Knots()
	return ok && sog > flies
}

// Unsure says that a ship did not sail to a fix from the one before.
func Unsure(from, to ship.Fix) bool {
	return to.Mark&(ship.NewSegment|ship.Doubtful|ship.Untrusted) != 0 || jumps(from, to)
}

// jumps says that no ship sails from one fix to the next: the rule by which the live picture doubts a position.
func jumps(from, to ship.Fix) bool {
	seconds := float64(to.At-from.At) / 1000
	fast := 60.0
	for _, f := range []ship.Fix{from, to} {
		if sog, ok := f.SOG.Knots(); ok {
			fast = max(fast, 2*sog+20)
		}
	}
	return geo.Farther(from.Point(), to.Point(), 500+fast*1852/3600*seconds)
}

// Teaches reports whether a ship surely sailed along the leg between two fixes. The speeds and courses at both ends agree with it, or it is so short that the ship
// may have turned or stopped on it. And the ship was no faster than it says.
func Teaches(from, to ship.Fix) bool {
	const inexact = ship.NewSegment | ship.Doubtful | ship.WrongClock | ship.Coarse | ship.Untrusted
	took := time.Duration(to.At-from.At) * time.Millisecond
	first, ok := from.SOG.Knots()
	two, ok2 := to.SOG.Knots()
	low, high := min(first, two), max(first, two)
	if (from.Mark|to.Mark)&inexact != 0 || took <= 0 || took > longest || !ok || !ok2 || high < slowest || high > fastest {
		return false
	}
	length := geo.Distance(from.Point(), to.Point())
	knots := length / took.Seconds() * 3600 / 1852
	if length >= shortest && length <= short && took >= turns {
		return knots <= 2+1.25*high
	}
	mean := (first + two) / 2
	if low < slowest || math.Abs(knots-mean) > 2+0.25*mean {
		return false
	}
	return length < onSpot || agrees(from, to)
}

// agrees reports whether the courses at both ends of a leg agree with its direction.
func agrees(from, to ship.Fix) bool {
	bearing := geo.Bearing(from.Point(), to.Point())
	for _, f := range []ship.Fix{from, to} {
		if cog, ok := f.COG.Degrees(); ok && math.Abs(math.Remainder(cog-bearing, 360)) > mostTurn {
			return false
		}
	}
	return true
}
