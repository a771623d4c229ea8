package ais

import (
	"encoding/hex"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendJSON appends the report as one JSON object without a line end: `type` is the number of the message, the names are
// those of the interface specification and where it has none gpsd's. Scaled values are degrees true, metres and knots,
// and what is not available is left out; raw gives the integers as on the air, "not available" among them (docs/ais.md).
func AppendJSON(dst []byte, r *Report, raw bool) []byte {
	head := r.Message.Head()
	dst = append(dst, `{"type":`...)
	dst = strconv.AppendUint(dst, uint64(head.Type), 10)
	dst = appendIntField(dst, "repeat", int(head.Repeat))
	dst = appendIntField(dst, "mmsi", int(head.MMSI))
	dst = append(dst, `,"scaled":`...)
	dst = strconv.AppendBool(dst, !raw)
	dst = jsonFields{raw}.message(dst, r.Message)
	if r.Channel != 0 {
		dst = append(append(dst, `,"channel":"`...), r.Channel, '"')
	}
	if r.Own {
		dst = append(dst, `,"own":true`...)
	}
	dst = appendQuoted(dst, "feed", r.Feed)
	dst = appendQuoted(dst, "station", r.Station)
	dst = appendMoment(dst, "received", r.Received)
	dst = appendMoment(dst, "sent", r.Sent)
	return append(dst, '}')
}

// appendQuoted appends text that may hold anything, when there is any.
func appendQuoted(dst []byte, key, text string) []byte {
	if text == "" {
		return dst
	}
	dst = append(appendKey(dst, key), '"')
	for _, c := range text {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c < ' ' || c == 0x7f || c == 0x2028 || c == 0x2029:
			dst = append(dst, '\\', 'u')
			for shift := 12; shift >= 0; shift -= 4 {
				dst = append(dst, "0123456789abcdef"[c>>shift&15])
			}
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return append(dst, '"')
}

// appendMoment appends a time in UTC with milliseconds where it has some; nothing when it is not known.
func appendMoment(dst []byte, key string, t time.Time) []byte {
	if t.IsZero() {
		return dst
	}
	layout := "2006-01-02T15:04:05Z"
	if t.Nanosecond() >= 1e6 {
		layout = "2006-01-02T15:04:05.000Z"
	}
	dst = append(appendKey(dst, key), '"')
	return append(t.UTC().AppendFormat(dst, layout), '"')
}

// jsonFields appends the fields of messages as `,"key":value`.
type jsonFields struct{ raw bool }

func (j jsonFields) message(dst []byte, m Message) []byte {
	switch m := m.(type) {
	case *PositionReport:
		return j.positionReport(dst, m)
	case *BaseStationReport:
		return j.baseStation(dst, m)
	case *StaticVoyage:
		return j.staticVoyage(dst, m)
	case *AddressedBinary:
		dst = appendIntField(dst, "seqno", int(m.Sequence))
		dst = appendIntField(dst, "dest_mmsi", int(m.Destination))
		dst = appendBoolField(dst, "retransmit", m.Retransmit)
		return j.application(dst, &m.Application)
	case *BroadcastBinary:
		return j.application(dst, &m.Application)
	case *Acknowledge:
		return j.acknowledge(dst, m)
	case *SARAircraftReport:
		return j.sarAircraft(dst, m)
	case *UTCInquiry:
		return appendIntField(dst, "dest_mmsi", int(m.Destination))
	case *AddressedSafety:
		dst = appendIntField(dst, "seqno", int(m.Sequence))
		dst = appendIntField(dst, "dest_mmsi", int(m.Destination))
		dst = appendBoolField(dst, "retransmit", m.Retransmit)
		return appendTextField(dst, "text", m.Text)
	case *BroadcastSafety:
		return appendTextField(dst, "text", m.Text)
	case *ClassBReport:
		return j.classB(dst, m)
	case *ExtendedClassBReport:
		return j.extendedClassB(dst, m)
	case *AidToNavigation:
		return j.aidToNavigation(dst, m)
	case *StaticReport:
		return j.staticReport(dst, m)
	case *LongRangeReport:
		return j.longRange(dst, m)
	}
	return j.control(dst, m)
}

// control is the part of message that serves the radio link.
func (j jsonFields) control(dst []byte, m Message) []byte {
	switch m := m.(type) {
	case *Interrogation:
		return j.interrogation(dst, m)
	case *AssignedMode:
		return j.assignedMode(dst, m)
	case *DGNSSBroadcast:
		dst = j.coarsePlace(dst, "lon", "lat", m.Place)
		return appendData(dst, m.Data, m.Bits)
	case *DataLinkManagement:
		return j.dataLinkManagement(dst, m)
	case *ChannelManagement:
		return j.channelManagement(dst, m)
	case *GroupAssignment:
		return j.groupAssignment(dst, m)
	case *SingleSlotBinary:
		return j.flexible(dst, m.Addressed, m.Structured, m.Destination, &m.Application)
	case *MultiSlotBinary:
		dst = j.flexible(dst, m.Addressed, m.Structured, m.Destination, &m.Application)
		return appendIntField(dst, "radio", int(m.Radio))
	}
	return dst
}

// number appends v/scale, or when raw v itself; what is not available is left out, or when raw the sentinel.
func (j jsonFields) number(dst []byte, key string, v int, ok bool, scale, decimals, sentinel int) []byte {
	switch {
	case !ok && !j.raw:
		return dst
	case !ok:
		return appendIntField(dst, key, sentinel)
	case j.raw || scale == 1:
		return appendIntField(dst, key, v)
	}
	return strconv.AppendFloat(appendKey(dst, key), float64(v)/float64(scale), 'f', decimals, 64)
}

func (j jsonFields) sog(dst []byte, s SOG) []byte {
	v, ok := s.Tenths()
	return j.number(dst, "sog", v, ok, 10, 1, 1023)
}

// wholeKnots is the speed of types 9 and 27.
func (j jsonFields) wholeKnots(dst []byte, s SOG, sentinel int) []byte {
	v, ok := s.Tenths()
	return j.number(dst, "sog", v/10, ok, 1, 0, sentinel)
}

func (j jsonFields) cog(dst []byte, c COG) []byte {
	v, ok := c.Tenths()
	return j.number(dst, "cog", v, ok, 10, 1, 3600)
}

func (j jsonFields) heading(dst []byte, h Heading) []byte {
	v, ok := h.Degrees()
	return j.number(dst, "heading", v, ok, 1, 0, 511)
}

// place appends lon and lat with 7 decimals, which tell AIS's steps of 1/600000 degree apart.
func (j jsonFields) place(dst []byte, p Place) []byte {
	dst = j.number(dst, "lon", int(p.Lon), p.Known(), 600000, 7, int(p.Lon))
	return j.number(dst, "lat", int(p.Lat), p.Known(), 600000, 7, int(p.Lat))
}

// coarsePlace is a place in 1/10 minute.
func (j jsonFields) coarsePlace(dst []byte, lonKey, latKey string, p Place) []byte {
	lon, lat := int(p.Lon)/1000, int(p.Lat)/1000
	dst = j.number(dst, lonKey, lon, p.Known(), 600, 6, lon)
	return j.number(dst, latKey, lat, p.Known(), 600, 6, lat)
}

// text appends six-bit text; none at all is left out, but for raw.
func (j jsonFields) text(dst []byte, key, text string) []byte {
	if text == "" && !j.raw {
		return dst
	}
	return appendTextField(dst, key, text)
}

// code appends a coded value and what it means.
func (j jsonFields) code(dst []byte, key string, v uint8, textKey, text string) []byte {
	dst = appendIntField(dst, key, int(v))
	return appendQuoted(dst, textKey, text)
}

func (j jsonFields) status(dst []byte, s NavStatus) []byte {
	return j.code(dst, "nav_status", uint8(s), "nav_status_text", s.String())
}

func (j jsonFields) epfd(dst []byte, epfd uint8) []byte {
	return j.code(dst, "epfd", epfd, "epfd_text", EPFDText(epfd))
}

// shipType leaves type 0 out: it is "not available".
func (j jsonFields) shipType(dst []byte, t ShipType) []byte {
	if t == 0 && !j.raw {
		return dst
	}
	return j.code(dst, "type_code", uint8(t), "type_text", t.String())
}

// dimensions leaves them out when all are 0: not available.
func (j jsonFields) dimensions(dst []byte, d Dimensions) []byte {
	if d == (Dimensions{}) && !j.raw {
		return dst
	}
	dst = appendIntField(dst, "to_bow", int(d.Bow))
	dst = appendIntField(dst, "to_stern", int(d.Stern))
	dst = appendIntField(dst, "to_port", int(d.Port))
	return appendIntField(dst, "to_starboard", int(d.Starboard))
}

// second leaves 60 out: not available; 61 to 63 say what kind of position it is.
func (j jsonFields) second(dst []byte, s Second) []byte {
	if s == 60 && !j.raw {
		return dst
	}
	return appendIntField(dst, "second", int(s))
}

// appendData appends bits as hexadecimal digits, the last byte filled with zeros, and how many there are.
func appendData(dst []byte, data []byte, bits int) []byte {
	dst = append(appendKey(dst, "data"), '"')
	dst = append(hex.AppendEncode(dst, data), '"')
	return appendIntField(dst, "data_bits", bits)
}

func (j jsonFields) application(dst []byte, a *Application) []byte {
	dst = appendIntField(dst, "dac", int(a.DAC))
	dst = appendIntField(dst, "fid", int(a.FI))
	dst = appendData(dst, a.Data, a.Bits)
	return appendContent(dst, a.Content, j.raw)
}

func appendBit(dst []byte, key string, v bool) []byte {
	if v {
		return appendIntField(dst, key, 1)
	}
	return appendIntField(dst, key, 0)
}
