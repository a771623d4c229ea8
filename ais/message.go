package ais

// Message is one decoded AIS message, always a pointer to one of the structs of this package that embed a Header. Which of
// the 27 types it is, Head().Type says; several types share a struct where they share their fields.
type Message interface {
	// Head returns the header itself.
	Head() *Header
	// layout lists the fields of the message in the order of their bits, after the header.
	layout(c *codec)
}

// Header is the beginning of each message.
type Header struct {
	Type   uint8 // 1..27
	Repeat uint8 // how often it was repeated, 0..3
	MMSI   MMSI  // of the sender
}

const headerBits = 38

// Head returns the header itself, so that every message that embeds it has one.
func (h *Header) Head() *Header { return h }

// Decode reads one whole message from its armoured characters: the payload fields of its sentences, joined. fill is the
// number of fill bits at the end, 0..5. The message is the caller's own. The error is an ErrorReason.
func Decode(chars []byte, fill int) (Message, error) {
	if len(chars) == 0 || fill < 0 || fill > 5 {
		return nil, ErrorPayload
	}
	var p payload
	if err := p.add(chars, fill); err != nil {
		return nil, err
	}
	return p.decodeMessage(&Batch{})
}

// leastBits is the shortest form of each message type that is decoded (ITU-R M.1371-5, annex 8). Some receivers append bits:
// the surplus of longer messages is ignored. Some transmitters leave bits out: types 1 to 3 may miss the last five bits of
// the communication state. Type 5 may miss DTE and its spare bit. Missing bits read as 0.
var leastBits = [28]int{
	1: 163, 2: 163, 3: 163, 4: 168, 5: 422, 6: 88, 7: 72, 8: 56, 9: 168, 10: 72, 11: 168, 12: 72, 13: 72, 14: 40, 15: 88,
	16: 92, 17: 80, 18: 168, 19: 312, 20: 70, 21: 272, 22: 168, 23: 160, 24: 160, 25: 40, 26: 60, 27: 96,
}

// decodeMessage decodes the bits; the message comes from b's memory. The reports that make up most of the traffic have readers of
// their own, which are several times as fast as the codec.
func (p *payload) decodeMessage(b *Batch) (Message, error) {
	if p.bits < headerBits {
		return nil, ErrorLength
	}
	head := Header{Type: uint8(p.fieldAt(0, 6)), Repeat: uint8(p.fieldAt(6, 2)), MMSI: MMSI(p.fieldAt(8, 30))}
	if head.Type == 0 || head.Type > 27 {
		return nil, ErrorType
	}
	if p.bits < leastBits[head.Type] {
		return nil, ErrorLength
	}
	switch head.Type {
	case 1, 2, 3:
		return p.positionReport(b.Position(), head), nil
	case 18:
		return p.classBReport(b.ClassB(), head), nil
	}
	return p.rareMessage(b, head)
}

// rareMessage decodes the other types, nearly all by their layouts.
func (p *payload) rareMessage(b *Batch, head Header) (Message, error) {
	switch head.Type {
	case 4, 11:
		return p.baseStationReport(b.base.next(), head), nil
	case 5:
		return p.staticVoyage(b.static.next(), head), nil
	case 24:
		return p.staticReport(b.parts.next(), head)
	case 27:
		return p.longRangeReport(b.longRange.next(), head), nil
	}
	m := b.emptyMessage(head.Type)
	*m.Head() = head
	if err := b.codec.read(p, m); err != nil {
		return nil, err
	}
	return m, nil
}

// emptyMessage returns an empty message of a type. Frequent ones come from the batch's arenas.
func (b *Batch) emptyMessage(kind uint8) Message {
	switch kind {
	case 1, 2, 3:
		return b.positions.emptySlot()
	case 4, 11:
		return b.base.emptySlot()
	case 5:
		return b.static.emptySlot()
	case 6:
		return &AddressedBinary{}
	case 7, 13:
		return &Acknowledge{}
	case 8:
		return &BroadcastBinary{}
	case 9:
		return b.sar.emptySlot()
	case 10:
		return &UTCInquiry{}
	case 12:
		return &AddressedSafety{}
	case 14:
		return &BroadcastSafety{}
	case 15:
		return b.inquiry.emptySlot()
	case 16:
		return &AssignedMode{}
	case 17:
		return &DGNSSBroadcast{}
	case 18:
		return b.classB.emptySlot()
	case 19:
		return &ExtendedClassBReport{}
	case 20:
		return &DataLinkManagement{}
	case 21:
		return &AidToNavigation{}
	case 22:
		return &ChannelManagement{}
	case 23:
		return &GroupAssignment{}
	case 24:
		return b.parts.emptySlot()
	case 25:
		return &SingleSlotBinary{}
	case 26:
		return &MultiSlotBinary{}
	}
	return b.longRange.emptySlot() // 27
}
