package ais

// Acknowledge is type 7 (of binary messages) and 13 (of safety messages): up to four receipts.
type Acknowledge struct {
	Header
	Spare    uint8
	Receipts []Receipt
}

func (m *Acknowledge) layout(c *codec) {
	c.types(7, 13)
	integer(c, "", 2, &m.Spare)
	list(c, "", &m.Receipts, 32, 4, (*Receipt).layout)
}

// Receipt names one message that was received.
type Receipt struct {
	MMSI     MMSI
	Sequence uint8
}

func (r *Receipt) layout(c *codec) {
	c.mmsi("mmsi", &r.MMSI)
	integer(c, "seqno", 2, &r.Sequence)
}

// UTCInquiry is type 10: a question for the time of another station.
type UTCInquiry struct {
	Header
	Spare, Spare2 uint8
	Destination   MMSI
}

func (m *UTCInquiry) layout(c *codec) {
	c.types(10)
	integer(c, "", 2, &m.Spare)
	c.mmsi("dest_mmsi", &m.Destination)
	integer(c, "", 2, &m.Spare2)
}

// Interrogation is type 15: 88 bits ask one station for one message, 108 or 110 for two, 160 a second station too.
// HasSecond reports whether Type1_2 is there, and HasStation2 whether Destination2 is.
type Interrogation struct {
	Header
	Spare                  uint8
	Destination1           MMSI
	Type1_1                uint8
	Offset1_1              uint16
	Type1_2                uint8
	Offset1_2              uint16
	Destination2           MMSI
	Type2_1                uint8
	Offset2_1              uint16
	HasSecond, HasStation2 bool
	Spare2, Spare3, Spare4 uint8
}

func (m *Interrogation) layout(c *codec) {
	c.types(15)
	c.present(&m.HasSecond, 108)
	c.present(&m.HasStation2, 158)
	integer(c, "", 2, &m.Spare)
	c.mmsi("mmsi1", &m.Destination1)
	integer(c, "type1_1", 6, &m.Type1_1)
	integer(c, "offset1_1", 12, &m.Offset1_1)
	if !m.HasSecond && !m.HasStation2 {
		return
	}
	integer(c, "", 2, &m.Spare2)
	integer(c, "type1_2", 6, &m.Type1_2)
	integer(c, "offset1_2", 12, &m.Offset1_2)
	integer(c, "", 2, &m.Spare3)
	if !m.HasStation2 {
		return
	}
	c.mmsi("mmsi2", &m.Destination2)
	integer(c, "type2_1", 6, &m.Type2_1)
	integer(c, "offset2_1", 12, &m.Offset2_1)
	integer(c, "", 2, &m.Spare4)
}

// AssignedMode is type 16: orders of a base station to one ship (92 bits, 96 with padding) or to two (144).
type AssignedMode struct {
	Header
	Spare                      uint8
	Destination1, Destination2 MMSI
	Offset1, Increment1        uint16
	Offset2, Increment2        uint16
	HasSecond                  bool
}

func (m *AssignedMode) layout(c *codec) {
	c.types(16)
	c.present(&m.HasSecond, 144)
	integer(c, "", 2, &m.Spare)
	c.mmsi("mmsi1", &m.Destination1)
	integer(c, "offset1", 12, &m.Offset1)
	integer(c, "increment1", 10, &m.Increment1)
	if !m.HasSecond {
		c.align()
		return
	}
	c.mmsi("mmsi2", &m.Destination2)
	integer(c, "offset2", 12, &m.Offset2)
	integer(c, "increment2", 10, &m.Increment2)
}

// DataLinkManagement is type 20: slots that a base station reserves, one to four blocks.
type DataLinkManagement struct {
	Header
	Spare        uint8
	Reservations []Reservation
}

func (m *DataLinkManagement) layout(c *codec) {
	c.types(20)
	integer(c, "", 2, &m.Spare)
	list(c, "", &m.Reservations, 30, 4, (*Reservation).layout)
	c.align()
}

// Reservation is one block of reserved slots.
type Reservation struct {
	Offset    uint16
	Slots     uint8
	Timeout   uint8 // minutes
	Increment uint16
}

func (r *Reservation) layout(c *codec) {
	integer(c, "offset", 12, &r.Offset)
	integer(c, "number", 4, &r.Slots)
	integer(c, "timeout", 3, &r.Timeout)
	integer(c, "increment", 11, &r.Increment)
}

// ChannelManagement is type 22. Either it is for an area (NorthEast, SouthWest) or addressed to two stations.
type ChannelManagement struct {
	Header
	Spare                      uint8
	ChannelA, ChannelB         uint16
	TxRx                       uint8
	LowPower                   bool
	NorthEast, SouthWest       Place // on the air in 1/10 minute
	Destination1, Destination2 MMSI
	Addressed                  bool
	BandA, BandB               bool
	ZoneSize                   uint8
	Spare2                     uint32
}

func (m *ChannelManagement) layout(c *codec) {
	c.types(22)
	integer(c, "", 2, &m.Spare)
	integer(c, "channel_a", 12, &m.ChannelA)
	integer(c, "channel_b", 12, &m.ChannelB)
	integer(c, "txrx", 4, &m.TxRx)
	c.flag("power", &m.LowPower)
	if c.direction == decoding { // the flag stands behind what depends on it
		m.Addressed = c.bits.flag(139)
	}
	if m.Addressed {
		c.mmsi("dest1", &m.Destination1)
		c.skip(5)
		c.mmsi("dest2", &m.Destination2)
		c.skip(5)
	} else {
		c.place("ne_", &m.NorthEast, 1000)
		c.place("sw_", &m.SouthWest, 1000)
	}
	c.flag("addressed", &m.Addressed)
	c.flag("band_a", &m.BandA)
	c.flag("band_b", &m.BandB)
	integer(c, "zonesize", 3, &m.ZoneSize)
	integer(c, "", 23, &m.Spare2)
}

// GroupAssignment is type 23: orders of a base station to a group of stations in an area.
type GroupAssignment struct {
	Header
	Spare                uint8
	NorthEast, SouthWest Place // on the air in 1/10 minute
	StationType          uint8
	ShipType             ShipType
	Spare2               uint32
	TxRx                 uint8
	Interval             uint8
	Quiet                uint8 // minutes
	Spare3               uint8
}

func (m *GroupAssignment) layout(c *codec) {
	c.types(23)
	integer(c, "", 2, &m.Spare)
	c.place("ne_", &m.NorthEast, 1000)
	c.place("sw_", &m.SouthWest, 1000)
	code(c, "stationtype", "stationtype_text", 4, &m.StationType, StationTypeText)
	c.shipType(&m.ShipType)
	integer(c, "", 22, &m.Spare2)
	integer(c, "txrx", 2, &m.TxRx)
	integer(c, "interval", 4, &m.Interval)
	integer(c, "quiet", 4, &m.Quiet)
	integer(c, "", 6, &m.Spare3)
}
