package wire

import (
	"quaywatch/ais"
	"quaywatch/ship"
)

// Vessel is a ship as lists of calls name it.
type Vessel struct {
	MMSI     ais.MMSI `json:"mmsi"`
	IMO      uint32   `json:"imo,omitempty"`
	Name     string   `json:"name,omitempty"`
	CallSign string   `json:"callsign,omitempty"`
	Type     string   `json:"type,omitempty"`
	Length   int      `json:"length,omitempty"` // metres
}

// VesselOf returns a ship as lists of calls name it.
func VesselOf(told *ship.State) Vessel {
	v := Vessel{MMSI: told.MMSI}
	if st := told.Static; st != nil {
		v.IMO, v.Name, v.CallSign, v.Type, v.Length = st.IMO, st.Name, st.CallSign, st.Type.String(), st.Dimensions.Length()
	}
	return v
}
