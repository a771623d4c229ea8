// Package portcalls keeps the calls of ships at ports, and the trips between them. It follows each ship with the engine of ship/portcall, live
// and over the past, and stores what the engine finds. It reads no clock: time comes with the reports and the ticks.
package portcalls

import (
	"errors"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/ship/portcall"
	"quaywatch/store/records"
)

// ErrUnknown says that there is no such call.
var ErrUnknown = errors.New("no such call is known")

// KeptCall is a call of a ship as it is kept.
type KeptCall struct {
	ID    int64
	MMSI  ais.MMSI
	Found portcall.Call // what the engine found
	Times []Time        // all that was said about its times, in the order in which it was entered
	Feeds []string      // that heard the ship when the call began
	By    string        // the user that confirmed or corrected it; "" for none
	Trip  *Voyage       // that brought the ship here; nil for none, or not known

	Entered   portcall.Millis // when the call was first kept
	Confirmed portcall.Millis // when By did so

	key  records.Key
	prev records.Key
	gone bool // By deleted it; without By it is none by a border that was drawn later
}

// record is a call as it is stored.
type record struct {
	MMSI  ais.MMSI      `json:"mmsi"`
	Call  portcall.Call `json:"call"`
	Times []Time        `json:"times,omitempty"`
	Feeds []string      `json:"feeds,omitempty"`
	By    string        `json:"by,omitempty"`
	Trip  *Voyage       `json:"trip,omitempty"`
	Prev  records.Key   `json:"prev"` // of the ship's call before
	Gone  bool          `json:"gone,omitempty"`

	Entered   portcall.Millis `json:"entered,omitempty"`
	Confirmed portcall.Millis `json:"confirmed,omitempty"`
}

func (c *KeptCall) storedRecord() record {
	found := c.Found
	found.Ref = 0
	return record{c.MMSI, found, c.Times, c.Feeds, c.By, c.Trip, c.prev, c.gone, c.Entered, c.Confirmed}
}

func (r *record) call(key records.Key) KeptCall {
	c := KeptCall{ID: idOf(key), MMSI: r.MMSI, Found: r.Call, Times: r.Times, Feeds: r.Feeds, By: r.By, Trip: r.Trip, key: key, prev: r.Prev, gone: r.Gone,
		Entered: r.Entered, Confirmed: r.Confirmed}
	c.Found.Ref = uint64(c.ID)
	return c
}

// The number of a call is the second in which the ship was first seen at rest, and the end of its sequence. So it is unique, is found
// without an index, and is whole in JavaScript.
const sequenceBits = 21

func idOf(key records.Key) int64 {
	return key.At/1000<<sequenceBits | int64(key.Sequence&(1<<sequenceBits-1))
}

// keyTime returns the time under which a call is stored: that of the first stay, in whole seconds.
func keyTime(c *portcall.Call) time.Time { return c.Stays[0].Seen.Time().Truncate(time.Second) }

// Lay returns when the ship was first seen at rest and when it left, a zero time while it has not.
func (c *KeptCall) Lay() (from, to time.Time) {
	if to = c.Departed(); to.IsZero() {
		to = c.Found.Left.Time()
	}
	return c.Found.Stays[0].Seen.Time(), to
}

// Arrived returns the time of arrival that counts; zero when it is not known.
func (c *KeptCall) Arrived() time.Time { return c.actual(Arrival) }

// Departed returns the time of departure that counts; zero when it is not known, and while the ship is in port.
func (c *KeptCall) Departed() time.Time { return c.actual(Departure) }

// AnchoredAt returns when the ship anchored before it was alongside; zero when it did not.
func (c *KeptCall) AnchoredAt() time.Time { return c.actual(Anchoring) }

func (c *KeptCall) actual(e TimeKind) time.Time { return best(c.Times, e).Time() }

// CameTo returns when the ship came to rest alongside in one of its stays: at the first the arrival that counts. It is zero where that is not known.
func (c *KeptCall) CameTo(stay int) time.Time {
	first, _ := c.berthed()
	switch {
	case stay == first:
		return c.Arrived()
	case stay < 0 || stay >= len(c.Found.Stays):
		return time.Time{}
	}
	return c.Found.Stays[stay].From.Time()
}

// LeftFrom returns when the ship moved off from one of its stays alongside: from the last the departure that counts. It is zero where that is not known.
func (c *KeptCall) LeftFrom(stay int) time.Time {
	_, last := c.berthed()
	switch {
	case stay == last:
		return c.Departed()
	case stay < 0 || stay >= len(c.Found.Stays):
		return time.Time{}
	}
	return c.Found.Stays[stay].To.Time()
}

// berthed returns the first and the last stay alongside, -1 for none.
func (c *KeptCall) berthed() (first, last int) {
	first, last = -1, -1
	for i := range c.Found.Stays {
		if c.Found.Stays[i].Kind == portcall.Berthed {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	return first, last
}

// Detected returns the detected time of arrival or departure; zero for none.
func (c *KeptCall) Detected(e TimeKind) time.Time {
	return latestValue(c.Times, e, Actual, Detected, Berth).Time()
}

// beginTime returns the time by which the call stands in the history of the ship.
func (c *KeptCall) beginTime() time.Time {
	if at := c.Arrived(); !at.IsZero() {
		return at
	}
	return c.Found.Stays[0].Seen.Time()
}

// endTime returns when the call was over; zero while it is open.
func (c *KeptCall) endTime() time.Time {
	if at := c.Departed(); !at.IsZero() {
		return at
	}
	return c.Found.Left.Time()
}

// updateFound takes over what the engine found now.
func (c *KeptCall) updateFound(now portcall.Call, entered portcall.Millis) {
	c.Found = now
	c.Found.Stays = slices.Clone(now.Stays)
	for _, t := range []Time{
		{Event: Arrival, Place: Border, Value: now.Entered}, {Event: Anchoring, Place: Anchorage, Value: now.AnchoredAt()},
		{Event: Arrival, Place: Berth, Value: now.Arrived()}, {Event: Departure, Place: Berth, Value: now.Departed()},
		{Event: Departure, Place: Border, Value: left(&now)},
	} {
		t.Kind, t.Source, t.Entered = Actual, Detected, entered
		c.Times = addStatement(c.Times, t)
	}
}

func left(c *portcall.Call) portcall.Millis {
	if c.Exit {
		return c.Left
	}
	return 0
}
