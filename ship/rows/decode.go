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
		return r.refuse(RuleControl, nil)
	}
	var ok bool
	if r.fields, ok = split(r.fields, line, r.lines.delimiter); !ok {
		return r.refuse(RuleQuote, nil)
	}
	if n := len(r.columns.header); len(r.fields) != n && (len(r.fields) != n+1 || len(r.fields[n]) > 0) {
		return r.refuse(RuleFields, nil)
	}
	*row = Row{MMSI: r.options.MMSI, Fix: ship.Fix{Status: ais.StatusUndefined}}
	if value, has := r.field(MMSI); has || row.MMSI == 0 {
		n, ok := whole(value)
		if row.MMSI = ais.MMSI(n); !ok || n < 1 || n > 9999999999 {
			return r.refuse(RuleMMSI, value)
		}
	}
	value := r.when()
	if row.Fix.At, ok = r.times.millis(value); !ok {
		return r.refuse(RuleTime, value)
	}
	r.static(row)
	if err := r.place(row); err != nil {
		return err
	}
	r.class(row)
	if row.HasFix {
		r.motion(row)
	}
	return nil
}

// field returns the value of a field, and whether it is there.
func (r *Reader) field(f Field) ([]byte, bool) {
	r.column = f
	at := r.columns.at[f]
	if at < 0 || at >= len(r.fields) {
		return nil, false
	}
	return r.fields[at], !absent(r.fields[at])
}

// number returns the number of a field; has tells that there is a value, ok that it is a number.
func (r *Reader) number(f Field) (v float64, has, ok bool) {
	value, has := r.field(f)
	if !has {
		return 0, false, false
	}
	v, ok = number(value, r.comma || bytes.IndexByte(value, '.') < 0)
	return v, true, ok
}

// leave counts a value that is left out.
func (r *Reader) leave(rule Rule) { r.broken[rule]++ }

// place reads the position. A row that has none may still say what the ship is.
func (r *Reader) place(row *Row) error {
	per := 1 / ais.PlaceUnit
	if r.options.Raw {
		per = 1
	}
	lat, hasLat, okLat := r.number(Lat)
	lon, hasLon, okLon := r.number(Lon)
	if !hasLat && !hasLon || okLat && okLon && math.Round(lat*per) == 91*600000 && math.Round(lon*per) == 181*600000 {
		if !row.says() {
			return r.refuse(RuleNoPlace, nil)
		}
		return nil
	}
	p := ais.Place{Lon: units(lon * per), Lat: units(lat * per)}
	switch {
	case !okLat || p.Lat < -54000000 || p.Lat > 54000000:
		value, _ := r.field(Lat)
		return r.refuse(RulePlace, value)
	case !okLon || !p.Known():
		value, _ := r.field(Lon)
		return r.refuse(RulePlace, value)
	case p == ais.Place{}:
		return r.refuse(RuleZero, nil)
	}
	row.HasFix, row.Fix.Lon, row.Fix.Lat = true, p.Lon, p.Lat
	return nil
}

// units rounds to the unit of AIS; what is far outside the earth stays outside.
func units(v float64) int32 { return int32(math.Round(max(-2e9, min(2e9, v)))) }

// placeHint says what may be the matter with a value that is no place.
func (r *Reader) placeHint(value []byte) string {
	if v, ok := number(value, r.comma); ok && v == math.Trunc(v) && math.Abs(v) > 1000 {
		return "(the integers of AIS are read with --raw)"
	}
	if v, ok := number(value, r.comma); ok && r.column == Lat && math.Abs(v) <= 180 {
		return "(are latitude and longitude exchanged?)"
	}
	return ""
}

// says reports whether the row says what the ship is or where it goes.
func (row *Row) says() bool {
	return len(row.Name)+len(row.CallSign)+len(row.Destination) > 0 || row.IMO != 0 || row.Type != 0 ||
		row.Dimensions != (ais.Dimensions{}) || row.Draught != 0 || row.ETA != (ais.ETA{})
}

// class finds out what kind of station it is: by its number, by the file's word, or by the type of message.
func (r *Reader) class(row *Row) {
	row.Class = ship.ClassOfNumber(row.MMSI)
	if value, has := r.field(Class); has {
		class, ok := r.codes.class.get(value)
		if !ok {
			r.leave(RuleClass)
		}
		if class != ship.ClassUnknown {
			row.Class = class
		}
	}
	if value, has := r.field(Message); has {
		if n, ok := whole(value); ok && n >= 1 && n <= 27 {
			row.Class = ship.ClassAfter(row.Class, row.MMSI, uint8(n))
		}
	}
	if value, has := r.field(Source); has && row.HasFix {
		if satellite, _ := r.codes.sat.get(value); satellite {
			row.Fix.Mark = ship.BySatellite
		}
	}
}

// motion reads how the ship moves. A value outside its range is left out and counted.
func (r *Reader) motion(row *Row) {
	if value, has := r.field(Status); has {
		status, ok := r.codes.status.get(value)
		if !ok {
			r.leave(RuleStatus)
		}
		row.Fix.Status = status
	}
	aircraft := row.Class == ship.ClassSAR
	r.sog(row, aircraft)
	r.cog(row)
	if !aircraft || !r.layout.altitude {
		r.heading(row)
	}
	r.turn(row)
}

