package watchdog

import (
	"slices"
	"strings"
	"time"

	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// defaultAfter is how long a ship is heard without static data. A transponder sends them each six minutes.
const defaultAfter = 20 * time.Minute

// Types returns all types.
func Types() []Type {
	return []Type{Line, Polygon, Port, Cable, Fishing, CPA, LostShip, Anchor, Aid, Speed, Route, Nameless, Around, Feed, Box}
}

func joinTypes(types []Type) string {
	list := make([]string, len(types))
	for i, t := range types {
		list[i] = string(t)
	}
	return strings.Join(list, ", ")
}

// checkMoreTypes takes a report for the types that Report does not know itself.
func (m *Machine) checkMoreTypes(a *ShipMemory, r *Position, l *leg, dst []Occurrence) []Occurrence {
	s := r.State
	switch m.d.Type {
	case LostShip:
		return m.lostShip(a, s, l, dst)
	case Anchor:
		return m.anchor(a, s, l, dst)
	case Aid:
		return m.aid(a, r, l, dst)
	case Speed:
		return m.checkSpeed(a, s, l, dst)
	case Route:
		return m.route(a, s, l, dst)
	case Nameless:
		return m.nameless(a, s, l, dst)
	}
	return dst
}

// does takes a report at which a ship does what the watchdog tells of, or does not. The event is that of one that does.
func (m *Machine) does(a *ShipMemory, s *ship.State, l *leg, is bool, e Occurrence, dst []Occurrence) []Occurrence {
	if !is {
		if a.Count = 0; !a.Active {
			return dst
		}
		return m.countOutside(a, l, 1, dst)
	}
	a.Off = 0
	if a.Active || !m.picks(s) {
		return dst
	}
	if !m.enough(a, l) || !m.mayActivate(a, l.fix.At) {
		return dst
	}
	return m.activate(a, e, dst)
}

// inPolygon reports whether a place lies in the polygon, or anywhere where there is none.
func (m *Machine) inPolygon(p geo.Point) bool { return m.area == nil || m.area.Contains(p) }

// leastMargin is the least width of the border of a circle or corridor, in metres.
const leastMargin = 10.0

// borderMetres returns the distance up to which a ship is inside of a circle or corridor. The way back in leads further than the way out, by a tenth. So a ship
// that dances on the border raises one event.
func borderMetres(metres float64, outside bool) float64 {
	if !outside {
		return metres
	}
	return max(metres-max(metres/10, leastMargin), metres/2)
}

// hasMore reports whether a definition has what its type asks for; known is false for types that are none of these.
func (d *Spec) hasMore() (has, known bool) {
	switch d.Type {
	case LostShip:
		return d.Ships.MMSI != 0 || d.Ships.Members != nil, true
	case Anchor:
		return d.Center != nil, true
	case Around:
		return d.Ships.MMSI != 0, true
	case Speed:
		return len(d.Polygon) > 0, true
	case Route:
		return len(d.Line) > 1, true
	case Aid, Nameless:
		return true, true
	}
	return false, false
}

// required says what is missing.
func (d *Spec) required(has bool) error {
	if has {
		return nil
	}
	key := map[Type]string{LostShip: "/lost/mmsi", Anchor: "/anchor/center", Speed: "/speed/polygon", Route: "/route/line", Around: "/zone/mmsi"}[d.Type]
	return &FieldError{key, rule.New("required", "is required")}
}

// bufferKey is where the metres around a line stand.
func (d *Spec) bufferKey() string {
	if d.Type == Route {
		return "/route/corridor"
	}
	return "/cable/buffer"
}

// The bounds of what these types have.
const (
	leastRadius   = 10.0 // metres; a receiver of satellites is not better
	mostRadius    = 50_000
	leastCorridor = 10.0
	leastLimit    = 0.1 // knots
	leastAfter    = time.Minute
)

// checkMore checks what these types have.
func (d *Spec) checkMore() error {
	of := func(types ...Type) bool { return slices.Contains(types, d.Type) }
	for _, n := range []struct {
		pointer         string
		asked           bool
		is, least, most float64
	}{
		{"/" + string(d.Type) + "/radius", of(Anchor, Aid), d.Radius, leastRadius, mostRadius},
		{"/route/corridor", of(Route), d.Buffer, leastCorridor, mostBuffer},
		{"/speed/limit", of(Speed), d.Limit, leastLimit, mostKnots},
		{"/speed/least", of(Speed), d.Least.Seconds(), 0, mostTime.Seconds()},
		{"/silent/after", of(Nameless) && d.After != 0, d.After.Seconds(), leastAfter.Seconds(), mostTime.Seconds()},
	} {
		if n.asked && !(n.is >= n.least && n.is <= n.most) { // also for NaN
			return outOfRange(n.pointer, n.least, n.most)
		}
	}
	for _, n := range []struct {
		pointer string
		given   bool
	}{{"/min_sog", d.MinSOG != 0}, {"/max_sog", d.MaxSOG != 0}, {"/draught", d.Draught != 0}, {"/check_direction", d.Course != nil}} {
		if n.given && d.Type == Aid {
			return &FieldError{n.pointer, rule.New("aid_sails", "asks how a ship sails; an aid to navigation does not")}
		}
	}
	return d.Hours.checkCalendar()
}
