package ais

// Most traffic is messages 1 to 4 and 18, and from a satellite message 27. They are decoded here by constant bit numbers,
// several times as fast as a codec decodes them by their layout. TestFastReaders holds the two against each other.

// positionReport sets each field by itself: so the slot is written once. A struct literal would be built aside and copied.
func (p *payload) positionReport(m *PositionReport, head Header) *PositionReport {
	m.Header = head
	m.Status = NavStatus(p.fieldAt(38, 4))
	m.ROT = ROT(p.fieldAt(42, 8) ^ 0x80) // raw + 128 of 8 bits: -128, not available, gives 0
	m.SOG = p.sogAt(50)
	m.Accuracy = p.flag(60)
	m.Place = p.placeAt(61)
	m.COG = p.cogAt(116)
	m.Heading = p.headingAt(128)
	m.Second = Second(p.fieldAt(137, 6))
	m.Maneuver = uint8(p.fieldAt(143, 2))
	m.Spare = uint8(p.fieldAt(145, 3))
	m.RAIM = p.flag(148)
	m.Radio = uint32(p.fieldAt(149, 19))
	return m
}

func (p *payload) classBReport(m *ClassBReport, head Header) *ClassBReport {
	m.Header = head
	m.Reserved = uint8(p.fieldAt(38, 8))
	m.SOG = p.sogAt(46)
	m.Accuracy = p.flag(56)
	m.Place = p.placeAt(57)
	m.COG = p.cogAt(112)
	m.Heading = p.headingAt(124)
	m.Second = Second(p.fieldAt(133, 6))
	m.Regional = uint8(p.fieldAt(139, 2))
	m.CS = p.flag(141)
	m.Display = p.flag(142)
	m.DSC = p.flag(143)
	m.Band = p.flag(144)
	m.Message22 = p.flag(145)
	m.Assigned = p.flag(146)
	m.RAIM = p.flag(147)
	m.Radio = uint32(p.fieldAt(148, 20))
	return m
}

// baseStationReport reads types 4 and 11.
func (p *payload) baseStationReport(m *BaseStationReport, head Header) *BaseStationReport {
	m.Header = head
	m.Year = int(p.fieldAt(38, 14))
	m.Month = int(p.fieldAt(52, 4))
	m.Day = int(p.fieldAt(56, 5))
	m.Hour = int(p.fieldAt(61, 5))
	m.Minute = int(p.fieldAt(66, 6))
	m.Second = int(p.fieldAt(72, 6))
	m.Accuracy = p.flag(78)
	m.Place = p.placeAt(79)
	m.EPFD = uint8(p.fieldAt(134, 4))
	m.LongRange = p.flag(138)
	m.Spare = uint16(p.fieldAt(139, 9))
	m.RAIM = p.flag(148)
	m.Radio = uint32(p.fieldAt(149, 19))
	return m
}

// longRangeReport reads type 27.
func (p *payload) longRangeReport(m *LongRangeReport, head Header) *LongRangeReport {
	m.Header = head
	m.Accuracy = p.flag(38)
	m.RAIM = p.flag(39)
	m.Status = NavStatus(p.fieldAt(40, 4))
	both := p.fieldAt(44, 35)
	m.Place = Place{Lon: int32(int64(both<<29)>>46) * 1000, Lat: int32(int64(both<<47)>>47) * 1000}
	m.SOG = 0
	if knots := int(p.fieldAt(79, 6)); knots != 63 {
		m.SOG = SOGTenths(10 * knots)
	}
	m.COG = COGTenths(10 * int(p.fieldAt(85, 9)))
	m.GNSS = p.flag(94)
	m.Spare = p.flag(95)
	return m
}

// The values below differ from ship to ship, so the processor would guess every second branch wrong. They are assigned
// twice, which compiles to a conditional move; SOGTenths and its like return early.

// sogAt reads a speed of 10 bits in tenths of a knot; 1023 is not available.
func (p *payload) sogAt(from uint) SOG {
	raw := p.fieldAt(from, 10)
	sog := SOG(raw + 1)
	if raw == 1023 {
		sog = 0
	}
	return sog
}

// cogAt reads a course of 12 bits in tenths of a degree; from 3600 on it is not available.
func (p *payload) cogAt(from uint) COG {
	raw := p.fieldAt(from, 12)
	cog := COG(raw + 1)
	if raw > 3599 {
		cog = 0
	}
	return cog
}

// headingAt reads 9 bits in degrees; from 360 on it is not available.
func (p *payload) headingAt(from uint) Heading {
	raw := p.fieldAt(from, 9)
	heading := Heading(raw + 1)
	if raw > 359 {
		heading = 0
	}
	return heading
}

// placeAt reads 28 bits of longitude and 27 of latitude, in 1/10000 minute.
func (p *payload) placeAt(from uint) Place {
	both := p.fieldAt(from, 55)
	return Place{Lon: int32(int64(both<<9) >> 36), Lat: int32(int64(both<<37) >> 37)}
}
