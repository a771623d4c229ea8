package portcall

import (
	"cmp"
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// The numbers of a stop (docs/voyage.md says where they come from).
const (
	beginSOG    = 2  // tenths of a knot: a ship at it or below comes to rest
	underWaySOG = 10 // tenths of a knot: above it a ship that tells how it lies tells what it did before
	endSOG      = 5  // tenths of a knot: a ship above it is no longer at rest

	leastBerthed = 5 * time.Minute // at rest in an inner shape or at a berth
	leastLying   = 9 * time.Minute // at rest elsewhere: ten minutes, less what the times at both ends may be off

	startsAfter = 3 * time.Minute  // of motion a ship has moved off
	stirsAfter  = 30 * time.Second // of motion a ship that is not yet known to lie has moved on

	stirs         = 30.0  // metres, within which a ship that lies has not moved off, whatever speed it tells
	driftBerthed  = 100.0 // metres from the middle of the places, beyond which a ship has moved off
	driftAnchored = 400.0
	driftUnsure   = 100.0 // of a ship that is not yet known to lie
	driftCoarse   = 200.0
	driftUnknown  = 100.0 // of a ship that tells no speed

	swingSpeed = 0.25 // metres a second, near endSOG: the most at which a ship swings at its anchor

	leapLeast   = 700.0 // metres that a way may differ from what the speeds at its ends tell
	leapSpeed   = 8.0   // metres a second that a ship makes at the most between two positions,
	leapShare   = 1.3   // or this many times the larger of the speeds that it tells there
	leapUnknown = 15.0  // of a ship that tells none

	brakeWay = 500.0 // metres in which a ship loses or gains its speed
)

// rest is a time in which a ship does not move, as far as it was seen.
type rest struct {
	From  Millis `json:"from,omitempty"` // 0 when not seen
	Seen  Millis `json:"seen"`           // of the first position at rest
	Last  Millis `json:"last"`           // of the last one
	Moved Millis `json:"moved,omitempty"`
	Off   Millis `json:"off,omitempty"` // when the motion since Moved began; 0 when not known

	Lon    float64   `json:"lon"` // of the middle, degrees
	Lat    float64   `json:"lat"`
	Count  int       `json:"n"`                // of the places that the middle is made of
	Held   geo.Point `json:"held"`             // the last of them
	Since  Millis    `json:"since,omitempty"`  // when the ship was seen there; 0 in a store of an older build
	Weight Millis    `json:"weight,omitempty"` // for how long the ship lay at the others
	Rough  bool      `json:"rough,omitempty"`

	Swing   swing  `json:"swing"`
	Bow     uint16 `json:"bow,omitempty"`     // where it points now, see Stay.Bow
	Status  uint8  `json:"status"`            // the last navigational status
	Others  bool   `json:"others,omitempty"`  // the ship told several statuses at rest, or this one under way: no crew sets it
	Draught uint16 `json:"draught,omitempty"` // the one with which the ship came, centimetres
	Late    uint16 `json:"late,omitempty"`    // the first that was typed since, where none was known
	Stopped bool   `json:"stopped,omitempty"` // the call has it as its last stay
	Port    uint64 `json:"port,omitempty"`    // where that is
	Leapt   bool   `json:"leapt,omitempty"`   // no ship sails to the first position, or to where the ship lies next
}

// newRest begins a rest at a position. Before is the position before it.
func newRest(before, f ship.Fix, draught uint16) *rest {
	r := &rest{From: cameToRest(before, f), Seen: fixMillis(f), Draught: draught, Status: uint8(f.Status), Swing: newSwing()}
	tenths, known := before.SOG.Tenths()
	r.Others = before.At != 0 && before.Status == f.Status && known && tenths > underWaySOG
	r.Leapt = hasLeapt(before, f)
	r.addFix(f)
	return r
}

// hasLeapt reports whether no ship sails from one position to another in the time between them.
func hasLeapt(before, f ship.Fix) bool {
	if before.At == 0 || f.Mark&ship.NewSegment != 0 {
		return before.At != 0
	}
	speed := leapSpeed
	for _, fix := range [...]ship.Fix{before, f} {
		if knots, known := fix.SOG.Knots(); known {
			speed = max(speed, leapShare*knots*1852/3600)
		} else {
			speed = max(speed, leapUnknown)
		}
	}
	seconds := fixMillis(f).Since(fixMillis(before)).Seconds()
	return geo.Distance(before.Point(), f.Point()) > leapLeast+speed*seconds
}

// resumeStay lets the last stay of the call go on, and reports whether it does. The ship lay alongside, was told to be elsewhere, and lies there again, where no
// ship sails in that time. So its receiver lied on the way out.
func (e *Engine) resumeStay(f *Follower, kind StayKind) bool {
	r, c := f.Rest, f.Call
	if !r.Leapt || kind != Berthed || c == nil || c.Port != r.Port {
		return false
	}
	s := &c.Stays[len(c.Stays)-1]
	if s.Kind != Berthed || !s.Over || geo.Distance(geo.Point{Lon: s.Lon, Lat: s.Lat}, r.middlePlace()) > driftBerthed {
		return false
	}
	s.To, s.Over, c.DraughtD = 0, false, 0
	r.From, r.Seen = s.From, s.Seen
	e.updateStay(f)
	e.tell(c)
	return true
}

// middlePlace returns the middle of the places.
func (r *rest) middlePlace() geo.Point { return geo.Point{Lon: r.Lon, Lat: r.Lat} }

// addFix adds a position at rest.
func (r *rest) addFix(f ship.Fix) {
	r.Others = r.Others || r.Status != uint8(f.Status)
	r.Last, r.Moved, r.Off, r.Status = fixMillis(f), 0, 0, uint8(f.Status)
	r.addPlace(f)
	if f.Mark&ship.Coarse == 0 {
		r.Swing.addFix(f, r.Stopped)
	}
	if degrees, ok := f.Heading.Degrees(); ok {
		r.Bow = uint16(cmp.Or(degrees, 360))
	}
}

// mostWeight bounds how long a place of the past counts in the middle, so that the middle follows a ship that moves along its quay.
const mostWeight = Millis(3 * time.Hour / time.Millisecond)

// addPlace takes the place of a position into the middle, in which each place counts for as long as the ship lay there. So how often it reports changes nothing,
// and neither does what a store leaves out. Coarse places count only until there is an exact one.
func (r *rest) addPlace(f ship.Fix) {
	p, coarse := f.Point(), f.Mark&ship.Coarse != 0
	switch {
	case r.Count == 0, r.Rough && !coarse:
		r.Lon, r.Lat, r.Count, r.Rough, r.Weight, r.Held, r.Since = p.Lon, p.Lat, 0, coarse, 0, p, fixMillis(f)
	case coarse && !r.Rough:
		return
	case r.Since == 0:
		r.Held, r.Since, r.Weight = r.middlePlace(), r.Seen, 0
	}
	r.Count++
	lasted := fixMillis(f) - r.Since
	if r.Weight = min(r.Weight, mostWeight) + lasted; lasted > 0 {
		share := float64(lasted) / float64(r.Weight)
		r.Lon = geo.Point{Lon: r.Lon + share*geo.Point{Lon: r.Held.Lon - r.Lon}.Normalized().Lon}.Normalized().Lon
		r.Lat += share * (r.Held.Lat - r.Lat)
	}
	r.Held, r.Since = p, fixMillis(f)
}

// drift returns how far from the middle a position may lie.
func (r *rest) drift(f ship.Fix, kind StayKind) float64 {
	limit := driftUnsure
	switch _, known := f.SOG.Tenths(); {
	case r.Stopped && kind == Anchored:
		limit = driftAnchored
	case r.Stopped:
		limit = driftBerthed
	case !known:
		limit = driftUnknown
	}
	if f.Mark&ship.Coarse != 0 {
		limit += driftCoarse
	}
	return limit
}

// underWay reports whether the ship has moved off with a position some metres from the middle.
func (r *rest) underWay(f ship.Fix, metres float64) bool {
	if !r.Stopped {
		return fixMillis(f).Since(r.Moved) >= stirsAfter
	}
	return metres > stirs && fixMillis(f).Since(r.Moved) >= startsAfter
}

// slow reports whether a position is one at rest by its speed. With a nil rest it reports whether a rest begins. A ship that tells no speed is
// judged by its place alone.
func slow(r *rest, f ship.Fix) bool {
	tenths, known := f.SOG.Tenths()
	limit := beginSOG
	if r != nil || f.Status == ais.StatusMoored || f.Status == ais.StatusAtAnchor {
		limit = endSOG
	}
	return !known || tenths <= limit
}

// restBegin returns when the ship came to rest, or was first seen at rest where that is not known.
func (r *rest) restBegin() Millis {
	if r.From != 0 {
		return r.From
	}
	return r.Seen
}

// duration returns how long the rest lasted.
func (r *rest) duration() time.Duration { return max(r.Last, r.Off).Since(r.restBegin()) }

// stayKind tells how the ship lies in a port; was is how it was taken to lie until now, 0 for not at all. In an inner shape or at a berth it is
// alongside. Elsewhere in a port with inner shapes it is at anchor. In other ports its motion and its crew's word decide.
func (r *rest) stayKind(a *area, was StayKind) StayKind {
	switch {
	case a.isAtQuay(r.middlePlace()):
		return Berthed
	case len(a.inner) > 0:
		return Anchored
	}
	limit := swings
	switch said := ais.NavStatus(r.Status); {
	case said == ais.StatusAtAnchor && (r.Swing.Bow < 0 || r.duration() < time.Hour || !r.Others && r.Swing.Index > 0):
		return Anchored
	case said == ais.StatusMoored && !r.Others:
		limit = swingsMoored
	case was == Anchored:
		limit = swingsStill
	}
	if r.Swing.Index > limit {
		return Anchored
	}
	return Berthed
}

// least returns how long a ship must rest before it counts.
func (r *rest) least(a *area) time.Duration {
	if a.isAtQuay(r.middlePlace()) {
		return leastBerthed
	}
	return leastLying
}

// cameToRest returns when a ship came to rest between a position under way and the first one at rest; 0 when that is not known. The ship
// loses its speed evenly over the last half kilometre.
func cameToRest(under, rest ship.Fix) Millis {
	took, known := travel(under, rest)
	if !known {
		return 0
	}
	return min(fixMillis(under).Add(took), fixMillis(rest))
}

// movedOff returns when a ship moved off between the last position at rest and one under way; 0 when that is not known.
func movedOff(rest, under ship.Fix) Millis {
	took, known := travel(under, rest)
	if !known {
		return 0
	}
	return max(fixMillis(under).Add(-took), fixMillis(rest))
}

// longestGap is how long a ship may be silent while its stop and its start are still known. The times at both ends of the silence then tell when it stopped or
// began to move.
const longestGap = 4 * time.Hour

// travel returns how long a ship takes between a place where it is under way and one where it rests.
func travel(under, rest ship.Fix) (time.Duration, bool) {
	if under.At == 0 || rest.Mark&ship.NewSegment != 0 || under.Mark&ship.NewSegment != 0 && under.At > rest.At {
		return 0, false
	}
	apart := fixMillis(rest).Since(fixMillis(under)).Abs()
	if apart > longestGap {
		return 0, false
	}
	way := geo.Distance(under.Point(), rest.Point())
	tenths, known := under.SOG.Tenths()
	switch there := way < driftUnknown; {
	case there && (known && tenths <= beginSOG || apart > ship.GapLimit):
		return 0, false // it lay there before, or may have
	case !known || tenths <= beginSOG:
		return apart, true
	}
	metres := float64(tenths) / 10 * 1852 / 3600
	seconds := (math.Max(0, way-brakeWay) + 2*math.Min(way, brakeWay)) / metres
	return min(time.Duration(seconds*float64(time.Second)), apart), true
}
