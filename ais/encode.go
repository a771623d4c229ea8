package ais

import "fmt"

// Encode gives the bits of a message, left-aligned in payload. What is unknown becomes AIS's own "not available" again.
// It is an error when the type of the header does not belong to the struct, a text has characters without a six-bit code
// or is too long, an MMSI has more than 30 bits, or the message is longer than five slots (1008 bits).
func Encode(m Message) (payload []byte, bits int, err error) {
	var w bitWriter
	w.message(m)
	return w.buf, w.bits, w.err
}

// message writes head and body and checks the length.
func (w *bitWriter) message(m Message) {
	h := m.Head()
	w.uint(uint64(h.Type), 6)
	w.uint(uint64(h.Repeat), 2)
	w.mmsi(h.MMSI)
	if !w.body(h.Type, m) {
		w.fail(fmt.Errorf("message type %d: not a %T", h.Type, m))
	}
	if w.bits > maxPayloadBits {
		w.fail(fmt.Errorf("message type %d: %d bits, at most %d fit five slots", h.Type, w.bits, maxPayloadBits))
	}
}

// body writes what follows the head; false when the type and the struct do not belong together.
func (w *bitWriter) body(t uint8, m Message) bool {
	switch m := m.(type) {
	case *PositionReport:
		w.position(m)
		return t >= 1 && t <= 3
	case *BaseStationReport:
		w.baseStation(m)
		return t == 4 || t == 11
	case *StaticVoyage:
		w.staticVoyage(m)
		return t == 5
	case *SARAircraftReport:
		w.sarAircraft(m)
		return t == 9
	case *ClassBReport:
		w.classB(m)
		return t == 18
	case *ExtendedClassBReport:
		w.extendedClassB(m)
		return t == 19
	case *AidToNavigation:
		w.aidToNavigation(m)
		return t == 21
	case *StaticReport:
		w.staticReport(m)
		return t == 24
	case *LongRangeReport:
		w.longRange(m)
		return t == 27
	}
	return w.dataBody(t, m) || w.controlBody(t, m)
}

// dataBody writes the messages that carry text or data of others.
func (w *bitWriter) dataBody(t uint8, m Message) bool {
	switch m := m.(type) {
	case *AddressedBinary:
		w.addressing(m.Sequence, m.Destination, m.Retransmit, m.Spare)
		w.application(&m.Application)
		return t == 6
	case *BroadcastBinary:
		w.uint(uint64(m.Spare), 2)
		w.application(&m.Application)
		return t == 8
	case *AddressedSafety:
		w.addressing(m.Sequence, m.Destination, m.Retransmit, m.Spare)
		w.text(m.Text, len(m.Text))
		return t == 12
	case *BroadcastSafety:
		w.uint(uint64(m.Spare), 2)
		w.text(m.Text, len(m.Text))
		return t == 14
	case *DGNSSBroadcast:
		w.uint(uint64(m.Spare), 2)
		w.place(m.Place, 18, 17, 1000)
		w.uint(uint64(m.Spare2), 5)
		w.data(m.Data, m.Bits)
		return t == 17
	case *SingleSlotBinary:
		w.slotBinary(m.Addressed, m.Structured, m.Destination, &m.Application)
		return t == 25
	case *MultiSlotBinary:
		w.slotBinary(m.Addressed, m.Structured, m.Destination, &m.Application)
		w.uint(uint64(m.Radio), 20)
		return t == 26
	}
	return false
}

func (w *bitWriter) addressing(sequence uint8, destination MMSI, retransmit, spare bool) {
	w.uint(uint64(sequence), 2)
	w.mmsi(destination)
	w.bool(retransmit)
	w.bool(spare)
}

func (w *bitWriter) application(a *Application) {
	w.uint(uint64(a.DAC), 10)
	w.uint(uint64(a.FI), 6)
	w.data(a.Data, a.Bits)
}

func (w *bitWriter) slotBinary(addressed, structured bool, destination MMSI, a *Application) {
	w.bool(addressed)
	w.bool(structured)
	if addressed {
		w.mmsi(destination)
	}
	if structured {
		w.application(a)
		return
	}
	w.data(a.Data, a.Bits)
}

func (w *bitWriter) position(m *PositionReport) {
	w.uint(uint64(m.Status), 4)
	w.rot(m.ROT)
	w.sog(m.SOG)
	w.bool(m.Accuracy)
	w.place(m.Place, 28, 27, 1)
	w.cog(m.COG)
	w.heading(m.Heading)
	w.uint(uint64(m.Second), 6)
	w.uint(uint64(m.Maneuver), 2)
	w.uint(uint64(m.Spare), 3)
	w.bool(m.RAIM)
	w.uint(uint64(m.Radio), 19)
}

func (w *bitWriter) baseStation(m *BaseStationReport) {
	w.int(m.Year, 14)
	w.int(m.Month, 4)
	w.int(m.Day, 5)
	w.int(m.Hour, 5)
	w.int(m.Minute, 6)
	w.int(m.Second, 6)
	w.bool(m.Accuracy)
	w.place(m.Place, 28, 27, 1)
	w.uint(uint64(m.EPFD), 4)
	w.bool(m.LongRange)
	w.uint(uint64(m.Spare), 9)
	w.bool(m.RAIM)
	w.uint(uint64(m.Radio), 19)
}

