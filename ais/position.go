package ais

// PositionReport is the class A position report: types 1, 2 and 3.
type PositionReport struct {
	Header
	Status   NavStatus
	ROT      ROT
	SOG      SOG
	Accuracy bool // better than 10 m
	Place    Place
	COG      COG
	Heading  Heading
	Second   Second
	Maneuver uint8 // special manoeuvre: 0 not available, 1 none, 2 engaged
	Spare    uint8
	RAIM     bool
	Radio    uint32 // 19 bits of communication state
}

func (m *PositionReport) layout(c *codec) {
	c.types(1, 2, 3)
	c.status(&m.Status)
	c.rot(&m.ROT)
	c.sog(&m.SOG, 10, 1)
	c.flag("accuracy", &m.Accuracy)
	c.place("", &m.Place, 1)
	c.cog(&m.COG, 1)
	c.heading(&m.Heading)
	c.second(&m.Second)
	integer(c, "maneuver", 2, &m.Maneuver)
	integer(c, "", 3, &m.Spare)
	c.flag("raim", &m.RAIM)
	integer(c, "radio", 19, &m.Radio)
}

// ClassBReport is type 18: the standard class B position report.
type ClassBReport struct {
	Header
	Reserved  uint8
	SOG       SOG
	Accuracy  bool
	Place     Place
	COG       COG
	Heading   Heading
	Second    Second
	Regional  uint8
	CS        bool // carrier sense unit (else SOTDMA)
	Display   bool
	DSC       bool
	Band      bool
	Message22 bool
	Assigned  bool
	RAIM      bool
	Radio     uint32 // 20 bits
}

func (m *ClassBReport) layout(c *codec) {
	c.types(18)
	integer(c, "reserved", 8, &m.Reserved)
	c.sog(&m.SOG, 10, 1)
	c.flag("accuracy", &m.Accuracy)
	c.place("", &m.Place, 1)
	c.cog(&m.COG, 1)
	c.heading(&m.Heading)
	c.second(&m.Second)
	integer(c, "regional", 2, &m.Regional)
	c.flag("cs", &m.CS)
	c.flag("display", &m.Display)
	c.flag("dsc", &m.DSC)
	c.flag("band", &m.Band)
	c.flag("msg22", &m.Message22)
	c.flag("assigned", &m.Assigned)
	c.flag("raim", &m.RAIM)
	integer(c, "radio", 20, &m.Radio)
}

// ExtendedClassBReport is type 19.
type ExtendedClassBReport struct {
	Header
	Reserved   uint8
	SOG        SOG
	Accuracy   bool
	Place      Place
	COG        COG
	Heading    Heading
	Second     Second
	Regional   uint8
	Name       string
	ShipType   ShipType
	Dimensions Dimensions
	EPFD       uint8
	RAIM       bool
	DTE        bool
	Assigned   bool
	Spare      uint8
}

func (m *ExtendedClassBReport) layout(c *codec) {
	c.types(19)
	integer(c, "reserved", 8, &m.Reserved)
	c.sog(&m.SOG, 10, 1)
	c.flag("accuracy", &m.Accuracy)
	c.place("", &m.Place, 1)
	c.cog(&m.COG, 1)
	c.heading(&m.Heading)
	c.second(&m.Second)
	integer(c, "regional", 4, &m.Regional)
	c.text("name", &m.Name, 20)
	c.shipType(&m.ShipType)
	c.dimensions(&m.Dimensions)
	c.epfd(&m.EPFD)
	c.flag("raim", &m.RAIM)
	c.bit("dte", &m.DTE)
	c.flag("assigned", &m.Assigned)
	integer(c, "", 4, &m.Spare)
}

// SARAircraftReport is type 9: the position of an aircraft in search and rescue.
type SARAircraftReport struct {
	Header
	Altitude  int // metres; 4094 means 4094 or more, 4095 is not available
	SOG       SOG // whole knots on the air
	Accuracy  bool
	Place     Place
	COG       COG
	Second    Second
	Regional  uint8
	DTE       bool
	Spare     uint8
	Assigned  bool
	RAIM      bool
	Radio     uint32
	Barometer bool // the altitude is barometric
}

func (m *SARAircraftReport) layout(c *codec) {
	c.types(9)
	optional(c, "alt", 12, 4095, 1, &m.Altitude)
	c.sog(&m.SOG, 10, 10)
	c.flag("accuracy", &m.Accuracy)
	c.place("", &m.Place, 1)
	c.cog(&m.COG, 1)
	c.second(&m.Second)
	c.flag("barometer", &m.Barometer)
	integer(c, "regional", 7, &m.Regional)
	c.bit("dte", &m.DTE)
	integer(c, "", 3, &m.Spare)
	c.flag("assigned", &m.Assigned)
	c.flag("raim", &m.RAIM)
	integer(c, "radio", 20, &m.Radio)
}

// LongRangeReport is type 27: a position for reception by satellite, coarse.
type LongRangeReport struct {
	Header
	Accuracy bool
	RAIM     bool
	Status   NavStatus
	Place    Place // on the air in 1/10 minute
	SOG      SOG   // whole knots on the air
	COG      COG   // whole degrees on the air
	GNSS     bool  // the position is not the current GNSS position when true
	Spare    bool
}

func (m *LongRangeReport) layout(c *codec) {
	c.types(27)
	c.seek(40)
	c.status(&m.Status)
	c.seek(38)
	c.flag("accuracy", &m.Accuracy)
	c.seek(44)
	c.place("", &m.Place, 1000)
	c.sog(&m.SOG, 6, 10)
	c.cog(&m.COG, 10)
	c.seek(39)
	c.flag("raim", &m.RAIM)
	c.seek(94)
	c.flag("gnss", &m.GNSS)
	c.flag("", &m.Spare)
}
