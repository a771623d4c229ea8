package ais

// Message is one decoded AIS message: a sealed sum of the structs in this file, always a pointer to one of them. Which
// of the 27 types it is, Head().Type says; several types share a struct where they share their fields.
type Message interface {
	Head() *Header
	message()
}

// Header is what every message begins with.
type Header struct {
	Type   uint8 // 1..27
	Repeat uint8 // how often it was repeated, 0..3
	MMSI   MMSI  // of the sender
}

// Head gives the header itself, so that every message that embeds it has one.
func (h *Header) Head() *Header { return h }

func (h *Header) message() {}

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

// BaseStationReport is type 4, and as answer to an inquiry type 11 from a mobile station: the station's clock and place.
type BaseStationReport struct {
	Header
	Year, Month, Day, Hour, Minute, Second int // as received: year 0, month 0, day 0, hour 24, minute 60, second 60 are not available
	Accuracy                               bool
	Place                                  Place
	EPFD                                   uint8 // kind of position fixing device
	LongRange                              bool  // transmission control for message 27
	Spare                                  uint16
	RAIM                                   bool
	Radio                                  uint32
}

// StaticVoyage is type 5: what a class A ship is and where she is bound.
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

// AddressedBinary is type 6.
type AddressedBinary struct {
	Header
	Sequence    uint8
	Destination MMSI
	Retransmit  bool
	Spare       bool
	Application
}

// BroadcastBinary is type 8.
type BroadcastBinary struct {
	Header
	Spare uint8
	Application
}

// Application is the inside of a binary message: whose it is and its bits, always kept, and what they say where we know.
type Application struct {
	DAC, FI uint16
	Bits    int    // length of Data in bits, after DAC and FI
	Data    []byte // the bits, left-aligned
	Content any    // one of the application structs of this package, nil where the content is not known to us
}

// Acknowledge is type 7 (of binary messages) and 13 (of safety messages): up to four receipts.
type Acknowledge struct {
	Header
	Spare    uint8
	Receipts []Receipt
}

// Receipt names one message that was received.
type Receipt struct {
	MMSI     MMSI
	Sequence uint8
}

// SARAircraftReport is type 9.
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

// UTCInquiry is type 10.
type UTCInquiry struct {
	Header
	Spare, Spare2 uint8
	Destination   MMSI
}

// AddressedSafety is type 12.
type AddressedSafety struct {
	Header
	Sequence    uint8
	Destination MMSI
	Retransmit  bool
	Spare       bool
	Text        string
}

// BroadcastSafety is type 14.
type BroadcastSafety struct {
	Header
	Spare uint8
	Text  string
}

// Interrogation is type 15. Second1 and Destination2 are there only in the longer forms.
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

// AssignedMode is type 16: orders of a base station to one or two ships.
type AssignedMode struct {
	Header
	Spare                      uint8
	Destination1, Destination2 MMSI
	Offset1, Increment1        uint16
	Offset2, Increment2        uint16
	HasSecond                  bool
}

// DGNSSBroadcast is type 17: differential corrections.
type DGNSSBroadcast struct {
	Header
	Spare, Spare2 uint8
	Place         Place // on the air in 1/10 minute
	Bits          int
	Data          []byte
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

// DataLinkManagement is type 20: slots that a base station reserves, one to four blocks.
type DataLinkManagement struct {
	Header
	Spare        uint8
	Reservations []Reservation
}

// Reservation is one block of reserved slots.
type Reservation struct {
	Offset    uint16
	Slots     uint8
	Timeout   uint8 // minutes
	Increment uint16
}

// AidToNavigation is type 21.
type AidToNavigation struct {
	Header
	AidType     uint8 // 0..31
	Name        string
	Accuracy    bool
	Place       Place
	Dimensions  Dimensions
	EPFD        uint8
	Second      Second
	OffPosition bool
	Regional    uint8
	RAIM        bool
	Virtual     bool
	Assigned    bool
	Spare       bool
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

// GroupAssignment is type 23.
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

// SingleSlotBinary is type 25. Destination is 0 for a broadcast; DAC and FI hold the application id when Structured.
type SingleSlotBinary struct {
	Header
	Addressed, Structured bool
	Destination           MMSI
	Application
}

// MultiSlotBinary is type 26: as type 25, with a communication state at the end.
type MultiSlotBinary struct {
	Header
	Addressed, Structured bool
	Destination           MMSI
	Application
	Radio uint32 // 20 bits
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
