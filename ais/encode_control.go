package ais

// controlBody writes the messages that run the data link; false when the type and the struct do not belong together.
func (w *bitWriter) controlBody(t uint8, m Message) bool {
	switch m := m.(type) {
	case *Acknowledge:
		w.acknowledge(m)
		return t == 7 || t == 13
	case *UTCInquiry:
		w.uint(uint64(m.Spare), 2)
		w.mmsi(m.Destination)
		w.uint(uint64(m.Spare2), 2)
		return t == 10
	case *Interrogation:
		w.interrogation(m)
		return t == 15
	case *AssignedMode:
		w.assignedMode(m)
		return t == 16
	case *DataLinkManagement:
		w.dataLinkManagement(m)
		return t == 20
	case *ChannelManagement:
		w.channelManagement(m)
		return t == 22
	case *GroupAssignment:
		w.groupAssignment(m)
		return t == 23
	}
	return false
}

func (w *bitWriter) acknowledge(m *Acknowledge) {
	w.uint(uint64(m.Spare), 2)
	for _, r := range m.Receipts {
		w.mmsi(r.MMSI)
		w.uint(uint64(r.Sequence), 2)
	}
}

// interrogation writes 88 bits for one question, 110 for two and 160 for two stations.
func (w *bitWriter) interrogation(m *Interrogation) {
	w.uint(uint64(m.Spare), 2)
	w.mmsi(m.Destination1)
	w.uint(uint64(m.Type1_1), 6)
	w.uint(uint64(m.Offset1_1), 12)
	if !m.HasSecond && !m.HasStation2 {
		return
	}
	w.uint(uint64(m.Spare2), 2)
	w.uint(uint64(m.Type1_2), 6)
	w.uint(uint64(m.Offset1_2), 12)
	w.uint(uint64(m.Spare3), 2)
	if !m.HasStation2 {
		return
	}
	w.mmsi(m.Destination2)
	w.uint(uint64(m.Type2_1), 6)
	w.uint(uint64(m.Offset2_1), 12)
	w.uint(uint64(m.Spare4), 2)
}

// assignedMode writes 96 bits for one station, of which the last four are spare, and 144 for two.
func (w *bitWriter) assignedMode(m *AssignedMode) {
	w.uint(uint64(m.Spare), 2)
	w.mmsi(m.Destination1)
	w.uint(uint64(m.Offset1), 12)
	w.uint(uint64(m.Increment1), 10)
	if !m.HasSecond {
		w.align()
		return
	}
	w.mmsi(m.Destination2)
	w.uint(uint64(m.Offset2), 12)
	w.uint(uint64(m.Increment2), 10)
}

func (w *bitWriter) dataLinkManagement(m *DataLinkManagement) {
	w.uint(uint64(m.Spare), 2)
	for _, r := range m.Reservations {
		w.uint(uint64(r.Offset), 12)
		w.uint(uint64(r.Slots), 4)
		w.uint(uint64(r.Timeout), 3)
		w.uint(uint64(r.Increment), 11)
	}
	w.align()
}

func (w *bitWriter) channelManagement(m *ChannelManagement) {
	w.uint(uint64(m.Spare), 2)
	w.uint(uint64(m.ChannelA), 12)
	w.uint(uint64(m.ChannelB), 12)
	w.uint(uint64(m.TxRx), 4)
	w.bool(m.LowPower)
	if m.Addressed {
		w.mmsi(m.Destination1)
		w.uint(0, 5)
		w.mmsi(m.Destination2)
		w.uint(0, 5)
	} else {
		w.place(m.NorthEast, 18, 17, 1000)
		w.place(m.SouthWest, 18, 17, 1000)
	}
	w.bool(m.Addressed)
	w.bool(m.BandA)
	w.bool(m.BandB)
	w.uint(uint64(m.ZoneSize), 3)
	w.uint(uint64(m.Spare2), 23)
}

func (w *bitWriter) groupAssignment(m *GroupAssignment) {
	w.uint(uint64(m.Spare), 2)
	w.place(m.NorthEast, 18, 17, 1000)
	w.place(m.SouthWest, 18, 17, 1000)
	w.uint(uint64(m.StationType), 4)
	w.uint(uint64(m.ShipType), 8)
	w.uint(uint64(m.Spare2), 22)
	w.uint(uint64(m.TxRx), 2)
	w.uint(uint64(m.Interval), 4)
	w.uint(uint64(m.Quiet), 4)
	w.uint(uint64(m.Spare3), 6)
}
