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
	place, sog, second, moves := motionOf(r.Message)
	static := isStatic(r.Message)
	s, known := second.Known()
	if r.Hash == 0 || !static && (!moves || known && r.Sent.IsZero()) {
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
	if known && r.Sent.Second() != s && r.Sent.Sub(first).Abs() > stampWithin { // it has a stamp, of another time
		return false
	}
	switch was.Class {
	case ship.ClassSART, ship.ClassMOB, ship.ClassEPIRB: // none of their places is passed over
		return false
	}
	knots, told := sog.Knots()
	sails, moved := told && knots >= ship.LeastWay, was.Fix.Lon != place.Lon || was.Fix.Lat != place.Lat
	if !known { // where it lies it may say the same at any time
		return was.HasFix && sails && moved
	}
	return was.HasFix && (sails || moved || !fullMinutes(ago))
}

// fullMinutes reports whether so much later a ship can have sent the same UTC second again.
func fullMinutes(ago time.Duration) bool {
	off := ago.Abs() % time.Minute
	return min(off, time.Minute-off) <= steadyWithin
}

// motionOf returns the place of a ship in a message, its speed and its UTC second, which need not be known. It is false of messages of other kinds.
func motionOf(m ais.Message) (place ais.Place, sog ais.SOG, second ais.Second, ok bool) {
	switch t := m.(type) {
	case *ais.PositionReport:
		return t.Place, t.SOG, t.Second, true
	case *ais.ClassBReport:
		return t.Place, t.SOG, t.Second, true
	case *ais.ExtendedClassBReport:
		return t.Place, t.SOG, t.Second, true
	case *ais.SARAircraftReport:
		return t.Place, t.SOG, t.Second, true
	}
	return place, sog, 60, false
}

func isStatic(m ais.Message) bool {
	switch m.(type) {
	case *ais.StaticVoyage, *ais.StaticReport:
		return true
	}
	return false
}
