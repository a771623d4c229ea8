package ais

func (p *payload) acknowledge(head Header) *Acknowledge {
	m := &Acknowledge{Header: head, Spare: uint8(p.field(38, 2))}
	if n := min(4, (p.bits-40)/32); n > 0 {
		m.Receipts = make([]Receipt, 0, n)
	}
	for from := 40; from+32 <= p.bits && len(m.Receipts) < 4; from += 32 {
		m.Receipts = append(m.Receipts, Receipt{
			MMSI:     MMSI(p.field(uint(from), 30)),
			Sequence: uint8(p.field(uint(from)+30, 2)),
		})
	}
	return m
}

func (p *payload) utcInquiry(head Header) *UTCInquiry {
	return &UTCInquiry{
		Header:      head,
		Spare:       uint8(p.field(38, 2)),
		Destination: MMSI(p.field(40, 30)),
		Spare2:      uint8(p.field(70, 2)),
	}
}

// interrogation reads type 15: 88 bits ask one station for one message, 108 or 110 for two, 160 a second station too.
func (p *payload) interrogation(m *Interrogation, head Header) *Interrogation {
	*m = Interrogation{
		Header:       head,
		Spare:        uint8(p.field(38, 2)),
		Destination1: MMSI(p.field(40, 30)),
		Type1_1:      uint8(p.field(70, 6)),
		Offset1_1:    uint16(p.field(76, 12)),
	}
	if p.bits < 108 {
		return m
	}
	m.HasSecond = true
	m.Spare2 = uint8(p.field(88, 2))
	m.Type1_2 = uint8(p.field(90, 6))
	m.Offset1_2 = uint16(p.field(96, 12))
	if p.bits < 158 {
		return m
	}
	m.HasStation2 = true
	m.Spare3 = uint8(p.field(108, 2))
	m.Destination2 = MMSI(p.field(110, 30))
	m.Type2_1 = uint8(p.field(140, 6))
	m.Offset2_1 = uint16(p.field(146, 12))
	m.Spare4 = uint8(p.field(158, 2))
	return m
}

// assignedMode reads type 16: 92 bits (96 with padding) order one station, 144 two.
func (p *payload) assignedMode(head Header) *AssignedMode {
	m := &AssignedMode{
		Header:       head,
		Spare:        uint8(p.field(38, 2)),
		Destination1: MMSI(p.field(40, 30)),
		Offset1:      uint16(p.field(70, 12)),
		Increment1:   uint16(p.field(82, 10)),
	}
	if p.bits < 144 {
		return m
	}
	m.HasSecond = true
	m.Destination2 = MMSI(p.field(92, 30))
	m.Offset2 = uint16(p.field(122, 12))
	m.Increment2 = uint16(p.field(134, 10))
	return m
}

func (p *payload) dgnssBroadcast(head Header) *DGNSSBroadcast {
	return &DGNSSBroadcast{
		Header: head,
		Spare:  uint8(p.field(38, 2)),
		Place:  p.coarsePlace(40),
		Spare2: uint8(p.field(75, 5)),
		Bits:   p.bits - 80,
		Data:   p.copyBits(make([]byte, 0, (p.bits-80+7)/8), 80, p.bits),
	}
}

func (p *payload) dataLinkManagement(head Header) *DataLinkManagement {
	m := &DataLinkManagement{Header: head, Spare: uint8(p.field(38, 2))}
	if n := min(4, (p.bits-40)/30); n > 0 {
		m.Reservations = make([]Reservation, 0, n)
	}
	for from := uint(40); from+30 <= uint(p.bits) && len(m.Reservations) < 4; from += 30 {
		m.Reservations = append(m.Reservations, Reservation{
			Offset:    uint16(p.field(from, 12)),
			Slots:     uint8(p.field(from+12, 4)),
			Timeout:   uint8(p.field(from+16, 3)),
			Increment: uint16(p.field(from+19, 11)),
		})
	}
	return m
}

// channelManagement reads type 22: bit 139 says whether bits 69 on are two corners or two stations.
func (p *payload) channelManagement(head Header) *ChannelManagement {
	m := &ChannelManagement{
		Header:    head,
		Spare:     uint8(p.field(38, 2)),
		ChannelA:  uint16(p.field(40, 12)),
		ChannelB:  uint16(p.field(52, 12)),
		TxRx:      uint8(p.field(64, 4)),
		LowPower:  p.flag(68),
		Addressed: p.flag(139),
		BandA:     p.flag(140),
		BandB:     p.flag(141),
		ZoneSize:  uint8(p.field(142, 3)),
		Spare2:    uint32(p.field(145, 23)),
	}
	if m.Addressed {
		m.Destination1 = MMSI(p.field(69, 30))
		m.Destination2 = MMSI(p.field(104, 30))
		return m
	}
	m.NorthEast = p.coarsePlace(69)
	m.SouthWest = p.coarsePlace(104)
	return m
}

func (p *payload) groupAssignment(head Header) *GroupAssignment {
	return &GroupAssignment{
		Header:      head,
		Spare:       uint8(p.field(38, 2)),
		NorthEast:   p.coarsePlace(40),
		SouthWest:   p.coarsePlace(75),
		StationType: uint8(p.field(110, 4)),
		ShipType:    ShipType(p.field(114, 8)),
		Spare2:      uint32(p.field(122, 22)),
		TxRx:        uint8(p.field(144, 2)),
		Interval:    uint8(p.field(146, 4)),
		Quiet:       uint8(p.field(150, 4)),
		Spare3:      uint8(p.field(154, 6)),
	}
}
