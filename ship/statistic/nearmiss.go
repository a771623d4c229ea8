package statistic

import (
	"cmp"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

const (
	nearSilence = 30 * time.Minute      // after so long without a hit a pair that comes near begins a new encounter (design, near miss)
	keptAfter   = nearSilence + nearGap // since a ship was near the shape, its legs are kept
	apartFactor = 2                     // so many times farther apart than asked for, an encounter is over (as before)
	raftedBelow = 0.5                   // knots, of both: ships that lie beside each other (as before)
)

// NearMissQuestion asks which ships came near each other.
type NearMissQuestion struct {
	Period   Period
	Area     *geo.Area  // the middle between both ships must be in it when they are nearest
	Distance float64    // metres; so near or nearer counts
	SOG      Range      // knots, of both ships. With Min, ships that lie beside each other count too
	DSOG     Range      // knots, difference of the two SOGs
	DCOG     Range      // degrees 0..180, difference of the two COGs
	Team     []ais.MMSI // one of the two must be among them; none for all ships
	Domain   *Domain    // one of the two must come into that of the other; nil where the distance alone counts
	Meetings []Meeting  // they meet in one of these ways; none for all, also for what has no name
}

// Encounter is that two ships came near each other, when they were nearest, or deepest in a domain.
type Encounter struct {
	At        int64   // Unix milliseconds
	Distance  float64 // metres
	Ships     [2]Near // the smaller number first
	Meeting   Meeting
	Intrusion Intrusion // where a domain is asked for
}

// Moments returns what a reader must be allowed to have seen.
func (e Encounter) Moments() []Moment { return append(e.Ships[0].moments(), e.Ships[1].moments()...) }

// NearMiss finds pairs of ships that came near each other. Between two fixes each moves evenly. Where the legs of two overlap in time, there is a closest
// approach, or a deepest place in a domain. That is a hit if it meets the question. Hits of a pair are one encounter until the two are twice as far apart as
// asked for, or for 30 minutes without a hit. It is told at its nearest hit, or its deepest.
//
// It holds the legs of the last hour and the encounters that go on. Its work grows with the fixes, and with the pairs whose boxes of some minutes
// overlap, not with all pairs.
type NearMiss struct {
	q      NearMissQuestion
	tell   func(Encounter)
	bounds geo.Rect // ships whose legs miss it are in no hit
	team   map[ais.MMSI]bool
	ships  map[ais.MMSI]*nearShip
	legs   sliced
	next   int64 // the first slice that is not yet answered
	open   map[nearPair]*openEncounter
	rafted int
}

// nearShip is what is known of a ship from the parts before.
type nearShip struct {
	last    ship.Fix
	touched int64 // end of its last leg that touched the bounds, in Unix milliseconds
}

// nearPair is the numbers of two ships, the smaller first.
type nearPair struct{ a, b ais.MMSI }

func (p nearPair) compare(o nearPair) int {
	return cmp.Or(cmp.Compare(p.a, o.a), cmp.Compare(p.b, o.b))
}

// openEncounter is an encounter that goes on.
type openEncounter struct {
	best   Encounter
	found  bool  // best is a hit; else the two only lay beside each other
	rafted bool  // the two lay beside each other
	last   int64 // of the last hit, in Unix milliseconds
}

// NewNearMiss answers a question and tells each encounter once.
func NewNearMiss(q NearMissQuestion, tell func(Encounter)) *NearMiss {
	return &NearMiss{q: q, tell: tell, bounds: q.Area.Bounds().Expand(q.Distance), team: setOf(q.Team),
		ships: map[ais.MMSI]*nearShip{}, legs: newSliced(), next: never, open: map[nearPair]*openEncounter{}}
}

// Rafted returns how many encounters were left out so far because both ships lay still beside each other all the time (below 0.5 kn).
func (n *NearMiss) Rafted() int { return n.rafted }

// Take takes a part of a track.
func (n *NearMiss) Take(m ais.MMSI, part ship.Track) {
	s := n.ships[m]
	if s == nil {
		s = &nearShip{ship.Fix{At: never}, never}
		n.ships[m] = s
	}
	if part = newer(part, s.last.At); len(part) == 0 || n.passOver(s, part) {
		return
	}
	for _, f := range part {
		if f.At-s.last.At <= nearGap.Milliseconds() && ship.Joins(s.last, f) {
			n.keepLeg(s, &leg{ship.Leg{From: s.last, To: f}, m})
		}
		s.last = f
	}
}

// passOver passes over a part of a track far from the shape, of a ship that was not near it for long, as most are.
func (n *NearMiss) passOver(s *nearShip, part ship.Track) bool {
	before := s.last
	if before.At == never {
		before = part[0]
	}
	if before.At-s.touched <= keptAfter.Milliseconds() || partBounds(before, part).Intersects(n.bounds) {
		return false
	}
	s.last = part[len(part)-1]
	return true
}

// keepLeg keeps a leg near the shape. Legs of the next half hour are kept too, for they tell when an encounter is over.
func (n *NearMiss) keepLeg(s *nearShip, l *leg) {
	if _, _, ok := n.q.Period.window(l.From.At, l.To.At); !ok {
		return
	}
	if l.legBounds().Intersects(n.bounds) {
		s.touched = l.To.At
	}
	if l.From.At-s.touched <= keptAfter.Milliseconds() {
		n.legs.addLeg(l)
	}
}

// Over tells that all parts with fixes before now were taken. It answers the slices whose legs have all ended by then.
func (n *NearMiss) Over(now time.Time) {
	late := int64(nearGap/nearSlice) + 1
	n.answerSlices(sliceOf(now.UnixMilli()) - late)
	for m, s := range n.ships {
		if now.UnixMilli()-s.last.At > time.Hour.Milliseconds() {
			delete(n.ships, m)
		}
	}
}

// End answers what is left.
func (n *NearMiss) End() {
	n.answerSlices(math.MaxInt64)
	n.endSilent(math.MaxInt64)
}

// answerSlices answers the slices up to one. Slices in which nothing moved and nothing is open are passed over.
func (n *NearMiss) answerSlices(last int64) {
	for first, ok := n.legs.firstSlice(); ok; first, ok = n.legs.firstSlice() {
		if n.next = max(n.next, first); n.next > last {
			return
		}
		n.slice(n.next)
		n.legs.dropLegs(n.next)
		n.next++
	}
	if last < math.MaxInt64 {
		n.endSilent(last * nearSlice.Milliseconds())
	}
}

// endSilent ends the encounters whose last hit is too long ago, in the order of their ships.
func (n *NearMiss) endSilent(now int64) {
	var over []nearPair
	for pair, m := range n.open {
		if now-m.last > nearSilence.Milliseconds() {
			over = append(over, pair)
		}
	}
	slices.SortFunc(over, nearPair.compare)
	for _, pair := range over {
		n.endEncounter(pair)
	}
}

// endEncounter tells an encounter.
func (n *NearMiss) endEncounter(pair nearPair) {
	m := n.open[pair]
	delete(n.open, pair)
	switch {
	case m.found:
		n.tell(m.best)
	case m.rafted:
		n.rafted++
	}
}

// slice compares the ships of one slice. Two legs are compared in the slice in which the later one begins.
func (n *NearMiss) slice(slice int64) {
	n.endSilent(slice * nearSlice.Milliseconds())
	crafts := n.legs.crafts(slice)
	var rects []geo.Rect
	var asked []int // the crafts of the rectangles
	for i := range crafts {
		c := &crafts[i]
		bounds := c.legBounds()
		c.reach = reachOf(bounds, n.q.Distance)
		if n.someMayHit(c.legs) {
			rects, asked = append(rects, bounds.Expand(n.q.Distance/2)), append(asked, i)
		}
	}
	pairs, _ := overlapping(rects)
	for i, p := range pairs {
		pairs[i] = two{asked[p.a], asked[p.b]}
	}
	for pair := range n.open {
		a, known := craftOf(crafts, pair.a)
		b, alsoKnown := craftOf(crafts, pair.b)
		if known && alsoKnown {
			pairs = append(pairs, two{a, b})
		}
	}
	slices.SortFunc(pairs, two.compare)
	for _, p := range slices.Compact(pairs) {
		n.compareLegs(slice, &crafts[p.a], &crafts[p.b])
	}
}

// compareLegs goes along the legs of two ships at once.
func (n *NearMiss) compareLegs(slice int64, a, b *craft) {
	if n.team != nil && !n.team[a.mmsi] && !n.team[b.mmsi] {
		return
	}
	pair := nearPair{a.mmsi, b.mmsi}
	open := n.open[pair] != nil
	for i, k := 0, 0; i < len(a.legs) && k < len(b.legs); {
		leg, other := &a.legs[i], &b.legs[k]
		if open || !a.reach.areApart(leg, other) && n.mayHit(leg) && n.mayHit(other) {
			from, to := max(leg.From.At, other.From.At), min(leg.To.At, other.To.At)
			if from < to && sliceOf(from) == slice {
				n.meetLegs(pair, leg, other, from, to)
				open = n.open[pair] != nil
			}
		}
		if leg.To.At <= other.To.At {
			i++
		} else {
			k++
		}
	}
}

// meetLegs takes the legs of a pair for the time in which both last.
func (n *NearMiss) meetLegs(pair nearPair, a, b *leg, from, to int64) {
	from, to, ok := n.q.Period.window(from, to)
	if !ok {
		return
	}
	n.partShips(pair, a, b, from)
	if e, hit := n.nearestApproach(a, b, from, to); hit {
		n.hit(pair, e, n.q.SOG.Min == nil && a.sogAt(e.At) < raftedBelow && b.sogAt(e.At) < raftedBelow)
	}
	n.partShips(pair, a, b, to)
}

// partShips ends the encounter of two ships that are far apart at a time.
func (n *NearMiss) partShips(pair nearPair, a, b *leg, ms int64) {
	if n.open[pair] != nil && geo.Farther(a.placeAt(ms), b.placeAt(ms), apartFactor*n.q.Distance) {
		n.endEncounter(pair)
	}
}

// nearestApproach returns the closest approach of two legs in a time, or the deepest place in a domain, and whether it is a hit.
func (n *NearMiss) nearestApproach(a, b *leg, from, to int64) (e Encounter, hit bool) {
	p := pairing{a, b, from, to, a.placeAt(from), a.placeAt(to), b.placeAt(from), b.placeAt(to)}
	if farther(p.a0, p.a1, p.b0, p.b1, n.q.Distance) {
		return e, false
	}
	share, metres := geo.Approach(p.a0, p.a1, p.b0, p.b1)
	if !(metres <= n.q.Distance) {
		return e, false
	}
	e.At, e.Distance = p.timeAt(share), metres
	if n.q.Domain != nil && !n.intrude(&e, &p, share) {
		return e, false
	}
	if !n.q.Area.Contains(geo.Between(a.placeAt(e.At), b.placeAt(e.At), 0.5)) || !n.isAsked(a, b, e.At) {
		return e, false
	}
	if e.Meeting = a.motionAt(e.At).meetingWith(b.motionAt(e.At)); !n.q.asksFor(e.Meeting) {
		return e, false
	}
	e.Ships = [2]Near{a.nearAt(e.At), b.nearAt(e.At)}
	return e, true
}

// intrude moves an encounter to when one of the two ships is deepest in the domain of the other. It reports whether one of them comes into a domain.
func (n *NearMiss) intrude(e *Encounter, p *pairing, nearest float64) bool {
	e.At, e.Intrusion = n.q.Domain.intrusion(p, n.q.Distance, nearest)
	e.Distance = geo.Distance(p.a.placeAt(e.At), p.b.placeAt(e.At))
	return e.Intrusion.Ratio <= borderRatio
}

// closer reports whether a hit is to be told rather than the best one before.
func (n *NearMiss) closer(e, best *Encounter) bool {
	if n.q.Domain != nil {
		return e.Intrusion.Ratio < best.Intrusion.Ratio
	}
	return e.Distance < best.Distance
}

// mayHit reports whether the ship has a speed that the question asks for somewhere on the leg.
func (n *NearMiss) mayHit(l *leg) bool {
	const rounding = 1e-9
	from, to := l.sogAt(l.From.At), l.sogAt(l.To.At)
	least, most := n.q.SOG.Min, n.q.SOG.Max
	return (least == nil || max(from, to) >= *least-rounding) && (most == nil || min(from, to) <= *most+rounding)
}

func (n *NearMiss) someMayHit(legs []leg) bool {
	for i := range legs {
		if n.mayHit(&legs[i]) {
			return true
		}
	}
	return false
}

// isAsked reports whether the motion of two ships at a time is what the question asks for.
func (n *NearMiss) isAsked(a, b *leg, at int64) bool {
	q, own, other := &n.q, a.sogAt(at), b.sogAt(at)
	return q.SOG.Holds(own) && q.SOG.Holds(other) && q.DSOG.Holds(math.Abs(own-other)) &&
		q.DCOG.Holds(math.Abs(math.Remainder(a.cogAt(at)-b.cogAt(at), 360)))
}

// farther tells cheaply that two are never so near. It measures degrees of longitude where they are shortest. Of legs that are longer than a
// degree, and near a pole, it tells nothing.
func farther(a0, a1, b0, b1 geo.Point, metres float64) bool {
	south, north := min(a0.Lat, a1.Lat, b0.Lat, b1.Lat), max(a0.Lat, a1.Lat, b0.Lat, b1.Lat)
	top := max(math.Abs(south), math.Abs(north))
	if north-south > 1 || top > 85 {
		return false
	}
	plane := geo.PlaneAt(geo.Point{Lon: a0.Lon, Lat: top})
	at := plane.Vector(a0).To(plane.Vector(b0))
	then := plane.Vector(a1).To(plane.Vector(b1))
	return (geo.Vector{}).EdgeDistance(at, then) > metres*1.002+1
}

// hit takes a hit of two ships. Hits at which both lie still beside each other keep an encounter open, and are not told.
func (n *NearMiss) hit(pair nearPair, e Encounter, rafted bool) {
	m := n.open[pair]
	if m != nil && e.At-m.last > nearSilence.Milliseconds() {
		n.endEncounter(pair)
		m = nil
	}
	if m == nil {
		m = &openEncounter{last: e.At}
		n.open[pair] = m
	}
	m.last = max(m.last, e.At)
	switch {
	case rafted:
		m.rafted = true
	case !m.found || n.closer(&e, &m.best):
		m.best, m.found = e, true
	}
}
