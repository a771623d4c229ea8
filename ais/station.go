package ais

func (p *payload) baseStationReport(m *BaseStationReport, head Header) *BaseStationReport {
	*m = BaseStationReport{
		Header:    head,
		Year:      int(p.field(38, 14)),
		Month:     int(p.field(52, 4)),
		Day:       int(p.field(56, 5)),
		Hour:      int(p.field(61, 5)),
		Minute:    int(p.field(66, 6)),
		Second:    int(p.field(72, 6)),
		Accuracy:  p.flag(78),
		Place:     p.place(79),
		EPFD:      uint8(p.field(134, 4)),
		LongRange: p.flag(138),
		Spare:     uint16(p.field(139, 9)),
		RAIM:      p.flag(148),
		Radio:     uint32(p.field(149, 19)),
	}
	return m
}

// aidToNavigation reads type 21. The name has 20 characters and, only when those do not hold it, up to 14 more at the end
// of the message.
func (p *payload) aidToNavigation(head Header) *AidToNavigation {
	return &AidToNavigation{
		Header:      head,
		AidType:     uint8(p.field(38, 5)),
		Name:        p.aidName(),
		Accuracy:    p.flag(163),
		Place:       p.place(164),
		Dimensions:  p.dimensions(219),
		EPFD:        uint8(p.field(249, 4)),
		Second:      Second(p.field(253, 6)),
		OffPosition: p.flag(259),
		Regional:    uint8(p.field(260, 8)),
		RAIM:        p.flag(268),
		Virtual:     p.flag(269),
		Assigned:    p.flag(270),
		Spare:       p.flag(271),
	}
}

func (p *payload) aidName() string {
	extension := p.text(272, min((p.bits-272)/6, 14))
	if extension == "" || p.field(157, 6) == 0 {
		return p.text(43, 20)
	}
	name := make([]byte, 0, 34)
	for i := range uint(20) {
		v := byte(p.field(43+6*i, 6))
		if v == 0 {
			return p.text(43, 20)
		}
		name = append(name, textByte(v))
	}
	return string(append(name, extension...))
}
