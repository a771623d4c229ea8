package statistic

import (
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// NearPointQuestion asks which ships came near a fixed place. A difference of speed or course means nothing there.
type NearPointQuestion struct {
	Period   Period
	Place    geo.Point
	Distance float64    // metres; so near or nearer counts
	SOG      Range      // knots
	Team     []ais.MMSI // these ships alone; none for all
}

// NearPass is that a ship came near the place, when it was nearest.
type NearPass struct {
	At       int64   // Unix milliseconds
	Distance float64 // metres
	Ship     Near
}

// Moments returns what a reader must be allowed to have seen.
func (a NearPass) Moments() []Moment { return a.Ship.moments() }

// NearPoint finds ships that came near a place. An approach lasts until the ship is twice as far away as asked for, or has told no place for
// 30 minutes. It is told at its nearest. Legs longer than ten minutes do not count. It holds one fix a ship, and the approaches that go on.
type NearPoint struct {
	q      NearPointQuestion
	tell   func(NearPass)
	bounds geo.Rect // of twice the distance
	team   map[ais.MMSI]bool
	ships  map[ais.MMSI]*nearing
}

// nearing is a ship and its approach.
type nearing struct {
	last ship.Fix
	best NearPass
	open bool
}

// NewNearPoint answers a question and tells each approach once.
func NewNearPoint(q NearPointQuestion, tell func(NearPass)) *NearPoint {
	bounds := geo.Circle{Center: q.Place, Radius: apartFactor * q.Distance}.Bounds()
	return &NearPoint{q: q, tell: tell, bounds: bounds, team: setOf(q.Team), ships: map[ais.MMSI]*nearing{}}
}

// Take takes a part of a track.
func (n *NearPoint) Take(m ais.MMSI, part ship.Track) {
	if n.team != nil && !n.team[m] {
		return
	}
	s := n.ships[m]
	if s == nil {
		s = &nearing{last: ship.Fix{At: never}}
		n.ships[m] = s
	}
	for _, f := range newer(part, s.last.At) {
		if f.At-s.last.At > nearSilence.Milliseconds() {
			n.endApproach(s)
		}
		if f.At-s.last.At <= nearGap.Milliseconds() && ship.Joins(s.last, f) {
			n.addLeg(s, &leg{ship.Leg{From: s.last, To: f}, m})
		}
		s.last = f
	}
}

// addLeg takes a leg of a ship.
func (n *NearPoint) addLeg(s *nearing, l *leg) {
	from, to, ok := n.q.Period.window(l.From.At, l.To.At)
	if !ok {
		return
	}
	a, b := l.placeAt(from), l.placeAt(to)
	if !geo.RectOf(a, b).Intersects(n.bounds) {
		n.endApproach(s)
		return
	}
	n.endIfFar(s, a)
	share, metres := geo.Approach(a, b, n.q.Place, n.q.Place)
	at := from + int64(math.Round(share*float64(to-from)))
	if metres <= n.q.Distance && n.q.SOG.Holds(l.sogAt(at)) && (!s.open || metres < s.best.Distance) {
		s.best, s.open = NearPass{at, metres, l.nearAt(at)}, true
	}
	n.endIfFar(s, b)
}

// endIfFar ends the approach of a ship that is far away.
func (n *NearPoint) endIfFar(s *nearing, at geo.Point) {
	if s.open && geo.Distance(at, n.q.Place) > apartFactor*n.q.Distance {
		n.endApproach(s)
	}
}

// endApproach tells an approach, if there is one.
func (n *NearPoint) endApproach(s *nearing) {
	if s.open {
		s.open = false
		n.tell(s.best)
	}
}

// Over tells that all parts with fixes before now were taken. It ends the approaches of ships that are silent.
func (n *NearPoint) Over(now time.Time) { n.dropShips(now.UnixMilli() - nearSilence.Milliseconds()) }

// End tells what goes on.
func (n *NearPoint) End() { n.dropShips(math.MaxInt64) }

// dropShips forgets the ships whose last fix was before a time.
func (n *NearPoint) dropShips(before int64) {
	var over []ais.MMSI
	for m, s := range n.ships {
		if s.last.At < before {
			over = append(over, m)
		}
	}
	slices.Sort(over)
	for _, m := range over {
		n.endApproach(n.ships[m])
		delete(n.ships, m)
	}
}
