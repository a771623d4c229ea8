package ais

// Decode reads one whole message from its armoured characters (the payload field of a sentence, parts joined) and the
// number of fill bits at its end, 0..5. The message is the caller's own. The error is an ErrorReason.
func Decode(chars []byte, fill int) (Message, error) {
	if len(chars) == 0 || fill < 0 || fill > 5 {
		return nil, ErrorPayload
	}
	var p payload
	if err := p.add(chars, fill); err != nil {
		return nil, err
	}
	return p.message(&Batch{})
}

// leastBits is the shortest form of each message type that says something (ITU-R M.1371-5, annex 8). Longer messages are
// taken and their surplus ignored: receivers and networks do append bits. Types 1 to 3 are taken without the last five bits,
// of the communication state, and type 5 without DTE and its spare: such are on the air. Bits that are missing read as 0.
var leastBits = [28]int{
	1: 163, 2: 163, 3: 163, 4: 168, 5: 422, 6: 88, 7: 72, 8: 56, 9: 168, 10: 72, 11: 168, 12: 72, 13: 72, 14: 40, 15: 88,
	16: 92, 17: 80, 18: 168, 19: 312, 20: 70, 21: 272, 22: 168, 23: 160, 24: 160, 25: 40, 26: 60, 27: 96,
}

// message decodes the bits; the message comes from b's memory.
func (p *payload) message(b *Batch) (Message, error) {
	if p.bits < 38 {
		return nil, ErrorLength
	}
	head := Header{Type: uint8(p.field(0, 6)), Repeat: uint8(p.field(6, 2)), MMSI: MMSI(p.field(8, 30))}
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

// rareMessage decodes all types but the position reports that make up most of the traffic.
func (p *payload) rareMessage(b *Batch, head Header) (Message, error) {
	switch head.Type {
	case 4, 11:
		return p.baseStationReport(b.base.next(), head), nil
	case 5:
		return p.staticVoyage(b.static.next(), head), nil
	case 6:
		return p.addressedBinary(head), nil
	case 7, 13:
		return p.acknowledge(head), nil
	case 8:
		return p.broadcastBinary(head), nil
	case 9:
		return p.sarAircraftReport(b.sar.next(), head), nil
	case 10:
		return p.utcInquiry(head), nil
	case 12:
		return p.addressedSafety(head), nil
	case 14:
		return p.broadcastSafety(head), nil
	case 15:
		return p.interrogation(b.inquiry.next(), head), nil
	case 16:
		return p.assignedMode(head), nil
	case 17:
		return p.dgnssBroadcast(head), nil
	case 19:
		return p.extendedClassBReport(head), nil
	case 20:
		return p.dataLinkManagement(head), nil
	case 21:
		return p.aidToNavigation(head), nil
	case 22:
		return p.channelManagement(head), nil
	case 23:
		return p.groupAssignment(head), nil
	case 24:
		return p.staticReport(b.parts.next(), head)
	case 25:
		return p.singleSlotBinary(head)
	case 26:
		return p.multiSlotBinary(head)
	case 27:
		return p.longRangeReport(b.longRange.next(), head), nil
	}
	return nil, ErrorType
}