func (r *Reader) sog(row *Row, aircraft bool) {
	v, has, ok := r.number(SOG)
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
		r.leave(RuleSOG)
	case tenths <= most:
		row.Fix.SOG = ais.SOGTenths(int(tenths))
	}
}

func (r *Reader) cog(row *Row) {
	v, has, ok := r.number(COG)
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
		r.leave(RuleCOG)
	case tenths == 3600 && v < 360:
		row.Fix.COG = ais.COGTenths(0)
	default:
		row.Fix.COG = ais.COGTenths(int(tenths))
	}
}

func (r *Reader) heading(row *Row) {
	v, has, ok := r.number(Heading)
	if !has {
		return
	}
	degrees := math.Round(v)
	switch {
	case !ok || degrees < -1 || degrees > 360 && degrees != 511:
		r.leave(RuleHeading)
	case degrees == 360:
		row.Fix.Heading = ais.HeadingDegrees(0)
	default:
		row.Fix.Heading = ais.HeadingDegrees(int(degrees))
	}
}

// turn reads the rate of turn, as the integer of AIS or in degrees a minute.
func (r *Reader) turn(row *Row) {
	if v, has, ok := r.number(ROT); has {
		if !ok || v != math.Trunc(v) || v < -128 || v > 128 {
			r.leave(RuleROT)
			return
		}
		row.Fix.ROT = ais.RawROT(int(v))
		return
	}
	v, has, ok := r.number(Turn)
	if !has {
		return
	}
	if !ok || math.Abs(v) > 732 { // the number for "not available"
		if !ok || math.Abs(v) > 1000 {
			r.leave(RuleROT)
		}
		return
	}
	raw := min(127, math.Round(4.733*math.Sqrt(math.Abs(v))))
	row.Fix.ROT = ais.RawROT(int(math.Copysign(raw, v)))
}

// static reads what the ship is and where it goes.
func (r *Reader) static(row *Row) {
	row.Name, row.CallSign, row.Destination = r.text(Name), r.text(CallSign), r.text(Destination)
	if value, has := r.field(IMO); has {
		n, ok := whole(trim(bytes.TrimPrefix(value, []byte("IMO"))))
		if !ok || n > 999999999 {
			r.leave(RuleIMO)
		} else {
			row.IMO = uint32(n)
		}
	}
	if value, has := r.field(Type); has {
		kind, ok := r.codes.kind.get(value)
		if !ok {
			r.leave(RuleType)
		}
		row.Type = kind
	}
	if value, has := r.field(Cargo); has && row.Type >= 20 && row.Type%10 == 0 && row.Type != 30 && row.Type != 50 {
		hazard, _ := r.codes.cargo.get(value)
		row.Type += ais.ShipType(hazard)
	}
	row.Dimensions = ais.Dimensions{Bow: r.metres(Bow), Stern: r.metres(Stern), Port: r.metres(Port), Starboard: r.metres(Starboard)}
	if row.Dimensions == (ais.Dimensions{}) {
		row.Dimensions = ais.Dimensions{Stern: r.metres(Length), Starboard: r.metres(Width)}
	}
	if v, has, ok := r.number(Draught); has {
		if !r.options.Raw {
			v = math.Round(v * 10)
		}
		if !ok || v < 0 || v > 255 {
			r.leave(RuleDraught)
		} else {
			row.Draught = ais.Decimetres(v)
		}
	}
	r.eta(row)
}

func (r *Reader) metres(f Field) uint16 {
	v, has, ok := r.number(f)
	if has && (!ok || v < 0 || v > 1022) {
		r.leave(RuleDimension)
		return 0
	}
	return uint16(math.Round(v))
}

// eta reads a time of arrival: month and day with the time, or a whole time, or the integer of AIS.
func (r *Reader) eta(row *Row) {
	value, has := r.field(ETA)
	if !has {
		return
	}
	var c civil
	switch n, ok := whole(value); {
	case ok && r.options.Raw:
		row.ETA = ais.ETA{Month: uint8(n >> 16 & 15), Day: uint8(n >> 11 & 31), Hour: uint8(n >> 6 & 31), Minute: uint8(n & 63)}
	case len(value) == 11 && value[2] == '-' && c.formatted(value, "%m-%d %H:%M"), c.guess(value, r.times.order):
		row.ETA = ais.ETA{Month: uint8(c.month), Day: uint8(c.day), Hour: uint8(c.hour), Minute: uint8(c.minute)}
	case len(value) == 11 && string(value[:5]) == "00-00":
	default:
		r.leave(RuleETA)
	}
}

// mostText is the longest text in bytes: AIS has names of 34 characters.
const mostText = 60

// text reads a text. What is not UTF-8 is taken as Latin-1.
func (r *Reader) text(f Field) []byte {
	value, has := r.field(f)
	if !has {
		return nil
	}
	if at := bytes.IndexByte(value, '@'); at >= 0 {
		value = trim(value[:at])
	}
	if r.layout.quotes && len(value) > 1 && value[0] == '\'' && bytes.IndexByte([]byte("=+-@"), value[1]) >= 0 {
		value = value[1:]
	}
	plain := true
	for _, c := range value {
		if c < ' ' || c == 0x7f || len(value) > mostText {
			r.leave(RuleText)
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
