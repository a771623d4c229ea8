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

// take notes the SOG of a position.
func (s *sailing) take(at portcall.Millis, knots float64) {
	minute := int64(at) / 60_000
	if minute < s.Last {
		return
	}
	s.forget(minute)
	if knots <= underWay {
		return
	}
	i := minute % minutes
	s.Sum[i] += float32(knots)
	s.N[i]++
}

// forget empties the minutes that are older than the window.
func (s *sailing) forget(minute int64) {
	for m := max(s.Last+1, minute-minutes+1); m <= minute; m++ {
		s.Sum[m%minutes], s.N[m%minutes] = 0, 0
	}
	s.Last = max(s.Last, minute)
}

// meanKept is how long a speed counts after the ship stopped.
const meanKept = 24 * time.Hour

// knots gives the speed that the ship will make: its mean of the last half hour under way, else the latest of these within a day, else what is usual. Each
// minute counts alike.
func (s *sailing) knots(now portcall.Millis, usual float64) float64 {
	sum, n := 0.0, 0
	for i := range s.N {
		if s.N[i] > 0 {
			sum += float64(s.Sum[i]) / float64(s.N[i])
			n++
		}
	}
	if n > 0 {
		s.Mean, s.At = sum/float64(n), now
	}
	if s.Mean > 0 && now.Since(s.At) <= meanKept {
		return s.Mean
	}
	return usual
}

// estimate tells when a ship will arrive.
type estimate struct {
	remaining float64 // metres of the way ahead
	knots     float64
	still     float64  // seconds for which the ship has made no way
	profile   *profile // nil for none
}

// The interval of a way at the speed of the ship, as shares of the time, before arrivals tell it better: crews slow down more often than they hurry.
const (
	quicker = 0.94
	slower  = 1.15
)

// seconds gives how long the ship will take: one of ten takes less than low, one of ten more than high.
func (e *estimate) seconds() (low, usual, high float64, basis Basis) {
	metres := perSecond(e.knots)
	if e.profile == nil {
		sail := e.remaining / metres
		return sail * quicker, sail, sail*slower + 300, RouteSpeed
	}
	sail := e.remaining / metres
	low, usual, high = e.profile.later(e.remaining)
	if e.waits() {
		wait, long := e.profile.rest(e.still)
		usual, high = usual+wait, max(high, usual+long)
	}
	return max(0, sail*quicker+low), max(60, sail+usual), max(60, sail*(1+(slower-1)/2)+high), History
}

// waits tells whether the ship lies still before the port, so that its waiting counts more than its way.
func (e *estimate) waits() bool {
	return e.profile != nil && e.still > 0 && e.remaining <= markAt(e.profile.widest())
}

// perSecond gives metres a second of knots.
func perSecond(knots float64) float64 { return knots * 1852 / 3600 }

// speedsFor gives the speeds at which the ship arrives after some seconds, 0 where that cannot be.
func (e *estimate) speedsFor(seconds float64) (s Speeds) {
	low, usual, high, slow := 0.0, 0.0, 300.0, slower
	if e.profile != nil {
		low, usual, high = e.profile.later(e.remaining)
		slow = 1 + (slower-1)/2
	}
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
	spans       = 4
	mostErrors  = 200
	leastErrors = 20
)

// spanOf gives the span of a remaining time.
func spanOf(remaining time.Duration) int {
	switch hours := remaining.Hours(); {
	case hours < 1.5:
		return 0
	case hours < 4:
		return 1
	case hours < 12:
		return 2
	}
	return 3
}

// record is how wrong the ETAs of one basis and span were: the time that it took by the time that was told, the latest last.
type record struct {
	Ratios []float64 `json:"ratios"`
}

func (r *record) add(ratio float64) {
	if len(r.Ratios) >= mostErrors {
		r.Ratios = slices.Delete(slices.Clone(r.Ratios), 0, 1)
	}
	r.Ratios = append(r.Ratios, math.Round(ratio*1e4)/1e4)
}

// interval gives the shares of the time within which eight of ten ships came; false before enough have come.
func (r *record) interval() (low, high float64, ok bool) {
	if len(r.Ratios) < leastErrors {
		return 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(r.Ratios))
	return min(1, quantile(sorted, 0.1)), max(1, quantile(sorted, 0.9)), true
}

// records are those of each basis and span, in the order of recordNumber.
type records [2 * spans]record

func recordNumber(b Basis, remaining time.Duration) int {
	n := spanOf(remaining)
	if b == History {
		n += spans
	}
	return n
}

// told makes the estimate of some seconds from a time on.
func (e *estimate) told(now portcall.Millis, all *records) Estimate {
	low, usual, high, basis := e.seconds()
	remaining := seconds(usual)
	if l, h, ok := all[recordNumber(basis, remaining)].interval(); ok && !e.waits() {
		low, high = l*usual, h*usual
	}
	return Estimate{At: now, ETA: now.Add(remaining), Low: now.Add(seconds(low)), High: now.Add(seconds(high)), Basis: basis, Distance: e.remaining}
}

// seconds makes a duration of whole seconds.
func seconds(s float64) time.Duration { return time.Duration(min(s, 1e9)) * time.Second }

// learn takes how wrong the estimates of a track were that arrived: the first one of each span.
func (all *records) learn(history []Estimate, arrived portcall.Millis) (changed []int) {
	var had [spans]bool
	for i := range history {
		one := &history[i]
		if !one.Status.sailing() || one.Status == Stopped || one.ETA <= one.At || one.At >= arrived {
			continue
		}
		remaining := one.ETA.Since(one.At)
		if span := spanOf(remaining); !had[span] {
			had[span] = true
			n := recordNumber(one.Basis, remaining)
			all[n].add(float64(arrived-one.At) / float64(one.ETA-one.At))
			changed = append(changed, n)
		}
	}
	return changed
}