func (w *bitWriter) staticVoyage(m *StaticVoyage) {
	w.uint(uint64(m.Version), 2)
	w.uint(uint64(m.IMO), 30)
	w.text(m.CallSign, 7)
	w.text(m.Name, 20)
	w.uint(uint64(m.ShipType), 8)
	w.dimensions(m.Dimensions)
	w.uint(uint64(m.EPFD), 4)
	w.uint(uint64(m.ETA.Month), 4)
	w.uint(uint64(m.ETA.Day), 5)
	w.uint(uint64(m.ETA.Hour), 5)
	w.uint(uint64(m.ETA.Minute), 6)
	w.uint(uint64(m.Draught), 8)
	w.text(m.Destination, 20)
	w.bool(m.DTE)
	w.bool(m.Spare)
}

func (w *bitWriter) sarAircraft(m *SARAircraftReport) {
	w.int(m.Altitude, 12)
	w.wholeKnots(m.SOG, 10)
	w.bool(m.Accuracy)
	w.place(m.Place, 28, 27, 1)
	w.cog(m.COG)
	w.uint(uint64(m.Second), 6)
	regional := uint64(m.Regional)
	if m.Barometer {
		regional |= 0x80
	}
	w.uint(regional, 8)
	w.bool(m.DTE)
	w.uint(uint64(m.Spare), 3)
	w.bool(m.Assigned)
	w.bool(m.RAIM)
	w.uint(uint64(m.Radio), 20)
}

func (w *bitWriter) classB(m *ClassBReport) {
	w.uint(uint64(m.Reserved), 8)
	w.sog(m.SOG)
	w.bool(m.Accuracy)
	w.place(m.Place, 28, 27, 1)
	w.cog(m.COG)
	w.heading(m.Heading)
	w.uint(uint64(m.Second), 6)
	w.uint(uint64(m.Regional), 2)
	w.bool(m.CS)
	w.bool(m.Display)
	w.bool(m.DSC)
	w.bool(m.Band)
	w.bool(m.Message22)
	w.bool(m.Assigned)
	w.bool(m.RAIM)
	w.uint(uint64(m.Radio), 20)
}

func (w *bitWriter) extendedClassB(m *ExtendedClassBReport) {
	w.uint(uint64(m.Reserved), 8)
	w.sog(m.SOG)
	w.bool(m.Accuracy)
	w.place(m.Place, 28, 27, 1)
	w.cog(m.COG)
	w.heading(m.Heading)
	w.uint(uint64(m.Second), 6)
	w.uint(uint64(m.Regional), 4)
	w.text(m.Name, 20)
	w.uint(uint64(m.ShipType), 8)
	w.dimensions(m.Dimensions)
	w.uint(uint64(m.EPFD), 4)
	w.bool(m.RAIM)
	w.bool(m.DTE)
	w.bool(m.Assigned)
	w.uint(uint64(m.Spare), 4)
}

// aidToNavigation writes the first 20 characters of the name in their place and up to 14 more at the end.
func (w *bitWriter) aidToNavigation(m *AidToNavigation) {
	name, more := m.Name, ""
	if len(name) > 20 {
		name, more = name[:20], name[20:]
	}
	w.uint(uint64(m.AidType), 5)
	w.text(name, 20)
	w.bool(m.Accuracy)
	w.place(m.Place, 28, 27, 1)
	w.dimensions(m.Dimensions)
	w.uint(uint64(m.EPFD), 4)
	w.uint(uint64(m.Second), 6)
	w.bool(m.OffPosition)
	w.uint(uint64(m.Regional), 8)
	w.bool(m.RAIM)
	w.bool(m.Virtual)
	w.bool(m.Assigned)
	w.bool(m.Spare)
	if len(more) > 14 {
		w.fail(fmt.Errorf("name %q: %d characters, at most 34 fit", m.Name, len(m.Name)))
		return
	}
	w.text(more, len(more))
	w.align()
}

func (w *bitWriter) staticReport(m *StaticReport) {
	w.uint(uint64(m.Part), 2)
	if m.Part == 0 {
		w.text(m.Name, 20)
		if m.Spare != 0 {
			w.uint(uint64(m.Spare), 8)
		}
		return
	}
	w.uint(uint64(m.ShipType), 8)
	w.text(m.VendorID, 3)
	w.uint(uint64(m.Model), 4)
	w.uint(uint64(m.Serial), 20)
	w.text(m.CallSign, 7)
	if m.MotherShip != 0 {
		w.mmsi(m.MotherShip)
	} else {
		w.dimensions(m.Dimensions)
	}
	w.uint(uint64(m.EPFD), 4)
	w.uint(uint64(m.Spare), 2)
}

func (w *bitWriter) longRange(m *LongRangeReport) {
	w.bool(m.Accuracy)
	w.bool(m.RAIM)
	w.uint(uint64(m.Status), 4)
	w.place(m.Place, 18, 17, 1000)
	w.wholeKnots(m.SOG, 6)
	cog := 511
	if t, ok := m.COG.Tenths(); ok {
		cog = (t + 5) / 10 % 360
	}
	w.uint(uint64(cog), 9)
	w.bool(m.GNSS)
	w.bool(m.Spare)
}
