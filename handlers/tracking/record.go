package tracking

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/engine/tracking"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// record is a track as the interface has it.
type record struct {
	ID          int64           `json:"id"`
	Source      end             `json:"source"`
	Destination end             `json:"destination"`
	Status      int             `json:"status"`
	StatusText  string          `json:"status_text"`
	ETA         string          `json:"eta,omitempty"`
	Basis       tracking.Basis  `json:"eta_basis,omitempty"`
	Low         string          `json:"eta_low,omitempty"`
	High        string          `json:"eta_high,omitempty"`
	After       string          `json:"after_weighing,omitempty"` // HHH:MM:SS to the arrival from when a ship that lies still sails on
	Stale       bool            `json:"eta_stale,omitempty"`
	Route       *line           `json:"route,omitempty"`
	Geo         geo.Polygon     `json:"geo,omitempty"`
	Distance    *float64        `json:"distance,omitempty"`     // metres ahead
	Length      *float64        `json:"track_length,omitempty"` // metres of the whole way
	Heard       string          `json:"last_position_time,omitempty"`
	SOG         *float64        `json:"last_sog,omitempty"` // knots
	Position    json.RawMessage `json:"last_position,omitempty"`
	Waypoints   []place         `json:"waypoints,omitempty"`
	ETAs        []*string       `json:"waypoint_etas,omitempty"`
	ATAs        []*string       `json:"waypoint_atas,omitempty"`
	Port        [2]visit        `json:"port"` // departure and destination
	ERP         json.RawMessage `json:"erp,omitempty"`
	Warnings    form.Errors     `json:"erp_warnings,omitempty"`
	Passages    []*rule.Rule    `json:"warnings,omitempty"` // that the ship may not fit through
	Track       json.RawMessage `json:"track,omitempty"`
	History     []estimate      `json:"eta_history,omitempty"`
	Requested   []requested     `json:"requested,omitempty"`         // what stands
	Asked       []requested     `json:"requested_history,omitempty"` // all, as it was entered
	SpeedFor    *advice         `json:"speed_for_arrival,omitempty"`
	Created     string          `json:"created"`
	Updated     string          `json:"updated"`
	Owner       string          `json:"owner,omitempty"`
	Group       []string        `json:"group,omitempty"`
}

// end is the source or the destination: exactly one of its fields but for the draught.
type end struct {
	Ship     *vessel         `json:"ship,omitempty"`
	Port     *wire.PortName  `json:"port,omitempty"`
	Position *wire.PointJSON `json:"position,omitempty"`
	Location []any           `json:"location,omitempty"`
	Draught  float64         `json:"draught,omitempty"` // metres, as it was given
}

// vessel is a ship as far as a track names it.
type vessel struct {
	MMSI     int64  `json:"mmsi"`
	IMO      uint32 `json:"imo,omitempty"`
	Name     string `json:"name,omitempty"`
	CallSign string `json:"callsign,omitempty"`
	Unknown  bool   `json:"unknown,omitempty"` // nothing but its number is known of it
}

// line is a GeoJSON LineString.
type line struct {
	Type        string       `json:"type"`
	Coordinates [][2]float64 `json:"coordinates"`
}

// place is a waypoint.
type place struct {
	Position *wire.PointJSON `json:"position"`
}

// visit is what a track knows of one of its two ports.
type visit struct {
	Port *wire.PortName `json:"port,omitempty"`
	ATA  string         `json:"ata,omitempty"`
	ATD  string         `json:"atd,omitempty"`
}

// estimate is an ETA as it was told at a time.
type estimate struct {
	Time     string   `json:"time"`
	ETA      string   `json:"eta,omitempty"`
	Low      string   `json:"eta_low,omitempty"`
	High     string   `json:"eta_high,omitempty"`
	Status   int      `json:"status"`
	Distance *float64 `json:"distance,omitempty"`
}

// trackRecord writes a track. With ahead it has the way ahead and the place of arrival.
func (t *told) trackRecord(ahead bool) *record {
	now, of := &t.track.Now, &t.track.TrackedShip
	r := &record{ID: of.ID, Source: t.toldEnd(&of.Source, t.track.Ship), Destination: t.toldEnd(&of.Destination, t.track.Target), Status: int(now.Status),
		StatusText: now.Status.String(), ETA: secondsText(now.ETA), Basis: now.Basis, Low: secondsText(now.Low), High: secondsText(now.High),
		Stale: of.Stale && now.ETA != 0, ERP: of.ERP, Created: secondsText(of.Created), Updated: secondsText(max(of.Updated, of.Created)), Owner: t.track.OwnerName, Group: t.track.Groups}
	if now.After != 0 {
		r.After = form.DurationText(time.Duration(now.After) * time.Second)
	}
	plan := readERP(of.ERP)
	r.Warnings, r.Requested = plan.wrong, t.requests(of.Standing())
	if t.track.Ship != nil {
		r.Distance, r.Length = wholeMetres(now.Distance), wholeMetres(of.Length)
		r.writeHeard(t.track.Ship)
	}
	if t.track.Passages {
		r.Passages = warningsOfWay(now.Doubts)
	}
	for i := range of.Visits {
		r.Port[i] = t.visitRecord(&of.Visits[i])
	}
	t.waypoints(r)
	if ahead && t.SeesDestination(&t.track.TrackedShip) {
		r.Geo = t.arrivalArea(&plan)
		if t.way {
			r.Route = lineOf(of.Route())
		}
	}
	return r
}

