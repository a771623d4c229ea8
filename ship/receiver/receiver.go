// Package receiver tells when the satellite receiver of a ship at rest lies. Such a receiver is jammed, deceived or frozen, and tells places kilometres off
// while the ship lies at its berth. The rule is pure: the same fixes give the same marks.
//
// A ship that lies somewhere and sails away reports on its way. So a far place is a lie where the ship could not have sailed there between two reports. What it
// says of its status and its speed changes nothing. The ship is trusted again when it is back where it lay. It is trusted elsewhere when it reports under way for
// long enough at a speed that its places agree with. Then it must come on too, and have had the time to come there. It is also trusted when it lies there for so
// long that no receiver is out of order.
package receiver

import (
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// The numbers of the rule (docs/ais.md says them in words).
const (
	lyingKnots  = 0.5  // below it a ship makes no way
	statusKnots = 1.0  // up to it one that says that it is moored, at anchor or aground makes none
	stillKnots  = 0.1  // up to it a moored ship lies still
	sameBow     = 5.0  // degrees that its heading may differ
	near        = 300  // metres from where a ship lies it may be without a reason
	nearMoored  = 90   // the same of a ship that is moored, lies still and points as it did: calls take 100 m for a departure
	backMoored  = 70   // metres from where such a ship lay it is back
	coarse      = 400  // metres more between two places of message 27
	hidden      = 8.0  // metres a second that a ship makes between two reports, from rest to rest
	warped      = 0.5  // the same of a moored ship that lies still at both
	follows     = 0.15 // metres a second that the place where a ship lies follows its fixes: a ship at anchor drags and swings
	settledIn   = 400  // metres within which a ship lies elsewhere
	nearby      = 1000 // metres, within which a ship may have been warped
	wayMetres   = 100  // that a leg under way may differ from what the speeds at its ends tell
	wayShare    = 0.3  // and this share of it
	wayFastest  = 15.0 // metres a second of a ship that tells no speed
	onward      = 0.7  // share of a way that a ship under way is at least from where the way began

	established   = 5 * time.Minute   // at rest make a place one where a ship lies
	startsIn      = time.Minute       // of a silence in which a ship casts off and gains its speed
	reportsMoored = 200 * time.Second // between two reports of a ship that is moored: three minutes and a bit
	wayTime       = 10 * time.Minute  // under way, and a ship has left where it lay
	shiftedTime   = 30 * time.Minute  // at rest near where it lay, and a ship lies there
	settledTime   = 2 * time.Hour     // the same farther off: longer than receivers are out of order
)

// ReceiverMemory is what is known of the receiver of one ship. The zero ReceiverMemory knows nothing. It is plain data of some words, so that each ship has one.
type ReceiverMemory struct {
	home    place
	since   int64   // the ship lies at home since, in Unix milliseconds; 0 for a ship that lies nowhere
	near    int64   // it was there last
	hole    int64   // the longest silence since then, in milliseconds
	away    int64   // the first untrusted fix; 0 while the ship is trusted
	way     int64   // the ship reports under way since; 0 for not
	wayFrom place   // where it was then
	sailed  float32 // the metres that it told since, of an untrusted one
	settled place   // where the untrusted ship lies
	settles int64   // since when
}

// place is a place in ais.PlaceUnit.
type place struct{ lon, lat int32 }

func placeOf(f ship.Fix) place { return place{f.Lon, f.Lat} }

func (p place) geoPoint() geo.Point { return ship.Fix{Lon: p.lon, Lat: p.lat}.Point() }

// metresTo returns how far a fix lies from a place; beyond a degree it is only surely far.
func (p place) metresTo(f ship.Fix) float64 {
	return geo.PlaneAt(p.geoPoint()).Vector(f.Point()).Length()
}

// Take takes the newest fix of a ship of class A or B, and returns it with its mark. Before is the newest fix before it with the mark that it got, the
// zero Fix when there is none.
func (m *ReceiverMemory) Take(before, f ship.Fix) ship.Fix {
	switch {
	case before.At == 0 || f.At <= before.At || (before.Mark|f.Mark)&ship.WrongClock != 0:
		m.beginStay(f)
		return f
	case m.away == 0 && before.Mark&ship.Untrusted != 0: // after a start
		*m = ReceiverMemory{away: before.At, settled: placeOf(before), settles: before.At}
	}
	if m.away != 0 {
		return m.addUntrusted(before, f)
	}
	if m.since == 0 && rests(before) {
		m.beginStay(before)
	}
	if m.since == 0 {
		m.beginStay(f)
		return f
	}
	return m.lying(before, f)
}

// Late returns a fix that is older than the newest with its mark.
func (m *ReceiverMemory) Late(f ship.Fix) ship.Fix {
	if m.away != 0 && f.At >= m.away && (m.since == 0 || m.home.metresTo(f) > near) {
		return markUntrusted(f)
	}
	return f
}

// Learn takes a fix that was stored with its mark, so that the memory is what it was when the fix was heard. The mark counts: what was decided stays.
// Fixes that thinning left out are not missed. Before is the fix before it, the zero Fix when there is none.
func (m *ReceiverMemory) Learn(before, f ship.Fix) {
	switch {
	case !f.Trusted() && m.away == 0:
		m.away, m.way, m.settled, m.settles = f.At, 0, placeOf(f), f.At
	case !f.Trusted():
		m.hasLeft(before, f) // since when it is under way
		m.hasSettled(f)      // or lies elsewhere
	case m.away != 0 && m.since != 0 && m.home.metresTo(f) <= near:
		m.away, m.way, m.near, m.hole = 0, 0, f.At, 0
	case m.away != 0:
		m.beginStay(f)
	default:
		if !m.Take(before, f).Trusted() {
			m.beginStay(f)
		}
	}
}

// Past returns from when on the stored fixes of a ship are learned from after a start. It judges by its newest fix and by when the program last heard anything.
// There is nothing to learn of a ship that made way. Nor is there of a ship from which nothing was heard for so long that it begins anew.
func Past(newest ship.Fix, heard int64) (from int64, asks bool) {
	const lying, lies = int64(time.Hour / time.Millisecond), int64(24 * time.Hour / time.Millisecond)
	switch {
	case !newest.Trusted():
		return newest.At - lies, true
	case rests(newest) && newest.At >= heard-ship.GapLimit.Milliseconds() && newest.Mark&ship.WrongClock == 0:
		return newest.At - lying, true
	}
	return 0, false
}

// beginStay has a ship lie where a fix is, if it makes no way.
func (m *ReceiverMemory) beginStay(f ship.Fix) {
	*m = ReceiverMemory{}
	if rests(f) {
		m.home, m.since, m.near = placeOf(f), f.At, f.At
	}
}

// lying takes a fix of a ship that lay at home.
func (m *ReceiverMemory) lying(before, f ship.Fix) ship.Fix {
	silence := f.At - before.At
	m.hole = max(m.hole, silence)
	metres, moored := m.home.metresTo(f), heldByLines(before, f)
	switch {
	case silence > ship.GapLimit.Milliseconds():
		m.beginStay(f)
	case metres <= nearMoored || !moored && metres <= near:
		if m.makesWay(before, f) {
			m.beginStay(f)
			return f
		}
		m.followFix(before, f, metres)
	case m.near-m.since < established.Milliseconds(), !rests(f) && m.maySail(before, f, metres):
		m.beginStay(f) // it is under way, or lay at no place yet
	case !rests(f) || m.cannotSail(before, f, metres, moored):
		m.away, m.way, m.settled, m.settles = f.At, 0, placeOf(f), f.At
		return markUntrusted(f)
	case f.At-m.near >= shiftedTime.Milliseconds():
		m.beginStay(f)
	}
	return f
}

// makesWay reports whether a ship that is still near home sails from it. Two reports in a row tell so, and a way that agrees with them.
func (m *ReceiverMemory) makesWay(before, f ship.Fix) bool {
	switch {
	case rests(f):
		m.way = 0
		return false
	case m.way == 0:
		m.way, m.wayFrom = f.At, m.home
		return false
	}
	return m.wayFrom.metresTo(f) >= wayMetres && sailsAsSaid(before, f)
}

// maySail reports whether a ship that tells a speed may have sailed from home to a fix that is so many metres off. Many crews forget to set the status, or never
// set it. So the way alone tells: a ship that got there faster than it says did not sail. A ship that made way already while it was near home has cast off and
// gained its speed.
func (m *ReceiverMemory) maySail(before, f ship.Fix, metres float64) bool {
	starts, fastest := startsIn, fastestWay(f)
	if !rests(before) {
		starts, fastest = 0, max(fastest, fastestWay(before))
	}
	return f.Mark&ship.NewSegment == 0 && metres <= near+coarse+wayInSilence(m.hole, starts, fastest)
}

// fastestWay returns the metres a second that a ship may have made on its way to a fix.
func fastestWay(f ship.Fix) float64 {
	knots, known := f.SOG.Knots()
	if !known {
		return wayFastest
	}
	return max(hidden, (1+wayShare)*knots*1852/3600)
}

// cannotSail reports whether a ship that lay at home cannot have sailed to a fix that is so many metres off.
func (m *ReceiverMemory) cannotSail(before, f ship.Fix, metres float64, moored bool) bool {
	slack := 0.0
	if (before.Mark|f.Mark)&ship.Coarse != 0 {
		slack = coarse
	}
	switch {
	case f.Mark&ship.NewSegment != 0:
		return true
	case moored:
		return metres > nearMoored+wayInSilence(m.hole, reportsMoored, warped)
	case saysAtRest(before) && saysAtRest(f):
		return metres > near+slack+wayInSilence(m.hole, startsIn, hidden)
	}
	return unsailable(before, f, slack)
}

// unsailable reports whether no ship sails from one fix at rest to the next.
func unsailable(before, f ship.Fix, slack float64) bool {
	return placeOf(before).metresTo(f) > near+slack+wayInSilence(f.At-before.At, startsIn, hidden)
}

// wayInSilence returns the metres that a ship makes in a silence of some milliseconds but for a time.
func wayInSilence(silence int64, but time.Duration, speed float64) float64 {
	return max(0, float64(silence-but.Milliseconds())/1000*speed)
}

// followFix takes a fix of a ship that is where it lay. One that tells a speed is hauled.
func (m *ReceiverMemory) followFix(before, f ship.Fix, metres float64) {
	m.near, m.hole = f.At, 0
	share, told := 1.0, 0.0
	for _, fix := range [...]ship.Fix{before, f} {
		if knots, known := fix.SOG.Knots(); known {
			told = max(told, knots)
		}
	}
	if most := (follows + 2*told*1852/3600) * float64(f.At-before.At) / 1000; metres > most {
		share = most / metres
	}
	east := int64(f.Lon) - int64(m.home.lon)
	if math.Abs(float64(east)) > 180*600000 {
		m.home = placeOf(f)
		return
	}
	m.home.lon += int32(share * float64(east))
	m.home.lat += int32(share * (float64(f.Lat) - float64(m.home.lat)))
}

// addUntrusted takes a fix of a ship that is untrusted.
func (m *ReceiverMemory) addUntrusted(before, f ship.Fix) ship.Fix {
	switch {
	case m.isBack(before, f):
		m.away, m.way, m.near, m.hole = 0, 0, f.At, 0
		f.Mark &^= ship.NewSegment | ship.Doubtful // it lay there before
		return f
	case m.hasLeft(before, f), m.hasSettled(f):
		m.beginStay(f)
		f.Mark |= ship.NewSegment
		return f
	}
	return markUntrusted(f)
}

// markUntrusted marks a fix. No leg leads to it or from it, so it begins no segment either.
func markUntrusted(f ship.Fix) ship.Fix {
	f.Mark = f.Mark&^(ship.NewSegment|ship.Doubtful) | ship.Untrusted
	return f
}

// isBack reports whether the ship is where it lay. Where that is not known, because the program was started since, a jump leads back.
func (m *ReceiverMemory) isBack(before, f ship.Fix) bool {
	if m.since == 0 {
		back := f.Mark&ship.NewSegment != 0 || unsailable(before, f, coarse)
		if back {
			m.home, m.since = placeOf(f), f.At
		}
		return back
	}
	limit := float64(near)
	if heldByLines(before, f) {
		limit = backMoored
	}
	return m.home.metresTo(f) <= limit
}

// hasLeft reports whether the ship reports under way for so long that it sails where it says. It must have come on, since a deceived receiver goes round in a
// circle, at an airport as a rule. It must also have had the time to sail there since it was at home.
func (m *ReceiverMemory) hasLeft(before, f ship.Fix) bool {
	switch {
	case rests(f) || !sailsAsSaid(before, f):
		m.way = 0
		return false
	case m.way == 0:
		m.way, m.wayFrom, m.sailed = f.At, placeOf(f), 0
		return false
	}
	m.sailed += float32(placeOf(before).metresTo(f))
	switch {
	case f.At-m.way < wayTime.Milliseconds(), m.wayFrom.metresTo(f) < onward*float64(m.sailed):
		return false
	case m.since == 0:
		return true
	}
	return m.home.metresTo(f) <= near+coarse+wayInSilence(f.At-m.near, 0, fastestWay(f))
}

// sailsAsSaid reports whether the way between two fixes is as long as the speeds at both say.
func sailsAsSaid(before, f ship.Fix) bool {
	seconds, metres := float64(f.At-before.At)/1000, placeOf(before).metresTo(f)
	first, ok := before.SOG.Knots()
	two, also := f.SOG.Knots()
	switch {
	case f.Mark&ship.NewSegment != 0 || f.At-before.At > ship.GapLimit.Milliseconds():
		return false
	case !ok || !also:
		return metres <= wayMetres+wayFastest*seconds
	}
	told := (first + two) / 2 * 1852 / 3600 * seconds
	return math.Abs(metres-told) <= wayMetres+wayShare*told
}

// hasSettled reports whether the ship lies elsewhere for so long that it is there.
func (m *ReceiverMemory) hasSettled(f ship.Fix) bool {
	if !rests(f) {
		return false
	}
	if m.settled.metresTo(f) > settledIn {
		m.settled, m.settles = placeOf(f), f.At
	}
	least := settledTime
	if m.since != 0 && m.home.metresTo(f) <= nearby {
		least = shiftedTime
	}
	return f.At-m.settles >= least.Milliseconds()
}

// saysAtRest reports whether a ship says that it is moored, at anchor or aground.
func saysAtRest(f ship.Fix) bool {
	switch f.Status {
	case ais.StatusMoored, ais.StatusAtAnchor, ais.StatusAground:
		return true
	}
	return false
}

// rests reports whether a ship makes no way by what it says.
func rests(f ship.Fix) bool {
	knots, known := f.SOG.Knots()
	if saysAtRest(f) {
		return !known || knots <= statusKnots
	}
	return known && knots < lyingKnots
}

// heldByLines reports whether a ship is held by its lines at two fixes. Then it says that it is moored, lies still and points the same way.
func heldByLines(before, f ship.Fix) bool {
	for _, fix := range [...]ship.Fix{before, f} {
		knots, known := fix.SOG.Knots()
		if fix.Status != ais.StatusMoored || !known || knots > stillKnots || fix.Mark&ship.Coarse != 0 {
			return false
		}
	}
	was, ok := before.Heading.Degrees()
	is, also := f.Heading.Degrees()
	return ok == also && (!ok || math.Abs(math.Remainder(float64(was)-float64(is), 360)) <= sameBow)
}
