package ais

import (
	"math"
	"slices"
)

// MetHydro is meteorological and hydrological data from shore: DAC 1 with FI 11 (SN.1/Circ.236) or FI 31 (SN.1/Circ.289).
// Readings holds the values under the keys of gpsd:
//   - wspeed, wgust (knots), wdir, wgustdir; airtemp, dewpoint, watertemp (°C), humidity (%).
//   - pressure (hPa; 799 means 799 or less, 1201 means 1201 or more), visibility (nautical miles).
//   - waterlevel (metres above chart datum), cspeed… (knots), cdir…, cdepth… (metres).
//   - wave… and swell… (metres, seconds, degrees), seastate (Beaufort).
//   - preciptype (WMO 306 table 4.201), salinity (‰), ice (0 no, 1 yes).
type MetHydro struct {
	FI                uint16
	Place             Place // on the air in 1/1000 minute
	Accuracy          bool  // FI 31: better than 10 m
	Day, Hour, Minute uint8 // of the measurement, UTC; as received: day 0 or over 31, hour over 23, minute over 59 are not available
	VisibilityGreater bool  // FI 31: visibility is the sensor's limit and the real one is greater
	Readings
}

// metHydro236 is the layout of FI 11 after the time. All ones are "not available" in each field.
var metHydro236 = []quantity{
	{"wspeed", 7, false, 0, 126, 127, 0, 1},
	{"wgust", 7, false, 0, 126, 127, 0, 1},
	{"wdir", 9, false, 0, 359, 511, 0, 1},
	{"wgustdir", 9, false, 0, 359, 511, 0, 1},
	{"airtemp", 11, false, 0, 1200, 2047, -600, 10},
	{"humidity", 7, false, 0, 100, 127, 0, 1},
	{"dewpoint", 10, false, 0, 700, 1023, -200, 10},
	{"pressure", 9, false, 0, 400, 511, 800, 1},
	{"pressuretend", 2, false, 0, 2, 3, 0, 1},
	{"visibility", 8, false, 0, 254, 255, 0, 10},
	{"waterlevel", 9, false, 0, 400, 511, -100, 10},
	{"leveltrend", 2, false, 0, 2, 3, 0, 1},
	{"cspeed", 8, false, 0, 254, 255, 0, 10},
	{"cdir", 9, false, 0, 359, 511, 0, 1},
	{"cspeed2", 8, false, 0, 254, 255, 0, 10},
	{"cdir2", 9, false, 0, 359, 511, 0, 1},
	{"cdepth2", 5, false, 0, 30, 31, 0, 1},
	{"cspeed3", 8, false, 0, 254, 255, 0, 10},
	{"cdir3", 9, false, 0, 359, 511, 0, 1},
	{"cdepth3", 5, false, 0, 30, 31, 0, 1},
	{"waveheight", 8, false, 0, 254, 255, 0, 10},
	{"waveperiod", 6, false, 0, 60, 63, 0, 1},
	{"wavedir", 9, false, 0, 359, 511, 0, 1},
	{"swellheight", 8, false, 0, 254, 255, 0, 10},
	{"swellperiod", 6, false, 0, 60, 63, 0, 1},
	{"swelldir", 9, false, 0, 359, 511, 0, 1},
	{"seastate", 4, false, 0, 12, 15, 0, 1},
	{"watertemp", 10, false, 0, 600, 1023, -100, 10},
	{"preciptype", 3, false, 0, 6, 7, 0, 1},
	{"salinity", 9, false, 0, 510, 511, 0, 10},
	{"ice", 2, false, 0, 1, 3, 0, 1},
}

