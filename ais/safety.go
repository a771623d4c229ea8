package ais

// maxSafetyText is the longest text of a safety-related message: 161 characters, type 14 in five slots (ITU-R M.1371-5,
// annex 8, 3.12). Longer ones are cut there.
const maxSafetyText = 161

func (p *payload) addressedSafety(head Header) *AddressedSafety {
	return &AddressedSafety{
		Header:      head,
		Sequence:    uint8(p.field(38, 2)),
		Destination: MMSI(p.field(40, 30)),
		Retransmit:  p.flag(70),
		Spare:       p.flag(71),
		Text:        p.text(72, min((p.bits-72)/6, maxSafetyText)),
	}
}

func (p *payload) broadcastSafety(head Header) *BroadcastSafety {
	return &BroadcastSafety{
		Header: head,
		Spare:  uint8(p.field(38, 2)),
		Text:   p.text(40, min((p.bits-40)/6, maxSafetyText)),
	}
}
