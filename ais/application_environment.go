package ais

// Environmental is DAC 1, FI 26 (SN.1/Circ.289), or DAC 367, FI 33 of the US Coast Guard. It holds up to eight reports of sensors ashore and afloat.
type Environmental struct {
	FI      uint16
	Reports []SensorReport
}

// SensorReport is one report of a sensor. Readings holds its values under the keys that gpsd has for DAC 1, FI 26. Values
// for which gpsd has no key have one of the same form.
type SensorReport struct {
	// Kind: 0 location, 1 station, 2 wind, 3 water level, 4 and 5 current, 6 horizontal flow, 7 sea state. Also 8 salinity, 9 weather, 10 air gap. In FI 33, 11
	// is wind.
	Kind              uint8
	Day, Hour, Minute uint8 // UTC; day 0, hour 24, minute 60 are not available
	Site              uint8
	Place             Place  // location only
	Name              string // station only
	Readings
}

const sensorReportBits = 112

// environmentLayouts are the 85 bits after the head of each kind of report of FI 33. Station, and the place of a location, are read apart.
var environmentLayouts = [12][]quantity{
	0: {
		{"version", 6, false, 0, 63, 0, 0, 1}, {"alt", 12, true, -2000, 2001, 2002, 0, 10}, {"owner", 4, false, 1, 14, 0, 0, 1},
		{"timeout", 3, false, 1, 5, 0, 0, 1},
	},
	2: {
		{"wspeed", 7, false, 0, 121, 122, 0, 1}, {"wgust", 7, false, 0, 121, 122, 0, 1},
		{"wdir", 9, false, 0, 359, 360, 0, 1}, {"wgustdir", 9, false, 0, 359, 360, 0, 1}, sensorType("sensortype"),
		{"fwspeed", 7, false, 0, 121, 122, 0, 1}, {"fwgust", 7, false, 0, 121, 122, 0, 1}, {"fwdir", 9, false, 0, 359, 360, 0, 1},
		forecastDay, forecastHour, forecastMinute, forecastDuration,
	},
	3: {
		{"absolute", 1, false, 0, 1, 0, 0, 1}, {"level", 16, true, -32767, 32767, -32768, 0, 100},
		{"leveltrend", 2, false, 0, 2, 3, 0, 1}, {"datum", 5, false, 0, 13, 14, 0, 1}, sensorType("sensortype"),
		{"fabsolute", 1, false, 0, 1, 0, 0, 1}, {"flevel", 16, true, -32767, 32767, -32768, 0, 100},
		forecastDay, forecastHour, forecastMinute, forecastDuration,
	},
	4: {
		currentSpeed("cspeed1"), bearing("cdir1"), measuredDepth("cdepth1"),
		currentSpeed("cspeed2"), bearing("cdir2"), measuredDepth("cdepth2"),
		currentSpeed("cspeed3"), bearing("cdir3"), measuredDepth("cdepth3"), sensorType("sensortype"),
	},
	5: {
		currentVector("cnorth1"), currentVector("ceast1"), currentVector("cup1"), measuredDepth("cdepth1"),
		currentVector("cnorth2"), currentVector("ceast2"), currentVector("cup2"), measuredDepth("cdepth2"), sensorType("sensortype"),
	},
	6: {
		bearing("bearing"),
		measuredDepth("distance1"), currentSpeed("speed1"), bearing("direction1"), measuredDepth("depth1"),
		measuredDepth("distance2"), currentSpeed("speed2"), bearing("direction2"), measuredDepth("depth2"), sensorType("sensortype"),
	},
	7: {
		currentSpeed("swheight"), {"swperiod", 6, false, 0, 60, 61, 0, 1}, bearing("swelldir"), {"seastate", 4, false, 0, 12, 13, 0, 1},
		sensorType("swelltype"), {"watertemp", 10, true, -100, 500, 501, 0, 10}, {"distance1", 7, false, 0, 121, 122, 0, 10},
		sensorType("depthtype"), currentSpeed("waveheight"), {"waveperiod", 6, false, 0, 60, 61, 0, 1}, bearing("wavedir"),
		sensorType("wavetype"), {"salinity", 9, false, 0, 501, 502, 0, 10},
	},
	8: {
		{"watertemp", 10, false, 0, 600, 601, -100, 10}, {"conductivity", 10, false, 0, 701, 703, 0, 100},
		{"pressure", 16, false, 0, 60001, 60003, 0, 10}, {"salinity", 9, false, 0, 501, 502, 0, 10},
		{"salinitytype", 2, false, 0, 2, 3, 0, 1}, sensorType("sensortype"),
	},
	9: {
		{"temperature", 11, true, -600, 600, -1024, 0, 10}, sensorType("sensortype"), {"preciptype", 2, false, 0, 3, 3, 0, 1},
		{"visibility", 8, false, 0, 241, 243, 0, 10}, {"dewpoint", 10, false, 0, 700, 701, -200, 10}, sensorType("dewtype"),
		{"pressure", 9, false, 0, 402, 403, 799, 1}, {"pressuretend", 2, false, 0, 2, 3, 0, 1}, sensorType("pressuretype"),
		{"salinity", 9, false, 0, 501, 502, 0, 10},
	},
	10: {
		{"airdraught", 13, false, 1, 8191, 0, 0, 100}, {"airgap", 13, false, 1, 8191, 0, 0, 100},
		{"gaptrend", 2, false, 0, 2, 3, 0, 1}, {"fairgap", 13, false, 1, 8191, 0, 0, 100},
		forecastDay, forecastHour, forecastMinute, sensorType("sensortype"),
	},
	11: {
		{"wspeed", 7, false, 0, 121, 122, 0, 1}, {"wgust", 7, false, 0, 121, 122, 0, 1}, bearing("wdir"),
		{"averaging", 6, false, 1, 60, 0, 0, 1}, sensorType("sensortype"),
		{"fwspeed", 7, false, 0, 121, 122, 0, 1}, {"fwgust", 7, false, 0, 121, 122, 0, 1}, bearing("fwdir"),
		forecastHour, forecastMinute, forecastDuration,
	},
}

