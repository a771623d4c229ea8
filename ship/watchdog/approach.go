package watchdog

import (
	"cmp"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// approach is how two ships come to each other.
type approach struct {
	distance float64 // metres, now
	closing  float64 // metres a second between their velocities
	cpa      float64 // metres
	tcpa     float64 // seconds; below 0 they move apart
}

// lookRound compares a ship with the others.
func (p *Pairs) lookRound(i int, dst []Danger) []Danger {
	ship, first := &p.ships[i], len(dst)
	at := ship.state.Fix.Point()
	plane := geo.PlaneAt(at)
	limit, within := p.m.d.CPA*clearFactor, p.m.d.TCPA.Seconds()*clearFactor
	for k := range p.ships {
		other := &p.ships[k]
		if k == i {
			continue
		}
		late := ship.state.Fix.At - other.state.Fix.At
		if late > reckoned(&other.state) || late < -reckoned(&ship.state) {
			continue
		}
		r := plane.Vector(other.state.Fix.Point())
		reach := limit + within*(ship.speed+other.speed)
		far := math.Abs(r.X) > reach || math.Abs(r.Y) > reach
		if far && (ship.pairs == 0 || other.pairs == 0) {
			continue
		}
		r = r.Along(other.velocity, float64(late)/1000)
		a := approachOf(r, ship.velocity.To(other.velocity))
		near := a.tcpa >= 0 && a.cpa < limit && a.tcpa <= within || a.distance < partMetres
		if near || ship.pairs > 0 && other.pairs > 0 {
			dst = p.checkApproach(ship, other, a, dst)
		}
	}
	inOrder(dst[first:])
	return dst
}

// inOrder sorts what happened at once by time, and then by the numbers of the ships.
func inOrder(found []Danger) {
	if len(found) > 1 {
		slices.SortFunc(found, func(x, y Danger) int { return cmp.Or(cmp.Compare(x.At, y.At), x.compare(y.Pair)) })
	}
}

// reckoned returns for how many milliseconds a ship is reckoned on from its last report: for some of the intervals at which it should report.
func reckoned(s *ship.State) int64 {
	if s.Class == ship.ClassB {
		return 90_000
	}
	return 30_000
}

// approachOf returns how two ships approach each other, from the way to the other ship and its velocity as this one sees it.
func approachOf(r, w geo.Vector) approach {
	square := w.Dot(w)
	a := approach{distance: math.Sqrt(r.Dot(r)), closing: math.Sqrt(square)}
	if square < leastClosing*leastClosing {
		a.cpa = a.distance
		return a
	}
	a.tcpa = -r.Dot(w) / square
	least := r.Along(w, a.tcpa)
	a.cpa = math.Sqrt(least.Dot(least))
	return a
}

// checkApproach takes how two ships approach each other.
func (p *Pairs) checkApproach(own, other *sailing, a approach, dst []Danger) []Danger {
	key, now := PairOf(own.state.MMSI, other.state.MMSI), own.state.Fix.At
	i, known := p.index[key]
	together := a.distance < togetherMetres && a.closing < togetherSpeed || known && p.pairs[i].together && a.distance < partMetres
	danger := a.tcpa >= 0 && a.tcpa <= p.m.d.TCPA.Seconds() && a.cpa < p.m.d.CPA && a.closing >= leastClosing &&
		own.counts() && other.counts() && !together && !excused(own, other)
	if !danger && (!known || !p.pairs[i].Active) {
		p.tellNoDanger(own, other, a, together)
	}
	if !known {
		if !danger && !together || len(p.pairs) >= mostPairs {
			return dst
		}
		i = p.add(pairing{PairMemory: PairMemory{Pair: key}})
	}
	k := &p.pairs[i]
	k.heard, k.together = max(k.heard, now), together
	if k.Active {
		return p.goesOn(k, a, now, dst)
	}
	switch {
	case !danger:
		k.count, k.from = 0, 0
		return dst
	case k.from == 0:
		k.from = now
	}
	between := p.m.d.BetweenTimes.Milliseconds()
	if k.count = min(k.count+1, mostSamples); int(k.count) < p.m.d.ToActivate || !k.believed(own, other, a, now) || k.Since != 0 && now-k.Since < between {
		p.tellWaiting(k, own, other, a, now)
		return dst
	}
	first, second := own, other
	picked, alsoPicked := p.m.picks(&own.state), p.m.picks(&other.state)
	switch {
	case !picked && !alsoPicked:
		p.unmeant(own, other)
		return dst
	case !picked, alsoPicked && other.state.MMSI < own.state.MMSI:
		first, second = other, own
	}
	k.Active, k.Since, k.off, k.clear = true, now, 0, 0
	p.active++
	own.pairs++
	other.pairs++
	return append(dst, Danger{PairMemory: k.PairMemory, At: now, Ship: &first.state, Other: &second.state, CPA: a.cpa,
		TCPA: time.Duration(a.tcpa * float64(time.Second))})
}

// believed reports whether a danger is one to tell of now. One that is near in time is. A danger that is farther off must have stood for some time. A ship that
// turned or changed its speed must have gone on for as long as the danger is away. A ship that has just turned will turn again.
func (k *pairing) believed(own, other *sailing, a approach, now int64) bool {
	if a.tcpa <= urgentTime.Seconds() {
		return true
	}
	held := time.Duration(now-max(own.holds, other.holds)) * time.Millisecond
	return now-k.from >= steadyTime.Milliseconds() && held.Seconds() >= a.tcpa
}

// goesOn looks whether the danger of a pair is over. It is over when the two have passed each other, or have been clear of each other for a while.
func (p *Pairs) goesOn(k *pairing, a approach, now int64, dst []Danger) []Danger {
	passed := a.tcpa < 0 && a.closing >= leastClosing
	clear := a.cpa >= p.m.d.CPA*clearFactor || a.tcpa > p.m.d.TCPA.Seconds()*clearFactor || a.closing < leastClosing
	switch {
	case !passed && !clear:
		k.off, k.clear = 0, 0
		return dst
	case k.clear == 0:
		k.clear = now
	}
	k.off = min(k.off+1, mostSamples)
	if int(k.off) < p.m.d.ToDeactivate || !passed && now-k.clear < clearTime.Milliseconds() {
		return dst
	}
	return p.endDanger(k, now, dst)
}

// endDanger ends the danger of a pair.
func (p *Pairs) endDanger(k *pairing, at int64, dst []Danger) []Danger {
	k.Active, k.count, k.off, k.from, k.clear = false, 0, 0, 0, 0
	p.active--
	for _, m := range []ais.MMSI{k.A, k.B} {
		if i, known := p.places[m]; known {
			p.ships[i].pairs--
		}
	}
	return append(dst, Danger{PairMemory: k.PairMemory, At: at})
}