// metHydro289 is the layout of FI 31 after the time. The first bit of the visibility, "greater than", is a field of its own.
var metHydro289 = []quantity{
	{"wspeed", 7, false, 0, 126, 127, 0, 1},
	{"wgust", 7, false, 0, 126, 127, 0, 1},
	{"wdir", 9, false, 0, 359, 360, 0, 1},
	{"wgustdir", 9, false, 0, 359, 360, 0, 1},
	{"airtemp", 11, true, -600, 600, -1024, 0, 10},
	{"humidity", 7, false, 0, 100, 101, 0, 1},
	{"dewpoint", 10, true, -200, 500, 501, 0, 10},
	{"pressure", 9, false, 0, 402, 511, 799, 1},
	{"pressuretend", 2, false, 0, 2, 3, 0, 1},
	{"visgreater", 1, false, 0, 1, 0, 0, 1},
	{"visibility", 7, false, 0, 126, 127, 0, 10},
	{"waterlevel", 12, false, 0, 4000, 4001, -1000, 100},
	{"leveltrend", 2, false, 0, 2, 3, 0, 1},
	{"cspeed", 8, false, 0, 251, 255, 0, 10},
	{"cdir", 9, false, 0, 359, 360, 0, 1},
	{"cspeed2", 8, false, 0, 251, 255, 0, 10},
	{"cdir2", 9, false, 0, 359, 360, 0, 1},
	{"cdepth2", 5, false, 0, 30, 31, 0, 1},
	{"cspeed3", 8, false, 0, 251, 255, 0, 10},
	{"cdir3", 9, false, 0, 359, 360, 0, 1},
	{"cdepth3", 5, false, 0, 30, 31, 0, 1},
	{"waveheight", 8, false, 0, 251, 255, 0, 10},
	{"waveperiod", 6, false, 0, 60, 63, 0, 1},
	{"wavedir", 9, false, 0, 359, 360, 0, 1},
	{"swellheight", 8, false, 0, 251, 255, 0, 10},
	{"swellperiod", 6, false, 0, 60, 63, 0, 1},
	{"swelldir", 9, false, 0, 359, 360, 0, 1},
	{"seastate", 4, false, 0, 12, 13, 0, 1},
	{"watertemp", 10, true, -100, 500, 501, 0, 10},
	{"preciptype", 3, false, 0, 6, 7, 0, 1},
	{"salinity", 9, false, 0, 501, 510, 0, 10},
	{"ice", 2, false, 0, 1, 3, 0, 1},
}

func (m *MetHydro) layout(c *codec) {
	c.mapPlace(&m.Place, m.FI == 11)
	if m.FI == 31 {
		c.flag("accuracy", &m.Accuracy)
	}
	c.moment(nil, &m.Day, &m.Hour, &m.Minute)
	if c.direction == showing {
		m.showReadings(c)
		return
	}
	c.readings(&m.Readings, m.quantities())
	if greater, _ := m.Value("visgreater"); c.direction == decoding {
		m.VisibilityGreater = greater == 1
	}
}

// showReadings shows the values; the tendencies are in words as gpsd has them, when not raw.
func (m *MetHydro) showReadings(c *codec) {
	for i := range m.Readings {
		r := &m.Readings[i]
		switch {
		case r.Key == "visgreater":
			c.showBool(r.Key, m.VisibilityGreater)
		case !c.raw && (r.Key == "pressuretend" || r.Key == "leveltrend"):
			c.showText(r.Key, [...]string{"steady", "decreasing", "increasing"}[r.raw])
		default:
			c.showReading(r.Key, r.Reading)
		}
	}
}

// quantities returns the fields after place and time of m's form of the message.
func (m *MetHydro) quantities() []quantity {
	if m.FI == 11 {
		return metHydro236
	}
	return metHydro289
}

// Set puts a value, in its unit, under a key of gpsd. The value is rounded to the step of the field. Set changes nothing
// and returns false when the message has no such field or the field no such value.
func (m *MetHydro) Set(key string, value float64) bool {
	for _, f := range m.quantities() {
		raw := math.Round(value*float64(f.per)) - float64(f.offset)
		if f.key != key || !(raw >= float64(f.low) && raw <= float64(f.high)) {
			continue
		}
		m.Readings = slices.DeleteFunc(m.Readings, func(r NamedReading) bool { return r.Key == key })
		m.Readings = append(m.Readings, NamedReading{key, Reading{raw: int32(raw), offset: f.offset, per: f.per, known: true}})
		return true
	}
	return false
}

// Application returns m as the inside of a message of type 8. Values that were not set are "not available".
func (m *MetHydro) Application() Application {
	var p payload
	c := codec{direction: encoding, bits: &p}
	m.layout(&c)
	c.skip(map[uint16]int{11: 6, 31: 10}[m.FI]) // spare
	return Application{DAC: 1, FI: m.FI, Bits: c.at, Data: p.copyBits(nil, 0, c.at), Content: m}
}
