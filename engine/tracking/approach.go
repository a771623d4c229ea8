package tracking

import (
	"maps"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// marks is how many distances before the berth tell how long ships took from there.
const marks = 8

// markAt returns the distance of a mark in metres, along the way.
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

	Late [lateTimes]*int32 `json:"late"` // seconds by which it came after what a track thought so long before; nil where no track did
}

// typeGroup returns the group of a ship type whose ships come into a port alike: its tens, and tankers go with cargo ships.
func typeGroup(of *ship.Static) int {
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
		if liesStill(from, to) {
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
		speed.noteSpeed(from, to, sailed)
	}
	a.Knots = speed.meanKnots()
	return a, mark > 0 && a.Knots > 0
}

// berthing is how long before an arrival a ship makes no way any more because it comes alongside.
const berthing = 20 * time.Minute

// liesStill reports whether a ship made no way on a leg.
func liesStill(from, to ship.Fix) bool { return ship.Leg{From: from, To: to}.Knots() < stoppedBelow }

// waited reports whether the ship lay still on its way in, at anchor as a rule.
func (a *Approach) waited() bool { return time.Duration(a.Rest)*time.Second > shortWait }

// speedBefore is the mean of the SOG under way: near a port, and before the ship came near it.
type speedBefore struct{ near, far [2]float64 } // minutes times knots, and minutes

// noteSpeed notes the SOG on a leg that begins so many metres before the berth.
func (s *speedBefore) noteSpeed(from, to ship.Fix, before float64) {
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

func (s *speedBefore) meanKnots() float64 {
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

// dropApproach drops an approach where there are too many of a group: the oldest from the port that most of them came from. So a ferry that comes each hour does
// not drive out the ships that come each week.
func dropApproach(list []Approach, group int) []Approach {
	alike := 0
	from := map[uint64]int{}
	for i := range list {
		if list[i].Group == group {
			alike++
			from[list[i].From]++
		}
	}
	if alike <= mostApproaches {
		return list
	}
	most := slices.Max(slices.Collect(maps.Values(from)))
	i := slices.IndexFunc(list, func(a Approach) bool { return a.Group == group && from[a.From] == most })
	return slices.Delete(list, i, i+1)
}

// profile is how much longer ships take from each mark to their berths than at their speed at sea. It is mostly the time for slowing down, for the
// pilot and for coming alongside, and little of it goes with the speed.
type profile struct {
	known            [marks]bool
	low, usual, high [marks]float64 // seconds, of ships that did not wait: of ten one is quicker, the median, and of ten one is slower
	waiting          [marks]float64 // seconds, of all ships: of ten one is slower
	late             [lateTimes]*lateness
}

// lateTimes is how many times before an arrival tell by how much ETAs missed it.
const lateTimes = 2

// lateAt returns such a time in seconds: of the estimates since then the first counts.
func lateAt(i int) float64 { return [lateTimes]float64{3600, 1200}[i] }

// lateShare returns the share of ships within the interval at such a time. So of the ships that are an hour or twenty minutes before their arrival, eight of ten are
// inside. A ship that will be late was told less than an hour, where most ships are less late: hence the larger share.
func lateShare(i int) float64 { return [lateTimes]float64{0.9, 0.66}[i] }

// lateness is by how many seconds ships came after the time that was told. A few came by less than low, half of them by less than usual, and a few by more than
// high.
type lateness struct{ low, usual, high float64 }

// latenessOf makes it out of approaches of a group, or of all where these are too few. It returns nil when there are too few of them too.
func latenessOf(all []Approach, group, i int) *lateness {
	var alike, any []float64
	for k := range all {
		if late := all[k].Late[i]; late != nil {
			any = append(any, float64(*late))
			if all[k].Group == group {
				alike = append(alike, float64(*late))
			}
		}
	}
	if len(alike) >= leastErrors {
		any = alike
	}
	if len(any) < leastErrors {
		return nil
	}
	slices.Sort(any)
	low, high := shortest(any, lateShare(i))
	return &lateness{low, quantile(any, 0.5), high}
}

// halfHour is how many seconds before an arrival the lateness of an hour before counts alone. A ship that will be late an hour before is told less.
const halfHour = 1800

// latenessAt returns the lateness of a ship that has some seconds to go, in proportion between the times that tell it. It returns nil where they do not.
func (p *profile) latenessAt(ahead float64) *lateness {
	far, close := p.late[0], p.late[1]
	if far == nil || close == nil || ahead >= inSight {
		return nil
	}
	share := min(1, max(0, (ahead-lateAt(1))/(halfHour-lateAt(1))))
	between := func(a, b float64) float64 { return a + share*(b-a) }
	return &lateness{between(close.low, far.low), between(close.usual, far.usual), between(close.high, far.high)}
}

// profileOf makes the profile of a ship of a type out of approaches, mark by mark. It takes those from the same port where they are enough, else those from
// anywhere. It is nil when there are too few.
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
			if p.known[r] = p.makeMark(r, list); p.known[r] {
				found = true
				break
			}
		}
	}
	if !found {
		return nil
	}
	for i := range p.late {
		p.late[i] = latenessOf(all, group, i)
	}
	return p
}

// secondsBeyond returns the seconds that the ship took from a mark beyond those at its speed at sea.
func (a *Approach) secondsBeyond(r int) float64 {
	return float64(a.Took[r]) - markAt(r)/perSecond(a.Knots)
}

// makeMark makes a mark of the profile out of approaches, if they are enough.
func (p *profile) makeMark(r int, list []*Approach) bool {
	var all, straight []float64
	for _, a := range list {
		all = append(all, a.secondsBeyond(r))
		if !a.waited() {
			straight = append(straight, a.secondsBeyond(r))
		}
	}
	if len(straight) < leastProfile {
		return false
	}
	slices.Sort(all)
	slices.Sort(straight)
	p.low[r], p.usual[r], p.high[r], p.waiting[r] = quantile(straight, 0.1), quantile(straight, 0.5), quantile(straight, 0.9), quantile(all, 0.9)
	return true
}

// shortest returns the shortest interval that holds a share of sorted values, more than half. Ships come late by much and early by little, so it is shorter than that
// between two quantiles.
func shortest(sorted []float64, share float64) (low, high float64) {
	n := int(math.Ceil(share * float64(len(sorted))))
	low, high = sorted[0], sorted[n-1]
	for i := range len(sorted) - n + 1 {
		if sorted[i+n-1]-sorted[i] < high-low {
			low, high = sorted[i], sorted[i+n-1]
		}
	}
	return low, high
}

// quantile returns a quantile of sorted values, between two of them in proportion.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// later returns how much longer a ship takes from a distance to its berth. Straight is that of ships that did not wait before the port.
func (p *profile) later(metres float64, straight bool) (low, usual, high float64) {
	slow := &p.waiting
	if straight {
		slow = &p.high
	}
	last := -1
	for r := range marks {
		if !p.known[r] {
			continue
		}
		if metres <= markAt(r) && last < 0 {
			return p.low[r], p.usual[r], slow[r]
		}
		if metres <= markAt(r) {
			share := (metres - markAt(last)) / (markAt(r) - markAt(last))
			between := func(of *[marks]float64) float64 { return of[last] + share*(of[r]-of[last]) }
			return between(&p.low), between(&p.usual), between(slow)
		}
		last = r
	}
	return p.low[last], p.usual[last], slow[last]
}
