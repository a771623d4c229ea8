package ais

// StaticVoyage is type 5: what a class A ship is and where it is bound.
type StaticVoyage struct {
	Header
	Version     uint8
	IMO         uint32 // 0 is unknown
	CallSign    string
	Name        string
	ShipType    ShipType
	Dimensions  Dimensions
	EPFD        uint8
	ETA         ETA
	Draught     Decimetres
	Destination string
	DTE         bool // data terminal not ready
	Spare       bool
}

func (m *StaticVoyage) layout(c *codec) {
	c.types(5)
	integer(c, "ais_version", 2, &m.Version)
	optional(c, "imo", 30, 0, 1, &m.IMO)
	c.text("callsign", &m.CallSign, 7)
	c.text("name", &m.Name, 20)
	c.shipType(&m.ShipType)
	c.dimensions(&m.Dimensions)
	c.epfd(&m.EPFD)
	c.eta(&m.ETA)
	optional(c, "draught", 8, 0, 10, &m.Draught)
	c.text("destination", &m.Destination, 20)
	c.bit("dte", &m.DTE)
	c.flag("", &m.Spare)
}

// StaticReport is type 24, part A (Part 0: the name) or part B (Part 1: the rest).
type StaticReport struct {
	Header
	Part       uint8
	Name       string // part A
	ShipType   ShipType
	VendorID   string
	Model      uint8
	Serial     uint32
	CallSign   string
	Dimensions Dimensions // not for a craft of a mother ship
	MotherShip MMSI       // instead of Dimensions, for MMSI 98xxxxxxx
	EPFD       uint8
	Spare      uint8
}

func (m *StaticReport) layout(c *codec) {
	c.types(24)
	integer(c, "", 2, &m.Part)
	if m.Part == 0 {
		m.layoutA(c)
		return
	}
	m.layoutB(c)
}

func (m *StaticReport) layoutA(c *codec) {
	c.constant("part", "A")
	c.text("name", &m.Name, 20)
	if c.direction == decoding || m.Spare != 0 { // these bits are rare
		integer(c, "", 8, &m.Spare)
	}
}

func (m *StaticReport) layoutB(c *codec) {
	switch {
	case c.direction == decoding && m.Part > 1:
		c.keepError(ErrorType) // there are two parts
	case c.direction == decoding && c.end < 162:
		c.keepError(ErrorLength)
	}
	c.constant("part", "B")
	c.shipType(&m.ShipType)
	c.text("vendorid", &m.VendorID, 3)
	integer(c, "model", 4, &m.Model)
	integer(c, "serial", 20, &m.Serial)
	c.text("callsign", &m.CallSign, 7)
	if m.MMSI.Kind() == KindAuxiliary {
		c.mmsi("mothership_mmsi", &m.MotherShip)
	} else {
		c.dimensions(&m.Dimensions)
	}
	c.epfd(&m.EPFD)
	integer(c, "", 2, &m.Spare)
}
