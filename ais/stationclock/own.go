package stationclock

import (
	"slices"
	"time"
)

// Era is after how long a GPS receiver that forgot it begins to count weeks anew.
const Era = 1024 * 7 * 24 * time.Hour

// Fault returns by how much a clock that is behind by lag is wrong in ways that are known. They are whole eras, and up to 48 whole hours either way, as of a wrong
// zone or day. It is 0 for a right clock. It is not ok for any other lag, which tells nothing.
func Fault(lag time.Duration) (fault time.Duration, ok bool) {
	eras := max(0, lag.Round(Era))
	rest := lag - eras
	if rest.Abs() <= Step {
		return eras, true
	}
	hours := rest.Round(time.Hour)
	return eras + hours, hours != 0 && hours.Abs() <= 48*time.Hour && (rest-hours).Abs() <= Slack
}

// OwnClock judges the clock of the own station by those of base stations.
type OwnClock struct {
	heard uint64
	votes []offset // by how much the own clock is behind
}

// Judge notes by how much the own clock is behind that of a station. It returns by how much it is wrong: what more stations say than call it right. One that is
// wrong in no known way says nothing.
func (o *OwnClock) Judge(station uint32, lag time.Duration) (wrong time.Duration) {
	o.heard++
	o.votes = slices.DeleteFunc(o.votes, func(v offset) bool { return v.station == station || o.heard-v.heard > memory })
	if fault, ok := Fault(lag); ok && len(o.votes) < most {
		o.votes = append(o.votes, offset{station, fault, o.heard})
	}
	best := o.count(0)
	for _, v := range o.votes {
		if n := o.count(v.offset); n > best {
			wrong, best = v.offset, n
		}
	}
	return wrong
}

func (o *OwnClock) count(fault time.Duration) (n int) {
	for _, v := range o.votes {
		if v.offset == fault {
			n++
		}
	}
	return n
}
