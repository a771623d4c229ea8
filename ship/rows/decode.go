package rows

import (
	"bytes"
	"math"
	"unicode/utf8"

	"quaywatch/ais"
	"quaywatch/ship"
)

// decode reads a row.
func (r *Reader) decode(line []byte, row *Row) error {
	if bytes.IndexByte(line, 0) >= 0 {
		return r.countFault(RuleControl, nil)
	}
	var ok bool
	if r.fields, ok = splitLine(r.fields, line, r.lines.delimiter); !ok {
		return r.countFault(RuleQuote, nil)
	}
	if n := len(r.columns.header); len(r.fields) != n && (len(r.fields) != n+1 || len(r.fields[n]) > 0) {
		return r.countFault(RuleFields, nil)
	}
	*row = Row{MMSI: r.options.MMSI, Fix: ship.Fix{Status: ais.StatusUndefined}}
	if value, has := r.fieldValue(MMSI); has || row.MMSI == 0 {
		n, ok := parseWhole(value)
		if row.MMSI = ais.MMSI(n); !ok || n < 1 || n > 9999999999 {
			return r.countFault(RuleMMSI, value)
		}
	}
	value := r.rowTime()
	if row.Fix.At, ok = r.times.readMillis(value); !ok {
		return r.countFault(RuleTime, value)
	}
	r.readStatic(row)
	if err := r.readPlace(row); err != nil {
		return err
	}
	r.class(row)
	if row.HasFix {
		r.readMotion(row)
	}
	return nil
}

// fieldValue returns the value of a field, and whether it is there.
func (r *Reader) fieldValue(f Field) ([]byte, bool) {
	r.column = f
	at := r.columns.at[f]
	if at < 0 || at >= len(r.fields) {
		return nil, false
	}
	return r.fields[at], !absent(r.fields[at])
}

// fieldNumber returns the number of a field; has tells that there is a value, ok that it is a number.
func (r *Reader) fieldNumber(f Field) (v float64, has, ok bool) {
	value, has := r.fieldValue(f)
	if !has {
		return 0, false, false
	}
	v, ok = parseNumber(value, r.comma || bytes.IndexByte(value, '.') < 0)
	return v, true, ok
}

// countLeftOut counts a value that is left out.
func (r *Reader) countLeftOut(rule BrokenRule) { r.broken[rule]++ }

// readPlace reads the position. A row that has none may still say what the ship is.
func (r *Reader) readPlace(row *Row) error {
	per := 1 / ais.PlaceUnit
	if r.options.Raw {
		per = 1
	}
	lat, hasLat, okLat := r.fieldNumber(Lat)
	lon, hasLon, okLon := r.fieldNumber(Lon)
	if !hasLat && !hasLon || okLat && okLon && math.Round(lat*per) == 91*600000 && math.Round(lon*per) == 181*600000 {
		if !row.saysStatic() {
			return r.countFault(RuleNoPlace, nil)
		}
		return nil
	}
	p := ais.Place{Lon: placeUnits(lon * per), Lat: placeUnits(lat * per)}
	switch {
	case !okLat || p.Lat < -54000000 || p.Lat > 54000000:
		value, _ := r.fieldValue(Lat)
		return r.countFault(RulePlace, value)
	case !okLon || !p.Known():
		value, _ := r.fieldValue(Lon)
		return r.countFault(RulePlace, value)
	case p == ais.Place{}:
		return r.countFault(RuleZero, nil)
	}
	row.HasFix, row.Fix.Lon, row.Fix.Lat = true, p.Lon, p.Lat
	return nil
}

// placeUnits rounds to the unit of AIS; what is far outside the earth stays outside.
func placeUnits(v float64) int32 { return int32(math.Round(max(-2e9, min(2e9, v)))) }

// placeHint says what may be the matter with a value that is no place.
func (r *Reader) placeHint(value []byte) string {
	if v, ok := parseNumber(value, r.comma); ok && v == math.Trunc(v) && math.Abs(v) > 1000 {
		return "(the integers of AIS are read with --raw)"
	}
	if v, ok := parseNumber(value, r.comma); ok && r.column == Lat && math.Abs(v) <= 180 {
		return "(are latitude and longitude exchanged?)"
	}
	return ""
}

