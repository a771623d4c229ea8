package tracking

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship/portcall"
	"quaywatch/store/records"
)

// Requested is a time at which the port asked the ship to be at a place: RTA in the words of the trade. One with the value 0 takes back what was
// asked for at that place before.
type Requested struct {
	portcalls.Time
	Position *geo.Point `json:"position,omitempty"` // where the place is; nil where nobody said
	Berth    string     `json:"berth,omitempty"`    // the name of the berth of the port; "" where nobody said which
}

// RequestedAt returns the request of a user that the ship arrives at a place at a time; the zero time takes back the one before.
func RequestedAt(place portcalls.PlaceKind, at time.Time, position *geo.Point, by string, entered time.Time) Requested {
	if at.IsZero() {
		position = nil
	}
	return Requested{Time: portcalls.Time{Event: portcalls.Arrival, Kind: portcalls.Requested, Source: portcalls.ByHand, Place: place, Value: millisOf(at),
		Entered: millisOf(entered), By: by}, Position: position}
}

// Ask keeps what the port asks of the ship of a track, in one commit with also. What says the same as the request before it is not kept twice.
func (t *TrackedShips) Ask(id int64, r Requested, also records.CommitPart) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	track, err := t.held(id)
	if err != nil {
		return err
	}
	return t.rewrite(track, func(now *TrackedShip) { now.Requests = addRequest(now.Requests, r) }, also)
}

// mostRequests bounds what a track keeps. Beyond it the oldest goes that a later one of its place has replaced, but for the very first.
const mostRequests = 20

// addRequest appends a request unless it changes nothing.
func addRequest(all []Requested, r Requested) []Requested {
	last, known := Requested{}, false
	for _, had := range all {
		if had.Place == r.Place {
			last, known = had, true
		}
	}
	if last.Value == r.Value && (!known || last.Berth == r.Berth && samePlace(last.Position, r.Position)) {
		return all
	}
	all = append(slices.Clone(all), r)
	for i := 1; len(all) > mostRequests; i++ {
		if slices.ContainsFunc(all[i+1:], func(l Requested) bool { return l.Place == all[i].Place }) {
			return slices.Delete(all, i, i+1)
		}
	}
	return all
}

func samePlace(a, b *geo.Point) bool { return a == b || a != nil && b != nil && *a == *b }

// Standing returns what the port asks for now: the last request of each place that was not taken back, by time.
func (t *TrackedShip) Standing() (list []Requested) {
	for i, request := range t.Requests {
		later := func(l Requested) bool { return l.Place == request.Place }
		if request.Value != 0 && !slices.ContainsFunc(t.Requests[i+1:], later) {
			list = append(list, request)
		}
	}
	slices.SortStableFunc(list, func(a, b Requested) int { return cmp.Compare(a.Value, b.Value) })
	return list
}

// Next returns the first request that is after a time; false when there is none.
func (t *TrackedShip) Next(after time.Time) (r Requested, ok bool) {
	for _, request := range t.Standing() {
		if request.Value > millisOf(after) {
			return request, true
		}
	}
	return r, false
}

// SpeedFor returns the speeds at which the ship of a track arrives where and when it is asked to. It returns false when the ship cannot, or is not on its way,
// or when nobody said where the place is. The berth is the end of the way, and the border of the port is where the way enters the arriving area.
func (t *TrackedShips) SpeedFor(id int64, r Requested) (s Speeds, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	track, ok := t.tracks[id]
	if !ok || track.way == nil || track.fix.At == 0 || !track.Status.isAhead() {
		return s, false
	}
	now := portcall.Millis(track.fix.At)
	e := track.makeEstimate(now)
	if r.Position != nil || r.Place != portcalls.Berth {
		metres, known := track.metresUntil(r)
		if !known {
			return s, false
		}
		e.remaining, e.berth, e.profile = metres, false, nil // which are of the way to the berth
	}
	s = e.speedsFor(r.Value.Since(now).Seconds())
	return s, s.Usual > 0
}

// metresUntil returns the metres of the way up to a place; false when the way does not lead there, or the ship has passed it.
func (t *TrackedShip) metresUntil(r Requested) (metres float64, ok bool) {
	var along float64
	switch {
	case r.Position != nil:
		at, beside, _ := t.way.nearestPlace(geo.PlaneAt(*r.Position), 0, len(t.way.points)-1)
		along, ok = at, beside <= offMetres
	case r.Place == portcalls.Border:
		along, ok = t.way.enters(t.goal.arriving)
	}
	if !ok || along <= t.behind {
		return 0, false
	}
	return t.way.metresAhead(along, t.behind, t.fix.Point()), true
}
