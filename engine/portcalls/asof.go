package portcalls

import (
	"slices"
	"time"

	"quaywatch/ship/portcall"
)

// What nobody writes down the time of is known at the latest so long after it.
const (
	draughtKnown = time.Hour      // after an arrival or a departure its draught changes no more
	silenceKnown = 24 * time.Hour // after the last position a silent ship has left
)

// Quarter is the step in which a caller is told of calls and tracks that may not know when ships come and leave.
const Quarter = 15 * time.Minute

// AtQuarter returns the last full quarter of an hour.
func AtQuarter(at time.Time) time.Time { return at.Truncate(Quarter) }

// DraughtsTold returns when AsOf has the draughts of all calls that were known at a time.
func DraughtsTold(known time.Time) time.Time { return known.Add(draughtKnown) }

// AsOf returns what was known of the call at a time: it leaves out what was entered later, but for what a user wrote. It is false when the call
// was not known then.
func (c *KeptCall) AsOf(at time.Time, by string) (KeptCall, bool) {
	now := portcall.Millis(at.UnixMilli())
	if max(c.Entered, c.Found.Stays[0].Seen) > now {
		return KeptCall{}, false
	}
	then := *c
	then.Times = slices.DeleteFunc(slices.Clone(c.Times), func(t Time) bool { return t.Entered > now && (t.By == "" || t.By != by) })
	if c.Confirmed > now && c.By != by {
		then.By, then.Confirmed = "", 0
	}
	if !then.Arrived().Equal(c.Arrived()) {
		then.Trip = nil
	}
	then.foundAsOf(now)
	return then, true
}

// foundAsOf leaves out of what the engine found what it did not know then. Times are those of then already.
func (c *KeptCall) foundAsOf(now portcall.Millis) {
	f := &c.Found
	exit := latestValue(c.Times, Departure, Actual, Detected, Border)
	if f.Left != exit && f.Left.Add(silenceKnown) > now {
		f.Left, f.Exit = 0, false
	}
	all := f.Stays
	f.Stays = slices.DeleteFunc(slices.Clone(all), func(s portcall.Stay) bool { return s.Seen > now })
	last := &f.Stays[len(f.Stays)-1]
	told := last.To != 0 && latestValue(c.Times, Departure, Actual, Detected, Berth) == last.To
	if f.Open() && !told {
		last.To, last.Over = 0, false
	}
	last.Last = min(last.Last, now)
	if at := latestValue(c.Times, Arrival, Actual, Detected, Berth); at == 0 || at.Add(draughtKnown) > now {
		f.DraughtA = 0
	}
	if at := latestValue(c.Times, Departure, Actual, Detected, Berth); at == 0 || at.Add(draughtKnown) > now {
		f.DraughtD = 0
	}
}
