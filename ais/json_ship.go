package ais

import "fmt"

func (j jsonFields) positionReport(dst []byte, m *PositionReport) []byte {
	dst = j.status(dst, m.Status)
	rot, ok := m.ROT.Raw()
	dst = j.number(dst, "rot", rot, ok, 1, 0, -128)
	dst = j.sog(dst, m.SOG)
	dst = appendBoolField(dst, "accuracy", m.Accuracy)
	dst = j.place(dst, m.Place)
	dst = j.cog(dst, m.COG)
	dst = j.heading(dst, m.Heading)
	dst = j.second(dst, m.Second)
	dst = appendIntField(dst, "maneuver", int(m.Maneuver))
	dst = appendBoolField(dst, "raim", m.RAIM)
	return appendIntField(dst, "radio", int(m.Radio))
}

func (j jsonFields) classB(dst []byte, m *ClassBReport) []byte {
	dst = appendIntField(dst, "reserved", int(m.Reserved))
	dst = j.sog(dst, m.SOG)
	dst = appendBoolField(dst, "accuracy", m.Accuracy)
	dst = j.place(dst, m.Place)
	dst = j.cog(dst, m.COG)
	dst = j.heading(dst, m.Heading)
	dst = j.second(dst, m.Second)
	dst = appendIntField(dst, "regional", int(m.Regional))
	dst = appendBoolField(dst, "cs", m.CS)
	dst = appendBoolField(dst, "display", m.Display)
	dst = appendBoolField(dst, "dsc", m.DSC)
	dst = appendBoolField(dst, "band", m.Band)
	dst = appendBoolField(dst, "msg22", m.Message22)
	dst = appendBoolField(dst, "assigned", m.Assigned)
	dst = appendBoolField(dst, "raim", m.RAIM)
	return appendIntField(dst, "radio", int(m.Radio))
}

func (j jsonFields) extendedClassB(dst []byte, m *ExtendedClassBReport) []byte {
	dst = appendIntField(dst, "reserved", int(m.Reserved))
	dst = j.sog(dst, m.SOG)
	dst = appendBoolField(dst, "accuracy", m.Accuracy)
	dst = j.place(dst, m.Place)
	dst = j.cog(dst, m.COG)
	dst = j.heading(dst, m.Heading)
	dst = j.second(dst, m.Second)
	dst = appendIntField(dst, "regional", int(m.Regional))
	dst = j.text(dst, "name", m.Name)
	dst = j.shipType(dst, m.ShipType)
	dst = j.dimensions(dst, m.Dimensions)
	dst = j.epfd(dst, m.EPFD)
	dst = appendBoolField(dst, "raim", m.RAIM)
	dst = appendBit(dst, "dte", m.DTE)
	return appendBoolField(dst, "assigned", m.Assigned)
}

func (j jsonFields) sarAircraft(dst []byte, m *SARAircraftReport) []byte {
	dst = j.number(dst, "alt", m.Altitude, m.Altitude != 4095, 1, 0, 4095)
	dst = j.wholeKnots(dst, m.SOG, 1023)
	dst = appendBoolField(dst, "accuracy", m.Accuracy)
	dst = j.place(dst, m.Place)
	dst = j.cog(dst, m.COG)
	dst = j.second(dst, m.Second)
	dst = appendBoolField(dst, "barometer", m.Barometer)
	dst = appendIntField(dst, "regional", int(m.Regional))
	dst = appendBit(dst, "dte", m.DTE)
	dst = appendBoolField(dst, "assigned", m.Assigned)
	dst = appendBoolField(dst, "raim", m.RAIM)
	return appendIntField(dst, "radio", int(m.Radio))
}

// longRange is type 27: whole knots, whole degrees, tenths of a minute.
func (j jsonFields) longRange(dst []byte, m *LongRangeReport) []byte {
	dst = j.status(dst, m.Status)
	dst = appendBoolField(dst, "accuracy", m.Accuracy)
	dst = j.coarsePlace(dst, "lon", "lat", m.Place)
	dst = j.wholeKnots(dst, m.SOG, 63)
	cog, ok := m.COG.Tenths()
	dst = j.number(dst, "cog", cog/10, ok, 1, 0, 511)
	dst = appendBoolField(dst, "raim", m.RAIM)
	return appendBoolField(dst, "gnss", m.GNSS)
}

