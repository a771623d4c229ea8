// Package watchdog is the machine of watchdogs. A definition, an alarm and a report, or the time that has passed, give an alarm and events. It opens nothing
// and reads no clock. The same reports in the same order give the same events, live, after a restart and out of the past.
package watchdog

import (
	"cmp"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// Type tells what a watchdog watches.
type Type string

// The types, in the words of the API.
const (
	Line    Type = "line"
	Polygon Type = "polygon"
	Port    Type = "port"
	Cable   Type = "cable"
	Fishing Type = "fishing"
	CPA     Type = "cpa"

	Distress Type = "distress" // built in: people in distress
	Feed     Type = "feed"     // receivers that hear nothing, or little
	Box      Type = "box"      // what an operator must know

	LostShip Type = "lost"   // a ship that is named falls silent
	Anchor   Type = "anchor" // a ship at anchor leaves a circle
	Aid      Type = "aton"   // an aid to navigation is off its position
	Speed    Type = "speed"  // a ship is above a limit
	Route    Type = "route"  // a ship leaves a corridor
	Nameless Type = "silent" // a ship sends no static data
	Around   Type = "zone"   // a ship comes near one that is named
)

// Spec is what a watchdog tests. It is a value; New checks it and makes a machine of it.
type Spec struct {
	Type    Type
	Line    geo.Line      // of Line, and of Cable
	Polygon geo.Polygon   // of Polygon, Fishing, CPA and Speed, and of Cable; LostShip, Aid and Nameless without one watch all of the world
	Buffer  float64       // metres around the line or polygon of a Cable, 0 stands for 1000; of a Route half of its corridor
	Port    uint64        // of Port: chart.Port.ID
	Ships   Ships         // of LostShip, of an Anchor that is that of one ship, and the center of Around
	Center  *geo.Point    // of Anchor
	Radius  float64       // metres, of Anchor, Aid and Around
	Limit   float64       // knots, of Speed
	Least   time.Duration // of Speed: a ship is above the limit for so long
	After   time.Duration // of Nameless: a ship is heard for so long; 0 stands for 20 minutes

	CPA  float64       // of CPA: metres below which two ships come too close; 0 stands for 556
	TCPA time.Duration // of CPA: so long before their closest it is told; 0 stands for twelve minutes

	Draught float64      // metres; a ship with a smaller or unknown draught activates nothing; 0 tests none
	Filter  *ship.Filter // nil picks all
	Course  *Course      // nil tests none
	Hours   *Calendar    // nil is always; outside of it nothing is activated

	// MinSOG and MaxSOG are knots. Of Fishing they are the mean speed of a ship that fishes, and both 0 stand for 0.5 and 5.5. Of other types a ship
	// that is slower or faster, or does not tell its speed, activates nothing; 0 tests none.
	MinSOG, MaxSOG float64
	Window         time.Duration // of Fishing: the time over which the mean is taken; 0 stands for ten minutes
	AnyType        bool          // of Fishing: any ship may fish, not only one of that type or status

	ToActivate      int           // reports until an alarm is active; 0 stands for 1
	ToDeactivate    int           // reports until it is over; 0 stands for 1
	BetweenTriggers int           // reports between two activations
	BetweenTimes    time.Duration // the least time between two activations; 0 is none, also for a Cable: its default is DefaultBetween
	Inactivity      time.Duration // an alarm of a ship that is silent for so long is over; 0 is never, and a quarter of an hour of Around

	// AtSea returns how long a ship has been outside of every port at its fix, 0 while it is in one. It is asked by Fishing and Cable; false, or
	// nil, is not known, and tests nothing.
	AtSea func(s *ship.State) (time.Duration, bool)

	// LostAfter returns after which silence a ship is lost, by its class and status. It is asked by LostShip; nil stands for a quarter of an hour.
	LostAfter func(s *ship.State) time.Duration
}

// Ships are those that a watchdog names.
type Ships struct {
	MMSI    ais.MMSI               // 0 names none
	Members func(*ship.State) bool // of a ship list; nil is no list
}

// DefaultBetween is the least time between two activations that a definition of type cable has where it names none.
const DefaultBetween = 15 * time.Minute

// Course is an interval of courses over ground in degrees, its ends included. One whose Min is above its Max leads through north.
type Course struct {
	Min, Max float64
}

// Position is one accepted position of a ship. A late one is none: it counts for nothing.
type Position struct {
	Before ship.Fix    // the fix of the ship before, At 0 where there is none
	State  *ship.State // with the fix of the report as its latest

	Charted *geo.Point // where the register has an aid to navigation; nil is not known
}

// Kind tells what an event is.
type Kind string

// The kinds of events.
const (
	Enter    Kind = "enter"
	Leave    Kind = "leave"
	Cross    Kind = "cross"
	Moored   Kind = "moored"
	Unmoored Kind = "unmoored"
	Risk     Kind = "risk"
	Timeout  Kind = "timeout" // the ship fell silent
	TooClose Kind = "cpa"     // it will come too close to another one

	SignalLost   Kind = "lost"         // of LostShip
	Adrift       Kind = "dragging"     // of Anchor
	OffPosition  Kind = "off_position" // of Aid
	Overspeed    Kind = "overspeed"    // of Speed
	OffTrack     Kind = "off_track"    // of Route
	Unidentified Kind = "unidentified" // of Nameless

	InDistress   Kind = "distress" // people are
	DistressTest Kind = "test"     // their device is tried

	FeedSilent Kind = "feed_silent" // a receiver says nothing
	FeedFew    Kind = "feed_few"    // a receiver hears far fewer ships than usual
	Told       Kind = "notice"      // what an operator must know of the box

	Paused Kind = "paused" // the watchdog itself rings too often
	More   Kind = "more"   // what it held back, as one event

	Manual Kind = "manual" // a user says it
)

// Occurrence is something that happened.
type Occurrence struct {
	Kind      Kind
	Active    bool      // the event is active, or goes on; a Cross is active and over at once
	Activated bool      // the event is an activation: what an activation sends is sent
	At        int64     // Unix milliseconds
	Fix       ship.Fix  // where the ship was then; on the way between two reports its place is that of the crossing, and its motion that of the latter
	Direction string    // of Cross: one of the eight points of the compass
	Reason    CableRisk // of Risk
	Initial   bool      // the ship was inside already when it was first seen, or when the watchdog was made
	Port      uint64    // of the transitions of a port
}

// CableRisk tells why a ship is a risk to a cable.
type CableRisk string

// The reasons.
const (
	Lost     CableRisk = "lost"     // it fell silent over the cable
	Slow     CableRisk = "slow"     // it sails below 3 knots
	Stopped  CableRisk = "stopped"  // it lies still, or says that it is at anchor or aground
	Trawling CableRisk = "fishing"  // it moves as a ship that fishes
	Dragging CableRisk = "dragging" // its anchor seems to drag, or it drifts
)

// Transition is what a ship did at a port, as portcall finds it. Its Kind is Enter, Moored, Unmoored or Leave.
type Transition struct {
	Kind    Kind
	Port    uint64
	At      int64 // Unix milliseconds
	Initial bool  // it did so before the watchdog was made
}

// Compare orders events by time. Of one time those come first that end something: a ship leaves one area before it enters the next.
func Compare(a, b Occurrence) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Kind.kindRank(), b.Kind.kindRank()))
}

// Ends reports whether an event of the kind ends what another began.
func (k Kind) Ends() bool { return k == Leave || k == Timeout }

func (k Kind) kindRank() int {
	switch k {
	case Timeout:
		return 0
	case Leave:
		return 1
	}
	return 2
}
