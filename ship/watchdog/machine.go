package watchdog

import (
	"fmt"
	"time"

	"quaywatch/geo"
	"quaywatch/rule"
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
	d      Definition // with its defaults
	area   *geo.Area  // nil for a definition without a polygon
	edges  edges      // of the line, or of the polygon's rings
	bounds geo.Rect   // with the buffer
}

// FieldError tells which field of a definition is wrong.
type FieldError struct {
	Pointer string // JSON pointer (RFC 6901) in the words of the API
	Rule    *rule.Rule
}

// Error gives both.
func (e *FieldError) Error() string { return fmt.Sprintf("watchdog at %q: %v", e.Pointer, e.Rule) }

// Unwrap gives the rule.
func (e *FieldError) Unwrap() error { return e.Rule }

// New makes a machine of a definition. Every error is a *FieldError.
func New(d Definition) (*Machine, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	d.fill()
	m := &Machine{d: d}
	switch {
	case len(d.Line) > 0:
		m.edges, m.bounds = newEdges(d.Buffer, d.Line), d.Line.Bounds()
	case len(d.Polygon) > 0:
		m.area = geo.NewArea(d.Polygon)
		m.edges, m.bounds = newEdges(d.Buffer, d.Polygon...), m.area.Bounds()
	}
	if d.Buffer > 0 {
		m.bounds = m.bounds.Expand(d.Buffer)
	}
	return m, nil
}

// Bounds gives a rectangle that a leg must touch to concern the machine. It is false for a Port, which needs no positions but those of ships
// with an alarm.
func (m *Machine) Bounds() (geo.Rect, bool) { return m.bounds, m.d.Type != Port }

// fill puts in the defaults.
func (d *Definition) fill() {
	d.ToActivate, d.ToDeactivate = max(1, d.ToActivate), max(1, d.ToDeactivate)
	if d.Type == Cable && d.Buffer == 0 {
		d.Buffer = defaultBuffer
	}
	if d.MinSOG == 0 && d.MaxSOG == 0 {
		d.MinSOG, d.MaxSOG = defaultMinSOG, defaultMaxSOG
	}
	if d.Window == 0 {
		d.Window = defaultWindow
	}
}

// check finds the first thing that is wrong.
func (d *Definition) check() error {
	if err := d.checkObject(); err != nil {
		return err
	}
	for _, n := range []struct {
		pointer         string
		is, least, most float64
	}{
		{"/cable/buffer", d.Buffer, 0, mostBuffer},
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
	return d.checkFishing()
}

func outOfRange(pointer string, least, most float64) error {
	return &FieldError{pointer, rule.New("range", "must be from {min} to {max}", "min", least, "max", most)}
}

// checkObject checks that the definition has what its type watches, and nothing else.
func (d *Definition) checkObject() error {
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
	case Polygon, Fishing:
		has = len(d.Polygon) > 0
	case Port:
		has = d.Port != 0
	case Cable:
		has = len(d.Line) > 1 || len(d.Polygon) > 0
	default:
		return &FieldError{"/type", rule.New("one_of", "must be one of {words}", "words", "line, polygon, port, cable, fishing")}
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
func (d *Definition) checkFishing() error {
	for _, n := range []struct {
		pointer string
		given   bool
		of      Type
	}{
		{"/min_sog", d.MinSOG != 0, Fishing}, {"/max_sog", d.MaxSOG != 0, Fishing}, {"/window", d.Window != 0, Fishing},
		{"/any_type", d.AnyType, Fishing}, {"/cable/buffer", d.Buffer != 0, Cable},
	} {
		if n.given && d.Type != n.of {
			return &FieldError{n.pointer, rule.New("watchdog_type", "goes with watchdogs of type {type} only", "type", string(n.of))}
		}
	}
	switch {
	case d.MinSOG != 0 && d.MaxSOG <= d.MinSOG:
		return &FieldError{"/max_sog", rule.New("watchdog_speeds", "must be above min_sog")}
	case d.Window != 0 && (d.Window < leastWindow || d.Window > mostWindow):
		return outOfRange("/window", leastWindow.Seconds(), mostWindow.Seconds())
	}
	return nil
}
