package watchdog

import "slices"

// ShipMemory is what a machine remembers of one ship. It is plain data: JSON keeps it over a restart. The zero ShipMemory knows nothing.
type ShipMemory struct {
	Active bool  `json:"active,omitempty"`
	Event  int64 `json:"event,omitempty"` // of the keeper: the id of the event that it became active with; no machine looks at it
	Since  int64 `json:"since,omitempty"` // when it became active last, Unix milliseconds

	Silent  int64     `json:"silent,omitempty"`  // the time from which the ship is silent: as a rule that of its last report
	Inside  bool      `json:"inside,omitempty"`  // the last report was inside
	Initial bool      `json:"initial,omitempty"` // the ship was inside, or a risk, when it was first seen
	Count   int32     `json:"count,omitempty"`   // reports in a row towards the activation
	Off     int32     `json:"off,omitempty"`     // reports in a row towards the end
	Last    int64     `json:"last,omitempty"`    // the last activation, while it may hold back the next
	Between int32     `json:"between,omitempty"` // reports since
	Watched bool      `json:"watched,omitempty"` // of a cable, and of a ship that is named: if the ship falls silent, it is lost; of a route: it sailed along it
	Told    CableRisk `json:"told,omitempty"`    // of a cable: the gravest reason since it became active
	From    int64     `json:"from,omitempty"`    // of a speed: since when the ship is fast and the alarm not active, or the other way round
	Limit   int64     `json:"limit,omitempty"`   // of a ship that is named: after which silence it is lost, milliseconds
	Center  int64     `json:"center,omitempty"`  // of a zone: when the ship that it moves with was heard last
	Home    *home     `json:"home,omitempty"`    // of an aid to navigation: where it was first
	Turn    *turn     `json:"turn,omitempty"`
	Pending *pending  `json:"pending,omitempty"`
	Drift   *drift    `json:"drift,omitempty"`
	Way     *way      `json:"way,omitempty"`
	Lies    *lying    `json:"lies,omitempty"` // it is held where it lies
}

// turn is the crossing of a border or line that was told last, while it may hold back the next.
type turn struct {
	At  int64   `json:"at"`  // of the report with the latest crossing, Unix milliseconds: of that one, or of one that it held back
	Lon float64 `json:"lon"` // of the crossing that was told, degrees
	Lat float64 `json:"lat"`
}

// pending is a crossing of a line, or a transition at a port, that is told after so many reports.
type pending struct {
	Kind      Kind   `json:"kind"`
	Right     bool   `json:"right,omitempty"` // of a crossing: from the left of the line to its right
	Direction string `json:"direction,omitempty"`
	Initial   bool   `json:"initial,omitempty"`
	Count     int32  `json:"count,omitempty"`
}

// Kept reports whether there is anything to remember. The machine must get each report of a ship with such an alarm, wherever it is, and a Tick
// now and then. An alarm that is not kept may be forgotten: to the machine it says no more than the zero ShipMemory.
func (a *ShipMemory) Kept() bool {
	return a.Active || a.Inside || a.Last != 0 || a.Count != 0 || a.Turn != nil || a.Pending != nil || a.From != 0 ||
		a.Home != nil || a.Lies != nil || a.Way != nil
}

// Deaf tells the alarm that nobody could be heard until a time, in Unix milliseconds, as after a restart. Silence is counted from then on.
func (a *ShipMemory) Deaf(until int64) {
	if a.Kept() {
		a.Silent = max(a.Silent, until)
		if a.Center != 0 {
			a.Center = max(a.Center, until)
		}
	}
}

// Clone returns a copy that shares nothing with the alarm.
func (a *ShipMemory) Clone() ShipMemory {
	c := *a
	c.Turn, c.Pending, c.Drift, c.Home, c.Lies = cloneValue(a.Turn), cloneValue(a.Pending), cloneValue(a.Drift), cloneValue(a.Home), cloneValue(a.Lies)
	if a.Way != nil {
		c.Way = cloneValue(a.Way)
		c.Way.Marks = slices.Clone(a.Way.Marks)
	}
	return c
}

func cloneValue[T any](v *T) *T {
	if v == nil {
		return nil
	}
	c := *v
	return &c
}