// saysStatic reports whether the row says what the ship is or where it goes.
func (row *Row) saysStatic() bool {
	return len(row.Name)+len(row.CallSign)+len(row.Destination) > 0 || row.IMO != 0 || row.Type != 0 ||
		row.Dimensions != (ais.Dimensions{}) || row.Draught != 0 || row.ETA != (ais.ETA{})
}

// class finds out what kind of station it is: by its number, by the file's word, or by the type of message.
func (r *Reader) class(row *Row) {
	row.Class = ship.ClassOfNumber(row.MMSI)
	if value, has := r.fieldValue(Class); has {
		class, ok := r.codes.class.get(value)
		if !ok {
			r.countLeftOut(RuleClass)
		}
		if class != ship.ClassUnknown {
			row.Class = class
		}
	}
	if value, has := r.fieldValue(Message); has {
		if n, ok := parseWhole(value); ok && n >= 1 && n <= 27 {
			row.Class = ship.ClassAfter(row.Class, row.MMSI, uint8(n))
		}
	}
	if value, has := r.fieldValue(Source); has && row.HasFix {
		if satellite, _ := r.codes.sat.get(value); satellite {
			row.Fix.Mark = ship.BySatellite
		}
	}
}

// readMotion reads how the ship moves. A value outside its range is left out and counted.
func (r *Reader) readMotion(row *Row) {
	if value, has := r.fieldValue(Status); has {
		status, ok := r.codes.status.get(value)
		if !ok {
			r.countLeftOut(RuleStatus)
		}
		row.Fix.Status = status
	}
	aircraft := row.Class == ship.ClassSAR
	r.readSOG(row, aircraft)
	r.readCOG(row)
	if !aircraft || !r.layout.altitude {
		r.readHeading(row)
	}
	r.readTurn(row)
}

func (r *Reader) readSOG(row *Row, aircraft bool) {
	v, has, ok := r.fieldNumber(SOG)
	if !has {
		return
	}
	most, none := 1022.0, 1023.0 // tenths
	tenths := math.Round(v * 10 / r.layout.sogPer)
	if r.layout.wraps && tenths < 0 {
		tenths += 1024
	}
	switch {
	case r.options.Raw && aircraft: // whole knots
		tenths, most, none = v*10, 10220, 10230
	case r.options.Raw:
		tenths = v
	case aircraft:
		most, none = 10220, 10230
	}
	switch {
	case !ok || tenths < 0 || tenths > most && tenths != none:
		r.countLeftOut(RuleSOG)
	case tenths <= most:
		row.Fix.SOG = ais.SOGTenths(int(tenths))
	}
}

func (r *Reader) readCOG(row *Row) {
	v, has, ok := r.fieldNumber(COG)
	if !has {
		return
	}
	tenths := math.Round(v * 10)
	if r.options.Raw {
		tenths = v
	}
	if r.layout.wraps && tenths < 0 {
		tenths += 4096
	}
	switch {
	case !ok || tenths < 0 || tenths > 3600 && tenths != 5110:
		r.countLeftOut(RuleCOG)
	case tenths == 3600 && v < 360:
		row.Fix.COG = ais.COGTenths(0)
	default:
		row.Fix.COG = ais.COGTenths(int(tenths))
	}
}

func (r *Reader) readHeading(row *Row) {
	v, has, ok := r.fieldNumber(Heading)
	if !has {
		return
	}
	degrees := math.Round(v)
	switch {
	case !ok || degrees < -1 || degrees > 360 && degrees != 511:
		r.countLeftOut(RuleHeading)
	case degrees == 360:
		row.Fix.Heading = ais.HeadingDegrees(0)
	default:
		row.Fix.Heading = ais.HeadingDegrees(int(degrees))
	}
}

// readTurn reads the rate of turn, as the integer of AIS or in degrees a minute.
func (r *Reader) readTurn(row *Row) {
	if v, has, ok := r.fieldNumber(ROT); has {
		if !ok || v != math.Trunc(v) || v < -128 || v > 128 {
			r.countLeftOut(RuleROT)
			return
		}
		row.Fix.ROT = ais.RawROT(int(v))
		return
	}
	v, has, ok := r.fieldNumber(Turn)
	if !has {
		return
	}
	if !ok || math.Abs(v) > 732 { // the number for "not available"
		if !ok || math.Abs(v) > 1000 {
			r.countLeftOut(RuleROT)
		}
		return
	}
	raw := min(127, math.Round(4.733*math.Sqrt(math.Abs(v))))
	row.Fix.ROT = ais.RawROT(int(math.Copysign(raw, v)))
}

