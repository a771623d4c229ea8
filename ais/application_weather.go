package ais

import (
	"math"
	"slices"
)

// MetHydro is meteorological and hydrological data from shore: DAC 1 with FI 11 (SN.1/Circ.236) or FI 31 (SN.1/Circ.289).
// Readings holds, under gpsd's keys, wspeed and wgust (knots), wdir and wgustdir, airtemp, dewpoint and watertemp (°C),
// humidity (%), pressure (hPa; 799 means 799 or less and 1201 means 1201 or more), visibility (nautical miles), waterlevel
// (metres above chart datum), cspeed… (knots), cdir…, cdepth… (metres), wave and swell (metres, seconds, degrees) and
// seastate (Beaufort), preciptype (WMO 306 table 4.201), salinity (‰) and ice (0 no, 1 yes).
type MetHydro struct {
	FI                uint16
	Place             Place // on the air in 1/1000 minute
	Accuracy          bool  // FI 31: better than 10 m
	Day, Hour, Minute uint8 // of the measurement, UTC; as received: day 0 or over 31, hour over 23, minute over 59 are not available
	VisibilityGreater bool  // FI 31: visibility is the sensor's limit and the real one is greater
	Readings
}

// metHydro236 is the layout of FI 11 after the time: 0xFF… is "not available" in every field.
var metHydro236 = []layout{
	{"wspeed", 7, false, 0, 126, 127, 0, 0},
	{"wgust", 7, false, 0, 126, 127, 0, 0},
	{"wdir", 9, false, 0, 359, 511, 0, 0},
	{"wgustdir", 9, false, 0, 359, 511, 0, 0},
	{"airtemp", 11, false, 0, 1200, 2047, -600, 1},
	{"humidity", 7, false, 0, 100, 127, 0, 0},
	{"dewpoint", 10, false, 0, 700, 1023, -200, 1},
	{"pressure", 9, false, 0, 400, 511, 800, 0},
	{"pressuretend", 2, false, 0, 2, 3, 0, 0},
	{"visibility", 8, false, 0, 254, 255, 0, 1},
	{"waterlevel", 9, false, 0, 400, 511, -100, 1},
	{"leveltrend", 2, false, 0, 2, 3, 0, 0},
	{"cspeed", 8, false, 0, 254, 255, 0, 1},
	{"cdir", 9, false, 0, 359, 511, 0, 0},
	{"cspeed2", 8, false, 0, 254, 255, 0, 1},
	{"cdir2", 9, false, 0, 359, 511, 0, 0},
	{"cdepth2", 5, false, 0, 30, 31, 0, 0},
	{"cspeed3", 8, false, 0, 254, 255, 0, 1},
	{"cdir3", 9, false, 0, 359, 511, 0, 0},
	{"cdepth3", 5, false, 0, 30, 31, 0, 0},
	{"waveheight", 8, false, 0, 254, 255, 0, 1},
	{"waveperiod", 6, false, 0, 60, 63, 0, 0},
	{"wavedir", 9, false, 0, 359, 511, 0, 0},
	{"swellheight", 8, false, 0, 254, 255, 0, 1},
	{"swellperiod", 6, false, 0, 60, 63, 0, 0},
	{"swelldir", 9, false, 0, 359, 511, 0, 0},
	{"seastate", 4, false, 0, 12, 15, 0, 0},
	{"watertemp", 10, false, 0, 600, 1023, -100, 1},
	{"preciptype", 3, false, 0, 6, 7, 0, 0},
	{"salinity", 9, false, 0, 510, 511, 0, 1},
	{"ice", 2, false, 0, 1, 3, 0, 0},
}

// metHydro289 is the layout of FI 31 from the wind on; the visibility's first bit, "greater than", is read apart.
var metHydro289 = []layout{
	{"wspeed", 7, false, 0, 126, 127, 0, 0},
	{"wgust", 7, false, 0, 126, 127, 0, 0},
	{"wdir", 9, false, 0, 359, 360, 0, 0},
	{"wgustdir", 9, false, 0, 359, 360, 0, 0},
	{"airtemp", 11, true, -600, 600, -1024, 0, 1},
	{"humidity", 7, false, 0, 100, 101, 0, 0},
	{"dewpoint", 10, true, -200, 500, 501, 0, 1},
	{"pressure", 9, false, 0, 402, 511, 799, 0},
	{"pressuretend", 2, false, 0, 2, 3, 0, 0},
	{"visgreater", 1, false, 0, 1, 0, 0, 0},
	{"visibility", 7, false, 0, 126, 127, 0, 1},
	{"waterlevel", 12, false, 0, 4000, 4001, -1000, 2},
	{"leveltrend", 2, false, 0, 2, 3, 0, 0},
	{"cspeed", 8, false, 0, 251, 255, 0, 1},
	{"cdir", 9, false, 0, 359, 360, 0, 0},
	{"cspeed2", 8, false, 0, 251, 255, 0, 1},
	{"cdir2", 9, false, 0, 359, 360, 0, 0},
	{"cdepth2", 5, false, 0, 30, 31, 0, 0},
	{"cspeed3", 8, false, 0, 251, 255, 0, 1},
	{"cdir3", 9, false, 0, 359, 360, 0, 0},
	{"cdepth3", 5, false, 0, 30, 31, 0, 0},
	{"waveheight", 8, false, 0, 251, 255, 0, 1},
	{"waveperiod", 6, false, 0, 60, 63, 0, 0},
	{"wavedir", 9, false, 0, 359, 360, 0, 0},
	{"swellheight", 8, false, 0, 251, 255, 0, 1},
	{"swellperiod", 6, false, 0, 60, 63, 0, 0},
	{"swelldir", 9, false, 0, 359, 360, 0, 0},
	{"seastate", 4, false, 0, 12, 13, 0, 0},
	{"watertemp", 10, true, -100, 500, 501, 0, 1},
	{"preciptype", 3, false, 0, 6, 7, 0, 0},
	{"salinity", 9, false, 0, 501, 510, 0, 1},
	{"ice", 2, false, 0, 1, 3, 0, 0},
}

