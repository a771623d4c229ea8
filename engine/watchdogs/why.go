package watchdogs

import (
	"math"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs/reason"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// SilentReason tells why a watchdog raised nothing about a ship.
type SilentReason struct {
	Rule      *rule.Rule
	At        int64   // the time of an example, Unix milliseconds; 0 for none
	Metres    float64 // how far the ship was then; only where HasMetres
	HasMetres bool
}

// inquiry is what a rehearsal notes of the ship that is asked for.
type inquiry struct {
	other   *rule.Rule // why it is none that the watchdog looks at, nil where it is one
	heard   int        // its fixes
	nearest float64
	at      int64 // when it was nearest
	met     [watchdog.Obstacles]met
	state   ship.State // of the ship, as it was handed over last
	looked  string     // what the ship was when the filter did not match it
}

// met is an obstacle: how often, and the report that came farthest.
type met struct {
	count int
	best  watchdog.Hindrance
}

// whyOther says why a watchdog does not look at a ship.
func (x *Rehearsal) whyOther(s *ship.State) *rule.Rule {
	switch {
	case x.moves(s.MMSI):
		return rule.New("why_center", "the circle of the watchdog moves with this ship, which cannot come into it")
	case x.fleet != nil && s.Class != ship.ClassBase && s.Class != ship.ClassAtoN:
		return rule.New("why_class", "the watchdog compares ships of class A and B, and this is none")
	case x.fleet == nil && x.Ship() != 0 && x.Ship() != s.MMSI:
		return rule.New("why_other_ship", "the watchdog names another ship")
	case s.Class != ship.ClassBase && x.d.machine.Aids():
		return rule.New("why_no_aid", "the watchdog asks for aids to navigation, and this is none")
	}
	return rule.New("why_station", "base stations and aids to navigation raise nothing")
}

// noteApproach notes how near a ship came, as far as that is known.
func (x *Rehearsal) noteApproach(f ship.Fix) {
	x.why.heard++
	var metres float64
	var ok bool
	if x.d.zone != nil {
		if metres, ok = x.d.zone.Distance(f.Point(), f.At); !ok {
			return
		}
	} else if metres, ok = x.d.machine.Distance(f.Point()); !ok {
		metres = x.portDistance(f.Point())
	}
	if q := x.why; q.at == 0 || metres < q.nearest {
		q.nearest, q.at = metres, f.At
	}
}

// portDistance returns how far a place is from the border of the port, in metres.
func (x *Rehearsal) portDistance(p geo.Point) float64 {
	port := x.d.port
	if !port.Drawn() {
		return max(0, geo.Distance(port.Position, p)-chart.DefaultRadius)
	}
	if port.Outer.Contains(p) {
		return 0
	}
	plane := geo.PlaneAt(p)
	least := math.Inf(1)
	plane.Rings(port.Outer).Edges(func(a, b geo.Vector) bool {
		least = min(least, (geo.Vector{}).EdgeDistance(a, b))
		return true
	})
	return least
}

// noteObstacle notes an obstacle. Of several of one kind the example is the one that came farthest, where there is an order, and else the first.
func (x *Rehearsal) noteObstacle(o watchdog.Hindrance) {
	m := &x.why.met[o.Kind]
	if m.count++; m.count == 1 || reason.Farther(&o, &m.best) {
		m.best = o
	}
	if o.Kind == watchdog.ByFilter && m.count == 1 {
		x.why.looked = reason.Look(&x.why.state)
	}
}

// counts reports whether a ship was heard often enough to be one.
func (x *Rehearsal) counts(m ais.MMSI) bool {
	if x.fleet == nil {
		return x.ships[m].counts
	}
	s := x.fleet.ships[m]
	return s != nil && s.counts
}

// reasons returns why nothing was raised, the one that came nearest to an event first.
func (x *Rehearsal) reasons() (all []SilentReason) {
	q := x.why
	switch {
	case q.other != nil:
		return []SilentReason{{Rule: q.other}}
	case q.heard == 0:
		return []SilentReason{{Rule: rule.New("why_unheard", "the ship was not heard in this time")}}
	case !x.counts(x.asked):
		return []SilentReason{{Rule: rule.New("why_few", "the ship was heard once or twice in this time; it counts from its third report on")}}
	}
	for kind := int(watchdog.Obstacles) - 1; kind >= 0; kind-- {
		if m := &q.met[kind]; m.count > 0 {
			all = append(all, SilentReason{Rule: reason.Sentence(&m.best, x.d.of.Watchdog, q.looked), At: m.best.At})
		}
	}
	if len(all) > 0 {
		return all
	}
	if q.at == 0 {
		return []SilentReason{{Rule: rule.New("why_center_unheard", "the ship that the circle moves with was not heard while this ship was")}}
	}
	metres := math.Round(q.nearest)
	far := rule.New("why_far", "the ship was never nearer than {metres} m", "metres", int64(metres))
	switch {
	case x.d.of.Watchdog.Type == watchdog.Line:
		far = rule.New("why_not_crossed", "the ship did not cross the line; it came as near as {metres} m", "metres", int64(metres))
	case metres == 0 && x.d.pairs != nil:
		far = rule.New("why_no_danger", "the ship was in the guarded water, and no danger with another one stood there as long as it must")
	case metres == 0:
		far = rule.New("why_inside", "the ship was inside, and did nothing that raises an event")
	}
	return []SilentReason{{far, q.at, metres, true}}
}

// missingReports returns the time between the reports that were left out of a leg, in milliseconds, and how many they are. When they came is not known: they
// are spread over the time in which some may have been left out.
func (x *Rehearsal) missingReports(before, f ship.Fix) (every int64, count int) {
	count, until := x.past.LeftOut(before, f)
	if count == 0 {
		return 0, 0
	}
	every = (f.At - before.At) / int64(count+1)
	if until > before.At {
		every = min(every, (until-before.At-1)/int64(count))
	}
	return max(1, every), count
}
