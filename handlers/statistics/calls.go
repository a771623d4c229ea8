package statistics

import (
	"encoding/json"

	"quaywatch/engine/portcalls"
	"quaywatch/form"
	"quaywatch/handlers/wire"
	"quaywatch/sight/telling"
)

// calls adds what the caller is told of the calls that a record is about; false where it is to have no record.
func (r *reader) calls(record *telling.ToldRecord, keys form.Keys) (shown bool, err error) {
	var told any
	shown = true
	switch {
	case r.job.Kind == "trip":
		told, shown = r.trip(record)
	case r.job.Kind == "pilotboat":
		told = r.outing(record)
	case record.Call != nil:
		told = r.portCall(record.Call)
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

// portCallRecord is a call as results tell it.
type portCallRecord struct {
	Port       wire.PortName   `json:"port"`
	ATA        string          `json:"ata,omitempty"`
	ATD        string          `json:"atd,omitempty"`
	DraughtA   *float64        `json:"draught_a,omitempty"` // metres
	DraughtD   *float64        `json:"draught_d,omitempty"`
	Confidence int             `json:"confidence"`
	Berth      *wire.BerthName `json:"berth,omitempty"`
	Waiting    string          `json:"waiting,omitempty"` // at anchor before it was alongside
}

// portCall returns what the caller is told of a call.
func (r *reader) portCall(of *portcalls.KeptCall) portCallRecord {
	c := r.Record(of)
	return portCallRecord{c.Port, c.ATA, c.ATD, c.DraughtA, c.DraughtD, c.Confidence, c.Berth, c.Waiting}
}

// trip returns what the caller is told of a trip; false where that is nothing. One to a call of which the caller is told nothing as yet is open.
func (r *reader) trip(record *telling.ToldRecord) (wire.TripRecord, bool) {
	if record.Next != nil {
		return r.TripTo(record.Call, record.Next)
	}
	return r.OpenTrip(record.Call)
}

// outingRecord is what a result tells of the calls of a pilot boat before and after an outing.
type outingRecord struct {
	Port *wire.PortName `json:"port,omitempty"` // that the boat left, or where that is not known to which it came
	ATD  string         `json:"atd,omitempty"`
	ATA  string         `json:"ata,omitempty"`
	To   *wire.PortName `json:"to,omitempty"` // to which it came, if that is another
}

// outing returns what the caller is told of the calls before and after an outing.
func (r *reader) outing(record *telling.ToldRecord) (told outingRecord) {
	if from := record.Call; from != nil {
		port := r.Port(from.Found.Port)
		told.Port, told.ATD = &port, r.Text(from.LeftFrom(record.Stay))
	}
	if to := record.Next; to != nil {
		port := r.Port(to.Found.Port)
		told.ATA = r.Text(to.CameTo(record.Berth))
		switch {
		case told.Port == nil:
			told.Port = &port
		case *told.Port != port:
			told.To = &port
		}
	}
	return told
}
