package ship

import "quaywatch/ais"

// Change tells what a report changed.
type Change uint16

// The changes; they may be combined.
const (
	ChangedFix    Change = 1 << iota // a new place is now the latest
	ChangedStatic                    // Static differs from before
	ChangedVoyage                    // VoyageData differs from before
	ChangedAge                       // live, lost or removed
	Appeared                         // the first report of the ship, or the first after it was removed
	LateFix                          // Fix is older than the latest: for the store only, the picture did not move
	Entered                          // made or changed by hand, not by radio
	ToldLate                         // Late is older than what is known: for the store only, the picture did not change
	Copied                           // Fix is that of a copy of an earlier message: for outputs only, neither picture nor store takes it
)

// LeastWay is the speed in knots below which a ship may say the same again, and no copy is sure.
const LeastWay = 0.5

// Update is one step of one ship with both its ends, so that an observer sees enter, exit and cross without keeping the past. It is valid
// only during the call.
type Update struct {
	Report  *ais.Report // nil when only time moved or a hand did
	Was     State       // as it was; MMSI 0 when the ship was unknown
	Now     State
	Heard   *State // what of Now was heard, for a ship with an entry; nil for all others
	Fix     Fix    // the fix of this report when Change has ChangedFix, LateFix or Copied
	Change  Change
	Refused Reason // why the place in the report was not taken; Accepted when it was or there was none

	Late *LateStatic // what the report told of a time before what is known, when Change has ToldLate
}

// AsHeard returns what is known of the ship by radio alone, without its entry; the zero State when the ship was never heard.
func (u *Update) AsHeard() *State {
	if u.Heard != nil {
		return u.Heard
	}
	return &u.Now
}
