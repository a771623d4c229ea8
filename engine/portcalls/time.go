package portcalls

import (
	"slices"

	"quaywatch/ship/portcall"
)

// TimeKind is what a time is of.
type TimeKind string

// The events of a call.
const (
	Arrival   TimeKind = "arrival"
	Departure TimeKind = "departure"
	Anchoring TimeKind = "anchored"
	FirstLine TimeKind = "first_line" // the first line of the ship is ashore
)

// Kind tells how sure a time is, in the words of IMO FAL.5/Circ.52.
type Kind string

// The kinds of a time.
const (
	Estimated Kind = "estimated"
	Requested Kind = "requested" // what the port asked the ship for
	Planned   Kind = "planned"
	Actual    Kind = "actual"
)

// TimeSource tells where a time comes from.
type TimeSource string

// The sources of a time.
const (
	Detected TimeSource = "detected" // found in the positions of the ship
	Crew     TimeSource = "crew"     // typed by the crew: the ETA of AIS
	ByHand   TimeSource = "hand"     // written by a user
	ERP      TimeSource = "erp"      // planned by the ERP system of the port, as a track tells it
	Computed TimeSource = "computed" // our own ETA, of a ship that was tracked
)

// PlaceKind tells what the ship arrives at or departs from.
type PlaceKind string

// The places of a time.
const (
	Pilot     PlaceKind = "pilot" // where the pilot boards
	Berth     PlaceKind = "berth"
	Anchorage PlaceKind = "anchorage"
	Border    PlaceKind = "border" // of the port
)

// Time is one statement of when something happens, as it was entered. It is never changed: a better one is entered after it.
type Time struct {
	Event   TimeKind        `json:"event"`
	Kind    Kind            `json:"kind"`
	Source  TimeSource      `json:"source"`
	Place   PlaceKind       `json:"place"`
	Value   portcall.Millis `json:"value,omitempty"` // 0 takes back what the source said before
	Entered portcall.Millis `json:"entered"`
	By      string          `json:"by,omitempty"` // the user, of a time by hand
}

// mostTimes bounds the statements of a call. Beyond it the oldest goes that a later one of its source has replaced. So the last of each stays.
const mostTimes = 64

// best returns the actual time of an event that counts. What a user wrote goes before what was detected, and of the same source the last statement counts. It
// is 0 when there is none. A time at the border of the port is told beside it.
func best(times []Time, e TimeKind) portcall.Millis {
	for _, source := range []TimeSource{ByHand, Detected} {
		for i := len(times) - 1; i >= 0; i-- {
			t := times[i]
			if t.Event != e || t.Kind != Actual || t.Source != source || t.Place == Border {
				continue
			}
			if t.Value != 0 {
				return t.Value
			}
			break
		}
	}
	return 0
}

// latestValue returns the last statement of a kind and source about an event at a place, 0 for none.
func latestValue(times []Time, e TimeKind, k Kind, s TimeSource, p PlaceKind) (value portcall.Millis) {
	for _, t := range times {
		if t.Event == e && t.Kind == k && t.Source == s && t.Place == p {
			value = t.Value
		}
	}
	return value
}

// addStatement appends a statement unless its source says the same already.
func addStatement(times []Time, t Time) []Time {
	if latestValue(times, t.Event, t.Kind, t.Source, t.Place) == t.Value {
		return times
	}
	times = append(times, t)
	for i := 0; len(times) > mostTimes; i++ {
		if replaced(times[i], times[i+1:]) {
			return append(times[:i:i], times[i+1:]...)
		}
	}
	return times
}

// replaced reports whether a later statement takes the place of one.
func replaced(t Time, later []Time) bool {
	return slices.ContainsFunc(later, func(l Time) bool {
		return l.Event == t.Event && l.Kind == t.Kind && l.Source == t.Source && l.Place == t.Place
	})
}
