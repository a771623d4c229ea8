// Package portcall finds the calls of ships at ports in their positions: when a ship came, where it lay, and when it left. It opens nothing and reads no clock.
// The same positions in the same order give the same calls, live, after a restart and out of the past.
package portcall

import (
	"slices"
	"time"

	"quaywatch/ship"
)

// Millis is a time in Unix milliseconds, UTC. 0 is a time that is not known.
type Millis int64

// Time returns the time in UTC, the zero time when it is not known.
func (m Millis) Time() time.Time {
	if m == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(m)).UTC()
}

// Add returns the time that much later.
func (m Millis) Add(d time.Duration) Millis { return m + Millis(d.Milliseconds()) }

// Since returns how long after another time this one is.
func (m Millis) Since(before Millis) time.Duration { return time.Duration(m-before) * time.Millisecond }

func fixMillis(f ship.Fix) Millis { return Millis(f.At) }

// Call is one call of a ship at a port, from the first stop in it until the ship has left its border. A shift to another berth is part of
// the call.
type Call struct {
	Ref  uint64 `json:"ref,omitempty"` // of the keeper of the call; the engine hands it on
	Port uint64 `json:"port"`          // chart.Port.ID

	Entered Millis `json:"entered,omitempty"` // when the ship crossed the border inward; 0 when that was not seen
	Left    Millis `json:"left,omitempty"`    // when the call was over; 0 while it is open
	Exit    bool   `json:"exit,omitempty"`    // the ship was seen outside after it; else the call ended by silence

	Stays []Stay `json:"stays"` // in order, at least one

	DraughtA uint16 `json:"draught_a,omitempty"` // on arrival, centimetres; 0 when not known
	DraughtD uint16 `json:"draught_d,omitempty"` // on departure, centimetres; 0 when not known
}

// StayKind tells how a ship lies.
type StayKind uint8

// The kinds of a stay.
const (
	Anchored StayKind = iota + 1 // at anchor or waiting
	Berthed                      // alongside
)

// Stay is a time in which a ship lay at one place.
type Stay struct {
	Kind  StayKind `json:"kind"`
	Berth int64    `json:"berth,omitempty"` // chart.Berth.ID; 0 for none of the list
	From  Millis   `json:"from,omitempty"`  // when the ship came to rest; 0 when it was first heard lying there
	To    Millis   `json:"to,omitempty"`    // when it moved off; 0 while it lies there, and when that was not seen
	Over  bool     `json:"over,omitempty"`  // the ship has moved off
	Seen  Millis   `json:"seen"`            // when it was first seen at rest here
	Last  Millis   `json:"last"`            // when it was last seen at rest here
	Lon   float64  `json:"lon"`             // of the middle of the places, degrees
	Lat   float64  `json:"lat"`
	Bow   uint16   `json:"bow,omitempty"` // where it pointed last, degrees from 1 to 360; 0 when not known
}

// Heading returns where the bow pointed last, in degrees; -1 when that is not known.
func (s *Stay) Heading() float64 {
	if s.Bow == 0 {
		return -1
	}
	return float64(s.Bow % 360)
}

// mostStays bounds the stays of a call. Beyond it the latest stay gives way that is neither the last, nor the first nor last alongside. This is because a ship
// that shifts all day has few stays of interest.
const mostStays = 32

// Full reports whether the call has as many stays as it keeps, so that there may have been others after its first.
func (c *Call) Full() bool { return len(c.Stays) >= mostStays }

// Open reports whether the ship has not left.
func (c *Call) Open() bool { return c.Left == 0 }

// Lies returns the stay in which the ship lies now; false while it moves, and after the call.
func (c *Call) Lies() (Stay, bool) {
	last := c.Stays[len(c.Stays)-1]
	return last, c.Open() && !last.Over
}

// Arrived returns the detected time of arrival: when the ship first came to rest alongside. It returns 0 when the ship has not, or when that was not seen.
func (c *Call) Arrived() Millis {
	for i := range c.Stays {
		if c.Stays[i].Kind == Berthed {
			return c.Stays[i].From
		}
	}
	return 0
}

// Departed returns the detected time of departure: when the ship last moved off from alongside. It is 0 while the ship lies there, and when
// that was not seen.
func (c *Call) Departed() Millis {
	if s := c.lastAlongside(); s != nil {
		return s.To
	}
	return 0
}

// AnchoredAt returns when the ship first came to rest at anchor before it was alongside; 0 for never.
func (c *Call) AnchoredAt() Millis {
	if first := c.Stays[0]; first.Kind == Anchored {
		return first.From
	}
	return 0
}

// Berth returns the id of the berth where the ship lies or last lay alongside, 0 for none of the list.
func (c *Call) Berth() int64 {
	if s := c.lastAlongside(); s != nil {
		return s.Berth
	}
	return 0
}

// Alongside reports whether the ship was alongside in this call at all.
func (c *Call) Alongside() bool { return c.lastAlongside() != nil }

func (c *Call) lastAlongside() *Stay {
	for i := len(c.Stays) - 1; i >= 0; i-- {
		if c.Stays[i].Kind == Berthed {
			return &c.Stays[i]
		}
	}
	return nil
}

// Confidence tells how much of the call was seen, as Global Fishing Watch counts it. It is 4 for entry, stop and exit, 3 for a stop with one of them, 2 for a
// stop alone.
func (c *Call) Confidence() int {
	n := 2
	if c.Entered != 0 {
		n++
	}
	if c.Exit {
		n++
	}
	return n
}

// add appends a stay.
func (c *Call) add(s Stay) {
	if len(c.Stays) == mostStays {
		c.Stays = slices.Delete(c.Stays, c.spare(), c.spare()+1)
	}
	c.Stays = append(c.Stays, s)
}

// spare returns the index of the stay that tells least.
func (c *Call) spare() int {
	alongside := func(s Stay) bool { return s.Kind == Berthed }
	i, last := len(c.Stays)-2, c.lastAlongside()
	for i > 1 && (&c.Stays[i] == last || i == slices.IndexFunc(c.Stays, alongside)) {
		i--
	}
	return i
}
