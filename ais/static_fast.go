package ais

// Static data is the most frequent after the positions. Messages 5 and 24 are decoded here as those in position_fast.go are.

// staticVoyage reads type 5.
func (p *payload) staticVoyage(m *StaticVoyage, head Header) *StaticVoyage {
	texts := p.textsAt([2]int{70, 7}, [2]int{112, 20}, [2]int{302, 20})
	*m = StaticVoyage{
		Header:      head,
		Version:     uint8(p.fieldAt(38, 2)),
		IMO:         uint32(p.fieldAt(40, 30)),
		CallSign:    texts[0],
		Name:        texts[1],
		ShipType:    ShipType(p.fieldAt(232, 8)),
		Dimensions:  dimensionsOf(p.fieldAt(240, 30)),
		EPFD:        uint8(p.fieldAt(270, 4)),
		ETA:         etaOf(p.fieldAt(274, 20)),
		Draught:     Decimetres(p.fieldAt(294, 8)),
		Destination: texts[2],
		DTE:         p.flag(422),
		Spare:       p.flag(423),
	}
	return m
}

// staticReport reads type 24; parts other than A and B do not exist.
func (p *payload) staticReport(m *StaticReport, head Header) (Message, error) {
	*m = StaticReport{Header: head, Part: uint8(p.fieldAt(38, 2))}
	switch {
	case m.Part == 0:
		m.Name = p.textAt(40, 20)
		m.Spare = uint8(p.fieldAt(160, 8))
		return m, nil
	case m.Part > 1:
		return nil, ErrorType
	case p.bits < 162:
		return nil, ErrorLength
	}
	texts := p.textsAt([2]int{48, 3}, [2]int{90, 7})
	m.VendorID, m.CallSign = texts[0], texts[1]
	m.ShipType = ShipType(p.fieldAt(40, 8))
	m.Model = uint8(p.fieldAt(66, 4))
	m.Serial = uint32(p.fieldAt(70, 20))
	m.EPFD = uint8(p.fieldAt(162, 4))
	m.Spare = uint8(p.fieldAt(166, 2))
	if head.MMSI.Kind() == KindAuxiliary {
		m.MotherShip = MMSI(p.fieldAt(132, 30))
	} else {
		m.Dimensions = dimensionsOf(p.fieldAt(132, 30))
	}
	return m, nil
}