func (j jsonFields) staticVoyage(dst []byte, m *StaticVoyage) []byte {
	dst = appendIntField(dst, "ais_version", int(m.Version))
	dst = j.number(dst, "imo", int(m.IMO), m.IMO != 0, 1, 0, 0)
	dst = j.text(dst, "callsign", m.CallSign)
	dst = j.text(dst, "name", m.Name)
	dst = j.shipType(dst, m.ShipType)
	dst = j.dimensions(dst, m.Dimensions)
	dst = j.epfd(dst, m.EPFD)
	dst = j.eta(dst, m.ETA)
	dst = j.number(dst, "draught", int(m.Draught), m.Draught != 0, 10, 1, 0)
	dst = j.text(dst, "destination", m.Destination)
	return appendBit(dst, "dte", m.DTE)
}

// eta appends "11-20T18:30Z": the crew gives no year. Without an hour it is the day alone, without a day nothing.
func (j jsonFields) eta(dst []byte, e ETA) []byte {
	switch {
	case j.raw || (e.Month != 0 && e.Day != 0 && e.Hour < 24 && e.Minute < 60):
		return fmt.Appendf(appendKey(dst, "eta"), `"%02d-%02dT%02d:%02dZ"`, e.Month, e.Day, e.Hour, e.Minute)
	case e.Month != 0 && e.Day != 0:
		return fmt.Appendf(appendKey(dst, "eta"), `"%02d-%02d"`, e.Month, e.Day)
	}
	return dst
}

func (j jsonFields) staticReport(dst []byte, m *StaticReport) []byte {
	if m.Part == 0 {
		dst = append(dst, `,"part":"A"`...)
		return j.text(dst, "name", m.Name)
	}
	dst = append(dst, `,"part":"B"`...)
	dst = j.shipType(dst, m.ShipType)
	dst = j.text(dst, "vendorid", m.VendorID)
	dst = appendIntField(dst, "model", int(m.Model))
	dst = appendIntField(dst, "serial", int(m.Serial))
	dst = j.text(dst, "callsign", m.CallSign)
	if m.MMSI.Kind() == KindAuxiliary {
		dst = appendIntField(dst, "mothership_mmsi", int(m.MotherShip))
	} else {
		dst = j.dimensions(dst, m.Dimensions)
	}
	return j.epfd(dst, m.EPFD)
}

func (j jsonFields) baseStation(dst []byte, m *BaseStationReport) []byte {
	if _, ok := m.Time(); ok || j.raw {
		dst = fmt.Appendf(appendKey(dst, "timestamp"), `"%04d-%02d-%02dT%02d:%02d:%02dZ"`,
			m.Year, m.Month, m.Day, m.Hour, m.Minute, m.Second)
	}
	dst = appendBoolField(dst, "accuracy", m.Accuracy)
	dst = j.place(dst, m.Place)
	dst = j.epfd(dst, m.EPFD)
	dst = appendBoolField(dst, "long_range", m.LongRange)
	dst = appendBoolField(dst, "raim", m.RAIM)
	return appendIntField(dst, "radio", int(m.Radio))
}

func (j jsonFields) aidToNavigation(dst []byte, m *AidToNavigation) []byte {
	dst = j.code(dst, "aid_type", m.AidType, "aid_type_text", AidTypeText(m.AidType))
	dst = j.text(dst, "name", m.Name)
	dst = appendBoolField(dst, "accuracy", m.Accuracy)
	dst = j.place(dst, m.Place)
	dst = j.dimensions(dst, m.Dimensions)
	dst = j.epfd(dst, m.EPFD)
	dst = j.second(dst, m.Second)
	dst = appendIntField(dst, "regional", int(m.Regional))
	dst = appendBoolField(dst, "off_position", m.OffPosition)
	dst = appendBoolField(dst, "raim", m.RAIM)
	dst = appendBoolField(dst, "virtual_aid", m.Virtual)
	return appendBoolField(dst, "assigned", m.Assigned)
}
