package tracking

import (
	"math"
	"slices"
	"time"

	"quaywatch/ship/portcall"
)

// underWay is the SOG in knots above which a ship is on its way.
const underWay = 3

// minutes is how many minutes tell the speed of a ship.
const minutes = 30

// sailing is what is known of the speed of a ship. It is stored, so that a restart changes no ETA.
type sailing struct {
	Sum  [minutes]float32 `json:"sum"` // of the SOG under way in knots, by minute
	N    [minutes]uint16  `json:"n"`
	Last int64            `json:"last,omitempty"` // the minute of the latest, Unix
	Mean float64          `json:"mean,omitempty"` // knots, the latest that was known
	At   portcall.Millis  `json:"at,omitempty"`   // of Mean
}

// noteSpeed notes the SOG of a position.
func (s *sailing) noteSpeed(at portcall.Millis, knots float64) {
	minute := int64(at) / 60_000
	if minute < s.Last {
		return
	}
	s.clearMinutes(minute)
	if knots <= underWay {
		return
	}
	i := minute % minutes
	s.Sum[i] += float32(knots)
	s.N[i]++
	s.Mean, s.At = s.meanKnots(), at
}

// meanKnots returns the mean of the minutes under way, each of which counts alike.
func (s *sailing) meanKnots() float64 {
	sum, n := 0.0, 0
	for i := range s.N {
		if s.N[i] > 0 {
			sum += float64(s.Sum[i]) / float64(s.N[i])
			n++
		}
	}
	return sum / float64(n)
}

// clearMinutes empties the minutes that are older than the window.
func (s *sailing) clearMinutes(minute int64) {
	for m := max(s.Last+1, minute-minutes+1); m <= minute; m++ {
		s.Sum[m%minutes], s.N[m%minutes] = 0, 0
	}
	s.Last = max(s.Last, minute)
}

// meanKept is how long a speed counts after the ship stopped.
const meanKept = 24 * time.Hour

// expectedKnots returns the speed that the ship will make. It is its mean of the last half hour under way where that is not older than a day, else what is
// usual.
func (s *sailing) expectedKnots(now portcall.Millis, usual float64) float64 {
	if s.Mean > 0 && now.Since(s.At) <= meanKept {
		return s.Mean
	}
	return usual
}

// estimate tells when a ship will arrive.
type estimate struct {
	remaining float64 // metres of the way ahead
	knots     float64
	berth     bool     // the way ends at a berth
	anchored  bool     // the ship lies still on its way: nobody knows for how long
	profile   *profile // of ships that came to the berth before; nil for none
}

// The interval of a way at the speed of the ship, as shares of the time, before arrivals tell it better. Crews slow down more often than they hurry.
const (
	quicker = 0.94
	slower  = 1.15
)

// The seconds that a ship takes to slow down, to turn and to come alongside, beyond those at its speed at sea. They count where nothing is known of the port.
// The ferries of the recordings took 13 to 18 minutes, the merchant ships of the simulator 4 to 12.
const (
	leastAlongside = 2 * 60
	alongside      = 10 * 60
	mostAlongside  = 25 * 60
)

// leastAhead is how many seconds a ship that is not there yet is ahead of its arrival.
const leastAhead = 60

// inSight is how many seconds before its arrival a ship that waits for a berth lies at anchor already. So one that is under way will not wait, and the interval
// is that of such ships.
const inSight = 5400

// secondsLeft returns how long the ship will take: one of ten takes less than low, one of ten more than high.
func (e *estimate) secondsLeft() (low, usual, high float64, basis Basis) {
	sail := e.remaining / perSecond(e.knots)
	low, usual, high, slow := e.secondsBeyond(sail)
	basis = RouteSpeed
	if e.profile != nil {
		basis = History
	}
	usual = max(leastAhead, sail+usual)
	return min(usual, max(0, sail*quicker+low)), usual, max(usual, sail*slow+high), basis
}

// secondsBeyond returns the seconds that the ship takes beyond those at its speed at sea. It also returns how much more slow ships take at sea, as a share.
func (e *estimate) secondsBeyond(sail float64) (low, usual, high, slow float64) {
	switch {
	case e.profile != nil:
		low, usual, high = e.profile.later(e.remaining, sail < inSight)
		return low, usual, high, 1 + (slower-1)/2
	case e.berth:
		return leastAlongside, alongside, mostAlongside, slower
	}
	return 0, 0, 300, slower
}

// perSecond returns metres a second of knots.
func perSecond(knots float64) float64 { return knots * 1852 / 3600 }

// speedsFor returns the speeds at which the ship arrives after some seconds, 0 where that cannot be.
func (e *estimate) speedsFor(seconds float64) (s Speeds) {
	low, usual, high, slow := e.secondsBeyond(seconds)
	in := func(metres, seconds float64) float64 {
		if seconds <= 0 {
			return 0
		}
		return metres / seconds * 3600 / 1852
	}
	return Speeds{in(e.remaining*quicker, seconds-low), in(e.remaining, seconds-usual), in(e.remaining*slow, seconds-high)}
}

// The errors of ETAs are kept by basis and by how long was still to sail, so many of each. From some on they tell the interval.
const (
	spans       = 5
	mostErrors  = 200
	leastErrors = 20
)

