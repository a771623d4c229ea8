package ais

// maxSafetyText is the longest text of a safety-related message: 161 characters, type 14 in five slots (ITU-R M.1371-5,
// annex 8, 3.12). Longer ones are cut there.
const maxSafetyText = 161

// AddressedSafety is type 12: a text about safety to one station.
type AddressedSafety struct {
	Header
	Sequence    uint8
	Destination MMSI
	Retransmit  bool
	Spare       bool
	Text        string
}

func (m *AddressedSafety) layout(c *codec) {
	c.types(12)
	integer(c, "seqno", 2, &m.Sequence)
	c.mmsi("dest_mmsi", &m.Destination)
	c.flag("retransmit", &m.Retransmit)
	c.flag("", &m.Spare)
	c.restText("text", &m.Text, maxSafetyText)
}

// BroadcastSafety is type 14: a text about safety to all.
type BroadcastSafety struct {
	Header
	Spare uint8
	Text  string
}

func (m *BroadcastSafety) layout(c *codec) {
	c.types(14)
	integer(c, "", 2, &m.Spare)
	c.restText("text", &m.Text, maxSafetyText)
}
