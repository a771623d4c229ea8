package ais

// The values below change from ship to ship in no order, so that the processor would guess every second branch wrong: they
// are assigned twice, which compiles to a conditional move, where SOGTenths and its like return early.

// sog reads a speed of 10 bits in tenths of a knot; 1023 is not available.
func (p *payload) sog(from uint) SOG {
	raw := p.field(from, 10)
	sog := SOG(raw + 1)
	if raw == 1023 {
		sog = 0
	}
	return sog
}

// cog reads a course of 12 bits in tenths of a degree; from 3600 on it is not available.
func (p *payload) cog(from uint) COG {
	raw := p.field(from, 12)
	cog := COG(raw + 1)
	if raw > 3599 {
		cog = 0
	}
	return cog
}

// heading reads 9 bits in degrees; from 360 on it is not available.
func (p *payload) heading(from uint) Heading {
	raw := p.field(from, 9)
	heading := Heading(raw + 1)
	if raw > 359 {
		heading = 0
	}
	return heading
}

// place reads 28 bits of longitude and 27 of latitude, in 1/10000 minute.
func (p *payload) place(from uint) Place {
	both := p.field(from, 55)
	return Place{Lon: int32(int64(both<<9) >> 36), Lat: int32(int64(both<<37) >> 37)}
}

// coarsePlace reads 18 bits of longitude and 17 of latitude, in 1/10 minute.
func (p *payload) coarsePlace(from uint) Place {
	return Place{Lon: int32(p.signed(from, 18)) * 1000, Lat: int32(p.signed(from+18, 17)) * 1000}
}

// positionReport and classBReport set every field by itself: the slot is written once, not made aside and copied.
func (p *payload) positionReport(m *PositionReport, head Header) *PositionReport {
	m.Header = head
	m.Status = NavStatus(p.field(38, 4))
	m.ROT = ROT(p.field(42, 8) ^ 0x80) // raw + 128 of 8 bits: -128, not available, gives 0
	m.SOG = p.sog(50)
	m.Accuracy = p.flag(60)
	m.Place = p.place(61)
	m.COG = p.cog(116)
	m.Heading = p.heading(128)
	m.Second = Second(p.field(137, 6))
	m.Maneuver = uint8(p.field(143, 2))
	m.Spare = uint8(p.field(145, 3))
	m.RAIM = p.flag(148)
	m.Radio = uint32(p.field(149, 19))
	return m
}

func (p *payload) classBReport(m *ClassBReport, head Header) *ClassBReport {
	m.Header = head
	m.Reserved = uint8(p.field(38, 8))
	m.SOG = p.sog(46)
	m.Accuracy = p.flag(56)
	m.Place = p.place(57)
	m.COG = p.cog(112)
	m.Heading = p.heading(124)
	m.Second = Second(p.field(133, 6))
	m.Regional = uint8(p.field(139, 2))
	m.CS = p.flag(141)
	m.Display = p.flag(142)
	m.DSC = p.flag(143)
	m.Band = p.flag(144)
	m.Message22 = p.flag(145)
	m.Assigned = p.flag(146)
	m.RAIM = p.flag(147)
	m.Radio = uint32(p.field(148, 20))
	return m
}

func (p *payload) extendedClassBReport(head Header) *ExtendedClassBReport {
	return &ExtendedClassBReport{
		Header:     head,
		Reserved:   uint8(p.field(38, 8)),
		SOG:        p.sog(46),
		Accuracy:   p.flag(56),
		Place:      p.place(57),
		COG:        p.cog(112),
		Heading:    p.heading(124),
		Second:     Second(p.field(133, 6)),
		Regional:   uint8(p.field(139, 4)),
		Name:       p.text(143, 20),
		ShipType:   ShipType(p.field(263, 8)),
		Dimensions: p.dimensions(271),
		EPFD:       uint8(p.field(301, 4)),
		RAIM:       p.flag(305),
		DTE:        p.flag(306),
		Assigned:   p.flag(307),
		Spare:      uint8(p.field(308, 4)),
	}
}

// sarAircraftReport reads type 9, whose speed is in whole knots.
func (p *payload) sarAircraftReport(m *SARAircraftReport, head Header) *SARAircraftReport {
	*m = SARAircraftReport{
		Header:    head,
		Altitude:  int(p.field(38, 12)),
		Accuracy:  p.flag(60),
		Place:     p.place(61),
		COG:       p.cog(116),
		Second:    Second(p.field(128, 6)),
		Barometer: p.flag(134),
		Regional:  uint8(p.field(135, 7)),
		DTE:       p.flag(142),
		Spare:     uint8(p.field(143, 3)),
		Assigned:  p.flag(146),
		RAIM:      p.flag(147),
		Radio:     uint32(p.field(148, 20)),
	}
	if knots := int(p.field(50, 10)); knots != 1023 {
		m.SOG = SOGTenths(knots * 10)
	}
	return m
}

// longRangeReport reads type 27, whose speed is in whole knots (63: not available) and whose course in whole degrees.
func (p *payload) longRangeReport(m *LongRangeReport, head Header) *LongRangeReport {
	*m = LongRangeReport{
		Header:   head,
		Accuracy: p.flag(38),
		RAIM:     p.flag(39),
		Status:   NavStatus(p.field(40, 4)),
		Place:    p.coarsePlace(44),
		COG:      COGTenths(int(p.field(85, 9)) * 10),
		GNSS:     p.flag(94),
		Spare:    p.flag(95),
	}
	if knots := int(p.field(79, 6)); knots != 63 {
		m.SOG = SOGTenths(knots * 10)
	}
	return m
}
