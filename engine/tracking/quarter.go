package tracking

import (
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship/portcall"
)

// Quarter is a track as it was at the last quarter of an hour, or when its way was first found. It is for callers that may not know when ships come and leave.
// The status changes at that moment, the ETA stands still after it, and the history has an entry.
type Quarter struct {
	Latest    Estimate
	Stale     bool
	Waypoints []Waypoint
	History   []Estimate // must not be changed
}

// keepQuarter notes what the track is like now.
func (t *TrackedShip) keepQuarter() {
	q := &Quarter{Latest: t.Latest, Stale: t.Stale, Waypoints: append([]Waypoint(nil), t.Waypoints...), History: t.History[:len(t.History):len(t.History)]}
	q.Latest.Status = t.Status
	t.quarter = q
}

// keepFirst notes what a track is like whose way was just found. Whether the ship lies in port it takes from the quarter before it.
func (t *TrackedShip) keepFirst() {
	t.keepQuarter()
	q := &t.quarter.Latest
	switch in := q.Status == InDeparturePort; {
	case t.lay && !in:
		q.Status = InDeparturePort
	case !t.lay && in:
		q.Status = UnderWay
	}
	t.quarter.History = nil
}

// AsOfQuarter returns the track as it was at the last quarter of an hour; false before anything is known of its way.
func (t *TrackedShip) AsOfQuarter() (Quarter, bool) {
	if t.quarter == nil {
		return Quarter{}, false
	}
	return *t.quarter, true
}

// WaypointETA returns when the ship was to come to a waypoint; 0 when that is not known.
func (q *Quarter) WaypointETA(i int, at geo.Point) portcall.Millis {
	if i < len(q.Waypoints) && q.Waypoints[i].Position == at {
		return q.Waypoints[i].ETA
	}
	return 0
}

// quarters notes what all tracks are like, when a quarter of an hour has begun.
func (t *TrackedShips) quarters() {
	at := portcalls.AtQuarter(t.now)
	if at.Equal(t.quarter) {
		return
	}
	t.quarter = at
	for _, track := range t.tracks {
		if track.Latest.At != 0 { // else nothing is known of its way
			track.keepQuarter()
		}
	}
}
