package filter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/ship"
)

// ShipPace is how late, and how often, a user gets a ship: the slowest that the filters of the user and of all groups allow.
type ShipPace struct {
	Delay  time.Duration // everything is given out so much later
	every  time.Duration // between two updates of one ship, wherever it is
	ranges []rangeSet
	key    string
}

// rangeSet is one range_dependant_update.
type rangeSet struct {
	from  geo.Point
	rings []ring // in the order in which they were written
	rim   time.Duration
}

type ring struct {
	metres float64
	every  time.Duration
}

// PaceOf returns the pace of a user with these receive filters.
func PaceOf(filters []form.Keys) (p ShipPace) {
	for _, keys := range filters {
		p.add(keys)
	}
	return p
}

// add takes what a filter says on top of the others.
func (p *ShipPace) add(keys form.Keys) {
	second := func(key string) time.Duration { return time.Duration(get[int64](keys, key)) * time.Second }
	p.Delay = max(p.Delay, second("delay"))
	p.every = max(p.every, second("update_interval"))
	written := get[ranges](keys, "range_dependant_update")
	if len(written.Ranges) == 0 || len(written.Position) != 2 {
		return
	}
	set := rangeSet{from: written.centrePoint()}
	for _, r := range written.Ranges {
		set.rings = append(set.rings, ring{float64(r.Distance), time.Duration(r.Interval) * time.Second})
	}
	set.rim = slices.MaxFunc(set.rings, func(a, b ring) int { return cmp.Compare(a.metres, b.metres) }).every
	p.ranges = append(p.ranges, set)
}

// Zero reports whether nothing is late or left out.
func (p ShipPace) Zero() bool { return p.Delay == 0 && !p.Thins() }

// Thins reports whether a ship may have an interval at all.
func (p ShipPace) Thins() bool { return p.every > 0 || len(p.ranges) > 0 }

// Interval returns the time between two updates of the ship, 0 for all of them. Of range_dependant_update the first range that holds the ship counts. Beyond
// the widest its interval goes on, as a ship farther off is not worth more. A ship that was never placed is in no range.
func (p ShipPace) Interval(s *ship.State) time.Duration {
	every := p.every
	if !s.HasFix {
		return every
	}
	at := s.Fix.Point()
	for i := range p.ranges {
		every = max(every, p.ranges[i].intervalAt(at))
	}
	return every
}

// Longest returns the longest time between two updates that a ship may have, wherever it is.
func (p ShipPace) Longest() time.Duration {
	longest := p.every
	for _, r := range p.ranges {
		for _, ring := range r.rings {
			longest = max(longest, ring.every)
		}
	}
	return longest
}

func (r *rangeSet) intervalAt(at geo.Point) time.Duration {
	metres := geo.Distance(r.from, at)
	for _, ring := range r.rings {
		if metres <= ring.metres {
			return ring.every
		}
	}
	return r.rim
}

// Key is the same for paces that are the same.
func (p ShipPace) Key() string { return p.key }

func (p ShipPace) paceText() string {
	if p.Zero() {
		return ""
	}
	var b strings.Builder
	fmt.Fprint(&b, p.Delay, " ", p.every)
	for _, r := range p.ranges {
		fmt.Fprint(&b, " ", r.from, r.rings)
	}
	return b.String()
}
