package ships

import (
	"encoding/json"

	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
)

// change is one thing that changed of a ship. What it was and is now is null where it is not known.
type change struct {
	at       int64 // Unix milliseconds
	field    string
	was, now any

	wasText, nowText string // of a number, where it has one
}

// MarshalJSON writes a change.
func (c change) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Time    string `json:"time"`
		Field   string `json:"field"`
		Was     any    `json:"was"`
		Now     any    `json:"now"`
		WasText string `json:"was_text,omitempty"`
		NowText string `json:"now_text,omitempty"`
	}{wire.TimeText(c.at), c.field, c.was, c.now, c.wasText, c.nowText})
}

// hull is the size of a ship as AIS tells it: metres from the antenna to bow, stern, port and starboard.
type hull struct {
	Bow       uint16 `json:"dim_a"`
	Stern     uint16 `json:"dim_b"`
	Port      uint16 `json:"dim_c"`
	Starboard uint16 `json:"dim_d"`
}

// differences returns what changed from one description of a ship to the next. What a ship is counts where both are known, for it is told in parts. What
// its crew types it may also clear.
func differences(was, now *sight.Description) (list []change) {
	note := func(c change) {
		c.at = now.From
		list = append(list, c)
	}
	if was.Voyage != nil && now.Voyage != nil {
		typedDifferences(was.Voyage, now.Voyage, note)
	}
	if was.Static != nil && now.Static != nil {
		staticDifferences(was.Static, now.Static, note)
	}
	return list
}

func typedDifferences(was, now *ship.VoyageData, note func(change)) {
	if was.Destination != now.Destination {
		note(change{field: "destination", was: knownValue(was.Destination), now: knownValue(now.Destination)})
	}
	if was.ETA != now.ETA {
		from, to := etaOf(was), etaOf(now)
		if from != to {
			note(change{field: "eta", was: knownValue(from), now: knownValue(to)})
		}
	}
	if was.Centimetres() != now.Centimetres() {
		note(change{field: "draught", was: knownValue(was.Metres()), now: knownValue(now.Metres())})
	}
}

func staticDifferences(was, now *ship.Static, note func(change)) {
	if altered(was.Name, now.Name) {
		note(change{field: "name", was: was.Name, now: now.Name})
	}
	if altered(was.CallSign, now.CallSign) {
		note(change{field: "callsign", was: was.CallSign, now: now.CallSign})
	}
	if altered(was.IMO, now.IMO) {
		note(change{field: "imo", was: was.IMO, now: now.IMO})
	}
	if altered(was.Type, now.Type) {
		note(change{field: "type", was: was.Type, now: now.Type, wasText: was.Type.String(), nowText: now.Type.String()})
	}
	if altered(was.Dimensions, now.Dimensions) {
		note(change{field: "size", was: hull(was.Dimensions), now: hull(now.Dimensions)})
	}
}

// statusChange returns the change of the status from one fix to the next.
func statusChange(was, now ship.Fix) change {
	return change{at: now.At, field: "status", was: was.Status, now: now.Status, wasText: was.Status.String(), nowText: now.Status.String()}
}

// altered reports whether both values are known and differ.
func altered[T comparable](was, now T) bool {
	var none T
	return was != now && was != none && now != none
}

// knownValue returns a value, and nil for the one that says nothing.
func knownValue[T comparable](value T) any {
	var none T
	if value == none {
		return nil
	}
	return value
}

func etaOf(v *ship.VoyageData) string { return ship.ETAText(v.ETA, ship.Time(v.At)) }