// environment289 are those of FI 26.
var environment289 = [12][]quantity{
	0: {{"alt", 11, false, 0, 2001, 2002, 0, 10}, {"owner", 4, false, 1, 14, 0, 0, 1}, {"timeout", 3, false, 1, 5, 0, 0, 1}},
	2: environmentLayouts[2],
	3: environmentLayouts[3],
	4: environmentLayouts[4],
	5: {
		currentSpeed("cnorth1"), currentSpeed("ceast1"), currentSpeed("cup1"), measuredDepth("cdepth1"),
		currentSpeed("cnorth2"), currentSpeed("ceast2"), currentSpeed("cup2"), measuredDepth("cdepth2"), sensorType("sensortype"),
	},
	6: {
		bearing("bearing1"), shortDistance("distance1"), currentSpeed("speed1"), bearing("direction1"), measuredDepth("depth1"),
		bearing("bearing2"), shortDistance("distance2"), currentSpeed("speed2"), bearing("direction2"), measuredDepth("depth2"),
	},
	7: {
		currentSpeed("swheight"), {"swperiod", 6, false, 0, 60, 61, 0, 1}, bearing("swelldir"), {"seastate", 4, false, 0, 12, 13, 0, 1},
		sensorType("swelltype"), {"watertemp", 10, false, 0, 600, 601, -100, 10}, {"distance1", 7, false, 0, 121, 122, 0, 10},
		sensorType("depthtype"), currentSpeed("waveheight"), {"waveperiod", 6, false, 0, 60, 61, 0, 1}, bearing("wavedir"),
		sensorType("wavetype"), {"salinity", 9, false, 0, 501, 502, 0, 10},
	},
	8: environmentLayouts[8],
	9: {
		{"temperature", 11, true, -600, 600, -1024, 0, 10}, sensorType("sensortype"), {"preciptype", 2, false, 0, 3, 3, 0, 1},
		{"visibility", 8, false, 0, 241, 243, 0, 10}, {"dewpoint", 10, true, -200, 500, 501, 0, 10}, sensorType("dewtype"),
		{"pressure", 9, false, 0, 402, 403, 799, 1}, {"pressuretend", 2, false, 0, 2, 3, 0, 1}, sensorType("pressuretype"),
		{"salinity", 9, false, 0, 501, 502, 0, 10},
	},
	10: environmentLayouts[10][:7],
}

func shortDistance(key string) quantity { return quantity{key, 7, false, 0, 121, 122, 0, 1} }

var (
	forecastDay      = quantity{"day", 5, false, 1, 31, 0, 0, 1}
	forecastHour     = quantity{"hour", 5, false, 0, 23, 24, 0, 1}
	forecastMinute   = quantity{"minute", 6, false, 0, 59, 60, 0, 1}
	forecastDuration = quantity{"duration", 8, false, 0, 254, 255, 0, 1}
)

func sensorType(key string) quantity { return quantity{key, 3, false, 1, 6, 0, 0, 1} }

func bearing(key string) quantity { return quantity{key, 9, false, 0, 359, 360, 0, 1} }

// currentSpeed is a speed in tenths of a knot, or the height of a wave in tenths of a metre, coded alike.
func currentSpeed(key string) quantity { return quantity{key, 8, false, 0, 246, 247, 0, 10} }

func currentVector(key string) quantity { return quantity{key, 9, true, -251, 251, 255, 0, 10} }

func measuredDepth(key string) quantity { return quantity{key, 9, false, 0, 361, 362, 0, 1} }

func (e *Environmental) layout(c *codec) {
	layouts := &environmentLayouts
	if e.FI == 26 {
		layouts = &environment289
	}
	list(c, "reports", &e.Reports, sensorReportBits, 8, func(s *SensorReport, c *codec) { s.layout(c, layouts) })
	c.short = c.short || len(e.Reports) == 0
}

func (s *SensorReport) layout(c *codec, layouts *[12][]quantity) {
	integer(c, "sensor", 4, &s.Kind)
	c.moment(nil, &s.Day, &s.Hour, &s.Minute)
	integer(c, "site", 7, &s.Site)
	if c.direction == decoding {
		s.Place = Place{Lon: 181 * 600000, Lat: 91 * 600000}
	}
	switch {
	case s.Kind == 0:
		s.location(c, layouts[0])
	case s.Kind == 1:
		c.fullText("name", &s.Name, 14)
	case int(s.Kind) < len(layouts):
		c.readings(&s.Readings, layouts[s.Kind])
	}
}

// location is the place of the sensor, in JSON before the readings around it. With FI 33 a version comes before it, and its precision after.
func (s *SensorReport) location(c *codec, layout []quantity) {
	if c.direction == showing {
		c.showPlace(s.Place)
	}
	versioned := layout[0].key == "version"
	if versioned {
		c.readings(&s.Readings, layout[:1])
		layout = layout[1:]
	}
	if c.direction == decoding {
		c.place("", &s.Place, 1)
	}
	if versioned {
		c.skip(3) // precision of the place in decimals
	}
	c.readings(&s.Readings, layout)
}
