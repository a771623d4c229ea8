package portcalls

import (
	"slices"
	"time"

	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// noteCrew keeps when the crew said that the ship would arrive, if it said so of this port.
func (v *Calls) noteCrew(c *KeptCall, now *portcall.Call, typed *ship.VoyageData) {
	if v.config.Bound == nil || typed == nil || typed.Destination == "" {
		return
	}
	port := v.config.Bound(typed.Destination)
	if port == nil || port.ID != now.Port {
		return
	}
	seen := now.Stays[0].Seen
	eta, ok := typed.ETA.At(seen.Time())
	if !ok || typed.ETA.Hour > 23 { // a day alone tells too little
		return
	}
	entered := min(portcall.Millis(typed.At), seen)
	c.Times = addStatement(c.Times, Time{Event: Arrival, Kind: Estimated, Source: Crew, Place: Berth, Value: portcall.Millis(eta.UnixMilli()), Entered: entered})
}

// CrewETA returns when the crew said last that the ship would arrive; zero when it said nothing.
func (c *KeptCall) CrewETA() time.Time {
	return latestValue(c.Times, Arrival, Estimated, Crew, Berth).Time()
}

// lastCalls is how many calls with an ETA of the crew tell how good its ETAs are.
const lastCalls = 10

// CrewRecord tells how good the ETAs of a crew were.
type CrewRecord struct {
	Calls int           // that it rests on
	Late  time.Duration // median by which the ship came after what the crew had said, negative for before
}

// CrewRecordOf returns how good the ETAs of a crew were in the latest of some calls, the latest first; false when none tells.
func CrewRecordOf(calls []*KeptCall) (CrewRecord, bool) {
	var late []time.Duration
	for _, c := range calls {
		if eta, ata := c.CrewETA(), c.Arrived(); !eta.IsZero() && !ata.IsZero() && len(late) < lastCalls {
			late = append(late, ata.Sub(eta))
		}
	}
	if len(late) == 0 {
		return CrewRecord{}, false
	}
	slices.Sort(late)
	return CrewRecord{Calls: len(late), Late: late[len(late)/2]}, true
}
