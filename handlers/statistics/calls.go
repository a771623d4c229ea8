package statistics

import (
	"encoding/json"
	"time"

	"quaywatch/form"
	"quaywatch/handlers/wire"
	"quaywatch/stats"
	"quaywatch/voyage"
)

// calls adds what the caller is told of the calls that a record is about; false where it is to have no record.
func (r *reader) calls(one *stats.Record, keys form.Keys) (shown bool, err error) {
	var told any
	switch {
	case r.job.Kind == "trip":
		told, shown = r.trip(one)
	case one.Call != nil:
		told, shown = r.portCall(one.Call)
	default:
		return true, nil
	}
	if !shown {
		return false, nil
	}
	text, err := json.Marshal(told)
	if err != nil {
		return false, err
	}
	return true, json.Unmarshal(text, &keys)
}

// told gives a call as the caller is told of it. It is not known where the caller is told of none as yet, and not shown where it does not see it.
func (r *reader) told(c *voyage.Call) (told voyage.Call, known, shown bool) {
	of := r.ship(c.MMSI)
	if of == nil {
		return told, true, false
	}
	told, known = wire.AsTold(r.viewer, of, c, r.User)
	return told, known, known && r.viewer.May(wire.Sighting(&told))
}

// portCallRecord is a call as results tell it.
type portCallRecord struct {
	Port       wire.PortName   `json:"port"`
	ATA        string          `json:"ata,omitempty"`
	ATD        string          `json:"atd,omitempty"`
	DraughtA   *float64        `json:"draught_a"` // metres
	DraughtD   *float64        `json:"draught_d"`
	Confidence int             `json:"confidence"`
	Berth      *wire.BerthName `json:"berth,omitempty"`
}

// portCall gives what the caller is told of a call; false where that is nothing.
func (r *reader) portCall(of *voyage.Call) (portCallRecord, bool) {
	told, _, shown := r.told(of)
	if !shown {
		return portCallRecord{}, false
	}
	c := r.Record(&told)
	return portCallRecord{c.Port, c.ATA, c.ATD, c.DraughtA, c.DraughtD, c.Confidence, c.Berth}, true
}

// trip gives what the caller is told of a trip; false where that is nothing. One to a call of which the caller is told nothing as yet is open.
func (r *reader) trip(one *stats.Record) (wire.TripRecord, bool) {
	from, _, shown := r.told(one.Call)
	if !shown {
		return wire.TripRecord{}, false
	}
	if one.Next != nil {
		if to, known, shown := r.told(one.Next); shown {
			return r.TripTo(&from, &to)
		} else if known {
			return wire.TripRecord{}, false
		}
	}
	return r.OpenTrip(&from, time.Time{})
}
