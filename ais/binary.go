package ais

// AddressedBinary is type 6.
type AddressedBinary struct {
	Header
	Sequence    uint8
	Destination MMSI
	Retransmit  bool
	Spare       bool
	Application
}

func (m *AddressedBinary) layout(c *codec) {
	c.types(6)
	integer(c, "seqno", 2, &m.Sequence)
	c.mmsi("dest_mmsi", &m.Destination)
	c.flag("retransmit", &m.Retransmit)
	c.flag("", &m.Spare)
	m.application(c, true, 0)
}

// BroadcastBinary is type 8.
type BroadcastBinary struct {
	Header
	Spare uint8
	Application
}

func (m *BroadcastBinary) layout(c *codec) {
	c.types(8)
	integer(c, "", 2, &m.Spare)
	m.application(c, false, 0)
}

// SingleSlotBinary is type 25. Destination is 0 for a broadcast; DAC and FI hold the application id when Structured.
type SingleSlotBinary struct {
	Header
	Addressed, Structured bool
	Destination           MMSI
	Spare                 uint8 // two bits, in an addressed message alone
	Application
}

func (m *SingleSlotBinary) layout(c *codec) {
	c.types(25)
	c.flag("addressed", &m.Addressed)
	c.flag("structured", &m.Structured)
	if m.Addressed {
		c.mmsi("dest_mmsi", &m.Destination)
		integer(c, "", 2, &m.Spare)
	}
	m.flexible(c, m.Structured, m.Addressed, 0)
}

// MultiSlotBinary is type 26: as type 25, with a communication state at the end. The spare bits before that, which fill a
// byte, stay part of the data.
type MultiSlotBinary struct {
	Header
	Addressed, Structured bool
	Destination           MMSI
	Spare                 uint8 // two bits, in an addressed message alone
	Application
	Radio uint32 // 20 bits
}

func (m *MultiSlotBinary) layout(c *codec) {
	c.types(26)
	c.flag("addressed", &m.Addressed)
	c.flag("structured", &m.Structured)
	if m.Addressed {
		c.mmsi("dest_mmsi", &m.Destination)
		integer(c, "", 2, &m.Spare)
	}
	m.flexible(c, m.Structured, m.Addressed, 20)
	integer(c, "radio", 20, &m.Radio)
}

// Application is the inside of a binary message. DAC and FI say whose it is. The bits are always kept; Content is what they
// mean, where that is known.
type Application struct {
	DAC, FI uint16
	Bits    int    // length of Data in bits, after DAC and FI
	Data    []byte // the bits, left-aligned
	Content any    // one of the application structs of this package, or nil
}

// application is DAC, FI and the data up to the last tail bits of the message.
func (a *Application) application(c *codec, addressed bool, tail int) {
	integer(c, "dac", 10, &a.DAC)
	integer(c, "fid", 6, &a.FI)
	c.data(&a.Data, &a.Bits, tail)
	a.content(c, addressed)
}

// flexible is the inside of types 25 and 26: data alone, unless structured.
func (a *Application) flexible(c *codec, structured, addressed bool, tail int) {
	if !structured {
		c.data(&a.Data, &a.Bits, tail)
		return
	}
	if c.direction == showing {
		c.showInt("app_id", int(a.DAC)<<6|int(a.FI))
	}
	a.application(c, addressed, tail)
}
