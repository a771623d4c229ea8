package ais

// Traits are the properties of a message by which streams are filtered. They outlive the batch of the message.
type Traits struct {
	MMSI       MMSI
	Type       uint8 // 1..27
	Repeat     uint8
	Addressed  bool    // to the stations in To, and not to all
	To         [4]MMSI // 0 where there are fewer
	Structured bool    // DAC and FI name the application of a binary message
	DAC, FI    uint16
}

// TraitsOf reads the traits of a message.
func TraitsOf(m Message) Traits {
	head := m.Head()
	t := Traits{MMSI: head.MMSI, Type: head.Type, Repeat: head.Repeat}
	switch m := m.(type) {
	case *AddressedBinary:
		t.setAddress(m.Destination)
		t.Structured, t.DAC, t.FI = true, m.DAC, m.FI
	case *BroadcastBinary:
		t.Structured, t.DAC, t.FI = true, m.DAC, m.FI
	case *Acknowledge:
		for i, r := range m.Receipts {
			if i < len(t.To) {
				t.Addressed, t.To[i] = true, r.MMSI
			}
		}
	case *AddressedSafety:
		t.setAddress(m.Destination)
	case *UTCInquiry:
		t.setAddress(m.Destination)
	case *Interrogation:
		t.setAddress(m.Destination1)
		t.To[1] = m.Destination2
	case *AssignedMode:
		t.setAddress(m.Destination1)
		t.To[1] = m.Destination2
	case *SingleSlotBinary:
		t.setAddress(m.Destination)
		t.Structured, t.DAC, t.FI = m.Structured, m.DAC, m.FI
	case *MultiSlotBinary:
		t.setAddress(m.Destination)
		t.Structured, t.DAC, t.FI = m.Structured, m.DAC, m.FI
	}
	return t
}

func (t *Traits) setAddress(to MMSI) { t.Addressed, t.To[0] = to != 0, to }

// AddressedTo reports whether the message is addressed to one of the stations.
func (t *Traits) AddressedTo(any func(MMSI) bool) bool {
	for _, m := range t.To {
		if m != 0 && any(m) {
			return true
		}
	}
	return false
}