func decodeMetHydro236(r applicationBits) any {
	m := &MetHydro{FI: 11, Place: r.place(true)}
	m.Day, m.Hour, m.Minute = uint8(r.uint(5)), uint8(r.uint(5)), uint8(r.uint(6))
	m.Readings = readAll(&r, metHydro236)
	if r.short {
		return nil
	}
	return m
}

func decodeMetHydro289(r applicationBits) any {
	m := &MetHydro{FI: 31, Place: r.place(false), Accuracy: r.bool()}
	m.Day, m.Hour, m.Minute = uint8(r.uint(5)), uint8(r.uint(5)), uint8(r.uint(6))
	m.Readings = readAll(&r, metHydro289)
	if r.short {
		return nil
	}
	greater, _ := m.Readings.Value("visgreater")
	m.VisibilityGreater = greater == 1
	return m
}

func (m *MetHydro) appendJSON(dst []byte, raw bool) []byte {
	dst = appendPlaceFields(dst, m.Place, raw)
	if m.FI == 31 {
		dst = appendBoolField(dst, "accuracy", m.Accuracy)
	}
	dst = appendTimeField(dst, "timestamp", ETA{Day: m.Day, Hour: m.Hour, Minute: m.Minute})
	for i := range m.Readings {
		r := &m.Readings[i]
		dst = m.appendReading(dst, r, raw)
	}
	return dst
}

// appendReading appends one value; gpsd says the tendencies in words when it scales.
func (m *MetHydro) appendReading(dst []byte, r *NamedReading, raw bool) []byte {
	switch {
	case r.Key == "visgreater":
		return appendBoolField(dst, r.Key, m.VisibilityGreater)
	case !raw && (r.Key == "pressuretend" || r.Key == "leveltrend"):
		return appendTextField(dst, r.Key, [...]string{"steady", "decreasing", "increasing"}[r.raw])
	}
	return r.appendNumber(appendKey(dst, r.Key), raw)
}

// layouts gives the fields after place and time of m's form of the message.
func (m *MetHydro) layouts() []layout {
	if m.FI == 11 {
		return metHydro236
	}
	return metHydro289
}

// Set puts a value under gpsd's key, in its unit, to the nearest step that the message has. It is false, and nothing is
// set, when the message has no such field or the field no such value.
func (m *MetHydro) Set(key string, value float64) bool {
	for _, f := range m.layouts() {
		raw := math.Round(value*powerOfTen(f.decimals)) - float64(f.offset)
		if f.key != key || !(raw >= float64(f.low) && raw <= float64(f.high)) {
			continue
		}
		m.Readings = slices.DeleteFunc(m.Readings, func(r NamedReading) bool { return r.Key == key })
		m.Readings = append(m.Readings, NamedReading{key, Reading{raw: int32(raw), offset: f.offset, decimals: f.decimals, known: true}})
		return true
	}
	return false
}

// Application gives m as the inside of a message of type 8; what was not set is not available.
func (m *MetHydro) Application() Application {
	var w bitWriter
	if m.FI == 11 {
		w.int(int(roundDiv(m.Place.Lat, 10)), 24)
	}
	w.int(int(roundDiv(m.Place.Lon, 10)), 25)
	if m.FI != 11 {
		w.int(int(roundDiv(m.Place.Lat, 10)), 24)
		w.bool(m.Accuracy)
	}
	w.uint(uint64(m.Day), 5)
	w.uint(uint64(m.Hour), 5)
	w.uint(uint64(m.Minute), 6)
	for _, f := range m.layouts() {
		raw := f.none
		for i := range m.Readings {
			if m.Readings[i].Key == f.key {
				raw = m.Readings[i].raw
			}
		}
		w.int(int(raw), int(f.bits))
	}
	if m.FI == 11 {
		w.uint(0, 6)
	} else {
		w.uint(0, 10)
	}
	return Application{DAC: 1, FI: m.FI, Bits: w.bits, Data: w.buf, Content: m}
}
