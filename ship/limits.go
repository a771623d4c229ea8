package ship

import "time"

// Limits are the numbers by which Merge judges time and place.
type Limits struct {
	Slack         float64       // metres that a place may always be off
	MinSpeed      float64       // knots that every ship may have sailed
	SpeedFactor   float64       // of the larger of the ship's two SOGs
	SpeedMargin   float64       // knots added to that
	AircraftSpeed float64       // knots of a SAR aircraft, instead of all that
	Agreement     int           // so many agreeing reports in a row make a far place the truth
	Patience      time.Duration // after so long without agreement the newest report is taken, as Doubtful
	ClockSkew     time.Duration // Sent within this of Received is the time of the fix
	MaxDelay      time.Duration // a relay's report may be so old
	WrongClock    time.Duration // what is known so far ahead of Received was timed by a clock that was wrong; 0 where reports come in any order
}

// DefaultLimits returns the limits that hold unless an operator sets others.
func DefaultLimits() Limits {
	return Limits{
		Slack: 500, MinSpeed: 60, SpeedFactor: 2, SpeedMargin: 20, AircraftSpeed: 600,
		Agreement: 3, Patience: time.Minute, ClockSkew: time.Minute, MaxDelay: 24 * time.Hour,
	}
}

// Reason says why the place in a report was refused. The report itself may still count, because the ship was heard.
type Reason uint8

// The reasons; Accepted also stands for reports that hold no place at all.
const (
	Accepted        Reason = iota
	BadMMSI                // not a number of one to nine digits: the whole report is refused
	NoPlace                // the sender says that its place is not available
	ImpossiblePlace        // outside ±180° and ±90°, or exactly 0° 0°
	Jump                   // farther than the ship can have sailed: held back until further reports agree
	LateJump               // late, and farther than the ship can have sailed: dropped
	TooCoarse              // to a tenth of a minute, while an exact place is known
	ReasonCount            // how many reasons there are
)

// String returns the reason as it stands in status answers and metrics.
func (r Reason) String() string {
	names := [ReasonCount]string{"accepted", "mmsi", "no_place", "impossible_place", "jump", "late_jump", "coarse"}
	if r >= ReasonCount {
		return "unknown"
	}
	return names[r]
}