// readStatic reads what the ship is and where it goes.
func (r *Reader) readStatic(row *Row) {
	row.Name, row.CallSign, row.Destination = r.fieldText(Name), r.fieldText(CallSign), r.fieldText(Destination)
	if value, has := r.fieldValue(IMO); has {
		n, ok := parseWhole(trimBlanks(bytes.TrimPrefix(value, []byte("IMO"))))
		if !ok || n > 999999999 {
			r.countLeftOut(RuleIMO)
		} else {
			row.IMO = uint32(n)
		}
	}
	if value, has := r.fieldValue(Type); has {
		kind, ok := r.codes.kind.get(value)
		if !ok {
			r.countLeftOut(RuleType)
		}
		row.Type = kind
	}
	if value, has := r.fieldValue(Cargo); has && row.Type >= 20 && row.Type%10 == 0 && row.Type != 30 && row.Type != 50 {
		hazard, _ := r.codes.cargo.get(value)
		row.Type += ais.ShipType(hazard)
	}
	row.Dimensions = ais.Dimensions{Bow: r.readMetres(Bow), Stern: r.readMetres(Stern), Port: r.readMetres(Port), Starboard: r.readMetres(Starboard)}
	if row.Dimensions == (ais.Dimensions{}) {
		row.Dimensions = ais.Dimensions{Stern: r.readMetres(Length), Starboard: r.readMetres(Width)}
	}
	if v, has, ok := r.fieldNumber(Draught); has {
		if !r.options.Raw {
			v = math.Round(v * 10)
		}
		if !ok || v < 0 || v > 255 {
			r.countLeftOut(RuleDraught)
		} else {
			row.Draught = ais.Decimetres(v)
		}
	}
	r.readETA(row)
}

func (r *Reader) readMetres(f Field) uint16 {
	v, has, ok := r.fieldNumber(f)
	if has && (!ok || v < 0 || v > 1022) {
		r.countLeftOut(RuleDimension)
		return 0
	}
	return uint16(math.Round(v))
}

// readETA reads a time of arrival: month and day with the time, or a whole time, or the integer of AIS.
func (r *Reader) readETA(row *Row) {
	value, has := r.fieldValue(ETA)
	if !has {
		return
	}
	var c civil
	switch n, ok := parseWhole(value); {
	case ok && r.options.Raw:
		row.ETA = ais.ETA{Month: uint8(n >> 16 & 15), Day: uint8(n >> 11 & 31), Hour: uint8(n >> 6 & 31), Minute: uint8(n & 63)}
	case len(value) == 11 && value[2] == '-' && c.formatted(value, "%m-%d %H:%M"), c.guess(value, r.times.order):
		row.ETA = ais.ETA{Month: uint8(c.month), Day: uint8(c.day), Hour: uint8(c.hour), Minute: uint8(c.minute)}
	case len(value) == 11 && string(value[:5]) == "00-00":
	default:
		r.countLeftOut(RuleETA)
	}
}

// mostText is the longest text in bytes: AIS has names of 34 characters.
const mostText = 60

// fieldText reads a text. What is not UTF-8 is taken as Latin-1.
func (r *Reader) fieldText(f Field) []byte {
	value, has := r.fieldValue(f)
	if !has {
		return nil
	}
	if at := bytes.IndexByte(value, '@'); at >= 0 {
		value = trimBlanks(value[:at])
	}
	if r.layout.quotes && len(value) > 1 && value[0] == '\'' && bytes.IndexByte([]byte("=+-@"), value[1]) >= 0 {
		value = value[1:]
	}
	plain := true
	for _, c := range value {
		if c < ' ' || c == 0x7f || len(value) > mostText {
			r.countLeftOut(RuleText)
			return nil
		}
		plain = plain && c < 0x80
	}
	if plain || utf8.Valid(value) {
		return value
	}
	var decoded []byte
	for _, c := range value {
		decoded = utf8.AppendRune(decoded, rune(c))
	}
	return decoded
}
