package ship

import "quaywatch/ais"

// Static is what a ship is. A Static is never changed once it is in a State: it is replaced.
type Static struct {
	IMO        uint32 // 0 is unknown
	Name       string // "" is unknown
	CallSign   string // "" is unknown
	Type       ais.ShipType
	Dimensions ais.Dimensions
	AidType    uint8    // of an aid to navigation, 0..31
	Virtual    bool     // a virtual aid to navigation
	MotherShip ais.MMSI // of a craft of a mother ship
	At         int64    // Unix milliseconds of the last change

	Deadweight, GrossTonnage int64 // tonnes, and gross tonnage; only entered by hand; 0 is unknown
}

// VoyageData is what the crew typed. As Static it is replaced, never changed.
type VoyageData struct {
	Destination string
	ETA         ais.ETA
	Draught     ais.Decimetres
	Written     uint16 // centimetres of a draught that was entered by hand; 0 for one that was heard
	At          int64  // Unix milliseconds of the last change
}

// Centimetres returns the draught, 0 when it is unknown. AIS tells decimetres, and what was entered by hand keeps its centimetres.
func (v *VoyageData) Centimetres() int {
	if v.Written != 0 {
		return int(v.Written)
	}
	return int(v.Draught) * 10
}

// Metres returns the draught, 0 when it is unknown.
func (v *VoyageData) Metres() float64 { return float64(v.Centimetres()) / 100 }

// Size returns the length and the beam of the ship in metres, 0 for what is not known. s may be nil.
func (s *Static) Size() (length, beam float64) {
	if s == nil {
		return 0, 0
	}
	return float64(s.Dimensions.Length()), float64(s.Dimensions.Width())
}
