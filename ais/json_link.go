package ais

import "strconv"

// appendNumbered appends a key that ends in a number, as mmsi1.
func appendNumbered(dst []byte, key string, n int, v int) []byte {
	return appendIntField(dst, key+strconv.Itoa(n), v)
}

func (j jsonFields) acknowledge(dst []byte, m *Acknowledge) []byte {
	for i, r := range m.Receipts {
		dst = appendNumbered(dst, "mmsi", i+1, int(r.MMSI))
		dst = appendNumbered(dst, "seqno", i+1, int(r.Sequence))
	}
	return dst
}

func (j jsonFields) interrogation(dst []byte, m *Interrogation) []byte {
	dst = appendIntField(dst, "mmsi1", int(m.Destination1))
	dst = appendIntField(dst, "type1_1", int(m.Type1_1))
	dst = appendIntField(dst, "offset1_1", int(m.Offset1_1))
	if m.HasSecond {
		dst = appendIntField(dst, "type1_2", int(m.Type1_2))
		dst = appendIntField(dst, "offset1_2", int(m.Offset1_2))
	}
	if m.HasStation2 {
		dst = appendIntField(dst, "mmsi2", int(m.Destination2))
		dst = appendIntField(dst, "type2_1", int(m.Type2_1))
		dst = appendIntField(dst, "offset2_1", int(m.Offset2_1))
	}
	return dst
}

func (j jsonFields) assignedMode(dst []byte, m *AssignedMode) []byte {
	dst = appendIntField(dst, "mmsi1", int(m.Destination1))
	dst = appendIntField(dst, "offset1", int(m.Offset1))
	dst = appendIntField(dst, "increment1", int(m.Increment1))
	if m.HasSecond {
		dst = appendIntField(dst, "mmsi2", int(m.Destination2))
		dst = appendIntField(dst, "offset2", int(m.Offset2))
		dst = appendIntField(dst, "increment2", int(m.Increment2))
	}
	return dst
}

func (j jsonFields) dataLinkManagement(dst []byte, m *DataLinkManagement) []byte {
	for i, r := range m.Reservations {
		dst = appendNumbered(dst, "offset", i+1, int(r.Offset))
		dst = appendNumbered(dst, "number", i+1, int(r.Slots))
		dst = appendNumbered(dst, "timeout", i+1, int(r.Timeout))
		dst = appendNumbered(dst, "increment", i+1, int(r.Increment))
	}
	return dst
}

func (j jsonFields) corners(dst []byte, northEast, southWest Place) []byte {
	dst = j.coarsePlace(dst, "ne_lon", "ne_lat", northEast)
	return j.coarsePlace(dst, "sw_lon", "sw_lat", southWest)
}

func (j jsonFields) channelManagement(dst []byte, m *ChannelManagement) []byte {
	dst = appendIntField(dst, "channel_a", int(m.ChannelA))
	dst = appendIntField(dst, "channel_b", int(m.ChannelB))
	dst = appendIntField(dst, "txrx", int(m.TxRx))
	dst = appendBoolField(dst, "power", m.LowPower)
	if m.Addressed {
		dst = appendIntField(dst, "dest1", int(m.Destination1))
		dst = appendIntField(dst, "dest2", int(m.Destination2))
	} else {
		dst = j.corners(dst, m.NorthEast, m.SouthWest)
	}
	dst = appendBoolField(dst, "addressed", m.Addressed)
	dst = appendBoolField(dst, "band_a", m.BandA)
	dst = appendBoolField(dst, "band_b", m.BandB)
	return appendIntField(dst, "zonesize", int(m.ZoneSize))
}

func (j jsonFields) groupAssignment(dst []byte, m *GroupAssignment) []byte {
	dst = j.corners(dst, m.NorthEast, m.SouthWest)
	dst = j.code(dst, "stationtype", m.StationType, "stationtype_text", StationTypeText(m.StationType))
	dst = j.shipType(dst, m.ShipType)
	dst = appendIntField(dst, "txrx", int(m.TxRx))
	dst = appendIntField(dst, "interval", int(m.Interval))
	return appendIntField(dst, "quiet", int(m.Quiet))
}

// flexible is what types 25 and 26 share.
func (j jsonFields) flexible(dst []byte, addressed, structured bool, destination MMSI, a *Application) []byte {
	dst = appendBoolField(dst, "addressed", addressed)
	dst = appendBoolField(dst, "structured", structured)
	if addressed {
		dst = appendIntField(dst, "dest_mmsi", int(destination))
	}
	if structured {
		dst = appendIntField(dst, "app_id", int(a.DAC)<<6|int(a.FI))
		return j.application(dst, a)
	}
	return appendData(dst, a.Data, a.Bits)
}
