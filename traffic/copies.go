package traffic

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ais/recall"
	"quaywatch/ship"
)

const (
	staticApart  = 2 * time.Minute  // static data that come again later, or on the other channel, were sent again
	steadyWithin = 10 * time.Second // by which the way of two messages of one UTC second may differ in length
	stampWithin  = 5 * time.Second  // by which the stamps of one message may differ
)

// copies tells messages that come again by a slow way, later than recent remembers. Such a copy has no time of its own: its UTC second would put
// the ship into a wrong minute. It is told by its payload, by its time, and by what the ship did since. A stamp of another time is believed.
type copies struct{ memory recall.Memory }

// has reports whether a report is a copy of one that was heard before. Each report is remembered.
func (c *copies) has(e *entry, r *ais.Report, at time.Duration) bool {
	place, sog, second := motionOf(r.Message)
	static := isStatic(r.Message)
	s, known := second.Known()
	if r.Hash == 0 || r.Sent.IsZero() && !static || !static && !known {
		return false
	}
	hash := r.Hash
	if static && r.Channel == 'B' {
		hash ^= 1 << 40 // sent again on the other channel
	}
	ago, _, again := c.memory.Heard(hash, at, 0)
	if !again || e == nil {
		return false
	}
	was, first := e.asHeard(), r.Received.Add(-ago)
	if static {
		return ago < staticApart || was.StaticChanged() > first.UnixMilli()+1000
	}
	if r.Sent.Second() != s && r.Sent.Sub(first).Abs() > stampWithin { // it has a stamp, of another time
		return false
	}
	switch was.Class {
	case ship.ClassSART, ship.ClassMOB, ship.ClassEPIRB: // none of their places is passed over
		return false
	}
	knots, known := sog.Knots()
	return was.HasFix && (known && knots >= ship.LeastWay || was.Fix.Lon != place.Lon || was.Fix.Lat != place.Lat || !fullMinutes(ago))
}

// fullMinutes reports whether so much later a ship can have sent the same UTC second again.
func fullMinutes(ago time.Duration) bool {
	off := ago.Abs() % time.Minute
	return min(off, time.Minute-off) <= steadyWithin
}

// motionOf returns the place of a ship in a message, its speed and its UTC second, which is not known in messages of other kinds.
func motionOf(m ais.Message) (ais.Place, ais.SOG, ais.Second) {
	switch t := m.(type) {
	case *ais.PositionReport:
		return t.Place, t.SOG, t.Second
	case *ais.ClassBReport:
		return t.Place, t.SOG, t.Second
	case *ais.ExtendedClassBReport:
		return t.Place, t.SOG, t.Second
	case *ais.SARAircraftReport:
		return t.Place, t.SOG, t.Second
	}
	return ais.Place{}, 0, 60
}

func isStatic(m ais.Message) bool {
	switch m.(type) {
	case *ais.StaticVoyage, *ais.StaticReport:
		return true
	}
	return false
}
