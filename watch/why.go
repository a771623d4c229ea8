package watch

import (
	"fmt"
	"math"
	"strings"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// Reason tells why a watchdog raised nothing about a ship.
type Reason struct {
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
	looked  string // what the ship was when the filter did not match it
}

// met is an obstacle: how often, and the report that came farthest.
type met struct {
	count int
	best  watchdog.Obstacle
}

// whyOther says why a watchdog does not look at a ship.
func (x *Rehearsal) whyOther(s *ship.State) *rule.Rule {
	switch {
	case x.Ship() != 0 && x.Ship() != s.MMSI:
		return rule.New("why_other_ship", "the watchdog names another ship")
	case s.Class != ship.ClassBase && x.d.machine.Aids():
		return rule.New("why_no_aid", "the watchdog asks for aids to navigation, and this is none")
	}
	return rule.New("why_station", "base stations and aids to navigation raise nothing")
}

// approach notes how near a ship came.
func (x *Rehearsal) approach(f ship.Fix) {
	metres, ok := x.d.machine.Distance(f.Point())
	if !ok {
		metres = x.portDistance(f.Point())
	}
	if q := x.why; q.heard == 0 || metres < q.nearest {
		q.nearest, q.at = metres, f.At
	}
	x.why.heard++
}

// portDistance gives how far a place is from the border of the port, in metres.
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

// meets notes an obstacle. Of several of one kind the example is the one that came farthest, where there is an order, and else the first.
func (x *Rehearsal) meets(o watchdog.Obstacle) {
	m := &x.why.met[o.Kind]
	if m.count++; m.count == 1 || farther(&o, &m.best) {
		m.best = o
	}
	if o.Kind == watchdog.ByFilter && m.count == 1 {
		x.why.looked = look(&x.state)
	}
}

// farther tells whether an obstacle came nearer to an event than another of its kind.
func farther(o, than *watchdog.Obstacle) bool {
	switch o.Kind {
	case watchdog.ByCount, watchdog.ByReports, watchdog.ByTime, watchdog.ByDraught, watchdog.ByPort, watchdog.ByLimit, watchdog.ByLeast:
		return o.Is > than.Is || math.IsNaN(than.Is) && !math.IsNaN(o.Is)
	case watchdog.BySailing:
		return o.Is < than.Is
	}
	return false
}

// look says what a ship was.
func look(s *ship.State) string {
	words := []string{"class " + s.Class.String()}
	if t := s.Static; t != nil {
		words = append(words, "type "+t.Type.String())
		if length, _ := t.Size(); length > 0 {
			words = append(words, fmt.Sprintf("length %.0f m", length))
		}
	}
	if s.Voyage != nil && s.Voyage.Metres() > 0 {
		words = append(words, fmt.Sprintf("draught %.1f m", s.Voyage.Metres()))
	}
	if knots, ok := s.Fix.SOG.Knots(); ok {
		words = append(words, fmt.Sprintf("speed %.1f kn", knots))
	}
	return strings.Join(append(words, "status "+s.Fix.Status.String()), ", ")
}

// reasons gives why nothing was raised, the one that came nearest to an event first.
func (x *Rehearsal) reasons() (all []Reason) {
	q := x.why
	switch {
	case q.other != nil:
		return []Reason{{Rule: q.other}}
	case q.heard == 0 && len(x.ships) > 0:
		return []Reason{{Rule: rule.New("why_few", "the ship was heard once or twice in this time; it counts from its third report on")}}
	case q.heard == 0:
		return []Reason{{Rule: rule.New("why_unheard", "the ship was not heard in this time")}}
	}
	for kind := int(watchdog.Obstacles) - 1; kind >= 0; kind-- {
		if m := &q.met[kind]; m.count > 0 {
			all = append(all, Reason{Rule: x.sentence(&m.best), At: m.best.At})
		}
	}
	if len(all) > 0 {
		return all
	}
	metres := math.Round(q.nearest)
	far := rule.New("why_far", "the ship was never nearer than {metres} m", "metres", int64(metres))
	switch {
	case x.d.of.Watchdog.Type == watchdog.Line:
		far = rule.New("why_not_crossed", "the ship did not cross the line; it came as near as {metres} m", "metres", int64(metres))
	case metres == 0:
		far = rule.New("why_inside", "the ship was inside, and did nothing that raises an event")
	}
	return []Reason{{far, q.at, metres, true}}
}

// sentence says what kept a report from raising an event.
func (x *Rehearsal) sentence(o *watchdog.Obstacle) *rule.Rule {
	w := x.d.of.Watchdog
	is, asks := tenth(o.Is), tenth(o.Asks)
	switch o.Kind {
	case watchdog.ByJump:
		return rule.New("why_jump", "nobody knows which way the ship took: it was silent for {minutes} minutes, or its place jumped", "minutes", is)
	case watchdog.ByType:
		return rule.New("why_type", "the ship is none that fishes: its type is {code}, and its status is not 7", "code", is)
	case watchdog.ByWindow:
		return rule.New("why_window", "the ship was followed for less than the window of {minutes} minutes", "minutes", asks)
	case watchdog.BySpeed:
		return rule.New("why_speed", "its mean speed was {knots} kn, which is not that of a ship that fishes", "knots", is)
	case watchdog.ByPort:
		return rule.New("why_port", "it was in port, or had left it {minutes} minutes before; the least is {least}", "minutes", is, "least", asks)
	case watchdog.BySailing:
		if math.IsNaN(o.Is) {
			return rule.New("why_sails_unknown", "it was over the cable and gave no speed")
		}
		return rule.New("why_sails", "it sailed over the cable at {knots} kn, as ships do", "knots", is)
	case watchdog.ByName:
		return rule.New("why_other_ship", "the watchdog names another ship")
	case watchdog.ByLimit:
		return rule.New("why_limit", "its speed was {knots} kn at most; the limit is {limit} kn", "knots", is, "limit", asks)
	case watchdog.ByLeast:
		return rule.New("why_least", "it was above the limit for {seconds} of {wanted} seconds", "seconds", is, "wanted", asks)
	case watchdog.ByHours:
		return rule.New("why_hours", "the watchdog does not watch at that hour")
	case watchdog.ByPace:
		if math.IsNaN(o.Is) {
			return rule.New("why_no_pace", "its speed is not known")
		}
		return rule.New("why_pace", "its speed was {knots} kn", "knots", is)
	case watchdog.ByDraught:
		if math.IsNaN(o.Is) {
			return rule.New("why_no_draught", "its draught is not known; the watchdog asks for {least} m", "least", asks)
		}
		return rule.New("why_draught", "its draught was {is} m; the watchdog asks for {least} m", "is", is, "least", asks)
	case watchdog.ByCourse:
		if math.IsNaN(o.Is) {
			return rule.New("why_no_course", "it had no course: below 0.5 kn a course says nothing")
		}
		return rule.New("why_course", "its course was {is}°; the watchdog asks for {min}° to {max}°", "is", is, "min", *w.MinCOG, "max", *w.MaxCOG)
	case watchdog.ByFilter:
		return rule.New("why_filter", "the filter did not match the ship: {ship}", "ship", x.why.looked)
	case watchdog.ByJitter:
		return rule.New("why_jitter", "it crossed the border again within five minutes and 200 m, which counts for nothing")
	case watchdog.ByLying:
		return rule.New("why_lies", "it lay at the border and made no way: its places were within {metres} m, which counts for nothing", "metres", asks)
	case watchdog.ByCount:
		return rule.New("why_count", "{count} of {wanted} reports in a row", "count", is, "wanted", asks)
	case watchdog.ByReports:
		return rule.New("why_between", "{count} of {wanted} reports since the last event", "count", is, "wanted", asks)
	}
	return rule.New("why_time", "{seconds} of {wanted} seconds had passed since the last event", "seconds", is, "wanted", asks)
}

// tenth rounds to a tenth.
func tenth(n float64) float64 { return math.Round(n*10) / 10 }
