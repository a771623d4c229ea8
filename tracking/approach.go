package tracking

import (
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// marks is how many distances before the berth tell how long ships took from there.
const marks = 8

// markAt gives the distance of a mark in metres, along the way.
func markAt(i int) float64 { return [marks]float64{1, 2, 3, 5, 8, 12, 20, 30}[i] * 1852 }

// Approach is how a ship came into a port.
type Approach struct {
	Seen  portcall.Millis `json:"seen"` // when its call began
	MMSI  ais.MMSI        `json:"mmsi"`
	At    portcall.Millis `json:"at"`             // when it was alongside
	Group int             `json:"group"`          // of its type
	From  uint64          `json:"from,omitempty"` // the port of its call before, 0 when that is not known
	Took  [marks]int32    `json:"took"`           // seconds from each mark to the berth; 0 where it was not heard
	Knots float64         `json:"knots"`          // its speed before it slowed down for the port
	Rest  int32           `json:"rest,omitempty"` // seconds of these in which it lay still before it came to the berth
}

// group gives the group of a ship type whose ships come into a port alike: its tens, and tankers go with cargo ships.
func group(of *ship.Static) int {
	switch {
	case of == nil:
		return 0
	case of.Type >= 80 && of.Type <= 89:
		return 7
	}
	return int(of.Type) / 10
}

// longestApproach is how long before an arrival a mark counts.
const longestApproach = 36 * time.Hour

// approachOf reads how a ship came into a port in the positions before its arrival, back from the berth. It is false when they do not tell.
func approachOf(track ship.Track, arrived portcall.Millis) (a Approach, ok bool) {
	sailed, mark := 0.0, 0
	var speed speedBefore
	if n := len(track); n == 0 || arrived.Since(portcall.Millis(track[n-1].At)) > berthing {
		return a, false // nothing was heard of how it came alongside
	}
	for i := len(track) - 1; i > 0 && mark < marks; i-- {
		from, to := track[i-1], track[i]
		if portcall.Millis(to.At) > arrived {
			continue
		}
		if !ship.Joins(from, to) {
			break
		}
		if lies(from, to) {
			until := min(portcall.Millis(to.At), arrived.Add(-berthing))
			a.Rest += max(0, int32(until.Since(portcall.Millis(from.At))/time.Second))
			continue // at anchor a ship swings about
		}
		leg := geo.Distance(from.Point(), to.Point())
		for mark < marks && sailed+leg >= markAt(mark) {
			share := (markAt(mark) - sailed) / leg
			at := portcall.Millis(float64(to.At) - share*float64(to.At-from.At))
			a.Took[mark] = int32(arrived.Since(at) / time.Second)
			mark++
		}
		sailed += leg
		speed.take(from, to, sailed)
	}
	a.Knots = speed.knots()
	return a, mark > 0 && a.Knots > 0
}

// berthing is how long before an arrival a ship makes no way any more because it comes alongside.
const berthing = 20 * time.Minute

// lies tells whether a ship made no way on a leg.
func lies(from, to ship.Fix) bool { return ship.Leg{From: from, To: to}.Knots() < stoppedBelow }

// waited tells whether the ship lay still on its way in, at anchor as a rule.
func (a *Approach) waited() bool { return time.Duration(a.Rest)*time.Second > stoppedFor }

// speedBefore is the mean of the SOG under way: near a port, and before the ship came near it.
type speedBefore struct{ near, far [2]float64 } // minutes times knots, and minutes

// take notes the SOG on a leg that begins so many metres before the berth.
func (s *speedBefore) take(from, to ship.Fix, before float64) {
	knots, ok := from.SOG.Knots()
	if !ok || knots <= underWay {
		return
	}
	of := &s.near
	if before > offPort {
		of = &s.far
	}
	lasts := float64(to.At-from.At) / 60_000
	of[0] += lasts * knots
	of[1] += lasts
}

func (s *speedBefore) knots() float64 {
	for _, of := range [][2]float64{s.far, s.near} {
		if of[1] > 0 {
			return of[0] / of[1]
		}
	}
	return 0
}

// Bounds of what is kept of the approaches to a port, and of how many make a profile.
const (
	mostApproaches = 100 // of ships of a group
	leastProfile   = 5
)

// profile is how much longer ships take from each mark to their berths than at their speed at sea. It is mostly the time for slowing down, for the
// pilot and for coming alongside, and little of it goes with the speed.
type profile struct {
	known            [marks]bool
	waits            []float64      // seconds that ships lay still on their way in, of those that did, sorted
	low, usual, high [marks]float64 // seconds: of ten ships one is quicker, the median of those that did not wait, and of ten one is slower
}

// profileOf makes the profile of a type out of approaches, mark by mark: of those from the same port where they are enough, else from anywhere. It is
// nil when there are too few.
func profileOf(all []Approach, group int, from uint64) *profile {
	p := &profile{}
	found := false
	for r := range marks {
		var leg, kind []*Approach
		for i := range all {
			a := &all[i]
			if a.Took[r] == 0 || a.Group != group {
				continue
			}
			kind = append(kind, a)
			if from != 0 && a.From == from {
				leg = append(leg, a)
			}
		}
		for _, list := range [][]*Approach{leg, kind} {
			if p.known[r] = p.take(r, list); p.known[r] {
				found = true
				break
			}
		}
	}
	if !found {
		return nil
	}
	for i := range all {
		if a := &all[i]; a.Group == group && a.waited() {
			p.waits = append(p.waits, float64(a.Rest))
		}
	}
	slices.Sort(p.waits)
	return p
}

// take makes a mark of the profile out of approaches, if they are enough.
func (p *profile) take(r int, list []*Approach) bool {
	var all, straight []float64
	for _, a := range list {
		took := float64(a.Took[r]) - markAt(r)/perSecond(a.Knots)
		all = append(all, took)
		if !a.waited() {
			straight = append(straight, took)
		}
	}
	if len(straight) < leastProfile {
		return false
	}
	slices.Sort(all)
	slices.Sort(straight)
	p.low[r], p.usual[r], p.high[r] = quantile(all, 0.1), quantile(straight, 0.5), quantile(all, 0.9)
	return true
}

// quantile gives a quantile of sorted values, between two of them in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// widest gives the farthest mark that is known.
func (p *profile) widest() int {
	for r := marks - 1; r > 0; r-- {
		if p.known[r] {
			return r
		}
	}
	return 0
}

// rest gives how much longer a ship lies still that has done so for some seconds: of those that lay still for longer half went on by usual, and nine
// of ten by high. They are 0 where too few tell it.
func (p *profile) rest(still float64) (usual, high float64) {
	i, _ := slices.BinarySearch(p.waits, still)
	if longer := p.waits[i:]; len(longer) >= leastProfile {
		return quantile(longer, 0.5) - still, quantile(longer, 0.9) - still
	}
	return 0, 0
}

// later gives how much longer a ship takes from a distance to its berth.
func (p *profile) later(metres float64) (low, usual, high float64) {
	last := -1
	for r := range marks {
		if !p.known[r] {
			continue
		}
		if metres <= markAt(r) && last < 0 {
			return p.low[r], p.usual[r], p.high[r]
		}
		if metres <= markAt(r) {
			share := (metres - markAt(last)) / (markAt(r) - markAt(last))
			between := func(of *[marks]float64) float64 { return of[last] + share*(of[r]-of[last]) }
			return between(&p.low), between(&p.usual), between(&p.high)
		}
		last = r
	}
	return p.low[last], p.usual[last], p.high[last]
}
