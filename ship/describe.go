package ship

import "quaywatch/ais"

// described is what one message tells of a ship; empty and zero fields tell nothing, and never wipe out what is known.
type described struct {
	imo        uint32
	name       string
	callSign   string
	kind       ais.ShipType
	dimensions ais.Dimensions
	motherShip ais.MMSI
	isAid      bool // aidType and virtual count
	aidType    uint8
	virtual    bool
}

func (m *merging) staticVoyage(t *ais.StaticVoyage) {
	m.static(described{imo: t.IMO, name: t.Name, callSign: t.CallSign, kind: t.ShipType, dimensions: t.Dimensions})
	m.voyage(VoyageData{Destination: t.Destination, ETA: t.ETA, Draught: t.Draught})
}

// staticReport takes one half of type 24; the halves meet in the State by MMSI.
func (m *merging) staticReport(t *ais.StaticReport) {
	if t.Part == 0 {
		m.static(described{name: t.Name})
		return
	}
	m.static(described{kind: t.ShipType, callSign: t.CallSign, dimensions: t.Dimensions, motherShip: t.MotherShip})
}

// static replaces the static data by one with what d tells, if that differs. What a relay delivers late does not undo a
// later change.
func (m *merging) static(d described) {
	now := &m.out.Now
	var next Static
	if now.Static != nil {
		if m.at < now.Static.At && m.limits.delayed(m.report, m.at) {
			return
		}
		next = *now.Static
	}
	d.onto(&next)
	if now.Static != nil && next == *now.Static || now.Static == nil && next == (Static{}) {
		return
	}
	now.Static = replaced(next, m.at)
	m.out.Change |= ChangedStatic
}

// replaced keeps the one copy on the heap out of the path of reports that change nothing.
func replaced(s Static, at int64) *Static {
	s.At = at
	return &s
}

func (d *described) onto(s *Static) {
	if d.imo != 0 {
		s.IMO = d.imo
	}
	if d.name != "" {
		s.Name = d.name
	}
	if d.callSign != "" {
		s.CallSign = d.callSign
	}
	if d.kind != 0 {
		s.Type = d.kind
	}
	if d.dimensions != (ais.Dimensions{}) {
		s.Dimensions = d.dimensions
	}
	if d.motherShip != 0 {
		s.MotherShip = d.motherShip
	}
	if d.isAid {
		s.AidType, s.Virtual = d.aidType, d.virtual
	}
}

// voyage replaces the voyage data by v, if that differs. The crew may clear destination and ETA; a draught of 0 is "not
// available" and keeps the last one known.
func (m *merging) voyage(v VoyageData) {
	now := &m.out.Now
	if was := now.Voyage; was != nil {
		if m.at < was.At && m.limits.delayed(m.report, m.at) {
			return
		}
		if v.Draught == 0 {
			v.Draught = was.Draught
		}
		v.At = was.At
		if v == *was {
			return
		}
	} else if v.Destination == "" && v.Draught == 0 && v.ETA.Month == 0 && v.ETA.Day == 0 {
		return
	}
	now.Voyage = replacedVoyage(v, m.at)
	m.out.Change |= ChangedVoyage
}

func replacedVoyage(v VoyageData, at int64) *VoyageData {
	v.At = at
	return &v
}

// Country gives the United Nations name and the ISO 3166-1 alpha-2 code of the country of the ship's MMSI; "" when unknown.
func (s *State) Country() (name, code string) {
	name, code, ok := s.MMSI.Country()
	if !ok {
		return "", ""
	}
	return name, code
}

// TypeText gives the ship type in words, "" when it is not available.
func TypeText(t ais.ShipType) string {
	if t == 0 {
		return ""
	}
	return t.String()
}

// ParseType gives the ship type that TypeText says in these words, of several the lowest.
func ParseType(text string) (ais.ShipType, bool) {
	for t := range 256 {
		if words := TypeText(ais.ShipType(t)); words != "" && folded(words) == folded(text) {
			return ais.ShipType(t), true
		}
	}
	return 0, false
}
