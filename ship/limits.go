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

// DefaultLimits gives the limits that hold unless an operator sets others.
func DefaultLimits() Limits {
	return Limits{
		Slack: 500, MinSpeed: 60, SpeedFactor: 2, SpeedMargin: 20, AircraftSpeed: 600,
		Agreement: 3, Patience: time.Minute, ClockSkew: time.Minute, MaxDelay: 24 * time.Hour,
	}
}
