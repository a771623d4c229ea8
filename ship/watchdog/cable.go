package watchdog

import (
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// The numbers of a risk to a cable (docs/watchdogs.md says where they come from). Speeds are knots.
const (
	stillBelow = 0.5
	slowBelow  = 3.0
	anchorHold = 5.0 // above it no ship is at anchor, whatever its status says

	driftSpeed  = 0.25
	driftLeast  = 45.0 // degrees between heading and course
	driftMost   = 135.0
	driftTime   = 10 * time.Minute
	driftMetres = 500.0
	swingMetres = 200.0 // from where it lay a ship at anchor swings
)

// drift is what tells an anchor that drags, and a ship that drifts.
type drift struct {
	Lay     bool    `json:"lay,omitempty"` // the ship lay at anchor at Lon, Lat
	Lon     float64 `json:"lon,omitempty"`
	Lat     float64 `json:"lat,omitempty"`
	Since   int64   `json:"since,omitempty"` // it seems to drift since, without a break; 0 while it does not
	FromLon float64 `json:"from_lon,omitempty"`
	FromLat float64 `json:"from_lat,omitempty"`
}

// grave orders the reasons.
func (r CableRisk) grave() int {
	switch r {
	case Lost:
		return 1
	case Slow:
		return 2
	case Stopped:
		return 3
	case Trawling:
		return 4
	case Dragging:
		return 5
	}
	return 0
}

// cable takes a report of a ship that may be a risk to the cable.
func (m *Machine) cable(a *ShipMemory, s *ship.State, l *leg, dst []Occurrence) []Occurrence {
	if !m.contains(l.to) {
		m.followOutside(a, s, l)
		a.Watched, a.Drift, a.Count = false, nil, 0
		share := m.goesOut(a, l)
		if !a.Active {
			return dst
		}
		return m.countOutside(a, l, share, dst)
	}
	m.comesIn(a, l)
	reason, picked := m.risk(a, s, l), m.picks(s)
	a.Watched = picked
	if reason == "" {
		a.Count, a.Initial = 0, false
		if !a.Active {
			m.tellSailing(l)
			return dst
		}
		return m.countOutside(a, l, 1, dst)
	}
	a.Off = 0
	switch {
	case !picked:
		return dst
	case a.Active && reason.grave() <= a.Told.grave():
		a.Count = 0
		return dst
	}
	if !m.enough(a, l) || !m.mayActivate(a, l.fix.At) {
		return dst
	}
	e := l.here(Risk)
	e.Reason, e.Initial, a.Told = reason, a.Initial && !a.Active, reason
	return m.activate(a, e, dst)
}

// risk returns the gravest reason why a ship inside is a risk, "" for none.
func (m *Machine) risk(a *ShipMemory, s *ship.State, l *leg) CableRisk {
	knots, known := l.speedKnots()
	drags := a.drags(l, knots, known)
	fishes, _ := m.fishes(a, s, l)
	lies := l.fix.Status == ais.StatusAtAnchor || l.fix.Status == ais.StatusAground
	switch {
	case drags:
		return Dragging
	case fishes:
		return Trawling
	case known && knots < stillBelow, lies && (!known || knots <= anchorHold):
		return Stopped
	case known && knots < slowBelow:
		return Slow
	}
	return ""
}

// tellSailing tells of a ship that is no risk.
func (m *Machine) tellSailing(l *leg) {
	if m.told == nil {
		return
	}
	knots, ok := l.speedKnots()
	if !ok {
		knots = math.NaN()
	}
	m.tellObstacle(BySailing, l.fix.At, knots, slowBelow)
}

// drags reports whether a ship has drifted for so long and so far that its anchor does not hold, or that nobody steers it.
func (a *ShipMemory) drags(l *leg, knots float64, known bool) bool {
	anchored := l.fix.Status == ais.StatusAtAnchor && (!known || knots <= anchorHold)
	d := a.Drift
	if d != nil && !anchored {
		d.Lay = false
	}
	seems := known && (anchored && knots >= stillBelow && d != nil && d.Lay && metresBetween(d.geoPoint(), l.to) > swingMetres || drifts(l.fix, knots, anchored))
	switch {
	case d == nil && (seems || anchored && known && knots < stillBelow):
		d = &drift{}
		a.Drift = d
	case d == nil:
		return false
	}
	if anchored && known && knots < stillBelow && (!d.Lay || metresBetween(d.geoPoint(), l.to) > swingMetres) {
		d.Lay, d.Lon, d.Lat = true, l.to.Lon, l.to.Lat
	}
	switch {
	case !seems:
		d.Since = 0
	case d.Since == 0 || !l.joined:
		d.Since, d.FromLon, d.FromLat = l.fix.At, l.to.Lon, l.to.Lat
	}
	if d.Since == 0 && !d.Lay {
		a.Drift = nil
	}
	began := geo.Point{Lon: d.FromLon, Lat: d.FromLat}
	return seems && l.fix.At-d.Since >= driftTime.Milliseconds() && metresBetween(began, l.to) >= driftMetres
}

func (d *drift) geoPoint() geo.Point { return geo.Point{Lon: d.Lon, Lat: d.Lat} }

// drifts reports whether a ship moves across its heading, as no ship does that is steered. A ship at anchor that drags moves astern too, as its chain holds
// the bow.
func drifts(f *ship.Fix, knots float64, anchored bool) bool {
	heading, ok := f.Heading.Degrees()
	course, known := f.COG.Degrees()
	if !ok || !known || knots < driftSpeed || f.Status == ais.StatusMoored {
		return false
	}
	off := math.Abs(math.Mod(float64(heading)-course+540, 360) - 180)
	return off >= driftLeast && (anchored || off <= driftMost)
}
