package statistics

import (
	"encoding/json"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/handlers/wire"
)

// calls adds what the caller is told of the calls that a record is about; false where it is to have no record.
func (r *reader) calls(record *stats.Record, keys form.Keys) (shown bool, err error) {
	var told any
	switch {
	case r.job.Kind == "trip":
		told, shown = r.trip(record)
	case r.job.Kind == "pilotboat":
		told, shown = r.outing(record), true // its moments say who sees it
	case record.Call != nil:
		told, shown = r.portCall(record.Call)
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

// toldCall returns a call as the caller is told of it. It is not known where the caller is told of none as yet, and not shown where it does not see it.
func (r *reader) toldCall(c *portcalls.KeptCall) (told portcalls.KeptCall, known, shown bool) {
	of := r.shipSeen(c.MMSI)
	if of == nil {
		return told, true, false
	}
	then, known := r.Call(of, c)
	return then.KeptCall, known, known && then.Shown()
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
	Waiting    string          `json:"waiting,omitempty"` // at anchor before it was alongside
}

// portCall returns what the caller is told of a call; false where that is nothing.
func (r *reader) portCall(of *portcalls.KeptCall) (portCallRecord, bool) {
	told, _, shown := r.toldCall(of)
	if !shown {
		return portCallRecord{}, false
	}
	c := r.Record(&told)
	return portCallRecord{c.Port, c.ATA, c.ATD, c.DraughtA, c.DraughtD, c.Confidence, c.Berth, c.Waiting}, true
}

// trip returns what the caller is told of a trip; false where that is nothing. One to a call of which the caller is told nothing as yet is open.
func (r *reader) trip(record *stats.Record) (wire.TripRecord, bool) {
	from, _, shown := r.toldCall(record.Call)
	if !shown {
		return wire.TripRecord{}, false
	}
	if record.Next != nil {
		if to, known, shown := r.toldCall(record.Next); shown {
			return r.TripTo(&from, &to)
		} else if known {
			return wire.TripRecord{}, false
		}
	}
	return r.OpenTrip(&from, time.Time{})
}

// outingRecord is what a result tells of the calls of a pilot boat before and after an outing.
type outingRecord struct {
	Port *wire.PortName `json:"port,omitempty"` // that the boat left, or where that is not known to which it came
	ATD  string         `json:"atd,omitempty"`
	ATA  string         `json:"ata,omitempty"`
	To   *wire.PortName `json:"to,omitempty"` // to which it came, if that is another
}

// outing returns what the caller is told of the calls before and after an outing.
func (r *reader) outing(record *stats.Record) (told outingRecord) {
	if record.Call != nil {
		if from, _, shown := r.toldCall(record.Call); shown {
			port := r.Port(from.Found.Port)
			told.Port, told.ATD = &port, r.Text(from.LeftFrom(record.Stay))
		}
	}
	if record.Next != nil {
		if to, _, shown := r.toldCall(record.Next); shown {
			port := r.Port(to.Found.Port)
			told.ATA = r.Text(to.CameTo(record.Berth))
			switch {
			case told.Port == nil:
				told.Port = &port
			case *told.Port != port:
				told.To = &port
			}
		}
	}
	return told
}
