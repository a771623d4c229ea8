package ports

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/fold"
)

// callColumns are the columns of a table of calls. The heading of a time says what happened. The ship crossed the border inwards (border_in), anchored, met the
// pilot or lay alongside (ata). Or it let go (atd), or crossed the border outwards (border_out).
func callColumns() []wire.Column {
	return wire.Columns("mmsi=ship.mmsi imo=ship.imo name=ship.name callsign=ship.callsign type=ship.type length=ship.length",
		"destination=ship.destination port_id=port.id port_locode=port.locode port_name=port.name in_port border_in anchored_at pilot_at ata atd border_out berth=berth.name",
		"waiting service draught_a draught_d confidence confirmed_by confirmed_at ata_detected atd_detected id",
		"previous_locode=previous.locode previous_name=previous.name next_locode=next.locode next_name=next.name")
}

// arrivalColumns are the columns of a table of ships that are expected.
func arrivalColumns() []wire.Column {
	return wire.Columns("mmsi=ship.mmsi imo=ship.imo name=ship.name callsign=ship.callsign type=ship.type length=ship.length draught=ship.draught",
		"destination=ship.destination announced track=id status=status_text eta eta_low eta_high eta_stale after_weighing eta_crew",
		"crew_late=crew_record.late crew_calls=crew_record.calls distance longitude=last_position.coordinates.0 latitude=last_position.coordinates.1",
		"last_position_time last_sog from_locode=source.port.locode from_name=source.port.name agent erp_eta=erp.eta erp_etd=erp.etd quay_id=erp.warp.0.quay_id",
		"requested_border requested_pilot requested_anchorage requested_berth")
}

// callRow is a call with the times that stand in its statements alone.
type callRow struct {
	visit
	BorderIn  string `json:"border_in,omitempty"`
	PilotAt   string `json:"pilot_at,omitempty"`
	BorderOut string `json:"border_out,omitempty"`
}

// tableRows gives the calls as they stand in a table.
func (v *visits) tableRows(yield func(any) bool) {
	for i := range v.Records {
		r := &v.Records[i]
		row := callRow{*r, timeSaid(r, portcalls.Arrival, portcalls.Border), timeSaid(r, portcalls.Arrival, portcalls.Pilot), timeSaid(r, portcalls.Departure, portcalls.Border)}
		if !yield(&row) {
			return
		}
	}
}

// timeSaid returns when something happened at a place: the last that a user wrote, else the last that was detected; "" where nobody knows.
func timeSaid(v *visit, event portcalls.TimeKind, place portcalls.PlaceKind) (at string) {
	byHand := false
	for _, moment := range v.Times {
		if moment.Event != event || moment.Place != place || moment.Kind != portcalls.Actual || byHand && moment.Source != portcalls.ByHand {
			continue
		}
		byHand, at = moment.Source == portcalls.ByHand && moment.Value != nil, ""
		if moment.Value != nil {
			at = *moment.Value
		}
	}
	return at
}

// arrivalRow puts the record of a track beside those of ships that announce the port: the ship stands where these have it.
func arrivalRow(record map[string]any) {
	source, _ := record["source"].(map[string]any)
	if of, ok := source["ship"].(map[string]any); ok && record["ship"] == nil {
		of["draught"], record["ship"] = source["draught"], of
	}
	attributes, _ := wire.ValueAt(record, "erp.attributes").([]any)
	for _, attribute := range attributes {
		if key, _ := wire.ValueAt(attribute, "key").(string); strings.EqualFold(key, "agent") {
			record["agent"] = wire.ValueAt(attribute, "value")
		}
	}
	asked, _ := record["requested"].([]any)
	for _, request := range asked {
		if place, ok := wire.ValueAt(request, "place").(string); ok {
			record["requested_"+place] = wire.ValueAt(request, "time")
		}
	}
}

// sendTable writes records as a table. prepare may put values of a record where its columns look for them.
func sendTable(c *request.Request, l request.Layout, file string, columns []wire.Column, records iter.Seq[any], prepare func(map[string]any)) error {
	return c.SendReading(l, file, func(w io.Writer) error {
		table := wire.NewSheet(w, columns)
		for entry := range records {
			text, err := json.Marshal(entry)
			if err != nil {
				return fmt.Errorf("encode a record of a table: %w", err)
			}
			record, err := wire.ReadRecord(text)
			if err != nil {
				return fmt.Errorf("read a record of a table: %w", err)
			}
			prepare(record)
			if table.Row(record) != nil {
				return nil // the client went away
			}
		}
		_ = table.End() // as above
		return nil
	})
}

// fileName names the file of a table: the port, which list it is, and its day, or the first and the last one.
func fileName(port *chart.Port, list string, begin, end time.Time) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		}
		return '-'
	}, fold.Plain(port.Name)), "-")
	switch {
	case port.LOCODE != "":
		name = port.LOCODE
	case name == "":
		name = fmt.Sprint(port.ID)
	}
	name += "-" + list + "-" + begin.UTC().Format(time.DateOnly)
	if last := end.Add(-time.Second).UTC().Format(time.DateOnly); last > begin.UTC().Format(time.DateOnly) {
		name += "-to-" + last
	}
	return name
}

// sendCalls writes the answer about the calls at a port.
func (q *visiting) sendCalls(c *request.Request, l request.Layout) error {
	if l.Name == "csv" {
		file := fileName(q.port, "calls", q.begin, q.end)
		if q.open {
			file = fileName(q.port, "in-port", q.now, q.now)
		}
		return sendTable(c, l, file, callColumns(), q.tableRows, func(map[string]any) {})
	}
	body, err := json.Marshal(q.visits)
	if err != nil {
		return fmt.Errorf("encode the calls at a port: %w", err)
	}
	return c.SendAs(l, "", body)
}

// sendArrivals writes the answer about the ships that are expected.
func sendArrivals(c *request.Request, l request.Layout, port *chart.Port, now time.Time, records iter.Seq[any], more bool) error {
	if l.Name == "csv" {
		return sendTable(c, l, fileName(port, "expected", now, now), arrivalColumns(), records, arrivalRow)
	}
	return c.SendRecords(records, more)
}