// near is the number of the span of the last half hour. It came after the others, whose numbers are stored.
const near = 4

// spanOf returns the span of a remaining time.
func spanOf(remaining time.Duration) int {
	switch hours := remaining.Hours(); {
	case hours < 0.5:
		return near
	case hours < 1.5:
		return 0
	case hours < 4:
		return 1
	case hours < 12:
		return 2
	}
	return 3
}

// record is how wrong the estimates of a basis and span were. A ratio is the time that it took by the time that was thought of before records were asked. The
// latest stands last.
type record struct {
	Ratios []float64 `json:"ratios"`
}

func (r *record) add(ratio float64) {
	if len(r.Ratios) >= mostErrors {
		r.Ratios = slices.Delete(slices.Clone(r.Ratios), 0, 1)
	}
	r.Ratios = append(r.Ratios, math.Round(ratio*1e4)/1e4)
}

// ratioShare returns the share of the arrivals that make the interval, so that it holds eight of ten ships. Of the last hour and a half no arrivals count that waited,
// but ships wait then too.
func ratioShare(remaining time.Duration) float64 {
	if remaining < inSight*time.Second {
		return 0.9
	}
	return 0.82
}

// ratioInterval returns the shares of the time within which a share of the ships came; false before enough have come.
func (r *record) ratioInterval(share float64) (low, high float64, ok bool) {
	if len(r.Ratios) < leastErrors {
		return 0, 0, false
	}
	low, high = shortest(slices.Sorted(slices.Values(r.Ratios)), share)
	return min(1, low), max(1, high), true
}

// pastErrors are the records of each basis and span, in the order of recordNumber.
type pastErrors [2 * spans]record

func recordNumber(b Basis, remaining time.Duration) int {
	n := spanOf(remaining)
	switch {
	case n == near && b == History:
		return 2*near + 1
	case n == near:
		return 2 * near
	case b == History:
		return n + near
	}
	return n
}

// estimateAt makes the estimate of some seconds from a time on.
func (e *estimate) estimateAt(now portcall.Millis, all *pastErrors) Estimate {
	low, plain, high, basis := e.secondsLeft()
	usual := plain
	if late := e.latenessAt(plain); late != nil {
		low, usual, high = plain+late.low, max(leastAhead, plain+late.usual), max(leastAhead, plain+late.high)
	} else if l, h, ok := all[recordNumber(basis, wholeSeconds(plain))].ratioInterval(ratioShare(wholeSeconds(plain))); ok {
		low, high = l*plain, h*plain
	}
	if e.anchored {
		return Estimate{At: now, After: int(usual), Basis: basis, Distance: e.remaining}
	}
	return Estimate{At: now, ETA: now.Add(wholeSeconds(usual)), Plain: int(plain), Low: now.Add(wholeSeconds(low)), High: now.Add(wholeSeconds(high)), Basis: basis, Distance: e.remaining}
}

// latenessAt returns by how much ships came late that had so many seconds to go; nil where that is not known.
func (e *estimate) latenessAt(ahead float64) *lateness {
	if e.profile == nil {
		return nil
	}
	return e.profile.latenessAt(ahead)
}

// shortWait is how long a ship may lie still in its last hour without having waited at anchor. It may wait so long for a pilot, a tug or a lock.
const shortWait = 40 * time.Minute

// lateOf returns by how much the estimates of a track missed the arrival, those without ETA left out. A ship that waited at anchor since tells nothing.
func lateOf(history []Estimate, arrived portcall.Millis) (late [lateTimes]*int32) {
	for i := range late {
		n := slices.IndexFunc(history, func(e Estimate) bool {
			return e.ETA != 0 && e.Status.sailing() && e.At < arrived && e.plainTime().Seconds() <= lateAt(i)
		})
		if n < 0 {
			continue
		}
		seconds := int32((arrived.Since(history[n].At) - history[n].plainTime()) / time.Second)
		if waited := slices.ContainsFunc(history[n:], func(e Estimate) bool { return e.After != 0 }); !waited || time.Duration(seconds)*time.Second <= shortWait {
			late[i] = &seconds
		}
	}
	return late
}

// wholeSeconds makes a duration of whole seconds.
func wholeSeconds(s float64) time.Duration { return time.Duration(min(s, 1e9)) * time.Second }

// learnErrors takes how wrong the estimates of a track were that arrived: the first one of each span. Of the last hour and a half count those after which the ship
// did not lie still any more. A ship that lies still is told no ETA.
func (all *pastErrors) learnErrors(history []Estimate, arrived portcall.Millis) (changed []int) {
	var had [spans]bool
	for i := range history {
		estimate := &history[i]
		if !estimate.Status.sailing() || estimate.Status == Stopped || estimate.ETA <= estimate.At || estimate.At >= arrived {
			continue
		}
		remaining := estimate.plainTime()
		if remaining < inSight*time.Second && slices.ContainsFunc(history[i:], func(e Estimate) bool { return e.After != 0 }) {
			continue
		}
		if span := spanOf(remaining); !had[span] {
			had[span] = true
			n := recordNumber(estimate.Basis, remaining)
			all[n].add(arrived.Since(estimate.At).Seconds() / remaining.Seconds())
			changed = append(changed, n)
		}
	}
	return changed
}
