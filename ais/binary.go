package ais

// application keeps the bits from..to and decodes them where we know how.
func (p *payload) application(dac, fi uint64, from, to int, addressed bool) Application {
	a := Application{DAC: uint16(dac), FI: uint16(fi), Bits: to - from}
	a.Data = p.copyBits(make([]byte, 0, (a.Bits+7)/8), from, to)
	a.Content = decodeApplication(a.DAC, a.FI, a.Data, a.Bits, addressed)
	return a
}

func (p *payload) addressedBinary(head Header) *AddressedBinary {
	return &AddressedBinary{
		Header:      head,
		Sequence:    uint8(p.field(38, 2)),
		Destination: MMSI(p.field(40, 30)),
		Retransmit:  p.flag(70),
		Spare:       p.flag(71),
		Application: p.application(p.field(72, 10), p.field(82, 6), 88, p.bits, true),
	}
}

func (p *payload) broadcastBinary(head Header) *BroadcastBinary {
	return &BroadcastBinary{
		Header:      head,
		Spare:       uint8(p.field(38, 2)),
		Application: p.application(p.field(40, 10), p.field(50, 6), 56, p.bits, false),
	}
}

func (p *payload) singleSlotBinary(head Header) (Message, error) {
	m := &SingleSlotBinary{Header: head, Addressed: p.flag(38), Structured: p.flag(39)}
	var err error
	m.Destination, m.Application, err = p.flexibleBinary(m.Addressed, m.Structured, p.bits)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// multiSlotBinary reads type 26, which ends in 20 bits of communication state; the spare bits before it, for the byte
// border, stay part of the data.
func (p *payload) multiSlotBinary(head Header) (Message, error) {
	m := &MultiSlotBinary{Header: head, Addressed: p.flag(38), Structured: p.flag(39)}
	var err error
	if m.Destination, m.Application, err = p.flexibleBinary(m.Addressed, m.Structured, p.bits-20); err != nil {
		return nil, err
	}
	m.Radio = uint32(p.field(uint(p.bits-20), 20))
	return m, nil
}

// flexibleBinary reads what types 25 and 26 hold from bit 40 to bit to: a destination when addressed, an application id
// when structured, and the data.
func (p *payload) flexibleBinary(addressed, structured bool, to int) (destination MMSI, a Application, err error) {
	from := 40
	if addressed {
		destination = MMSI(p.field(40, 30))
		from += 30
	}
	var dac, fi uint64
	if structured {
		dac, fi = p.field(uint(from), 10), p.field(uint(from)+10, 6)
		from += 16
	}
	if from > to {
		return 0, Application{}, ErrorLength
	}
	a = Application{DAC: uint16(dac), FI: uint16(fi), Bits: to - from}
	a.Data = p.copyBits(make([]byte, 0, (a.Bits+7)/8), from, to)
	if structured {
		a.Content = decodeApplication(a.DAC, a.FI, a.Data, a.Bits, addressed)
	}
	return destination, a, nil
}
