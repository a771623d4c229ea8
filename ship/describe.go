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
	m.updateStatic(described{imo: t.IMO, name: t.Name, callSign: t.CallSign, kind: t.ShipType, dimensions: t.Dimensions})
	m.updateVoyage(VoyageData{Destination: t.Destination, ETA: t.ETA, Draught: t.Draught})
}

// staticReport takes one half of type 24; the halves meet in the State by MMSI.
func (m *merging) staticReport(t *ais.StaticReport) {
	if t.Part == 0 {
		m.updateStatic(described{name: t.Name})
		return
	}
	m.updateStatic(described{kind: t.ShipType, callSign: t.CallSign, dimensions: t.Dimensions, motherShip: t.MotherShip})
}

// older reports whether a report was sent before the change of what it tells: by a little, or a relay delivers it late. One that is older by more
// and comes at once is timed by a clock that was set back.
func (m *merging) older(changed int64) bool {
	return m.at < changed && (changed-m.at <= m.limits.ClockSkew.Milliseconds() || m.limits.delayed(m.report, m.at))
}

// updateStatic replaces the static data by one with what d tells, if that differs. What a relay delivers late does not undo a
// later change.
func (m *merging) updateStatic(d described) {
	now := &m.out.Now
	var next Static
	if now.Static != nil {
		if m.older(now.Static.At) {
			return
		}
		if m.isLate(now.Static.At) {
			m.tellLate(d, nil)
			return
		}
		next = *now.Static
	}
	if m.at < next.At-m.limits.ClockSkew.Milliseconds() { // our clock was set back: nothing is known of now
		d.onto(&next, &claim{told: d}, m.at)
		m.out.Gate.claim = nil
	} else {
		m.out.Gate.claim = d.onto(&next, m.out.Gate.claim, m.at)
	}
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

// claim is what one report told of a ship against what was known. It holds once a later report tells the same, for one that was corrupt on
// its way does not come twice. A claim is never changed; it is replaced.
type claim struct {
	told described
	at   [5]int64 // Unix milliseconds of each field's claim: IMO number, name, call sign, type, sizes
}

// onto puts d into s: at once where nothing was known, and else where a claim tells the same. It returns the claims that are left. A wrong IMO
// number never replaces one with the right check digit.
func (d *described) onto(s *Static, was *claim, at int64) *claim {
	var c claim
	if was != nil {
		c = *was
	}
	imo := d.imo
	if ValidIMO(s.IMO) && !ValidIMO(imo) {
		imo = 0
	} else if imo != 0 && !ValidIMO(s.IMO) && ValidIMO(imo) {
		s.IMO = 0
	}
	settleField(&s.IMO, imo, &c.told.imo, &c.at[0], at)
	settleField(&s.Name, d.name, &c.told.name, &c.at[1], at)
	settleField(&s.CallSign, d.callSign, &c.told.callSign, &c.at[2], at)
	settleField(&s.Type, d.kind, &c.told.kind, &c.at[3], at)
	settleField(&s.Dimensions, d.dimensions, &c.told.dimensions, &c.at[4], at)
	if d.motherShip != 0 {
		s.MotherShip = d.motherShip
	}
	if d.isAid {
		s.AidType, s.Virtual = d.aidType, d.virtual
	}
	switch {
	case c == claim{}:
		return nil
	case was != nil && c == *was:
		return was
	}
	return keepClaim(c)
}

// keepClaim keeps the copy on the heap out of the path of reports that claim nothing.
func keepClaim(c claim) *claim { return &c }

// settleField decides on one field that a report tells; the zero value tells nothing.
func settleField[T comparable](known *T, told T, claimed *T, since *int64, at int64) {
	var none T
	switch {
	case told == none || told == *claimed && at == *since: // a claim that is repeated is no second witness
		return
	case *known != none && told != *known && told != *claimed:
		*claimed, *since = told, at
		return
	}
	*known = told
	*claimed, *since = none, 0
}

// updateVoyage replaces the voyage data by v, if that differs. The crew may clear destination and ETA; a draught of 0 is "not
// available" and keeps the last one known.
func (m *merging) updateVoyage(v VoyageData) {
	now := &m.out.Now
	if was := now.Voyage; was != nil {
		if m.older(was.At) {
			return
		}
		if m.isLate(was.At) {
			m.tellLate(described{}, &v)
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

// Country returns the United Nations name and the ISO 3166-1 alpha-2 code of the country of the ship's MMSI; "" when unknown. The first digits of
// an aid to navigation are a country only behind 99.
func (s *State) Country() (name, code string) {
	name, code, ok := s.MMSI.Country()
	if !ok || s.Class == ClassAtoN && s.MMSI.Kind() != ais.KindAtoN {
		return "", ""
	}
	return name, code
}

// TypeText returns the ship type in words, "" when it is not available.
func TypeText(t ais.ShipType) string {
	if t == 0 {
		return ""
	}
	return t.String()
}

// ParseType returns the ship type that TypeText says in these words, of several the lowest.
func ParseType(text string) (ais.ShipType, bool) {
	t, known := lexicon().texts[folded(text)]
	return t, known
}
