package portcalls

import (
	"time"

	"quaywatch/ship"
)

// underWay is the SOG in knots above which a ship is on its way.
const underWay = 3

// LikelySOG returns the knots that a ship is likely to make. That is the mean of the last half hour under way, else that of the whole track. Without these it
// is the SOG of the moment, else what ships of its type make. The track is the latest one, as far as it may be told.
func LikelySOG(of *ship.State, recent ship.Track, now time.Time) float64 {
	for _, since := range []time.Time{now.Add(-30 * time.Minute), {}} {
		if mean := meanSOG(recent, since); mean > 0 {
			return mean
		}
	}
	if knots, ok := of.Fix.SOG.Knots(); ok && of.HasFix && of.Fix.Trusted() && knots > underWay {
		return knots
	}
	return UsualSOG(of)
}

// meanSOG returns the mean of the SOG under way since a time, 0 for none.
func meanSOG(track ship.Track, since time.Time) float64 {
	sum, n := 0.0, 0
	for _, fix := range track {
		if knots, ok := fix.SOG.Knots(); ok && knots > underWay && !fix.Time().Before(since) {
			sum += knots
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// UsualSOG returns the knots that ships of a type make.
func UsualSOG(of *ship.State) float64 {
	if of.Static == nil {
		return 8
	}
	switch kind := of.Static.Type; {
	case kind >= 70 && kind <= 79:
		return 12
	case kind >= 80 && kind <= 89:
		return 11
	case kind >= 60 && kind <= 69:
		return 16
	case kind >= 40 && kind <= 49:
		return 28
	case kind == 30:
		return 7
	}
	return 8
}
