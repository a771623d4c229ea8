package stats

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// ResultShip is a ship as results tell it.
type ResultShip struct {
	MMSI        ais.MMSI `json:"mmsi"`
	IMO         uint32   `json:"imo,omitempty"`
	Name        string   `json:"name,omitempty"`
	CallSign    string   `json:"callsign,omitempty"`
	Draught     float64  `json:"draught,omitempty"` // metres
	Width       int      `json:"width,omitempty"`
	Length      int      `json:"length,omitempty"`
	Destination string   `json:"destination,omitempty"`
	Type        string   `json:"type,omitempty"`
	COG         *float64 `json:"cog,omitempty"`
	SOG         *float64 `json:"sog,omitempty"`
	Timestamp   string   `json:"timestamp,omitempty"`
}

// Described returns a ship without its motion.
func Described(s *ship.State) ResultShip {
	told := ResultShip{MMSI: s.MMSI}
	if k := s.Static; k != nil {
		told.IMO, told.Name, told.CallSign, told.Type = k.IMO, k.Name, k.CallSign, k.Type.String()
		told.Length, told.Width = k.Dimensions.Length(), k.Dimensions.Width()
	}
	if v := s.Voyage; v != nil {
		told.Draught, told.Destination = float64(v.Centimetres())/100, v.Destination
	}
	return told
}

// ShipAt returns a ship with its motion at its fix.
func ShipAt(s *ship.State) ResultShip {
	told := Described(s)
	if knots, ok := s.Fix.SOG.Knots(); ok {
		told.SOG = &knots
	}
	if degrees, ok := s.Fix.COG.Degrees(); ok {
		told.COG = &degrees
	}
	told.Timestamp = timeText(s.Fix.At)
	return told
}

func timeText(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.999Z07:00")
}
