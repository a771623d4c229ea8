package traffic

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Bounds of a conflict.
const (
	conflictReports = 3                // of each of two transmitters, in turns, until both are believed
	conflictMemory  = 10 * time.Minute // after which the other one, once it is silent, is forgotten
)

// rival is a second transmitter with the number of a ship. Hardly any ship has one.
type rival struct {
	places [2]ship.PairSighting // of the ship and of the other; of the other since the first report that no ship joins
	counts [2]int               // reports of each since then
}

// witness takes a report of a ship whose place was held back, or that has a rival. It leaves in now whether two transmitters are heard. The
// caller holds the lock.
func (e *entry) witness(r *ais.Report, heard ais.Feeds, was *ship.State, out *ship.Outcome, now *ship.State, limits *ship.Limits) {
	placed := out.Change&ship.ChangedFix != 0
	if e.rival == nil && out.Reason != ship.Jump || !placed && out.Reason != ship.Jump {
		return
	}
	if e.rival == nil {
		e.rival = &rival{places: [2]ship.PairSighting{{Fix: was.Fix, Feed: was.Feed}, {}}}
	}
	v, from := e.rival, 0
	fix := now.Fix
	switch {
	case out.Reason == ship.Jump:
		from, fix = 1, out.Gate.Held()
		if v.counts[1] > 0 && !ship.Joined(now.Class, v.places[1].Fix, fix, limits) {
			v.places[1], v.counts = ship.PairSighting{}, [2]int{} // a third place: all begins anew
		}
	case fix.Mark&ship.NewSegment != 0: // the other is believed now, and the ship is the other
		v.places[0], v.places[1] = v.places[1], v.places[0]
		v.counts[0], v.counts[1] = v.counts[1], v.counts[0]
	}
	v.noteReport(from, fix, r, heard)
	if apart := fix.At - v.places[1-from].Fix.At; from == 0 && apart > conflictMemory.Milliseconds() {
		e.rival, now.Conflict = nil, nil
		return
	}
	now.Conflict = nil
	if min(v.counts[0], v.counts[1]) >= conflictReports {
		now.Conflict = &ship.Conflict{Places: v.places}
	}
}

// noteReport notes a report of one of the two.
func (v *rival) noteReport(from int, fix ship.Fix, r *ais.Report, feed ais.Feeds) {
	s := &v.places[from]
	s.Fix, s.Feed, s.Station = fix, r.Feed, r.Station
	s.Feeds = ais.Feeds{Set: s.Feeds.Set | feed.Set, Names: feed.Names}
	v.counts[from]++
}
