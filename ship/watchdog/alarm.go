package watchdog

// Alarm is what a machine remembers of one ship. It is plain data: JSON keeps it over a restart. The zero Alarm knows nothing.
type Alarm struct {
	Active bool  `json:"active,omitempty"`
	Event  int64 `json:"event,omitempty"` // of the keeper: the id of the event that it became active with
	Since  int64 `json:"since,omitempty"` // when it became active, Unix milliseconds

	Silent  int64    `json:"silent,omitempty"`  // the time from which the ship is silent: that of its last report, as a rule
	Count   int32    `json:"count,omitempty"`   // reports in a row towards the activation
	Off     int32    `json:"off,omitempty"`     // reports in a row towards the end
	Initial bool     `json:"initial,omitempty"` // the ship was inside before the first of Count
	Last    int64    `json:"last,omitempty"`    // the last activation, while it may still hold back the next
	Between int32    `json:"between,omitempty"` // reports since
	Watched bool     `json:"watched,omitempty"` // of a cable: the ship is inside, and silence of it is a loss
	Told    Reason   `json:"told,omitempty"`    // of a cable: the gravest reason of this alarm
	Turn    *turn    `json:"turn,omitempty"`    // the crossing of a border that the next one is compared with
	Pending *pending `json:"pending,omitempty"` // a crossing or transition that waits for its reports
	Drift   *drift   `json:"drift,omitempty"`   // of a cable
	Way     *way     `json:"way,omitempty"`     // of a ship that may fish
}

// Kept tells whether there is anything to remember. A ship with such an alarm must hand over each report, wherever it is, and a Tick now and
// then. An alarm that is not kept may be forgotten: it says no more than the zero Alarm.
func (a *Alarm) Kept() bool {
	return a.Active || a.Count != 0 || a.Last != 0 || a.Watched || a.Turn != nil || a.Pending != nil || a.Drift != nil || a.Way != nil
}

// Deaf tells the alarm that nobody could be heard until a time, in Unix milliseconds, as after a restart. Silence is counted from then on.
func (a *Alarm) Deaf(until int64) {
	if a.Kept() {
		a.Silent = max(a.Silent, until)
	}
}

// turn is a border or line that the ship crossed.
type turn struct {
	At  int64   `json:"at"`  // the latest crossing, Unix milliseconds
	Lon float64 `json:"lon"` // of the crossing that was told, degrees
	Lat float64 `json:"lat"`
}

// pending is what waits for further reports until it is told.
type pending struct {
	Kind      Kind   `json:"kind"`
	Right     bool   `json:"right,omitempty"` // of a crossing: from the left of the line to its right
	Count     int32  `json:"count"`
	Direction string `json:"direction,omitempty"`
	Initial   bool   `json:"initial,omitempty"`
}

// drift is what tells an anchor that drags, and a ship that drifts.
type drift struct {
	Since int64 `json:"since,omitempty"`
}

// way is how far a ship sailed lately.
type way struct {
	At []int64 `json:"at"`
}