// toldEnd writes the source or the destination. Of a port it has what the caller may know.
func (t *told) toldEnd(e *tracking.End, of *ship.State) end {
	w := end{Draught: e.Draught}
	switch {
	case of != nil:
		w.Ship = &vessel{MMSI: int64(of.MMSI), Unknown: slices.Contains(t.track.Unknown, of.MMSI)}
		if s := of.Static; s != nil {
			w.Ship.IMO, w.Ship.Name, w.Ship.CallSign = s.IMO, s.Name, s.CallSign
		}
	case e.Port != 0:
		port := t.Telling.Port(e.Port)
		w.Port = &port
	case e.Position != nil:
		w.Position = wire.At(*e.Position)
	}
	for _, zone := range e.Location {
		if zone.Position != nil {
			w.Location = append(w.Location, wire.At(*zone.Position))
		} else {
			w.Location = append(w.Location, geo.Polygon(zone.Area))
		}
	}
	return w
}

// writeHeard writes where the ship was last heard.
func (r *record) writeHeard(s *ship.State) {
	if !s.HasFix {
		return
	}
	r.Heard, r.Position = wire.TimeText(s.Fix.At), wire.Extended(s.Fix)
	if knots, ok := s.Fix.SOG.Knots(); ok {
		r.SOG = &knots
	}
}

// visitRecord writes what is known of one of the two ports.
func (t *told) visitRecord(v *tracking.PortVisit) (w visit) {
	if v.Port != 0 {
		port := t.Telling.Port(v.Port)
		w.Port = &port
	}
	w.ATA, w.ATD = t.time(v.ATA), t.time(v.ATD)
	return w
}

// time returns the time of an arrival or departure as text, "" where it is not known or not told.
func (t *told) time(at portcall.Millis) string {
	if at == 0 {
		return ""
	}
	return t.Text(at.Time())
}

// waypoints writes the waypoints and when the ship comes and came there.
func (t *told) waypoints(r *record) {
	if len(t.track.Waypoints) == 0 {
		return
	}
	for _, w := range t.track.Waypoints {
		r.Waypoints = append(r.Waypoints, place{wire.At(w.Position)})
		r.ETAs = append(r.ETAs, knownText(secondsText(w.ETA)))
		r.ATAs = append(r.ATAs, knownText(t.time(w.ATA)))
	}
}

// history writes how the ETA moved. Without view_ata_atd it has the last entry of each quarter of an hour, under the end of the quarter.
func (t *told) history() (list []estimate) {
	for i, e := range t.track.History {
		if t.track.Coarse {
			e.At = quarterEnd(e.At)
			if i+1 < len(t.track.History) && quarterEnd(t.track.History[i+1].At) == e.At {
				continue
			}
		}
		if e.At.Time().Before(t.Since) {
			continue
		}
		list = append(list, estimate{secondsText(e.At), secondsText(e.ETA), secondsText(e.Low), secondsText(e.High), int(e.Status), wholeMetres(e.Distance)})
	}
	return list
}

// quarterEnd returns the end of the quarter of an hour in which a time lies.
func quarterEnd(at portcall.Millis) portcall.Millis {
	const quarter = portcall.Millis(portcalls.Quarter / time.Millisecond)
	return (at + quarter - 1) / quarter * quarter
}

// secondsText returns a time as text, to the second; "" for none.
func secondsText(at portcall.Millis) string {
	if at == 0 {
		return ""
	}
	return wire.TimeText(int64(at) / 1000 * 1000)
}

// knownText returns a text, nil for an empty one.
func knownText(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// wholeMetres returns whole metres, nil for none.
func wholeMetres(m float64) *float64 {
	if m == 0 {
		return nil
	}
	m = math.Round(m)
	return &m
}

// lineOf writes a way, nil for none.
func lineOf(points []geo.Point) *line {
	if len(points) == 0 {
		return nil
	}
	l := &line{Type: "LineString"}
	for _, p := range points {
		l.Coordinates = append(l.Coordinates, [2]float64{math.Round(p.Lon*1e6) / 1e6, math.Round(p.Lat*1e6) / 1e6})
	}
	if len(points) == 1 { // both ends are one place
		l.Coordinates = append(l.Coordinates, l.Coordinates[0])
	}
	return l
}
