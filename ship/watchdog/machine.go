package watchdog

import (
	"cmp"
	"fmt"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// The numbers that hold where a definition names none.
const (
	defaultBuffer = 1000.0 // metres
	defaultMinSOG = 0.5    // knots
	defaultMaxSOG = 5.5
	defaultWindow = 10 * time.Minute
)

// The bounds of a definition. Those of AIS itself are 25.5 m and 102.2 kn.
const (
	mostBuffer  = 50_000 // metres
	mostDraught = 100    // metres
	mostKnots   = 102.2
	mostSamples = 10_000
	leastWindow = time.Minute
	mostWindow  = 2 * time.Hour
	mostTime    = 1000 * time.Hour
)

// Machine is a definition made ready. It does not change, and may be used by several goroutines.
type Machine struct {
	d      Spec      // with its defaults
	area   *geo.Area // nil for a definition without a polygon
	edges  edges     // of the line, or of the polygon's rings
	around edges     // the same of Fishing and Cable, with the way of a ship that fishes around them
	bounds geo.Rect  // with the buffer

	trawl [2]float64 // the least and the highest mean speed of a ship that fishes, knots

	told func(Hindrance) // nil where nobody asks why nothing is raised
}

// FieldError tells which field of a definition is wrong.
type FieldError struct {
	Pointer string // JSON pointer (RFC 6901) in the words of the API
	Rule    *rule.Rule
}

// Error returns both.
func (e *FieldError) Error() string { return fmt.Sprintf("watchdog at %q: %v", e.Pointer, e.Rule) }

// Unwrap returns the rule.
func (e *FieldError) Unwrap() error { return e.Rule }

// New makes a machine of a definition. Every error is a *FieldError.
func New(d Spec) (*Machine, error) {
	if err := d.checkDefinition(); err != nil {
		return nil, err
	}
	d.fillDefaults()
	m := &Machine{d: d, trawl: [2]float64{defaultMinSOG, defaultMaxSOG}}
	if d.Type == Fishing && (d.MinSOG != 0 || d.MaxSOG != 0) {
		m.trawl = [2]float64{d.MinSOG, d.MaxSOG}
	}
	switch {
	case len(d.Line) > 0:
		m.edges, m.bounds = newEdges(d.Buffer, d.Line), d.Line.Bounds()
	case len(d.Polygon) > 0:
		m.area = geo.NewArea(d.Polygon)
		m.edges, m.bounds = newEdges(d.Buffer, d.Polygon...), m.area.Bounds()
	case d.Type == Anchor && d.Ships.MMSI == 0:
		m.bounds = geo.Circle{Center: *d.Center, Radius: d.Radius}.Bounds()
	default:
		m.bounds = geo.Rect{West: -180, South: -90, East: 180, North: 90}
	}
	if d.Type == CPA {
		m.bounds = m.bounds.Expand(marginMetres)
	}
	switch {
	case d.Type == Fishing || d.Type == Cable:
		m.around = newEdges(m.trawlMetres(), append([][]geo.Point{d.Line}, d.Polygon...)...)
		m.bounds = m.bounds.Expand(m.trawlMetres())
	case d.Buffer > 0:
		m.bounds = m.bounds.Expand(d.Buffer)
	}
	return m, nil
}

// Bounds returns a rectangle that a leg must touch to concern the machine. It is false for a Port, which needs no positions but those of ships with an alarm.
// It is also false for a machine that names its ship, and for a type that watches no ships.
func (m *Machine) Bounds() (geo.Rect, bool) {
	return m.bounds, m.d.Type != Port && m.Ship() == 0 && !m.d.Type.Shipless()
}

// Ship returns the one ship whose reports concern the machine, 0 where it names none.
func (m *Machine) Ship() ais.MMSI { return m.d.Ships.MMSI }

// Aids reports whether the reports of aids to navigation concern the machine. Then those of ships do not.
func (m *Machine) Aids() bool { return m.d.Type == Aid }

// fillDefaults puts in the defaults.
func (d *Spec) fillDefaults() {
	d.ToActivate, d.ToDeactivate = max(1, d.ToActivate), max(1, d.ToDeactivate)
	if d.Type == Cable && d.Buffer == 0 {
		d.Buffer = defaultBuffer
	}
	if d.Type == CPA {
		d.CPA, d.TCPA = cmp.Or(d.CPA, defaultCPA), cmp.Or(d.TCPA, defaultTCPA)
	}
	if d.Type == Around {
		d.Inactivity = cmp.Or(d.Inactivity, zoneSilence)
	}
	d.Window = cmp.Or(d.Window, defaultWindow)
	d.After = cmp.Or(d.After, defaultAfter)
	if d.LostAfter == nil {
		d.LostAfter = func(*ship.State) time.Duration { return lostAfter }
	}
}

// checkDefinition finds the first thing that is wrong.
func (d *Spec) checkDefinition() error {
	if err := d.checkObject(); err != nil {
		return err
	}
	for _, n := range []struct {
		pointer         string
		is, least, most float64
	}{
		{d.bufferKey(), d.Buffer, 0, mostBuffer},
		{"/draught", d.Draught, 0, mostDraught},
		{"/min_sog", d.MinSOG, 0, mostKnots},
		{"/max_sog", d.MaxSOG, 0, mostKnots},
		{"/samples_to_activate", float64(d.ToActivate), 0, mostSamples},
		{"/samples_to_deactivate", float64(d.ToDeactivate), 0, mostSamples},
		{"/samples_between_trigger", float64(d.BetweenTriggers), 0, mostSamples},
		{"/time_between_triggers", d.BetweenTimes.Seconds(), 0, mostTime.Seconds()},
		{"/inactivity_timeout", d.Inactivity.Seconds(), 0, mostTime.Seconds()},
	} {
		if !(n.is >= n.least && n.is <= n.most) { // also for NaN
			return outOfRange(n.pointer, n.least, n.most)
		}
	}
	if c := d.Course; c != nil && !(c.Min >= 0 && c.Min <= 360) {
		return outOfRange("/min_cog", 0, 360)
	} else if c != nil && !(c.Max >= 0 && c.Max <= 360) {
		return outOfRange("/max_cog", 0, 360)
	}
	if err := cmp.Or(d.checkCPA(), d.checkMore(), d.checkZone()); err != nil {
		return err
	}
	return d.checkFishing()
}

func outOfRange(pointer string, least, most float64) error {
	return &FieldError{pointer, rule.New("range", "must be from {min} to {max}", "min", least, "max", most)}
}

// checkObject checks that the definition has what its type watches, and nothing else.
func (d *Spec) checkObject() error {
	if d.Type.Shipless() {
		return d.checkShipless()
	}
	given, object := 0, "/"+string(d.Type)
	for _, is := range []bool{len(d.Line) > 0, len(d.Polygon) > 0, d.Port != 0} {
		if is {
			given++
		}
	}
	has := false
	switch d.Type {
	case Line:
		has = len(d.Line) > 1
	case Polygon, Fishing, CPA:
		has = len(d.Polygon) > 0
	case Port:
		has = d.Port != 0
	case Cable:
		has = len(d.Line) > 1 || len(d.Polygon) > 0
	default:
		var known bool
		if has, known = d.hasMore(); !known {
			return &FieldError{"/type", rule.New("one_of", "must be one of {words}", "words", joinTypes(Types()))}
		}
		return d.required(has)
	}
	switch {
	case !has:
		return &FieldError{object, rule.New("required", "is required")}
	case given > 1:
		return &FieldError{object, rule.New("watchdog_objects", "must be the only object of the watchdog")}
	}
	return nil
}

// checkFishing checks what tells a ship that fishes, which no other type asks.
func (d *Spec) checkFishing() error {
	for _, n := range []struct {
		pointer string
		given   bool
		of      Type
	}{
		{"/window", d.Window != 0, Fishing},
		{"/any_type", d.AnyType, Fishing}, {"/cable/buffer", d.Buffer != 0 && d.Type != Route, Cable},
	} {
		if n.given && d.Type != n.of {
			return &FieldError{n.pointer, rule.New("watchdog_type", "goes with watchdogs of type {type} only", "type", string(n.of))}
		}
	}
	switch {
	case d.MinSOG != 0 && d.MaxSOG <= d.MinSOG && (d.MaxSOG != 0 || d.Type == Fishing):
		return &FieldError{"/max_sog", rule.New("watchdog_speeds", "must be above min_sog")}
	case d.Window != 0 && (d.Window < leastWindow || d.Window > mostWindow):
		return outOfRange("/window", leastWindow.Seconds(), mostWindow.Seconds())
	}
	return nil
}
