package wire

import (
	"math"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/ship/portcall"
	"quaywatch/sight/telling"
)

// Telling writes calls as JSON for a listener.
type Telling struct {
	*telling.Listener
	ports *chart.Ports
}

// TellingTo returns what writes calls at some ports for a listener.
func TellingTo(l *telling.Listener, ports *chart.Ports) Telling { return Telling{l, ports} }

// Text returns a time as text, "" where it is not known or not told.
func (t *Telling) Text(at time.Time) string {
	if !t.MayKnow(at) {
		return ""
	}
	return TimeText(at.Truncate(time.Second).UnixMilli())
}

// Number returns the number of a call. It holds the time of the call, so it is told with the times alone.
func (t *Telling) Number(id int64, at time.Time) int64 {
	if !t.MayKnow(at) {
		return 0
	}
	return id
}

// Span returns a duration between two times as text, "" where one of them is not told.
func (t *Telling) Span(from, to time.Time) string {
	if !t.MayKnow(from) || !t.MayKnow(to) || to.Before(from) {
		return ""
	}
	return form.DurationText(to.Sub(from))
}

// PortName is a port as far as a call names it.
type PortName struct {
	ID     uint64 `json:"id"`
	LOCODE string `json:"locode,omitempty"`
	Name   string `json:"name,omitempty"`
}

// Port names a port. Of one that is no longer there, or that was made here and is not for the caller, it returns the number alone.
func (t *Telling) Port(id uint64) PortName {
	p, ok := t.ports.ByID(id)
	if !ok || !telling.SeesPort(t.User, id) {
		return PortName{ID: id}
	}
	return PortName{id, p.LOCODE, p.Name}
}

// CallRecord is a call of a ship at a port.
type CallRecord struct {
	ID          int64        `json:"id,omitempty"`
	Port        PortName     `json:"port"`
	InPort      bool         `json:"in_port"`
	ATA         string       `json:"ata,omitempty"`
	ATD         string       `json:"atd,omitempty"`
	AnchoredAt  string       `json:"anchored_at,omitempty"`
	Berth       *BerthName   `json:"berth,omitempty"`
	DraughtA    *float64     `json:"draught_a,omitempty"` // metres
	DraughtD    *float64     `json:"draught_d,omitempty"`
	Confidence  int          `json:"confidence"`
	Waiting     string       `json:"waiting,omitempty"` // from the anchorage to the berth
	Service     string       `json:"service,omitempty"` // from arrival to departure
	Stays       []StayRecord `json:"stays"`
	Times       []TimeRecord `json:"times,omitempty"`
	ConfirmedBy string       `json:"confirmed_by,omitempty"`
	ConfirmedAt string       `json:"confirmed_at,omitempty"` // what was entered later is not confirmed
	ATADetected string       `json:"ata_detected,omitempty"`
	ATDDetected string       `json:"atd_detected,omitempty"`
}

// BerthName is a berth as far as a call names it.
type BerthName struct {
	ID   int64  `json:"id"`
	Name string `json:"name,omitempty"`
}

// StayRecord is a time in which the ship lay at one place.
type StayRecord struct {
	Kind     string     `json:"kind"` // berthed or anchored
	Berth    *BerthName `json:"berth,omitempty"`
	From     string     `json:"from,omitempty"`
	To       string     `json:"to,omitempty"`
	Position *PointJSON `json:"position"`
}

// TimeRecord is one statement of when something happened.
type TimeRecord struct {
	Event   portcalls.TimeKind   `json:"event"`
	Kind    portcalls.Kind       `json:"kind"`
	Source  portcalls.TimeSource `json:"source"`
	Place   portcalls.PlaceKind  `json:"place"`
	Value   *string              `json:"value"` // null takes back what the source said before
	Entered string               `json:"entered"`
	By      string               `json:"by,omitempty"`
}

// Record returns a call as far as its caller may be told of it.
func (t *Telling) Record(c *portcalls.KeptCall) CallRecord {
	f := &c.Found
	r := CallRecord{
		ID: t.Number(c.ID, f.Stays[0].Seen.Time()), Port: t.Port(f.Port), InPort: f.Open(), Berth: t.berthName(f.Port, f.Berth()),
		ATA: t.Text(c.Arrived()), ATD: t.Text(c.Departed()), AnchoredAt: t.Text(c.AnchoredAt()),
		DraughtA: draughtMetres(f.DraughtA), DraughtD: draughtMetres(f.DraughtD), Confidence: f.Confidence(),
		Service: t.Span(c.Arrived(), c.Departed()), ConfirmedBy: c.By, Stays: []StayRecord{},
	}
	if at := c.AnchoredAt(); !at.IsZero() {
		r.Waiting = t.Span(at, c.Arrived())
	}
	if c.By != "" {
		r.ConfirmedAt = t.Text(c.Confirmed.Time())
		r.ATADetected, r.ATDDetected = t.Text(c.Detected(portcalls.Arrival)), t.Text(c.Detected(portcalls.Departure))
	}
	for i := range f.Stays {
		r.Stays = append(r.Stays, t.stayRecord(f.Port, &f.Stays[i]))
	}
	for _, said := range c.Times {
		if stated, ok := t.statement(said); ok {
			r.Times = append(r.Times, stated)
		}
	}
	return r
}

func (t *Telling) stayRecord(port uint64, s *portcall.Stay) StayRecord {
	r := StayRecord{Kind: "anchored", Berth: t.berthName(port, s.Berth), From: t.Text(s.From.Time()), To: t.Text(s.To.Time()),
		Position: &PointJSON{Type: "Point", Coordinates: [2]float64{places5(s.Lon), places5(s.Lat)}}}
	if s.Kind == portcall.Berthed {
		r.Kind = "berthed"
	}
	return r
}

// statement returns what was said of a time; false when the caller is not told of it.
func (t *Telling) statement(said portcalls.Time) (TimeRecord, bool) {
	r := TimeRecord{Event: said.Event, Kind: said.Kind, Source: said.Source, Place: said.Place, Entered: t.Text(said.Entered.Time()), By: said.By}
	if said.Value != 0 {
		value := t.Text(said.Value.Time())
		if r.Value = &value; value == "" {
			return r, false
		}
	}
	return r, r.Entered != ""
}

// berthName names a berth, nil for none.
func (t *Telling) berthName(port uint64, id int64) *BerthName {
	if id == 0 {
		return nil
	}
	b := &BerthName{ID: id}
	p, ok := t.ports.ByID(port)
	if !ok || !telling.SeesPort(t.User, port) {
		return b
	}
	for i := range p.Berths {
		if p.Berths[i].ID == id {
			b.Name = p.Berths[i].Name
		}
	}
	return b
}

// draughtMetres returns centimetres in metres to a tenth, nil for a draught that is not known.
func draughtMetres(centimetres uint16) *float64 {
	if centimetres == 0 {
		return nil
	}
	m := math.Round(float64(centimetres)/10) / 10
	return &m
}

// places5 returns degrees to five places, which is about a metre.
func places5(degrees float64) float64 { return math.Round(degrees*1e5) / 1e5 }
