package watchdog

import (
	"math"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// Hindrance is what kept a machine from raising an event at one report.
type Hindrance struct {
	Kind ObstacleKind
	At   int64   // of the report, Unix milliseconds
	Is   float64 // what it was; NaN where that is not known
	Asks float64 // what the definition asks for
}

// ObstacleKind tells what kept a machine from raising an event.
type ObstacleKind uint8

// The obstacles, in the order in which a report meets them.
const (
	ByJump    ObstacleKind = iota // nobody knows which way the ship took: the last report is a jump away, or Is minutes old
	ByName                        // of LostShip: it is none that is named
	ByType                        // of Fishing: the ship is none that fishes, by its type and its status
	ByWindow                      // of Fishing: it was not followed for the window
	BySpeed                       // of Fishing: its mean speed was Is knots
	ByPort                        // of Fishing: it was in port, or left it Is minutes before
	ByLimit                       // of Speed: it sailed at Is knots, and the limit is Asks
	ByLeast                       // of Speed: it was above the limit for Is seconds, of Asks
	BySailing                     // of a Cable: it sailed as ships do, at Is knots
	ByHours                       // the watchdog did not watch at that hour
	ByPace                        // its speed was Is knots
	ByDraught                     // its draught was Is metres, of Asks
	ByCourse                      // its course was Is degrees
	ByFilter                      // the filter does not match it
	ByApart                       // of a CPA: it would come Is metres near to another ship, and the limit is Asks
	ByWork                        // of a CPA: the other ship is one that it works or fishes with
	BySteady                      // of a CPA: the danger stood for Is seconds, of Asks, or one of the two had just turned or changed its speed
	ByJitter                      // it crossed the border or line again, near the last crossing and soon after it
	ByLying                       // it lay Is metres from the middle of its places, within the Asks of a ship that makes no way
	ByCount                       // it was the report of number Is in a row, of Asks
	ByReports                     // Is reports had come since the last activation, of Asks
	ByTime                        // Is seconds had passed since the last activation, of Asks
	Obstacles                     // how many kinds there are
)

// Traced returns a machine that does the same, and hands what keeps it from raising an event to told. What is active already is no obstacle.
func (m *Machine) Traced(told func(Hindrance)) *Machine {
	traced := *m
	traced.told = told
	return &traced
}

// tellObstacle tells of an obstacle, where somebody wants to know.
func (m *Machine) tellObstacle(kind ObstacleKind, at int64, is, asks float64) {
	if m.told != nil {
		m.told(Hindrance{kind, at, is, asks})
	}
}

// Trace has the pairs of one ship hand what keeps them from raising an event to told. What is active already is no obstacle.
func (p *Pairs) Trace(of ais.MMSI, told func(Hindrance)) { p.traced, p.told = of, told }

// tellObstacle tells of an obstacle of two ships, where somebody wants to know.
func (p *Pairs) tellObstacle(own, other *sailing, kind ObstacleKind, is, asks float64) {
	if p.told != nil && (own.state.MMSI == p.traced || other.state.MMSI == p.traced) {
		p.told(Hindrance{kind, own.state.Fix.At, is, asks})
	}
}

// tellNoDanger tells why two ships that come near each other are no danger.
func (p *Pairs) tellNoDanger(own, other *sailing, a approach, together bool) {
	switch {
	case p.told == nil || a.tcpa < 0 || a.tcpa > p.m.d.TCPA.Seconds() || !own.counts() || !other.counts():
	case a.cpa >= p.m.d.CPA:
		p.tellObstacle(own, other, ByApart, a.cpa, p.m.d.CPA)
	case together || excused(own, other):
		p.tellObstacle(own, other, ByWork, 0, 0)
	}
}

// unmeant tells that the definition means neither of two ships.
func (p *Pairs) unmeant(own, other *sailing) {
	kind := ByFilter
	if !p.m.d.Hours.Open(own.state.Fix.At) {
		kind = ByHours
	}
	p.tellObstacle(own, other, kind, 0, 0)
}

// tellWaiting tells why a danger of two ships is not told of yet.
func (p *Pairs) tellWaiting(k *pairing, own, other *sailing, a approach, now int64) {
	switch between := p.m.d.BetweenTimes.Milliseconds(); {
	case p.told == nil:
	case !p.m.picks(&own.state) && !p.m.picks(&other.state):
		p.unmeant(own, other)
	case int(k.count) < p.m.d.ToActivate:
		p.tellObstacle(own, other, ByCount, float64(k.count), float64(p.m.d.ToActivate))
	case !k.believed(own, other, a, now):
		p.tellObstacle(own, other, BySteady, float64(now-k.from)/1000, steadyTime.Seconds())
	default:
		p.tellObstacle(own, other, ByTime, float64(now-k.Since)/1000, float64(between)/1000)
	}
}

// Distance returns how far a place is from what the machine watches, in metres; 0 inside, also of the buffer. It is false for a Port.
func (m *Machine) Distance(p geo.Point) (metres float64, ok bool) {
	if m.d.Type == Port {
		return 0, false
	}
	switch {
	case m.contains(p):
		return 0, true
	case m.d.Type == Anchor:
		return max(0, metresBetween(*m.d.Center, p)-m.d.Radius), true
	case len(m.edges) == 0: // it is anywhere
		return 0, true
	}
	plane := geo.PlaneAt(p)
	least := math.Inf(1)
	for _, r := range m.edges {
		for k := 1; k < len(r.line); k++ {
			least = min(least, (geo.Vector{}).EdgeDistance(plane.Vector(r.line[k-1]), plane.Vector(r.line[k])))
		}
	}
	return max(0, least-m.d.Buffer), true
}

// course returns the course of a fix as a number; NaN where it says nothing.
func course(f *ship.Fix) float64 {
	degrees, ok := f.COG.Degrees()
	if tenths, known := f.SOG.Tenths(); !ok || known && tenths < leastCourse {
		return math.NaN()
	}
	return degrees
}

// pace returns the speed of a fix as a number, in knots.
func pace(f *ship.Fix) float64 {
	knots, ok := f.SOG.Knots()
	if !ok {
		return math.NaN()
	}
	return knots
}

// tellMissed tells of a line or border that lies on the way over which no leg leads.
func (m *Machine) tellMissed(l *leg) {
	if !l.known || l.joined {
		return
	}
	way := *l
	way.joined = true
	if _, _, crosses := m.edges.crossingEnds(&way); crosses {
		m.tellObstacle(ByJump, l.fix.At, float64(l.fix.At-l.begin)/60_000, longestLeg.Minutes())
	}
}

// metresOf returns a draught as a number.
func metresOf(s *ship.State) float64 {
	if s.Voyage == nil || s.Voyage.Centimetres() == 0 {
		return math.NaN()
	}
	return float64(s.Voyage.Centimetres()) / 100
}
