package statistic

import (
	"maps"
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// The numbers of a passage.
const (
	longestPass   = 10 * 1852.0     // metres of a leg: a longer one counts only from and to the neighbourhood of the line
	neighbourhood = 1852.0          // metres from the line
	jitterWithin  = 5 * time.Minute // a ship that crosses again so soon, and did not move so far, sways on the line
	jitterMetres  = 200.0
)

// PassageQuestion asks who crossed a line, which may have any number of points.
type PassageQuestion struct {
	Period Period
	Line   geo.Line
}

// LineCrossing is a crossing of a line.
type LineCrossing struct {
	Moment
	Along       float64 // metres along the line from its first point
	LeftToRight bool    // seen from the first point towards the last, along the edge that was crossed
	Direction   string  // N, NE, E, SE, S, SW, W or NW: square to that edge, the way that the ship went
}

// Moments returns what a reader must be allowed to have seen.
func (p LineCrossing) Moments() []Moment { return []Moment{p.Moment} }

// Passages counts the crossings of a line. See docs/statistics.md for its rules.
type Passages struct {
	q     PassageQuestion
	line  barrier
	tell  func(LineCrossing)
	ships map[ais.MMSI]*passer
}

// passer is what is remembered of a ship.
type passer struct {
	last ship.Fix
	turn *turn // nil before it crossed
}

// turn is the last crossing of a ship.
type turn struct {
	at    int64 // when, Unix milliseconds
	place geo.Point
	far   float64 // metres that it was away from there since
}

// NewPassages makes a counter of crossings. It tells each at once.
func NewPassages(q PassageQuestion, tell func(LineCrossing)) *Passages {
	return &Passages{q: q, line: newBarrier(q.Line), tell: tell, ships: map[ais.MMSI]*passer{}}
}

// Take takes the fixes of a ship in one part. One that was taken before counts for nothing.
func (p *Passages) Take(m ais.MMSI, part ship.Track) {
	if p.passOver(m, part) {
		return
	}
	for _, f := range part {
		s := p.ships[m]
		switch {
		case s == nil:
			s = &passer{}
			p.ships[m] = s
		case f.At <= s.last.At:
			continue
		case ship.Joins(s.last, f):
			p.addLeg(s, &leg{ship.Leg{From: s.last, To: f}, m})
		}
		s.last = f
		if s.turn != nil {
			s.turn.moved(f.Point())
		}
	}
}

// passOver passes over a part of a track far from the line, of a ship that does not sway on it, as most are.
func (p *Passages) passOver(m ais.MMSI, part ship.Track) bool {
	s := p.ships[m]
	if s == nil || len(part) == 0 || s.turn != nil && s.turn.far < jitterMetres || p.line.bounds.Intersects(partBounds(s.last, part)) {
		return false
	}
	if last := part[len(part)-1]; last.At > s.last.At {
		s.last = last
	}
	return true
}

// Over forgets the ships that are silent: no leg leads to what they report later.
func (p *Passages) Over(now time.Time) {
	maps.DeleteFunc(p.ships, func(_ ais.MMSI, s *passer) bool {
		return now.UnixMilli()-s.last.At > ship.GapLimit.Milliseconds()
	})
}

// End has nothing to tell: no passage is open.
func (p *Passages) End() {}

// addLeg takes a leg.
func (p *Passages) addLeg(s *passer, l *leg) {
	for _, c := range p.line.crossings(l) {
		at := l.timeAt(c.Frac)
		if s.sways(at, c.At) || !p.q.Period.Holds(at) {
			continue
		}
		p.tell(LineCrossing{l.moment(at, c.Frac), c.Along, c.LeftToRight, sideways(p.q.Line, &c)})
	}
}

// sways notes a crossing, and reports whether it is jitter. The place stays that of the crossing that was none: so a ship that drifts along
// the line is told again after 200 m.
func (s *passer) sways(at int64, place geo.Point) bool {
	if t := s.turn; t != nil {
		t.moved(place)
		if soon := at-t.at < jitterWithin.Milliseconds(); soon && t.far < jitterMetres {
			t.at = at
			return true
		}
	}
	s.turn = &turn{at: at, place: place}
	return false
}

// moved notes where the ship is.
func (t *turn) moved(to geo.Point) {
	if t.far < jitterMetres {
		t.far = max(t.far, geo.PlaneAt(t.place).Vector(to).Length())
	}
}

// barrier is a line with what makes a leg far from it cheap.
type barrier struct {
	line   geo.Line
	bounds geo.Rect
}

func newBarrier(line geo.Line) barrier { return barrier{line, line.Bounds()} }

// crossings returns the crossings of a leg in their order. A leg longer than ten miles has them only if both of its ends are near the line.
func (b *barrier) crossings(l *leg) []geo.Crossing {
	if !b.bounds.Intersects(l.legBounds()) {
		return nil
	}
	all := geo.Crossings(l.From.Point(), l.To.Point(), b.line)
	if len(all) > 0 && l.Length() > longestPass && !(b.isNear(l.From.Point()) && b.isNear(l.To.Point())) {
		return nil
	}
	return all
}

// isNear reports whether a place is in the neighbourhood of the line.
func (b *barrier) isNear(p geo.Point) bool {
	plane := geo.PlaneAt(p)
	for i := 1; i < len(b.line); i++ {
		from := plane.Vector(b.line[i-1])
		east := geo.Point{Lon: b.line[i].Lon - b.line[i-1].Lon}.Normalized().Lon // the edge may run behind the earth, seen from p
		way := plane.Vector(geo.Point{Lon: p.Lon + east, Lat: p.Lat + b.line[i].Lat - b.line[i-1].Lat})
		if (geo.Vector{}).EdgeDistance(from, from.Along(way, 1)) <= neighbourhood {
			return true
		}
	}
	return false
}

// sideways returns the direction square to the edge that was crossed, the way that the ship went.
func sideways(line geo.Line, c *geo.Crossing) string {
	plane := geo.PlaneAt(c.At)
	way := plane.Vector(line[c.Edge]).To(plane.Vector(line[c.Edge+1]))
	along := math.Atan2(way.X, way.Y) * 180 / math.Pi
	if c.LeftToRight {
		return compassPoint(along + 90)
	}
	return compassPoint(along - 90)
}

// compassPoint returns the nearest of the eight points of the compass.
func compassPoint(degrees float64) string {
	points := []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"}
	return points[int(math.Round(math.Mod(degrees+720, 360)/45))%len(points)]
}
