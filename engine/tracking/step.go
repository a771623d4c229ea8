package tracking

import (
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// Numbers of the statuses.
const (
	stoppedBelow = 0.5              // knots
	stoppedFor   = 15 * time.Minute // outside of a port
	lostAfter    = time.Hour        // without a position
	givenUpAfter = 30 * 24 * time.Hour
	offReports   = 3        // beside the way, one after the other
	offMetres    = 2 * 1852 // beside the way
	offShare     = 0.1      // or this share of the way ahead
	toldEvery    = time.Minute
	toldMetres   = 1852
	notedEvery   = 15 * time.Minute
	retryEvery   = 15 * time.Minute // a way that was not found
	movedMetres  = 2 * 1852         // a ship that is a destination, from the end of the way
)

// addPosition takes a position of the ship. It reports whether a way is to be looked for.
func (t *TrackedShip) addPosition(fix ship.Fix, all *pastErrors) (seek bool) {
	now := portcall.Millis(fix.At)
	if t.Status.Over() || now <= t.Heard || fix.Mark&ship.WrongClock != 0 || !fix.Trusted() {
		return false
	}
	t.noteMotion(fix)
	place, before := fix.Point(), t.fix
	t.Heard, t.fix = now, fix
	t.checkAreas(before, fix)
	if !t.Status.isAhead() {
		return false
	}
	if t.way == nil {
		t.changeStatus(t.lacking(), now)
		return t.retry(now)
	}
	behind, beside := t.way.distancesAt(place, offMetres)
	t.passWaypoints(behind, ship.Leg{From: before, To: fix})
	if beside > t.way.strayMetres(behind) {
		t.off++
	} else {
		t.off = 0
	}
	t.behind = behind
	parted, seek := t.checkParting(place)
	t.dropPassages()
	status := t.movingStatus(now)
	if status == OffRoute && t.Status != OffRoute {
		seek, t.away = true, t.leavesWaypoint(before, place)
		t.doubt()
	}
	changed := t.changeStatus(status, now)
	if parted || changed || now.Since(t.Latest.At) >= toldEvery || t.Latest.Distance-t.metresLeft() >= toldMetres {
		t.updateETA(now, all)
	}
	return seek
}

// noteMotion notes the speed of a position at sea, and since when the ship makes no way.
func (t *TrackedShip) noteMotion(fix ship.Fix) {
	now, knots := portcall.Millis(fix.At), t.speedKnots(fix)
	if t.atSea(fix.Point()) {
		t.Sailing.noteSpeed(now, knots)
	}
	t.slowly(now, knots)
}

// offPort is how far in metres from the port of its departure a ship has its speed.
const offPort = 8 * 1852

// atSea reports whether a ship is so far from the ports at both ends that its speed tells how fast it will sail.
func (t *TrackedShip) atSea(place geo.Point) bool {
	if t.Destination.Port != 0 && t.Sailing.Mean > 0 && geo.Distance(t.goal.middle, place) <= offPort {
		return false
	}
	return t.left == nil || geo.Distance(*t.left, place) > offPort
}

// speedKnots returns the SOG in knots, that over the leg where the ship sends none.
func (t *TrackedShip) speedKnots(fix ship.Fix) float64 {
	if knots, ok := fix.SOG.Knots(); ok {
		return knots
	}
	if t.fix.At == 0 || fix.At <= t.fix.At {
		return 0
	}
	return ship.Leg{From: t.fix, To: fix}.Knots()
}

// slowly notes since when the ship makes no way.
func (t *TrackedShip) slowly(now portcall.Millis, knots float64) {
	switch {
	case knots >= stoppedBelow:
		t.Slow = 0
	case t.Slow == 0:
		t.Slow = now
	}
}

// lacking returns the status of a ship without a way.
func (t *TrackedShip) lacking() Status {
	switch {
	case t.InPort:
		return InDeparturePort
	case t.Status == Pending:
		return Calculating
	case t.Status == PositionLost:
		return UnderWay
	}
	return t.Status
}

// retry reports whether a way is to be looked for again.
func (t *TrackedShip) retry(now portcall.Millis) bool {
	if t.Status == NoRoute && now.Since(t.tried) < retryEvery {
		return false
	}
	t.tried = now
	return true
}

// movingStatus returns the status of a ship with a way.
func (t *TrackedShip) movingStatus(now portcall.Millis) Status {
	switch {
	case t.InPort:
		return InDeparturePort
	case t.near:
		return Approaching
	case t.Slow != 0 && now.Since(t.Slow) > stoppedFor:
		return Stopped
	case t.off >= offReports:
		return OffRoute
	}
	return UnderWay
}

// passWaypoints notes the waypoints that the ship has passed on its last leg. It passed each at the speed of the leg.
func (t *TrackedShip) passWaypoints(behind float64, leg ship.Leg) {
	for len(t.way.stops) > 0 && behind >= t.way.stops[0] {
		at := portcall.Millis(leg.To.At)
		if stop := t.way.stops[0]; joins(leg) && stop > t.behind {
			at = portcall.Millis(leg.From.At + int64((stop-t.behind)/(behind-t.behind)*float64(leg.To.At-leg.From.At)))
		}
		t.way.stops = t.way.stops[1:]
		if i := t.nextWaypoint(); i < len(t.Waypoints) {
			w := &t.Waypoints[i]
			w.ATA, w.ETA, w.unsaved, t.changed = at, 0, true, true
		}
	}
}

// joins reports whether a leg leads from the report before; there is none before the first.
func joins(leg ship.Leg) bool { return leg.From.At != 0 && ship.Joins(leg.From, leg.To) }

// leavesWaypoint reports whether a ship has its next waypoint abaft the beam.
func (t *TrackedShip) leavesWaypoint(before ship.Fix, place geo.Point) bool {
	i := t.nextWaypoint()
	return i < len(t.Waypoints) && before.At != 0 && geo.Distance(before.Point(), t.Waypoints[i].Position) < geo.Distance(place, t.Waypoints[i].Position)
}

// skip leaves out the next waypoint.
func (t *TrackedShip) skip() {
	t.Waypoints = slices.Clone(t.Waypoints)
	w := &t.Waypoints[t.nextWaypoint()]
	w.Skipped, w.ETA, t.changed = true, 0, true
}

// nextWaypoint returns the index of the first waypoint that the ship has neither passed nor skipped.
func (t *TrackedShip) nextWaypoint() int {
	for i := range t.Waypoints {
		if t.Waypoints[i].ATA == 0 && !t.Waypoints[i].Skipped {
			return i
		}
	}
	return len(t.Waypoints)
}

// checkAreas looks whether the ship is in the areas of its destination, or came through that of the arrival on its last leg. For a port the calls tell the arrival.
func (t *TrackedShip) checkAreas(before, fix ship.Fix) {
	place, leg := fix.Point(), ship.Leg{From: before, To: fix}
	t.near = t.goal.arriving != nil && t.goal.arriving.Contains(place)
	if t.goal.arrived == nil {
		return
	}
	if t.Status != Arrived {
		if before.At < int64(t.Created) {
			leg.From = ship.Fix{} // where it was before counts for nothing
		}
		in, _, comes := within(t.goal.arrived, leg)
		if !comes {
			return
		}
		t.Visits[1].ATA, t.unsaved = in, true
		t.changeStatus(Arrived, in)
	}
	if !t.goal.departed.Contains(place) {
		_, out, _ := within(t.goal.departed, leg)
		t.Visits[1].ATD, t.unsaved = out, true
		t.changeStatus(Departed, out)
	}
}

// within returns when a leg is first and last in an area. It is false where it is not. Without a leg the report counts alone.
func within(area *geo.Area, leg ship.Leg) (first, last portcall.Millis, ok bool) {
	at := portcall.Millis(leg.To.At)
	from, to := leg.From.Point(), leg.To.Point()
	if !joins(leg) {
		return at, at, area.Contains(to)
	}
	if !geo.RectOf(from, to).Intersects(area.Bounds()) {
		return at, at, false
	}
	spans := area.Inside(from, to, nil)
	if len(spans) == 0 && area.Contains(from) { // it was on the border
		return portcall.Millis(leg.From.At), portcall.Millis(leg.From.At), true
	}
	if len(spans) == 0 {
		return at, at, area.Contains(to)
	}
	share := func(s float64) portcall.Millis {
		return portcall.Millis(leg.From.At + int64(s*float64(leg.To.At-leg.From.At)))
	}
	return share(spans[0].From), share(spans[len(spans)-1].To), true
}

// changeStatus changes the status and notes the change.
func (t *TrackedShip) changeStatus(s Status, now portcall.Millis) (changed bool) {
	if s != PositionLost {
		t.Stale = false
	}
	if s == t.Status {
		return false
	}
	t.Status, t.Latest.Status, t.changed = s, s, true
	switch {
	case s.Over():
		t.Finished = now
		fallthrough
	case s == Arrived, s == NoRoute:
		t.Latest = Estimate{At: now, Status: s}
		for i := range t.Waypoints {
			t.Waypoints[i].ETA = 0
		}
		t.addToHistory()
	case s == PositionLost:
		t.Stale = true
		t.addToHistory()
	}
	return true
}

// anchored reports whether the ship lies still on its way. Then it says that it is at anchor, or makes no way for a quarter of an hour.
func (t *TrackedShip) anchored(now portcall.Millis) bool {
	return !t.InPort && t.Slow != 0 && (t.fix.Status == ais.StatusAtAnchor || now.Since(t.Slow) > stoppedFor)
}

// metresLeft returns the metres that the ship still has to sail.
func (t *TrackedShip) metresLeft() float64 {
	return t.way.metresAhead(t.way.end, t.behind, t.fix.Point())
}

// makeEstimate returns what the ETA rests on.
func (t *TrackedShip) makeEstimate(now portcall.Millis) estimate {
	return estimate{remaining: t.metresLeft(), knots: t.Sailing.expectedKnots(now, t.usual), berth: t.Destination.Port != 0, anchored: t.anchored(now), profile: t.profile}
}

// updateETA makes the ETA anew.
func (t *TrackedShip) updateETA(now portcall.Millis, all *pastErrors) {
	e := t.makeEstimate(now)
	was := t.Latest
	t.Latest = e.estimateAt(now, all)
	t.Latest.Status, t.Latest.Doubts = t.Status, t.Doubts
	t.cover(now, e, all)
	for i, k := t.nextWaypoint(), 0; i < len(t.Waypoints) && k < len(t.way.stops); i, k = i+1, k+1 {
		if t.Waypoints[i].ETA = 0; !e.anchored {
			t.Waypoints[i].ETA = now.Add(max(leastAhead*time.Second, wholeSeconds(t.way.metresAhead(t.way.stops[k], t.behind, t.fix.Point())/perSecond(e.knots))))
		}
	}
	if n := len(t.History); n == 0 || t.History[n-1].Status != t.Status || now.Since(t.History[n-1].At) >= notedEvery || was.ETA == 0 != (t.Latest.ETA == 0) {
		t.addToHistory()
		t.changed = true
	}
	if t.quarter == nil {
		t.keepFirst()
	}
}

// passSilence takes a time at which nothing was heard of the ship.
func (t *TrackedShip) passSilence(now portcall.Millis, all *pastErrors) {
	silent := now.Since(max(t.Heard, t.Created))
	switch {
	case t.Status.Over():
	case silent > givenUpAfter:
		t.changeStatus(Ended, now)
	case t.Heard == 0:
	case t.Stale && t.hasTimeDue(now):
		t.expireETA(now)
	case t.Status.sailing() && silent > lostAfter:
		t.changeStatus(PositionLost, now)
	case t.Status == InDeparturePort && silent > lostAfter:
		t.Stale = true
	case (t.Status == Stopped || t.Status == InDeparturePort) && t.way != nil && now.Since(t.Latest.At) >= toldEvery:
		t.updateETA(now, all)
	case t.Status.sailing() && t.way != nil && t.hasTimeDue(now): // it is not there yet
		t.updateETA(now, all)
	}
}

// hasTimeDue reports whether a time that was told is over before the next look at the track.
func (t *TrackedShip) hasTimeDue(now portcall.Millis) bool {
	next := now.Add(waitEvery)
	return t.Latest.ETA != 0 && t.Latest.ETA <= next || slices.ContainsFunc(t.Waypoints, func(w Waypoint) bool { return w.ETA != 0 && w.ETA <= next })
}

// expireETA takes back the ETA of a ship that was not heard when it was due.
func (t *TrackedShip) expireETA(now portcall.Millis) {
	t.Latest = Estimate{At: now, Status: t.Status, Distance: t.Latest.Distance}
	for i := range t.Waypoints {
		t.Waypoints[i].ETA = 0
	}
	t.addToHistory()
	t.changed = true
}

// called takes a call of the ship as it is stored now.
func (t *TrackedShip) called(c *portcalls.KeptCall, all *pastErrors) (learned []int) {
	if came := t.Visits[1].Seen; came != 0 && came != seenTime(c) || t.Status == Ended {
		return nil // a later call, or one before
	}
	switch {
	case t.Visits[0].Seen == seenTime(c):
		t.departure(c)
	case t.Destination.Port == c.Found.Port && c.Found.Alongside() && seenTime(c) > t.Visits[0].Seen && wentOnAfter(c, t.Created):
		return t.takeArrival(c, all)
	}
	return nil
}

// wentOnAfter reports whether a call went on after a time.
func wentOnAfter(c *portcalls.KeptCall, at portcall.Millis) bool {
	return c.Found.Left == 0 || c.Found.Left > at
}

// seenTime returns the time that tells the calls of a ship apart.
func seenTime(c *portcalls.KeptCall) portcall.Millis { return c.Found.Stays[0].Seen }

// departure takes the call at the departure port.
func (t *TrackedShip) departure(c *portcalls.KeptCall) {
	now := visitOf(c)
	_, lies := c.Found.Lies()
	inPort := c.Found.Open() && (lies || now.ATD == 0)
	if now == t.Visits[0] && inPort == t.InPort {
		return
	}
	t.Visits[0], t.InPort, t.changed = now, inPort, true
}

// takeArrival takes the call at the destination.
func (t *TrackedShip) takeArrival(c *portcalls.KeptCall, all *pastErrors) (learned []int) {
	now := visitOf(c)
	if gone := !c.Found.Open(); now == t.Visits[1] && gone == (t.Status == Departed) {
		return nil
	}
	at := max(now.ATA, now.Seen)
	if t.Visits[1].Seen == 0 {
		learned = all.learnErrors(t.soundEstimates(), at)
	}
	t.Visits[1], t.Call, t.changed = now, c.ID, true
	t.changeStatus(Arrived, at)
	if !c.Found.Open() {
		t.changeStatus(Departed, max(c.Found.Left, now.ATD))
	}
	return learned
}

func visitOf(c *portcalls.KeptCall) PortVisit {
	return PortVisit{Port: c.Found.Port, Seen: seenTime(c), ATA: millisOf(c.Arrived()), ATD: millisOf(c.Departed())}
}

// millisOf returns a time as it is kept, 0 for the zero time.
func millisOf(t time.Time) portcall.Millis {
	if t.IsZero() {
		return 0
	}
	return portcall.Millis(t.UnixMilli())
}
